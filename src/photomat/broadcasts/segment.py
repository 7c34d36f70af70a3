"""Who a broadcast is for: conditions on users, all of which must hold.

`count_reach` counts them now; `recipients.py` writes them down when the broadcast starts. Both use one condition, which reads
tables of other slices: one statement decides about a user, by everything known of them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import require_row, row_as
from photomat.texts.sentence import Sentence
from photomat.users.user import LANGUAGES

MOST_IDS: Final = 10_000
MOST_ID: Final = 2**52
"""Telegram's ids are below it."""
MOST_DAYS: Final = 3650
CAN_BE_REACHED: Final = "users.blocked_at IS NULL"
MAY_BE_WRITTEN_TO: Final = "(users.banned_at IS NULL OR users.banned_until <= photomat_now())"
"""Banned users are left out of every broadcast."""
MATCHES: Final = f"""
    {MAY_BE_WRITTEN_TO}
    AND ($1::text IS NULL OR users.language = $1)
    AND ($2::boolean IS NULL OR $2 = EXISTS (SELECT FROM payments WHERE payments.user_id = users.user_id))
    AND ($3::integer IS NULL OR EXISTS (
            SELECT FROM generation_jobs AS job
             WHERE job.user_id = users.user_id AND job.created_at > photomat_now() - make_interval(days => $3)))
    AND ($4::integer IS NULL OR (
            EXISTS (SELECT FROM generation_jobs AS job WHERE job.user_id = users.user_id)
            AND NOT EXISTS (
                SELECT FROM generation_jobs AS job
                 WHERE job.user_id = users.user_id AND job.created_at > photomat_now() - make_interval(days => $4))))
    AND ($5::bigint IS NULL OR EXISTS (
            SELECT FROM wallets WHERE wallets.user_id = users.user_id AND wallets.posted - wallets.held >= $5))
    AND (NOT $6::boolean OR NOT EXISTS (SELECT FROM generation_jobs AS job WHERE job.user_id = users.user_id))
    AND ($7::text IS NULL OR EXISTS (
            SELECT FROM generation_jobs AS job WHERE job.user_id = users.user_id AND job.kind = $7))
    AND ($8::text IS NULL OR EXISTS (
            SELECT FROM generation_jobs AS job WHERE job.user_id = users.user_id AND job.model = $8))
    AND ($9::bigint[] IS NULL OR users.user_id = ANY ($9))
"""  # noqa: S608  constants of this module
"""Whether a row of `users` belongs to the segment; the arguments are `Segment.arguments`."""


COUNT: Final = f"""
    SELECT count(*) FILTER (WHERE {CAN_BE_REACHED}) AS reach, count(*) FILTER (WHERE NOT {CAN_BE_REACHED}) AS blocked
      FROM users WHERE {MATCHES}
    """  # noqa: S608  constants of this module


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """Everyone, unless a field says otherwise. `paid`: topped up at least once, or never. Sums are in minor units."""

    language: str | None = None
    paid: bool | None = None
    ordered_within_days: int | None = None
    not_ordered_for_days: int | None = None
    balance_from: int | None = None
    never_ordered: bool = False
    kind: str | None = None
    model: str | None = None
    user_ids: Sequence[int] | None = None

    @property
    def arguments(self) -> tuple[object, ...]:
        """What `MATCHES` is asked with, in its order."""
        return tuple(getattr(self, field.name) for field in fields(self))

    @property
    def is_everyone(self) -> bool:
        return self == Segment()

    def as_json(self) -> dict[str, Any]:
        """The conditions that are set."""
        written = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            name: value for name, value in written.items() if value is not None and (value or name != "never_ordered")
        }


def segment_from_json(stored: Mapping[str, Any]) -> Segment:
    return Segment(**stored)


def problem_with(segment: Segment) -> Sentence | None:
    """What cannot be; None for a segment that may be used."""
    if segment.language is not None and segment.language not in LANGUAGES:
        return Sentence("broadcast-segment-language")
    days = [each for each in (segment.ordered_within_days, segment.not_ordered_for_days) if each is not None]
    if any(not 1 <= each <= MOST_DAYS for each in days):
        return Sentence("broadcast-segment-days")
    ordered = (segment.ordered_within_days, segment.not_ordered_for_days, segment.kind, segment.model)
    if segment.never_ordered and any(each is not None for each in ordered):
        return Sentence("broadcast-segment-contradiction")
    ids = segment.user_ids
    if ids is not None and not (1 <= len(ids) <= MOST_IDS and all(0 < each < MOST_ID for each in ids)):
        return Sentence("broadcast-segment-ids")
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How many users a broadcast goes to, and how many of its segment have blocked the bot and are not tried."""

    reach: int
    blocked: int


async def count_reach(pool: Pool, segment: Segment) -> Reach:
    """Count the segment as it is now; reads every user."""
    return row_as(Reach, await require_row(pool, COUNT, *segment.arguments))


async def count_reach_in(tx: Transaction, segment: Segment) -> Reach:
    return row_as(Reach, await require_row(tx, COUNT, *segment.arguments))
