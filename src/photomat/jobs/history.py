"""What a user has bought, newest first."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from photomat.catalog.roles import PROMPT_NAMES
from photomat.db.pool import Pool
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import BotId, ChatId, JobId, MessageId, UserId
from photomat.kernel.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class PastJob:
    """One line of the history; `title` is what the model was called when it was bought."""

    job_id: JobId
    model: str
    prompt: str
    status: JobStatus
    price: Money
    fail_code: str | None
    gift: bool
    offered: bool
    created_at: datetime
    delivered: bool
    title: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bought:
    """What one's own job was bought as, and the correlation id of everything that concerns it."""

    model: str
    inputs: Mapping[str, Any]
    corr: str


async def own_job(pool: Pool, *, job_id: JobId, user_id: UserId) -> Bought | None:
    """The job, if it is this user's."""
    row = await pool.fetchrow(
        "SELECT model, inputs, corr FROM generation_jobs WHERE job_id = $1 AND user_id = $2", job_id, user_id
    )
    return None if row is None else Bought(model=row["model"], inputs=row["inputs"], corr=row["corr"])


async def hosts_a_job(pool: Pool, *, bot_id: BotId, chat_id: ChatId, message_id: MessageId) -> bool:
    """Whether this message is the card of a bought job: those are edited by `delivery` alone."""
    return bool(
        await pool.fetchval(
            "SELECT true FROM generation_jobs WHERE bot_id = $1 AND chat_id = $2 AND card_message_id = $3",
            bot_id,
            chat_id,
            message_id,
        )
    )


async def recent_jobs(pool: Pool, *, user_id: UserId, limit: int, skip: int = 0) -> list[PastJob]:
    """The last jobs of a user, after so many newer ones."""
    rows = await pool.fetch(
        """
        SELECT job_id, model, title, inputs, status, price, currency, fail_code, gift, offered_at IS NOT NULL AS offered,
               created_at, delivered_at IS NOT NULL AS delivered
          FROM generation_jobs WHERE user_id = $1 ORDER BY job_id DESC LIMIT $2 OFFSET $3
        """,
        user_id,
        limit,
        skip,
    )
    return [
        PastJob(
            job_id=JobId(row["job_id"]),
            model=row["model"],
            title=row["title"],
            prompt=_described(row["inputs"]),
            status=JobStatus(row["status"]),
            price=Money(row["price"], row["currency"]),
            fail_code=row["fail_code"],
            gift=row["gift"],
            offered=row["offered"],
            created_at=row["created_at"],
            delivered=row["delivered"],
        )
        for row in rows
    ]


def _described(inputs: Mapping[str, Any]) -> str:
    """The text that describes an order, however its model calls it."""
    return next((str(inputs[name]) for name in PROMPT_NAMES if name in inputs), "")
