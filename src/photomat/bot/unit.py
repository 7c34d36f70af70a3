"""What one update does to the database: loaded before its handlers, kept back, written together with "handled"."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from aiogram.types import Chat
from aiogram.types import User as Sender

from photomat.bot.storage import Conversation, read_conversation, write_conversation
from photomat.db.pool import Pool, Transaction, transaction
from photomat.delivery.rearm import rearm_user
from photomat.inbox.lane import finish
from photomat.inbox.received import Claimed, kind_of
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import BotId, ChatId, ReceivedId, UserId
from photomat.kernel.money import Money
from photomat.notices.send import tell_what_was_missed
from photomat.rewards.newcomer import know
from photomat.users.preferences import user_returned
from photomat.users.register import find_user
from photomat.users.user import User, starting_language

Step: TypeAlias = Callable[[Transaction], Awaitable[None]]


class LaneLost(Exception):
    """Another worker took the lane over while we worked: nothing of ours may be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who sent the update. A new person has no row yet; `language_code` is what their client says."""

    user: User
    is_new: bool
    language_code: str | None


@dataclass(slots=True, kw_only=True)
class Unit:
    """One update's unit of work. `corr` follows the update, or the job the update turns out to concern."""

    bot_id: BotId
    received_id: ReceivedId
    kind: str
    corr: str
    person: Person | None
    conversation: Conversation | None
    registers: bool = False
    steps: list[Step] = field(default_factory=list)

    @property
    def origin(self) -> str:
        """Names what this update makes, so that the update handled again finds it."""
        return f"update:{self.bot_id}:{self.received_id}"


async def load_unit(pool: Pool, claimed: Claimed, *, corr: str, sender: Sender | None, chat: Chat | None) -> Unit:
    """Read who sent the update and where their conversation stands; bots and anonymous senders are nobody."""
    person = await _load_person(pool, sender) if sender is not None and not sender.is_bot else None
    conversation = None
    if person is not None:
        user_id = person.user.user_id
        chat_id = ChatId(chat.id if chat is not None else user_id)
        conversation = await read_conversation(pool, bot_id=claimed.bot_id, chat_id=chat_id, user_id=user_id)
    return Unit(
        bot_id=claimed.bot_id,
        received_id=claimed.received_id,
        kind=kind_of(claimed.update),
        corr=corr,
        person=person,
        conversation=conversation,
    )


async def register_at_once(pool: Pool, person: Person, *, welcome_credit: Money) -> Person:
    """Make a new person a user before their update is done, because money is to reach them now; bears repeating."""
    async with transaction(pool) as tx:
        await _register(tx, person, welcome_credit=welcome_credit)
    return replace(person, is_new=False)


async def commit_unit(pool: Pool, claimed: Claimed, unit: Unit, *, welcome_credit: Money) -> None:
    """Write everything and mark the update as handled, in one transaction; `LaneLost` when the fence has moved on."""
    async with transaction(pool) as tx:
        if not await finish(tx, claimed):
            raise LaneLost
        if unit.person is not None and unit.registers:
            await _register(tx, unit.person, welcome_credit=welcome_credit)
        for step in unit.steps:
            await step(tx)
        if unit.conversation is not None and unit.conversation.is_changed:
            await write_conversation(tx, unit.conversation)
        failpoint("update.before_commit")


async def _load_person(pool: Pool, sender: Sender) -> Person:
    user_id = UserId(sender.id)
    async with transaction(pool) as tx:
        known = await find_user(tx, user_id)
    user = User(
        user_id=user_id,
        first_name=sender.first_name,
        username=sender.username,
        language=known.language if known else starting_language(sender.language_code),
        is_blocked=known.is_blocked if known else False,
    )
    return Person(user=user, is_new=known is None, language_code=sender.language_code)


async def _register(tx: Transaction, person: Person, *, welcome_credit: Money) -> None:
    user = person.user
    registered = await know(
        tx,
        user_id=user.user_id,
        first_name=user.first_name,
        username=user.username,
        language_code=person.language_code,
        welcome=welcome_credit,
    )
    if registered.user.is_blocked:
        await user_returned(tx, user_id=user.user_id)
        await rearm_user(tx, user_id=user.user_id)
        await tell_what_was_missed(tx, chat_id=ChatId(user.user_id))
