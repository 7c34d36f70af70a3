"""The operators' journal: who did what, when, why, with which result. Written in the action's transaction, never changed."""

from dataclasses import dataclass
from datetime import datetime

from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import JobId, UserId


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


async def write(
    tx: Transaction,
    *,
    operator: str,
    action: str,
    reason: str | None,
    done: bool,
    outcome: str,
    job_id: JobId | None = None,
    user_id: UserId | None = None,
    reference: str | None = None,
) -> None:
    await tx.execute(
        """
        INSERT INTO operator_journal (operator, action, job_id, reason, done, outcome, user_id, reference)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        """,
        operator,
        action,
        job_id,
        reason,
        done,
        outcome,
        user_id,
        reference,
    )


async def acts_on(pool: Pool, job_id: JobId) -> list[JournalEntry]:
    """The actions on a job, oldest first."""
    return await _acts(pool, "job_id = $1", job_id)


async def acts_with_money_of(pool: Pool, user_id: UserId) -> list[JournalEntry]:
    """The actions on a user's money, oldest first."""
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
