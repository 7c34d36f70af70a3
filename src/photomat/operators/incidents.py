"""What an operator does about an incident with one tap under its alert, with a row in the journal.

An incident is locked while an operator acts on it, and an action is not repeated within seconds: a double tap, or the same
tap of two operators, acts once. What each action does is idempotent besides: cards are edited, a job that moves is not
submitted again, an update is handled again only while it is parked.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Final, TypeAlias

from photomat.alerts.incident import AlertAction, known_kind
from photomat.alerts.response import Incident, acknowledge, ask_check, lock_incident
from photomat.alerts.rules import PARKED_WITHIN, jobs_of
from photomat.db.pool import Pool, Transaction
from photomat.delivery.lock import rearm_job
from photomat.inbox.lanes import parked_updates, unpark
from photomat.jobs.actions import retry_job
from photomat.jobs.claims import CREATES
from photomat.jobs.orphans import reconcile_orphans
from photomat.kernel.ids import ChatId, JobId
from photomat.operators.actions import ActionResult, journaled, write_journal
from photomat.texts.sentence import Sentence
from photomat.work import budget

AT_ONCE: Final = 100
"""So many jobs or updates are acted on by one tap."""
AGAIN_AFTER: Final = timedelta(seconds=10)
Act: TypeAlias = Callable[[Transaction, Incident], Awaitable[ActionResult]]


async def take_over(pool: Pool, incident_id: int, *, operator: str) -> ActionResult:
    """Record who looks after an incident; the first one stays."""

    async def act(tx: Transaction, incident: Incident) -> ActionResult:
        if await acknowledge(tx, incident_id, by=operator):
            return ActionResult(done=True, says=Sentence("incident-taken", number=incident_id))
        if incident.taken_by is not None:
            return ActionResult(done=False, says=Sentence("incident-taken-before", by=incident.taken_by))
        return ActionResult(done=False, says=Sentence("incident-over"))

    return await _act_once(pool, incident_id, AlertAction.TAKE, act, operator=operator)


async def check_now(pool: Pool, incident_id: int, *, operator: str, chat_id: ChatId) -> ActionResult:
    """Have the rule checked at once; the operator gets a message with what it finds."""

    async def act(tx: Transaction, incident: Incident) -> ActionResult:
        kind = known_kind(incident.kind)
        if kind is None:
            return ActionResult(done=False, says=Sentence("incident-unknown"))
        await ask_check(tx, kind, chat_id=chat_id)
        return ActionResult(done=True, says=Sentence("incident-checking"))

    return await _act_once(pool, incident_id, AlertAction.CHECK, act, operator=operator)


async def redeliver_all(pool: Pool, incident_id: int, *, operator: str) -> ActionResult:
    """Show the cards an incident is about again."""

    async def act(tx: Transaction, incident: Incident) -> ActionResult:
        jobs = [each for each in await jobs_of(tx, incident.kind, limit=AT_ONCE) if await rearm_job(tx, each)]
        says = Sentence("action-card-due")
        await _journal_jobs(tx, jobs, "redeliver", says, incident_id=incident_id, operator=operator)
        return ActionResult(done=bool(jobs), says=Sentence("incident-redelivered", count=len(jobs)))

    return await _act_once(pool, incident_id, AlertAction.REDELIVER, act, operator=operator)


async def retry_all(pool: Pool, incident_id: int, *, operator: str) -> ActionResult:
    """Let stopped jobs continue; one whose request is unanswered is never submitted again."""

    async def act(tx: Transaction, incident: Incident) -> ActionResult:
        found = await jobs_of(tx, incident.kind, limit=AT_ONCE)
        steps = {each: await retry_job(tx, each) for each in found}
        jobs = [each for each, step in steps.items() if step is not None and step.makes_due]
        await _journal_jobs(tx, jobs, "retry", Sentence("retry-looks"), incident_id=incident_id, operator=operator)
        says = Sentence("incident-retried", count=len(jobs), left=len(found) - len(jobs))
        return ActionResult(done=bool(jobs), says=says)

    return await _act_once(pool, incident_id, AlertAction.RETRY, act, operator=operator)


async def match_orphans(pool: Pool, incident_id: int, *, operator: str) -> ActionResult:
    """Look for the jobs of orphan callbacks once; safe beside the ACTIVE instance."""
    done = await reconcile_orphans(pool)

    async def act(_tx: Transaction, _incident: Incident) -> ActionResult:
        says = Sentence("action-reconciled", matched=done.matched, waiting=done.waiting)
        return ActionResult(done=True, says=says)

    return await _act_once(pool, incident_id, AlertAction.RECONCILE, act, operator=operator)


async def submit_now(pool: Pool, incident_id: int, *, operator: str) -> ActionResult:
    """Lift the pause after Kie's refusal: the next job asks Kie now, and a refusal pauses again."""

    async def act(tx: Transaction, _incident: Incident) -> ActionResult:
        lifted = await budget.unblock(tx, CREATES)
        return ActionResult(
            done=lifted, says=Sentence("incident-submitting") if lifted else Sentence("incident-not-paused")
        )

    return await _act_once(pool, incident_id, AlertAction.SUBMIT, act, operator=operator)


async def unpark_all(pool: Pool, incident_id: int, *, operator: str) -> ActionResult:
    """Have updates handled again that were parked lately; older ones may surprise their users."""

    async def act(tx: Transaction, _incident: Incident) -> ActionResult:
        found = await parked_updates(tx, within=PARKED_WITHIN, limit=AT_ONCE)
        count = sum([await unpark(tx, each) for each in found])
        return ActionResult(done=count > 0, says=Sentence("incident-unparked", count=count))

    return await _act_once(pool, incident_id, AlertAction.UNPARK, act, operator=operator)


ACTS: Final[Mapping[AlertAction, Callable[..., Awaitable[ActionResult]]]] = {
    AlertAction.TAKE: take_over,
    AlertAction.REDELIVER: redeliver_all,
    AlertAction.RETRY: retry_all,
    AlertAction.RECONCILE: match_orphans,
    AlertAction.SUBMIT: submit_now,
    AlertAction.UNPARK: unpark_all,
}
"""The actions of an alert that need nothing but the incident."""


async def _act_once(pool: Pool, incident_id: int, action: AlertAction, act: Act, *, operator: str) -> ActionResult:
    reference = f"alert:{incident_id}:{action}"

    async def attempt(tx: Transaction) -> ActionResult:
        incident = await lock_incident(tx, incident_id)
        if incident is None:
            return ActionResult(done=False, says=Sentence("incident-unknown"))
        if await _done_just_now(tx, reference):
            return ActionResult(done=False, says=Sentence("incident-just-done"))
        return await act(tx, incident)

    return await journaled(
        pool,
        attempt,
        action=f"alert {action}",
        operator=operator,
        reason=_reason(incident_id),
        reference=reference,
    )


async def _done_just_now(tx: Transaction, reference: str) -> bool:
    return bool(
        await tx.fetchval(
            """
            SELECT true FROM operator_journal
             WHERE reference = $1 AND done AND at > photomat_now() - $2::interval LIMIT 1
            """,
            reference,
            AGAIN_AFTER,
        )
    )


async def _journal_jobs(
    tx: Transaction, jobs: list[JobId], action: str, outcome: Sentence, *, incident_id: int, operator: str
) -> None:
    for job_id in jobs:
        await write_journal(
            tx,
            operator=operator,
            action=action,
            reason=_reason(incident_id),
            done=True,
            outcome=outcome,
            job_id=job_id,
        )


def _reason(incident_id: int) -> str:
    return f"alert #{incident_id}"
