"""What an operator does to a job: it does what it says, refuses what would be wrong, and is in the journal either way."""

import asyncio
from typing import Any

import asyncpg
import pytest

from photomat.db.pool import Pool, transaction
from photomat.delivery import lock
from photomat.jobs import store
from photomat.jobs.callback import KieCallback, update_from_callback
from photomat.jobs.job import hold_reference
from photomat.jobs.settle import Settled, Success
from photomat.jobs.timeline import events_of
from photomat.kernel.errors import OutcomeUnknown
from photomat.kernel.ids import JobId, TaskId
from photomat.operators import actions
from photomat.operators.actions import journal_of_job, journal_of_user
from support.database import pool_of, shift_clock
from support.jobs import (
    LEASE,
    PRICE,
    SUCCESS,
    TIMES,
    TWO,
    URL,
    ToldProvider,
    a_done_job,
    a_job,
    a_running_job,
    a_user,
    claim_look,
    claim_submit,
    claim_submits,
    lock_card,
    lock_cards,
    money_of,
    row_of,
    settle_now,
)
from support.steps import BALANCE, look, nothing_due, submitter

ME = "cli:anna@desk"


async def an_unknown_submit(pool: Pool, user: Any) -> JobId:
    job_id = await a_job(pool, user)
    provider = ToldProvider(creates=[OutcomeUnknown("no answer")])
    await submitter(pool, provider).submit(await claim_submit(pool, job_id))
    return job_id


async def test_a_waiting_job_is_submitted_now(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        job = await claim_submit(pool, job_id)
        async with transaction(pool) as tx:
            await store.return_to_pending(tx, job, after=TIMES.timeout, error="paused")
        assert await claim_submits(pool, limit=9, lease=LEASE, instance=TWO) == []
        assert (await actions.retry(pool, job_id, operator=ME)).done
        await claim_submit(pool, job_id, instance=TWO)


async def test_an_intent_is_never_submitted_again(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await an_unknown_submit(pool, await a_user(pool))
        before = await row_of(pool, job_id)
        answer = await actions.retry(pool, job_id, operator=ME, reason="the customer asks")
        assert not answer.done
        assert "could pay twice" in answer.sentence
        assert await row_of(pool, job_id) == before
        assert await claim_submits(pool, limit=9, lease=LEASE, instance=TWO) == []
        (entry,) = await journal_of_job(pool, job_id)
        assert (entry.operator, entry.action, entry.reason, entry.done) == (ME, "retry", "the customer asks", False)


async def test_a_running_job_is_looked_at_now(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        assert await nothing_due(pool)
        assert (await actions.retry(pool, job_id, operator=ME)).done
        row = await look(pool, job_id, SUCCESS)
        assert row["status"] == "done"


async def test_a_retry_takes_no_claim_away(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await shift_clock(pool, 3)
        await claim_look(pool, job_id)
        assert (await actions.retry(pool, job_id, operator=ME)).done
        assert await nothing_due(pool)


async def test_a_failed_job_is_looked_at_once_more_and_a_late_success_is_a_gift(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await look(pool, job_id, None, after_s=TIMES.timeout.total_seconds())
        assert (await row_of(pool, job_id))["status"] == "failed"
        assert (await actions.retry(pool, job_id, operator=ME)).done
        row = await look(pool, job_id, SUCCESS)
        assert (row["status"], row["gift"]) == ("done", True)
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_a_stopped_job_goes_on(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await pool.execute(
            "UPDATE generation_jobs SET stopped_at = photomat_now(), due_at = NULL, card_shown = card_wanted"
        )
        assert (await actions.retry(pool, job_id, operator=ME)).done
        row = await row_of(pool, job_id)
        assert (row["stopped_at"], row["card_wanted"] - row["card_shown"]) == (None, 1)
        assert (await look(pool, job_id, SUCCESS))["status"] == "done"


async def test_a_done_job_is_not_retried(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        answer = await actions.retry(pool, job_id, operator=ME)
        assert (answer.done, "redeliver" in answer.sentence) == (False, True)


@pytest.mark.parametrize("trouble", [lock.park, lock.mark_undeliverable])
async def test_a_card_nobody_could_show_is_due_again(database: str, trouble: Any) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        async with transaction(pool) as tx:
            assert await trouble(tx, await lock_card(pool, job_id), error="no")
        assert await lock_cards(pool) == []
        assert (await actions.redeliver(pool, job_id, operator=ME)).done
        card = await lock_card(pool, job_id)
        assert card.attempts == 1
        assert (await events_of(pool, job_id))[-2].detail == {"by": "operator"}


async def test_a_delivered_card_is_shown_again_and_a_held_lock_stays(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        card = await lock_card(pool, job_id)
        assert (await actions.redeliver(pool, job_id, operator=ME)).done
        assert await lock_cards(pool, instance=TWO) == [], "somebody is editing it"
        async with transaction(pool) as tx:
            assert await lock.mark_delivered(tx, card, ring_kind="done", repeat_later=False)
        again = await lock_card(pool, job_id, instance=TWO)
        assert (again.delivered, again.first_result) == (True, False)


async def test_canceling_gives_the_money_back_and_a_late_result_is_offered(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)
        answer = await actions.cancel(pool, job_id, operator=ME, reason="Kie lost it")
        assert answer.done
        assert await money_of(pool, user) == (BALANCE, 0)
        assert await settle_now(pool, job_id, Success(urls=(URL,))) is Settled.OFFERED
        assert await money_of(pool, user) == (BALANCE, 0)
        assert (await journal_of_job(pool, job_id))[0].reason == "Kie lost it"


async def test_canceling_an_unknown_submit_gives_the_money_back(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await an_unknown_submit(pool, user)
        assert (await actions.cancel(pool, job_id, operator=ME, reason="enough")).done
        assert await money_of(pool, user) == (BALANCE, 0)


async def test_a_settled_job_is_not_canceled(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_done_job(pool, user)
        answer = await actions.cancel(pool, job_id, operator=ME, reason="a complaint")
        assert (answer.done, "done already" in answer.sentence) == (False, True)
        assert await money_of(pool, user) == (BALANCE - PRICE, 0)


async def test_a_cancel_and_a_success_at_once_end_in_one_of_both(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        jobs = [await a_running_job(pool, user, task_id=f"t-{number}") for number in range(8)]
        await asyncio.gather(
            *(settle_now(pool, job_id, Success(urls=(URL,))) for job_id in jobs),
            *(actions.cancel(pool, job_id, operator=ME, reason="race") for job_id in reversed(jobs)),
        )
        rows = [await row_of(pool, job_id) for job_id in jobs]
        charged = sum(row["status"] == "done" for row in rows)
        assert {row["status"] for row in rows} <= {"done", "canceled"}
        assert await money_of(pool, user) == (BALANCE - charged * PRICE, 0)


async def test_one_pass_over_the_orphans_says_what_matched_and_what_waits(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool), task_id="t-known")
        await _orphan(pool, "t-known", before=True)
        await _orphan(pool, "t-stranger")
        done = await actions.reconcile(pool, operator=ME)
        assert [(one["task_id"], one["job_id"]) for one in done.matched] == [("t-known", job_id)]
        assert [one["task_id"] for one in done.waiting] == ["t-stranger"]
        assert (await claim_look(pool, job_id)).woken_via == "orphan"
        assert await pool.fetchval("SELECT outcome FROM operator_journal") == "1 matched, 1 wait."
        assert (await events_of(pool, job_id))[-1].detail == {"via": "orphan", "task_id": "t-known"}


async def test_a_job_nobody_knows_is_refused_and_kept(database: str) -> None:
    async with pool_of(database) as pool:
        for act in (actions.retry, actions.redeliver):
            assert not (await act(pool, JobId(404), operator=ME)).done
        assert not (await actions.cancel(pool, JobId(404), operator=ME, reason="?")).done
        assert [entry.action for entry in await journal_of_job(pool, JobId(404))] == ["retry", "redeliver", "cancel"]


async def test_what_was_done_to_a_job_is_in_the_journal_of_its_customer(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_job(pool, user)
        await actions.retry(pool, job_id, operator=ME)
        await actions.redeliver(pool, job_id, operator=ME)
        await actions.cancel(pool, job_id, operator=ME, reason="asked")
        await actions.release_hold(pool, hold_reference(job_id), operator=ME, reason="asked")
        done = [(entry.action, entry.job_id) for entry in await journal_of_user(pool, user)]
        assert done == [(action, job_id) for action in ("retry", "redeliver", "cancel", "release")]


async def test_the_journal_is_only_added_to(database: str) -> None:
    async with pool_of(database) as pool:
        await actions.reconcile(pool, operator=ME)
        with pytest.raises(asyncpg.RestrictViolationError, match="only ever added to"):
            await pool.execute("DELETE FROM operator_journal")


async def _orphan(pool: Pool, task_id: str, *, before: bool = False) -> None:
    """A callback nobody could place; `before` its job knew its task."""
    async with transaction(pool) as tx:
        if before:
            await tx.execute("UPDATE generation_jobs SET external_task_id = NULL WHERE external_task_id = $1", task_id)
        payload = {"data": {"taskId": task_id, "state": "success"}}
        body = task_id.encode()
        await update_from_callback(tx, [KieCallback(job_id=None, task_id=TaskId(task_id), payload=payload, body=body)])
        if before:
            await tx.execute("UPDATE generation_jobs SET external_task_id = $1", task_id)
