"""Notices about money to its payer: it arrived, was refunded, a month was not paid."""

from datetime import datetime
from typing import Final, Literal, TypeAlias

from photomat.db.pool import Transaction
from photomat.kernel.ids import ChatId, UserId
from photomat.kernel.money import Money
from photomat.messages.notices import TO_BALANCE, EndedMessage, NoticeButton, notify
from photomat.orders.draft import affordable_draft
from photomat.payments.subscriptions import Subscription
from photomat.payments.topup import Topup, message_of
from photomat.telegram import callback_data
from photomat.wallet import ledger

TO_PICTURES: Final = NoticeButton(text_key="wish-picture", data=callback_data.OPEN_PICTURES)
TO_TOPUP: Final = NoticeButton(text_key="menu-topup", data=callback_data.OPEN_TOPUP)
ReceivedKey: TypeAlias = Literal[
    "payment-received",
    "payment-received-bonus",
    "payment-received-month",
    "payment-received-owing",
    "payment-received-part",
    "payment-received-part-bonus",
]


async def notify_received(
    tx: Transaction,
    *,
    payment_id: int,
    user_id: UserId,
    credit: Money,
    bonus: Money,
    paid: Money,
    arrived_for: Topup | None,
    month_until: datetime | None,
) -> None:
    """Announce a payment, and offer to go on: with the waiting order if the balance covers it now, else with a new one.

    `month_until` is until when a subscription is paid; None for a top-up.
    """
    wallet = await ledger.balance(tx, user_id=user_id)
    is_own = arrived_for is not None and arrived_for.user_id == user_id
    shown = await message_of(tx, arrived_for.topup_id) if arrived_for is not None and is_own else None
    billed = paid if arrived_for is None else _billed(arrived_for, paid)
    order = await _waiting_order(tx, user_id, arrived_for, available=wallet.available)
    onward = order or (TO_TOPUP if wallet.owed.minor else TO_PICTURES)
    await notify(
        tx,
        key=f"payment:{payment_id}",
        chat_id=ChatId(user_id),
        text_key=_received_key(wallet.owed, bonus, is_part=billed > paid, is_month=month_until is not None),
        facts={
            "credit": credit,
            "bonus": bonus,
            "available": wallet.available,
            "owed": wallet.owed,
            "paid": paid,
            "billed": billed,
            "until": f"{month_until:%d.%m.%Y}" if month_until else "",
        },
        buttons=[[onward], [TO_BALANCE]],
        ends=None if shown is None else EndedMessage(chat_id=shown[0], message_id=shown[1], text_key="pay-bill-ended"),
    )


async def notify_refunded(
    tx: Transaction, *, refund_id: int, user_id: UserId, amount: Money, of: Money, bonus: Money, owed: Money
) -> None:
    """Announce a refund, the bonus that went back with it, and what is owed if it was spent."""
    await notify(
        tx,
        key=f"refund:{refund_id}",
        chat_id=ChatId(user_id),
        text_key="payment-refunded-owing" if owed.minor else "payment-refunded",
        facts={
            "amount": amount,
            "owed": owed,
            "bonus": bonus,
            "is_part": "yes" if amount < of else "no",
            "has_bonus": "yes" if bonus.minor else "no",
        },
        buttons=[[TO_BALANCE]],
    )


async def notify_refund_refused(tx: Transaction, *, refund_id: int, user_id: UserId, amount: Money) -> None:
    await notify(
        tx,
        key=f"refund:{refund_id}",
        chat_id=ChatId(user_id),
        text_key="payment-refund-refused",
        facts={"amount": amount},
        buttons=[[TO_BALANCE]],
    )


async def notify_not_renewed(tx: Transaction, subscription: Subscription) -> None:
    """Announce, once a month, that the next month could not be paid; Telegram retries."""
    until = f"{subscription.expires_at:%d.%m.%Y}"
    await notify(
        tx,
        key=f"subscription:{subscription.subscription_id}:failed:{until}",
        chat_id=ChatId(subscription.user_id),
        text_key="subscription-not-renewed",
        facts={"until": until, "stars": subscription.stars},
        buttons=[[TO_BALANCE]],
    )


def _billed(topup: Topup, paid: Money) -> Money:
    """What was asked for; a top-up in another currency cannot be compared with this sum."""
    asked = Money(topup.asked_amount, topup.asked_currency)
    return asked if asked.currency == paid.currency else paid


def _received_key(owed: Money, bonus: Money, *, is_part: bool, is_month: bool) -> ReceivedKey:
    """By importance: a debt that is left, a subscription, a partial payment."""
    if owed.minor:
        return "payment-received-owing"
    if is_month:
        return "payment-received-month"
    if is_part:
        return "payment-received-part-bonus" if bonus.minor else "payment-received-part"
    return "payment-received-bonus" if bonus.minor else "payment-received"


async def _waiting_order(
    tx: Transaction, user_id: UserId, topup: Topup | None, *, available: Money
) -> NoticeButton | None:
    """The order the payment was made for, or the newest waiting one; None unless the balance covers it."""
    waiting = await affordable_draft(
        tx, user_id=user_id, preferred=topup.draft_id if topup else None, available=available
    )
    if waiting is None:
        return None
    data = callback_data.create_from_draft(waiting.draft_id, waiting.revision)
    return NoticeButton(text_key="payment-run-order", data=data, facts={"price": waiting.price})
