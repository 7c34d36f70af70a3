"""Behind Kie's limit jobs leave in their order, a user's own by purchase and users in turn, and waiting writes nothing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest

from photomat.app.flow import SUBMIT_WIDTH
from photomat.db.pool import OneSession, Pool
from photomat.jobs.claims import CREATES, CREATES_WINDOW_S
from photomat.jobs.submit import paused_by
from photomat.kernel.ids import InstanceId, JobId, TaskId, UserId
from photomat.orders.limits import Limits
from photomat.work import budget
from photomat.work.budget import NoRoom
from photomat.work.loop import Loop, LoopStep
from support.database import connection_of, pool_of, shift_clock
from support.jobs import (
    LEASE,
    ONE,
    PRICE,
    TIMES,
    TWO,
    ToldProvider,
    a_job,
    a_user,
    claim_submits,
    claims_of,
    money_of,
    row_of,
)
from support.kie_sim import RunningKie, running_kie
from support.patience import until
from support.steps import kie_client, submitter
from support.updates import BOT_ID

ENDLESS = Limits(running=0)
SIDE_BY_SIDE = 3
"""Requests of different users may pass each other on the way."""

UNLIMITED = {"creates_per_10_s": 0, "running_limit": 0}
INTENT = "UPDATE generation_jobs SET status = 'submitting', intent_at = photomat_now() WHERE fence = 1"
COUNT_WRITES = """
    CREATE SEQUENCE writes MINVALUE 0 START 0;
    SELECT nextval('writes');
    CREATE FUNCTION count_write() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM nextval('writes'); RETURN NEW; END $$;
    CREATE TRIGGER count_write BEFORE INSERT OR UPDATE ON generation_jobs FOR EACH ROW EXECUTE FUNCTION count_write();
    CREATE TRIGGER count_write BEFORE INSERT OR UPDATE ON budgets FOR EACH ROW EXECUTE FUNCTION count_write();
    CREATE TRIGGER count_write BEFORE INSERT OR UPDATE ON job_events FOR EACH ROW EXECUTE FUNCTION count_write();
"""

TEN_THOUSAND_JOBS = """
    INSERT INTO generation_jobs (idempotency_key, corr, draft_id, bot_id, chat_id, card_message_id, user_id, model, kind,
                                 inputs, language, price, currency, quote, submit_turn)
    SELECT 'load:' || n, corr, draft_id, bot_id, n, n, user_id, model, kind, inputs, language, price, currency, quote,
           CASE WHEN $2 = 1 THEN n ELSE 1 END
      FROM generation_jobs, generate_series(1, 10000) AS n WHERE job_id = $1
"""
"""Waiting one after the other, as of one user, or all in one round, as of many."""

ROWS_READ = """
    SELECT coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables
     WHERE relname = 'generation_jobs'
"""


async def writes(pool: Pool) -> int:
    """How many rows of jobs, their timelines and budgets were written since the count began."""
    return int(await pool.fetchval("SELECT last_value FROM writes"))


async def bought(pool: Pool, *taps: int) -> list[JobId]:
    """One job a tap; a tap is the id of its user. From the last one on writes are counted."""
    for user in sorted(set(taps)):
        await a_user(pool, user_id=user, balance=PRICE * len(taps))
    jobs = [await a_job(pool, UserId(user), allowed=ENDLESS) for user in taps]
    await pool.execute(COUNT_WRITES)
    return jobs


@asynccontextmanager
async def submitting(
    pool: Pool, provider: Any, *, creates: int = 20, instance: InstanceId = ONE
) -> AsyncIterator[asyncio.Event]:
    """The loop of one instance, as the program runs it; gives what wakes it."""
    stop, wake = asyncio.Event(), asyncio.Event()
    claims = claims_of(pool, instance=instance, creates=creates)
    step = LoopStep(
        name="submits",
        claim=claims.submits,
        do=submitter(pool, provider).submit,
        width=max(SUBMIT_WIDTH, claims.creates.limit),
    )
    async with asyncio.TaskGroup() as group:
        group.create_task(Loop(step, wake=wake).run(stop))
        try:
            yield wake
        finally:
            stop.set()


def created(kie: RunningKie) -> list[int]:
    """The jobs whose tasks Kie was asked for, in the order it was asked."""
    urls = [str(task.order.sent["callBackUrl"]) for task in kie.world.tasks.values()]
    return [int(url.rpartition("/")[2].partition(".")[0]) for url in urls]


async def window_by_window(pool: Pool, kie: RunningKie, *wakes: asyncio.Event, count: int, limit: int) -> list[int]:
    """Wait for the creates of each window, then let the window pass, until there are so many."""
    for reached in [*range(limit, count, limit), count]:
        await until(lambda: len(kie.world.tasks) >= reached, about=lambda: f"{reached} creates")  # noqa: B023  waited for here
        assert len(kie.world.tasks) == reached, "no more than the limit in a window"
        await shift_clock(pool, CREATES_WINDOW_S)
        for wake in wakes:
            wake.set()
    return created(kie)


@pytest.mark.parametrize("users", [6, *(pytest.param(users, marks=pytest.mark.prove) for users in (1, 60))])
async def test_sixty_taps_are_created_in_the_order_of_the_taps(database: str, users: int) -> None:
    """Users who tap in turn are served in the order of the taps. A job costs its claim, its intent and its task id."""
    async with pool_of(database) as pool, running_kie() as kie, kie_client(kie.url) as provider:
        kie.world.change(UNLIMITED)
        jobs = await bought(pool, *(number % users + 1 for number in range(60)))
        async with submitting(pool, provider) as wake:
            order = await window_by_window(pool, kie, wake, count=60, limit=19)
        assert max(abs(order.index(job) - place) for place, job in enumerate(jobs)) <= SIDE_BY_SIDE
        for user in range(users):
            assert [job for job in order if job in jobs[user::users]] == jobs[user::users]
        rows = await pool.fetch("SELECT status, attempts FROM generation_jobs")
        assert {row["status"] for row in rows} == {"running"}
        assert sum(row["attempts"] for row in rows) < 60 + 19, (
            "only what is claimed while the clock jumps is claimed again"
        )
        assert await writes(pool) <= 60 * 6


async def test_of_many_waiting_jobs_none_is_touched_before_its_turn(database: str) -> None:
    async with pool_of(database) as pool, running_kie() as kie, kie_client(kie.url) as provider:
        kie.world.change(UNLIMITED)
        jobs = await bought(pool, *[1] * 150)
        async with submitting(pool, provider) as wake:
            order = await window_by_window(pool, kie, wake, count=57, limit=19)
            await until(lambda: len(kie.world.tasks) >= 76)
            untouched = await pool.fetchval(
                "SELECT count(*) FROM generation_jobs WHERE fence = 0 AND leased_until IS NULL"
            )
            created_by_then = len(kie.world.tasks)
        assert order == jobs[:57]
        assert 150 - created_by_then - 19 <= untouched <= 150 - 76, "what waits for a later window is not touched"


async def test_a_loop_without_room_writes_nothing_however_often_it_is_woken(database: str) -> None:
    async with pool_of(database) as pool:
        await bought(pool, *range(1, 31))
        claims = claims_of(pool)
        assert len(await claims.submits(99)) == claims.creates.limit
        before = await writes(pool)
        for _ in range(50):
            with pytest.raises(NoRoom) as refused:
                await claims.submits(99)
            assert 0 < (refused.value.retry_after_s or 0) <= claims.creates.window_s
        assert await writes(pool) == before


async def test_jobs_of_an_older_program_in_a_deploy_hold_nobody_up(database: str) -> None:
    """It knows no rounds: its jobs have round 0 and go first, also before older ones of the same user."""
    async with pool_of(database) as pool:
        older = await bought(pool, *range(1, 26))
        later = [await a_job(pool, UserId(number)) for number in range(1, 26)]
        await pool.execute("UPDATE generation_jobs SET submit_turn = 0 WHERE job_id = ANY($1::bigint[])", later)
        order: list[int] = []
        for _ in range(3):
            order += [job.job_id for job in await claims_of(pool).submits(99)]
            await pool.execute(
                "UPDATE generation_jobs SET status = 'submitting', intent_at = photomat_now() WHERE fence = 1"
            )
            await shift_clock(pool, CREATES_WINDOW_S + 1)
        assert order == [*later, *older]


async def test_somebody_with_one_wish_does_not_wait_behind_somebody_with_a_hundred(database: str) -> None:
    async with pool_of(database) as pool:
        heavy = await bought(pool, *[1] * 100)
        claims = claims_of(pool, creates=1)
        order: list[int] = []
        newcomers: list[JobId] = []
        for number in range(2, 7):
            newcomers.append(await a_job(pool, await a_user(pool, user_id=number)))
            for _ in range(2):
                await shift_clock(pool, CREATES_WINDOW_S + 1)
                order += [job.job_id for job in await claims.submits(9)]
                await pool.execute(
                    "UPDATE generation_jobs SET status = 'submitting', intent_at = photomat_now() WHERE fence = 1"
                )
        assert [job for job in order if job in heavy] == heavy[:5]
        assert [job for job in order if job in newcomers] == newcomers


async def test_two_instances_keep_the_order_and_the_limit_of_one(database: str) -> None:
    async with AsyncExitStack() as stack:
        one, two = [await stack.enter_async_context(pool_of(database)) for _ in range(2)]
        kie = await stack.enter_async_context(running_kie())
        kie.world.change(UNLIMITED)
        provider = await stack.enter_async_context(kie_client(kie.url))
        taps = [number % 3 + 1 for number in range(57)]
        jobs = await bought(one, *taps)
        first = await stack.enter_async_context(submitting(one, provider))
        second = await stack.enter_async_context(submitting(two, provider, instance=TWO))
        order = await window_by_window(one, kie, first, second, count=57, limit=19)
        for user in (1, 2, 3):
            own = [job for job, tap in zip(jobs, taps, strict=True) if tap == user]
            assert [job for job in order if job in own] == own


async def test_a_job_whose_row_is_locked_holds_back_the_later_ones_of_its_user_alone(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as other:
        jobs = await bought(pool, 1, 1, 2)
        async with asyncio.timeout(120), other.transaction():
            await other.execute("SELECT FROM generation_jobs WHERE job_id = $1 FOR UPDATE", jobs[0])
            assert [job.job_id for job in await claims_of(pool).submits(9)] == [jobs[2]]
        assert [job.job_id for job in await claims_of(pool).submits(9)] == jobs[:2]


async def test_a_job_claimed_by_another_instance_holds_back_the_later_ones_of_its_user(database: str) -> None:
    async with pool_of(database) as pool:
        jobs = await bought(pool, 1, 1, 2)
        assert [job.job_id for job in await claims_of(pool).submits(1)] == [jobs[0]]
        assert [job.job_id for job in await claims_of(pool, instance=TWO).submits(9)] == [jobs[2]]
        await shift_clock(pool, LEASE.total_seconds() + 1)
        assert [job.job_id for job in await claims_of(pool, instance=TWO).submits(9)] == [jobs[0], jobs[2], jobs[1]]


async def test_a_429_of_kie_stops_all_creates_for_a_while_and_loses_no_order(database: str) -> None:
    async with pool_of(database) as pool, running_kie() as kie, kie_client(kie.url) as provider:
        jobs = await bought(pool, *[1] * 5)
        kie.faults.arm(world="kie", method="createTask", action="too_many")
        (first,) = await claims_of(pool).submits(1)
        await submitter(pool, provider).submit(first)
        before = await writes(pool)
        with pytest.raises(NoRoom):
            await claims_of(pool).submits(9)
        assert await writes(pool) == before
        await shift_clock(pool, 75)
        for job in await claims_of(pool).submits(9):
            await submitter(pool, provider).submit(job)
        assert created(kie) == jobs


async def test_jobs_that_wait_behind_a_pause_for_a_day_are_given_up_and_paid_back(database: str) -> None:
    async with pool_of(database) as pool:
        (job_id,) = await bought(pool, 1)
        await budget.block(pool, CREATES, seconds=10 * 86_400, reason=paused_by(402))
        await shift_clock(pool, TIMES.timeout.total_seconds() + 1)
        provider = ToldProvider(creates=[TaskId("t-1")])
        for job in await claims_of(pool).submits(9):
            await submitter(pool, provider).submit(job)
        row = await row_of(pool, job_id)
        assert (row["status"], row["fail_code"], provider.created) == ("failed", "timeout", [])
        assert await money_of(pool, UserId(1)) == (PRICE, 0)


@pytest.mark.parametrize("users", [1, 10_000])
async def test_a_claim_among_ten_thousand_waiting_jobs_reads_only_the_first_of_them(database: str, users: int) -> None:
    async with pool_of(database) as pool, connection_of(database) as tx:
        (job_id,) = await bought(pool, 1)
        await pool.execute(TEN_THOUSAND_JOBS, job_id, users)
        try:
            await pool.execute("ANALYZE generation_jobs")
            async with tx.transaction():
                claimed = await claim_submits(OneSession(tx, BOT_ID), limit=19, lease=LEASE, instance=ONE)
                rows_read = await tx.fetchval(ROWS_READ)
            assert len(claimed) == 19
            assert rows_read < 500
        finally:
            await pool.execute("DELETE FROM generation_jobs WHERE job_id <> $1", job_id)
