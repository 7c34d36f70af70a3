"""Money coming in is not open yet: a checkout is refused at once, with a reason, before anything is paid."""

from aiogram import Router
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import PreCheckoutQuery

from photomat.bot.visit import Visit


async def refuse_checkout(query: PreCheckoutQuery, visit: Visit) -> None:
    """Answer within Telegram's ten seconds; one too old to be answered has ended by itself, unpaid."""
    try:
        await query.answer(ok=False, error_message=visit.say("checkout-closed"))
    except TelegramBadRequest:
        return


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="topup")
    routes.pre_checkout_query.register(refuse_checkout)
    return routes
