"""A transaction that stays open for long makes no claim slow: what was claimed since is not read again and again."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import asyncpg
import pytest

from photomat.app.flow import DUE
from photomat.app.wiring import Program
from photomat.db.floors import Queue
from photomat.db.pool import BoundedPool, Connection, Pool, transaction
from photomat.inbox.lanes import claim_lanes, finish
from photomat.inbox.receive import receive
from photomat.inbox.update import Claimed
from photomat.jobs.actions import cancel_by_operator
from photomat.jobs.claims import CREATES, QUERIES
from photomat.kernel.errors import Transient
from photomat.kernel.ids import BotId, InstanceId
from photomat.work import due_poller
from photomat.work.budget import Budget, room, take
from photomat.work.due_poller import DuePoller, Wakes
from support.database import connection_of, pool_of, shift_clock
from support.jobs import ToldProvider, a_job, a_user, claim_submit
from support.long_history import fill
from support.patience import until_found
from support.plans import Judged, judge, recorded
from support.program import a_program
from support.sessions import waiting_for
from support.steps import submitter
from support.updates import BOT_ID, text_update

BOT: Final = BotId(BOT_ID)
JOBS: Final = 2_000
ORDERS: Final = 300
RECENT_PAGES: Final = 150
CLAIMED: Final = (
    "UPDATE generation_jobs SET card_wanted = card_wanted + 1, deliver_at = photomat_now() WHERE status = 'done'",
    "UPDATE generation_jobs SET card_shown = card_wanted, ring_due_at = photomat_now() WHERE status = 'done'",
    "UPDATE generation_jobs SET ring_due_at = NULL, due_at = photomat_now() WHERE status = 'done'",
    "UPDATE generation_jobs SET due_at = NULL WHERE status = 'done'",
    "UPDATE job_outputs SET keep_at = photomat_now()",
    "UPDATE job_outputs SET keep_at = NULL",
    """
    INSERT INTO lanes (bot_id, lane, pending)
    SELECT 7000000001, 'u' || number, 1 FROM generate_series(1000000, 1002000) AS number
    """,
    "UPDATE lanes SET pending = 0",
)
"""What becomes due and is done, in every queue."""
CHATS: Final = (
    "INSERT INTO budgets (name) SELECT 'telegram:1:chat:' || number FROM generate_series(1, $1::int) AS number"
)
SPENT: Final = """
    DO $$ BEGIN
        FOR number IN 1..800 LOOP
            UPDATE budgets SET taken = array_fill(photomat_now() - interval '1 hour', ARRAY[200]), used_at = photomat_now()
             WHERE name NOT LIKE '%:chat:%';
        END LOOP;
    END $$"""
"""Four versions of a budget fill a page."""


async def test_beside_an_old_transaction_a_claim_reads_what_is_recent_only(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("EVERY_S", "THOROUGH_APART_S"):
        monkeypatch.setattr(due_poller, name, 3600)  # every poll but the first begins at the floors
    async with connection_of(database) as connection, a_program(database, tmp_path) as program:
        await fill(connection, jobs=JOBS, live=0)
        poller = DuePoller(program.pool, Wakes(DUE), DUE)
        async with _open_transaction(database):
            await _work_off(connection, program.pool)
            from_the_beginning = await _claims(connection, program, poller)
            await poller.poll_once()
            from_the_floors = await _claims(connection, program, poller)
    assert sum(one.pages > RECENT_PAGES for one in from_the_beginning) >= 4, "the queues hold no dead entries"
    too_much = [
        f"{one.pages} pages: {' '.join(one.sql.split())}" for one in from_the_floors if one.pages > RECENT_PAGES
    ]
    assert not too_much, "\n\n".join(too_much)


@asynccontextmanager
async def _open_transaction(database: str) -> AsyncIterator[None]:
    """A report that nobody ends."""
    async with connection_of(database) as report, report.transaction(isolation="repeatable_read", readonly=True):
        await report.fetchval("SELECT count(*) FROM users")
        yield


async def _work_off(connection: Connection, pool: Pool) -> None:
    """Fill every queue and work it off, some time ago."""
    for statement in CLAIMED:
        await connection.execute(statement)
    for number in range(ORDERS):
        job_id = await a_job(pool, await a_user(pool, user_id=8_000_000 + number))
        async with transaction(pool) as tx:
            await cancel_by_operator(tx, job_id)
    await connection.execute("UPDATE generation_jobs SET card_shown = card_wanted, ring_due_at = NULL")
    await shift_clock(pool, 60)
    await connection.execute("INSERT INTO budgets (name, turn) VALUES ($1, 1000), ($2, 0)", CREATES, QUERIES)
    await connection.execute(SPENT)
    await shift_clock(pool, 60)
    for each in (CREATES, QUERIES) * 2:
        await take(pool, Budget(name=each, limit=10, window_s=1))
    await a_job(pool, await a_user(pool, user_id=8_999_999))  # the queue has come to later rounds
    await connection.execute("ANALYZE")


async def _claims(connection: Connection, program: Program, poller: DuePoller) -> list[Judged]:
    """What each claim reads, and the poll that asks what is due."""
    async with recorded(program.pool) as recording:
        for step in (*program.instance_steps(), *program.update_steps()):
            await step.claim(0 if step.name == "submits" else step.width)
        if program.pool.floors.of("looks") is not None:  # the first poll reads everything
            await poller.poll_once()
    return await judge(connection, recording)


@pytest.mark.parametrize("chats", [3, 2000])
async def test_beside_an_old_transaction_a_budget_is_found_by_what_is_recent(database: str, chats: int) -> None:
    bot = Budget(name="telegram:1", limit=1000, window_s=1)
    async with connection_of(database) as connection, pool_of(database, size=1) as pool:
        await connection.execute(CHATS, chats)
        for name in (bot.name, CREATES, QUERIES):
            await take(pool, Budget(name=name, limit=10, window_s=1))
        await connection.execute("UPDATE budgets SET since = photomat_now() - interval '1 minute'")
        await connection.execute("ANALYZE budgets")
        async with _open_transaction(database):
            await _pages_to_take(connection, pool, bot)
            await connection.execute("UPDATE budgets SET since = photomat_now() - interval '1 minute'")
            await connection.execute(SPENT)
            old = await _pages_to_take(connection, pool, bot)
            await take(pool, bot)
            renewed = await _pages_to_take(connection, pool, bot)
    assert old > RECENT_PAGES
    assert renewed < RECENT_PAGES


async def _pages_to_take(connection: Connection, pool: BoundedPool, budget: Budget) -> int:
    """How many pages of budgets are read to take a call, by the statements the session has prepared."""
    before = await _pages_read(connection, pool)
    assert await take(pool, budget) == 0
    await room(pool, budget)
    return await _pages_read(connection, pool) - before


async def _pages_read(connection: Connection, pool: BoundedPool) -> int:
    await pool.fetch("SELECT pg_stat_force_next_flush()")
    pages: int = await connection.fetchval(
        """
        SELECT heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read
          FROM pg_statio_user_tables WHERE relname = 'budgets'
        """
    )
    return pages


async def test_an_update_whose_transaction_took_long_is_claimed_although_others_came_before_it(database: str) -> None:
    async with pool_of(database, bot_id=BOT_ID) as pool, connection_of(database) as slow:
        wakes = Wakes(DUE)
        poller = DuePoller(pool, wakes, DUE)
        async with slow.transaction():
            await receive(pool, bot_id=BOT, updates=[text_update(1, user_id=1)])
            await slow.execute("INSERT INTO lanes (bot_id, lane, pending) VALUES ($1, 'u2', 1)", BOT)
            await slow.execute("INSERT INTO inbox (bot_id, update_id, lane, body) VALUES ($1, 2, 'u2', '{}')", BOT)
            await shift_clock(pool, 60)
            first = await _claimed(pool)
            async with transaction(pool) as tx:
                assert await finish(tx, first)
            await poller.poll_once()
        assert await _claimed(pool) == []  # it is below the floor
        wakes.event("updates").clear()
        async with asyncio.timeout(60):
            while not wakes.event("updates").is_set():
                await poller.poll_once()
        assert [one.update_id for one in await _claimed(pool)] == [2]


async def _claimed(pool: Pool) -> list[Claimed]:
    return await claim_lanes(pool, bot_id=BOT, instance=InstanceId("one"), lease_s=30, pre_checkout=False, limit=9)


async def test_a_job_that_is_put_back_into_the_queue_is_claimed_as_soon_as_before(database: str) -> None:
    async with pool_of(database) as pool:
        jobs = [await claim_submit(pool, await a_job(pool, await a_user(pool, user_id=user))) for user in (1, 2)]
        pool.floors.set({"submits": 1_000})
        await submitter(pool, ToldProvider(creates=[Transient("busy", retry_after_s=0)])).submit(jobs[0])
        assert pool.floors.of("submits") == jobs[0].turn


async def test_a_poll_from_the_beginning_that_fails_is_put_off_and_quick_ones_go_on(database: str) -> None:
    unreadable = Queue(due="SELECT 1 WHERE {floor} = 1", oldest="SELECT 1 / coalesce({floor}::int, 0)")
    async with pool_of(database) as pool:
        wakes = Wakes(["queue"])
        poller = DuePoller(pool, wakes, {"queue": unreadable})
        pool.floors.set({"queue": 1})
        with pytest.raises(asyncpg.DivisionByZeroError):
            await poller.poll_once()
        await poller.poll_once()
        assert wakes.event("queue").is_set()


async def test_a_floor_that_is_lowered_while_an_empty_queue_is_read_stays_low(database: str) -> None:
    empty = Queue(
        due="SELECT 1 WHERE {floor} < 0", oldest="SELECT {floor}::bigint WHERE pg_advisory_xact_lock(1) IS NULL"
    )
    async with pool_of(database) as pool, connection_of(database) as other:
        poller = DuePoller(pool, Wakes(["queue"]), {"queue": empty})
        await poller.poll_once()
        pool.floors.set({"queue": 100})
        async with asyncio.TaskGroup() as group, other.transaction():
            await other.execute("SELECT pg_advisory_xact_lock(1)")
            group.create_task(poller.poll_once())
            await until_found(lambda: waiting_for(other))
            pool.floors.lower("queue", 40)
        assert pool.floors.of("queue") == 40
