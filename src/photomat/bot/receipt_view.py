"""Receipts as operators are answered about them: the question for a sum, for a reason, and what came of a decision. Pure."""

from html import escape
from typing import Final

from photomat.bot.buttons import ReasonButton, ReceiptAction, ReceiptButton
from photomat.bot.views import View, button
from photomat.kernel.money import Money
from photomat.operators.receipts import MOST_REASON, Ruled, Ruling
from photomat.payments.receipt import Receipt
from photomat.payments.receipt_news import REASONS
from photomat.texts.load import Say

SHOWN_REASON: Final = 60


def ask_sum(say: Say, receipt: Receipt) -> View:
    """Ask what it is credited with instead."""
    text = say("receipt-ask-sum", number=receipt.receipt_id, amount=receipt.amount)
    return View(text=text, rows=[], expects_text=True)


def ask_reason(say: Say, receipt: Receipt) -> View:
    """Ask why it is declined. The usual reasons by a tap, any other by typing."""
    rows = [
        [
            button(
                say("receipt-reason", reason=reason), ReasonButton(receipt_id=receipt.receipt_id, reason=number).pack()
            )
        ]
        for number, reason in enumerate(REASONS)
    ]
    text = say("receipt-ask-reason", number=receipt.receipt_id, amount=receipt.amount)
    return View(text=text, rows=rows, expects_text=False)


def ask_anyway(say: Say, ruled: Ruled) -> View:
    """A receipt like it was credited: say which, and let the operator insist."""
    number = ruled.receipt.receipt_id if ruled.receipt else 0
    rows = [
        [button(say("receipt-anyway"), ReceiptButton(action=ReceiptAction.ANYWAY, receipt_id=number).pack())],
        [button(say("receipt-decline"), ReceiptButton(action=ReceiptAction.DECLINE, receipt_id=number).pack())],
    ]
    return View(text=_twin(say, ruled), rows=rows)


def ask_sum_again(say: Say, ruled: Ruled) -> View:
    """The same, where the sum was typed: typed again it is insisted on."""
    return View(text=f"{_twin(say, ruled)}\n\n{say('receipt-twin-type-again')}", rows=[], expects_text=True)


def answer(say: Say, ruled: Ruled, *, most: Money) -> str:
    """What came of it, short enough to pop up; plain text."""
    receipt = ruled.receipt
    match ruled.ruling:
        case Ruling.BAD_SUM:
            return say("receipt-bad-sum", most=most)
        case Ruling.BAD_REASON:
            return say("receipt-bad-reason", limit=MOST_REASON)
        case Ruling.TWIN_CREDITED:
            return say("receipt-twin-toast")
        case _ if receipt is None:
            return say("receipt-gone")
        case Ruling.APPROVED:
            return say("receipt-approved", number=receipt.receipt_id, credited=receipt.credited)
        case Ruling.DECLINED:
            return say("receipt-declined", number=receipt.receipt_id)
        case _:
            return _before(say, receipt)


def _twin(say: Say, ruled: Ruled) -> str:
    if ruled.receipt is None or ruled.twin is None:
        raise TypeError("a credited twin comes with both receipts")
    return say(
        "receipt-twin-credited",
        number=ruled.receipt.receipt_id,
        twin=ruled.twin.receipt_id,
        twin_user=str(ruled.twin.user_id),
        same="file" if ruled.twin.same_file else "note",
    )


def _before(say: Say, receipt: Receipt) -> str:
    facts = {"by": receipt.decided_by, "when": f"{receipt.decided_at:%d.%m %H:%M}"}
    if receipt.credited is not None:
        return say("receipt-approved-before", credited=receipt.credited, **facts)
    return say("receipt-declined-before", reason=(receipt.reason or "")[:SHOWN_REASON], **facts)


def waiting_list(say: Say, *, count: int, shown: int) -> View:
    """How many wait; the oldest of them follow, each as a message of its own."""
    if shown < count:
        return View(text=say("receipt-list-oldest", count=count, shown=shown), rows=[])
    text = say("receipt-list", count=count) if count else say("receipt-list-empty")
    return View(text=text, rows=[])


def as_html(text: str) -> View:
    """An answer as a message."""
    return View(text=escape(text), rows=[])
