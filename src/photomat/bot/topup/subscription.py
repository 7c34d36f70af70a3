"""«⭐ Подписка»: what it gives, until when it is paid, cancel and resume. What Telegram tells of it is written down.

Ending it at Telegram bears repeating, and is noted only after Telegram took it. The bot can end the next month, and allow it
again; taking it up again is the user's own act in Telegram.
"""

from typing import Final

from aiogram import Bot, F, Router
from aiogram.types import BotSubscriptionUpdated, CallbackQuery, LabeledPrice

from photomat.bot.buttons import SubscriptionAction, SubscriptionButton
from photomat.bot.context import Visit
from photomat.bot.pages import View
from photomat.bot.topup import views
from photomat.bot.topup.ways import draft_of, limit_reached
from photomat.bot.transport import Tap
from photomat.db.pool import Transaction, transaction
from photomat.kernel.money import Money
from photomat.payments import notices, subscriptions
from photomat.payments.offers import STARS_CURRENCY, Plan
from photomat.payments.stars import offer_of, payload_of
from photomat.payments.subscriptions import PERIOD, Subscription, SubscriptionState
from photomat.payments.topup import open_topup

CALL_TIMEOUT_S: Final = 10
TOLD: Final[dict[str, SubscriptionState]] = {"active": "active", "canceled": "canceled", "failed": "failed"}


async def show(_query: CallbackQuery, callback_data: SubscriptionButton, tap: Tap, visit: Visit) -> None:
    """Show one's own, or what there is to subscribe to."""
    await tap.answer()
    await tap.open(await _page(visit, callback_data.draft_id))


async def subscribe(_query: CallbackQuery, callback_data: SubscriptionButton, bot: Bot, tap: Tap, visit: Visit) -> None:
    """Show the first month's bill; who has a subscription is shown that instead."""
    await tap.answer()
    plan = visit.shop.offers.plan if visit.shop.offers else None
    if plan is None or await subscriptions.current_subscription(visit.shop.pool, visit.user_id) is not None:
        await tap.open(await _page(visit, callback_data.draft_id))
        return
    refusal = await limit_reached(visit)
    if refusal is not None:
        await tap.open(views.refused(visit.say, refusal, draft_id=callback_data.draft_id))
        return
    draft_id = callback_data.draft_id
    link = await _link(await visit.as_user(), bot, plan, draft_id=draft_id)
    await tap.open(views.plan_bill(visit.say, plan, link=link, draft_id=draft_id))


async def cancel(_query: CallbackQuery, callback_data: SubscriptionButton, bot: Bot, tap: Tap, visit: Visit) -> None:
    """End every one with the month that is paid: after this nothing more is charged."""
    running = [
        one
        for one in await subscriptions.current_subscriptions(visit.shop.pool, visit.user_id)
        if one.state != "canceled"
    ]
    if not running:
        has_one = await subscriptions.current_subscription(visit.shop.pool, visit.user_id) is not None
        await tap.answer(visit.say("pay-subscription-canceled-before" if has_one else "pay-subscription-none"))
        await tap.open(await _page(visit, callback_data.draft_id))
        return
    for one in running:
        await _tell_telegram(bot, one, is_canceled=True)

    async def write(tx: Transaction) -> None:
        await subscriptions.cancel(tx, running)

    visit.unit.steps.append(write)
    await tap.answer(visit.say("pay-subscription-canceled-now"), alert=True)
    await tap.open(views.own_page(visit.say, running[0].as_canceled(), draft_id=callback_data.draft_id))


async def resume(_query: CallbackQuery, callback_data: SubscriptionButton, bot: Bot, tap: Tap, visit: Visit) -> None:
    """Allow it again, and say where Telegram takes it up."""
    mine = await subscriptions.current_subscription(visit.shop.pool, visit.user_id)
    if mine is None or mine.state != "canceled":
        await tap.answer()
        await tap.open(await _page(visit, callback_data.draft_id))
        return
    await _tell_telegram(bot, mine, is_canceled=False)
    await tap.answer(visit.say("pay-subscription-how-to-resume"), alert=True)


async def told(event: BotSubscriptionUpdated, visit: Visit) -> None:
    """Write down what became of a subscription."""
    async with transaction(visit.shop.pool) as tx:
        topup = await offer_of(tx, event.invoice_payload)
    topup_id, state = topup.topup_id if topup else None, TOLD.get(event.state)

    async def write(tx: Transaction) -> None:
        if state is None:
            return
        changed = await subscriptions.set_state(tx, user_id=visit.user_id, topup_id=topup_id, state=state)
        if changed is not None and changed.state == "failed":
            await notices.notify_not_renewed(tx, changed)

    visit.unit.steps.append(write)


async def _page(visit: Visit, draft_id: int) -> View:
    mine = await subscriptions.current_subscription(visit.shop.pool, visit.user_id)
    if mine is not None:
        return views.own_page(visit.say, mine, draft_id=draft_id)
    plan = visit.shop.offers.plan if visit.shop.offers else None
    if plan is None:
        return views.none_sold(visit.say, draft_id=draft_id)
    return views.plan_page(visit.say, plan, draft_id=draft_id)


async def _link(visit: Visit, bot: Bot, plan: Plan, *, draft_id: int) -> str:
    topup = await open_topup(
        visit.shop.pool,
        origin=visit.unit.origin,
        bot_id=visit.unit.bot_id,
        user_id=visit.user_id,
        way="subscription",
        asked=Money(plan.stars, STARS_CURRENCY),
        credit=plan.credit,
        draft_id=draft_of(draft_id),
    )
    title = visit.say("pay-subscription-title")
    return await bot.create_invoice_link(
        title=title,
        description=visit.say("pay-subscription-description", credit=plan.credit),
        payload=payload_of(topup),
        currency=STARS_CURRENCY,
        prices=[LabeledPrice(label=title, amount=plan.stars)],
        subscription_period=int(PERIOD.total_seconds()),
        request_timeout=CALL_TIMEOUT_S,
    )


async def _tell_telegram(bot: Bot, mine: Subscription, *, is_canceled: bool) -> None:
    await bot.edit_user_star_subscription(
        user_id=mine.user_id,
        telegram_payment_charge_id=mine.charge_id,
        is_canceled=is_canceled,
        request_timeout=CALL_TIMEOUT_S,
    )


def subscription_router() -> Router:
    """The ways to get here."""
    routes = Router(name="subscription")
    for action, handler in (
        (SubscriptionAction.SHOW, show),
        (SubscriptionAction.BUY, subscribe),
        (SubscriptionAction.CANCEL, cancel),
        (SubscriptionAction.RESUME, resume),
    ):
        routes.callback_query.register(handler, SubscriptionButton.filter(F.action == action))
    routes.subscription.register(told)
    return routes
