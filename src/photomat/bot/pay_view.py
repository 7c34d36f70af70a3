"""Paying, in words: the ways, the packages and sums, the bill, the subscription, support and terms. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import (
    CheckBillButton,
    PayButton,
    PayStep,
    Screen,
    SubscriptionAction,
    SubscriptionButton,
    TopupButton,
    TransferAction,
    TransferButton,
)
from photomat.bot.views import Rows, View, button, screen_button, to_home
from photomat.kernel.money import Money
from photomat.payments.offers import Offers, Way
from photomat.texts.load import Say

SUMS_IN_ROW: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The order a top-up is for, and what the wallet lacks for it; nothing where it lacks nothing."""

    draft_id: int = 0
    missing: Money | None = None


def ways_page(say: Say, ways: Sequence[Way], *, plan: bool, balance: Money, waiting: Waiting) -> View:
    """The ways that are switched on."""
    if not ways and not plan:
        return View(text=say("pay-nothing-open"), rows=[[to_home(say)]])
    lines = [say("pay-ways", balance=balance)]
    if waiting.missing is not None:
        lines.append(say("pay-for-order", missing=waiting.missing))
    rows = [[_way(say, way, waiting.draft_id)] for way in ways]
    if plan:
        show = SubscriptionButton(action=SubscriptionAction.SHOW, draft_id=waiting.draft_id)
        rows.append([button(say("pay-way-subscription"), show.pack())])
    return View(text="\n\n".join(lines), rows=[*rows, [to_home(say)]])


def packages_page(say: Say, offers: Offers, waiting: Waiting) -> View:
    """The packages of Stars."""
    rows = [
        [
            button(
                say("pay-package-more", stars=one.stars, credit=one.credit, percent=one.percent)
                if one.percent
                else say("pay-package", stars=one.stars, credit=one.credit),
                PayButton(step=PayStep.BILL, way="stars", amount=one.stars, draft_id=waiting.draft_id).pack(),
            )
        ]
        for one in offers.packages
    ]
    return View(text=_with_order(say, say("pay-packages"), waiting), rows=[*rows, [_to_ways(say, waiting.draft_id)]])


def sums_page(say: Say, offers: Offers, way: Way, waiting: Waiting) -> View:
    """The sums of a way, and one's own."""
    buttons = [
        button(
            say("pay-sum", sum=one),
            PayButton(step=PayStep.BILL, way=way, amount=one.minor, draft_id=waiting.draft_id).pack(),
        )
        for one in offers.sums
        if offers.least <= one <= offers.most
    ]
    rows = [buttons[start : start + SUMS_IN_ROW] for start in range(0, len(buttons), SUMS_IN_ROW)]
    own = PayButton(step=PayStep.OWN, way=way, amount=0, draft_id=waiting.draft_id)
    rows += [[button(say("pay-own-sum"), own.pack())], [_to_ways(say, waiting.draft_id)]]
    return View(text=_with_order(say, say("pay-sums", way=say(f"pay-way-{way}")), waiting), rows=rows)


def ask_own_sum(say: Say, offers: Offers, way: Way, draft_id: int) -> View:
    """Let a sum be typed."""
    text = say("pay-ask-sum", least=offers.least, most=offers.most)
    return View(text=text, rows=[[_back_to_sums(say, way, draft_id)]], expects_text=True)


def wrong_sum(say: Say, offers: Offers, way: Way, draft_id: int) -> View:
    """Why a typed sum does not do."""
    text = say("pay-wrong-sum", least=offers.least, most=offers.most)
    return View(text=text, rows=[[_back_to_sums(say, way, draft_id)]], expects_text=True)


def stars_bill(say: Say, *, stars: int, credit: Money, link: str, draft_id: int) -> View:
    """A bill in Stars behind its button."""
    pay = InlineKeyboardButton(text=say("pay-stars-button", stars=stars), url=link)
    back = PayButton(step=PayStep.SUMS, way="stars", amount=0, draft_id=draft_id)
    text = say("pay-stars-bill", stars=stars, credit=credit)
    return View(text=text, rows=[[pay], [button(say("pay-back"), back.pack())]])


def provider_bill(say: Say, *, way: Way, amount: Money, url: str, topup_id: int, draft_id: int) -> View:
    """A provider's bill behind its button, and a way to ask whether it is paid."""
    rows: Rows = [
        [InlineKeyboardButton(text=say("pay-bill-button", sum=amount), url=url)],
        [button(say("pay-check"), CheckBillButton(topup_id=topup_id).pack())],
        [_back_to_sums(say, way, draft_id)],
    ]
    return View(text=say("pay-bill", sum=amount, way=say(f"pay-way-{way}")), rows=rows)


def paid_bill(say: Say) -> View:
    """A bill that was paid: there is nothing to press any more."""
    return View(text=say("pay-bill-paid"), rows=[[screen_button(say, "menu-balance", Screen.BALANCE), to_home(say)]])


def canceled_bill(say: Say) -> View:
    """A bill that cannot be paid any more."""
    return View(text=say("pay-bill-canceled"), rows=[[screen_button(say, "menu-topup", Screen.TOPUP), to_home(say)]])


def provider_trouble(say: Say, *, way: Way, draft_id: int) -> View:
    """The provider does not answer: nothing was paid, and there are other ways."""
    again = button(say("pay-again"), PayButton(step=PayStep.SUMS, way=way, amount=0, draft_id=draft_id).pack())
    text = say("pay-provider-trouble", way=say(f"pay-way-{way}"))
    return View(text=text, rows=[[again], [_to_ways(say, draft_id)]])


def refused(say: Say, text: str, *, draft_id: int = 0) -> View:
    """Why nothing can be paid now."""
    return View(text=text, rows=[[_to_ways(say, draft_id)], [to_home(say)]])


def terms_page(say: Say, *, url: str | None, contact: str) -> View:
    """What is sold and when money comes back."""
    text = say("pay-terms-link", url=escape(url)) if url else say("pay-terms")
    return View(text=_with_contact(say, text, contact), rows=[[to_home(say)]])


def _way(say: Say, way: Way, draft_id: int) -> InlineKeyboardButton:
    if way == "transfer":
        data = TransferButton(action=TransferAction.START, draft_id=draft_id).pack()
    else:
        data = PayButton(step=PayStep.SUMS, way=way, amount=0, draft_id=draft_id).pack()
    return button(say(f"pay-way-{way}"), data)


def _with_order(say: Say, text: str, waiting: Waiting) -> str:
    return text if waiting.missing is None else f"{text}\n\n{say('pay-for-order', missing=waiting.missing)}"


def _with_contact(say: Say, text: str, contact: str) -> str:
    return f"{text}\n\n{say('pay-contact', contact=escape(contact))}" if contact else text


def _to_ways(say: Say, draft_id: int) -> InlineKeyboardButton:
    return button(say("pay-back-to-ways"), TopupButton(draft_id=draft_id).pack())


def _back_to_sums(say: Say, way: Way, draft_id: int) -> InlineKeyboardButton:
    return button(say("pay-back"), PayButton(step=PayStep.SUMS, way=way, amount=0, draft_id=draft_id).pack())
