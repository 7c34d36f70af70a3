"""The dispatcher: routers and middlewares in reading order.

aiogram's own FSM middleware is off: `dispatch` hands each update its conversation, loaded before and written after.
"""

from typing import Final

from aiogram import Bot, Dispatcher
from aiogram.types import BotCommand

from photomat.bot.handlers import (
    balance,
    browse,
    change,
    compose,
    confirm,
    fallback,
    history,
    language,
    membership,
    pricing,
    result,
    start,
    topup,
)
from photomat.bot.middlewares import AnswerEveryTap, RegisterWhoIsAnswered, Welcome
from photomat.bot.shop import Shop
from photomat.catalog.load import Catalog
from photomat.catalog.pricing import Rates
from photomat.db.pool import Pool
from photomat.jobs.job import Times
from photomat.jobs.limits import USUAL, Limits
from photomat.kernel.money import Money
from photomat.texts.load import LANGUAGES, Texts
from photomat.users.user import DEFAULT_LANGUAGE

ALLOWED_UPDATES: Final = ("message", "callback_query", "my_chat_member", "pre_checkout_query")
"""What we ask Telegram for, by webhook and by long polling; anything else that comes is handled quietly."""

COMMANDS: Final = ("start", "balance", "history", "cancel", "lang", "help")
CALL_TIMEOUT_S: Final = 10


def build_dispatcher(
    *,
    pool: Pool,
    texts: Texts,
    catalog: Catalog,
    rates: Rates,
    times: Times,
    welcome_credit: Money,
    limits: Limits = USUAL,
) -> Dispatcher:
    """Everything a user can say to the bot; what handlers depend on is here by name."""
    dispatcher = Dispatcher(disable_fsm=True)
    dispatcher["texts"] = texts
    dispatcher["welcome_credit"] = welcome_credit
    dispatcher["shop"] = Shop(
        pool=pool, catalog=catalog, rates=rates, times=times, welcome_credit=welcome_credit, limits=limits
    )
    dispatcher.update.outer_middleware(Welcome())
    dispatcher.callback_query.outer_middleware(AnswerEveryTap())
    dispatcher.message.middleware(RegisterWhoIsAnswered())
    dispatcher.callback_query.middleware(RegisterWhoIsAnswered())
    dispatcher.include_routers(
        start.router(),
        balance.router(),
        history.router(),
        language.router(),
        fallback.commands_router(),
        browse.router(),
        compose.router(),
        confirm.router(),
        change.router(),
        pricing.router(),
        result.router(),
        membership.router(),
        topup.router(),
        fallback.router(),
    )
    return dispatcher


async def announce_commands(bot: Bot, texts: Texts) -> None:
    """Fill the command menu of Telegram's clients, in each language; clients of other languages show the default."""
    for spoken in LANGUAGES:
        commands = [BotCommand(command=name, description=texts.say(spoken, f"command-{name}")) for name in COMMANDS]
        code = None if spoken == DEFAULT_LANGUAGE else spoken
        await bot.set_my_commands(commands, language_code=code, request_timeout=CALL_TIMEOUT_S)
