"""The dispatcher: routers and middlewares in the order they are asked.

aiogram's own FSM middleware is off: the worker loads each update's conversation before its handlers and writes it after them.
Events go to the dispatcher past aiogram's middlewares for updates: the worker knows the sender and handles errors.
"""

from typing import Final

from aiogram import Dispatcher, Router

from photomat.bot.admin import actions as admin_actions
from photomat.bot.admin import alerts as admin_alerts
from photomat.bot.admin import broadcast as admin_broadcast
from photomat.bot.admin import handlers as admin
from photomat.bot.admin import pauses as admin_pauses
from photomat.bot.assistant import handlers as assistant
from photomat.bot.bans import RefuseBanned
from photomat.bot.menu import broadcast_button, deep_link, fallback, search
from photomat.bot.menu import handlers as menu
from photomat.bot.middlewares import AnswerEveryTap, CloseAnsweredQuestion, LeaveQuestionOnNewPage, RegisterSender
from photomat.bot.moderation import handlers as moderation
from photomat.bot.order_card import handlers as order_card
from photomat.bot.order_form import handlers as order_form
from photomat.bot.order_form import voice_handlers
from photomat.bot.pause import AnswerWhilePaused
from photomat.bot.privacy import consent
from photomat.bot.privacy import handlers as privacy
from photomat.bot.privacy.gates import AnswerWhileForgetting, AskConsentBeforeFiles
from photomat.bot.results import gallery, next_order
from photomat.bot.results import handlers as results
from photomat.bot.rewards import handlers as rewards
from photomat.bot.routes import AllRoutes
from photomat.bot.support import desk
from photomat.bot.support import handlers as support
from photomat.bot.templates import examples
from photomat.bot.templates import handlers as templates
from photomat.bot.topup import contact as topup_contact
from photomat.bot.topup import handlers as topup
from photomat.bot.topup import stars, subscription
from photomat.bot.transfer import handlers as transfer
from photomat.bot.transfer import review
from photomat.bot.wallet import handlers as wallet
from photomat.bot.wish import changes as wish_changes
from photomat.bot.wish import handlers as wish

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
    "support",
    "paysupport",
    "terms",
    "privacy",
    "export",
    "forget",
)
OPERATORS_COMMANDS: Final = ("admin", "receipts", "tickets")
"""In the menu of operators' own chats only."""


def build_dispatcher() -> Dispatcher:
    """Handlers get an `UpdateContext` as `ctx`, made by the worker."""
    dispatcher = Dispatcher(disable_fsm=True)
    dispatcher.callback_query.outer_middleware(AnswerEveryTap())
    answer_while_paused = AnswerWhilePaused()
    for observer in (dispatcher.message, dispatcher.callback_query):
        observer.middleware(AnswerWhileForgetting())
        observer.middleware(RefuseBanned())
        observer.middleware(answer_while_paused)
        observer.middleware(RegisterSender())
        observer.middleware(CloseAnsweredQuestion())
        observer.middleware(LeaveQuestionOnNewPage())
    dispatcher.message.middleware(AskConsentBeforeFiles())
    dispatcher.include_router(AllRoutes(_routers()))
    return dispatcher


def _routers() -> list[Router]:
    """The first router that matches handles the update: commands before messages that answer a question, the fallback last."""
    return [
        fallback.private_router(),
        stars.router(),
        transfer.commands_router(),
        review.commands_router(),
        admin.commands_router(),
        admin_actions.commands_router(),
        desk.commands_router(),
        deep_link.router(),
        broadcast_button.router(),
        menu.router(),
        templates.router(),
        examples.router(),
        search.router(),
        wallet.router(),
        gallery.router(),
        results.router(),
        next_order.router(),
        rewards.router(),
        topup.router(),
        topup_contact.router(),
        subscription.router(),
        support.router(),
        privacy.router(),
        consent.router(),
        moderation.router(),
        fallback.unknown_command_router(),
        desk.router(),
        support.messages_router(),
        transfer.router(),
        review.router(),
        admin.router(),
        admin_actions.router(),
        admin_pauses.router(),
        admin_broadcast.router(),
        admin_alerts.router(),
        templates.answers_router(),
        voice_handlers.router(),
        order_form.router(),
        order_card.router(),
        assistant.router(),
        topup.own_sum_router(),
        topup_contact.answers_router(),
        wish_changes.router(),
        wish.router(),
        fallback.router(),
    ]
