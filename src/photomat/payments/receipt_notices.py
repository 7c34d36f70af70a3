"""Notices about receipts: to operators, who decide, and to users whose receipt was declined."""

from collections.abc import Collection, Sequence
from html import escape
from typing import Final, TypeAlias

from photomat.db.pool import Transaction
from photomat.kernel.ids import ChatId
from photomat.kernel.money import Money
from photomat.kernel.text import cut
from photomat.messages.notices import TO_BALANCE, NoticeButton, NoticeFile, notify
from photomat.payments.receipt import DuplicateReceipt, Receipt
from photomat.telegram import callback_data
from photomat.texts.load import Say

Words: TypeAlias = dict[str, str | int | Money]
SHOWN_NOTE: Final = 200
"""A caption has 1024 characters; what a user wrote gets a fair part of them."""
REASONS: Final = ("not-arrived", "other-sum", "unreadable", "repeated")
"""The usual reasons to decline: known by name, so that each user reads them in their own language."""


def operators_key(receipt_id: int) -> str:
    """How the keys of all messages to operators about a receipt begin."""
    return f"receipt:{receipt_id}:to:"


async def notify_operators(
    tx: Transaction,
    receipt: Receipt,
    duplicates: Sequence[DuplicateReceipt],
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


async def notify_declined(tx: Transaction, receipt: Receipt) -> None:
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


def card_facts(receipt: Receipt, duplicates: Sequence[DuplicateReceipt]) -> Words:
    return _facts(receipt) | (_flags(receipt, duplicates) if duplicates else {})


def decided_text(say: Say, receipt: Receipt) -> str:
    facts: Words = {
        **_facts(receipt),
        "by": escape(receipt.decided_by or ""),
        "when": f"{receipt.decided_at:%d.%m %H:%M}" if receipt.decided_at else "",
    }
    if receipt.credited is not None:
        return say("receipt-card-approved", credited=receipt.credited, **facts)
    return say("receipt-card-declined", reason=escape(receipt.reason or ""), **facts)


def who(receipt: Receipt) -> str:
    """Who sent it, fit for HTML."""
    names = [escape(receipt.first_name), f"@{escape(receipt.username)}" if receipt.username else ""]
    return " ".join([name for name in names if name] + [f"<code>{receipt.user_id}</code>"])


def _facts(receipt: Receipt) -> Words:
    note = cut(receipt.note, SHOWN_NOTE)
    return {
        "number": receipt.receipt_id,
        "amount": receipt.amount,
        "who": who(receipt),
        "code": receipt.code,
        "note": escape(note) or "—",
        "sent": f"{receipt.created_at:%d.%m %H:%M}",
    }


def _flags(receipt: Receipt, duplicates: Sequence[DuplicateReceipt]) -> Words:
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


def _buttons(receipt: Receipt, *, flagged: bool) -> list[list[NoticeButton]]:
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
