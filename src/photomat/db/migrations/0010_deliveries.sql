-- Fair delivery, an end to trying, and results sent once more.
--
-- `delivery_failing_since` is when the card's present revision failed for the first time; after days of it the card is handed
-- to the operator. The indexes hold only cards that are due, like idx_generation_jobs_undelivered: results, other ends and
-- progress apart, so that the oldest of each are found whatever the others are like, and those of one chat. A program that
-- knows nothing of them runs on.
ALTER TABLE generation_jobs ADD COLUMN delivery_failing_since timestamptz;

CREATE INDEX generation_jobs_results_due ON generation_jobs (deliver_at)
    WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL AND status = 'done';
CREATE INDEX generation_jobs_ends_due ON generation_jobs (deliver_at)
    WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL AND status IN ('failed', 'canceled');
CREATE INDEX generation_jobs_progress_due ON generation_jobs (deliver_at)
    WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
      AND status IN ('pending', 'submitting', 'running');
CREATE INDEX generation_jobs_cards_of_chat ON generation_jobs (bot_id, chat_id)
    WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL;

-- «Не пришло? Прислать ещё раз»: one row for each file a customer asked for again, unique by the tap that asked. It is recorded
-- as having left before it leaves, so it leaves at most once; `outcome` stays empty where nobody knows. A row without
-- `position` asked for a result that had not been shown: its card was made due instead, nothing is sent.
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
    outcome     text,
    message_id  bigint,
    error       text,
    CONSTRAINT result_sends_once UNIQUE NULLS NOT DISTINCT (origin, job_id, position),
    CONSTRAINT result_sends_left_once CHECK (due_at IS NULL OR left_at IS NULL)
);
CREATE INDEX result_sends_due ON result_sends (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX result_sends_of_job ON result_sends (job_id, asked_at);
