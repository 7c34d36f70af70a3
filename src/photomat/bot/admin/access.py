"""Who may use `/admin`: operators in their private chat with the bot. For others its commands and buttons do not exist."""

from typing import Any

from aiogram.enums import ChatType
from aiogram.filters import Filter
from aiogram.types import CallbackQuery, Chat, Message

from photomat.bot.context import UpdateContext
from photomat.bot.transport import Tap
from photomat.kernel.logs import get_logger
from photomat.kernel.text import storable
from photomat.operators.access import Role, operator_of_telegram, role_of_telegram

log = get_logger()


class OperatorOnly(Filter):
    """Gives handlers the `role` of the sender; any other update goes on as if there were no such handler.

    The last filter of a handler: it asks the database. `in_their_group` takes a group named by ADMIN_IDS too, where alerts are.
    """

    def __init__(self, *, in_their_group: bool = False) -> None:
        self.in_their_group = in_their_group

    async def __call__(self, event: Message | CallbackQuery, ctx: UpdateContext) -> bool | dict[str, Any]:
        message = event.message if isinstance(event, CallbackQuery) else event
        if message is None or not self._takes(message.chat, ctx):
            return False
        role = await role_of(ctx)
        return False if role is None else {"role": role}

    def _takes(self, chat: Chat, ctx: UpdateContext) -> bool:
        return chat.type == ChatType.PRIVATE or (self.in_their_group and chat.id in ctx.config.operators)


async def role_of(ctx: UpdateContext) -> Role | None:
    return await role_of_telegram(ctx.pool, ctx.config.operators, ctx.user_id)


async def refuse_viewer(tap: Tap, ctx: UpdateContext, role: Role) -> bool:
    """Whether the role may only look; then the tap is answered."""
    if role >= Role.OPERATOR:
        return False
    log.warning("ADMIN_REFUSED", user_id=ctx.user_id, role=role.word)
    await tap.answer(ctx.say("admin-only-looks"), alert=True)
    return True


def operator_name(ctx: UpdateContext) -> str:
    """Who acts, for the journal: `telegram:9001 @peter`."""
    user = ctx.user
    name = f"@{user.username}" if user.username else user.first_name
    return str(storable(operator_of_telegram(user.user_id, name)))
