"""What Telegram shows of the bot, kept as wanted: a part (its name, its commands in a language …) is set only when it changed.

    wanted parts ─▶ compared with `bot_profile` by hash ─▶ set at Telegram ─▶ recorded

Setting a part is idempotent: killed before the record, it is set again. A part that could not be set waits, and nothing
else waits for it. Telegram lets a name be changed a few times a day and then asks for hours of patience: that time is kept in
the row, over restarts and new values. The bot's id is in the hash: another bot's rows count as old.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from aiogram.exceptions import ClientDecodeError, TelegramAPIError

from photomat.db.pool import Pool
from photomat.db.rows import row_as
from photomat.kernel.errors import PhotomatError, Rejected
from photomat.kernel.logs import get_logger
from photomat.telegram.errors import translate
from photomat.telegram.port import ChatBusy

REFUSED_PAUSE: Final = timedelta(hours=1)
TROUBLE_PAUSE: Final = timedelta(minutes=5)
MAX_ERROR: Final = 300
log = get_logger()


class PartRefused(PhotomatError):
    """What is wanted cannot be set; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfilePart:
    """`value` identifies the wanted state. `apply` gets whether we set the part before, and returns whether it did."""

    name: str
    value: str
    apply: Callable[[bool], Awaitable[bool]]

    def digest(self, bot_id: int) -> str:
        return hashlib.sha256(f"{bot_id}\0{self.name}\0{self.value}".encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsetPart:
    """A part that could not be set."""

    part: str
    error: str
    next_try_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    part: str
    applied: str | None
    is_ours: bool
    tried: str
    is_flood: bool
    must_wait: bool

    def is_due(self, wanted: str) -> bool:
        """A new value is tried at once, unless Telegram asked for patience."""
        return self.applied != wanted and not (self.must_wait and (self.is_flood or self.tried == wanted))


async def keep_profile(pool: Pool, *, bot_id: int, parts: Sequence[ProfilePart]) -> None:
    """Set what differs from the last time."""
    kept = {each.part: each for each in await _kept(pool)}
    for part in parts:
        before, digest = kept.get(part.name), part.digest(bot_id)
        if before is not None and not before.is_due(digest):
            continue
        try:
            is_ours = await part.apply(before is not None and before.is_ours)
        except (TelegramAPIError, ClientDecodeError, PhotomatError) as error:
            await _record_trouble(pool, part.name, digest, error)
        else:
            await _record(pool, part.name, digest, is_ours=is_ours)
            log.info("PROFILE_SET", part=part.name, changed=is_ours)


async def unset_parts(pool: Pool) -> list[UnsetPart]:
    rows = await pool.fetch("SELECT part, error, next_try_at FROM bot_profile WHERE error IS NOT NULL ORDER BY part")
    return [row_as(UnsetPart, row) for row in rows]


async def _kept(pool: Pool) -> list[_Kept]:
    rows = await pool.fetch(
        """
        SELECT part, applied, is_ours, tried, is_flood, coalesce(next_try_at > photomat_now(), false) AS must_wait
          FROM bot_profile
        """
    )
    return [row_as(_Kept, row) for row in rows]


async def _record(pool: Pool, part: str, digest: str, *, is_ours: bool) -> None:
    await pool.execute(
        """
        INSERT INTO bot_profile (part, applied, is_ours, tried, tried_at) VALUES ($1, $2, $3, $2, photomat_now())
            ON CONFLICT (part) DO UPDATE
           SET applied = $2, is_ours = $3, tried = $2, tried_at = photomat_now(), next_try_at = NULL, is_flood = false,
               error = NULL
        """,
        part,
        digest,
        is_ours,
    )


async def _record_trouble(pool: Pool, part: str, digest: str, error: Exception) -> None:
    trouble = translate(error) if isinstance(error, TelegramAPIError | ClientDecodeError) else error
    pause, is_flood = _pause(trouble), isinstance(trouble, ChatBusy)
    await pool.execute(
        """
        INSERT INTO bot_profile (part, tried, tried_at, next_try_at, is_flood, error)
        VALUES ($1, $2, photomat_now(), photomat_now() + $3::interval, $4, $5)
            ON CONFLICT (part) DO UPDATE
           SET tried = $2, tried_at = photomat_now(), next_try_at = photomat_now() + $3::interval, is_flood = $4, error = $5
        """,
        part,
        digest,
        pause,
        is_flood,
        (str(trouble) or type(trouble).__name__)[:MAX_ERROR],
    )
    log.warning("PROFILE_NOT_SET", part=part, wait_s=round(pause.total_seconds()), error=type(trouble).__name__)


def _pause(trouble: Exception) -> timedelta:
    if isinstance(trouble, ChatBusy):
        return timedelta(seconds=(trouble.retry_after_s or 0) + 1)
    return REFUSED_PAUSE if isinstance(trouble, Rejected | PartRefused) else TROUBLE_PAUSE
