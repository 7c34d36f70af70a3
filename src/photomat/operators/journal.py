"""The operators' journal: who did what, when, why, and what came of it. In the act's own transaction, never changed."""

from dataclasses import dataclass
from datetime import datetime

from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import JobId


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One act of an operator; `done` is False where it was refused."""

    at: datetime
    operator: str
    action: str
    job_id: JobId | None
    reason: str | None
    done: bool
    outcome: str


async def write(
    tx: Transaction, *, operator: str, action: str, job_id: JobId | None, reason: str | None, done: bool, outcome: str
) -> None:
    """Keep what an operator did."""
    await tx.execute(
        """
        INSERT INTO operator_journal (operator, action, job_id, reason, done, outcome) VALUES ($1, $2, $3, $4, $5, $6)
        """,
        operator,
        action,
        job_id,
        reason,
        done,
        outcome,
    )


async def acts_on(pool: Pool, job_id: JobId) -> list[Entry]:
    """What operators did to a job, oldest first."""
    rows = await pool.fetch(
        """
        SELECT at, operator, action, job_id, reason, done, outcome
          FROM operator_journal WHERE job_id = $1 ORDER BY entry_id
        """,
        job_id,
    )
    return [Entry(**dict(row)) for row in rows]
