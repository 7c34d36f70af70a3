-- The timeline of every job, for the operator who is asked "where is my picture": what happened, when, and by which instance.
--
-- The row of a job is the truth and says how things stand; these rows say how they came to stand so. They are written in the
-- transactions that change the job, one for each change, and only ever added to. Nothing decides by them. `instance` is the name
-- of the session that wrote, which is the instance's own. No foreign key: the job's row is locked by the same transaction
-- anyway, and evidence should not be able to fail a delivery.
CREATE TABLE job_events (
    event_id  bigint      NOT NULL GENERATED ALWAYS AS IDENTITY,
    job_id    bigint      NOT NULL,
    at        timestamptz NOT NULL DEFAULT photomat_now(),
    tag       text        NOT NULL,
    instance  text        NOT NULL DEFAULT current_setting('application_name'),
    detail    jsonb       NOT NULL DEFAULT '{}',
    CONSTRAINT job_events_pkey PRIMARY KEY (job_id, event_id)
);

CREATE TRIGGER job_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON job_events
    EXECUTE FUNCTION refuse_to_change_history();
