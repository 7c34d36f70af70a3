"""No update without an answer: unknown commands, unexpected messages, stale buttons, private pages in groups; membership.

A user's money is shown in their private chat alone. `private_router` comes before every router that could show it in a group,
so that none of them has to check the chat. When a user unblocks the bot or a group adds it, unsent messages are due again.
"""

from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatMemberStatus, ChatType
from aiogram.filters import Command
from aiogram.types import CallbackQuery, ChatMemberUpdated, Message

from photomat.bot.buttons import PRIVATE_BUTTONS, ChangeButton, MenuButton, Screen
from photomat.bot.context import UpdateContext, unblock
from photomat.bot.menu import views
from photomat.bot.menu.search import search_plain_text
from photomat.bot.menu.views import hint
from photomat.bot.middlewares import AddressedToBot, InGroup
from photomat.bot.order_form.message_answers import kind_of, kind_taken
from photomat.bot.transfer import views as transfer_views
from photomat.bot.transport import Tap, send
from photomat.bot.view import Rows, View, button, to_home
from photomat.catalog.input import FileKind
from photomat.catalog.order import open_to_customers
from photomat.catalog.storefront import starting_from
from photomat.delivery.lock import rearm_chat
from photomat.kernel.ids import ChatId
from photomat.payments.receipt import waiting_of
from photomat.payments.topup import has_open_transfer
from photomat.users.user import mark_blocked

PRIVATE_COMMANDS: Final = ("topup", "statement", "promo", "invite", "gift", "paysupport")
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
    """Text without an open question may name a model."""
    await send(message, await search_plain_text(ctx, message.text or "") or hint(ctx.say, "fallback-text"))


async def unrequested_file(message: Message, ctx: UpdateContext) -> None:
    """A file without an open question: say what can be made of it. With a transfer open it may be a receipt."""
    kind = kind_of(message)
    categories = starting_from([each.model for each in (await ctx.orders.storefront()).listed], kind) if kind else ()
    lines = await _about_receipts(message, ctx)
    text = ctx.say("stray-file", kind=kind) if kind is not None and categories else ctx.say("fallback-other")
    rows = [*await _into_the_open_order(ctx, kind), *views.category_rows(ctx.say, categories)]
    pay = [[transfer_views.start_button(ctx.say)]] if lines else []
    await send(message, View(text="\n\n".join([text, *lines]), rows=[*rows, *pay, [to_home(ctx.say)]]))


async def _about_receipts(message: Message, ctx: UpdateContext) -> list[str]:
    """Explain how to send a receipt to a user with an open transfer; never in a group."""
    is_file = message.photo or message.document
    if not ctx.topups.options.takes_transfers or message.chat.type != ChatType.PRIVATE or not is_file:
        return []
    waiting = await waiting_of(ctx.pool, ctx.user_id)
    if not waiting and not await has_open_transfer(ctx.pool, ctx.user_id):
        return []
    return [ctx.say("transfer-stray-file"), *transfer_views.waiting_lines(ctx.say, waiting)]


async def _into_the_open_order(ctx: UpdateContext, kind: FileKind | None) -> Rows:
    """A button to the question of the newest draft that takes such a file."""
    draft = await ctx.orders.newest_open(ctx.user_id)
    model = await ctx.orders.model(draft.model) if draft else None
    if draft is None or model is None or kind is None:
        return []
    taken = next((each for each in open_to_customers(model, draft.inputs) if kind_taken(each) == kind), None)
    if taken is None:
        return []
    asked = ChangeButton(draft_id=draft.draft_id, question=model.inputs.index(taken))
    return [[button(ctx.say("stray-file-into-order", model=model.title_in(ctx.language)), asked)]]


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
