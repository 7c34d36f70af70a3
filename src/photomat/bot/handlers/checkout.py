"""Telegram asks before it takes anybody's Stars, and waits ten seconds. A no has a reason the user reads.

Where nobody here can answer in time, `checkout_guard` does.
"""

from typing import Final

from aiogram import Router
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import PreCheckoutQuery

from photomat.bot.paying import in_words
from photomat.bot.visit import Visit
from photomat.kernel.errors import Rejected
from photomat.kernel.logs import get_logger
from photomat.payments.checkout import Checkout, check_checkout

CALL_TIMEOUT_S: Final = 5
log = get_logger()


async def answer(query: PreCheckoutQuery, visit: Visit) -> None:
    """Answer within Telegram's ten seconds; one too old to be answered has ended by itself, unpaid."""
    refusal = await _refusal(query, visit)
    log.info("CHECKOUT", user_id=visit.user_id, stars=query.total_amount, refused=refusal is not None)
    try:
        await query.answer(ok=refusal is None, error_message=refusal, request_timeout=CALL_TIMEOUT_S)
    except TelegramBadRequest as error:
        log.warning("CHECKOUT_LATE", user_id=visit.user_id, error=error.message)


async def _refusal(query: PreCheckoutQuery, visit: Visit) -> str | None:
    if visit.shop.offers is None:
        return visit.say("checkout-closed")
    asked = Checkout(
        user_id=visit.user_id,
        payload=query.invoice_payload,
        amount=query.total_amount,
        currency=query.currency,
        has_blocked_us=visit.person.user.is_blocked,
    )
    try:
        await check_checkout(visit.shop.pool, asked, visit.shop.offers)
    except Rejected as refused:
        return visit.say(refused.text_key, **in_words(visit.say, refused.facts))
    return None


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="checkout")
    routes.pre_checkout_query.register(answer)
    return routes
