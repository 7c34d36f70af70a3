"""What an operator may do with a receipt: approve it, which credits it, or decline it. Once, by whoever comes first.

The decision, the payment, the news of it and the journal are one transaction, under the lock of the receipt and of every
receipt like it. Chat, terminal and console decide by these same verbs; refused acts are in the journal too.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.operators import journal
from photomat.payments import transfer_notices, transfers
from photomat.payments.receive import IncomingPayment, receive_payment
from photomat.payments.topup import close_topup
from photomat.payments.transfers import DuplicateReceipt, Receipt, ReceiptState

MOST_REASON: Final = 300
log = get_logger()


class Decision(StrEnum):
    """What came of an attempt to decide."""

    APPROVED = "approved"
    DECLINED = "declined"
    DECIDED_BEFORE = "decided-before"
    TWIN_CREDITED = "twin-credited"
    BAD_SUM = "bad-sum"
    BAD_REASON = "bad-reason"
    NO_SUCH = "no-such"


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionResult:
    """The ruling, in a sentence too; the receipt as it stands now, and the credited twin that stood in the way."""

    ruling: Decision
    sentence: str
    receipt: Receipt | None = None
    twin: DuplicateReceipt | None = None

    @property
    def done(self) -> bool:
        """Whether this attempt decided it."""
        return self.ruling in {Decision.APPROVED, Decision.DECLINED}


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
    """Credit a receipt: its own sum or `minor`, up to `most`; one whose twin was credited only when asked for `anyway`."""

    async def act(tx: Transaction) -> DecisionResult:
        receipt = await transfers.lock_receipt(tx, receipt_id)
        if receipt is None or receipt.state is not ReceiptState.WAITING:
            return _too_late(receipt_id, receipt)
        credited = receipt.amount if minor is None else Money(minor, receipt.amount.currency)
        if not 0 < credited.minor <= most.minor or credited.currency != most.currency:
            return DecisionResult(
                ruling=Decision.BAD_SUM,
                receipt=receipt,
                sentence=f"{credited} is not a sum up to {most}: not credited.",
            )
        twin = next(
            (one for one in await transfers.duplicates_of(tx, receipt) if one.state is ReceiptState.APPROVED), None
        )
        if twin is not None and not anyway:
            return DecisionResult(
                ruling=Decision.TWIN_CREDITED, receipt=receipt, twin=twin, sentence=_duplicate_sentence(twin)
            )
        return await _credit(tx, receipt, credited, operator=operator, reason=reason)

    return await _decide(pool, act, "approve receipt", receipt_id, operator=operator, reason=reason)


async def decline_receipt(pool: Pool, receipt_id: int, *, operator: str, reason: str) -> DecisionResult:
    """Credit nothing and tell the user why; `reason` is one of the usual ones by name, or words of the operator's."""
    said = " ".join(reason.split())

    async def act(tx: Transaction) -> DecisionResult:
        receipt = await transfers.lock_receipt(tx, receipt_id)
        if receipt is None or receipt.state is not ReceiptState.WAITING:
            return _too_late(receipt_id, receipt)
        if not 0 < len(said) <= MOST_REASON:
            return DecisionResult(
                ruling=Decision.BAD_REASON, receipt=receipt, sentence=f"A reason has 1 to {MOST_REASON} characters."
            )
        declined = await transfers.mark_declined(tx, receipt_id, by=operator, reason=said)
        await close_topup(tx, topup_id=receipt.topup_id, user_id=receipt.user_id)
        await transfer_notices.tell_declined(tx, declined)
        return DecisionResult(
            ruling=Decision.DECLINED, receipt=declined, sentence="Declined, nothing was credited; the user is told why."
        )

    return await _decide(pool, act, "decline receipt", receipt_id, operator=operator, reason=said)


async def _credit(
    tx: Transaction, receipt: Receipt, credited: Money, *, operator: str, reason: str | None
) -> DecisionResult:
    arrived = IncomingPayment(
        provider="transfer",
        external_id=f"receipt:{receipt.receipt_id}",
        user_id=receipt.user_id,
        topup_id=receipt.topup_id,
        paid=credited,
        worth=credited,
        paid_at=receipt.created_at,
        via="operator",
        expected=credited,
    )
    await receive_payment(tx, arrived)
    approved = await transfers.mark_approved(tx, receipt.receipt_id, by=operator, credited=credited, reason=reason)
    return DecisionResult(
        ruling=Decision.APPROVED,
        receipt=approved,
        sentence=f"{credited} credited to user {receipt.user_id}; they are told.",
    )


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
        ruled = await act(tx)
        await journal.write(
            tx,
            operator=operator,
            action=action,
            reason=reason,
            done=ruled.done,
            outcome=ruled.sentence,
            user_id=ruled.receipt.user_id if ruled.receipt else None,
            reference=f"receipt:{receipt_id}",
        )
        failpoint("payment.before_commit")
    failpoint("payment.after_commit")
    log.info("RECEIPT_RULED", receipt_id=receipt_id, ruling=ruled.ruling, operator=operator)
    return ruled


def _too_late(receipt_id: int, receipt: Receipt | None) -> DecisionResult:
    if receipt is None:
        return DecisionResult(
            ruling=Decision.NO_SUCH, sentence=f"There is no receipt {receipt_id}; `receipts list` shows them."
        )
    what = f"approved with {receipt.credited}" if receipt.credited else f"declined ({receipt.reason})"
    return DecisionResult(
        ruling=Decision.DECIDED_BEFORE,
        receipt=receipt,
        sentence=f"It was {what} by {receipt.decided_by} at {receipt.decided_at:%Y-%m-%d %H:%M} UTC; nothing was done again.",
    )


def _duplicate_sentence(twin: DuplicateReceipt) -> str:
    what = "file" if twin.same_file else "reference"
    return (
        f"Receipt {twin.receipt_id} of user {twin.user_id} has the same {what} and was credited: not credited again."
        " If it really is another transfer, approve it with --anyway."
    )
