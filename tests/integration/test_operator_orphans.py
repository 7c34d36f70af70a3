"""An operator gives an orphan to its job, closes one that is nobody's, and enters the task id that Kie's own log shows."""

import asyncio
from typing import Any

import pytest

from photomat.db.pool import Pool
from photomat.kernel.errors import OutcomeUnknown
from photomat.kernel.ids import JobId
from photomat.operators import orphans
from photomat.operators.actions import cancel
from photomat.reports.journal import JournalQuery, list_journal
from photomat.reports.orphans import count_waiting, list_orphans, uncertain_submits
from photomat.texts.sentence import Sentence
from support.database import pool_of
from support.jobs import (
    SUCCESS,
    ToldProvider,
    a_done_job,
    a_job,
    a_running_job,
    a_user,
    claim_look,
    claim_submit,
    money_of,
    row_of,
)
from support.steps import BALANCE, looker, submitter

ME: dict[str, Any] = {"operator": "console:anna", "reason": "seen in Kie's log"}
FROM_KIE = {"data": {"taskId": "task-x", "state": "success", "param": "https://us.example/kie/callback/1.ff", "n": 1}}


async def an_unknown_submit(pool: Pool, user: Any) -> JobId:
    job_id = await a_job(pool, user)
    provider = ToldProvider(creates=[OutcomeUnknown("no answer")])
    await submitter(pool, provider).submit(await claim_submit(pool, job_id))
    return job_id


async def an_orphan(pool: Pool, task_id: str = "task-x") -> int:
    orphan_id: int = await pool.fetchval(
        "INSERT INTO orphan_callbacks (task_id, payload, error) VALUES ($1, $2, 'no job has it') RETURNING orphan_id",
        task_id,
        FROM_KIE,
    )
    return orphan_id


async def test_an_attached_orphan_wakes_its_job_and_kie_decides(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await an_unknown_submit(pool, user)
        orphan_id = await an_orphan(pool)
        assert (await orphans.attach(pool, orphan_id, job_id, **ME)).done
        row = await row_of(pool, job_id)
        assert (row["status"], row["external_task_id"], row["woken_via"]) == ("running", "task-x", "callback")
        assert (await count_waiting(pool), await pool.fetchval("SELECT count(*) FROM callbacks")) == (0, 1)
        await looker(pool, ToldProvider(readings=[SUCCESS])).look(await claim_look(pool, job_id))
        assert (await row_of(pool, job_id))["status"] == "done"
        again = await orphans.attach(pool, orphan_id, job_id, **ME)
        assert (again.done, "done already" in again.sentence) == (False, True)
        (refused, done) = (await list_journal(pool, JournalQuery(reference=f"orphan:{orphan_id}"), limit=9)).lines
        assert (refused.done, done.done, done.job_id, done.reason) == (False, True, job_id, ME["reason"])


@pytest.mark.parametrize("where", ["nowhere", "not sent", "another task", "done"])
async def test_an_orphan_is_not_given_to_a_job_that_cannot_have_it(database: str, where: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = {
            "nowhere": JobId(987_654_321),
            "another task": await a_running_job(pool, user, task_id="task-1"),
            "done": await a_done_job(pool, user),
            "not sent": await a_job(pool, user),
        }
        orphan_id = await an_orphan(pool)
        assert not (await orphans.attach(pool, orphan_id, jobs[where], **ME)).done
        assert await count_waiting(pool) == 1
        assert await pool.fetchval("SELECT count(*) FROM callbacks") == 0


async def test_a_task_of_another_job_stays_there_also_when_both_are_entered_at_once(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = [await an_unknown_submit(pool, user) for _ in range(4)]
        answers = await asyncio.gather(*(orphans.enter_task(pool, job_id, "task-9", **ME) for job_id in jobs))
        assert sum(answer.done for answer in answers) == 1
        assert await pool.fetchval("SELECT count(*) FROM generation_jobs WHERE external_task_id = 'task-9'") == 1


async def test_a_task_id_from_kies_log_is_stored_once_and_looked_at(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await an_unknown_submit(pool, await a_user(pool))
        await an_orphan(pool, "task-9")
        assert [each.job_id for each in await uncertain_submits(pool, limit=9)] == [job_id]
        for nonsense in ("", "  ", "two words", "x" * 200):
            assert not (await orphans.enter_task(pool, job_id, nonsense, **ME)).done
        assert (await orphans.enter_task(pool, job_id, " task-9 ", **ME)).done
        assert not (await orphans.enter_task(pool, job_id, "task-10", **ME)).done
        assert (await uncertain_submits(pool, limit=9), await count_waiting(pool)) == ([], 0)
        await looker(pool, ToldProvider(readings=[SUCCESS])).look(await claim_look(pool, job_id))
        row = await row_of(pool, job_id)
        assert (row["status"], row["external_task_id"]) == ("done", "task-9")


async def test_giving_up_returns_the_money_and_a_dismissed_orphan_waits_no_more(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id, orphan_id = await an_unknown_submit(pool, user), await an_orphan(pool)
        assert (await cancel(pool, job_id, **ME)).done
        assert (await money_of(pool, user), await uncertain_submits(pool, limit=9)) == ((BALANCE, 0), [])
        assert (await orphans.dismiss(pool, orphan_id, **ME)).done
        assert not (await orphans.dismiss(pool, orphan_id, **ME)).done
        (line,) = (await list_orphans(pool, waiting=False, limit=9)).lines
        assert (line.orphan_id, line.why, line.state) == (orphan_id, Sentence("orphan-why-dismissed"), "success")
        assert "callback" not in str(line.payload), "a signed URL is never shown"
