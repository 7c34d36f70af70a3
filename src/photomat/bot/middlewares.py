"""What holds for every handler: users it answers are registered, opening a page leaves a question, each tap is answered.

Also the filters for which messages of a group are meant for the bot.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from aiogram import BaseMiddleware, Bot
from aiogram.enums import ChatType
from aiogram.filters import CommandObject, Filter
from aiogram.types import CallbackQuery, Message, TelegramObject

from photomat.bot.buttons import OpensPage
from photomat.bot.context import UpdateContext
from photomat.bot.transport import Tap
from photomat.jobs.history import is_job_card
from photomat.kernel.ids import ChatId, MessageId

Handler: TypeAlias = Callable[[TelegramObject, dict[str, Any]], Awaitable[Any]]


class RegisterSender(BaseMiddleware):
    """A sender whom a handler answers becomes a user; people who only talk in a group do not."""

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        """A handler was found: the commit of this update registers the user."""
        _context(data).registers_user = True
        return await handler(event, data)


class LeaveQuestionOnNewPage(BaseMiddleware):
    """A user who opens another page, by a command or a tap, has left what was asked: what they type next answers nothing.

    A receipt is still waited for: it is never sent by mistake. /cancel says itself what it left.
    """

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        """A handler was found: leave the question before it may ask one of its own."""
        command = data.get("command")
        by_command = isinstance(command, CommandObject) and command.command != "cancel"
        if by_command or isinstance(data.get("callback_data"), OpensPage):
            _context(data).leave_question()
        return await handler(event, data)


class AnswerEveryTap(BaseMiddleware):
    """Gives `tap`, and answers it at the end if no handler did: a phone never shows a spinning button."""

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        """Answer what was left unanswered; after an exception the update is handled again, so it is not answered."""
        if not isinstance(event, CallbackQuery):
            return await handler(event, data)
        data["tap"] = tap = Tap(event, on_a_job_card=await _is_job_card(event, data))
        result = await handler(event, data)
        await tap.answer()
        return result


async def _is_job_card(event: CallbackQuery, data: dict[str, Any]) -> bool:
    if event.message is None:
        return False
    ctx = _context(data)
    return await is_job_card(
        ctx.pool,
        bot_id=ctx.bot_id,
        chat_id=ChatId(event.message.chat.id),
        message_id=MessageId(event.message.message_id),
    )


def _context(data: dict[str, Any]) -> UpdateContext:
    ctx = data["ctx"]
    if not isinstance(ctx, UpdateContext):
        raise TypeError(f"the dispatcher was given {type(ctx).__name__} where UpdateContext belongs")
    return ctx


class AddressedToBot(Filter):
    """Any message of a private chat; in a group only a reply to the bot. Commands have a filter of their own."""

    async def __call__(self, message: Message, bot: Bot) -> bool:
        if message.chat.type == ChatType.PRIVATE:
            return True
        replied_to = message.reply_to_message
        return replied_to is not None and replied_to.from_user is not None and replied_to.from_user.id == bot.id


class InGroup(Filter):
    """Anything outside a private chat, and a tap whose message Telegram does not show."""

    async def __call__(self, event: Message | CallbackQuery) -> bool:
        message = event.message if isinstance(event, CallbackQuery) else event
        return message is None or message.chat.type != ChatType.PRIVATE
