"""What a message brings to a thread, and which ticket it was written to."""

from datetime import timedelta
from typing import Any, Final

from aiogram.enums import ChatType
from aiogram.filters import Filter
from aiogram.filters.callback_data import CallbackData
from aiogram.types import InlineKeyboardMarkup, Message

from photomat.bot.buttons import DeskButton, TicketButton
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Answering, Supporting
from photomat.kernel.ids import ChatId, MessageId
from photomat.messages.notices import NoticeFile
from photomat.operators.access import Role, role_of_telegram
from photomat.support.thread import MessageContent
from photomat.support.ticket import ShownTicket, find_ticket, ticket_shown_in

TICKET, JOB, ALBUM, ACTION, ONCE = "ticket_id", "job_id", "album", "action", "once"
TALK_LASTS: Final = timedelta(minutes=5)
"""After so long without a word from either side, what a customer writes is no longer meant for support."""


def words_in(message: Message) -> MessageContent | None:
    """The text of a message, or its file with the caption; None for what cannot be passed on."""
    if message.photo:
        file = NoticeFile(kind="photo", file_id=message.photo[-1].file_id)
    elif message.animation:
        file = NoticeFile(kind="animation", file_id=message.animation.file_id)
    elif message.video:
        file = NoticeFile(kind="video", file_id=message.video.file_id)
    elif message.voice:
        file = NoticeFile(kind="voice", file_id=message.voice.file_id)
    elif message.audio:
        file = NoticeFile(kind="audio", file_id=message.audio.file_id)
    elif message.document:
        file = NoticeFile(kind="document", file_id=message.document.file_id)
    else:
        return MessageContent(text=message.text) if message.text else None
    return MessageContent(text=message.caption or "", file=file)


async def is_desk(ctx: UpdateContext) -> bool:
    """Whether this user may answer tickets."""
    role = await role_of_telegram(ctx.pool, ctx.config.operators, ctx.user_id)
    return role is not None and role >= Role.OPERATOR


class WritesToTicket(Filter):
    """A private message of a customer to support: a reply to one of our messages about a ticket, or while they write to it.

    A reply is that one message: what follows is no longer meant for support. Writing is over after a few minutes of silence,
    counted from the last word of either side.
    """

    async def __call__(self, message: Message, ctx: UpdateContext) -> bool | dict[str, Any]:
        if message.chat.type != ChatType.PRIVATE:
            return False
        shown = await replied_to(message, ctx)
        if shown is not None and not shown.to_operator:
            return {"thread": {TICKET: shown.ticket_id, ONCE: True}}
        if ctx.conversation.state != Supporting.writing.state:
            return False
        if await _is_over(ctx):
            ctx.conversation.clear()
            return False
        return {"thread": dict(ctx.conversation.data)}


class AnswersTicket(Filter):
    """A message of an operator that answers a ticket: a reply to its notice, or after a tap on the button."""

    async def __call__(self, message: Message, ctx: UpdateContext) -> bool | dict[str, Any]:
        shown = await replied_to(message, ctx)
        if shown is not None and shown.to_operator and await is_desk(ctx):
            return {"ticket_id": shown.ticket_id}
        if ctx.conversation.state == Answering.answer.state:
            return {"ticket_id": int(ctx.conversation.data.get(TICKET, 0))}
        return False


async def replied_to(message: Message, ctx: UpdateContext) -> ShownTicket | None:
    """The ticket of the message this one replies to: by its notice, or by its buttons."""
    replied = message.reply_to_message
    if replied is None or replied.from_user is None or replied.from_user.id != ctx.bot_id:
        return None
    by_notice = await ticket_shown_in(
        ctx.pool, chat_id=ChatId(message.chat.id), message_id=MessageId(replied.message_id)
    )
    return by_notice or _by_buttons(replied.reply_markup)


def _by_buttons(markup: InlineKeyboardMarkup | None) -> ShownTicket | None:
    for data in (each.callback_data or "" for row in (markup.inline_keyboard if markup else []) for each in row):
        for kind in (TicketButton, DeskButton):
            found = _unpacked(kind, data)
            if found is not None:
                return ShownTicket(ticket_id=found, to_operator=kind is DeskButton)
    return None


def _unpacked(kind: type[CallbackData], data: str) -> int | None:
    try:
        tapped = kind.unpack(data)
    except (TypeError, ValueError):
        return None
    return (tapped.ticket_id or None) if isinstance(tapped, TicketButton | DeskButton) else None


async def _is_over(ctx: UpdateContext) -> bool:
    if ctx.conversation.age < TALK_LASTS:
        return False
    ticket = await find_ticket(ctx.pool, int(ctx.conversation.data.get(TICKET, 0)))
    if ticket is None or ticket.operator_at is None:
        return True
    answered_ago = await ctx.pool.fetchval("SELECT photomat_now() - $1::timestamptz", ticket.operator_at)
    return bool(answered_ago >= TALK_LASTS)
