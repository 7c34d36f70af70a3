"""Invariants of the books: sums, references, reversals, sealed days, and the triggers and keys that protect them."""

from typing import Final

from photomat.audit import invariant
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
BOOKS: Final = (
    Invariant(
        name="transaction-balances",
        new=invariant.TRANSACTIONS,
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
        new=invariant.TRANSACTIONS,
        sentence="All entries together add up to zero in each currency.",
        sql="SELECT currency, sum(amount) AS sum FROM entries GROUP BY currency HAVING sum(amount) <> 0",
    ),
    Invariant(
        name="wallet-is-its-entries",
        new=invariant.WALLETS,
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
        new=invariant.WALLETS,
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
        new=invariant.WALLETS,
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
        new=invariant.WALLETS,
        sentence="No wallet has less than nothing available, held or owed.",
        sql="""
            SELECT user_id, posted, held, owed FROM wallets WHERE posted - held < 0 OR held < 0 OR owed < 0
        """,
    ),
    Invariant(
        name="reference-once",
        new=invariant.TRANSACTIONS,
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
        new=invariant.TRANSACTIONS,
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
        new=invariant.TRANSACTIONS,
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
        new=invariant.TRANSACTIONS,
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
        new=invariant.JOBS,
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
        new=invariant.JOBS,
        sentence="A job is charged once at most.",
        sql="""
            SELECT job_id, count(*) AS charges
              FROM holds JOIN hold_closings USING (reference)
             WHERE closed_as = 'charge' GROUP BY job_id HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="gives-back-no-more-than-taken",
        new=invariant.GIVEN_BACK,
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
        new=invariant.GIVEN_BACK,
        sentence="A transaction is reversed once at most, and a refund or correction is not given back itself.",
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
        new=invariant.GIVEN_BACK,
        sentence="A correction is the transaction it reverses with every sum the other way.",
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
        new=invariant.GIVEN_BACK,
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
        new=invariant.TRANSACTIONS,
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
        new=invariant.GIFTS,
        sentence="No more money was taken out of gifts than was put into them.",
        sql="""
            SELECT currency, sum(amount) AS waiting FROM entries WHERE account = 'gift'
             GROUP BY currency HAVING sum(amount) < 0
        """,
    ),
    Invariant(
        name="protections-stand",
        new=invariant.AS_IT_IS,
        sentence="The triggers that keep the books append-only and balanced exist and are enabled.",
        sql="""
            SELECT wanted.trigger, tgenabled IS NOT NULL AS exists
              FROM unnest(ARRAY['ledger_transactions_append_only', 'entries_append_only', 'holds_append_only',
                                'hold_closings_append_only', 'ledger_transactions_balance', 'entries_balance',
                                'ledger_transactions_give_back', 'operator_journal_append_only',
                                'sealed_days_append_only', 'audit_runs_never_changed',
                                'payments_append_only']) AS wanted (trigger)
              LEFT JOIN pg_trigger ON tgname = wanted.trigger
             WHERE tgenabled IS NULL OR tgenabled NOT IN ('O', 'A')
        """,
    ),
    Invariant(
        name="keys-stand",
        new=invariant.AS_IT_IS,
        sentence="The keys and checks that make every move happen once and no wallet negative exist.",
        sql="""
            SELECT wanted.name
              FROM unnest(ARRAY['ledger_transactions_reference_once', 'ledger_transactions_one_charge_per_job',
                                'holds_pkey', 'hold_closings_pkey', 'hold_closings_hold_fkey',
                                'entries_amount_not_zero', 'wallets_available_not_negative',
                                'wallets_held_not_negative', 'wallets_owed_not_negative',
                                'ledger_transactions_reversed_once', 'ledger_transactions_correction_reverses',
                                'entries_user_of_account', 'entries_wallet_fkey', 'sealed_days_pkey',
                                'differences_one_open', 'payments_once', 'payments_reference_once',
                                'payment_refunds_key_once', 'payment_refunds_reference_once',
                                'promo_codes_not_used_up', 'promo_uses_one_an_origin', 'promo_uses_one_a_payment',
                                'pass_uses_pkey', 'referrals_pkey', 'referral_shares_pkey',
                                'gifts_one_an_origin']) AS wanted (name)
             WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conname = wanted.name AND convalidated)
               AND NOT EXISTS (SELECT FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
                                WHERE relname = wanted.name AND indisunique AND indisvalid)
        """,
    ),
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
        new=invariant.AS_IT_IS,
        sentence=f"No difference between our books and others' is open for more than {OLDEST_DIFFERENCE_DAYS} days.",
        sql=f"""
            SELECT kind, reference, owner, opened_at FROM differences
             WHERE resolved_at IS NULL AND opened_at < photomat_now() - interval '{OLDEST_DIFFERENCE_DAYS} days'
        """,  # noqa: S608  our own constant
    ),
)
