"""No update without an answer: unknown commands, unexpected messages, stale buttons, private pages in groups; membership.

A user's money is shown in their private chat alone. `private_router` comes before every router that could show it in a group,
so that none of them has to check the chat. When a user unblocks the bot or a group adds it, unsent messages are due again.
"""

from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatMemberStatus, ChatType
from aiogram.filters import Command
from aiogram.types import CallbackQuery, ChatMemberUpdated, Message

from photomat.bot.buttons import PRIVATE_BUTTONS, MenuButton, Screen
from photomat.bot.context import UpdateContext, unblock
from photomat.bot.menu import views
from photomat.bot.menu.search import search_plain_text
from photomat.bot.menu.views import hint
from photomat.bot.middlewares import AddressedToBot, InGroup
from photomat.bot.order_form.message_answers import kind_of
from photomat.bot.transport import Tap, send
from photomat.bot.view import View, to_home
from photomat.catalog.storefront import starting_from
from photomat.delivery.lock import rearm_chat
from photomat.kernel.ids import ChatId
from photomat.users.user import mark_blocked

PRIVATE_COMMANDS: Final = (
    "topup",
    "statement",
    "promo",
    "invite",
    "gift",
    "support",
    "paysupport",
    "privacy",
    "export",
    "forget",
)
PRESENT: Final = {ChatMemberStatus.MEMBER, ChatMemberStatus.ADMINISTRATOR}
FILES: Final = F.photo | F.video | F.animation | F.audio | F.voice | F.video_note | F.document


def private_router() -> Router:
    routes = Router(name="private")
    routes.message.register(refuse_command_in_group, Command(*PRIVATE_COMMANDS), InGroup())
    routes.callback_query.register(refuse_tap_in_group, MenuButton.filter(F.screen == Screen.TOPUP), InGroup())
    for each in PRIVATE_BUTTONS:
        routes.callback_query.register(refuse_tap_in_group, each.filter(), InGroup())
    return routes


def unknown_command_router() -> Router:
    """Registered after all commands, and before a form takes an unknown one for an answer."""
    routes = Router(name="unknown command")
    routes.message.register(unknown_command, F.text.startswith("/"), AddressedToBot())
    return routes


def router() -> Router:
    routes = Router(name="fallback")
    routes.message.register(text_outside_a_form, F.text, AddressedToBot())
    routes.message.register(unrequested_file, FILES, AddressedToBot())
    routes.message.register(anything_else, AddressedToBot())
    routes.callback_query.register(stale_button)
    # Leaving a group says nothing about a user, so `blocked` and `returned` are for private chats.
    private, status = F.chat.type == ChatType.PRIVATE, F.new_chat_member.status
    routes.my_chat_member.register(blocked, private, status == ChatMemberStatus.KICKED)
    routes.my_chat_member.register(returned, private, status == ChatMemberStatus.MEMBER)
    routes.my_chat_member.register(group_joined, ~private, status.in_(PRESENT))
    return routes


async def unknown_command(message: Message, ctx: UpdateContext) -> None:
    await send(message, hint(ctx.say, "fallback-command"))


async def text_outside_a_form(message: Message, ctx: UpdateContext) -> None:
    """Text in a group without an open question may name a model."""
    await send(message, await search_plain_text(ctx, message.text or "") or hint(ctx.say, "fallback-text"))


async def unrequested_file(message: Message, ctx: UpdateContext) -> None:
    """A file in a group without an open question: say what can be made of it."""
    kind = kind_of(message)
    categories = starting_from([each.model for each in (await ctx.orders.storefront()).listed], kind) if kind else ()
    text = ctx.say("stray-file", kind=kind) if kind is not None and categories else ctx.say("fallback-other")
    await send(message, View(text=text, rows=[*views.category_rows(ctx.say, categories), [to_home(ctx.say)]]))


async def anything_else(message: Message, ctx: UpdateContext) -> None:
    await send(message, hint(ctx.say, "fallback-other"))


async def stale_button(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    """A button no handler knows, of an older version."""
    await tap.answer(ctx.say("tap-stale"), alert=True)


async def refuse_command_in_group(message: Message, ctx: UpdateContext) -> None:
    await send(message, View(text=ctx.say("only-private"), rows=[]))


async def refuse_tap_in_group(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer(ctx.say("only-private"), alert=True)


async def blocked(_event: ChatMemberUpdated, ctx: UpdateContext) -> None:
    ctx.on_commit(lambda tx: mark_blocked(tx, user_id=ctx.user_id))


async def returned(_event: ChatMemberUpdated, ctx: UpdateContext) -> None:
    ctx.on_commit(lambda tx: unblock(tx, ctx.user_id))


async def group_joined(event: ChatMemberUpdated, ctx: UpdateContext) -> None:
    """A group added the bot, or gave it back the right to write."""
    ctx.on_commit(lambda tx: rearm_chat(tx, bot_id=ctx.bot_id, chat_id=ChatId(event.chat.id)))
