"""What comes from a group, and which of its messages are meant for the bot."""

from aiogram import Bot
from aiogram.enums import ChatType
from aiogram.filters import Filter
from aiogram.types import CallbackQuery, Message


class SpokenToUs(Filter):
    """Any message of a private chat; in a group only a reply to the bot. Commands have a filter of their own."""

    async def __call__(self, message: Message, bot: Bot) -> bool:
        """Say whether an answer is expected."""
        if message.chat.type == ChatType.PRIVATE:
            return True
        replied_to = message.reply_to_message
        return replied_to is not None and replied_to.from_user is not None and replied_to.from_user.id == bot.id


class InGroup(Filter):
    """Anything outside a private chat; a tap on a message that Telegram does not show too."""

    async def __call__(self, event: Message | CallbackQuery) -> bool:
        """Say whether others read along."""
        message = event.message if isinstance(event, CallbackQuery) else event
        return message is None or message.chat.type != ChatType.PRIVATE
