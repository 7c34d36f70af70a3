"""Differences between our books and a provider's: rows with an owner, never a silent correction.

A comparison reports what it finds every time it runs: a difference is open once per kind and reference, and keeps its owner. It
ends when an operator resolves it, or when a comparison of the same kind no longer finds it.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from photomat.db.pool import Pool, Transaction

UNASSIGNED: Final = "operators"
GONE: Final = "seen no more"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """What was expected, what was found, and who handles it."""

    difference_id: int
    kind: str
    reference: str
    expected: str
    found: str
    opened_at: datetime
    seen_at: datetime
    owner: str
    resolved_at: datetime | None
    resolution: str | None


async def report(
    tx: Transaction,
    *,
    kind: str,
    reference: str,
    expected: str,
    found: str,
    owner: str = UNASSIGNED,
    again: bool = True,
) -> bool:
    """Open or refresh a difference; True if it is new. `again`: reopen it if it was resolved before."""
    return bool(
        await tx.fetchval(
            """
            INSERT INTO differences (kind, reference, expected, found, owner)
            SELECT $1, $2, $3, $4, $5
             WHERE $6 OR NOT EXISTS (SELECT FROM differences
                                      WHERE kind = $1 AND reference = $2 AND resolved_at IS NOT NULL)
            ON CONFLICT (kind, reference) WHERE resolved_at IS NULL
            DO UPDATE SET expected = excluded.expected, found = excluded.found, seen_at = photomat_now()
            RETURNING xmax = 0
            """,
            kind,
            reference,
            expected,
            found,
            owner,
            again,
        )
    )


async def end_unseen(tx: Transaction, *, kind: str, still_there: Collection[str]) -> int:
    """End the open differences of a kind that a complete comparison no longer found; return how many."""
    rows = await tx.fetch(
        """
        UPDATE differences SET resolved_at = photomat_now(), resolution = $3
         WHERE kind = $1 AND resolved_at IS NULL AND reference <> ALL ($2::text[])
        RETURNING difference_id
        """,
        kind,
        list(still_there),
        GONE,
    )
    return len(rows)


async def assign(tx: Transaction, difference_id: int, *, owner: str) -> bool:
    """Set the owner of an open difference; False if there is none."""
    return bool(
        await tx.fetchval(
            """
            UPDATE differences SET owner = $2 WHERE difference_id = $1 AND resolved_at IS NULL RETURNING true
            """,
            difference_id,
            owner,
        )
    )


async def resolve(tx: Transaction, difference_id: int, *, resolution: str) -> bool:
    """Resolve an open difference; False if there is none."""
    return bool(
        await tx.fetchval(
            """
            UPDATE differences SET resolved_at = photomat_now(), resolution = $2
             WHERE difference_id = $1 AND resolved_at IS NULL
            RETURNING true
            """,
            difference_id,
            resolution,
        )
    )


async def list_differences(pool: Pool, *, limit: int = 50) -> list[Difference]:
    """The open ones first, oldest first; then the resolved, newest first."""
    rows = await pool.fetch(
        """
        SELECT difference_id, kind, reference, expected, found, opened_at, seen_at, owner, resolved_at, resolution
          FROM differences
         ORDER BY resolved_at IS NOT NULL, CASE WHEN resolved_at IS NULL THEN opened_at END, resolved_at DESC
         LIMIT $1
        """,
        limit,
    )
    return [Difference(**dict(row)) for row in rows]
