"""The dispatcher: routers and middlewares in the order they are asked.

aiogram's own FSM middleware is off: the worker loads each update's conversation before its handlers and writes it after them.
"""

from typing import Final

from aiogram import Bot, Dispatcher, Router
from aiogram.types import BotCommand

from photomat.bot.menu import deep_link, fallback, search
from photomat.bot.menu import handlers as menu_handlers
from photomat.bot.middlewares import AnswerEveryTap, OpeningAPageLeavesTheQuestion, RegisterWhoIsAnswered
from photomat.bot.order_card import handlers as order_card_handlers
from photomat.bot.order_form import handlers as order_form_handlers
from photomat.bot.results import handlers as results_handlers
from photomat.bot.rewards import handlers as rewards_handlers
from photomat.bot.topup import handlers as topup_handlers
from photomat.bot.topup import stars, subscription
from photomat.bot.transfer import handlers as transfer_handlers
from photomat.bot.transfer import review
from photomat.bot.wallet import handlers as wallet_handlers
from photomat.texts.load import LANGUAGES, Texts
from photomat.users.user import DEFAULT_LANGUAGE

ALLOWED_UPDATES: Final = ("message", "callback_query", "my_chat_member", "pre_checkout_query", "subscription")
"""The updates we ask Telegram for; any other kind is marked as handled without an answer."""

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


def build_dispatcher() -> Dispatcher:
    """Handlers get an `UpdateContext` as `ctx`, made by the worker."""
    dispatcher = Dispatcher(disable_fsm=True)
    dispatcher.callback_query.outer_middleware(AnswerEveryTap())
    dispatcher.message.middleware(RegisterWhoIsAnswered())
    dispatcher.callback_query.middleware(RegisterWhoIsAnswered())
    dispatcher.message.middleware(OpeningAPageLeavesTheQuestion())
    dispatcher.callback_query.middleware(OpeningAPageLeavesTheQuestion())
    dispatcher.include_routers(*_routers())
    return dispatcher


def _routers() -> list[Router]:
    """The first router that matches handles the update: commands before forms, the fallback last."""
    return [
        fallback.private_router(),
        stars.stars_router(),
        stars.checkout_router(),
        transfer_handlers.transfer_commands_router(),
        review.receipts_commands_router(),
        deep_link.deep_link_router(),
        menu_handlers.start_router(),
        wallet_handlers.balance_router(),
        wallet_handlers.statement_router(),
        results_handlers.history_router(),
        menu_handlers.language_router(),
        search.search_router(),
        rewards_handlers.promo_router(),
        rewards_handlers.invite_router(),
        rewards_handlers.gift_router(),
        topup_handlers.topup_router(),
        topup_handlers.paysupport_router(),
        fallback.fallback_commands_router(),
        menu_handlers.browse_router(),
        order_form_handlers.price_table_router(),
        transfer_handlers.transfer_router(),
        review.receipts_router(),
        order_form_handlers.pick_result_router(),
        order_form_handlers.compose_router(),
        order_card_handlers.confirm_router(),
        order_card_handlers.change_router(),
        order_card_handlers.why_price_router(),
        results_handlers.result_router(),
        fallback.membership_router(),
        topup_handlers.own_sum_router(),
        topup_handlers.bills_router(),
        subscription.subscription_router(),
        fallback.fallback_router(),
    ]


async def announce_commands(bot: Bot, texts: Texts) -> None:
    """Fill the command menu of Telegram's clients, in each language; clients of other languages show the default."""
    for spoken in LANGUAGES:
        commands = [BotCommand(command=name, description=texts.say(spoken, f"command-{name}")) for name in COMMANDS]
        code = None if spoken == DEFAULT_LANGUAGE else spoken
        await bot.set_my_commands(commands, language_code=code, request_timeout=CALL_TIMEOUT_S)
