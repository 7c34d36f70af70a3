"""Notices about money: to a payer (it arrived, was refunded, a month was not paid), to operators and users about receipts."""

from collections.abc import Collection, Sequence
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from photomat.db.pool import Transaction
from photomat.kernel.ids import ChatId, UserId
from photomat.kernel.money import Money
from photomat.kernel.text import cut
from photomat.messages.notices import TO_BALANCE, NoticeButton, NoticeFile, notify
from photomat.orders.draft import affordable_draft
from photomat.payments.subscriptions import Subscription
from photomat.payments.topup import Topup
from photomat.telegram import callback_data
from photomat.texts.load import Say
from photomat.wallet import ledger

if TYPE_CHECKING:
    from photomat.payments.transfers import DuplicateReceipt, Receipt

ReceivedKey: TypeAlias = Literal[
    "payment-received",
    "payment-received-bonus",
    "payment-received-month",
    "payment-received-owing",
    "payment-received-part",
    "payment-received-part-bonus",
]
Words: TypeAlias = dict[str, str | int | Money]
SHOWN_NOTE: Final = 200
"""A caption has 1024 characters; what a user wrote gets a fair part of them."""
REASONS: Final = ("not-arrived", "other-sum", "unreadable", "repeated")
"""The usual reasons to decline: known by name, so that each user reads them in their own language."""


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
    """Announce a payment, with the waiting order's button if the balance covers it now.

    `month_until` is until when a subscription is paid; None for a top-up.
    """
    wallet = await ledger.balance(tx, user_id=user_id)
    billed = paid if arrived_for is None else _billed(arrived_for, paid)
    order = await _waiting_order(tx, user_id, arrived_for, available=wallet.available)
    rows = [[order], [TO_BALANCE]] if order else [[TO_BALANCE]]
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
        buttons=rows,
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


def operators_key(receipt_id: int) -> str:
    """How the keys of all messages to operators about a receipt begin."""
    return f"receipt:{receipt_id}:to:"


async def notify_operators(
    tx: Transaction,
    receipt: "Receipt",
    duplicates: Sequence["DuplicateReceipt"],
    *,
    operators: Collection[ChatId],
    which: str,
) -> None:
    """Show a receipt to every operator, once for each occasion; `which` names the occasion."""
    for operator in sorted(operators):
        await notify(
            tx,
            key=f"{operators_key(receipt.receipt_id)}{operator}:{which}",
            chat_id=operator,
            text_key="receipt-card-flagged" if duplicates else "receipt-card",
            facts=card_facts(receipt, duplicates),
            buttons=_buttons(receipt, flagged=bool(duplicates)),
            file=NoticeFile(kind=receipt.file.kind, file_id=receipt.file.file_id),
        )


async def notify_declined(tx: Transaction, receipt: "Receipt") -> None:
    """Announce that nothing was credited, why, and what to do."""
    await notify(
        tx,
        key=f"receipt:{receipt.receipt_id}:declined",
        chat_id=ChatId(receipt.user_id),
        text_key="transfer-declined",
        facts={"amount": receipt.amount, "code": receipt.code, "reason": escape(receipt.reason or "")},
        buttons=[
            [NoticeButton(text_key="transfer-again", data=callback_data.send_receipt(receipt.topup_id))],
            [TO_BALANCE],
        ],
    )


def card_facts(receipt: "Receipt", duplicates: Sequence["DuplicateReceipt"]) -> Words:
    return _facts(receipt) | (_flags(receipt, duplicates) if duplicates else {})


def decided_text(say: Say, receipt: "Receipt") -> str:
    facts: Words = {
        **_facts(receipt),
        "by": escape(receipt.decided_by or ""),
        "when": f"{receipt.decided_at:%d.%m %H:%M}" if receipt.decided_at else "",
    }
    if receipt.credited is not None:
        return say("receipt-card-approved", credited=receipt.credited, **facts)
    return say("receipt-card-declined", reason=escape(receipt.reason or ""), **facts)


def who(receipt: "Receipt") -> str:
    """Who sent it, fit for HTML."""
    names = [escape(receipt.first_name), f"@{escape(receipt.username)}" if receipt.username else ""]
    return " ".join([name for name in names if name] + [f"<code>{receipt.user_id}</code>"])


def _facts(receipt: "Receipt") -> Words:
    note = cut(receipt.note, SHOWN_NOTE)
    return {
        "number": receipt.receipt_id,
        "amount": receipt.amount,
        "who": who(receipt),
        "code": receipt.code,
        "note": escape(note) or "—",
        "sent": f"{receipt.created_at:%d.%m %H:%M}",
    }


def _flags(receipt: "Receipt", duplicates: Sequence["DuplicateReceipt"]) -> Words:
    first = duplicates[0]
    same = "both" if first.same_file and first.same_note else "file" if first.same_file else "note"
    return {
        "same": same,
        "twin": first.receipt_id,
        "twin_user": str(first.user_id),
        "twin_whose": "own" if first.user_id == receipt.user_id else "other",
        "twin_state": str(first.state),
        "twin_when": f"{first.created_at:%d.%m %H:%M}",
        "more": len(duplicates) - 1,
    }


def _buttons(receipt: "Receipt", *, flagged: bool) -> list[list[NoticeButton]]:
    number = receipt.receipt_id
    approve = NoticeButton(
        text_key="receipt-approve-flagged" if flagged else "receipt-approve",
        data=callback_data.approve_receipt(number),
        facts={"amount": receipt.amount},
    )
    return [
        [approve],
        [
            NoticeButton(text_key="receipt-other-sum", data=callback_data.approve_another_sum(number)),
            NoticeButton(text_key="receipt-decline", data=callback_data.decline_receipt(number)),
        ],
    ]
