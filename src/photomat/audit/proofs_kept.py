"""What was proved or noticed before: days that were sealed, differences somebody owns."""

from typing import Final

from photomat.audit import new_rows
from photomat.audit.invariant import Invariant

OLDEST_DIFFERENCE_DAYS: Final = 7

OF_DAYS: Final = """
    SELECT (booked_at AT TIME ZONE 'UTC')::date AS day, count(*) AS transactions,
           sha256(string_agg(digest || coalesce(seal, ''::bytea), ''::bytea ORDER BY transaction_id)) AS books
      FROM ledger_transactions"""
BY_DAY: Final = "GROUP BY (booked_at AT TIME ZONE 'UTC')::date"
DAYS: Final = f"{OF_DAYS} {BY_DAY}"
"""The fingerprint of every day's transactions; their own fingerprints are compared with their lines elsewhere."""

UNSEALED_DAYS: Final = f"""
    {OF_DAYS}
     WHERE booked_at >= coalesce((SELECT (max(day) + 1)::timestamp AT TIME ZONE 'UTC' FROM sealed_days), '-infinity')
     {BY_DAY}
"""  # noqa: S608  our own constants
"""The same for the days after the last sealed one: a night's work, not all history."""

PROOFS_KEPT: Final = (
    Invariant(
        name="sealed-days-are-unchanged",
        sentence="No transaction of a sealed day was changed, added or taken away since.",
        sql=f"""
            SELECT day, sealed.transactions AS sealed, days.transactions AS found
              FROM (SELECT day, transactions, digest, coalesce(lag(digest) OVER (ORDER BY day), ''::bytea) AS before
                      FROM sealed_days) AS sealed
              FULL JOIN ({DAYS}) AS days USING (day)
             WHERE day <= (SELECT max(day) FROM sealed_days)
               AND (sealed.transactions, digest) IS DISTINCT FROM (days.transactions, sha256(before || books))
        """,  # noqa: S608  our own constant
    ),
    Invariant(
        name="no-difference-is-left-alone",
        new=new_rows.AS_IT_IS,
        sentence=f"No difference between our books and others' is open for more than {OLDEST_DIFFERENCE_DAYS} days.",
        sql=f"""
            SELECT kind, reference, owner, opened_at FROM differences
             WHERE resolved_at IS NULL AND opened_at < photomat_now() - interval '{OLDEST_DIFFERENCE_DAYS} days'
        """,  # noqa: S608  our own constant
    ),
)
