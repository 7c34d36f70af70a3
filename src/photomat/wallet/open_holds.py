"""What a user's running orders set aside. For people; decides nothing.

Open holds belong to jobs on their way (invariant `open-hold-has-a-live-job`), so the few live jobs are read, never the past.
"""

from dataclasses import dataclass

from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.wallet.statement import PROMPT_SHOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenHold:
    """Money set aside for one order that is being made."""

    job_id: JobId
    amount: Money
    model: str
    prompt: str | None


async def open_holds(tx: Transaction, *, user_id: UserId) -> list[OpenHold]:
    """Every open hold of the user, newest first."""
    rows = await tx.fetch(
        """
        SELECT job_id, amount, held.currency, model, left(job.inputs ->> 'prompt', $2) AS prompt
          FROM generation_jobs AS job JOIN holds AS held USING (job_id) LEFT JOIN hold_closings USING (reference)
         WHERE job.user_id = $1 AND settled_at IS NULL AND closed_as IS NULL
         ORDER BY job_id DESC
        """,
        user_id,
        PROMPT_SHOWN,
    )
    return [
        OpenHold(
            job_id=JobId(row["job_id"]),
            amount=Money(row["amount"], row["currency"]),
            model=row["model"],
            prompt=row["prompt"],
        )
        for row in rows
    ]
