-- Retention of updates, callbacks and events: what is old enough to be deleted is found by an index, oldest first.
LOCK TABLE lanes, inbox, callbacks, orphan_callbacks IN SHARE MODE;
LOCK TABLE job_events IN SHARE ROW EXCLUSIVE MODE;
CREATE INDEX inbox_handled ON inbox (handled_at) WHERE handled_at IS NOT NULL;
CREATE INDEX lanes_quiet ON lanes (due_at) WHERE pending = 0;
CREATE INDEX callbacks_by_time ON callbacks (received_at);
CREATE INDEX orphan_callbacks_processed ON orphan_callbacks (processed_at) WHERE processed_at IS NOT NULL;
CREATE INDEX job_events_by_time ON job_events (at);

-- Events are still only ever added to, but for retention, which says so in its own transaction.
CREATE FUNCTION refuse_to_change_events() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'DELETE' OR current_setting('photomat.pruning', true) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION '% is only ever added to; correct it with a new move', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER job_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON job_events
    EXECUTE FUNCTION refuse_to_change_events();
