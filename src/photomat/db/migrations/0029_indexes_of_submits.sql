-- Waiting jobs in their order and by their age, and the jobs a callback has woken. Writers wait while an index is built, readers
-- do not.
CREATE INDEX generation_jobs_waiting ON generation_jobs (submit_turn, job_id) WHERE status = 'pending';
CREATE INDEX generation_jobs_waiting_since ON generation_jobs (created_at) WHERE status = 'pending';
CREATE INDEX generation_jobs_woken ON generation_jobs (due_at) WHERE woken_via IS NOT NULL;
