"""/paysupport and /terms: whom to ask about a payment, and what was agreed. Telegram asks every shop for both."""

from typing import Final

from aiogram import Router
from aiogram.filters import Command
from aiogram.types import Message

from photomat.bot.pay_view import terms_page
from photomat.bot.screen import send
from photomat.bot.subscription_view import support_page
from photomat.bot.visit import Visit
from photomat.payments.recent import recent_payments

SHOWN: Final = 5


async def support(message: Message, visit: Visit) -> None:
    """Say whom to write to, with the numbers they will ask for."""
    payments = await recent_payments(visit.shop.pool, user_id=visit.user_id, limit=SHOWN)
    await send(message, support_page(visit.say, payments, contact=visit.shop.support.contact))


async def terms(message: Message, visit: Visit) -> None:
    """Say what is sold and when money comes back."""
    support = visit.shop.support
    await send(message, terms_page(visit.say, url=support.terms_url, contact=support.contact))


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="paysupport")
    routes.message.register(support, Command("paysupport"))
    routes.message.register(terms, Command("terms"))
    return routes
