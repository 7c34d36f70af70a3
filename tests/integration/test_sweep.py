"""What nobody would ever touch again is found and re-armed; what waits for a person is left alone; money is never moved."""

import pytest

from photomat.audit.run import violations
from photomat.db.pool import Pool, transaction
from photomat.delivery.lock import rearm_stuck_cards
from photomat.jobs import store
from photomat.jobs.settle import Failure, Success
from photomat.jobs.sweep import (
    ReleaseOutcome,
    find_loose_holds,
    rearm_stuck_jobs,
    release_loose_hold,
    report_loose_holds,
)
from photomat.jobs.timeline import events_of
from photomat.kernel.ids import JobId, UserId
from photomat.operators import actions
from photomat.operators.actions import journal_of_job
from photomat.wallet import ledger
from support.database import connection_of, pool_of, shift_clock
from support.jobs import (
    LEASE,
    ONE,
    PRICE,
    SUCCESS,
    TIMES,
    TWO,
    URL,
    a_done_job,
    a_job,
    a_running_job,
    a_user,
    claim_look,
    claim_looks,
    claim_submit,
    claim_submits,
    lock_cards,
    money_of,
    row_of,
    settle_now,
)
from support.logs import logged
from support.money import rub
from support.steps import BALANCE, look, nothing_due

ME = "cli:anna@desk"


async def forget(pool: Pool, job_id: JobId, due_at: str | None = None) -> None:
    """What a mistake of ours would do: the job has no next step."""
    await pool.execute("UPDATE generation_jobs SET due_at = $2::text::timestamptz WHERE job_id = $1", job_id, due_at)


# jobs without a next step


@pytest.mark.parametrize("due_at", [None, "infinity"])
async def test_a_forgotten_submit_is_submitted(database: str, due_at: str | None) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        await forget(pool, job_id, due_at)
        assert await claim_submits(pool, limit=9, lease=LEASE, instance=ONE) == []
        with logged() as lines:
            assert await rearm_stuck_jobs(pool) == 1
            assert await rearm_stuck_jobs(pool) == 0
        assert [(line["event"], line["what"], line["jobs"]) for line in lines] == [("SWEPT", "jobs", str(job_id))]
        await claim_submit(pool, job_id)
        assert [event.tag for event in await events_of(pool, job_id)][-1] == "rearmed"


async def test_a_forgotten_look_is_taken_and_ends_well(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await forget(pool, job_id)
        await shift_clock(pool, 60)
        assert await nothing_due(pool)
        await rearm_stuck_jobs(pool)
        assert (await look(pool, job_id, SUCCESS))["status"] == "done"


async def test_a_forgotten_intent_is_looked_at_and_never_submitted(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        job = await claim_submit(pool, job_id)
        async with transaction(pool) as tx:
            await store.record_intents(tx, [job], decide_after=[TIMES.overdue_of("image")])
            await store.record_unknown(tx, job, error="lost")
        await forget(pool, job_id)
        assert await rearm_stuck_jobs(pool) == 1
        assert await claim_submits(pool, limit=9, lease=LEASE, instance=TWO) == []
        await claim_look(pool, job_id)


async def test_stopped_settled_claimed_and_planned_jobs_are_left_alone(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        planned = await a_running_job(pool, user, task_id="t-1")
        done = await a_done_job(pool, user)
        await settle_now(pool, await a_running_job(pool, user, task_id="t-2"), Failure(code="kie-500"))
        stopped = await a_running_job(pool, user, task_id="t-3")
        claimed = await a_running_job(pool, user, task_id="t-4")
        await shift_clock(pool, 3)
        for job in await claim_looks(pool, limit=9, lease=LEASE, instance=ONE):
            async with transaction(pool) as tx:
                if job.job_id == stopped:
                    assert await store.record_stopped(tx, job, error="ours")
        await forget(pool, claimed)
        before = [await row_of(pool, job_id) for job_id in (planned, done, stopped, claimed)]
        assert (await rearm_stuck_jobs(pool), await rearm_stuck_cards(pool)) == (0, 0)
        assert [await row_of(pool, job_id) for job_id in (planned, done, stopped, claimed)] == before


async def test_a_job_in_somebodys_hands_is_passed_over_and_not_waited_for(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as other:
        job_id = await a_job(pool, await a_user(pool))
        await forget(pool, job_id)
        async with other.transaction():
            await other.execute("SELECT 1 FROM generation_jobs WHERE job_id = $1 FOR UPDATE", job_id)
            assert await rearm_stuck_jobs(pool) == 0
        assert await rearm_stuck_jobs(pool) == 1


# cards nobody would show


async def test_a_card_due_never_is_due_again_unless_it_waits_for_a_person(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        forgotten, parked, blocked = [await a_done_job(pool, user) for _ in range(3)]
        await pool.execute("UPDATE generation_jobs SET deliver_at = 'infinity'")
        await pool.execute("UPDATE generation_jobs SET parked_at = photomat_now() WHERE job_id = $1", parked)
        await pool.execute("UPDATE generation_jobs SET undeliverable_at = photomat_now() WHERE job_id = $1", blocked)
        assert await lock_cards(pool) == []
        assert await rearm_stuck_cards(pool) == 1
        assert [card.job_id for card in await lock_cards(pool)] == [forgotten]


async def test_a_result_that_counts_as_shown_and_was_never_delivered_is_rendered_again(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        await pool.execute("UPDATE generation_jobs SET card_shown = card_wanted")
        assert await lock_cards(pool) == []
        assert await rearm_stuck_cards(pool) == 1
        assert [card.job_id for card in await lock_cards(pool)] == [job_id]
        assert await rearm_stuck_cards(pool) == 0


# holds without a live job


async def a_loose_hold(pool: Pool, user: UserId, status: str) -> str:
    """A job that was ended by hand in the database, beside its money."""
    job_id = await a_running_job(pool, user, task_id=f"loose-{status}")
    await pool.execute(
        "UPDATE generation_jobs SET status = $2, settled_at = photomat_now(), due_at = NULL WHERE job_id = $1",
        job_id,
        status,
    )
    return f"job:{job_id}"


@pytest.mark.breaks_invariants
async def test_a_loose_hold_is_shouted_about_again_and_again_and_its_money_is_not_moved(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        await a_running_job(pool, user)
        reference = await a_loose_hold(pool, user, "failed")
        async with transaction(pool) as tx:
            await ledger.hold(tx, user_id=user, amount=rub(5), reference="job:999", job_id=JobId(999))
        with logged() as lines:
            assert await report_loose_holds(pool) == 2
            assert await report_loose_holds(pool) == 2
        said = [(line["event"], line["reference"], line["status"]) for line in lines[:2]]
        assert said == [
            ("HOLD_WITHOUT_JOB", reference, "failed"),
            ("HOLD_WITHOUT_JOB", "job:999", "no such job"),
        ]
        assert await money_of(pool, user) == (BALANCE - 2 * PRICE - 5, 2 * PRICE + 5)


@pytest.mark.parametrize("status", ["failed", "canceled"])
async def test_a_loose_hold_is_released_by_an_operator_once_and_the_audit_is_content(
    database: str, status: str
) -> None:
    async with pool_of(database) as pool, connection_of(database) as auditor:
        user = await a_user(pool)
        reference = await a_loose_hold(pool, user, status)
        assert {one.name for one in await violations(auditor)} >= {"open-hold-has-a-live-job"}
        first = await actions.release_hold(pool, reference, operator=ME, reason="ticket 7")
        again = await actions.release_hold(pool, reference, operator=ME, reason="ticket 7")
        assert (first.done, again.done) == (True, False)
        assert await money_of(pool, user) == (BALANCE, 0)
        assert await find_loose_holds(pool) == []
        acts = await journal_of_job(pool, JobId(int(reference.removeprefix("job:"))))
        assert [(act.action, act.reason, act.done) for act in acts] == [
            ("release", "ticket 7", True),
            ("release", "ticket 7", False),
        ]


async def test_the_money_of_a_live_job_cannot_be_released_and_neither_can_what_does_not_exist(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        for reference, verdict in (
            (f"job:{job_id}", ReleaseOutcome.JOB_LIVES),
            ("job:999", ReleaseOutcome.NO_SUCH_HOLD),
        ):
            async with transaction(pool) as tx:
                assert await release_loose_hold(tx, reference) is verdict
            assert not (await actions.release_hold(pool, reference, operator=ME, reason="?")).done
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)
        await settle_now(pool, job_id, Success(urls=(URL,)))
        async with transaction(pool) as tx:
            assert await release_loose_hold(tx, f"job:{job_id}") is ReleaseOutcome.ENDED_BEFORE


@pytest.mark.breaks_invariants
async def test_the_price_of_a_picture_that_was_made_is_not_given_back_by_mistake(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        reference = await a_loose_hold(pool, user, "done")
        answer = await actions.release_hold(pool, reference, operator=ME, reason="?")
        assert not answer.done
        assert await money_of(pool, user) == (BALANCE - PRICE, PRICE)
