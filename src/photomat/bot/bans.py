"""A banned user is notified why, until when and whom to ask, and nothing else is handled.

The message is sent at most once in ten minutes, however much they write; a tap, which would keep spinning, gets a short answer.
Handlers registered with `FOR_BANNED` answer all the same: what was paid is booked, a receipt is taken, /support
and /paysupport are open.
"""

from html import escape
from typing import Any

from aiogram import BaseMiddleware
from aiogram.dispatcher.flags import get_flag
from aiogram.types import TelegramObject

from photomat.bot.context import UpdateContext
from photomat.bot.middlewares import SERVED, Handler, context_of
from photomat.bot.price_views import span
from photomat.bot.transport import Tap
from photomat.db.pool import Transaction
from photomat.messages.notices import notify
from photomat.texts.load import Say
from photomat.users.standing import Ban, note_told


class RefuseBanned(BaseMiddleware):
    """Stands before every handler of a message or tap; operators are never refused."""

    async def __call__(self, handler: Handler, event: TelegramObject, data: dict[str, Any]) -> Any:
        ctx = context_of(data)
        ban = ctx.user.ban
        if ban is None or ctx.is_operator or get_flag(data, SERVED):
            return await handler(event, data)
        tap = data.get("tap")
        if isinstance(tap, Tap):
            await tap.answer(ban_toast(ctx.say, ban), alert=True)
        else:
            ctx.on_commit(lambda tx: _tell(tx, ctx, ban))
        return None


async def _tell(tx: Transaction, ctx: UpdateContext, ban: Ban) -> None:
    if not await note_told(tx, ctx.user_id):
        return
    say, contact = ctx.say, ctx.config.support.contact
    appeal = say("ban-appeal", contact=escape(contact)) if contact else say("ban-appeal-here")
    facts = {"reason": escape(ban.reason, quote=False), "appeal": appeal}
    if ban.until is not None and ban.left is not None:
        facts |= {"until": until(ban), "wait": span(say, ban.left)}
    await notify(
        tx,
        key=f"ban:{ctx.bot_id}:{ctx.received_id}",
        chat_id=ctx.chat_id,
        text_key="ban-message" if ban.until is None else "ban-message-until",
        facts=facts,
    )


def ban_toast(say: Say, ban: Ban) -> str:
    """Short enough for a toast, which cuts the reason last."""
    if ban.until is None:
        return say("ban-toast", reason=ban.reason)
    return say("ban-toast-until", until=until(ban), reason=ban.reason)


def until(ban: Ban) -> str:
    return f"{ban.until:%d.%m.%Y %H:%M} UTC"
