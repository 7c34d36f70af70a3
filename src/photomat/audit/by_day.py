"""The audit between two nights: cheap enough for every ten minutes, however long the history is.

Everything is checked at night (`proofs.py`) and by `photomat audit`. By day each invariant looks only at what was written
since the last of these full checks began; one that was broken then is checked in full again, until it holds.
"""

from datetime import timedelta
from typing import Final

from photomat.audit.invariants import INVARIANTS
from photomat.audit.run import Violation, new_violations, violations
from photomat.db.pool import Connection
from photomat.db.rows import require_row

SLACK: Final = timedelta(hours=1)
"""A transaction may carry an instant from before a full check and be committed after it: longer than any of ours lasts."""

LONGEST: Final = timedelta(days=2)
"""Without a proof of the last nights, by day no more than this is looked at."""


async def violations_by_day(connection: Connection) -> list[Violation]:
    """What is broken among new rows, and what was broken at the last full check and still is."""
    last = await require_row(
        connection,
        """
        SELECT greatest(began, photomat_now() - $1::interval) - $2::interval AS since, violations
          FROM (SELECT NULL) AS always
          LEFT JOIN (SELECT at - make_interval(secs => seconds) AS began, violations
                       FROM audit_runs ORDER BY at DESC LIMIT 1) AS last ON true
        """,
        LONGEST,
        SLACK,
    )
    broken = {one["name"] for one in last["violations"] or ()}
    first = await connection.fetchval(
        """
        SELECT coalesce((SELECT transaction_id FROM ledger_transactions WHERE booked_at >= $1 ORDER BY booked_at LIMIT 1),
                        (SELECT max(transaction_id) FROM ledger_transactions) + 1, 0)
        """,
        last["since"],
    )
    rest = [one for one in INVARIANTS if one.name not in broken]
    return [
        *await violations(connection, [one for one in INVARIANTS if one.name in broken]),
        *await new_violations(connection, rest, since=last["since"], first_transaction=first),
    ]
