"""The audit by day: every ten minutes each invariant reads only what was written since the last full check began.

So its cost does not grow with history. An invariant that was broken then is checked over all history until it holds, in the
slices of a night (`slices.py`). What is committed behind those slices is checked the next time.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from photomat.audit.cuts import WIDTHS
from photomat.audit.invariant import BOUNDS, Invariant
from photomat.audit.run import INVARIANTS, Violation, find_violation
from photomat.audit.slices import violations_in_slices
from photomat.db.pool import Connection, Pool
from photomat.db.rows import require_row

SLACK: Final = timedelta(hours=1)
"""A transaction may have a timestamp from before a full check and commit after it; none of ours lasts this long."""
LONGEST: Final = timedelta(days=2)
"""The most that is read by day if the last nights have no proof."""


async def violations_by_day(pool: Pool, *, widths: Mapping[str, int] = WIDTHS) -> list[Violation]:
    """What is broken among new rows, and what was broken at the last full check, or in this night's so far, and still is."""
    last = await require_row(
        pool,
        """
        SELECT greatest(began, photomat_now() - $1::interval) - $2::interval AS since, violations
          FROM (SELECT NULL) AS always
          LEFT JOIN (SELECT at - make_interval(secs => seconds) AS began, violations
                       FROM audit_runs ORDER BY at DESC LIMIT 1) AS last ON true
        """,
        LONGEST,
        SLACK,
    )
    names = {one["name"] for one in last["violations"] or ()} | await _broken_tonight(pool)
    broken, rest = ([one for one in INVARIANTS if (one.name in names) is known] for known in (True, False))
    first = await pool.fetchval(
        """
        SELECT coalesce((SELECT transaction_id FROM ledger_transactions WHERE booked_at >= $1 ORDER BY booked_at LIMIT 1),
                        (SELECT max(transaction_id) FROM ledger_transactions) + 1, 0)
        """,
        last["since"],
    )
    still_broken = await violations_in_slices(pool, broken, widths=widths)
    async with pool.acquire() as connection:
        new = await new_violations(connection, rest, since=last["since"], first_transaction=first)
    return still_broken + new


async def _broken_tonight(pool: Pool) -> set[str]:
    """What slices have found since the last full check, before the proof of the night says it."""
    rows = await pool.fetch(
        """
        SELECT DISTINCT broken ->> 'name' AS name
          FROM audit_slices, jsonb_array_elements(violations) AS broken
         WHERE checked_at > coalesce((SELECT max(at) FROM audit_runs), '-infinity')
        """
    )
    return {row["name"] for row in rows}


async def new_violations(
    connection: Connection, invariants: Sequence[Invariant], *, since: datetime, first_transaction: int
) -> list[Violation]:
    """Check only what was written since then; invariants without a scope are left out."""
    found = []
    for one in invariants:
        if one.new is None:
            continue
        scope = ", ".join(part for part in (BOUNDS, one.new) if part)
        sql = f"WITH {scope} SELECT * FROM ({one.sql}) AS every"  # noqa: S608  our own constants
        found.append(await find_violation(connection, one, sql, since, first_transaction))
    return [one for one in found if one is not None]
