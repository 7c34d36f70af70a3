"""A person blocks the bot, or returns, or a group takes it in again: what could not be shown there becomes due again."""

from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatMemberStatus, ChatType
from aiogram.types import ChatMemberUpdated

from photomat.bot.visit import Visit
from photomat.db.pool import Transaction
from photomat.delivery.rearm import rearm_chat, rearm_user
from photomat.kernel.ids import ChatId
from photomat.notices.send import tell_what_was_missed
from photomat.users.preferences import user_blocked_us, user_returned

PRESENT: Final = {ChatMemberStatus.MEMBER, ChatMemberStatus.ADMINISTRATOR}


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
        await tell_what_was_missed(tx, chat_id=ChatId(visit.user_id))

    visit.unit.steps.append(write)


async def taken_in(event: ChatMemberUpdated, visit: Visit) -> None:
    """The bot may write in a group, perhaps again."""

    async def write(tx: Transaction) -> None:
        await rearm_chat(tx, bot_id=visit.unit.bot_id, chat_id=ChatId(event.chat.id))

    visit.unit.steps.append(write)


def router() -> Router:
    """The ways to get here; what happens to the bot in groups is nobody's absence."""
    routes = Router(name="membership")
    private, present = F.chat.type == ChatType.PRIVATE, F.new_chat_member.status.in_(PRESENT)
    routes.my_chat_member.register(blocked, private, F.new_chat_member.status == ChatMemberStatus.KICKED)
    routes.my_chat_member.register(returned, private, F.new_chat_member.status == ChatMemberStatus.MEMBER)
    routes.my_chat_member.register(taken_in, ~private, present)
    return routes
