"""Asks providers for wanted refunds until they answer; every way is idempotent by the refund's key.

Killed anywhere: the lease expires and the provider is asked once more; "already refunded" is success. A clear no puts the money
back into the wallet and notifies the payer; the invoice is polled again then, because it may have been refunded elsewhere.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, TypeAlias

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row
from photomat.kernel.clock import backoff_s
from photomat.kernel.errors import Corrupt, OutcomeUnknown, PhotomatError, Rejected, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.payments import notices
from photomat.payments.invoices import look_again
from photomat.payments.payment import Payment, find_payment, lock_payment
from photomat.payments.refunds import end_refund, finish, put_back_reference
from photomat.wallet import ledger

REFUNDS_DUE: Final = "SELECT 1 FROM payment_refunds WHERE due_at <= photomat_now()"
LEASE: Final = timedelta(seconds=60)
FIRST_RETRY_S: Final = 5.0
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRefund:
    """A claimed refund: `amount` left the wallet, `paid` goes back to the payer."""

    refund_id: int
    payment: Payment
    key: str
    amount: Money
    paid: Money
    attempts: int


RefundCall: TypeAlias = Callable[[ClaimedRefund], Awaitable[None]]
"""Asks a provider; returns if it is refunded, also if it was before. `Rejected` is a clear no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refunder:
    pool: Pool
    ways: Mapping[str, RefundCall]

    async def claim(self, limit: int) -> list[ClaimedRefund]:
        rows = await self.pool.fetch(
            """
            WITH due AS MATERIALIZED (
                SELECT refund_id FROM payment_refunds WHERE due_at <= photomat_now()
                   AND (SELECT photomat_our_bot($3)) IS NOT NULL
                 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
            UPDATE payment_refunds AS refund SET due_at = photomat_now() + $2::interval, attempts = refund.attempts + 1
              FROM due
             WHERE refund.refund_id = due.refund_id
            RETURNING refund.refund_id, refund.payment_id, refund.key, refund.amount, refund.paid_amount, refund.attempts
            """,
            limit,
            LEASE,
            self.pool.bot_id,
        )
        return [await self._refund(row) for row in rows]

    async def refund(self, refund: ClaimedRefund) -> None:
        """Ask once; yes and a clear no end it, anything else is retried."""
        failpoint("refund.after_claim")
        way = self.ways.get(refund.payment.provider, _switched_off)
        try:
            await way(refund)
        except (Transient, OutcomeUnknown) as error:
            await self._later(refund, error)
        except Rejected as error:
            await self._refused(refund, str(error))
        else:
            failpoint("refund.after_call")
            await self._done(refund)

    async def _refund(self, row: Row) -> ClaimedRefund:
        payment = await find_payment(self.pool, row["payment_id"])
        if payment is None:
            raise Corrupt(f"refund {row['refund_id']} names a payment that is not there")
        return ClaimedRefund(
            refund_id=row["refund_id"],
            payment=payment,
            key=row["key"],
            amount=Money(row["amount"], payment.credit.currency),
            paid=Money(row["paid_amount"], payment.paid.currency),
            attempts=row["attempts"],
        )

    async def _later(self, refund: ClaimedRefund, error: PhotomatError) -> None:
        await self.pool.execute(
            """
            UPDATE payment_refunds SET due_at = photomat_now() + $2::interval, error = $3
             WHERE refund_id = $1 AND state = 'wanted'
            """,
            refund.refund_id,
            timedelta(seconds=backoff_s(refund.attempts - 1, first_s=FIRST_RETRY_S)),
            str(error),
        )
        log.warning("PAYMENT_REFUND_RETRY", refund_id=refund.refund_id, attempt=refund.attempts, error=str(error))

    async def _done(self, refund: ClaimedRefund) -> None:
        async with transaction(self.pool) as tx:
            if await end_refund(tx, refund.refund_id, "done"):
                await finish(tx, refund.payment, refund_id=refund.refund_id, amount=refund.amount)
        log.info("PAYMENT_REFUNDED", refund_id=refund.refund_id, payment_id=refund.payment.payment_id)

    async def _refused(self, refund: ClaimedRefund, error: str) -> None:
        async with transaction(self.pool) as tx:
            await put_back(tx, refund, error)
        log.error("PAYMENT_REFUND_REFUSED", refund_id=refund.refund_id, error=error)


async def _switched_off(refund: ClaimedRefund) -> None:
    raise Transient(f"{refund.payment.provider} is switched off")


async def put_back(tx: Transaction, refund: ClaimedRefund, error: str) -> None:
    """The provider refused: put the money back and notify the payer.

    The payment is locked, so that a concurrent count of its refunds sees all of this or nothing.
    """
    await lock_payment(tx, refund.payment.payment_id)
    if not await end_refund(tx, refund.refund_id, "refused", error=error):
        return
    payment = refund.payment
    await ledger.credit(
        tx,
        user_id=payment.user_id,
        amount=refund.amount,
        reference=put_back_reference(refund.key),
        reason="topup",
        facts={"way": payment.provider},
    )
    await look_again(tx, payment.provider, payment.external_id)
    await notices.notify_refund_refused(tx, refund_id=refund.refund_id, user_id=payment.user_id, amount=refund.amount)
