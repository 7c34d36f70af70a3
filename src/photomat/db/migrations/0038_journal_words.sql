-- The outcome of an operator's act as a text key with facts, so that a page says it in the reader's language. `outcome` stays the
-- English sentence: it is all that older rows have, and what a terminal prints.
ALTER TABLE operator_journal ADD COLUMN outcome_key text, ADD COLUMN outcome_facts jsonb;

-- Operators' lists: the journal of one operator and of one action; jobs that ended badly or were given away, newest first.
CREATE INDEX operator_journal_of_operator ON operator_journal (operator, entry_id);
CREATE INDEX operator_journal_of_action ON operator_journal (action, entry_id);
CREATE INDEX generation_jobs_ended_badly ON generation_jobs (status, job_id) WHERE status IN ('failed', 'canceled');
CREATE INDEX generation_jobs_gifts ON generation_jobs (job_id) WHERE gift;
