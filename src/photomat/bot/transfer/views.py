"""A manual transfer: its sum, where to send it, its receipt; and what operators are asked and answered about receipts. Pure."""

from collections.abc import Sequence
from html import escape
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import (
    ReasonButton,
    ReceiptAction,
    ReceiptButton,
    Screen,
    TransferAction,
    TransferButton,
    TransferReceiptButton,
    TransferSumButton,
)
from photomat.bot.topup.views import sums_in_row, with_bonus
from photomat.bot.view import View, button, in_rows, screen_button, to_home
from photomat.catalog.answers import Refused
from photomat.kernel.money import Money
from photomat.payments.options import PaymentOptions
from photomat.payments.receipt import Receipt, ReceiptState, transfer_code
from photomat.payments.receipt_notices import REASONS
from photomat.payments.topup import Topup
from photomat.payments.transfers import MAX_REASON, Decision, DecisionResult
from photomat.rewards.bonus import PercentBonus
from photomat.texts.load import Say

SHOWN_REASON: Final = 60


def start_button(say: Say) -> InlineKeyboardButton:
    return button(say("transfer-button"), TransferButton(action=TransferAction.START))


def ask_sum(say: Say, options: PaymentOptions, *, bonus: PercentBonus | None = None) -> View:
    labels = {one: with_bonus(say, say("transfer-sum", amount=one), one, bonus) for one in options.allowed_sums}
    sums = [button(label, TransferSumButton(minor=amount.minor)) for amount, label in labels.items()]
    text = say("transfer-ask-sum", least=options.least, most=options.most)
    if bonus is not None:
        text += "\n\n" + say("pay-bonus-waits", percent=bonus.percent)
    return View(text=text, rows=[*in_rows(sums, sums_in_row(bonus)), [_leave(say)]], expects_text=True)


def bank_details(say: Say, topup: Topup, details: str) -> View:
    """Where to send how much, what to write beside it, and that the receipt is waited for."""
    text = say(
        "transfer-requisites",
        amount=topup.credit,
        details=escape(details.replace("\\n", "\n").strip()),
        code=transfer_code(topup.topup_id),
    )
    send = button(say("transfer-send-receipt"), TransferReceiptButton(topup_id=topup.topup_id))
    return View(text=text, rows=[[send], [_leave(say)]])


def expects_receipt(say: Say, topup: Topup) -> View:
    text = say("transfer-expects-receipt", amount=topup.credit, code=transfer_code(topup.topup_id))
    return View(text=text, rows=[[_leave(say)]])


def refused_file(say: Say, refused: Refused) -> View:
    """Why a file is no receipt; the receipt is still waited for."""
    return View(text=say(refused.key, **refused.facts), rows=[[_leave(say)]])


def receipt_page(say: Say, receipt: Receipt) -> View:
    balance = [screen_button(say, "menu-balance", Screen.BALANCE), to_home(say)]
    facts = {"amount": receipt.amount, "code": receipt.code, "sent": f"{receipt.created_at:%d.%m %H:%M}"}
    match receipt.state:
        case ReceiptState.WAITING:
            state = ReceiptButton(action=ReceiptAction.STATE, receipt_id=receipt.receipt_id)
            again = [button(say("transfer-state"), state)]
            return View(text=say("transfer-waiting", **facts), rows=[again, balance])
        case ReceiptState.APPROVED:
            return View(text=say("transfer-approved", credited=receipt.credited, **facts), rows=[balance])
        case ReceiptState.DECLINED:
            reason = escape(receipt.reason or "")
            again = [button(say("transfer-again"), TransferReceiptButton(topup_id=receipt.topup_id))]
            return View(text=say("transfer-declined", reason=reason, **facts), rows=[again, balance])


def left(say: Say) -> View:
    onward = [screen_button(say, "menu-topup", Screen.TOPUP), to_home(say)]
    return View(text=say("transfer-left"), rows=[[start_button(say)], onward])


def waiting_lines(say: Say, receipts: Sequence[Receipt]) -> list[str]:
    return [
        say("transfer-waiting-line", amount=each.amount, code=each.code, sent=f"{each.created_at:%d.%m %H:%M}")
        for each in receipts
    ]


def waiting_sum(say: Say, receipts: Sequence[Receipt]) -> str:
    """The total of the receipts that wait; nothing when none does."""
    if not receipts:
        return ""
    total = Money(sum(receipt.amount.minor for receipt in receipts), receipts[0].amount.currency)
    return say("transfer-waiting-sum", total=total)


def _leave(say: Say) -> InlineKeyboardButton:
    return button(say("button-leave"), TransferButton(action=TransferAction.LEAVE))


def ask_approved_sum(say: Say, receipt: Receipt) -> View:
    text = say("receipt-ask-sum", number=receipt.receipt_id, amount=receipt.amount)
    return View(text=text, rows=[], expects_text=True)


def ask_reason(say: Say, receipt: Receipt) -> View:
    """Why is it declined? The usual reasons by a tap, any other by typing."""
    rows = [
        [button(say("receipt-reason", reason=reason), ReasonButton(receipt_id=receipt.receipt_id, reason=number))]
        for number, reason in enumerate(REASONS)
    ]
    text = say("receipt-ask-reason", number=receipt.receipt_id, amount=receipt.amount)
    return View(text=text, rows=rows)


def ask_anyway(say: Say, ruled: DecisionResult) -> View:
    """A duplicate was credited: show which, and let the operator insist."""
    number = ruled.receipt.receipt_id if ruled.receipt else 0
    rows = [
        [button(say("receipt-anyway"), ReceiptButton(action=ReceiptAction.ANYWAY, receipt_id=number))],
        [button(say("receipt-decline"), ReceiptButton(action=ReceiptAction.DECLINE, receipt_id=number))],
    ]
    return View(text=_credited_duplicate(say, ruled), rows=rows)


def ask_sum_again(say: Say, ruled: DecisionResult) -> View:
    """The same, where the sum was typed: typed again it is insisted on."""
    return View(
        text=f"{_credited_duplicate(say, ruled)}\n\n{say('receipt-twin-type-again')}", rows=[], expects_text=True
    )


def decision_text(say: Say, ruled: DecisionResult, *, most: Money) -> str:
    """The result of a decision, short enough to pop up; plain text."""
    receipt = ruled.receipt
    match ruled.decision:
        case Decision.BAD_SUM:
            return say("receipt-bad-sum", most=most)
        case Decision.BAD_REASON:
            return say("receipt-bad-reason", limit=MAX_REASON)
        case Decision.DUPLICATE_CREDITED:
            return say("receipt-twin-toast")
        case _ if receipt is None:
            return say("receipt-gone")
        case Decision.APPROVED:
            return say("receipt-approved", number=receipt.receipt_id, credited=receipt.credited)
        case Decision.DECLINED:
            return say("receipt-declined", number=receipt.receipt_id)
        case _:
            return _before(say, receipt)


def _credited_duplicate(say: Say, ruled: DecisionResult) -> str:
    if ruled.receipt is None or ruled.duplicate is None:
        raise TypeError("a credited duplicate comes with both receipts")
    return say(
        "receipt-twin-credited",
        number=ruled.receipt.receipt_id,
        twin=ruled.duplicate.receipt_id,
        twin_user=str(ruled.duplicate.user_id),
        same="file" if ruled.duplicate.same_file else "note",
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
    return View(text=escape(text), rows=[])
