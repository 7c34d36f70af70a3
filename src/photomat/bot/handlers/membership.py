"""A person blocks the bot, or returns: then what could not be shown to them becomes due again."""

from aiogram import F, Router
from aiogram.enums import ChatMemberStatus, ChatType
from aiogram.types import ChatMemberUpdated

from photomat.bot.visit import Visit
from photomat.db.pool import Transaction
from photomat.delivery.rearm import rearm_user
from photomat.users.preferences import user_blocked_us, user_returned


async def blocked(_event: ChatMemberUpdated, visit: Visit) -> None:
    """Note that nothing reaches this person."""

    async def write(tx: Transaction) -> None:
        await user_blocked_us(tx, user_id=visit.user_id)

    visit.unit.steps.append(write)


async def returned(_event: ChatMemberUpdated, visit: Visit) -> None:
    """Note that the person is back."""

    async def write(tx: Transaction) -> None:
        await user_returned(tx, user_id=visit.user_id)
        await rearm_user(tx, user_id=visit.user_id)

    visit.unit.steps.append(write)


def router() -> Router:
    """The ways to get here; what happens to the bot in groups is nobody's absence."""
    routes = Router(name="membership")
    routes.my_chat_member.filter(F.chat.type == ChatType.PRIVATE)
    routes.my_chat_member.register(blocked, F.new_chat_member.status == ChatMemberStatus.KICKED)
    routes.my_chat_member.register(returned, F.new_chat_member.status == ChatMemberStatus.MEMBER)
    return routes
