"""The state of a conversation between two updates, and its row.

Handlers change the object; it is written in the transaction that marks the update as handled, so a conversation never gets
ahead of its updates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Final

from aiogram.fsm.state import State, StatesGroup

from photomat.db.pool import Transaction
from photomat.kernel.ids import BotId, ChatId, UserId

FIND_ASKED_CONVERSATION: Final = """
    SELECT state, data, photomat_now() - updated_at AS age FROM conversations
     WHERE user_id = asked.user_id AND bot_id = asked.bot_id AND chat_id = asked.chat_id LIMIT 1"""


@dataclass(slots=True, kw_only=True)
class Conversation:
    bot_id: BotId
    chat_id: ChatId
    user_id: UserId
    state: str | None = None
    data: dict[str, Any] = field(default_factory=dict)
    is_changed: bool = False
    is_stored: bool = False
    age: timedelta = timedelta(0)
    """How long ago it was written."""

    def wait_for(self, state: State, data: Mapping[str, Any] | None = None) -> None:
        """Expect an answer of this kind next; without `data` the stored data stays as it is."""
        self.state = state.state
        self.store(self.data if data is None else data)

    def store(self, data: Mapping[str, Any]) -> None:
        self.data = dict(data)
        self.is_changed = True

    def clear(self) -> None:
        """Expect nothing. One that expects nothing already is written only once: its row says that the user was here."""
        if self.state is not None or self.data or not self.is_stored:
            self.state, self.data, self.is_changed = None, {}, True


async def write_conversations(tx: Transaction, conversations: Sequence[Conversation]) -> None:
    """Write different conversations, in one order: two instances may have some of the same."""
    if not conversations:
        return
    await tx.execute(
        """
        INSERT INTO conversations (bot_id, chat_id, user_id, state, data)
        SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::jsonb[])
                   AS given (bot_id, chat_id, user_id, state, data)
         ORDER BY bot_id, chat_id, user_id
            ON CONFLICT (bot_id, chat_id, user_id) DO UPDATE
           SET state = excluded.state, data = excluded.data, updated_at = photomat_now()
        """,
        [each.bot_id for each in conversations],
        [each.chat_id for each in conversations],
        [each.user_id for each in conversations],
        [each.state for each in conversations],
        [each.data for each in conversations],
    )


class Composing(StatesGroup):
    """A form is being filled in; the open question is in the conversation's data."""

    answering = State()


class Filling(StatesGroup):
    """A slot of a template is asked for; the template and the answers so far are in the conversation's data."""

    slot = State()


class Typing(StatesGroup):
    """Something short is to be typed: a promo code, the sum of a gift, words to search models or the history for."""

    promo = State()
    gift = State()
    search = State()
    history = State()


class Transferring(StatesGroup):
    """A manual transfer: its sum is asked for, then its receipt."""

    naming_sum = State()
    sending_receipt = State()


class Deciding(StatesGroup):
    """An operator types what a receipt is credited with, or why it is declined."""

    naming_sum = State()
    naming_reason = State()


class Administering(StatesGroup):
    """`/admin` is open: what is typed is searched for, or answers a question of the action in the conversation's data."""

    finding = State()
    naming_sum = State()
    writing = State()
    naming_reason = State()
    naming_model = State()
    confirming = State()


class Broadcasting(StatesGroup):
    """An operator sends the message of a new broadcast, or types why one is started; its id is in the data."""

    composing = State()
    naming_reason = State()


class Paying(StatesGroup):
    """A sum of a top-up is typed, or where its receipt goes; the way and the waiting order are in the conversation's data."""

    naming_sum = State()
    naming_contact = State()


class Supporting(StatesGroup):
    """A customer writes to support; the ticket, or the job of a new one, is in the conversation's data."""

    writing = State()


class Answering(StatesGroup):
    """An operator types the answer to a ticket, or the reason of an action on it."""

    answer = State()
    reason = State()


async def forget_conversations(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Delete where a user's conversations stand, with what was typed so far."""
    return len(
        await tx.fetch(
            """
            DELETE FROM conversations
             WHERE ctid = ANY (ARRAY(SELECT ctid FROM conversations WHERE user_id = $1 LIMIT $2 FOR UPDATE))
            RETURNING chat_id
            """,
            user_id,
            limit,
        )
    )
