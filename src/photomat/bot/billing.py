"""A bill at a provider: the offer is committed, then the provider is asked under the offer's own key. Bears repeating."""

import asyncio
from typing import Final

from aiogram import Bot
from aiogram.exceptions import ClientDecodeError, TelegramAPIError

from photomat.bot import pay_view
from photomat.bot.paying import draft_of, limit_reached
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.kernel.errors import PhotomatError
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.payments.invoices import bill
from photomat.payments.offers import Way
from photomat.payments.topup import open_topup

PROVIDER_PATIENCE_S: Final = 12
"""Well within the lease of the update: the user is told rather than left waiting."""

log = get_logger()


async def home_link(bot: Bot) -> str | None:
    """Where a provider sends the payer back to: this chat; nowhere when Telegram does not say how we are called."""
    try:
        me = await bot.me()
    except (TelegramAPIError, ClientDecodeError):
        return None
    return f"https://t.me/{me.username}" if me.username else None


async def provider_bill(visit: Visit, way: Way, amount: Money, *, draft_id: int, return_url: str | None) -> View:
    """The bill, or why there is none."""
    say, shop = visit.say, visit.shop
    refusal = await limit_reached(visit)
    if refusal is not None:
        return pay_view.refused(say, refusal, draft_id=draft_id)
    visit = await visit.as_user()
    topup = await open_topup(
        shop.pool,
        origin=visit.unit.origin,
        bot_id=visit.unit.bot_id,
        user_id=visit.user_id,
        way=way,
        asked=amount,
        credit=amount,
        draft_id=draft_of(draft_id),
    )
    try:
        async with asyncio.timeout(PROVIDER_PATIENCE_S):
            invoice = await bill(
                shop.pool,
                shop.providers[way],
                topup,
                description=say("pay-title", credit=amount),
                return_url=return_url,
            )
    except (PhotomatError, TimeoutError) as error:
        log.warning("BILL_FAILED", provider=way, topup_id=topup.topup_id, error=str(error) or "no answer in time")
        return pay_view.provider_trouble(say, way=way, draft_id=draft_id)
    log.info("BILL", provider=way, topup_id=topup.topup_id, invoice=invoice.external_id, user_id=visit.user_id)
    return pay_view.provider_bill(
        say, way=way, amount=amount, url=invoice.pay_url, topup_id=topup.topup_id, draft_id=draft_id
    )
