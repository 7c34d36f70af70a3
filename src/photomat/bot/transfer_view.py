"""A transfer by hand in words: its sum, where to send it, the receipt that waits and what became of it. Pure."""

from collections.abc import Sequence
from html import escape
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import (
    ReceiptAction,
    ReceiptButton,
    Screen,
    TransferAction,
    TransferButton,
    TransferReceiptButton,
    TransferSumButton,
)
from photomat.bot.views import View, button, screen_button, to_home
from photomat.catalog.answers import Refused
from photomat.kernel.money import Money
from photomat.payments.offers import Offers
from photomat.payments.receipt import Receipt, ReceiptState, code_of
from photomat.payments.topup import Topup
from photomat.texts.load import Say

SUMS_IN_ROW: Final = 3


def start_button(say: Say, draft_id: int = 0) -> InlineKeyboardButton:
    """The way to a transfer, for the page that lists the ways to pay."""
    return button(say("transfer-button"), TransferButton(action=TransferAction.START, draft_id=draft_id).pack())


def ask_sum(say: Say, offers: Offers) -> View:
    """Ask how much it is going to be."""
    sums = [
        button(say("transfer-sum", amount=amount), TransferSumButton(minor=amount.minor).pack())
        for amount in offers.sums
        if offers.least <= amount <= offers.most
    ]
    rows = [sums[start : start + SUMS_IN_ROW] for start in range(0, len(sums), SUMS_IN_ROW)]
    text = say("transfer-ask-sum", least=offers.least, most=offers.most)
    return View(text=text, rows=[*rows, [_leave(say)]], expects_text=True)


def requisites(say: Say, topup: Topup, details: str) -> View:
    """Where to send how much, what to write beside it, and that the receipt is waited for."""
    text = say(
        "transfer-requisites",
        amount=topup.credit,
        details=escape(details.replace("\\n", "\n").strip()),
        code=code_of(topup.topup_id),
    )
    send = button(say("transfer-send-receipt"), TransferReceiptButton(topup_id=topup.topup_id).pack())
    return View(text=text, rows=[[send], [_leave(say)]])


def expects_receipt(say: Say, topup: Topup) -> View:
    """What to send now."""
    text = say("transfer-expects-receipt", amount=topup.credit, code=code_of(topup.topup_id))
    return View(text=text, rows=[[_leave(say)]])


def refused_file(say: Say, refused: Refused) -> View:
    """Why a file is no receipt; the receipt is still waited for."""
    return View(text=say(refused.key, **refused.facts), rows=[[_leave(say)]])


def receipt_page(say: Say, receipt: Receipt) -> View:
    """Where a receipt stands, for who sent it."""
    balance = [screen_button(say, "menu-balance", Screen.BALANCE), to_home(say)]
    facts = {"amount": receipt.amount, "code": receipt.code, "sent": f"{receipt.created_at:%d.%m %H:%M}"}
    match receipt.state:
        case ReceiptState.WAITING:
            state = ReceiptButton(action=ReceiptAction.STATE, receipt_id=receipt.receipt_id)
            again = [button(say("transfer-state"), state.pack())]
            return View(text=say("transfer-waiting", **facts), rows=[again, balance])
        case ReceiptState.APPROVED:
            return View(text=say("transfer-approved", credited=receipt.credited, **facts), rows=[balance])
        case ReceiptState.DECLINED:
            reason = escape(receipt.reason or "")
            again = [button(say("transfer-again"), TransferReceiptButton(topup_id=receipt.topup_id).pack())]
            return View(text=say("transfer-declined", reason=reason, **facts), rows=[again, balance])


def left(say: Say) -> View:
    """The transfer was put away, and can be begun again."""
    onward = [screen_button(say, "menu-topup", Screen.TOPUP), to_home(say)]
    return View(text=say("transfer-left"), rows=[[start_button(say)], onward])


def waiting_lines(say: Say, receipts: Sequence[Receipt]) -> list[str]:
    """A line for each receipt that waits, for the page of the ways to pay."""
    return [
        say(
            "transfer-waiting-line",
            amount=receipt.amount,
            code=receipt.code,
            sent=f"{receipt.created_at:%d.%m %H:%M}",
        )
        for receipt in receipts
    ]


def waiting_sum(say: Say, receipts: Sequence[Receipt]) -> str:
    """What all that waits comes to, for the balance; nothing when nothing waits."""
    if not receipts:
        return ""
    total = Money(sum(receipt.amount.minor for receipt in receipts), receipts[0].amount.currency)
    return say("transfer-waiting-sum", total=total)


def _leave(say: Say) -> InlineKeyboardButton:
    return button(say("button-leave"), TransferButton(action=TransferAction.LEAVE).pack())
