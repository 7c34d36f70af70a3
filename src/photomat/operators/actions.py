"""What an operator may do to jobs (retry, redeliver, cancel, release a hold, reconcile orphans), and the operators' journal.

An action and its row in the journal (who did what, when, why, with which result) are one transaction; the row never changes.
A refused action is recorded too, with the reason.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.delivery.lock import rearm_job
from photomat.jobs.actions import NextStep, cancel_by_operator, owner_of_job, retry_job
from photomat.jobs.job import TERMINAL
from photomat.jobs.listing import waiting_orphans
from photomat.jobs.orphans import reconcile_orphans
from photomat.jobs.sweep import ReleaseOutcome, release_loose_hold
from photomat.kernel.ids import JobId, UserId
from photomat.texts.sentence import Sentence, recorded_sentence
from photomat.wallet import ledger

ORPHANS_SHOWN: Final = 1000
AGAIN: Final[Mapping[NextStep, Sentence]] = {
    NextStep.SUBMIT: Sentence("retry-submits"),
    NextStep.LOOK: Sentence("retry-looks"),
    NextStep.DONE_ALREADY: Sentence("retry-done-already"),
    NextStep.INTENT: Sentence("retry-intent"),
    NextStep.NO_TASK: Sentence("retry-no-task"),
}
RELEASES: Final[Mapping[ReleaseOutcome, Sentence]] = {
    ReleaseOutcome.RELEASED: Sentence("release-released"),
    ReleaseOutcome.NO_SUCH_HOLD: Sentence("release-no-such-hold"),
    ReleaseOutcome.ENDED_BEFORE: Sentence("release-ended-before"),
    ReleaseOutcome.JOB_LIVES: Sentence("release-job-lives"),
    ReleaseOutcome.OWED: Sentence("release-owed"),
}
NO_SUCH_JOB: Final = Sentence("action-no-such-job")


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """An action of an operator; `done` is False if it was refused."""

    at: datetime
    operator: str
    action: str
    job_id: JobId | None
    reason: str | None
    done: bool
    outcome: str
    user_id: UserId | None
    reference: str | None


async def write_journal(
    tx: Transaction,
    *,
    operator: str,
    action: str,
    reason: str | None,
    done: bool,
    outcome: Sentence,
    job_id: JobId | None = None,
    user_id: UserId | None = None,
    reference: str | None = None,
) -> None:
    """Write a row of the journal; one about a job names its customer too."""
    if user_id is None and job_id is not None:
        user_id = await owner_of_job(tx, job_id)
    await tx.execute(
        """
        INSERT INTO operator_journal (operator, action, job_id, reason, done, outcome, user_id, reference,
                                      outcome_key, outcome_facts)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        """,
        operator,
        action,
        job_id,
        reason,
        done,
        outcome.plain,
        user_id,
        reference,
        outcome.key,
        outcome.facts_as_json(),
    )


def recorded_outcome(row: Mapping[str, Any]) -> Sentence:
    """The outcome of a row of the journal; one of an older release has its English words alone."""
    return recorded_sentence(row["outcome"], row["outcome_key"], row["outcome_facts"])


async def journal_of_job(pool: Pool, job_id: JobId) -> list[JournalEntry]:
    return await _acts(pool, "job_id = $1", job_id)


async def journal_of_user(pool: Pool, user_id: UserId) -> list[JournalEntry]:
    return await _acts(pool, "user_id = $1", user_id)


async def _acts(pool: Pool, which: str, key: int) -> list[JournalEntry]:
    rows = await pool.fetch(
        f"""
        SELECT at, operator, action, job_id, reason, done, outcome, user_id, reference
          FROM operator_journal WHERE {which} ORDER BY entry_id
        """,  # noqa: S608  our own two conditions
        key,
    )
    return [JournalEntry(**dict(row)) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionResult:
    """The result of an action as a sentence; `done` is False if it was refused."""

    done: bool
    says: Sentence

    @property
    def sentence(self) -> str:
        """In English, for a terminal."""
        return self.says.plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """What one pass over the orphans did: those that found their job, the oldest of those that wait, and how many do."""

    matched: Sequence[Mapping[str, Any]]
    waiting: Sequence[Mapping[str, Any]]
    says: Sentence


async def retry(pool: Pool, job_id: JobId, *, operator: str, reason: str | None = None) -> ActionResult:
    """Poll or submit a job now; one with an unanswered request is never submitted again."""

    async def act(tx: Transaction) -> ActionResult:
        step = await retry_job(tx, job_id)
        if step is None:
            return ActionResult(done=False, says=NO_SUCH_JOB)
        return ActionResult(done=step.makes_due, says=AGAIN[step])

    return await journaled(pool, act, action="retry", job_id=job_id, operator=operator, reason=reason)


async def redeliver(pool: Pool, job_id: JobId, *, operator: str, reason: str | None = None) -> ActionResult:
    """Deliver a job's card again, also a parked or undeliverable one."""

    async def act(tx: Transaction) -> ActionResult:
        found = await rearm_job(tx, job_id)
        return ActionResult(done=found, says=Sentence("action-card-due") if found else NO_SUCH_JOB)

    return await journaled(pool, act, action="redeliver", job_id=job_id, operator=operator, reason=reason)


async def cancel(pool: Pool, job_id: JobId, *, operator: str, reason: str) -> ActionResult:
    """Cancel a live job and release its money; a later result is offered to the customer."""

    async def act(tx: Transaction) -> ActionResult:
        status = await cancel_by_operator(tx, job_id)
        if status is None:
            return ActionResult(done=False, says=NO_SUCH_JOB)
        if status in TERMINAL:
            return ActionResult(done=False, says=Sentence("action-settled", status=status))
        return ActionResult(done=True, says=Sentence("action-canceled"))

    return await journaled(pool, act, action="cancel", job_id=job_id, operator=operator, reason=reason)


async def release_hold(pool: Pool, reference: str, *, operator: str, reason: str) -> ActionResult:
    """Release a hold that no job will ever end; never that of a live job."""

    async def act(tx: Transaction) -> ActionResult:
        release = await release_loose_hold(tx, reference)
        says = Sentence("action-hold", reference=reference, outcome=RELEASES[release])
        return ActionResult(done=release is ReleaseOutcome.RELEASED, says=says)

    async with transaction(pool) as tx:
        job_id = await ledger.job_of_hold(tx, reference)
    return await journaled(pool, act, action="release", job_id=job_id, operator=operator, reason=reason)


async def reconcile(pool: Pool, *, operator: str) -> Reconciliation:
    """Reconcile orphans once; safe beside the ACTIVE instance."""
    done = await reconcile_orphans(pool)
    waiting = await waiting_orphans(pool, limit=ORPHANS_SHOWN)

    async def act(_tx: Transaction) -> ActionResult:
        return ActionResult(done=True, says=Sentence("action-reconciled", matched=done.matched, waiting=done.waiting))

    answer = await journaled(pool, act, action="reconcile", job_id=None, operator=operator, reason=None)
    return Reconciliation(matched=[asdict(match) for match in done.matches], waiting=waiting, says=answer.says)


async def journaled(
    pool: Pool,
    act: Callable[[Transaction], Awaitable[ActionResult]],
    *,
    action: str,
    operator: str,
    reason: str | None,
    job_id: JobId | None = None,
    user_id: UserId | None = None,
    reference: str | None = None,
) -> ActionResult:
    """Act and write the journal in one transaction."""
    async with transaction(pool) as tx:
        answer = await act(tx)
        await write_journal(
            tx,
            operator=operator,
            action=action,
            job_id=job_id,
            user_id=user_id,
            reference=reference,
            reason=reason,
            done=answer.done,
            outcome=answer.says,
        )
    return answer


async def forget_journal(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Take the words out of a batch of entries about a user, or that name them; who did what, and when, stays.

    Of the entry that had them forgotten only the reason goes. A trigger lets a transaction do this and nothing else to the
    journal, if it says so.
    """
    await tx.execute("SELECT set_config('photomat.forgetting', 'on', true)")
    gone = Sentence("journal-words-forgotten")
    rows = await tx.fetch(
        """
        UPDATE operator_journal
           SET reason = NULL, outcome = CASE WHEN action = 'forget' THEN outcome ELSE $3 END,
               outcome_key = CASE WHEN action = 'forget' THEN outcome_key ELSE $4 END,
               outcome_facts = CASE WHEN action = 'forget' THEN outcome_facts ELSE '{}' END
         WHERE entry_id = ANY (ARRAY(
               SELECT entry_id FROM operator_journal
                WHERE (user_id = $1
                       OR job_id IN (SELECT job_id FROM generation_jobs WHERE user_id = $1)
                       OR concat_ws(' ', reason, outcome) ILIKE
                          (SELECT '%@' || replace(username, '_', '\\_') || '%' FROM users
                            WHERE user_id = $1 AND username IS NOT NULL))
                  AND CASE WHEN action = 'forget' THEN reason IS NOT NULL ELSE outcome_key IS DISTINCT FROM $4 END
                ORDER BY entry_id LIMIT $2))
        RETURNING entry_id
        """,
        user_id,
        limit,
        gone.plain,
        gone.key,
    )
    return len(rows)
