"""Refusals, strikes and appeals: one row per refused text of a draft, or per job the provider refused.

A refusal is recorded once, however often the card is shown or tapped, so a strike counts once. Its text stays while an appeal
may need it (`KEEP_REFUSED_TEXTS_DAYS`); the row, with rule, time and outcome, stays longer. A customer appeals once; an
operator accepts, which takes the strike back and allows this very text to this user, or declines. Every verb is a guarded
update, so what comes second changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row, require_row, row_as
from photomat.kernel.ids import ChatId, DraftId, JobId, UserId
from photomat.kernel.text import cut
from photomat.messages.notices import blank_notices
from photomat.moderation.rules import RuleAction
from photomat.work.retention import Batch, OldRows

MAX_TEXT: Final = 4000
CHECKER: Final = "checker"
PROVIDER: Final = "provider"
BANNED_BY: Final = "content rules"
"""Who banned a user after too many strikes; an accepted appeal may end such a ban."""
OLD_REFUSALS: Final = OldRows(
    table="content_refusals", age="created_at", only="(appealed_at IS NULL OR decided_at IS NOT NULL)"
)
OLD_VERDICTS: Final = OldRows(table="content_verdicts", age="created_at")
COLUMNS: Final = (
    "refusal_id, user_id, chat_id, draft_id, job_id, source, rule_id, action, reason, model, text, is_strike, created_at,"
    " forgiven_at, forgiven_by, appealed_at, decided_at, decided_by, is_accepted, answer"
)


class RefusalSource(StrEnum):
    RULES = "rules"
    CHECKER = "checker"
    PROVIDER = "provider"


class AppealOutcome(StrEnum):
    """What came of a customer's appeal."""

    SENT = "sent"
    SENT_BEFORE = "sent before"
    DECLINED = "declined"
    ACCEPTED = "accepted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class StrikePolicy:
    """After `limit` strikes within `within` a user is banned for `ban`; a limit of 0 is never.

    `counts_provider`: what the provider refuses for its content counts too. `ban_reason` is what a banned user reads, by
    language.
    """

    limit: int = 0
    within: timedelta = timedelta(days=30)
    ban: timedelta = timedelta(days=7)
    counts_provider: bool = False
    ban_reason: Mapping[str, str]


NO_STRIKES: Final = StrikePolicy(ban_reason={})


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentRefusal:
    """A refused text, or with the action `warn` one that an operator was notified of."""

    refusal_id: int
    user_id: UserId
    chat_id: ChatId
    draft_id: DraftId | None
    job_id: JobId | None
    source: RefusalSource
    rule_id: str
    action: RuleAction
    reason: str | None
    model: str
    text: str | None
    is_strike: bool
    created_at: datetime
    forgiven_at: datetime | None
    forgiven_by: str | None
    appealed_at: datetime | None
    decided_at: datetime | None
    decided_by: str | None
    is_accepted: bool | None
    answer: str | None

    @property
    def waits(self) -> bool:
        return self.appealed_at is not None and self.decided_at is None

    @property
    def counts(self) -> bool:
        """Whether it is a strike that was not taken back; it may be too old to matter."""
        return self.is_strike and self.forgiven_at is None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewRefusal:
    user_id: UserId
    chat_id: ChatId
    draft_id: DraftId
    source: RefusalSource
    rule_id: str
    action: RuleAction
    model: str
    text_hash: bytes
    text: str
    reason: str | None = None


async def record(tx: Transaction, new: NewRefusal) -> tuple[ContentRefusal, bool]:
    """Record a refusal once per text of a draft, and whether it is a new strike. A graver rule replaces a warning."""
    row = await require_row(
        tx,
        f"""
        WITH before AS (SELECT is_strike FROM content_refusals WHERE draft_id = $3 AND text_hash = $9)
        INSERT INTO content_refusals AS refusal
               (user_id, chat_id, draft_id, source, rule_id, action, reason, model, text_hash, text, is_strike)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
            ON CONFLICT ON CONSTRAINT content_refusals_once_per_text DO UPDATE
           SET rule_id = excluded.rule_id, action = excluded.action, source = excluded.source, reason = excluded.reason,
               is_strike = refusal.is_strike OR excluded.is_strike
        RETURNING {COLUMNS}, is_strike AND NOT coalesce((SELECT is_strike FROM before), false) AS is_new_strike
        """,  # noqa: S608  a constant list of columns
        new.user_id,
        new.chat_id,
        new.draft_id,
        new.source,
        new.rule_id,
        new.action,
        new.reason,
        new.model,
        new.text_hash,
        cut(new.text, MAX_TEXT),
        new.action is RuleAction.STRIKE,
    )
    return refusal_of(row), bool(row["is_new_strike"])


async def record_provider(
    tx: Transaction, *, user_id: UserId, chat_id: ChatId, job_id: JobId, model: str, code: str, is_strike: bool
) -> bool:
    """Record that the provider refused a job for its content, once a job; return whether it counts as a strike."""
    made = await tx.fetchval(
        """
        INSERT INTO content_refusals (user_id, chat_id, job_id, source, rule_id, action, reason, model, is_strike)
        VALUES ($1, $2, $3, 'provider', 'provider', CASE WHEN $6 THEN 'strike' ELSE 'refuse' END, $5, $4, $6)
            ON CONFLICT ON CONSTRAINT content_refusals_once_per_job DO NOTHING
        RETURNING is_strike
        """,
        user_id,
        chat_id,
        job_id,
        model,
        code,
        is_strike,
    )
    return bool(made)


async def is_allowed(tx: Transaction, *, user_id: UserId, text_hash: bytes) -> bool:
    """Whether an operator has allowed this very text to this user."""
    return bool(
        await tx.fetchval(
            "SELECT true FROM content_refusals WHERE user_id = $1 AND text_hash = $2 AND is_accepted LIMIT 1",
            user_id,
            text_hash,
        )
    )


async def count_strikes(tx: Transaction, user_id: UserId, *, within: timedelta) -> int:
    """How many strikes count against a user now."""
    return int(
        await tx.fetchval(
            """
            SELECT count(*) FROM content_refusals
             WHERE user_id = $1 AND is_strike AND forgiven_at IS NULL AND created_at > photomat_now() - $2::interval
            """,
            user_id,
            within,
        )
    )


async def user_of(pool: Pool, refusal_id: int) -> UserId | None:
    """Whose refusal it is; None when there is no such one."""
    user: UserId | None = await pool.fetchval("SELECT user_id FROM content_refusals WHERE refusal_id = $1", refusal_id)
    return user


async def find_refusal(tx: Transaction, refusal_id: int, *, user_id: UserId | None = None) -> ContentRefusal | None:
    """A refusal, of this user if one is given, locked until the commit."""
    row = await tx.fetchrow(
        f"""
        SELECT {COLUMNS} FROM content_refusals
         WHERE refusal_id = $1 AND ($2::bigint IS NULL OR user_id = $2) FOR UPDATE
        """,  # noqa: S608  a constant list of columns
        refusal_id,
        user_id,
    )
    return None if row is None else refusal_of(row)


async def appeal(tx: Transaction, refusal_id: int, *, user_id: UserId) -> tuple[AppealOutcome, ContentRefusal | None]:
    """A customer's appeal, once per refusal."""
    refusal = await find_refusal(tx, refusal_id, user_id=user_id)
    if refusal is None:
        return AppealOutcome.UNKNOWN, None
    if refusal.decided_at is not None:
        return AppealOutcome.ACCEPTED if refusal.is_accepted else AppealOutcome.DECLINED, refusal
    if refusal.appealed_at is not None:
        return AppealOutcome.SENT_BEFORE, refusal
    await tx.execute("UPDATE content_refusals SET appealed_at = photomat_now() WHERE refusal_id = $1", refusal_id)
    return AppealOutcome.SENT, refusal


async def decide(tx: Transaction, refusal_id: int, *, is_accepted: bool, by: str, answer: str | None) -> bool:
    """Decide an appeal once; accepted, its strike is taken back. False when it was decided before, or there is none."""
    return bool(
        await tx.fetchval(
            """
            UPDATE content_refusals
               SET decided_at = photomat_now(), decided_by = $3, is_accepted = $2, answer = $4,
                   forgiven_at = CASE WHEN $2 AND is_strike THEN coalesce(forgiven_at, photomat_now()) ELSE forgiven_at END,
                   forgiven_by = CASE WHEN $2 AND is_strike THEN coalesce(forgiven_by, $3) ELSE forgiven_by END
             WHERE refusal_id = $1 AND appealed_at IS NOT NULL AND decided_at IS NULL
            RETURNING true
            """,
            refusal_id,
            is_accepted,
            by,
            answer,
        )
    )


async def forgive(tx: Transaction, user_id: UserId, *, by: str, refusal_id: int | None = None) -> int:
    """Take back one strike of a user, or all of them; return how many."""
    rows = await tx.fetch(
        """
        UPDATE content_refusals SET forgiven_at = photomat_now(), forgiven_by = $2
         WHERE user_id = $1 AND is_strike AND forgiven_at IS NULL AND ($3::bigint IS NULL OR refusal_id = $3)
        RETURNING refusal_id
        """,
        user_id,
        by,
        refusal_id,
    )
    return len(rows)


async def forget_texts(tx: Transaction, user_id: UserId) -> None:
    """Erase what a user wrote and what was answered to it, also in messages; rules, times and the number of strikes stay."""
    rows = await tx.fetch(
        """
        UPDATE content_refusals SET text = NULL, text_hash = NULL, reason = NULL, answer = NULL WHERE user_id = $1
        RETURNING refusal_id
        """,
        user_id,
    )
    await blank_notices(tx, [f"appeal:{row['refusal_id']}:" for row in rows])
    await tx.execute("DELETE FROM content_verdicts WHERE user_id = $1", user_id)


async def count_old_texts(pool: Pool, older_than: timedelta) -> int:
    return int(
        await pool.fetchval(
            """
            SELECT count(*) FROM content_refusals
             WHERE text IS NOT NULL AND created_at < photomat_now() - $1::interval
               AND (appealed_at IS NULL OR decided_at IS NOT NULL)
            """,
            older_than,
        )
    )


async def forget_old_texts(pool: Pool, older_than: timedelta, limit: int) -> Batch:
    """Erase the texts of old refusals, except those whose appeal waits."""
    done = await pool.execute(
        """
        UPDATE content_refusals SET text = NULL
         WHERE refusal_id = ANY (ARRAY(SELECT refusal_id FROM content_refusals
                                        WHERE text IS NOT NULL AND created_at < photomat_now() - $1::interval
                                          AND (appealed_at IS NULL OR decided_at IS NOT NULL)
                                        ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED))
        """,
        older_than,
        limit,
    )
    forgotten = int(done.rpartition(" ")[2])
    return Batch(forgotten, more=forgotten == limit)


def refusal_of(row: Row) -> ContentRefusal:
    return row_as(ContentRefusal, row, source=RefusalSource(row["source"]), action=RuleAction(row["action"]))
