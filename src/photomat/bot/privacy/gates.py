"""Two gates before the handlers: nothing is done for a user who is being forgotten, no file is taken before the consent."""

from collections import deque
from typing import Any, Final

from aiogram import BaseMiddleware
from aiogram.enums import ParseMode
from aiogram.types import Message, TelegramObject

from photomat.bot.conversation import Administering, Answering, Broadcasting, Deciding, Supporting, Transferring
from photomat.bot.middlewares import Handler, context_of
from photomat.bot.order_form.message_answers import attachment_of
from photomat.bot.pause import is_payment
from photomat.bot.privacy.views import ask_consent
from photomat.bot.transport import Tap, send

ALBUMS_REMEMBERED: Final = 256
NOT_FOR_ORDERS: Final = frozenset(
    state
    for group in (Transferring, Supporting, Deciding, Answering, Administering, Broadcasting)
    for state in group.__all_states_names__
)
"""What is sent in these conversations becomes no order: a receipt of a transfer, a word to support, an operator's work."""


class AnswerWhileForgetting(BaseMiddleware):
    """Answers in place of every handler until the user is forgotten; a payment that was made is still booked."""

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        ctx = context_of(data)
        if not ctx.user.is_being_forgotten or is_payment(event):
            return await handler(event, data)
        tap = data.get("tap")
        if isinstance(tap, Tap):
            await tap.answer(ctx.say("forget-under-way"), alert=True)
        elif isinstance(event, Message):
            await event.answer(ctx.say("forget-under-way"), parse_mode=ParseMode.HTML)
        return None


class AskConsentBeforeFiles(BaseMiddleware):
    """Asks for consent in place of the handler of a message with a file; an album is asked about once."""

    def __init__(self) -> None:
        self._albums: deque[str] = deque(maxlen=ALBUMS_REMEMBERED)

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        ctx = context_of(data)
        brings_file = isinstance(event, Message) and attachment_of(event) is not None
        if not ctx.lacks_consent or not brings_file or is_payment(event) or ctx.conversation.state in NOT_FOR_ORDERS:
            return await handler(event, data)
        if isinstance(event, Message) and not self._is_asked(event):
            await send(event, ask_consent(ctx, update=ctx.received_id))
        return None

    def _is_asked(self, message: Message) -> bool:
        album = message.media_group_id
        if album is None or album in self._albums:
            return album is not None
        self._albums.append(album)
        return False
