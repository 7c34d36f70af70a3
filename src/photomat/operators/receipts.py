"""Approving and declining receipts of transfers, with the journal: the rules are in `payments.transfers`.

The decision, its payment and its row in the journal are one transaction; a refused attempt is in the journal too. Chat and
terminal decide by these same functions.
"""

from collections.abc import Awaitable, Callable

from photomat.db.pool import Pool, Transaction, transaction
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.operators import journal
from photomat.payments import transfers
from photomat.payments.transfers import DecisionResult

log = get_logger()


async def approve_receipt(
    pool: Pool,
    receipt_id: int,
    *,
    operator: str,
    most: Money,
    minor: int | None = None,
    reason: str | None = None,
    anyway: bool = False,
) -> DecisionResult:
    async def act(tx: Transaction) -> DecisionResult:
        return await transfers.approve(
            tx, receipt_id, operator=operator, most=most, minor=minor, reason=reason, anyway=anyway
        )

    return await _decide(pool, act, "approve receipt", receipt_id, operator=operator, reason=reason)


async def decline_receipt(pool: Pool, receipt_id: int, *, operator: str, reason: str) -> DecisionResult:
    on_one_line = " ".join(reason.split())

    async def act(tx: Transaction) -> DecisionResult:
        return await transfers.decline(tx, receipt_id, operator=operator, reason=on_one_line)

    return await _decide(pool, act, "decline receipt", receipt_id, operator=operator, reason=on_one_line)


async def _decide(
    pool: Pool,
    act: Callable[[Transaction], Awaitable[DecisionResult]],
    action: str,
    receipt_id: int,
    *,
    operator: str,
    reason: str | None,
) -> DecisionResult:
    async with transaction(pool) as tx:
        result = await act(tx)
        await journal.write(
            tx,
            operator=operator,
            action=action,
            reason=reason,
            done=result.done,
            outcome=result.sentence,
            user_id=result.receipt.user_id if result.receipt else None,
            reference=f"receipt:{receipt_id}",
        )
        failpoint("payment.before_commit")
    failpoint("payment.after_commit")
    log.info("RECEIPT_RULED", receipt_id=receipt_id, ruling=result.ruling, operator=operator)
    return result
