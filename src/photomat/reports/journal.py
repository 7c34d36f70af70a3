"""The operators' journal as a list: filtered, newest first, a page at a time; each outcome in the reader's language.

The journal is never deleted. Entries are found by an index on operator, action, job, user or reference; a filter by result
or time alone is searched among the newest `SEARCHED` entries.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from photomat.db.pool import Pool
from photomat.db.rows import Row
from photomat.kernel.ids import JobId, UserId
from photomat.texts.load import load_texts
from photomat.texts.sentence import Sentence, recorded_sentence

SEARCHED: Final = 100_000
MAX_NAMES: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalQuery:
    operator: str | None = None
    action: str | None = None
    job_id: JobId | None = None
    user_id: UserId | None = None
    reference: str | None = None
    done: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    before: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalLine:
    """An act of an operator; `done` is False if it was refused."""

    entry_id: int
    at: datetime
    operator: str
    action: str
    job_id: JobId | None
    user_id: UserId | None
    reference: str | None
    reason: str | None
    done: bool
    says: Sentence

    @property
    def did(self) -> Sentence:
        return action_in_words(self.action)


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalPage:
    lines: Sequence[JournalLine]
    next_before: int | None


async def list_journal(pool: Pool, query: JournalQuery, *, limit: int) -> JournalPage:
    args: list[object] = [limit + 1]
    conditions = []
    if all(each is None for each in (query.operator, query.action, query.job_id, query.user_id, query.reference)):
        newest = await pool.fetchval("SELECT max(entry_id) FROM operator_journal") or 0
        args.append(newest - SEARCHED)
        conditions.append("entry_id > $2")
    for condition, value in (
        ("operator = $n", query.operator),
        ("action = $n", query.action),
        ("job_id = $n", query.job_id),
        ("user_id = $n", query.user_id),
        ("reference = $n", query.reference),
        ("done = $n", query.done),
        ("at >= $n", query.since),
        ("at < $n", query.until),
        ("entry_id < $n", query.before),
    ):
        if value is not None:
            args.append(value)
            conditions.append(condition.replace("$n", f"${len(args)}"))
    rows = await pool.fetch(
        f"""
        SELECT entry_id, at, operator, action, job_id, user_id, reference, reason, done, outcome, outcome_key, outcome_facts
          FROM operator_journal WHERE {" AND ".join(conditions)} ORDER BY entry_id DESC LIMIT $1
        """,  # noqa: S608  constants of this function; every value is an argument
        *args,
    )
    lines = [_line(row) for row in rows[:limit]]
    return JournalPage(lines=lines, next_before=lines[-1].entry_id if len(rows) > limit else None)


def action_in_words(action: str) -> Sentence:
    """The name of an action for a reader; one without a text is shown as the journal has it."""
    key = f"did-{action.replace(' ', '-')}"
    return Sentence(key) if load_texts().knows(key) else Sentence("action-plain", words=action)


async def journal_names(pool: Pool) -> tuple[list[str], list[str]]:
    """The operators and the actions that the journal knows, each found by a jump in its index."""
    return await _distinct(pool, "operator"), await _distinct(pool, "action")


async def _distinct(pool: Pool, column: str) -> list[str]:
    rows = await pool.fetch(
        f"""
        WITH RECURSIVE known AS (
            (SELECT {column} AS name FROM operator_journal ORDER BY {column} LIMIT 1)
            UNION ALL
            SELECT (SELECT {column} FROM operator_journal WHERE {column} > known.name ORDER BY {column} LIMIT 1)
              FROM known WHERE known.name IS NOT NULL)
        SELECT name FROM known WHERE name IS NOT NULL LIMIT $1
        """,  # noqa: S608  one of two names of ours
        MAX_NAMES,
    )
    return [row["name"] for row in rows]


def _line(row: Row) -> JournalLine:
    return JournalLine(
        entry_id=row["entry_id"],
        at=row["at"],
        operator=row["operator"],
        action=row["action"],
        job_id=None if row["job_id"] is None else JobId(row["job_id"]),
        user_id=None if row["user_id"] is None else UserId(row["user_id"]),
        reference=row["reference"],
        reason=row["reason"],
        done=row["done"],
        says=recorded_sentence(row["outcome"], row["outcome_key"], row["outcome_facts"]),
    )
