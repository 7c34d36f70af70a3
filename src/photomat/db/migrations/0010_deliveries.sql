-- Fair delivery, an end to trying, and results sent once more.
--
-- `delivery_failing_since` is when the card's present revision failed for the first time; after days of it the card is handed
-- to the operator. `card_slot_for` is the revision for which a slot took the card's place. `failures` counts how often handling an update failed, apart from `attempts`, which counts claims. A program
-- that knows nothing of them runs on.
--
-- New columns need a lock that stops readers as well. It is asked for first, before any weaker one that would have to grow, and
-- nothing in this file takes time. The order is that of the program: the update, then the job it makes.
LOCK TABLE inbox, generation_jobs IN ACCESS EXCLUSIVE MODE;
ALTER TABLE inbox ADD COLUMN failures integer NOT NULL DEFAULT 0;
ALTER TABLE generation_jobs ADD COLUMN delivery_failing_since timestamptz, ADD COLUMN card_slot_for integer;

-- «Не пришло? Прислать ещё раз»: one row for each file a customer asked for again, unique by the tap that asked. It is recorded
-- as having left before it leaves, so it leaves at most once; `outcome` stays empty where nobody knows. `attempts` counts the
-- tries that surely did not leave. A row without `position` asked for a result that had not been shown: its card was made due
-- instead, nothing is sent.
CREATE TABLE result_sends (
    send_id     bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT result_sends_pkey PRIMARY KEY,
    job_id      bigint      NOT NULL CONSTRAINT result_sends_job_fkey REFERENCES generation_jobs,
    position    integer     CONSTRAINT result_sends_position_known CHECK (position BETWEEN 0 AND 11),
    origin      text        NOT NULL,
    chat_id     bigint      NOT NULL,
    language    text        NOT NULL,
    asked_at    timestamptz NOT NULL DEFAULT photomat_now(),
    due_at      timestamptz,
    left_at     timestamptz,
    attempts    integer     NOT NULL DEFAULT 0,
    outcome     text,
    message_id  bigint,
    error       text,
    CONSTRAINT result_sends_once UNIQUE NULLS NOT DISTINCT (origin, job_id, position),
    CONSTRAINT result_sends_left_once CHECK (due_at IS NULL OR left_at IS NULL)
);
CREATE INDEX result_sends_due ON result_sends (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX result_sends_of_job ON result_sends (job_id, asked_at);
