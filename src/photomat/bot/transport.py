"""Sends views: new messages, edits of menus, and the one answer to a tap.

A view is sent as HTML. In a private chat a menu is edited in place; in a group, where anyone may tap, it is sent again.
"""

from collections.abc import Iterable
from contextlib import suppress
from html import escape
from typing import Final

from aiogram import Bot
from aiogram.enums import ChatAction, ChatType, ParseMode
from aiogram.exceptions import ClientDecodeError, TelegramAPIError, TelegramBadRequest
from aiogram.types import CallbackQuery, ForceReply, InaccessibleMessage, InlineKeyboardMarkup, Message

from photomat.bot.view import View
from photomat.db.pool import Pool
from photomat.kernel.error_report import describe
from photomat.kernel.errors import PhotomatError
from photomat.kernel.ids import ChatId, MessageId
from photomat.kernel.logs import get_logger
from photomat.telegram.errors import is_not_modified, translate
from photomat.telegram.pacing import unimportant
from photomat.work import budget
from photomat.work.budget import Budget

MAX_TOAST_LENGTH: Final = 200
EDIT_TIMEOUT_S: Final = 8
ACTION_LASTS_S: Final = 5.0
ACTION_TIMEOUT_S: Final = 2
log = get_logger()


class Tap:
    """A tap on a button. Only the first answer is sent."""

    def __init__(self, query: CallbackQuery, *, on_a_job_card: bool = False) -> None:
        self.query = query
        self.is_answered = False
        self.is_on_job_card = on_a_job_card

    @property
    def message(self) -> Message | InaccessibleMessage | None:
        return self.query.message

    @property
    def message_id(self) -> MessageId:
        """0, which no message has, when Telegram does not say it."""
        return MessageId(self.message.message_id if self.message else 0)

    async def answer(self, text: str | None = None, *, alert: bool = False) -> None:
        """Answer it, with a short text or with none; a tap too old to be answered is ignored."""
        if self.is_answered:
            return
        self.is_answered = True
        try:
            await self.query.answer(text=text[:MAX_TOAST_LENGTH] if text else None, show_alert=alert)
        except TelegramBadRequest:
            return

    async def open(self, view: View) -> MessageId | None:
        """Show a page: in place in a private chat, as a new message in a group."""
        if self.message is not None and self.message.chat.type == ChatType.PRIVATE:
            return await self.replace(view)
        return await self.send(view)

    async def replace(self, view: View) -> MessageId | None:
        """Turn the tapped message into the view; when it may not or can no longer be edited, send the view."""
        message = self.message
        if not isinstance(message, Message) or self.is_on_job_card or _must_be_replied_to(message, view):
            return await self.send(view)
        try:
            await message.edit_text(_text(message, view), parse_mode=ParseMode.HTML, reply_markup=view.keyboard)
        except TelegramBadRequest as refusal:
            if not is_not_modified(refusal):
                return await self._send_instead(message, view)
        return self.message_id

    async def forget_unless(self, shown_in: MessageId | None) -> None:
        """Delete the tapped page in a private chat, if another message shows what comes next. A job's card stays."""
        message = self.message
        is_replaced = shown_in is not None and shown_in != self.message_id and not self.is_on_job_card
        if is_replaced and isinstance(message, Message) and message.chat.type == ChatType.PRIVATE:
            with suppress(TelegramBadRequest):
                await message.delete()

    async def _send_instead(self, message: Message, view: View) -> MessageId | None:
        """Send the view; a message with media, which cannot become a text, is deleted in a private chat."""
        sent = await self.send(view)
        if message.text is None:
            await self.forget_unless(sent)
        return sent

    async def send(self, view: View) -> MessageId | None:
        message = self.message
        if message is None:
            return None
        text = _text(message, view)
        if _must_be_replied_to(message, view):
            person = self.query.from_user
            text = f'<a href="tg://user?id={person.id}">{escape(person.first_name)}</a>\n{text}'
        sent = await message.answer(text, parse_mode=ParseMode.HTML, reply_markup=_markup(message, view))
        return MessageId(sent.message_id)


async def send(message: Message, view: View) -> MessageId:
    """Answer a message with the view; in a group as a reply, so that it is clear who is meant. Return the answer's id."""
    markup = _markup(message, view)
    if message.chat.type == ChatType.PRIVATE:
        sent = await message.answer(view.text, parse_mode=ParseMode.HTML, reply_markup=markup)
    else:
        sent = await message.reply(
            _text(message, view), parse_mode=ParseMode.HTML, reply_markup=markup, allow_sending_without_reply=True
        )
    return MessageId(sent.message_id)


async def show_checking(message: Message, pool: Pool) -> None:
    """Show «sending a photo…» while the file of a message is checked, at most once in a few seconds and chat.

    It is a courtesy: it leaves Telegram's budget to others, and whatever goes wrong with it is ignored.
    """
    bot, shown = message.bot, Budget(name=f"chat-action:{message.chat.id}", limit=1, window_s=ACTION_LASTS_S)
    try:
        if bot is None or await budget.take(pool, shown):
            return
        with unimportant():
            await bot.send_chat_action(message.chat.id, _checking(message), request_timeout=ACTION_TIMEOUT_S)
    except (TelegramAPIError, ClientDecodeError, PhotomatError, TimeoutError) as error:
        log.info("CHAT_ACTION_SKIPPED", chat_id=message.chat.id, error=describe(error))


def _checking(message: Message) -> ChatAction:
    if message.video or message.animation or message.video_note:
        return ChatAction.UPLOAD_VIDEO
    if message.audio or message.voice:
        return ChatAction.UPLOAD_VOICE
    return ChatAction.UPLOAD_PHOTO if message.photo or message.sticker else ChatAction.UPLOAD_DOCUMENT


async def edit_or_send(message: Message, view: View, *, sent_before: int | None) -> MessageId:
    """Turn what was sent before into the view; answer the message with it where that cannot be. Return its id."""
    bot = message.bot
    if bot is None or sent_before is None:
        return await send(message, view)
    try:
        await bot.edit_message_text(
            _text(message, view),
            chat_id=message.chat.id,
            message_id=sent_before,
            parse_mode=ParseMode.HTML,
            reply_markup=view.keyboard,
        )
    except TelegramBadRequest as refusal:
        if not is_not_modified(refusal):
            return await send(message, view)
    return MessageId(sent_before)


async def edit_in_place(bot: Bot, view: View, *, chat_id: ChatId, message_id: MessageId) -> None:
    """Turn a message of ours into the view, outside an update; "not modified" is success. Raises our error families."""
    try:
        await bot.edit_message_text(
            view.text,
            chat_id=chat_id,
            message_id=message_id,
            parse_mode=ParseMode.HTML,
            reply_markup=view.keyboard,
            request_timeout=EDIT_TIMEOUT_S,
        )
    except (TelegramAPIError, ClientDecodeError) as error:
        if not isinstance(error, TelegramAPIError) or not is_not_modified(error):
            raise translate(error) from error


async def close_keyboards(bot: Bot, *, chat_id: int, message_ids: Iterable[int]) -> None:
    """Take the buttons off messages that are done with, as far as Telegram lets us: nothing depends on it."""
    for message_id in message_ids:
        with suppress(TelegramAPIError, ClientDecodeError, PhotomatError):
            await bot.edit_message_reply_markup(chat_id=chat_id, message_id=message_id)


def _text(message: Message | InaccessibleMessage, view: View) -> str:
    is_alone = message.chat.type == ChatType.PRIVATE or not view.in_group
    return view.text if is_alone else f"{view.text}\n\n{view.in_group}"


def _markup(message: Message | InaccessibleMessage, view: View) -> InlineKeyboardMarkup | ForceReply | None:
    return ForceReply(selective=True) if _must_be_replied_to(message, view) else view.keyboard


def _must_be_replied_to(message: Message | InaccessibleMessage, view: View) -> bool:
    """In a group a bot may see only replies to its messages, so a typed answer has to be one."""
    return view.expects_text and message.chat.type != ChatType.PRIVATE
