-- A task's outputs are all kept, however many there are, and what no rule could read in its answer is named on the job.
--
-- `unread_fields` are names of fields, never their values. `media_refused_at`: Telegram refused the media so often that a text
-- with a link was shown instead. An alert counts the new ones of each.
ALTER TABLE job_outputs
    DROP CONSTRAINT job_outputs_position_known,
    ADD CONSTRAINT job_outputs_position_known CHECK (position BETWEEN 0 AND 999);
ALTER TABLE result_sends
    DROP CONSTRAINT result_sends_position_known,
    ADD CONSTRAINT result_sends_position_known CHECK (position BETWEEN 0 AND 999);
ALTER TABLE generation_jobs ADD COLUMN unread_fields text[], ADD COLUMN media_refused_at timestamptz;
CREATE INDEX generation_jobs_unread ON generation_jobs (settled_at) WHERE unread_fields IS NOT NULL;
CREATE INDEX generation_jobs_media_refused ON generation_jobs (media_refused_at) WHERE media_refused_at IS NOT NULL;
