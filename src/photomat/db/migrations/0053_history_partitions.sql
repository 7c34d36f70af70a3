-- The timelines of jobs and the callbacks become partitions, each of about a month's jobs, in three files, so that nothing waits
-- for long: here the tables promise where their range ends (not checked yet, so nothing is read), 0054 checks that while everybody
-- works, and 0055 makes them the first partitions, which reads nothing any more. The end is far above the newest job: it is not
-- reached meanwhile.
--
-- By the number of the job, not by time, because the key of a partition must be part of every unique key: an event stays unique by
-- (job_id, event_id), a callback by its digest, which is made of the job's number too, and no clock decides where a row goes. See
-- docs/decisions/0012-history-by-job-number.md.
LOCK TABLE job_events, callbacks IN ACCESS EXCLUSIVE MODE;

-- A callback that came without a number has 0 in the partition of the past; later ones have none and lie in the default partition.
UPDATE callbacks SET job_id = 0 WHERE job_id IS NULL;
CREATE FUNCTION number_a_callback() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.job_id := 0;
    RETURN NEW;
END $$;
CREATE TRIGGER callbacks_have_a_number BEFORE INSERT ON callbacks
    FOR EACH ROW WHEN (NEW.job_id IS NULL) EXECUTE FUNCTION number_a_callback();

DO $$
DECLARE
    newest bigint := coalesce(pg_sequence_last_value(pg_get_serial_sequence('generation_jobs', 'job_id')::regclass), 0);
    ends   bigint := (newest / 100000 + 2) * 100000;
BEGIN
    EXECUTE format('ALTER TABLE job_events ADD CONSTRAINT job_events_past_range CHECK (job_id < %s) NOT VALID', ends);
    EXECUTE format('ALTER TABLE callbacks ADD CONSTRAINT callbacks_past_range'
                   ' CHECK (job_id IS NOT NULL AND job_id < %s) NOT VALID', ends);
END $$;

-- The full audit of a night, slice by slice, each in short transactions of its own. A row is one slice that was checked: the keys
-- from `starts` up to `ends`, the last one without an end. When every part has its last slice, the pass becomes a row of
-- audit_runs. Killed between two slices, it goes on with the next one.
CREATE TABLE audit_slices (
    night       date             NOT NULL,
    part        text             NOT NULL,
    starts      bigint           NOT NULL,
    ends        bigint,
    checked_at  timestamptz      NOT NULL DEFAULT photomat_now(),
    seconds     double precision NOT NULL,
    violations  jsonb            NOT NULL DEFAULT '[]',
    CONSTRAINT audit_slices_pkey PRIMARY KEY (night, part, starts)
);
CREATE INDEX audit_slices_by_time ON audit_slices (checked_at);
