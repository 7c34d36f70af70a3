"""Paying: the methods, packages and sums, invoices, the subscription, the last payments, support and terms. Pure.

`draft_id` leads back to the order the money is for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import (
    CheckInvoiceButton,
    PayButton,
    PayStep,
    Screen,
    SubscriptionAction,
    SubscriptionButton,
    TopupButton,
    TransferAction,
    TransferButton,
)
from photomat.bot.view import Rows, View, button, in_rows, screen_button, to_home
from photomat.fiscal.contacts import Contact
from photomat.kernel.money import Money
from photomat.payments.options import STARS_CURRENCY, Package, PaymentMethod, PaymentOptions, SubscriptionPlan
from photomat.payments.payment import ListedPayment
from photomat.payments.service import InvoiceTrouble
from photomat.payments.subscriptions import Subscription
from photomat.payments.topup import Topup
from photomat.rewards.bonus import PercentBonus
from photomat.texts.load import Say

SUMS_IN_ROW: Final = 3
LONG_SUMS_IN_ROW: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingOrder:
    """The order a top-up is for, and what the wallet lacks for it; nothing where it lacks nothing."""

    draft_id: int = 0
    missing: Money | None = None


def methods_page(
    say: Say, methods: Sequence[PaymentMethod], *, plan: bool, balance: Money, waiting: WaitingOrder
) -> View:
    if not methods and not plan:
        return View(text=say("pay-nothing-open"), rows=[[to_home(say)]])
    lines = [say("pay-ways", balance=balance)]
    if waiting.missing is not None:
        lines.append(say("pay-for-order", missing=waiting.missing))
    rows = [[_method(say, method, waiting.draft_id)] for method in methods]
    if plan:
        show = SubscriptionButton(action=SubscriptionAction.SHOW, draft_id=waiting.draft_id)
        rows.append([button(say("pay-way-subscription"), show)])
    return View(text="\n\n".join(lines), rows=[*rows, [to_home(say)]])


def packages_page(
    say: Say, options: PaymentOptions, waiting: WaitingOrder, *, bonus: PercentBonus | None = None
) -> View:
    def label(one: Package) -> str:
        more = {"stars": one.stars, "credit": one.credit, "percent": one.percent}
        offer = (
            say("pay-package-more", **more) if one.percent else say("pay-package", stars=one.stars, credit=one.credit)
        )
        return with_bonus(say, offer, one.credit, bonus)

    rows = [
        [button(label(one), PayButton(step=PayStep.INVOICE, way="stars", amount=one.stars, draft_id=waiting.draft_id))]
        for one in options.packages
    ]
    text = _with_order(say, _with_code(say, say("pay-packages"), bonus), waiting)
    return View(text=text, rows=[*rows, [_to_methods(say, waiting.draft_id)]])


def sums_page(
    say: Say,
    options: PaymentOptions,
    method: PaymentMethod,
    waiting: WaitingOrder,
    *,
    bonus: PercentBonus | None = None,
) -> View:
    buttons = [
        button(
            with_bonus(say, say("pay-sum", sum=one), one, bonus),
            PayButton(step=PayStep.INVOICE, way=method, amount=one.minor, draft_id=waiting.draft_id),
        )
        for one in options.allowed_sums
    ]
    own = PayButton(step=PayStep.OWN, way=method, amount=0, draft_id=waiting.draft_id)
    sums = in_rows(buttons, sums_in_row(bonus))
    rows = [*sums, [button(say("pay-own-sum"), own)], [_to_methods(say, waiting.draft_id)]]
    text = _with_code(say, say("pay-sums", way=say(f"pay-way-{method}")), bonus)
    return View(text=_with_order(say, text, waiting), rows=rows)


def with_bonus(say: Say, label: str, amount: Money, bonus: PercentBonus | None) -> str:
    """The label of a sum with what a promo code adds to it."""
    added = None if bonus is None else bonus.on(amount)
    return say("pay-with-bonus", label=label, bonus=added) if added is not None and added.minor else label


def sums_in_row(bonus: PercentBonus | None) -> int:
    return SUMS_IN_ROW if bonus is None else LONG_SUMS_IN_ROW


def _with_code(say: Say, text: str, bonus: PercentBonus | None) -> str:
    return text if bonus is None else f"{text}\n\n{say('pay-bonus-waits', percent=bonus.percent)}"


def own_sum_page(
    say: Say, options: PaymentOptions, method: PaymentMethod, draft_id: int, *, again: bool = False
) -> View:
    text = say("pay-wrong-sum" if again else "pay-ask-sum", least=options.least, most=options.most)
    return View(text=text, rows=[[_back_to_sums(say, method, draft_id)]], expects_text=True)


def stars_invoice(say: Say, *, stars: int, credit: Money, link: str, draft_id: int) -> View:
    pay = InlineKeyboardButton(text=say("pay-stars-button", stars=stars), url=link)
    text = say("pay-stars-bill", stars=stars, credit=credit)
    return View(text=text, rows=[[pay], [_back_to_sums(say, "stars", draft_id)]])


def provider_invoice(say: Say, topup: Topup, *, url: str, contact: Contact | None, draft_id: int) -> View:
    method, amount = topup.method, topup.credit
    parts = [say("pay-bill", sum=amount, way=say(f"pay-way-{method}"))]
    if contact is not None:
        parts.append(say("fiscal-contact-line", contact=escape(contact.shown)))
    rows: Rows = [
        [InlineKeyboardButton(text=say("pay-bill-button", sum=amount), url=url)],
        [button(say("pay-check"), CheckInvoiceButton(topup_id=topup.topup_id))],
        [_back_to_sums(say, method, draft_id)],
    ]
    return View(text="\n\n".join(parts), rows=rows)


def invoice_paid(say: Say) -> View:
    return View(text=say("pay-bill-paid"), rows=[[screen_button(say, "menu-balance", Screen.BALANCE), to_home(say)]])


def invoice_canceled(say: Say) -> View:
    return View(text=say("pay-bill-canceled"), rows=[[screen_button(say, "menu-topup", Screen.TOPUP), to_home(say)]])


def provider_trouble(say: Say, trouble: InvoiceTrouble, *, method: PaymentMethod, draft_id: int) -> View:
    """The provider does not answer, or refuses: nothing was paid, and there are other methods."""
    if trouble == "closed":
        text = say("fiscal-way-closed", way=say(f"pay-way-{method}"))
        return View(text=text, rows=[[_to_methods(say, draft_id)], [to_home(say)]])
    again = button(say("pay-again"), PayButton(step=PayStep.SUMS, way=method, amount=0, draft_id=draft_id))
    text = say("pay-provider-trouble", way=say(f"pay-way-{method}"))
    return View(text=text, rows=[[again], [_to_methods(say, draft_id)]])


def refused(say: Say, text: str, *, draft_id: int = 0) -> View:
    return View(text=text, rows=[[_to_methods(say, draft_id)], [to_home(say)]])


def terms_page(say: Say, *, url: str | None, contact: str) -> View:
    text = say("pay-terms-link", url=escape(url)) if url else say("pay-terms")
    if contact:
        text += "\n\n" + say("pay-contact", contact=escape(contact))
    return View(text=text, rows=[[to_home(say)]])


def _method(say: Say, method: PaymentMethod, draft_id: int) -> InlineKeyboardButton:
    if method == "transfer":
        return button(say("pay-way-transfer"), TransferButton(action=TransferAction.START, draft_id=draft_id))
    return button(say(f"pay-way-{method}"), PayButton(step=PayStep.SUMS, way=method, amount=0, draft_id=draft_id))


def _with_order(say: Say, text: str, waiting: WaitingOrder) -> str:
    return text if waiting.missing is None else f"{text}\n\n{say('pay-for-order', missing=waiting.missing)}"


def _to_methods(say: Say, draft_id: int) -> InlineKeyboardButton:
    return button(say("pay-back-to-ways"), TopupButton(draft_id=draft_id))


def _back_to_sums(say: Say, method: PaymentMethod, draft_id: int) -> InlineKeyboardButton:
    return button(say("pay-back"), PayButton(step=PayStep.SUMS, way=method, amount=0, draft_id=draft_id))


def plan_page(say: Say, plan: SubscriptionPlan, *, draft_id: int) -> View:
    buy = _act(say("pay-subscribe", stars=plan.stars), SubscriptionAction.BUY, draft_id)
    return View(text=_plan(say, plan), rows=[[buy], *_leave(say, draft_id)])


def plan_invoice(say: Say, plan: SubscriptionPlan, *, link: str, draft_id: int) -> View:
    pay = InlineKeyboardButton(text=say("pay-subscribe-button", stars=plan.stars), url=link)
    back = _act(say("pay-back"), SubscriptionAction.SHOW, draft_id)
    return View(text=_plan(say, plan), rows=[[pay], [back]])


def _plan(say: Say, plan: SubscriptionPlan) -> str:
    text = say("pay-plan", stars=plan.stars, credit=plan.credit)
    return f"{text}\n\n{say('pay-plan-more', percent=plan.percent)}" if plan.percent else text


def own_page(say: Say, mine: Subscription, *, draft_id: int) -> View:
    until = f"{mine.expires_at:%d.%m.%Y}"
    text = say("pay-subscribed", stars=mine.stars, credit=mine.allowance)
    if mine.state == "canceled":
        state, act = say("pay-subscription-canceled", until=until), SubscriptionAction.RESUME
        label = say("pay-subscription-resume")
    else:
        state = say("pay-subscription-failed" if mine.state == "failed" else "pay-subscription-active", until=until)
        act, label = SubscriptionAction.CANCEL, say("pay-subscription-cancel")
    return View(text=f"{text}\n\n{state}", rows=[[_act(label, act, draft_id)], *_leave(say, draft_id)])


def none_sold(say: Say, *, draft_id: int) -> View:
    return View(text=say("pay-no-plan"), rows=_leave(say, draft_id))


def support_page(say: Say, payments: Sequence[ListedPayment], *, contact: str) -> View:
    """Whom to write to, how to ask for money back, and the last payments with their numbers."""
    parts = [
        say("pay-support"),
        say("support-here"),
        say("pay-contact", contact=escape(contact)) if contact else "",
        say("pay-support-list") if payments else say("pay-support-empty"),
        "\n".join(_line(say, one) for one in payments),
    ]
    ask = screen_button(say, "support-open", Screen.SUPPORT)
    return View(text="\n\n".join(part for part in parts if part), rows=[[ask], *_leave(say)])


def _line(say: Say, one: ListedPayment) -> str:
    payment, refunding, refunded = one.payment, one.refunded("wanted"), one.refunded("done")
    is_stars = payment.paid.currency == STARS_CURRENCY
    line = say(
        "pay-support-line",
        number=payment.payment_id,
        when=f"{payment.received_at:%d.%m.%Y %H:%M}",
        paid=say("pay-stars", stars=payment.paid.minor) if is_stars else say("pay-sum", sum=payment.paid),
        credit=payment.credit,
    )
    if refunding.minor:
        return f"{line} · {say('pay-support-refunding', amount=refunding)}"
    return f"{line} · {say('pay-support-refunded', amount=refunded)}" if refunded.minor else line


def _leave(say: Say, draft_id: int = 0) -> Rows:
    return [[button(say("menu-topup"), TopupButton(draft_id=draft_id)), to_home(say)]]


def _act(text: str, action: SubscriptionAction, draft_id: int) -> InlineKeyboardButton:
    return button(text, SubscriptionButton(action=action, draft_id=draft_id))
