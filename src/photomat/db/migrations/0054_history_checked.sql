-- Reads both tables beside everybody's work. Then callbacks get the unique keys of a partition: their writers wait for that, as long
-- as it takes to index a month of callbacks (about 3 s a million); Kie repeats what is not answered.
ALTER TABLE job_events VALIDATE CONSTRAINT job_events_past_range;
ALTER TABLE callbacks VALIDATE CONSTRAINT callbacks_past_range;
CREATE UNIQUE INDEX callbacks_past_pkey ON callbacks (callback_id, job_id);
CREATE UNIQUE INDEX callbacks_past_once ON callbacks (digest, job_id) NULLS NOT DISTINCT;
