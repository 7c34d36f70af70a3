-- What recurring statements need so that they cost what is new or due, however long the history is.
--
-- Building an index locks out writers of its table: about a second for each million rows.

-- The audit by day: transactions, holds, payments and refunds since the last full check.
CREATE INDEX ledger_transactions_by_time ON ledger_transactions (booked_at);
CREATE INDEX holds_by_time ON holds (held_at);
CREATE INDEX hold_closings_by_time ON hold_closings (closed_at);
CREATE INDEX payment_refunds_by_time ON payment_refunds (created_at);
CREATE INDEX payment_refunds_by_end ON payment_refunds (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX receipts_by_decision ON receipts (decided_at) WHERE decided_at IS NOT NULL;

-- Results nobody has seen yet: the sweep, the refund of undelivered results, `jobs list --undelivered`.
CREATE INDEX generation_jobs_unseen ON generation_jobs (settled_at) WHERE status = 'done' AND delivered_at IS NULL;

-- Deleting a draft asks whether a job refers to it.
CREATE INDEX generation_jobs_of_draft ON generation_jobs (draft_id) WHERE draft_id IS NOT NULL;

-- Retention: what is old enough to be deleted, oldest first.
CREATE INDEX inbox_handled ON inbox (handled_at) WHERE handled_at IS NOT NULL;
CREATE INDEX lanes_quiet ON lanes (due_at) WHERE pending = 0;
CREATE INDEX drafts_unbought ON drafts (expires_at) WHERE bought_at IS NULL;
CREATE INDEX callbacks_by_time ON callbacks (received_at);
CREATE INDEX orphan_callbacks_processed ON orphan_callbacks (processed_at) WHERE processed_at IS NOT NULL;
CREATE INDEX result_sends_by_time ON result_sends (asked_at);
CREATE INDEX job_outputs_copies ON job_outputs (kept_at)
    WHERE kept_as IS NOT NULL AND file_id IS NOT NULL AND media IN ('audio', 'document', 'video');
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
DROP TRIGGER job_events_append_only ON job_events;
CREATE TRIGGER job_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON job_events
    EXECUTE FUNCTION refuse_to_change_events();
