-- The tables of 0.4.0 become the partitions of the past, with their rows and indexes as they are; the next two ranges are made, and
-- one for rows that fit no other. From here on the ACTIVE instance makes ranges ahead of time (jobs/partitions.py).
LOCK TABLE job_events, callbacks IN ACCESS EXCLUSIVE MODE;

-- Version 0.4.0 deletes old rows by ctid, which names a row of every partition. Beside this version it deletes none.
CREATE FUNCTION keep_from_deletes_by_ctid() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF current_query() ~ 'DELETE FROM (job_events|callbacks)\s+WHERE ctid' THEN
        RETURN NULL;
    END IF;
    RETURN OLD;
END $$;

ALTER TABLE job_events RENAME TO job_events_past;
ALTER INDEX job_events_pkey RENAME TO job_events_past_pkey;
ALTER INDEX job_events_by_time RENAME TO job_events_past_by_time;
CREATE SEQUENCE job_events_number;
SELECT setval('job_events_number', coalesce(newest, 1), newest IS NOT NULL)
  FROM pg_sequence_last_value(pg_get_serial_sequence('job_events_past', 'event_id')::regclass) AS newest;
ALTER TABLE job_events_past ALTER COLUMN event_id DROP IDENTITY;
CREATE TABLE job_events (
    event_id  bigint      NOT NULL DEFAULT nextval('job_events_number'),
    job_id    bigint      NOT NULL,
    at        timestamptz NOT NULL DEFAULT photomat_now(),
    tag       text        NOT NULL,
    instance  text        NOT NULL DEFAULT current_setting('application_name'),
    detail    jsonb       NOT NULL DEFAULT '{}',
    CONSTRAINT job_events_pkey PRIMARY KEY (job_id, event_id)
) PARTITION BY RANGE (job_id);
ALTER SEQUENCE job_events_number OWNED BY job_events.event_id;
CREATE INDEX job_events_by_time ON job_events (at);
CREATE TABLE job_events_default PARTITION OF job_events DEFAULT;
CREATE TRIGGER job_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON job_events
    EXECUTE FUNCTION refuse_to_change_events();
CREATE TRIGGER job_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON job_events_default
    EXECUTE FUNCTION refuse_to_change_events();
CREATE TRIGGER job_events_not_by_ctid BEFORE DELETE ON job_events
    FOR EACH ROW EXECUTE FUNCTION keep_from_deletes_by_ctid();

ALTER TABLE callbacks RENAME TO callbacks_past;
DROP TRIGGER callbacks_have_a_number ON callbacks_past;
DROP FUNCTION number_a_callback();
ALTER TABLE callbacks_past DROP CONSTRAINT callbacks_pkey, DROP CONSTRAINT callbacks_once;
ALTER TABLE callbacks_past ADD CONSTRAINT callbacks_past_pkey UNIQUE USING INDEX callbacks_past_pkey;
ALTER TABLE callbacks_past ADD CONSTRAINT callbacks_past_once UNIQUE USING INDEX callbacks_past_once;
ALTER INDEX callbacks_of_job RENAME TO callbacks_past_of_job;
ALTER INDEX callbacks_by_time RENAME TO callbacks_past_by_time;
CREATE SEQUENCE callbacks_number;
SELECT setval('callbacks_number', coalesce(newest, 1), newest IS NOT NULL)
  FROM pg_sequence_last_value(pg_get_serial_sequence('callbacks_past', 'callback_id')::regclass) AS newest;
ALTER TABLE callbacks_past ALTER COLUMN callback_id DROP IDENTITY;
CREATE TABLE callbacks (
    callback_id  bigint      NOT NULL DEFAULT nextval('callbacks_number'),
    job_id       bigint,
    task_id      text        NOT NULL,
    digest       bytea       NOT NULL,
    body         bytea       NOT NULL,
    received_at  timestamptz NOT NULL DEFAULT photomat_now(),
    CONSTRAINT callbacks_pkey UNIQUE (callback_id, job_id),
    CONSTRAINT callbacks_once UNIQUE NULLS NOT DISTINCT (digest, job_id)
) PARTITION BY RANGE (job_id);
ALTER SEQUENCE callbacks_number OWNED BY callbacks.callback_id;
CREATE INDEX callbacks_of_job ON callbacks (job_id);
CREATE INDEX callbacks_by_time ON callbacks (received_at);
CREATE TABLE callbacks_default PARTITION OF callbacks DEFAULT;
CREATE TRIGGER callbacks_not_by_ctid BEFORE DELETE ON callbacks
    FOR EACH ROW EXECUTE FUNCTION keep_from_deletes_by_ctid();

DO $$
DECLARE
    ends bigint := substring(pg_get_constraintdef(oid) FROM '< ''?(\d+)') FROM pg_constraint
                    WHERE conrelid = 'job_events_past'::regclass AND conname = 'job_events_past_range';
    width constant bigint := 100000;
BEGIN
    EXECUTE format('ALTER TABLE job_events ATTACH PARTITION job_events_past FOR VALUES FROM (MINVALUE) TO (%s)', ends);
    EXECUTE format('ALTER TABLE callbacks ATTACH PARTITION callbacks_past FOR VALUES FROM (MINVALUE) TO (%s)', ends);
    FOR start IN ends .. ends + width BY width LOOP
        EXECUTE format('CREATE TABLE job_events_from_%s PARTITION OF job_events FOR VALUES FROM (%s) TO (%s)',
                       start, start, start + width);
        EXECUTE format('CREATE TRIGGER job_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON job_events_from_%s'
                       ' EXECUTE FUNCTION refuse_to_change_events()', start);
        EXECUTE format('CREATE TABLE callbacks_from_%s PARTITION OF callbacks FOR VALUES FROM (%s) TO (%s)',
                       start, start, start + width);
    END LOOP;
END $$;
ALTER TABLE job_events_past DROP CONSTRAINT job_events_past_range;
ALTER TABLE callbacks_past DROP CONSTRAINT callbacks_past_range;
