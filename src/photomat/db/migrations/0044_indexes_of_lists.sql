-- What the console's lists and reports read, so that a page costs its period and its page, however long the history is.
--
-- The two indexes of jobs carry the columns that reports add up: a period is read from the index alone. None of these columns changes
-- after a job is settled, so later updates of a job stay as cheap as they are.
--
-- Building an index locks out writers of its table: about a second for each million rows. All locks come first, in one order.
LOCK TABLE generation_jobs, ledger_transactions, payments, receipts IN SHARE MODE;
CREATE INDEX generation_jobs_sold ON generation_jobs (settled_at) INCLUDE (model, user_id, status, gift, price, cost, created_at)
    WHERE settled_at IS NOT NULL;
CREATE INDEX generation_jobs_bought ON generation_jobs (created_at) INCLUDE (user_id);
CREATE INDEX ledger_transactions_by_reason ON ledger_transactions (reason, transaction_id);
CREATE INDEX ledger_transactions_of_refunds ON ledger_transactions (booked_at) INCLUDE (job_id, transaction_id)
    WHERE reason IN ('refund', 'undelivered');
CREATE INDEX payments_by_provider ON payments (provider, payment_id);
CREATE INDEX receipts_by_state ON receipts (state, receipt_id);

-- Jobs that ended badly or were given away, newest first; a job by the correlation id of its log lines.
CREATE INDEX generation_jobs_ended_badly ON generation_jobs (status, job_id) WHERE status IN ('failed', 'canceled');
CREATE INDEX generation_jobs_gifts ON generation_jobs (job_id) WHERE gift;
CREATE INDEX generation_jobs_by_corr ON generation_jobs (corr);
