"""The books themselves: sums that are zero, sums that are cached, moves that happened once and as they were asked for."""

from typing import Final

from photomat.audit import new_rows
from photomat.audit.invariant import Invariant

BOOKS: Final = (
    Invariant(
        name="transaction-balances",
        new=new_rows.TRANSACTIONS,
        sentence="Every transaction has two lines or more, none of them zero, and adds up to zero in each currency.",
        sql="""
            SELECT reference, currency, count(amount) AS lines, sum(amount) AS sum
              FROM ledger_transactions LEFT JOIN entries USING (transaction_id)
             GROUP BY transaction_id, reference, currency
            HAVING count(amount) < 2 OR sum(amount) <> 0 OR bool_or(amount = 0)
        """,
    ),
    Invariant(
        name="ledger-balances",
        new=new_rows.TRANSACTIONS,
        sentence="All entries together add up to zero in each currency.",
        sql="SELECT currency, sum(amount) AS sum FROM entries GROUP BY currency HAVING sum(amount) <> 0",
    ),
    Invariant(
        name="wallet-is-its-entries",
        new=new_rows.WALLETS,
        sentence="What a wallet says it has is the sum of its user's entries.",
        sql="""
            SELECT user_id, currency, posted, sum_posted
              FROM wallets
              FULL JOIN (SELECT user_id, currency, sum(amount) AS sum_posted
                           FROM entries WHERE account = 'wallet' GROUP BY user_id, currency) AS sums
                USING (user_id, currency)
             WHERE posted IS DISTINCT FROM coalesce(sum_posted, 0)
        """,
    ),
    Invariant(
        name="debt-is-its-entries",
        new=new_rows.WALLETS,
        sentence="What a wallet says its user owes is the sum of the entries on their debt.",
        sql="""
            SELECT user_id, currency, owed, sum_owed
              FROM wallets
              FULL JOIN (SELECT user_id, currency, -sum(amount) AS sum_owed
                           FROM entries WHERE account = 'debt' GROUP BY user_id, currency) AS sums
                USING (user_id, currency)
             WHERE owed IS DISTINCT FROM coalesce(sum_owed, 0)
        """,
    ),
    Invariant(
        name="held-is-open-holds",
        new=new_rows.WALLETS,
        sentence="What a wallet says is held is the sum of its user's open holds.",
        sql="""
            SELECT user_id, currency, held, sum_held
              FROM wallets
              FULL JOIN (SELECT user_id, currency, sum(amount) AS sum_held
                           FROM holds LEFT JOIN hold_closings USING (reference)
                          WHERE closed_as IS NULL GROUP BY user_id, currency) AS sums
                USING (user_id, currency)
             WHERE held IS DISTINCT FROM coalesce(sum_held, 0)
        """,
    ),
    Invariant(
        name="no-negative-money",
        new=new_rows.WALLETS,
        sentence="Nobody has less than nothing available, held or owed.",
        sql="""
            SELECT user_id, posted, held, owed FROM wallets WHERE posted - held < 0 OR held < 0 OR owed < 0
        """,
    ),
    Invariant(
        name="reference-once",
        new=new_rows.TRANSACTIONS,
        sentence="No reference is booked twice, held twice or closed twice.",
        sql="""
            SELECT 'ledger_transactions' AS found_in, reference FROM ledger_transactions
             GROUP BY reference HAVING count(*) > 1
            UNION ALL
            SELECT 'holds', reference FROM holds GROUP BY reference HAVING count(*) > 1
            UNION ALL
            SELECT 'hold_closings', reference FROM hold_closings GROUP BY reference HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="transaction-is-what-was-asked",
        new=new_rows.TRANSACTIONS,
        sentence="What a transaction did to its users is what its digest was made of.",
        sql="""
            SELECT reference, reason, user_id, net
              FROM ledger_transactions
              LEFT JOIN (SELECT transaction_id, count(*) AS users, min(user_id) AS user_id, min(currency) AS currency,
                                min(net) AS net, min(in_wallet) AS in_wallet, max(net) AS given,
                                min(user_id) FILTER (WHERE net < 0) AS giver,
                                min(user_id) FILTER (WHERE net > 0) AS taker
                           FROM (SELECT transaction_id, user_id, currency, sum(amount) AS net,
                                        sum(amount) FILTER (WHERE account = 'wallet') AS in_wallet
                                   FROM entries WHERE user_id IS NOT NULL
                                  GROUP BY transaction_id, user_id, currency) AS nets
                          GROUP BY transaction_id) AS sides
                USING (transaction_id)
             WHERE digest IS DISTINCT FROM sha256(convert_to(CASE
                       WHEN reason = 'correction' THEN format('correction of=%s', reverses)
                       WHEN reason = 'gift' AND users > 1
                       THEN format('gift from=%s to=%s amount=%s currency=%s', giver, taker, given, currency)
                       ELSE format('%s user=%s amount=%s currency=%s job=%s%s', reason, user_id,
                                   CASE reason WHEN 'debt' THEN in_wallet ELSE net END, currency,
                                   coalesce(job_id::text, '-'), ' of=' || refunds) END, 'UTF8'))
        """,
    ),
    Invariant(
        name="transaction-is-as-booked",
        new=new_rows.TRANSACTIONS,
        sentence="Every line of a transaction is the one its seal was made of; one of old, without a seal, has two lines.",
        sql="""
            SELECT booked.reference, reason, count(amount) AS lines, seal IS NOT NULL AS sealed
              FROM ledger_transactions AS booked LEFT JOIN entries USING (transaction_id)
             GROUP BY booked.transaction_id, booked.reference, reason, digest, seal
            HAVING CASE WHEN seal IS NULL
                   THEN count(amount) <> 2 OR count(*) FILTER (WHERE account = 'wallet') <> 1
                        OR count(*) FILTER (WHERE account = CASE reason WHEN 'charge' THEN 'income' ELSE reason END) <> 1
                   ELSE seal <> sha256(convert_to(concat_ws(E'\n', booked.reference, encode(digest, 'hex'),
                            string_agg(concat_ws(' ', line, account, coalesce(user_id::text, '-'), currency, amount),
                                       E'\n' ORDER BY line)), 'UTF8')) END
        """,
    ),
    Invariant(
        name="hold-is-what-was-asked",
        new=new_rows.TRANSACTIONS,
        sentence="A hold is the one its digest was made of.",
        sql="""
            SELECT reference, user_id, amount, job_id
              FROM holds
             WHERE digest IS DISTINCT FROM sha256(convert_to(format('hold user=%s amount=%s currency=%s job=%s',
                       user_id, amount, currency, job_id), 'UTF8'))
        """,
    ),
    Invariant(
        name="charge-is-its-hold",
        new=new_rows.JOBS,
        sentence="A charge and a hold closed as charged come together: same reference, job, user and amount.",
        sql="""
            SELECT reference, holds.amount AS held, -entries.amount AS charged
              FROM (holds JOIN hold_closings USING (reference))
              FULL JOIN (ledger_transactions AS booked
                         JOIN entries ON entries.transaction_id = booked.transaction_id
                                     AND account = 'wallet' AND reason = 'charge')
                USING (reference)
             WHERE (closed_as = 'charge' OR reason = 'charge')
               AND (closed_as, holds.job_id, holds.user_id, holds.currency, holds.amount)
                   IS DISTINCT FROM (reason, booked.job_id, entries.user_id, entries.currency, -entries.amount)
        """,
    ),
    Invariant(
        name="one-charge-per-job",
        new=new_rows.JOBS,
        sentence="A job is charged once at most.",
        sql="""
            SELECT job_id, count(*) AS charges
              FROM holds JOIN hold_closings USING (reference)
             WHERE closed_as = 'charge' GROUP BY job_id HAVING count(*) > 1
        """,
    ),
)
