"""Invariants of jobs: one card, draft and result each; the price is held until settled, then charged if done, else released."""

from typing import Final

from photomat.audit import invariant
from photomat.audit.invariant import Invariant

JOBS: Final = (
    Invariant(
        name="delivered-is-done",
        new=invariant.JOBS,
        sentence="Only a finished job is marked delivered.",
        sql="SELECT job_id, status FROM generation_jobs WHERE delivered_at IS NOT NULL AND status <> 'done'",
    ),
    Invariant(
        name="one-job-per-card",
        new=invariant.JOBS,
        sentence="A card shows one job for its whole life.",
        sql="""
            SELECT bot_id, chat_id, card_message_id, array_agg(job_id) AS jobs
              FROM generation_jobs GROUP BY bot_id, chat_id, card_message_id HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="one-job-per-draft",
        new=invariant.JOBS,
        sentence="A draft is bought once.",
        sql="""
            SELECT draft_id, array_agg(job_id) AS jobs
              FROM generation_jobs WHERE draft_id IS NOT NULL GROUP BY draft_id HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="done-job-has-a-result",
        new=invariant.JOBS,
        sentence="A finished job has something to show: an output or a result object.",
        sql="""
            SELECT job_id FROM generation_jobs AS job
             WHERE status = 'done' AND result_object IS NULL
               AND NOT EXISTS (SELECT FROM job_outputs WHERE job_outputs.job_id = job.job_id)
        """,
    ),
    Invariant(
        name="lane-counts-what-waits",
        new=invariant.LANES,
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
    Invariant(
        name="hold-is-of-its-job",
        new=invariant.JOBS,
        sentence="A hold has the reference, the user and the price of an existing job.",
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
        new=invariant.JOBS,
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
        new=invariant.JOBS,
        sentence="Only a finished job that is no gift is charged.",
        sql="""
            SELECT reference, job_id, status, gift
              FROM ledger_transactions LEFT JOIN generation_jobs USING (job_id)
             WHERE reason = 'charge' AND (status IS DISTINCT FROM 'done' OR gift)
        """,
    ),
    Invariant(
        name="unsold-job-is-released",
        new=invariant.JOBS,
        sentence="A failed or canceled job and a gift gave their money back.",
        sql="""
            SELECT job_id, status, gift, reference, coalesce(closed_as, 'open') AS hold
              FROM generation_jobs JOIN holds USING (job_id) LEFT JOIN hold_closings USING (reference)
             WHERE (status IN ('failed', 'canceled') OR gift) AND closed_as IS DISTINCT FROM 'release'
        """,
    ),
    Invariant(
        name="live-job-holds-its-price",
        new=invariant.JOBS,
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
        new=invariant.JOBS,
        sentence="Money is held only for a job on its way.",
        sql="""
            SELECT reference, job_id, amount, status
              FROM holds LEFT JOIN hold_closings USING (reference) LEFT JOIN generation_jobs USING (job_id)
             WHERE closed_as IS NULL AND (status IN ('pending', 'submitting', 'running')) IS NOT TRUE
        """,
    ),
    Invariant(
        name="paid-job-was-held",
        new=invariant.JOBS,
        sentence="A job with a price had it held when it was made; a free one holds nothing.",
        sql="""
            SELECT job_id, price, reference
              FROM generation_jobs AS job LEFT JOIN holds USING (job_id)
             WHERE price = 0 AND reference IS NOT NULL
                OR price > 0 AND NOT EXISTS (SELECT FROM holds AS first WHERE first.reference = 'job:' || job.job_id)
        """,
    ),
    Invariant(
        name="offer-follows-a-release",
        new=invariant.JOBS,
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
    Invariant(
        name="job-costs-what-its-card-showed",
        new=invariant.JOBS,
        sentence="The price of a job is the one of the draft it was bought from, and of the quote frozen on it.",
        sql="""
            SELECT job_id, job.price, drafts.price AS draft, quote ->> 'price' AS quoted
              FROM generation_jobs AS job LEFT JOIN drafts USING (draft_id)
             WHERE draft_id IS NOT NULL AND (job.price, job.currency) IS DISTINCT FROM (drafts.price, drafts.currency)
                OR quote IS NOT NULL
                   AND (job.price::text, job.currency) IS DISTINCT FROM (quote ->> 'price', quote ->> 'currency')
        """,
    ),
    Invariant(
        name="cost-is-what-kie-took",
        new=invariant.JOBS,
        sentence="The cost of a job is the credits Kie says it took, at $0.005 and the rate of its quote.",
        sql="""
            SELECT job_id, credits_consumed, cost
              FROM generation_jobs
             WHERE cost IS DISTINCT FROM ceil(credits_consumed * 0.005 * 100 * (quote ->> 'usd_rate')::numeric)
        """,
    ),
)
