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

from photomat.db.connection import Isolation
from photomat.db.pool import Connection, Transaction, transaction
from photomat.kernel.errors import Corrupt, NotEnough, Rejected
from photomat.kernel.ids import JobId, UserId
from photomat.wallet import ledger, refunds
from support.database import connection_of, pool_of
from support.money import buy, give_back, make_job, make_user, mark, move_between, rub, sell
from support.sessions import until_done_or_blocked
from support.wallet_model import NO, REFUSED, TOO_POOR, ModelLedger

START, PRICE, SOLD = 100, 60, 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What is there before a race: one job already held for, two that would like to be (both do not fit), one sold."""

    user: UserId
    friend: UserId
    held: JobId
    first: JobId
    second: JobId
    sold: JobId


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
    return await ledger.credit(
        tx, user_id=scene.user, amount=rub(40), reference=f"stars:{scene.user}", reason="operator"
    )


async def debit(tx: Transaction, scene: Scene) -> bool:
    reference = f"debit:{scene.user}"
    return await ledger.debit(tx, user_id=scene.user, amount=rub(PRICE), reference=reference, reason="operator")


async def take_back(tx: Transaction, scene: Scene) -> object:
    reference = f"bank:{scene.user}"
    taken = await refunds.take_back(tx, user_id=scene.user, amount=rub(90), reference=reference)
    return taken.from_wallet.minor, taken.as_debt.minor, taken.is_new


async def refund(tx: Transaction, scene: Scene, *, reference: str) -> object:
    given = await refunds.refund_charge(tx, job_id=scene.sold, reference=f"{reference}:{scene.user}")
    return given.amount.minor, given.is_new


async def gift(tx: Transaction, scene: Scene, *, back: bool) -> bool:
    giver, taker = (scene.friend, scene.user) if back else (scene.user, scene.friend)
    reference = f"gift:{giver}:{taker}"
    return await move_between(tx, giver=giver, taker=taker, amount=rub(PRICE), reference=reference)


async def correct(tx: Transaction, scene: Scene) -> bool:
    of = f"welcome:{scene.user}"
    return await refunds.correct(tx, of=of, reference=f"correction:{of}")


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
    Move("credit", credit, lambda model, scene: model.credit(scene.user, 40, f"stars:{scene.user}", "operator")),
    Move("debit", debit, lambda model, scene: model.debit(scene.user, PRICE, f"debit:{scene.user}")),
    Move("take back", take_back, lambda model, scene: model.take_back(scene.user, 90, f"bank:{scene.user}")),
    Move(
        "refund",
        lambda tx, scene: refund(tx, scene, reference="refund"),
        lambda model, scene: model.refund(scene.sold, None, f"refund:{scene.user}"),
    ),
    Move(
        "refund by another",
        lambda tx, scene: refund(tx, scene, reference="other"),
        lambda model, scene: model.refund(scene.sold, None, f"other:{scene.user}"),
    ),
    Move(
        "gift",
        lambda tx, scene: gift(tx, scene, back=False),
        lambda model, scene: model.transfer(scene.user, scene.friend, PRICE, f"gift:{scene.user}:{scene.friend}"),
    ),
    Move(
        "gift back",
        lambda tx, scene: gift(tx, scene, back=True),
        lambda model, scene: model.transfer(scene.friend, scene.user, PRICE, f"gift:{scene.friend}:{scene.user}"),
    ),
    Move(
        "correct",
        correct,
        lambda model, scene: model.correct(f"welcome:{scene.user}", f"correction:welcome:{scene.user}"),
    ),
)


@pytest.mark.parametrize("isolation", ["read_committed", pytest.param("serializable", marks=pytest.mark.prove)])
@pytest.mark.parametrize("one", MOVES, ids=lambda move: move.name)
async def test_two_sessions_end_where_one_after_the_other_would(database: str, one: Move, isolation: Isolation) -> None:
    async with connection_of(database) as a, connection_of(database) as b, connection_of(database) as watcher:
        for number, (other, first_commits) in enumerate(product(MOVES, [True, False])):
            scene, model = await prepare(watcher, 2 * number + 1)
            first = a.transaction(isolation=isolation)
            await first.start()
            expected = one.model(model if first_commits else model.copy(), scene)
            assert await answer(one.real(a, scene)) == expected
            async with asyncio.TaskGroup() as group:
                second = group.create_task(in_own_transaction(b, other, scene, isolation))
                await until_done_or_blocked(watcher, second, b)
                await (first.commit() if first_commits else first.rollback())
            assert second.result() == other.model(model, scene), f"{one.name} | {other.name}, {first_commits=}"
            for user in (scene.user, scene.friend):
                wallet = await ledger.balance(watcher, user_id=user)
                real = (wallet.posted.minor, wallet.held.minor, wallet.owed.minor)
                assert real == (model.posted(user), model.held(user), model.debts[user])
        await drop_jobs_without_hold(watcher)


async def prepare(connection: Connection, user_id: int) -> tuple[Scene, ModelLedger]:
    async with connection.transaction():
        user = await make_user(connection, user_id, balance=START + SOLD)
        friend = await make_user(connection, user_id + 1, balance=START)
        sold = await buy(connection, user, price=SOLD)
        await sell(connection, sold)
        held = await buy(connection, user, price=30)
        first, second = [await make_job(connection, user, price=PRICE) for _ in range(2)]
    model = ModelLedger()
    model.credit(user, START + SOLD, f"welcome:{user}", "welcome")
    model.credit(friend, START, f"welcome:{friend}", "welcome")
    model.hold(user, SOLD, f"job:{sold}", sold)
    model.close(f"job:{sold}", "charge")
    model.hold(user, 30, f"job:{held}", held)
    return Scene(user=user, friend=friend, held=held, first=first, second=second, sold=sold), model


async def answer(work: Awaitable[object]) -> object:
    try:
        return await work
    except NotEnough:
        return TOO_POOR
    except Rejected:
        return NO
    except Corrupt:
        return REFUSED


async def in_own_transaction(connection: Connection, move: Move, scene: Scene, isolation: Isolation) -> object:
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


@pytest.mark.parametrize("isolation", ["read_committed", "serializable"])
async def test_fifty_takers_at_once_with_money_for_one(database: str, isolation: Isolation) -> None:
    """Operators, friends and taps want the same money; one gets it, whoever it is."""
    async with pool_of(database, size=25) as pool:
        async with transaction(pool) as tx:
            anna = await make_user(tx, 1, balance=PRICE)
            boris = await make_user(tx, 2)
            jobs = [await make_job(tx, anna, price=PRICE) for _ in range(17)]

        async def take(number: int, tx: Transaction) -> object:
            amount, reference = rub(PRICE), f"take:{number}"
            match number % 3:
                case 0:
                    return await ledger.debit(tx, user_id=anna, amount=amount, reference=reference, reason="operator")
                case 1:
                    return await move_between(tx, giver=anna, taker=boris, amount=amount, reference=reference)
                case _:
                    job = jobs[number // 3]
                    await ledger.hold(tx, user_id=anna, amount=amount, reference=f"job:{job}", job_id=job)
                    return True

        async def attempt(number: int) -> object:
            while True:
                try:
                    async with pool.acquire() as connection, connection.transaction(isolation=isolation):
                        return await take(number, connection)
                except asyncpg.SerializationError:
                    continue

        answers = await asyncio.gather(*(answer(attempt(number)) for number in range(50)))
        async with transaction(pool) as tx:
            wallet = await ledger.balance(tx, user_id=anna)
            await drop_jobs_without_hold(tx)
    assert (answers.count(TOO_POOR), answers.count(True)) == (49, 1)
    assert wallet.available == rub(0)


async def test_a_refund_of_a_payment_racing_a_spend_loses_no_kopeck(database: str) -> None:
    """Whoever comes first, the sum of wallet, holds and debt is what it was less the payment."""
    async with pool_of(database, size=10) as pool:
        for user in range(1, 31):
            async with transaction(pool) as tx:
                anna = await make_user(tx, user)
                await ledger.credit(tx, user_id=anna, amount=rub(PRICE), reference=f"stars:{anna}", reason="operator")
                job = await make_job(tx, anna, price=PRICE)

            async def spend(anna: UserId = anna, job: JobId = job) -> object:
                async with transaction(pool) as tx:
                    await ledger.hold(tx, user_id=anna, amount=rub(PRICE), reference=f"job:{job}", job_id=job)
                    return await sell(tx, job)

            async def refund_payment(anna: UserId = anna) -> object:
                async with transaction(pool) as tx:
                    await refunds.take_back(
                        tx, user_id=anna, amount=rub(PRICE), reference=f"back:{anna}", of=f"stars:{anna}"
                    )
                    return "refunded"

            both = (spend(), refund_payment()) if user % 2 else (refund_payment(), spend())
            answers = await asyncio.gather(*(answer(work) for work in both))
            async with transaction(pool) as tx:
                wallet = await ledger.balance(tx, user_id=anna)
            spent = True in answers
            assert "refunded" in answers
            assert (wallet.posted.minor, wallet.owed.minor) == (0, PRICE if spent else 0)
        async with transaction(pool) as tx:
            await drop_jobs_without_hold(tx)


async def test_gifts_both_ways_at_once_never_wait_for_each_other_in_a_circle(database: str) -> None:
    async with pool_of(database, size=20) as pool:
        async with transaction(pool) as tx:
            users = [await make_user(tx, user, balance=1000) for user in (1, 2, 3)]

        async def give(number: int) -> bool:
            giver, taker = users[number % 3], users[(number + 1 + number % 2) % 3]
            async with transaction(pool) as tx:
                return await move_between(
                    tx,
                    giver=giver,
                    taker=taker,
                    amount=rub(1 + number % 7),
                    reference=f"gift:{number // 2}:{number % 2}",
                )

        answers = await asyncio.gather(*(give(number) for number in range(200)))
        async with transaction(pool) as tx:
            wallets = [await ledger.balance(tx, user_id=user) for user in users]
    assert all(answers)
    assert sum(wallet.posted.minor for wallet in wallets) == 3000
