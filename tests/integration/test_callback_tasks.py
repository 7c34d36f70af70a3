"""Whose task a callback speaks of: adopted, answered, disputed, or nobody's yet."""

import asyncio

import pytest

from photomat.db.pool import Pool, transaction
from photomat.jobs import store
from photomat.jobs.orphans import reconcile_orphans
from photomat.kernel.errors import OutcomeUnknown
from photomat.kernel.ids import JobId, TaskId
from support.callbacks import callback, orphans, take
from support.database import pool_of, shift_clock
from support.jobs import (
    LEASE,
    ONE,
    SUCCESS,
    TIMES,
    ToldProvider,
    a_done_job,
    a_job,
    a_running_job,
    a_user,
    claim_look,
    claim_looks,
    claim_submit,
    claim_submits,
    row_of,
)
from support.logs import logged
from support.steps import looker, submitter

HOUR_S = 3600


async def submit(pool: Pool, job_id: JobId, answer: TaskId | Exception) -> None:
    await submitter(pool, ToldProvider(creates=[answer])).submit(await claim_submit(pool, job_id))


async def test_a_callback_brings_the_task_id_to_a_job_whose_answer_was_lost(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        await submit(pool, job_id, OutcomeUnknown("lost"))
        await take(pool, callback(job_id, "t-1"))
        row = await row_of(pool, job_id)
        assert (row["status"], row["external_task_id"], row["leased_until"]) == ("running", "t-1", None)
        provider = ToldProvider(readings=[SUCCESS])
        await looker(pool, provider).look(await claim_look(pool, job_id))
        assert provider.asked == ["t-1"]
        assert (await row_of(pool, job_id))["status"] == "done"


async def test_a_callback_before_its_own_create_reply_is_adopted_and_the_reply_wins(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        job = await claim_submit(pool, job_id)
        async with transaction(pool) as tx:
            assert await store.record_intents(tx, [job], decide_after=[TIMES.overdue_of("image")])
        await take(pool, callback(job_id, "t-early"))
        assert (await row_of(pool, job_id))["external_task_id"] == "t-early"
        async with transaction(pool) as tx:
            await store.record_tasks(tx, {job_id: TaskId("t-reply")}, look_after=TIMES.poll_first)
        row = await row_of(pool, job_id)
        assert (row["external_task_id"], row["status"], row["woken_via"]) == ("t-reply", "running", "callback")
        assert len(await claim_looks(pool, limit=9, lease=LEASE, instance=ONE)) == 1, "still woken"


async def test_a_job_adopted_while_pending_is_not_submitted(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        job = await claim_submit(pool, job_id)
        await take(pool, callback(job_id, "t-1"))
        async with transaction(pool) as tx:
            assert not await store.record_intents(tx, [job], decide_after=[TIMES.overdue_of("image")])
        assert await claim_submits(pool, limit=9, lease=LEASE, instance=ONE) == []


async def test_a_callback_whose_task_is_not_the_jobs_becomes_an_orphan(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        before = await row_of(pool, job_id)
        with logged() as lines:
            await take(pool, callback(job_id, "t-other"))
        assert await row_of(pool, job_id) == before
        assert await orphans(pool) == [("t-other", f"job {job_id} has another task", False)]
        assert [line["log_level"] for line in lines if line["event"] == "ORPHAN_CALLBACK"] == ["warning"]


async def test_a_task_that_belongs_to_another_job_is_not_adopted(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        owner = await a_running_job(pool, user, task_id="t-1")
        other = await a_job(pool, user)
        await submit(pool, other, OutcomeUnknown("lost"))
        await take(pool, callback(other, "t-1"))
        assert (await row_of(pool, owner))["external_task_id"] == "t-1"
        assert (await row_of(pool, other))["external_task_id"] is None
        assert await orphans(pool) == [("t-1", "another job has this task", False)]


async def test_a_callback_for_no_job_is_kept_once(database: str) -> None:
    async with pool_of(database) as pool:
        one = callback(999, "t-1")
        await take(pool, one, one)
        assert await orphans(pool) == [("t-1", "no such job", False)]


async def test_an_orphan_is_matched_when_its_task_becomes_known(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        await take(pool, callback(None, "t-1"))
        assert await orphans(pool) == [("t-1", "no job has this task", False)]
        await submit(pool, job_id, TaskId("t-1"))
        assert (await orphans(pool))[0][2]
        assert (await claim_look(pool, job_id)).woken_via == "orphan"


async def test_orphans_are_matched_every_minute_and_only_wake_the_job(database: str) -> None:
    async with pool_of(database) as pool:
        await take(pool, callback(None, "task-1"), callback(None, "t-nobody"))
        job_id = await a_running_job(pool, await a_user(pool), task_id="task-1")
        found = await reconcile_orphans(pool)
        assert (found.matched, found.waiting) == (1, 1)
        row = await row_of(pool, job_id)
        assert (row["status"], row["woken_via"]) == ("running", "orphan")
        again = await reconcile_orphans(pool)
        assert (again.matched, again.waiting) == (0, 1)
        assert await pool.fetchval("SELECT count(*) FROM orphan_callbacks") == 2, "kept for ever"


async def test_an_orphan_of_a_done_job_is_closed_and_wakes_nobody(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        before = await row_of(pool, job_id)
        await pool.execute(
            "INSERT INTO orphan_callbacks (task_id, payload) VALUES ($1, '{}')", before["external_task_id"]
        )
        assert (await reconcile_orphans(pool)).matched == 1
        assert await row_of(pool, job_id) == before


async def test_two_actives_reconciling_at_once_match_once(database: str) -> None:
    async with pool_of(database) as pool:
        await take(pool, *(callback(None, f"t-{n}") for n in range(5)))
        user = await a_user(pool)
        for n in range(5):
            await a_running_job(pool, user, task_id=f"t-{n}")
        passes = await asyncio.gather(*(reconcile_orphans(pool) for _ in range(4)))
        assert sum(one.matched for one in passes) == 5


async def test_an_orphan_is_shouted_about_after_an_hour_and_once(database: str) -> None:
    async with pool_of(database) as pool:
        await take(pool, callback(None, "t-1"))
        with logged() as lines:
            await reconcile_orphans(pool)
            assert [line for line in lines if line["log_level"] == "error"] == []
            await shift_clock(pool, HOUR_S + 1)
            await reconcile_orphans(pool)
            await reconcile_orphans(pool)
        shouts = [line for line in lines if line["log_level"] == "error"]
        assert [(line["event"], line["task_id"]) for line in shouts] == [("ORPHAN_CALLBACK", "t-1")]


@pytest.mark.parametrize("task_id", ["task-1", None], ids=["by task", "unknown"])
async def test_a_job_is_found_by_its_task(database: str, task_id: str | None) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool), task_id="task-1")
        found = await store.find_job_by_task_id(pool, task_id or "nobody")
        assert found == (job_id if task_id else None)
