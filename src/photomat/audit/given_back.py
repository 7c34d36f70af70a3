"""Money that went back or across: no more than was taken, from whom it was taken, and named by what it gives back."""

from typing import Final

from photomat.audit import new_rows
from photomat.audit.invariant import Invariant

GIVEN_BACK: Final = (
    Invariant(
        name="gives-back-no-more-than-taken",
        new=new_rows.GIVEN_BACK,
        sentence="All that is given back of a transaction gives each of its users at most what it took from them.",
        sql="""
            SELECT original.reference, backs.user_id, moved, given_back
              FROM (SELECT coalesce(reverses, refunds) AS transaction_id, user_id, currency, sum(amount) AS given_back
                      FROM ledger_transactions JOIN entries USING (transaction_id)
                     WHERE coalesce(reverses, refunds) IS NOT NULL AND user_id IS NOT NULL
                     GROUP BY coalesce(reverses, refunds), user_id, currency) AS backs
              LEFT JOIN ledger_transactions AS original USING (transaction_id)
              LEFT JOIN LATERAL (SELECT sum(amount) AS moved FROM entries
                                  WHERE entries.transaction_id = backs.transaction_id
                                    AND (entries.user_id, entries.currency) = (backs.user_id, backs.currency)) AS moves
                ON true
             WHERE moved IS NULL OR given_back NOT BETWEEN least(0, -moved) AND greatest(0, -moved)
        """,
    ),
    Invariant(
        name="reversed-once",
        new=new_rows.GIVEN_BACK,
        sentence="A transaction is turned round once at most, and what gives back is not given back itself.",
        sql="""
            SELECT original.reference, count(*) FILTER (WHERE later.reverses IS NOT NULL) AS corrections
              FROM ledger_transactions AS later
              LEFT JOIN ledger_transactions AS original
                ON original.transaction_id = coalesce(later.reverses, later.refunds)
             WHERE later.reverses IS NOT NULL OR later.refunds IS NOT NULL
             GROUP BY original.transaction_id, original.reference
            HAVING count(*) FILTER (WHERE later.reverses IS NOT NULL) > 1
                OR count(*) > 1 AND bool_or(later.reverses IS NOT NULL)
                OR bool_or(original.reverses IS NOT NULL OR original.refunds IS NOT NULL)
        """,
    ),
    Invariant(
        name="correction-mirrors",
        new=new_rows.GIVEN_BACK,
        sentence="A correction is the transaction it turns round with every sum the other way.",
        sql="""
            SELECT later.reference, coalesce(user_id::text, account) AS whose, currency, sum(amount) AS rest
              FROM ledger_transactions AS later
              JOIN entries ON entries.transaction_id IN (later.transaction_id, later.reverses)
             WHERE later.reverses IS NOT NULL
             GROUP BY later.transaction_id, later.reference, coalesce(user_id::text, account), currency
            HAVING sum(amount) <> 0
        """,
    ),
    Invariant(
        name="refund-names-its-charge",
        new=new_rows.GIVEN_BACK,
        sentence="A refund with a job gives back the charge of that job; money taken back names a credit, if anything.",
        sql="""
            SELECT later.reference, later.reason, later.job_id, original.reference AS named
              FROM ledger_transactions AS later
              LEFT JOIN ledger_transactions AS original ON original.transaction_id = later.refunds
             WHERE later.reason IN ('refund', 'undelivered') AND (later.job_id IS NOT NULL OR later.refunds IS NOT NULL)
                   AND (original.reason, original.job_id) IS DISTINCT FROM ('charge', later.job_id)
                OR later.reason NOT IN ('refund', 'undelivered') AND later.refunds IS NOT NULL
                   AND (original.reason IS NULL OR original.reason = 'charge')
        """,
    ),
    Invariant(
        name="gift-has-two-sides",
        new=new_rows.TRANSACTIONS,
        sentence="Money of two users moves only in a gift or its correction: what one gives the other gets.",
        sql="""
            SELECT reference, reason, count(*) AS users, min(net) AS given, max(net) AS got
              FROM ledger_transactions
              JOIN (SELECT transaction_id, user_id, sum(amount) AS net
                      FROM entries WHERE user_id IS NOT NULL GROUP BY transaction_id, user_id) AS nets
                USING (transaction_id)
             GROUP BY transaction_id, reference, reason
            HAVING count(*) > 1 AND (count(*) > 2 OR reason NOT IN ('gift', 'correction') OR sum(net) <> 0)
        """,
    ),
    Invariant(
        name="gifts-taken-were-given",
        new=new_rows.GIFTS,
        sentence="No more money was taken out of gifts than was put into them.",
        sql="""
            SELECT currency, sum(amount) AS waiting FROM entries WHERE account = 'gift'
             GROUP BY currency HAVING sum(amount) < 0
        """,
    ),
)
