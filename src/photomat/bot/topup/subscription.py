"""«⭐ Подписка»: what it gives, until when it is paid, cancel and resume; and Telegram's updates about it.

Canceling at Telegram is idempotent, and recorded only after Telegram accepted it. The bot can cancel the next month and
allow it again; resuming is up to the user in Telegram.
"""

from typing import Final

from aiogram import Bot, F, Router
from aiogram.types import BotSubscriptionUpdated, CallbackQuery

from photomat.bot.buttons import SubscriptionAction, SubscriptionButton
from photomat.bot.context import UpdateContext
from photomat.bot.topup import views
from photomat.bot.topup.methods import CALL_TIMEOUT_S, note_invoice, refusal_text, stars_link, topup_request
from photomat.bot.transport import Tap
from photomat.bot.view import View
from photomat.db.pool import Transaction, transaction
from photomat.payments import notices, subscriptions
from photomat.payments.stars import topup_of
from photomat.payments.subscriptions import PERIOD, Subscription, SubscriptionState

KNOWN_STATES: Final[dict[str, SubscriptionState]] = {"active": "active", "canceled": "canceled", "failed": "failed"}


def router() -> Router:
    routes = Router(name="subscription")
    for action, handler in (
        (SubscriptionAction.SHOW, show_subscription),
        (SubscriptionAction.BUY, subscribe),
        (SubscriptionAction.CANCEL, cancel_subscription),
        (SubscriptionAction.RESUME, resume_subscription),
    ):
        routes.callback_query.register(handler, SubscriptionButton.filter(F.action == action))
    routes.subscription.register(subscription_changed)
    return routes


async def show_subscription(
    _query: CallbackQuery, callback_data: SubscriptionButton, tap: Tap, ctx: UpdateContext
) -> None:
    await tap.answer()
    note_invoice(ctx, tap.message_id)
    await tap.open(await _page(ctx, callback_data.draft_id))


async def subscribe(
    _query: CallbackQuery, callback_data: SubscriptionButton, bot: Bot, tap: Tap, ctx: UpdateContext
) -> None:
    """Show the first month's invoice; a subscriber is shown their subscription instead."""
    await tap.answer()
    plan, draft_id = ctx.topups.options.plan, callback_data.draft_id
    if plan is None or await subscriptions.current_subscription(ctx.pool, ctx.user_id) is not None:
        await tap.open(await _page(ctx, draft_id))
        return
    refusal = await ctx.topups.refusal(ctx.user_id, "subscription")
    if refusal is not None:
        await tap.open(views.refused(ctx.say, refusal_text(ctx.say, refusal), draft_id=draft_id))
        return
    topup = await ctx.topups.start_in_stars(await topup_request(ctx, draft_id), plan)
    link = await stars_link(
        bot,
        topup,
        title=ctx.say("pay-subscription-title"),
        description=ctx.say("pay-subscription-description", credit=plan.credit),
        renewed_every=PERIOD,
    )
    shown = await tap.open(views.plan_invoice(ctx.say, plan, link=link, draft_id=draft_id))
    note_invoice(ctx, shown, topup)


async def cancel_subscription(
    _query: CallbackQuery, callback_data: SubscriptionButton, bot: Bot, tap: Tap, ctx: UpdateContext
) -> None:
    """Cancel every subscription of the user at the end of the paid month: nothing more is charged."""
    running = [
        one for one in await subscriptions.current_subscriptions(ctx.pool, ctx.user_id) if one.state != "canceled"
    ]
    if not running:
        has_one = await subscriptions.current_subscription(ctx.pool, ctx.user_id) is not None
        await tap.answer(ctx.say("pay-subscription-canceled-before" if has_one else "pay-subscription-none"))
        await tap.open(await _page(ctx, callback_data.draft_id))
        return
    for one in running:
        await _set_canceled(bot, one, is_canceled=True)
    ctx.on_commit(lambda tx: subscriptions.note_canceled(tx, running))
    await tap.answer(ctx.say("pay-subscription-canceled-now"), alert=True)
    await tap.open(views.own_page(ctx.say, running[0].as_canceled(), draft_id=callback_data.draft_id))


async def resume_subscription(
    _query: CallbackQuery, callback_data: SubscriptionButton, bot: Bot, tap: Tap, ctx: UpdateContext
) -> None:
    """Allow it again, and say where to resume it in Telegram."""
    mine = await subscriptions.current_subscription(ctx.pool, ctx.user_id)
    if mine is None or mine.state != "canceled":
        await tap.answer()
        await tap.open(await _page(ctx, callback_data.draft_id))
        return
    await _set_canceled(bot, mine, is_canceled=False)
    await tap.answer(ctx.say("pay-subscription-how-to-resume"), alert=True)


async def subscription_changed(event: BotSubscriptionUpdated, ctx: UpdateContext) -> None:
    async with transaction(ctx.pool) as tx:
        topup = await topup_of(tx, event.invoice_payload)
    topup_id, state = topup.topup_id if topup else None, KNOWN_STATES.get(event.state)

    async def write(tx: Transaction) -> None:
        if state is None:
            return
        changed = await subscriptions.set_state(tx, user_id=ctx.user_id, topup_id=topup_id, state=state)
        if changed is not None and changed.state == "failed":
            await notices.notify_not_renewed(tx, changed)

    ctx.on_commit(write)


async def _page(ctx: UpdateContext, draft_id: int) -> View:
    mine = await subscriptions.current_subscription(ctx.pool, ctx.user_id)
    if mine is not None:
        return views.own_page(ctx.say, mine, draft_id=draft_id)
    plan = ctx.topups.options.plan
    return views.plan_page(ctx.say, plan, draft_id=draft_id) if plan else views.none_sold(ctx.say, draft_id=draft_id)


async def _set_canceled(bot: Bot, mine: Subscription, *, is_canceled: bool) -> None:
    await bot.edit_user_star_subscription(
        user_id=mine.user_id,
        telegram_payment_charge_id=mine.charge_id,
        is_canceled=is_canceled,
        request_timeout=CALL_TIMEOUT_S,
    )
