-- What the alerts about unread results and refused media count; and the checks of the file before, now for the old rows as well.
LOCK TABLE generation_jobs IN SHARE MODE;
CREATE INDEX generation_jobs_unread ON generation_jobs (settled_at) WHERE unread_fields IS NOT NULL;
CREATE INDEX generation_jobs_media_refused ON generation_jobs (media_refused_at) WHERE media_refused_at IS NOT NULL;
ALTER TABLE job_outputs VALIDATE CONSTRAINT job_outputs_position_known;
ALTER TABLE result_sends VALIDATE CONSTRAINT result_sends_position_known;
