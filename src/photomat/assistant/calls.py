"""Calls to the chat model as rows: wanted, asked at most once, ended, shown.

    wanted     queued in the transaction of what it is about; unique by its origin
    asked      committed by the claim, before the request leaves. Found after its lease, it becomes `unknown`
    answered   with its cost and its text, which is used next
    failed     a definite no, or nothing was sent
    unknown    a request left and its answer is lost: it counts as paid and is never repeated
    skipped    too late, or over a limit; nothing was asked

A row has a next step while `due_at` is set: a claim raises the fence and moves `due_at` on by a lease, so a step whose process
died is taken up by another: an answer is used after all, a question is never asked again. Claims judge the limits one after the
other, under the lock of a budget, so that many instances together stay below them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row, require_row
from photomat.kernel.ids import BotId, ChatId, DraftId, Fence, MessageId, UserId
from photomat.kernel.text import storable
from photomat.kie.port import ChatAnswer
from photomat.work import budget
from photomat.work.budget import Budget
from photomat.work.retention import Batch, OldRows

DAY: Final = timedelta(days=1)
LEASE: Final = timedelta(seconds=90)
"""Longer than the longest call and what follows it."""
CHAT_BUDGET: Final = Budget(name="kie:chat", limit=20, window_s=10)
"""Kie documents no limit of chat calls; this is its limit of tasks."""
UNREPORTED_CREDITS: Final = Decimal(1)
"""What a call counts as while Kie has not said what it took: several times the usual."""
CALLS_DUE: Final = "SELECT 1 FROM assistant_calls WHERE due_at <= photomat_now()"
OLD_CALLS: Final = OldRows(table="assistant_calls", age="wanted_at", only="old.due_at IS NULL")
COLUMNS: Final = (
    "call_id, kind, state, bot_id, user_id, chat_id, language, draft_id, revision, message_id, file_id, words, answer, error,"
    " fence, wanted_at"
)


class CallKind(StrEnum):
    PLAN = "plan"
    IMPROVE = "improve"
    TRANSCRIBE = "transcribe"


class CallState(StrEnum):
    WANTED = "wanted"
    ASKED = "asked"
    ANSWERED = "answered"
    FAILED = "failed"
    UNKNOWN = "unknown"
    SKIPPED = "skipped"


START_WITHIN: Final[Mapping[CallKind, timedelta]] = {
    CallKind.PLAN: timedelta(seconds=10),
    CallKind.IMPROVE: timedelta(seconds=10),
    CallKind.TRANSCRIBE: timedelta(minutes=1),
}
"""A call that could not start so soon is skipped: its card is old news."""
SHOWN_WITHIN: Final = timedelta(seconds=10)
"""How long after its card a better plan may replace it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """Calls of one user and credits of the whole shop in 24 hours; 0 is no limit."""

    calls_per_user: int
    credits: Decimal
    minor_per_credit: Decimal = Decimal(0)
    """What a credit costs the shop, in minor units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A call to be queued. A plan and a better prompt are for one revision of a draft, a transcript for a voice message."""

    kind: CallKind
    origin: str
    bot_id: BotId
    user_id: UserId
    chat_id: ChatId
    language: str
    draft_id: DraftId | None = None
    revision: int | None = None
    words: str | None = None
    message_id: MessageId | None = None
    file_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A claimed call; in the state `asked` it is to be asked now, in any other its end is to be shown."""

    call_id: int
    kind: CallKind
    state: CallState
    bot_id: BotId
    user_id: UserId
    chat_id: ChatId
    language: str
    draft_id: DraftId | None
    revision: int | None
    message_id: MessageId | None
    file_id: str | None
    words: str | None
    answer: str | None
    error: str | None
    fence: Fence
    wanted_at: datetime

    @property
    def origin(self) -> str:
        """Names what the answer makes of a draft, so that it is made once."""
        return f"assistant:{self.call_id}"


async def want(tx: Transaction, wanted: Wanted) -> None:
    """Queue a call; idempotent per origin."""
    await tx.execute(
        """
        INSERT INTO assistant_calls
               (kind, origin, bot_id, user_id, chat_id, language, draft_id, revision, words, message_id, file_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            ON CONFLICT ON CONSTRAINT assistant_calls_origin_once DO NOTHING
        """,
        wanted.kind,
        wanted.origin,
        wanted.bot_id,
        wanted.user_id,
        wanted.chat_id,
        wanted.language,
        wanted.draft_id,
        wanted.revision,
        wanted.words,
        wanted.message_id,
        wanted.file_id,
    )


async def claim(pool: Pool, *, limit: int, limits: CallLimits) -> list[Call]:
    """Take what is due, and commit for each whether it is asked now, was lost, or is skipped."""
    async with transaction(pool) as tx:
        rows = await tx.fetch(
            f"""
            WITH due AS MATERIALIZED (
                SELECT call_id FROM assistant_calls
                 WHERE due_at <= photomat_now() AND bot_id = (SELECT photomat_our_bot($2))
                 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
            UPDATE assistant_calls AS call
               SET fence = call.fence + 1, due_at = photomat_now() + $3::interval,
                   state = CASE call.state WHEN 'asked' THEN 'unknown' ELSE call.state END,
                   error = CASE call.state WHEN 'asked' THEN 'interrupted' ELSE call.error END,
                   ended_at = CASE call.state WHEN 'asked' THEN photomat_now() ELSE call.ended_at END
              FROM due
             WHERE call.call_id = due.call_id
            RETURNING {_columns("call")}
            """,  # noqa: S608  a constant list of columns
            limit,
            pool.bot_id,
            LEASE,
        )
        found = [_call(row) for row in rows]
        if any(call.state is CallState.WANTED for call in found):
            places = await budget.lock(tx, CHAT_BUDGET)
            found = [await _start(tx, call, limits, places=places) for call in found]
    return found


async def _start(tx: Transaction, call: Call, limits: CallLimits, *, places: int) -> Call:
    """Mark a wanted call as asked, or as skipped with the reason."""
    if call.state is not CallState.WANTED:
        return call
    refused = "busy" if places == 0 else await _refusal(tx, call, limits)
    row = await require_row(
        tx,
        f"""
        UPDATE assistant_calls
           SET state = CASE WHEN $2::text IS NULL THEN 'asked' ELSE 'skipped' END, error = $2,
               asked_at = CASE WHEN $2::text IS NULL THEN photomat_now() END,
               ended_at = CASE WHEN $2::text IS NOT NULL THEN photomat_now() END,
               credits = CASE WHEN $2::text IS NULL THEN $3::numeric ELSE 0 END,
               cost = CASE WHEN $2::text IS NULL THEN $3::numeric * $4::numeric ELSE 0 END
         WHERE call_id = $1
        RETURNING {COLUMNS}
        """,  # noqa: S608  a constant list of columns
        call.call_id,
        refused,
        UNREPORTED_CREDITS,
        limits.minor_per_credit,
    )
    if refused is None:
        await budget.spend(tx, CHAT_BUDGET, calls=1)
    return _call(row)


async def _refusal(tx: Transaction, call: Call, limits: CallLimits) -> str | None:
    """Why a wanted call is not asked; None when it is."""
    row = await require_row(
        tx,
        """
        SELECT $2::timestamptz < photomat_now() - $3::interval AS late,
               (SELECT count(*) FROM (SELECT FROM assistant_calls
                                       WHERE user_id = $1 AND asked_at > photomat_now() - $5::interval LIMIT $4) AS own) AS own,
               (SELECT coalesce(sum(credits), 0) FROM assistant_calls WHERE asked_at > photomat_now() - $5::interval) AS all
        """,
        call.user_id,
        call.wanted_at,
        START_WITHIN[call.kind],
        max(1, limits.calls_per_user),
        DAY,
    )
    if row["late"]:
        return "late"
    if limits.calls_per_user and row["own"] >= limits.calls_per_user:
        return "user-limit"
    return "shop-limit" if limits.credits and row["all"] >= limits.credits else None


async def record_answer(pool: Pool, call: Call, answer: ChatAnswer, *, limits: CallLimits) -> Call | None:
    """Record an answer and what it took; None when the claim was lost."""
    row = await pool.fetchrow(
        f"""
        UPDATE assistant_calls
           SET state = 'answered', ended_at = photomat_now(), answer = $3, prompt_tokens = $4, completion_tokens = $5,
               credits = coalesce($6::numeric, credits), cost = coalesce($6::numeric * $7::numeric, cost)
         WHERE call_id = $1 AND fence = $2 AND state = 'asked'
        RETURNING {COLUMNS}
        """,  # noqa: S608  a constant list of columns
        call.call_id,
        call.fence,
        storable(answer.text),
        answer.prompt_tokens,
        answer.completion_tokens,
        answer.credits,
        limits.minor_per_credit,
    )
    return None if row is None else _call(row)


async def record_failure(pool: Pool, call: Call, *, state: CallState, error: str) -> Call | None:
    """Record a call without an answer; one that surely did not happen costs nothing. None when the claim was lost."""
    row = await pool.fetchrow(
        f"""
        UPDATE assistant_calls
           SET state = $3::text, ended_at = photomat_now(), error = $4,
               credits = CASE $3::text WHEN 'failed' THEN 0 ELSE credits END,
               cost = CASE $3::text WHEN 'failed' THEN 0 ELSE cost END
         WHERE call_id = $1 AND fence = $2 AND state = 'asked'
        RETURNING {COLUMNS}
        """,  # noqa: S608  a constant list of columns
        call.call_id,
        call.fence,
        state,
        error,
    )
    return None if row is None else _call(row)


async def close(pool: Pool, call: Call) -> None:
    """Nothing is left to do; the texts are forgotten, except a transcript, which its buttons still use."""
    await pool.execute(
        """
        UPDATE assistant_calls SET due_at = NULL, words = NULL, answer = CASE kind WHEN 'transcribe' THEN answer END
         WHERE call_id = $1 AND fence = $2
        """,
        call.call_id,
        call.fence,
    )


async def put_back(pool: Pool, call: Call, *, after_s: float) -> None:
    """Show it later."""
    await pool.execute(
        "UPDATE assistant_calls SET due_at = photomat_now() + $3::interval WHERE call_id = $1 AND fence = $2",
        call.call_id,
        call.fence,
        timedelta(seconds=after_s),
    )


async def is_older(pool: Pool, call: Call, *, than: timedelta) -> bool:
    """Whether the call was wanted longer ago than this."""
    return bool(await pool.fetchval("SELECT $1::timestamptz < photomat_now() - $2::interval", call.wanted_at, than))


async def is_under_way(pool: Pool, *, draft_id: DraftId, kind: CallKind) -> bool:
    """Whether a call of this kind is queued or asked for a draft."""
    return bool(
        await pool.fetchval(
            """
            SELECT true FROM assistant_calls
             WHERE due_at IS NOT NULL AND draft_id = $1 AND kind = $2 AND state IN ('wanted', 'asked') LIMIT 1
            """,
            draft_id,
            kind,
        )
    )


async def transcript_of(pool: Pool, *, call_id: int, user_id: UserId) -> str | None:
    """What this user said in a voice message; None when it is not theirs or was forgotten."""
    found: str | None = await pool.fetchval(
        "SELECT answer FROM assistant_calls WHERE call_id = $1 AND user_id = $2 AND kind = 'transcribe'",
        call_id,
        user_id,
    )
    return found


async def count_transcripts(pool: Pool, older_than: timedelta) -> int:
    return int(
        await pool.fetchval(
            """
            SELECT count(*) FROM assistant_calls
             WHERE answer IS NOT NULL AND due_at IS NULL AND ended_at < photomat_now() - $1::interval
            """,
            older_than,
        )
    )


async def forget_transcripts(pool: Pool, older_than: timedelta, limit: int) -> Batch:
    """Delete the texts of old calls; their costs stay."""
    done = await pool.execute(
        """
        UPDATE assistant_calls SET answer = NULL
         WHERE call_id = ANY (ARRAY(SELECT call_id FROM assistant_calls
                                     WHERE answer IS NOT NULL AND due_at IS NULL AND ended_at < photomat_now() - $1::interval
                                     ORDER BY ended_at LIMIT $2 FOR UPDATE SKIP LOCKED))
        """,
        older_than,
        limit,
    )
    forgotten = int(done.rpartition(" ")[2])
    return Batch(forgotten, more=forgotten == limit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What calls of one kind, state or user came to; `cost` is in minor units."""

    name: str
    calls: int
    credits: Decimal
    cost: Decimal


async def usage_by_kind(pool: Pool, *, days: int) -> list[Usage]:
    rows = await pool.fetch(
        """
        SELECT kind || ' ' || state || CASE WHEN state = 'answered' THEN '' ELSE coalesce(': ' || error, '') END AS name,
               count(*) AS calls, sum(credits) AS credits, sum(cost) AS cost
          FROM assistant_calls WHERE wanted_at > photomat_now() - $1::interval
         GROUP BY 1 ORDER BY 1
        """,
        timedelta(days=days),
    )
    return [Usage(**dict(row)) for row in rows]


async def usage_by_user(pool: Pool, *, days: int, limit: int = 10) -> list[Usage]:
    """The users whose calls took most."""
    rows = await pool.fetch(
        """
        SELECT user_id::text AS name, count(*) AS calls, sum(credits) AS credits, sum(cost) AS cost
          FROM assistant_calls WHERE asked_at > photomat_now() - $1::interval
         GROUP BY 1 ORDER BY 3 DESC, 2 DESC LIMIT $2
        """,
        timedelta(days=days),
        limit,
    )
    return [Usage(**dict(row)) for row in rows]


def _columns(table: str) -> str:
    return ", ".join(f"{table}.{name.strip()}" for name in COLUMNS.split(","))


def _call(row: Row) -> Call:
    fields: dict[str, Any] = dict(row)
    return Call(**fields | {"kind": CallKind(row["kind"]), "state": CallState(row["state"])})


async def forget_calls(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Take what was said out of a batch of a user's calls and end those under way; what they cost stays."""
    return len(
        await tx.fetch(
            """
            UPDATE assistant_calls
               SET words = NULL, answer = NULL, file_id = NULL, error = NULL, due_at = NULL, fence = fence + 1,
                   state = CASE state WHEN 'wanted' THEN 'skipped' WHEN 'asked' THEN 'unknown' ELSE state END,
                   ended_at = coalesce(ended_at, photomat_now())
             WHERE call_id = ANY (ARRAY(
                   SELECT call_id FROM assistant_calls
                    WHERE user_id = $1 AND (words IS NOT NULL OR answer IS NOT NULL OR file_id IS NOT NULL
                                            OR error IS NOT NULL OR due_at IS NOT NULL)
                    ORDER BY call_id LIMIT $2 FOR UPDATE))
            RETURNING call_id
            """,
            user_id,
            limit,
        )
    )
