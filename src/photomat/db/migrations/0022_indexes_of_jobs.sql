-- What recurring statements about jobs need so that they cost what is new or due, however long the history is.
--
-- Building an index locks out writers of its table: about a second for each million rows. The locks come first and in one
-- statement, so that no writer waits for one table while it holds another.
LOCK TABLE drafts, generation_jobs, job_outputs, result_sends IN SHARE MODE;

-- Results nobody has seen yet: the sweep, the refund of undelivered results, `jobs list --undelivered`.
CREATE INDEX generation_jobs_unseen ON generation_jobs (settled_at) WHERE status = 'done' AND delivered_at IS NULL;

-- Deleting a draft asks whether a job refers to it.
CREATE INDEX generation_jobs_of_draft ON generation_jobs (draft_id) WHERE draft_id IS NOT NULL;

-- Retention: what is old enough to be deleted, oldest first.
CREATE INDEX drafts_unbought ON drafts (expires_at) WHERE bought_at IS NULL;
CREATE INDEX result_sends_by_time ON result_sends (asked_at);
CREATE INDEX job_outputs_copies ON job_outputs (kept_at)
    WHERE kept_as IS NOT NULL AND file_id IS NOT NULL AND media IN ('audio', 'document', 'video');
