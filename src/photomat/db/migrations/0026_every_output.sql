-- A task's outputs are all kept, however many there are, and what no rule could read in its answer is named on the job.
--
-- `unread_fields` are names of fields, never their values. `media_refused_at`: Telegram refused the media so often that a text
-- with a link was shown instead. An alert counts the new ones of each. The wider checks are validated in the next file, where
-- readers and writers go on.
LOCK TABLE generation_jobs, job_outputs, result_sends IN ACCESS EXCLUSIVE MODE;
ALTER TABLE job_outputs
    DROP CONSTRAINT job_outputs_position_known,
    ADD CONSTRAINT job_outputs_position_known CHECK (position BETWEEN 0 AND 999) NOT VALID;
ALTER TABLE result_sends
    DROP CONSTRAINT result_sends_position_known,
    ADD CONSTRAINT result_sends_position_known CHECK (position BETWEEN 0 AND 999) NOT VALID;
ALTER TABLE generation_jobs ADD COLUMN unread_fields text[], ADD COLUMN media_refused_at timestamptz;
