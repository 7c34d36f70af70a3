"""Shared by all payment methods: the page that lists them, what the order lacks, why a user may not pay now, links."""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from aiogram import Bot
from aiogram.types import LabeledPrice

from photomat.bot.context import UpdateContext
from photomat.bot.order_card.views import missing
from photomat.bot.price_views import span
from photomat.bot.topup.views import WaitingOrder, methods_page
from photomat.bot.transfer.views import waiting_lines
from photomat.bot.transport import Tap
from photomat.bot.view import View
from photomat.kernel.ids import DraftId, MessageId
from photomat.payments.options import STARS_CURRENCY
from photomat.payments.receipt import waiting_of
from photomat.payments.service import DailyLimitReached, PayerBanned, TooManyReceipts, TopupRefusal, TopupRequest
from photomat.payments.stars import invoice_payload
from photomat.payments.topup import Topup, note_message
from photomat.texts.load import Say

CALL_TIMEOUT_S: Final = 10


async def methods_view(ctx: UpdateContext, *, draft_id: int = 0) -> View:
    page = methods_page(
        ctx.say,
        ctx.topups.methods(),
        plan=ctx.topups.options.plan is not None,
        balance=(await ctx.balance()).available,
        waiting=await waiting_order(ctx, draft_id),
    )
    receipts = waiting_lines(ctx.say, await waiting_of(ctx.pool, ctx.user_id))
    return replace(page, text="\n\n".join([page.text, *receipts]))


async def answer_method_closed(tap: Tap, ctx: UpdateContext, draft_id: int) -> None:
    await tap.answer(ctx.say("pay-way-closed"), alert=True)
    await tap.open(await methods_view(ctx, draft_id=draft_id))


async def waiting_order(ctx: UpdateContext, draft_id: int) -> WaitingOrder:
    """The order that waits for money, while it can still be bought and the wallet does not cover it."""
    found = await ctx.orders.find(ctx.user_id, draft_id) if draft_id else None
    if found is None or found.draft.is_closed:
        return WaitingOrder()
    price, available = found.draft.price, (await ctx.balance()).available
    return WaitingOrder(draft_id=draft_id, missing=missing(price, available) if available < price else None)


def refusal_text(say: Say, refusal: TopupRefusal) -> str:
    match refusal:
        case DailyLimitReached():
            return say("pay-limit", limit=refusal.limit, wait=span(say, refusal.wait))
        case TooManyReceipts():
            return say("transfer-too-many", limit=refusal.limit)
        case PayerBanned(wait=wait):
            return say("pay-banned-for-good") if wait is None else say("pay-banned", wait=span(say, wait))


async def topup_request(ctx: UpdateContext, draft_id: int) -> TopupRequest:
    """What this update asks for; a new user gets their wallet now. A `draft_id` of 0 is none."""
    await ctx.register_now()
    return TopupRequest(
        origin=ctx.origin,
        bot_id=ctx.bot_id,
        user_id=ctx.user_id,
        draft_id=DraftId(draft_id) if draft_id else None,
    )


def note_invoice(ctx: UpdateContext, message_id: MessageId | None, topup: Topup | None = None) -> None:
    """Remember the message that shows an invoice, to end it when it is paid; without one the message shows another page."""
    if message_id is None:
        return
    user_id, chat_id, topup_id = ctx.user_id, ctx.chat_id, None if topup is None else topup.topup_id
    ctx.on_commit(
        lambda tx: note_message(tx, user_id=user_id, chat_id=chat_id, message_id=message_id, topup_id=topup_id)
    )


async def stars_link(
    bot: Bot, topup: Topup, *, title: str, description: str, renewed_every: timedelta | None = None
) -> str:
    """The URL of an invoice in Stars; with `renewed_every` it starts a subscription."""
    return await bot.create_invoice_link(
        title=title,
        description=description,
        payload=invoice_payload(topup),
        currency=STARS_CURRENCY,
        prices=[LabeledPrice(label=title, amount=topup.asked_amount)],
        subscription_period=int(renewed_every.total_seconds()) if renewed_every else None,
        request_timeout=CALL_TIMEOUT_S,
    )
