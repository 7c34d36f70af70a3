"""While an operator has paused the bot, customers get one short text and nothing else happens.

Payments that were made are still booked, and operators are served as usual. Whether it is paused is read with every update, so
there is nothing to wait for when it is resumed.
"""

from collections import deque
from collections.abc import Awaitable, Callable
from html import escape
from typing import Any, Final, TypeAlias

from aiogram import BaseMiddleware
from aiogram.enums import ParseMode
from aiogram.types import CallbackQuery, Message, TelegramObject

from photomat.bot.context import UpdateContext
from photomat.kernel.logs import get_logger
from photomat.operators.access import role_of_telegram
from photomat.texts.pauses import pause_words
from photomat.work.controls import Pause

Handler: TypeAlias = Callable[[TelegramObject, dict[str, Any]], Awaitable[Any]]
ALBUMS_REMEMBERED: Final = 256
log = get_logger()


class AnswerWhilePaused(BaseMiddleware):
    """Answers in place of the handler of a message or a tap; an album is answered once. Handlers for a `role` are served."""

    def __init__(self) -> None:
        self._albums: deque[str] = deque(maxlen=ALBUMS_REMEMBERED)

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        ctx: UpdateContext = data["ctx"]
        pause = None if is_payment(event) or "role" in data else await bot_pause(ctx)
        if pause is None:
            return await handler(event, data)
        log.info("BOT_PAUSED", user_id=ctx.user_id)
        if isinstance(event, CallbackQuery):
            await data["tap"].answer(ctx.say("controls-bot-tap", why=pause_words(ctx.say, pause)), alert=True)
        elif isinstance(event, Message) and not self._is_answered(event):
            text = ctx.say("controls-bot-paused", why=escape(pause_words(ctx.say, pause), quote=False))
            await event.answer(text, parse_mode=ParseMode.HTML)
        return None

    def _is_answered(self, message: Message) -> bool:
        album = message.media_group_id
        if album is None or album in self._albums:
            return album is not None
        self._albums.append(album)
        return False


async def bot_pause(ctx: UpdateContext) -> Pause | None:
    """The pause of the bot as it applies to the sender of an update: not to operators."""
    pause = None if ctx.is_operator else ctx.pause
    if pause is None or await role_of_telegram(ctx.pool, ctx.config.operators, ctx.user_id) is not None:
        return None
    return pause


def is_payment(event: TelegramObject) -> bool:
    return isinstance(event, Message) and (event.successful_payment or event.refunded_payment) is not None
