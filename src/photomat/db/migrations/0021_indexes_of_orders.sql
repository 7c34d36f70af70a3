-- What the columns before need to be found by. Writers wait while an index is built, readers do not.
--
-- Jobs with a frozen request that are due, and how long a model usually takes, read from its newest results.
CREATE INDEX generation_jobs_submits_due ON generation_jobs (submit_at) WHERE submit_at IS NOT NULL;
CREATE INDEX generation_jobs_done_of_model ON generation_jobs (model, settled_at) WHERE status = 'done';
