-- Results that nobody has seen because their users blocked the bot stay for good, and there may be a million of them. The sweeps,
-- the alert and the refund that look for results nobody has seen read all of them with one index; now each has its own.
--
-- Building an index locks out writers of its table: about a second for each million rows. The next migration puts the second one
-- in the place of generation_jobs_unseen.
LOCK TABLE generation_jobs IN SHARE MODE;

-- All of them, as `jobs list --undelivered` and the console page through them.
CREATE INDEX generation_jobs_undelivered_by_number ON generation_jobs (job_id) WHERE status = 'done' AND delivered_at IS NULL;

-- Those whose customer can be reached: the sweep, the alert, the page "today".
CREATE INDEX generation_jobs_unseen_reachable ON generation_jobs (settled_at)
    WHERE status = 'done' AND delivered_at IS NULL AND undeliverable_at IS NULL AND parked_at IS NULL;

-- Those that are refunded after some days: parked, or in a group without the bot. The condition of jobs/refunds.py, word for word.
CREATE INDEX generation_jobs_refunded_if_undelivered ON generation_jobs (settled_at)
    WHERE status = 'done' AND NOT gift AND price > 0 AND delivered_at IS NULL
      AND (parked_at IS NOT NULL OR undeliverable_at IS NOT NULL AND chat_id <> user_id);
