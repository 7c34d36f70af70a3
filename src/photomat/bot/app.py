"""The dispatcher: routers and middlewares in reading order.

aiogram's own FSM middleware is off: `dispatch` hands each update its conversation, loaded before and written after.
"""

from typing import Final

from aiogram import Bot, Dispatcher, Router
from aiogram.types import BotCommand

from photomat.bot.handlers import (
    balance,
    bills,
    browse,
    change,
    checkout,
    compose,
    confirm,
    deep_link,
    fallback,
    gift,
    history,
    invite,
    language,
    membership,
    own_sum,
    paysupport,
    pick_result,
    price_table,
    private,
    promo,
    receipts,
    result,
    search,
    stars,
    start,
    statement,
    subscription,
    topup,
    transfer,
    why_price,
)
from photomat.bot.middlewares import (
    AnswerEveryTap,
    OpeningAPageLeavesTheQuestion,
    RegisterWhoIsAnswered,
    Welcome,
)
from photomat.bot.shop import Shop
from photomat.texts.load import LANGUAGES, Texts
from photomat.users.user import DEFAULT_LANGUAGE

ALLOWED_UPDATES: Final = ("message", "callback_query", "my_chat_member", "pre_checkout_query", "subscription")
"""What we ask Telegram for, by webhook and by long polling; anything else that comes is handled quietly."""

COMMANDS: Final = (
    "start",
    "search",
    "balance",
    "topup",
    "statement",
    "history",
    "promo",
    "invite",
    "gift",
    "cancel",
    "lang",
    "help",
    "paysupport",
    "terms",
)
CALL_TIMEOUT_S: Final = 10


def build_dispatcher(*, shop: Shop, texts: Texts) -> Dispatcher:
    """Everything a user can say to the bot; what handlers depend on is here by name."""
    dispatcher = Dispatcher(disable_fsm=True)
    dispatcher["texts"] = texts
    dispatcher["welcome_credit"] = shop.welcome_credit
    dispatcher["shop"] = shop
    dispatcher.update.outer_middleware(Welcome())
    dispatcher.callback_query.outer_middleware(AnswerEveryTap())
    dispatcher.message.middleware(RegisterWhoIsAnswered())
    dispatcher.callback_query.middleware(RegisterWhoIsAnswered())
    dispatcher.message.middleware(OpeningAPageLeavesTheQuestion())
    dispatcher.callback_query.middleware(OpeningAPageLeavesTheQuestion())
    dispatcher.include_routers(*_routers())
    return dispatcher


def _routers() -> list[Router]:
    """Who is asked, in this order: commands before forms, everything else last."""
    return [
        private.router(),
        stars.router(),
        checkout.router(),
        transfer.commands_router(),
        receipts.commands_router(),
        deep_link.router(),
        start.router(),
        balance.router(),
        statement.router(),
        history.router(),
        language.router(),
        search.router(),
        promo.router(),
        invite.router(),
        gift.router(),
        topup.router(),
        paysupport.router(),
        fallback.commands_router(),
        browse.router(),
        price_table.router(),
        transfer.router(),
        receipts.router(),
        pick_result.router(),
        compose.router(),
        confirm.router(),
        change.router(),
        why_price.router(),
        result.router(),
        membership.router(),
        own_sum.router(),
        bills.router(),
        subscription.router(),
        fallback.router(),
    ]


async def announce_commands(bot: Bot, texts: Texts) -> None:
    """Fill the command menu of Telegram's clients, in each language; clients of other languages show the default."""
    for spoken in LANGUAGES:
        commands = [BotCommand(command=name, description=texts.say(spoken, f"command-{name}")) for name in COMMANDS]
        code = None if spoken == DEFAULT_LANGUAGE else spoken
        await bot.set_my_commands(commands, language_code=code, request_timeout=CALL_TIMEOUT_S)
