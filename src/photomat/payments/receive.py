"""The only way money comes in: a payment row, its credit, bonus, notice and wanted fiscal receipt, in one transaction.

Idempotent by the provider's own payment id: a repeated update, a poll racing a notice, a reconciliation or a second instance
changes nothing. Reported again with another sum or user it changes nothing either, and opens a difference. Credited is what was
offered, a partial payment in proportion; money that matches no top-up of ours is credited by its worth.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypeAlias

from photomat.audit import differences
from photomat.db.pool import Transaction, on_commit
from photomat.fiscal import receipt as fiscal
from photomat.fiscal.restored import hold_back
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.metrics import PAYMENTS, PAYMENTS_MINOR
from photomat.kernel.money import Money
from photomat.kernel.trace import traced
from photomat.payments import notices
from photomat.payments.topup import Topup, find_topup, mark_paid
from photomat.rewards import bonus as rewards_bonus
from photomat.wallet import ledger

PaymentSource: TypeAlias = Literal["stars", "yookassa", "cryptopay", "transfer"]
PaymentReason: TypeAlias = Literal["topup", "subscription"]
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingPayment:
    """A payment as its provider reports it. `worth` is its credit unless a top-up of ours says otherwise.

    `via` is the source: update, notice, poll, reconcile, operator. `expected` replaces the top-up's sum where an operator
    has seen what really arrived. `month_until` is until when this pays a subscription.
    """

    provider: PaymentSource
    external_id: str
    user_id: UserId
    topup_id: int | None
    paid: Money
    worth: Money
    paid_at: datetime
    via: str
    reason: PaymentReason = "topup"
    expected: Money | None = None
    month_until: datetime | None = None

    @property
    def reference(self) -> str:
        """Of its credit in the ledger."""
        return f"payment:{self.provider}:{self.external_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedPayment:
    """The stored payment; `is_new` is False if it was stored before, and then nothing was changed."""

    payment_id: int
    credit: Money
    bonus: Money
    is_new: bool


@traced("payment.receive")
async def receive_payment(tx: Transaction, incoming: IncomingPayment) -> ReceivedPayment:
    """Credit a payment once by its provider's id; the user must have a wallet."""
    if incoming.paid.minor <= 0:
        raise Corrupt(f"{incoming.reference}: {incoming.paid.minor} is not a sum that can arrive")
    topup = None if incoming.topup_id is None else await find_topup(tx, incoming.topup_id)
    credit = _amount_to_credit(incoming, topup)
    payment_id = await _insert(tx, incoming, topup, credit)
    if payment_id is None:
        return await _known_payment(tx, incoming)
    count_payment(tx, provider=incoming.provider, event="received", amount=credit)
    await ledger.credit(
        tx,
        user_id=incoming.user_id,
        amount=credit,
        reference=incoming.reference,
        reason=incoming.reason,
        facts={"way": incoming.provider, "paid": incoming.paid.minor, "paid_currency": incoming.paid.currency},
    )
    bonus = await rewards_bonus.after_payment(
        tx,
        payment_id=payment_id,
        user_id=incoming.user_id,
        amount=credit,
        is_topup=incoming.reason == "topup",
    )
    await fiscal.want_income(
        tx,
        payment_id=payment_id,
        provider=incoming.provider,
        external_id=incoming.external_id,
        user_id=incoming.user_id,
        amount=fiscal.taxed(paid=incoming.paid, credit=credit),
        paid_at=incoming.paid_at,
    )
    await hold_back(tx, payment_id=payment_id)
    if topup is not None:
        await mark_paid(tx, topup.topup_id)
        await _note_another_sum(tx, incoming, topup)
    await notices.notify_received(
        tx,
        payment_id=payment_id,
        user_id=incoming.user_id,
        credit=credit,
        bonus=bonus,
        paid=incoming.paid,
        arrived_for=topup,
        month_until=incoming.month_until,
    )
    log.info(
        "PAYMENT_RECEIVED",
        payment_id=payment_id,
        provider=incoming.provider,
        user_id=incoming.user_id,
        credit=credit.minor,
        bonus=bonus.minor,
        via=incoming.via,
    )
    return ReceivedPayment(payment_id=payment_id, credit=credit, bonus=bonus, is_new=True)


def count_payment(tx: Transaction, *, provider: str, event: Literal["received", "refunded"], amount: Money) -> None:
    """Count a payment, or a refund, once its transaction is committed; the amount is what the wallet got or lost."""
    labels = {"provider": provider, "event": event, "currency": amount.currency}
    on_commit(tx, PAYMENTS.labels(**labels).inc)
    on_commit(tx, lambda: PAYMENTS_MINOR.labels(**labels).inc(amount.minor))


def _amount_to_credit(incoming: IncomingPayment, topup: Topup | None) -> Money:
    """What the top-up offers, in proportion to what was paid; its worth if there is no top-up in this currency."""
    if topup is None or topup.asked_currency != incoming.paid.currency:
        return incoming.worth
    return Money(max(1, topup.credit.minor * incoming.paid.minor // topup.asked_amount), topup.credit.currency)


async def _insert(tx: Transaction, incoming: IncomingPayment, topup: Topup | None, credit: Money) -> int | None:
    payment_id: int | None = await tx.fetchval(
        """
        INSERT INTO payments (provider, external_id, user_id, topup_id, paid_amount, paid_currency, credit, currency, reason,
                              reference, via, paid_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
            ON CONFLICT DO NOTHING
        RETURNING payment_id
        """,
        incoming.provider,
        incoming.external_id,
        incoming.user_id,
        topup.topup_id if topup else None,
        incoming.paid.minor,
        incoming.paid.currency,
        credit.minor,
        credit.currency,
        incoming.reason,
        incoming.reference,
        incoming.via,
        incoming.paid_at,
    )
    return payment_id


async def _known_payment(tx: Transaction, incoming: IncomingPayment) -> ReceivedPayment:
    known = await tx.fetchrow(
        """
        SELECT payment_id, user_id, paid_amount, paid_currency, credit, currency
          FROM payments WHERE provider = $1 AND external_id = $2
        """,
        incoming.provider,
        incoming.external_id,
    )
    if known is None:
        raise Corrupt(f"{incoming.reference} is neither new nor known")
    before = (known["user_id"], known["paid_amount"], known["paid_currency"])
    now = (incoming.user_id, incoming.paid.minor, incoming.paid.currency)
    if before != now:
        await differences.report(
            tx,
            kind="payment-told-otherwise",
            reference=incoming.reference,
            expected=_in_words(*before),
            found=_in_words(*now),
            again=False,
        )
        log.error("PAYMENT_DIFFERS", payment_id=known["payment_id"], provider=incoming.provider, via=incoming.via)
    else:
        log.info("PAYMENT_KNOWN", payment_id=known["payment_id"], provider=incoming.provider, via=incoming.via)
    currency = known["currency"]
    return ReceivedPayment(
        payment_id=known["payment_id"], credit=Money(known["credit"], currency), bonus=Money(0, currency), is_new=False
    )


def _in_words(user_id: int, amount: int, currency: str) -> str:
    return f"{Money(amount, currency)} of user {user_id}"


async def _note_another_sum(tx: Transaction, incoming: IncomingPayment, topup: Topup) -> None:
    expected = incoming.expected or Money(topup.asked_amount, topup.asked_currency)
    if incoming.paid != expected:
        await differences.report(
            tx,
            kind="payment-of-another-sum",
            reference=incoming.reference,
            expected=str(expected),
            found=str(incoming.paid),
        )
