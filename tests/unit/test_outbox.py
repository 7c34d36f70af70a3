"""The outbox decides the same for every kind: what is repeated, what never is, and what is recorded."""

from dataclasses import dataclass, field
from typing import ClassVar

import pytest

from photomat.db.rows import Row
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kernel.ids import ChatId, MessageId
from photomat.messages.outbox import Ending, MessageKind, Outcome, PutBack, RetryPolicy
from photomat.telegram.port import CallRefused, ChatBusy, ChatMoved, Unauthorized, Unreachable

EARLY, LAST = 1, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Postcard:
    attempts: int = EARLY


@dataclass(frozen=True, slots=True, kw_only=True)
class Postcards(MessageKind[Postcard]):
    """The smallest kind there is; `answer` is what Telegram says, `seen` what was done."""

    answer: Exception | None = None
    seen: list[Ending | PutBack | str] = field(default_factory=list)

    RETRIES: ClassVar = RetryPolicy(pause_s=lambda earlier: 10.0 + earlier, most_attempts=LAST)

    def read(self, row: Row) -> Postcard:
        raise NotImplementedError

    async def send(self, message: Postcard) -> MessageId:  # noqa: ARG002  every postcard is alike
        self.seen.append("sent")
        if self.answer is not None:
            raise self.answer
        return MessageId(7)

    async def put_back(self, message: Postcard, again: PutBack) -> None:  # noqa: ARG002
        self.seen.append(again)

    async def record(self, message: Postcard, ending: Ending) -> None:  # noqa: ARG002
        self.seen.append(ending)


class PatientPostcards(Postcards):
    RETRIES: ClassVar = RetryPolicy(pause_s=lambda _earlier: 5.0, waits_for_token=True, most_refused=LAST)


async def after(kind: Postcards, attempts: int = EARLY) -> Ending | PutBack:
    """What came of one attempt; it is sent once, and one thing is written."""
    await kind.deliver(Postcard(attempts=attempts))
    sent, written = kind.seen
    assert sent == "sent"
    assert not isinstance(written, str)
    return written


async def test_an_answer_is_recorded_with_the_id_of_the_message() -> None:
    assert await after(Postcards()) == Ending(outcome=Outcome.SENT, message_id=MessageId(7))


@pytest.mark.parametrize("kind", [Postcards, PatientPostcards])
@pytest.mark.parametrize("attempts", [EARLY, LAST])
@pytest.mark.parametrize(
    ("error", "outcome"),
    [(OutcomeUnknown("no answer"), Outcome.UNKNOWN), (Unreachable("blocked"), Outcome.UNREACHABLE)],
)
async def test_a_lost_answer_and_a_user_who_is_gone_are_never_repeated(
    kind: type[Postcards], attempts: int, error: PhotomatError, outcome: Outcome
) -> None:
    assert await after(kind(answer=error), attempts) == Ending(outcome=outcome, error=error)


async def test_what_surely_never_left_is_put_back_until_the_attempts_are_used_up() -> None:
    error = Transient("down")
    assert await after(Postcards(answer=error), 2) == PutBack(after_s=11.0, is_counted=True, error=error)
    assert await after(Postcards(answer=error), LAST) == Ending(outcome=Outcome.REFUSED, error=error)
    assert isinstance(await after(PatientPostcards(answer=error), 1000), PutBack)


async def test_telegram_says_when_to_try_again() -> None:
    error = Transient("429", retry_after_s=42)
    assert await after(Postcards(answer=error)) == PutBack(after_s=42, is_counted=True, error=error)


async def test_the_pace_of_a_chat_uses_up_no_attempt() -> None:
    error = ChatBusy("429", retry_after_s=3)
    assert await after(Postcards(answer=error), LAST) == PutBack(after_s=3, is_counted=False, error=error)


@pytest.mark.parametrize("error", [CallRefused("what?"), ChatMoved(ChatId(-1)), Unauthorized("token")])
async def test_a_refusal_is_final_unless_the_kind_is_patient(error: PhotomatError) -> None:
    refused = Ending(outcome=Outcome.REFUSED, error=error)
    assert await after(Postcards(answer=error)) == refused
    assert await after(PatientPostcards(answer=error), 2) == PutBack(after_s=5.0, is_counted=True, error=error)
    expected = PutBack(after_s=5.0, is_counted=True, error=error) if isinstance(error, Unauthorized) else refused
    assert await after(PatientPostcards(answer=error), LAST) == expected


async def test_an_error_of_our_own_records_nothing() -> None:
    kind = Postcards(answer=LookupError("no such text"))
    with pytest.raises(LookupError):
        await kind.deliver(Postcard())
    assert kind.seen == ["sent"]
