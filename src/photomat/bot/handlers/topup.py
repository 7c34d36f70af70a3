"""Money coming in is not open yet: a checkout is refused at once, with a reason, before anything is paid."""

from aiogram import Router
from aiogram.types import PreCheckoutQuery

from photomat.bot.visit import Visit


async def refuse_checkout(query: PreCheckoutQuery, visit: Visit) -> None:
    """Answer within Telegram's ten seconds."""
    await query.answer(ok=False, error_message=visit.say("checkout-closed"))


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="topup")
    routes.pre_checkout_query.register(refuse_checkout)
    return routes
