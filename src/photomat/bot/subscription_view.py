"""The subscription, and a user's last payments, in words; `draft_id` leads back to the order it is for. Pure."""

from collections.abc import Sequence
from html import escape

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import SubscriptionAction, SubscriptionButton, TopupButton
from photomat.bot.views import Rows, View, button, to_home
from photomat.kernel.money import Money
from photomat.payments.offers import STARS_CURRENCY, Plan
from photomat.payments.recent import PastPayment
from photomat.payments.subscriptions import Subscription
from photomat.texts.load import Say


def plan_page(say: Say, plan: Plan, *, draft_id: int) -> View:
    """What the subscription gives, for who has none."""
    buy = _act(say("pay-subscribe", stars=plan.stars), SubscriptionAction.BUY, draft_id)
    rows = [[buy], *_leave(say, draft_id)]
    return View(text=say("pay-plan", stars=plan.stars, credit=plan.credit), rows=rows)


def plan_bill(say: Say, plan: Plan, *, link: str, draft_id: int) -> View:
    """The first month's bill behind its button."""
    pay = InlineKeyboardButton(text=say("pay-subscribe-button", stars=plan.stars), url=link)
    back = _act(say("pay-back"), SubscriptionAction.SHOW, draft_id)
    return View(text=say("pay-plan", stars=plan.stars, credit=plan.credit), rows=[[pay], [back]])


def own_page(say: Say, mine: Subscription, *, draft_id: int) -> View:
    """Until when it is paid and how it goes on."""
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
    """There is no subscription here."""
    return View(text=say("pay-no-plan"), rows=_leave(say, draft_id))


def support_page(say: Say, payments: Sequence[PastPayment], *, contact: str) -> View:
    """Whom to write to, how to ask for money back, and the last payments with their numbers."""
    parts = [say("pay-support")]
    parts.append(say("pay-contact", contact=escape(contact)) if contact else say("pay-no-contact"))
    parts.append(say("pay-support-list") if payments else say("pay-support-empty"))
    lines = "\n".join(_line(say, one) for one in payments)
    return View(text="\n\n".join([*parts, *([lines] if lines else [])]), rows=_leave(say))


def _line(say: Say, one: PastPayment) -> str:
    line = say(
        "pay-support-line",
        number=one.payment_id,
        when=f"{one.received_at:%d.%m.%Y %H:%M}",
        paid=_paid(say, one.paid),
        credit=one.credit,
    )
    if one.refunding.minor:
        return f"{line} · {say('pay-support-refunding', amount=one.refunding)}"
    return f"{line} · {say('pay-support-refunded', amount=one.refunded)}" if one.refunded.minor else line


def _paid(say: Say, paid: Money) -> str:
    if paid.currency == STARS_CURRENCY:
        return say("pay-stars", stars=paid.minor)
    return say("pay-sum", sum=paid)


def _leave(say: Say, draft_id: int = 0) -> Rows:
    return [[button(say("menu-topup"), TopupButton(draft_id=draft_id).pack()), to_home(say)]]


def _act(text: str, action: SubscriptionAction, draft_id: int) -> InlineKeyboardButton:
    return button(text, SubscriptionButton(action=action, draft_id=draft_id).pack())
