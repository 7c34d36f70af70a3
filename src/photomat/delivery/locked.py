"""A card in our hands: everything needed to render it and to say later that it was ours. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from photomat.db.rows import Row
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import BotId, ChatId, Fence, JobId, MessageId, UserId
from photomat.kernel.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedCard:
    """A job's card in our hands until the lease runs out: everything needed to render it, and the fence."""

    job_id: JobId
    corr: str
    bot_id: BotId
    user_id: UserId
    chat_id: ChatId
    message_id: MessageId
    model: str
    title: str | None
    inputs: Mapping[str, Any]
    language: str
    price: Money
    status: JobStatus
    fail_code: str | None
    gift: bool
    offered: bool
    overdue: bool
    stopped: bool
    progress: int
    page: int
    result_object: Mapping[str, Any] | None
    wanted: int
    slot_for: int | None
    fence: Fence
    attempts: int
    failing_for: timedelta
    found_via: str | None
    doubtful: bool
    delivered: bool
    created_at: datetime
    locked_at: datetime

    @property
    def shows_result(self) -> bool:
        """Whether what this card is to show is the result."""
        return self.status is JobStatus.DONE

    @property
    def is_private(self) -> bool:
        """Whether the card stands in the customer's own chat with the bot, not in a group."""
        return int(self.chat_id) == int(self.user_id)

    @property
    def first_result(self) -> bool:
        """Whether the result was not on the card before, as far as anybody recorded."""
        return self.shows_result and not self.delivered


def locked_card(row: Row) -> LockedCard:
    """The card of a row that was locked just now; it must hold `locked_at` besides."""
    return LockedCard(
        job_id=JobId(row["job_id"]),
        corr=row["corr"],
        bot_id=BotId(row["bot_id"]),
        user_id=UserId(row["user_id"]),
        chat_id=ChatId(row["chat_id"]),
        message_id=MessageId(row["card_message_id"]),
        model=row["model"],
        title=row["title"],
        inputs=row["inputs"],
        language=row["language"],
        price=Money(row["price"], row["currency"]),
        status=JobStatus(row["status"]),
        fail_code=row["fail_code"],
        gift=row["gift"],
        offered=row["offered_at"] is not None,
        overdue=row["overdue_at"] is not None,
        stopped=row["stopped_at"] is not None,
        progress=row["progress"],
        page=row["card_page"],
        result_object=row["result_object"],
        wanted=row["card_wanted"],
        slot_for=row["card_slot_for"],
        fence=Fence(row["delivery_fence"]),
        attempts=row["delivery_attempts"],
        failing_for=row["locked_at"] - (row["delivery_failing_since"] or row["locked_at"]),
        found_via=row["found_via"],
        doubtful=row["card_doubtful"],
        delivered=row["delivered_at"] is not None,
        created_at=row["created_at"],
        locked_at=row["locked_at"],
    )
