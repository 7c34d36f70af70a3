"""A stored update as aiogram's type, or `Unreadable`. What passes here fits our columns.

Whoever sends updates knows the webhook's secret, so this is Telegram having changed something, or somebody who stole it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from aiogram import Bot
from aiogram.types import CallbackQuery, Message, Update
from pydantic import ValidationError

from photomat.bot.trouble import Unreadable

LARGEST_ID: Final = 2**63 - 1


def read_update(stored: Mapping[str, Any], bot: Bot) -> Update:
    """Read it; raises Unreadable when a field has another type than Telegram documents, or an id is beyond any id."""
    try:
        update = Update.model_validate(stored, context={"bot": bot})
    except (ValidationError, RecursionError) as error:
        raise Unreadable("a field is not of its documented type") from error
    for number in _ids(update):
        if not -LARGEST_ID <= number <= LARGEST_ID:
            raise Unreadable("an id is larger than any id")
    return update


def _ids(update: Update) -> Iterator[int]:
    """The numbers that reach a column of ours."""
    for name in update.model_fields_set - {"update_id"}:
        content = getattr(update, name)
        for place in ("from_user", "user", "chat", "sender_chat"):
            owner = getattr(content, place, None)
            if owner is not None:
                yield owner.id
        message = content.message if isinstance(content, CallbackQuery) else content
        if isinstance(message, Message) or isinstance(content, CallbackQuery):
            yield from (message.chat.id, message.message_id) if message is not None else ()
