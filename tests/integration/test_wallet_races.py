"""Two sessions move the money of one user at once, and end where one after the other would have ended.

The first session makes its move and waits with the commit until the second is either through or waiting for a lock; so
every pair meets in the middle, whatever the machine is doing. The model says what the serial end is.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import product

import asyncpg
import pytest

from photomat.db.pool import Connection, Transaction, transaction
from photomat.kernel.errors import Corrupt, NotEnough
from photomat.kernel.ids import JobId, UserId
from photomat.wallet import ledger
from support.database import connection_of, pool_of
from support.money import buy, give_back, make_job, make_user, mark, rub, sell
from support.sessions import until_done_or_blocked
from support.wallet_model import REFUSED, TOO_POOR, ModelLedger

START, PRICE = 100, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What is there before a race: one job already held for, two that would like to be (both do not fit)."""

    user: UserId
    held: JobId
    first: JobId
    second: JobId


@dataclass(frozen=True, slots=True)
class Move:
    """The same action on the real ledger and on the model."""

    name: str
    real: Callable[[Transaction, Scene], Awaitable[object]]
    model: Callable[[ModelLedger, Scene], object]


def hold_move(name: str, job_of: Callable[[Scene], JobId]) -> Move:
    async def real(tx: Transaction, scene: Scene) -> None:
        job = job_of(scene)
        await ledger.hold(tx, user_id=scene.user, amount=rub(PRICE), reference=f"job:{job}", job_id=job)

    return Move(name, real, lambda model, scene: model.hold(scene.user, PRICE, f"job:{job_of(scene)}", job_of(scene)))


async def credit(tx: Transaction, scene: Scene) -> bool:
    return await ledger.credit(tx, user_id=scene.user, amount=rub(40), reference=f"stars:{scene.user}", reason="topup")


MOVES = (
    hold_move("hold", lambda scene: scene.first),
    hold_move("hold another", lambda scene: scene.second),
    Move(
        "charge",
        lambda tx, scene: sell(tx, scene.held),
        lambda model, scene: model.close(f"job:{scene.held}", "charge"),
    ),
    Move(
        "release",
        lambda tx, scene: give_back(tx, scene.held),
        lambda model, scene: model.close(f"job:{scene.held}", "release"),
    ),
    Move("credit", credit, lambda model, scene: model.credit(scene.user, 40, f"stars:{scene.user}", "topup")),
)


@pytest.mark.parametrize("isolation", ["read_committed", "serializable"])
@pytest.mark.parametrize("one", MOVES, ids=lambda move: move.name)
async def test_two_sessions_end_where_one_after_the_other_would(database: str, one: Move, isolation: str) -> None:
    async with connection_of(database) as a, connection_of(database) as b, connection_of(database) as watcher:
        for user, (other, first_commits) in enumerate(product(MOVES, [True, False]), start=1):
            scene, model = await prepare(watcher, user)
            first = a.transaction(isolation=isolation)
            await first.start()
            expected = one.model(model if first_commits else model.copy(), scene)
            assert await answer(one.real(a, scene)) == expected
            async with asyncio.TaskGroup() as group:
                second = group.create_task(in_own_transaction(b, other, scene, isolation))
                await until_done_or_blocked(watcher, second, b)
                await (first.commit() if first_commits else first.rollback())
            assert second.result() == other.model(model, scene), f"{one.name} | {other.name}, {first_commits=}"
            wallet = await ledger.balance(watcher, user_id=scene.user)
            assert (wallet.posted.minor, wallet.held.minor) == (model.posted(user), model.held(user))
        await drop_jobs_without_hold(watcher)


async def prepare(connection: Connection, user_id: int) -> tuple[Scene, ModelLedger]:
    async with connection.transaction():
        user = await make_user(connection, user_id, balance=START)
        held = await buy(connection, user, price=30)
        first, second = [await make_job(connection, user, price=PRICE) for _ in range(2)]
    model = ModelLedger()
    model.credit(user, START, f"welcome:{user}", "welcome")
    model.hold(user, 30, f"job:{held}", held)
    return Scene(user=user, held=held, first=first, second=second), model


async def answer(work: Awaitable[object]) -> object:
    try:
        return await work
    except NotEnough:
        return TOO_POOR
    except Corrupt:
        return REFUSED


async def in_own_transaction(connection: Connection, move: Move, scene: Scene, isolation: str) -> object:
    """Under a strict level the loser of a race is told to start over: once, as the winner has committed by then."""

    async def attempt() -> object:
        async with connection.transaction(isolation=isolation):
            return await move.real(connection, scene)

    try:
        return await answer(attempt())
    except asyncpg.SerializationError:
        return await answer(attempt())


async def drop_jobs_without_hold(connection: Connection) -> None:
    """A job that could not be paid would never have been made; without it the audit may look at the rest."""
    await connection.execute(
        """
        DELETE FROM generation_jobs AS job
         WHERE price > 0 AND NOT EXISTS (SELECT FROM holds WHERE reference = 'job:' || job.job_id)
        """
    )


async def test_twenty_taps_at_once_hold_exactly_what_the_wallet_covers(database: str) -> None:
    async with pool_of(database, size=10) as pool:
        async with transaction(pool) as tx:
            anna = await make_user(tx, 42, balance=10 * PRICE + 1)
            jobs = [await make_job(tx, anna, price=PRICE) for _ in range(20)]

        async def tap(job: JobId) -> None:
            async with transaction(pool) as tx:
                await ledger.hold(tx, user_id=anna, amount=rub(PRICE), reference=f"job:{job}", job_id=job)

        answers = await asyncio.gather(*(answer(tap(job)) for job in jobs for _ in range(2)))
        async with transaction(pool) as tx:
            wallet = await ledger.balance(tx, user_id=anna)
            await drop_jobs_without_hold(tx)
    assert (answers.count(None), answers.count(TOO_POOR)) == (20, 20)
    assert (wallet.held, wallet.available) == (rub(10 * PRICE), rub(1))


async def test_callback_and_poll_and_giving_up_at_once_end_each_hold_once_without_a_deadlock(database: str) -> None:
    async with pool_of(database, size=10) as pool:
        async with transaction(pool) as tx:
            users = [await make_user(tx, user, balance=5 * PRICE) for user in (1, 2)]
            jobs = [await buy(tx, user, price=PRICE) for _ in range(5) for user in users]

        async def settle(job: JobId, closed_as: str) -> object:
            async with transaction(pool) as tx:
                if closed_as == "charge":
                    return await ledger.charge(tx, reference=f"job:{job}")
                return await ledger.release(tx, reference=f"job:{job}")

        ways = ("charge", "release", "charge", "release")
        answers = await asyncio.gather(*(answer(settle(job, way)) for way in ways for job in jobs))
        async with transaction(pool) as tx:
            for row in await tx.fetch("SELECT job_id, closed_as FROM holds JOIN hold_closings USING (reference)"):
                await mark(tx, JobId(row["job_id"]), "done" if row["closed_as"] == "charge" else "failed")
    assert (answers.count(True), answers.count(False), answers.count(REFUSED)) == (10, 10, 20)
