"""For every handler: the sender is registered, opening a page leaves the open question, each tap is answered.

Also the filters that tell private chats from groups, and messages to the bot from the talk of a group.
"""

from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from aiogram import BaseMiddleware, Bot
from aiogram.enums import ChatType
from aiogram.filters import CommandObject, Filter
from aiogram.types import CallbackQuery, Message, TelegramObject

from photomat.bot.buttons import NewTicketButton, OpensPage, SupportTopicButton, TicketButton
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Supporting
from photomat.bot.order_form.form import Form
from photomat.bot.transport import Tap, close_keyboards

SERVED: Final = "for_banned"
FOR_BANNED: Final = {SERVED: True}
"""A handler registered with these flags answers banned users too."""
OF_SUPPORT: Final = (TicketButton, NewTicketButton, SupportTopicButton)
Handler: TypeAlias = Callable[[TelegramObject, dict[str, Any]], Awaitable[Any]]


class RegisterSender(BaseMiddleware):
    """A sender whom a handler answers becomes a user; people who only talk in a group do not."""

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        context_of(data).registers_user = True
        return await handler(event, data)


class LeaveQuestionOnNewPage(BaseMiddleware):
    """A user who opens another page, by a command or a tap, leaves the open question: what they type next is no answer to it.

    A receipt is still expected: it is never sent by mistake. Writing to support ends with a tap on anything else.
    /cancel itself says which question it left.
    """

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        command = data.get("command")
        by_command = isinstance(command, CommandObject) and command.command != "cancel"
        ctx, tapped = context_of(data), data.get("callback_data")
        leaves_support = ctx.conversation.state == Supporting.writing.state and not isinstance(tapped, OF_SUPPORT)
        if by_command or isinstance(tapped, OpensPage) or (tapped is not None and leaves_support):
            ctx.leave_question()
        return await handler(event, data)


class CloseAnsweredQuestion(BaseMiddleware):
    """A question that was answered, or left, loses its buttons; the message that was tapped has become something else."""

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        ctx, before = context_of(data), _form_before(context_of(data))
        result = await handler(event, data)
        after, bot = ctx.form, data.get("bot")
        if before is None or not isinstance(bot, Bot) or (after is not None and _is_same_question(before, after)):
            return result
        shown = {after.asked_in, after.counter} if after is not None else set()
        tapped = {event.message.message_id} if isinstance(event, CallbackQuery) and event.message else set()
        asked = [each for each in (before.asked_in, before.counter, *before.heard) if each is not None]
        await close_keyboards(
            bot, chat_id=ctx.chat_id, message_ids=[each for each in asked if each not in shown | tapped]
        )
        return result


def _form_before(ctx: UpdateContext) -> Form | None:
    """The open form; None for one that cannot be read: its handler fails, and any other update goes on."""
    try:
        return ctx.form
    except (TypeError, ValueError):
        return None


def _is_same_question(before: Form, after: Form) -> bool:
    return (before.form_id, before.turn) == (after.form_id, after.turn)


class AnswerEveryTap(BaseMiddleware):
    """Gives `tap` to handlers and answers it at the end if none did, so that no button keeps spinning.

    After an exception the update is handled again, so the tap is not answered.
    """

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        if not isinstance(event, CallbackQuery):
            return await handler(event, data)
        data["tap"] = tap = Tap(event, on_a_job_card=context_of(data).is_on_job_card)
        result = await handler(event, data)
        await tap.answer()
        return result


def context_of(data: dict[str, Any]) -> UpdateContext:
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
