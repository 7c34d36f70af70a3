"""Content for operators: refusals, strikes and appeals by page, how often each rule was met, and one user's strikes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from photomat.db.pool import Pool
from photomat.db.rows import row_as
from photomat.kernel.ids import UserId
from photomat.moderation.refusal import COLUMNS, ContentRefusal, refusal_of

RULE_DAYS: Final = timedelta(days=30)
CONDITIONS: Final = {
    "appeals": "refusal.appealed_at IS NOT NULL AND refusal.decided_at IS NULL",
    "decided": "refusal.decided_at IS NOT NULL",
    "strikes": "refusal.is_strike AND refusal.forgiven_at IS NULL",
    "warnings": "refusal.action = 'warn'",
    "all": "true",
}


class RefusalFilter(StrEnum):
    """Which refusals a list shows."""

    APPEALS = "appeals"
    ALL = "all"
    STRIKES = "strikes"
    WARNINGS = "warnings"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedRefusal:
    refusal: ContentRefusal
    first_name: str | None
    username: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleHits:
    """How often a rule was met in the last 30 days, by how many people, and how many of its refusals were taken back."""

    rule_id: str
    hits: int
    users: int
    appeals: int
    accepted: int
    last_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UserStrikes:
    user_id: UserId
    strikes: int
    refusals: int
    last_at: datetime


async def list_refusals(
    pool: Pool,
    *,
    only: RefusalFilter,
    before: int | None = None,
    user_id: int | None = None,
    rule_id: str | None = None,
    limit: int,
) -> list[ListedRefusal]:
    """Refusals, the newest first; `before` is the last of the page before."""
    columns = ", ".join(f"refusal.{name.strip()}" for name in COLUMNS.split(","))
    rows = await pool.fetch(
        f"""
        SELECT {columns}, users.first_name, users.username
          FROM (SELECT * FROM content_refusals AS refusal
                 WHERE {CONDITIONS[only]} AND ($1::bigint IS NULL OR refusal.refusal_id < $1)
                   AND ($2::bigint IS NULL OR refusal.user_id = $2) AND ($3::text IS NULL OR refusal.rule_id = $3)
                 ORDER BY refusal.refusal_id DESC LIMIT $4) AS refusal
          LEFT JOIN users USING (user_id)
         ORDER BY refusal.refusal_id DESC
        """,  # noqa: S608  our own conditions and columns
        before,
        user_id,
        rule_id,
        limit,
    )
    return [
        ListedRefusal(refusal=refusal_of(row), first_name=row["first_name"], username=row["username"]) for row in rows
    ]


async def count_appeals(pool: Pool) -> int:
    return int(
        await pool.fetchval(
            "SELECT count(*) FROM content_refusals WHERE appealed_at IS NOT NULL AND decided_at IS NULL"
        )
    )


async def rule_hits(pool: Pool) -> dict[str, RuleHits]:
    rows = await pool.fetch(
        """
        SELECT rule_id, count(*) AS hits, count(DISTINCT user_id) AS users, count(appealed_at) AS appeals,
               count(*) FILTER (WHERE is_accepted) AS accepted, max(created_at) AS last_at
          FROM content_refusals WHERE created_at > photomat_now() - $1::interval GROUP BY rule_id
        """,
        RULE_DAYS,
    )
    return {row["rule_id"]: row_as(RuleHits, row) for row in rows}


async def users_with_strikes(pool: Pool, *, within: timedelta, limit: int) -> list[UserStrikes]:
    """Users whose strikes count now, most first."""
    rows = await pool.fetch(
        """
        SELECT user_id, count(*) FILTER (WHERE is_strike AND forgiven_at IS NULL) AS strikes, count(*) AS refusals,
               max(created_at) AS last_at
          FROM content_refusals WHERE created_at > photomat_now() - $1::interval
         GROUP BY user_id HAVING bool_or(is_strike AND forgiven_at IS NULL)
         ORDER BY strikes DESC, last_at DESC LIMIT $2
        """,
        within,
        limit,
    )
    return [row_as(UserStrikes, row) for row in rows]
