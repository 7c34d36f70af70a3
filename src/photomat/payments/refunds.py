"""Refunds of payments: the money leaves the wallet first, then the provider is asked until it answers.

- Requested by an operator: the wallet must still have it, and the bonus that goes back with it, unless the operator allows
  the rest to become debt. The take-back and the request are one transaction. `Refunder` then asks the provider, idempotent by
  the refund's key: killed anywhere, the lease expires and it is asked again; "already refunded" is success. A clear no puts
  the money back into the wallet.
- Reported by a provider (a refund made elsewhere, a chargeback): it has left already. What is there is taken, the rest is
  debt. A report that covers a wanted refund ends it as done.
- What was given because of the payment (a bonus, the inviter's percent) goes back in proportion, once the refund is certain.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal, TypeAlias

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row, require_row
from photomat.fiscal import receipt as fiscal
from photomat.kernel.clock import backoff_s
from photomat.kernel.errors import Corrupt, NotEnough, OutcomeUnknown, PhotomatError, Rejected, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.money import Money
from photomat.kernel.trace import span
from photomat.payments import notices
from photomat.payments.fiscal_terms import lacks_contact, terms_of_refund, thawed
from photomat.payments.payment import Payment, find_payment, lock_payment, lock_provider_payment
from photomat.payments.receive import count_payment
from photomat.providers.port import FiscalTerms
from photomat.rewards import bonus as rewards_bonus
from photomat.wallet import ledger, refunds
from photomat.wallet.ledger import lock_wallets

RefundState: TypeAlias = Literal["wanted", "done", "refused"]
REFUNDS_DUE: Final = "SELECT 1 FROM payment_refunds WHERE due_at <= photomat_now()"
LEASE: Final = timedelta(seconds=60)
FIRST_RETRY_S: Final = 5.0
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundedSoFar:
    """What went back of a payment, wanted refunds included, and how often a refund was refused."""

    credit: int
    paid: int
    refusals: int


async def ask_refund(tx: Transaction, *, payment_id: int, asked_by: str, owing: bool, by_hand: bool) -> int:
    """Take back what is left of a payment and request it from its provider; return the refund's id, the same if repeated.

    `NotEnough` if the wallet has less and `owing` is not allowed. `by_hand`: the operator has given it back already.
    `Rejected` if the provider wants a receipt for a part of the payment, and the customer had their contact deleted.
    """
    payment = await lock_payment(tx, payment_id)
    if payment is None:
        raise Rejected("no-such-payment", payment_id=payment_id)
    before = await refunded_so_far(tx, payment)
    rest = Money(payment.credit.minor - before.credit, payment.credit.currency)
    if rest.minor <= 0:
        return await _newest(tx, payment_id)
    if before.paid and not by_hand and await lacks_contact(tx, payment):
        raise Rejected("payment-without-contact", payment_id=payment_id)
    await lock_wallets(tx, payment.user_id)
    wallet = await ledger.balance(tx, user_id=payment.user_id)
    bonus = await rewards_bonus.goes_back_with(tx, payment_id=payment_id, refunded=rest, of=payment.credit)
    needed = Money(rest.minor + bonus.minor, rest.currency)
    if wallet.unheld < needed and not owing:
        raise NotEnough(price=needed, available=wallet.unheld)
    return await _take(
        tx,
        payment,
        key=f"refund:{payment.provider}:{payment.external_id}:{before.refusals}",
        amount=rest,
        paid=Money(payment.paid.minor - before.paid, payment.paid.currency),
        asked_by=asked_by,
        is_done=by_hand,
        refusals=before.refusals,
    )


async def take_back_reported(
    tx: Transaction, *, provider: str, external_id: str, refunded: Money | None, via: str
) -> int | None:
    """A provider reports how much of a payment went back in all (None: all of it): take what was not taken yet.

    Return the refund's id; None if there is nothing to take or the payment is not known.
    """
    payment = await lock_provider_payment(tx, provider, external_id)
    if payment is None:
        return None
    reported = payment.paid.minor if refunded is None else min(refunded.minor, payment.paid.minor)
    before = await refunded_so_far(tx, payment)
    if reported >= before.paid:
        await _end_wanted_refunds(tx, payment)
    amount = payment.credit.minor * reported // payment.paid.minor - before.credit
    if reported <= before.paid or amount <= 0:
        return None
    return await _take(
        tx,
        payment,
        key=f"refund:{provider}:{external_id}:told:{reported}",
        amount=Money(amount, payment.credit.currency),
        paid=Money(reported - before.paid, payment.paid.currency),
        asked_by=f"{provider} ({via})",
        is_done=True,
        refusals=before.refusals,
    )


async def refunded_so_far(tx: Transaction, payment: Payment) -> RefundedSoFar:
    row = await require_row(
        tx,
        """
        SELECT coalesce(sum(amount) FILTER (WHERE state <> 'refused'), 0)::bigint AS credit,
               coalesce(sum(paid_amount) FILTER (WHERE state <> 'refused'), 0)::bigint AS paid,
               count(*) FILTER (WHERE state = 'refused') AS refusals
          FROM payment_refunds WHERE payment_id = $1
        """,
        payment.payment_id,
    )
    return RefundedSoFar(credit=row["credit"], paid=row["paid"], refusals=row["refusals"])


def put_back_reference(key: str) -> str:
    """The reference of the credit that puts a refused refund back."""
    return f"{key}:refused"


async def _take(
    tx: Transaction,
    payment: Payment,
    *,
    key: str,
    amount: Money,
    paid: Money,
    asked_by: str,
    is_done: bool,
    refusals: int,
) -> int:
    taken = await refunds.take_back(
        tx,
        user_id=payment.user_id,
        amount=amount,
        reference=key,
        of=await _standing_credit(tx, payment, refusals),
        facts={"way": payment.provider, "paid": paid.minor, "paid_currency": paid.currency},
    )
    refund_id = await tx.fetchval(
        """
        INSERT INTO payment_refunds (payment_id, key, amount, paid_amount, reference, asked_by, state, due_at, closed_at,
                                     fiscal)
        VALUES ($1, $2, $3, $4, $2, $5, $6, CASE WHEN $6 = 'wanted' THEN photomat_now() END,
                CASE WHEN $6 = 'done' THEN photomat_now() END, $7)
        RETURNING refund_id
        """,
        payment.payment_id,
        key,
        amount.minor,
        paid.minor,
        asked_by,
        "done" if is_done else "wanted",
        None if is_done else await terms_of_refund(tx, payment),
    )
    log.info(
        "PAYMENT_REFUND",
        refund_id=refund_id,
        payment_id=payment.payment_id,
        amount=amount.minor,
        as_debt=taken.as_debt.minor,
        by=asked_by,
    )
    if is_done:
        await finish_refund(tx, payment, refund_id=int(refund_id), amount=amount)
    return int(refund_id)


async def finish_refund(tx: Transaction, payment: Payment, *, refund_id: int, amount: Money) -> None:
    """The refund is certain: take back what was given because of it, annul its fiscal receipt, and notify the payer."""
    count_payment(tx, provider=payment.provider, event="refunded", amount=amount)
    await lock_wallets(tx, payment.user_id)
    await _annul_fiscal(tx, payment, refund_id=refund_id, amount=amount)
    bonus = await rewards_bonus.goes_back_with(tx, payment_id=payment.payment_id, refunded=amount, of=payment.credit)
    await rewards_bonus.after_refund(
        tx, payment_id=payment.payment_id, user_id=payment.user_id, refunded=amount, of=payment.credit
    )
    wallet = await ledger.balance(tx, user_id=payment.user_id)
    await notices.notify_refunded(
        tx,
        refund_id=refund_id,
        user_id=payment.user_id,
        amount=amount,
        of=payment.credit,
        bonus=bonus,
        owed=wallet.owed,
    )


async def _annul_fiscal(tx: Transaction, payment: Payment, *, refund_id: int, amount: Money) -> None:
    paid = await tx.fetchval("SELECT paid_amount FROM payment_refunds WHERE refund_id = $1", refund_id)
    taxed = fiscal.taxed(paid=Money(paid, payment.paid.currency), credit=amount)
    await fiscal.want_annulment(tx, payment_id=payment.payment_id, refund_id=refund_id, amount=taxed)


async def end_refund(tx: Transaction, refund_id: int, state: RefundState, *, error: str | None = None) -> bool:
    """End a wanted refund; False if it ended before."""
    return bool(
        await tx.fetchval(
            """
            UPDATE payment_refunds SET state = $2, due_at = NULL, closed_at = photomat_now(), error = $3
             WHERE refund_id = $1 AND state = 'wanted'
            RETURNING true
            """,
            refund_id,
            state,
            error,
        )
    )


async def _end_wanted_refunds(tx: Transaction, payment: Payment) -> None:
    rows = await tx.fetch(
        "SELECT refund_id, amount FROM payment_refunds WHERE payment_id = $1 AND state = 'wanted'", payment.payment_id
    )
    for row in rows:
        if await end_refund(tx, row["refund_id"], "done"):
            amount = Money(row["amount"], payment.credit.currency)
            await finish_refund(tx, payment, refund_id=row["refund_id"], amount=amount)


async def _newest(tx: Transaction, payment_id: int) -> int:
    return int(
        await tx.fetchval(
            "SELECT max(refund_id) FROM payment_refunds WHERE payment_id = $1 AND state <> 'refused'", payment_id
        )
    )


async def _standing_credit(tx: Transaction, payment: Payment, refusals: int) -> str:
    """The credit that holds the money now: the payment's own, or the one that put it back after a refusal."""
    if not refusals:
        return payment.reference
    key = await tx.fetchval(
        "SELECT key FROM payment_refunds WHERE payment_id = $1 AND state = 'refused' ORDER BY refund_id DESC LIMIT 1",
        payment.payment_id,
    )
    return put_back_reference(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedRefund:
    """A claimed refund: `amount` left the wallet, `paid` goes back to the payer, `fiscal` is what its receipt says."""

    refund_id: int
    payment: Payment
    key: str
    amount: Money
    paid: Money
    attempts: int
    fiscal: FiscalTerms | None = None


RefundCall: TypeAlias = Callable[[ClaimedRefund], Awaitable[str | None]]
"""Asks a provider; returns its id of the refund, if it has one, also if it was made before. `Rejected` is a clear no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refunder:
    pool: Pool
    calls: Mapping[str, RefundCall]

    async def claim(self, limit: int) -> list[ClaimedRefund]:
        rows = await self.pool.fetch(
            """
            WITH due AS MATERIALIZED (
                SELECT refund_id FROM payment_refunds WHERE due_at <= photomat_now()
                   AND (SELECT photomat_our_bot($3)) IS NOT NULL AND NOT (SELECT photomat_paused('restore'))
                 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
            UPDATE payment_refunds AS refund SET due_at = photomat_now() + $2::interval, attempts = refund.attempts + 1
              FROM due
             WHERE refund.refund_id = due.refund_id
            RETURNING refund.refund_id, refund.payment_id, refund.key, refund.amount, refund.paid_amount, refund.attempts,
                      refund.fiscal
            """,
            limit,
            LEASE,
            self.pool.bot_id,
        )
        return [await self._refund(row) for row in rows]

    async def refund(self, refund: ClaimedRefund) -> None:
        """Ask once; yes and a clear no end it, anything else is retried."""
        with correlated(None), span("payment.refund", provider=refund.payment.provider):
            await self._ask(refund)

    async def _ask(self, refund: ClaimedRefund) -> None:
        failpoint("refund.after_claim")
        call = self.calls.get(refund.payment.provider, _switched_off)
        try:
            external_id = await call(refund)
        except (Transient, OutcomeUnknown) as error:
            await self._later(refund, error)
        except Rejected as error:
            await self._refused(refund, str(error))
        else:
            failpoint("refund.after_call")
            await self._done(refund, external_id)

    async def _refund(self, row: Row) -> ClaimedRefund:
        payment = await find_payment(self.pool, row["payment_id"])
        if payment is None:
            raise Corrupt(f"refund {row['refund_id']} names a payment that is not there")
        async with transaction(self.pool) as tx:
            fiscal = await thawed(tx, row["fiscal"])
        return ClaimedRefund(
            refund_id=row["refund_id"],
            payment=payment,
            key=row["key"],
            amount=Money(row["amount"], payment.credit.currency),
            paid=Money(row["paid_amount"], payment.paid.currency),
            attempts=row["attempts"],
            fiscal=fiscal,
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

    async def _done(self, refund: ClaimedRefund, external_id: str | None) -> None:
        async with transaction(self.pool) as tx:
            await _note_external_id(tx, refund.refund_id, external_id)
            if await end_refund(tx, refund.refund_id, "done"):
                await finish_refund(tx, refund.payment, refund_id=refund.refund_id, amount=refund.amount)
        log.info("PAYMENT_REFUNDED", refund_id=refund.refund_id, payment_id=refund.payment.payment_id)

    async def _refused(self, refund: ClaimedRefund, error: str) -> None:
        async with transaction(self.pool) as tx:
            await put_back(tx, refund, error)
        log.error("PAYMENT_REFUND_REFUSED", refund_id=refund.refund_id, error=error)


async def _note_external_id(tx: Transaction, refund_id: int, external_id: str | None) -> None:
    await tx.execute("UPDATE payment_refunds SET external_id = $2 WHERE refund_id = $1", refund_id, external_id)


async def _switched_off(refund: ClaimedRefund) -> None:
    raise Transient(f"{refund.payment.provider} is switched off")


async def put_back(tx: Transaction, refund: ClaimedRefund, error: str) -> None:
    """The provider refused: put the money back, notify the payer, and poll the invoice: it may be refunded elsewhere.

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
    await tx.execute(
        "UPDATE provider_invoices SET look_at = photomat_now() WHERE provider = $1 AND external_id = $2",
        payment.provider,
        payment.external_id,
    )
    await notices.notify_refund_refused(tx, refund_id=refund.refund_id, user_id=payment.user_id, amount=refund.amount)
