"""One outbox for every message the bot sends outside the conversation: claim (commit) → send → record (commit).

A kind of message is a `MessageKind` beside its table. Its claim statement chooses the promise:

    at most once    the claim records that the message has left and makes it due no more (rings, resends, notices)
    at least once   the claim takes a lease and raises a fence (alerts, and edits, which are idempotent)

What a crash means, by the moment of it:

    before the claim commits    nothing happened; the row is still due
    claimed, not sent           at most once: the message is lost. At least once: claimed again when the lease expires
    sent, not recorded          at most once: never repeated. At least once: sent again when the lease expires
    recorded                    nothing is left to do

What the answer of Telegram means:

    an answer            recorded as sent
    Transient            it definitely never left: put back, later each time, until the attempts are used up. The pace of a chat
                         (`ChatBusy`) uses up no attempt
    OutcomeUnknown       it left and the answer is lost: counts as sent, whatever the promise, and is never repeated
    Unreachable          the user blocked the bot or the chat is gone: recorded, not repeated
    any other refusal    put back as often as the kind allows, then recorded as refused. `ChatMoved` is one: what would be
                         sent belongs to the old chat

Putting back and recording test the claim (its instant or its fence), so a worker that comes late changes nothing. A message
must never be the only source of a fact, because it may be lost.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import ClassVar, Generic, Protocol, TypeVar

from photomat.db.pool import Pool
from photomat.db.rows import Row
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kernel.ids import MessageId
from photomat.telegram.port import ChatBusy, Unauthorized, Unreachable


class Outcome(StrEnum):
    """How a message ended; one of unknown outcome counts as sent, because a send cannot be repeated safely."""

    SENT = "sent"
    UNKNOWN = "unknown"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What to record of a message that will not be tried again."""

    outcome: Outcome
    message_id: MessageId | None = None
    error: PhotomatError | None = None

    @property
    def reason(self) -> str | None:
        return None if self.error is None else str(self.error)


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBack:
    """A message that never left, and when to try it again; `is_counted` is False for the rate limit of a chat."""

    after_s: float
    is_counted: bool
    error: PhotomatError

    @property
    def after(self) -> timedelta:
        return timedelta(seconds=self.after_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """When a kind tries again: `pause_s` is given the number of earlier attempts; None means without end."""

    pause_s: Callable[[int], float]
    most_attempts: int | None = None
    waits_for_token: bool = False
    """Whether a bot token that Telegram does not accept is waited out like an outage, or is a refusal."""
    most_refused: int = 1
    """The attempt whose refusal is final."""

    def allows(self, error: PhotomatError, attempts: int) -> bool:
        """Whether a message that failed like this, at this attempt, is tried again."""
        if isinstance(error, OutcomeUnknown | Unreachable):
            return False
        if isinstance(error, ChatBusy):
            return True
        if isinstance(error, Transient) or (isinstance(error, Unauthorized) and self.waits_for_token):
            return self.most_attempts is None or attempts < self.most_attempts
        return attempts < self.most_refused


class ClaimedMessage(Protocol):
    """What the outbox needs to know of a claimed message."""

    @property
    def attempts(self) -> int:
        """How often it was claimed, this time included."""
        ...


Message = TypeVar("Message", bound=ClaimedMessage)


class MessageKind(ABC, Generic[Message]):
    """One kind of message: its statements, how it is made, and what is recorded of it."""

    DUE: ClassVar[str]
    """Selects a row while a message is due; for the due poller."""
    CLAIM: ClassVar[str]
    """Takes what is due: $1 is the limit, $2 our bot's id, then what `claim_arguments` gives."""
    RETRIES: ClassVar[RetryPolicy]
    pool: Pool

    @property
    def claim_arguments(self) -> tuple[object, ...]:
        return ()

    @abstractmethod
    def read(self, row: Row) -> Message:
        """A claimed row as a value."""

    def log_context(self, message: Message) -> AbstractContextManager[object]:  # noqa: ARG002  for kinds that override it
        """What is bound to every log line about the message."""
        return nullcontext()

    @abstractmethod
    async def send(self, message: Message) -> MessageId | None:
        """Make the message and send it; the network, and no write that a second attempt could not repeat."""

    @abstractmethod
    async def put_back(self, message: Message, again: PutBack) -> None:
        """Make it due again, if the claim is still ours."""

    @abstractmethod
    async def record(self, message: Message, ending: Ending) -> None:
        """Record how it ended, if the claim is still ours."""

    async def claim(self, limit: int) -> list[Message]:
        rows = await self.pool.fetch(self.CLAIM, limit, self.pool.bot_id, *self.claim_arguments)
        return [self.read(row) for row in rows]

    async def deliver(self, message: Message) -> None:
        """Send a claimed message and record the outcome, or put it back if it may be tried again."""
        with self.log_context(message):
            try:
                message_id = await self.send(message)
            except PhotomatError as error:
                await self._failed(message, error)
            else:
                await self.record(message, Ending(outcome=Outcome.SENT, message_id=message_id))

    async def _failed(self, message: Message, error: PhotomatError) -> None:
        if not self.RETRIES.allows(error, message.attempts):
            await self.record(message, Ending(outcome=_outcome(error), error=error))
            return
        asked_s = error.retry_after_s if isinstance(error, Transient) else None
        after_s = asked_s or self.RETRIES.pause_s(message.attempts - 1)
        await self.put_back(message, PutBack(after_s=after_s, is_counted=not isinstance(error, ChatBusy), error=error))


def _outcome(error: PhotomatError) -> Outcome:
    if isinstance(error, OutcomeUnknown):
        return Outcome.UNKNOWN
    return Outcome.UNREACHABLE if isinstance(error, Unreachable) else Outcome.REFUSED
