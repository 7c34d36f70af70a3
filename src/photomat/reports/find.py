"""Finds what an operator names: a job by its number, its task or its correlation id; a user by number, @name or first name.

Each way is one statement over an index and gives a few hits at most.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from photomat.db.pool import Pool
from photomat.kernel.ids import JobId, UserId

SHOWN: Final = 10
MAX_ID: Final = 2**63 - 1
CORRELATION: Final = re.compile(r"[0-9a-f]{8}")
USERNAME: Final = re.compile(r"@[A-Za-z0-9_]{3,32}")
TASK: Final = re.compile(r"[A-Za-z0-9_-]{6,100}")
MAX_NAME: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundJob:
    job_id: JobId
    user_id: UserId
    model: str
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundUser:
    user_id: UserId
    first_name: str
    username: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchHits:
    """What a text may mean; `has_more` if there are further users of that name."""

    jobs: Sequence[FoundJob] = ()
    users: Sequence[FoundUser] = ()
    has_more: bool = False

    @property
    def is_empty(self) -> bool:
        return not self.jobs and not self.users


async def find(pool: Pool, text: str) -> SearchHits:
    """Everything the text may name."""
    words = " ".join(text.split())
    if USERNAME.fullmatch(words):
        return SearchHits(users=await _users_called(pool, words[1:]))
    jobs = [*await _jobs_numbered(pool, words), *await _jobs_marked(pool, words)]
    users = await _users_numbered(pool, words) or await _users_named(pool, words[:MAX_NAME])
    return SearchHits(jobs=jobs, users=users[:SHOWN], has_more=len(users) > SHOWN)


async def find_user(pool: Pool, user_id: UserId) -> SearchHits:
    return SearchHits(users=await _users_numbered(pool, str(user_id)))


async def _jobs_numbered(pool: Pool, words: str) -> list[FoundJob]:
    number = _number(words)
    if number is None:
        return []
    rows = await pool.fetch("SELECT job_id, user_id, model, status FROM generation_jobs WHERE job_id = $1", number)
    return [FoundJob(**dict(row)) for row in rows]


async def _jobs_marked(pool: Pool, words: str) -> list[FoundJob]:
    """Jobs with this task at Kie or this correlation id, which is that of their log lines."""
    if TASK.fullmatch(words) is None:
        return []
    rows = await pool.fetch(
        """
        SELECT job_id, user_id, model, status FROM generation_jobs WHERE external_task_id = $1
        UNION SELECT job_id, user_id, model, status FROM generation_jobs WHERE corr = $2
        ORDER BY job_id DESC LIMIT $3
        """,
        words,
        words.lower() if CORRELATION.fullmatch(words.lower()) else None,
        SHOWN,
    )
    return [FoundJob(**dict(row)) for row in rows]


async def _users_numbered(pool: Pool, words: str) -> list[FoundUser]:
    number = _number(words)
    if number is None:
        return []
    rows = await pool.fetch("SELECT user_id, first_name, username FROM users WHERE user_id = $1", number)
    return [FoundUser(**dict(row)) for row in rows]


async def _users_called(pool: Pool, username: str) -> list[FoundUser]:
    rows = await pool.fetch(
        """
        SELECT user_id, first_name, username FROM users
         WHERE lower(username) = lower($1) AND username IS NOT NULL ORDER BY user_id DESC LIMIT $2
        """,
        username,
        SHOWN,
    )
    return [FoundUser(**dict(row)) for row in rows]


async def _users_named(pool: Pool, name: str) -> list[FoundUser]:
    """Users whose username is this or whose first name begins so, the newest users first."""
    if not name or _number(name) is not None:
        return []
    rows = await pool.fetch(
        """
        SELECT user_id, first_name, username FROM users
         WHERE lower(username) = lower($1) AND username IS NOT NULL
        UNION SELECT user_id, first_name, username FROM users
         WHERE lower(first_name) LIKE $2
        ORDER BY user_id DESC LIMIT $3
        """,
        name,
        re.sub(r"([\\%_])", r"\\\1", name.lower()) + "%",
        SHOWN + 1,
    )
    return [FoundUser(**dict(row)) for row in rows]


def _number(words: str) -> int | None:
    """A number of a job or a user, also written as `#17` or `№ 17`."""
    digits = words.removeprefix("#").removeprefix("№").strip()
    if not digits.isascii() or not digits.isdigit():
        return None
    number = int(digits) if len(digits) <= len(str(MAX_ID)) else MAX_ID + 1
    return number if number <= MAX_ID else None
