"""The invariants by name, each a sentence for people and a query for the rows that break it: none is the good answer.

The queries read every table and trust no constraint, trigger or cached sum: they are the second opinion.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariant:
    """One rule; `sql` returns a row for each offender, with what an operator needs to find it."""

    name: str
    sentence: str
    sql: str


BOOKS: Final = (
    Invariant(
        name="transaction-balances",
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
        sentence="All entries together add up to zero in each currency.",
        sql="SELECT currency, sum(amount) AS sum FROM entries GROUP BY currency HAVING sum(amount) <> 0",
    ),
    Invariant(
        name="wallet-is-its-entries",
        sentence="What a wallet says it has and owes is the sum of its user's entries.",
        sql="""
            SELECT user_id, currency, posted, owed, sum_posted, sum_owed
              FROM wallets
              FULL JOIN (SELECT user_id, currency,
                                coalesce(sum(amount) FILTER (WHERE account = 'wallet'), 0) AS sum_posted,
                                coalesce(-sum(amount) FILTER (WHERE account = 'debt'), 0) AS sum_owed
                           FROM entries WHERE user_id IS NOT NULL GROUP BY user_id, currency) AS sums
                USING (user_id, currency)
             WHERE posted IS DISTINCT FROM coalesce(sum_posted, 0) OR owed IS DISTINCT FROM coalesce(sum_owed, 0)
        """,
    ),
    Invariant(
        name="held-is-open-holds",
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
        sentence="Nobody has less than nothing available, held or owed.",
        sql="""
            SELECT user_id, posted, held, owed FROM wallets WHERE posted - held < 0 OR held < 0 OR owed < 0
        """,
    ),
    Invariant(
        name="reference-once",
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
        sentence="The wallet's line of a transaction is the one its digest was made of.",
        sql="""
            SELECT reference, reason, user_id, amount
              FROM ledger_transactions
              LEFT JOIN entries ON entries.transaction_id = ledger_transactions.transaction_id AND account = 'wallet'
             WHERE digest IS DISTINCT FROM sha256(convert_to(format('%s user=%s amount=%s currency=%s job=%s',
                       reason, user_id, amount, currency, coalesce(job_id::text, '-')), 'UTF8'))
        """,
    ),
    Invariant(
        name="hold-is-what-was-asked",
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
        sentence="A job is charged once at most.",
        sql="""
            SELECT job_id, count(*) AS charges
              FROM holds JOIN hold_closings USING (reference)
             WHERE closed_as = 'charge' GROUP BY job_id HAVING count(*) > 1
        """,
    ),
)

JOBS_AND_MONEY: Final = (
    Invariant(
        name="hold-is-of-its-job",
        sentence="A hold bears the name, the user and the price of a job there is.",
        sql="""
            SELECT reference, job_id, amount, generation_jobs.price
              FROM holds LEFT JOIN generation_jobs USING (job_id)
             WHERE (holds.user_id, holds.currency, amount)
                   IS DISTINCT FROM (generation_jobs.user_id, generation_jobs.currency, generation_jobs.price)
                OR reference NOT IN ('job:' || job_id, 'offer:' || job_id)
        """,
    ),
    Invariant(
        name="done-job-is-charged",
        sentence="A finished job that is no gift and not free was charged its price.",
        sql="""
            SELECT job_id, price, currency
              FROM generation_jobs AS job
             WHERE status = 'done' AND NOT gift AND price > 0
               AND NOT EXISTS (SELECT FROM holds JOIN hold_closings USING (reference)
                                WHERE holds.job_id = job.job_id AND closed_as = 'charge'
                                  AND (user_id, currency, amount) = (job.user_id, job.currency, job.price))
        """,
    ),
    Invariant(
        name="charge-is-for-a-done-job",
        sentence="Only a finished job that is no gift is charged.",
        sql="""
            SELECT reference, job_id, status, gift
              FROM ledger_transactions LEFT JOIN generation_jobs USING (job_id)
             WHERE reason = 'charge' AND (status IS DISTINCT FROM 'done' OR gift)
        """,
    ),
    Invariant(
        name="unsold-job-is-released",
        sentence="A failed or canceled job and a gift gave their money back.",
        sql="""
            SELECT job_id, status, gift, reference, coalesce(closed_as, 'open') AS hold
              FROM generation_jobs JOIN holds USING (job_id) LEFT JOIN hold_closings USING (reference)
             WHERE (status IN ('failed', 'canceled') OR gift) AND closed_as IS DISTINCT FROM 'release'
        """,
    ),
    Invariant(
        name="live-job-holds-its-price",
        sentence="A job on its way has its price held.",
        sql="""
            SELECT job_id, status, price, closed_as
              FROM generation_jobs
              LEFT JOIN holds USING (job_id)
              LEFT JOIN hold_closings USING (reference)
             WHERE status IN ('pending', 'submitting', 'running') AND price > 0
               AND (reference IS DISTINCT FROM 'job:' || job_id OR closed_as IS NOT NULL)
        """,
    ),
    Invariant(
        name="open-hold-has-a-live-job",
        sentence="Money is held only for a job on its way.",
        sql="""
            SELECT reference, job_id, amount, status
              FROM holds LEFT JOIN hold_closings USING (reference) LEFT JOIN generation_jobs USING (job_id)
             WHERE closed_as IS NULL AND (status IN ('pending', 'submitting', 'running')) IS NOT TRUE
        """,
    ),
    Invariant(
        name="paid-job-was-held",
        sentence="A job with a price had it held when it was made; a free one holds nothing.",
        sql="""
            SELECT job_id, price, reference
              FROM generation_jobs AS job LEFT JOIN holds USING (job_id)
             WHERE price = 0 AND reference IS NOT NULL
                OR price > 0 AND NOT EXISTS (SELECT FROM holds AS first WHERE first.reference = 'job:' || job.job_id)
        """,
    ),
    Invariant(
        name="job-is-its-draft",
        sentence="A job costs what the draft it was bought from said, and is its user's.",
        sql="""
            SELECT job_id, draft_id, job.price, drafts.price AS price_of_draft
              FROM generation_jobs AS job JOIN drafts USING (draft_id)
             WHERE (job.user_id, job.currency, job.price) IS DISTINCT FROM (drafts.user_id, drafts.currency, drafts.price)
        """,
    ),
    Invariant(
        name="offer-follows-a-release",
        sentence="An offer is paid only after the money of the canceled job went back, and by a job that is done.",
        sql="""
            SELECT offer.reference, job_id, status, first.closed_as AS first_hold
              FROM holds AS offer
              LEFT JOIN generation_jobs USING (job_id)
              LEFT JOIN hold_closings AS first ON first.reference = 'job:' || job_id
             WHERE offer.reference LIKE 'offer:%'
               AND (first.closed_as, status) IS DISTINCT FROM ('release', 'done')
        """,
    ),
)

JOBS: Final = (
    Invariant(
        name="delivered-is-done",
        sentence="Only a finished job is marked delivered.",
        sql="SELECT job_id, status FROM generation_jobs WHERE delivered_at IS NOT NULL AND status <> 'done'",
    ),
    Invariant(
        name="one-job-per-card",
        sentence="A card shows one job for its whole life.",
        sql="""
            SELECT bot_id, chat_id, card_message_id, array_agg(job_id) AS jobs
              FROM generation_jobs GROUP BY bot_id, chat_id, card_message_id HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="one-job-per-draft",
        sentence="A draft is bought once.",
        sql="""
            SELECT draft_id, array_agg(job_id) AS jobs
              FROM generation_jobs WHERE draft_id IS NOT NULL GROUP BY draft_id HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="done-job-has-a-result",
        sentence="A finished job has something to show: an output or a result object.",
        sql="""
            SELECT job_id FROM generation_jobs AS job
             WHERE status = 'done' AND result_object IS NULL
               AND NOT EXISTS (SELECT FROM job_outputs WHERE job_outputs.job_id = job.job_id)
        """,
    ),
    Invariant(
        name="lane-counts-what-waits",
        sentence="A lane counts exactly the updates that wait in it.",
        sql="""
            SELECT bot_id, lane, pending, waiting
              FROM lanes
              FULL JOIN (SELECT bot_id, lane, count(*) AS waiting
                           FROM inbox WHERE handled_at IS NULL AND parked_at IS NULL GROUP BY bot_id, lane) AS inbox
                USING (bot_id, lane)
             WHERE pending IS DISTINCT FROM coalesce(waiting, 0)
        """,
    ),
)

PROTECTIONS: Final = (
    Invariant(
        name="protections-stand",
        sentence="The triggers that keep the books append-only and balanced exist and are enabled.",
        sql="""
            SELECT wanted.trigger, tgenabled IS NOT NULL AS exists
              FROM unnest(ARRAY['ledger_transactions_append_only', 'entries_append_only', 'holds_append_only',
                                'hold_closings_append_only', 'ledger_transactions_balance', 'entries_balance']
                   ) AS wanted (trigger)
              LEFT JOIN pg_trigger ON tgname = wanted.trigger
             WHERE tgenabled IS NULL OR tgenabled NOT IN ('O', 'A')
        """,
    ),
    Invariant(
        name="keys-stand",
        sentence="The keys and checks that make every move happen once and no wallet negative exist.",
        sql="""
            SELECT wanted.name
              FROM unnest(ARRAY['ledger_transactions_reference_once', 'ledger_transactions_one_charge_per_job',
                                'holds_pkey', 'hold_closings_pkey', 'hold_closings_hold_fkey',
                                'entries_amount_not_zero', 'wallets_available_not_negative',
                                'wallets_held_not_negative', 'wallets_owed_not_negative']) AS wanted (name)
             WHERE NOT EXISTS (SELECT FROM pg_constraint WHERE conname = wanted.name AND convalidated)
               AND NOT EXISTS (SELECT FROM pg_class JOIN pg_index ON indexrelid = pg_class.oid
                                WHERE relname = wanted.name AND indisunique AND indisvalid)
        """,
    ),
)

INVARIANTS: Final = (*BOOKS, *JOBS_AND_MONEY, *JOBS, *PROTECTIONS)
