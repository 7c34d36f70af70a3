"""Shared by all ways of paying: which are open, what the order lacks, whether the user may pay now, invoices.

A top-up is committed before Telegram or a provider is asked for its invoice, under the top-up's own key: idempotent.
"""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Final

from aiogram import Bot
from aiogram.exceptions import ClientDecodeError, TelegramAPIError
from aiogram.types import LabeledPrice

from photomat.bot.context import BotConfig, UpdateContext
from photomat.bot.order_card.views import missing
from photomat.bot.price_views import span
from photomat.bot.topup import views
from photomat.bot.topup.views import Waiting, ways_page
from photomat.bot.transfer.views import waiting_lines
from photomat.bot.transport import Tap
from photomat.bot.view import View
from photomat.kernel.errors import PhotomatError
from photomat.kernel.ids import DraftId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.payments.invoices import create_invoice
from photomat.payments.options import STARS_CURRENCY, Way
from photomat.payments.stars import payload_of, wait_to_pay
from photomat.payments.topup import Topup, open_topup
from photomat.payments.transfers import waiting_of
from photomat.texts.load import Say

CALL_TIMEOUT_S: Final = 10
PROVIDER_TIMEOUT_S: Final = 12
"""Well within the lease of the update: the user gets an answer rather than a wait."""
log = get_logger()


def open_ways(config: BotConfig) -> tuple[Way, ...]:
    """The ways that are switched on, the usual one first."""
    if config.offers is None:
        return ()
    ways: dict[Way, object] = {
        "stars": config.offers.packages,
        "yookassa": config.providers.get("yookassa"),
        "cryptopay": config.providers.get("cryptopay"),
        "transfer": config.offers.transfer_details,
    }
    return tuple(way for way, switched_on in ways.items() if switched_on)


async def ways_view(ctx: UpdateContext, *, draft_id: int = 0) -> View:
    balance, offers = await ctx.balance(), ctx.config.offers
    page = ways_page(
        ctx.say,
        open_ways(ctx.config),
        plan=offers is not None and offers.plan is not None,
        balance=balance.available,
        waiting=await waiting_order(ctx, draft_id),
    )
    receipts = waiting_lines(ctx.say, await waiting_of(ctx.pool, ctx.user_id))
    return replace(page, text="\n\n".join([page.text, *receipts]))


async def answer_way_closed(tap: Tap, ctx: UpdateContext, draft_id: int) -> None:
    await tap.answer(ctx.say("pay-way-closed"), alert=True)
    await tap.open(await ways_view(ctx, draft_id=draft_id))


async def waiting_order(ctx: UpdateContext, draft_id: int) -> Waiting:
    """The order that waits for money, while it can still be bought and the wallet does not cover it."""
    found = await ctx.orders.find(ctx.user_id, draft_id) if draft_id else None
    if found is None or found.draft.is_closed:
        return Waiting()
    price, available = found.draft.price, (await ctx.balance()).available
    return Waiting(draft_id=draft_id, missing=missing(price, available) if available < price else None)


async def limit_reached(ctx: UpdateContext) -> str | None:
    """Why the user may not pay now, and until when; None when they may."""
    offers = ctx.config.offers
    if offers is None:
        return ctx.say("pay-nothing-open")
    wait = await wait_to_pay(ctx.pool, ctx.user_id, a_day=offers.a_day)
    return None if wait is None else ctx.say("pay-limit", limit=offers.a_day, wait=span(ctx.say, wait))


def in_words(say: Say, facts: dict[str, object]) -> dict[str, object]:
    """Facts of a refusal with its waits written out."""
    return {name: span(say, fact) if isinstance(fact, timedelta) else fact for name, fact in facts.items()}


async def start_topup(ctx: UpdateContext, way: Way, *, asked: Money, credit: Money, draft_id: int) -> Topup:
    """Create the top-up this update asks for; a `draft_id` of 0 is none."""
    await ctx.register_now()
    return await open_topup(
        ctx.pool,
        origin=ctx.origin,
        bot_id=ctx.bot_id,
        user_id=ctx.user_id,
        way=way,
        asked=asked,
        credit=credit,
        draft_id=DraftId(draft_id) if draft_id else None,
    )


async def stars_link(
    bot: Bot, topup: Topup, *, stars: int, title: str, description: str, renewed_every: timedelta | None = None
) -> str:
    """The URL of an invoice in Stars; with `renewed_every` it starts a subscription."""
    return await bot.create_invoice_link(
        title=title,
        description=description,
        payload=payload_of(topup),
        currency=STARS_CURRENCY,
        prices=[LabeledPrice(label=title, amount=stars)],
        subscription_period=int(renewed_every.total_seconds()) if renewed_every else None,
        request_timeout=CALL_TIMEOUT_S,
    )


async def home_link(bot: Bot) -> str | None:
    """Where a provider sends the payer back to: this chat; None when Telegram does not say our username."""
    try:
        me = await bot.me()
    except (TelegramAPIError, ClientDecodeError):
        return None
    return f"https://t.me/{me.username}" if me.username else None


async def provider_invoice(
    ctx: UpdateContext, way: Way, amount: Money, *, draft_id: int, return_url: str | None
) -> View:
    say = ctx.say
    refusal = await limit_reached(ctx)
    if refusal is not None:
        return views.refused(say, refusal, draft_id=draft_id)
    topup = await start_topup(ctx, way, asked=amount, credit=amount, draft_id=draft_id)
    try:
        async with asyncio.timeout(PROVIDER_TIMEOUT_S):
            invoice = await create_invoice(
                ctx.pool,
                ctx.config.providers[way],
                topup,
                description=say("pay-title", credit=amount),
                return_url=return_url,
            )
    except (PhotomatError, TimeoutError) as error:
        log.warning("BILL_FAILED", provider=way, topup_id=topup.topup_id, error=str(error) or "no answer in time")
        return views.provider_trouble(say, way=way, draft_id=draft_id)
    log.info("BILL", provider=way, topup_id=topup.topup_id, invoice=invoice.external_id, user_id=ctx.user_id)
    return views.provider_invoice(
        say, way=way, amount=amount, url=invoice.pay_url, topup_id=topup.topup_id, draft_id=draft_id
    )
