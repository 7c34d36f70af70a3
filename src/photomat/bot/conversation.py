"""aiogram's FSM storage on PostgreSQL: one conversation, read before the handlers and written after them.

What handlers set is kept back and committed by `dispatch` in the transaction that marks the update as handled, so a
conversation never gets ahead of its updates. One object serves one update; nothing is shared between updates.

Where a conversation can stand between two updates.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiogram.fsm.state import State, StatesGroup
from aiogram.fsm.storage.base import BaseStorage, StateType, StorageKey

from photomat.db.pool import Pool, Transaction
from photomat.kernel.ids import BotId, ChatId, UserId


@dataclass(slots=True, kw_only=True)
class Conversation:
    """Where one user stands in one chat."""

    bot_id: BotId
    chat_id: ChatId
    user_id: UserId
    state: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
    is_changed: bool = False


class ConversationStorage(BaseStorage):
    """The conversation of the update at hand, in the shape aiogram asks for."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation

    async def set_state(self, key: StorageKey, state: StateType = None) -> None:
        """Keep the new state back."""
        conversation = self._of(key)
        conversation.state = state.state if isinstance(state, State) else state
        conversation.is_changed = True

    async def get_state(self, key: StorageKey) -> str | None:
        """The state, as set last."""
        return self._of(key).state

    async def set_data(self, key: StorageKey, data: Mapping[str, Any]) -> None:
        """Keep the new data back."""
        conversation = self._of(key)
        conversation.data = dict(data)
        conversation.is_changed = True

    async def get_data(self, key: StorageKey) -> dict[str, Any]:
        """The data, as set last."""
        return dict(self._of(key).data)

    async def close(self) -> None:
        """Nothing is open."""

    def _of(self, key: StorageKey) -> Conversation:
        ours = self._conversation
        if (key.bot_id, key.chat_id, key.user_id) != (ours.bot_id, ours.chat_id, ours.user_id):
            raise KeyError(f"the update at hand is not of chat {key.chat_id} and user {key.user_id}")
        return ours


def storage_key(conversation: Conversation) -> StorageKey:
    """The conversation's name in aiogram's words."""
    return StorageKey(bot_id=conversation.bot_id, chat_id=conversation.chat_id, user_id=conversation.user_id)


async def read_conversation(pool: Pool, *, bot_id: BotId, chat_id: ChatId, user_id: UserId) -> Conversation:
    """Load a conversation; one that never was is empty."""
    row = await pool.fetchrow(
        "SELECT state, data FROM conversations WHERE bot_id = $1 AND chat_id = $2 AND user_id = $3",
        bot_id,
        chat_id,
        user_id,
    )
    conversation = Conversation(bot_id=bot_id, chat_id=chat_id, user_id=user_id)
    if row is not None:
        conversation.state, conversation.data = row["state"], row["data"]
    return conversation


async def write_conversation(tx: Transaction, conversation: Conversation) -> None:
    """Write a conversation in the transaction that marks its update as handled."""
    await tx.execute(
        """
        INSERT INTO conversations (bot_id, chat_id, user_id, state, data)
        VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (bot_id, chat_id, user_id) DO UPDATE
           SET state = excluded.state, data = excluded.data, updated_at = photomat_now()
        """,
        conversation.bot_id,
        conversation.chat_id,
        conversation.user_id,
        conversation.state,
        conversation.data,
    )


class Composing(StatesGroup):
    """A form is being filled in; which question is open stands in the conversation's data."""

    answering = State()


class Typing(StatesGroup):
    """Something short is to be typed: a promo code, the sum of a gift, what to look for."""

    promo = State()
    gift = State()
    search = State()


class Transferring(StatesGroup):
    """A transfer by hand: its sum is asked for, then its receipt."""

    naming_sum = State()
    sending_receipt = State()


class Deciding(StatesGroup):
    """An operator types what a receipt is credited with, or why it is declined."""

    naming_sum = State()
    naming_reason = State()


class Paying(StatesGroup):
    """A sum of one's own is to be typed; the way and the waiting order stand in the conversation's data."""

    naming_sum = State()
