-- Drafts, jobs and what Kie tells us about them.
--
-- A draft is what a user filled in, with the price that was shown. A tap on its card turns it into a job: unique per draft, so
-- a double tap finds the same job. The row of a job is the truth and the queue: submit and look are claimed by (due_at,
-- leased_until, fence), the card by (card_wanted, card_shown, deliver_at, delivering_at, delivery_fence). Every fence is raised
-- by the claim and tested by every later write. The partial indexes hold only what is due, so they do not grow with history.
CREATE TABLE drafts (
    draft_id    bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT drafts_pkey PRIMARY KEY,
    bot_id      bigint      NOT NULL,
    user_id     bigint      NOT NULL CONSTRAINT drafts_user_fkey REFERENCES users,
    chat_id     bigint      NOT NULL,
    origin      text        NOT NULL CONSTRAINT drafts_origin_once UNIQUE,
    model       text        NOT NULL,
    inputs      jsonb       NOT NULL,
    price       bigint      NOT NULL CONSTRAINT drafts_price_not_negative CHECK (price >= 0),
    currency    text        NOT NULL,
    revision    integer     NOT NULL DEFAULT 1 CONSTRAINT drafts_revision_positive CHECK (revision > 0),
    created_at  timestamptz NOT NULL DEFAULT photomat_now(),
    expires_at  timestamptz NOT NULL,
    canceled_at timestamptz,
    bought_at   timestamptz
);
CREATE INDEX drafts_of_user ON drafts (user_id, draft_id);

CREATE TABLE generation_jobs (
    job_id            bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT generation_jobs_pkey PRIMARY KEY,
    corr              text        NOT NULL CONSTRAINT generation_jobs_corr_is_8_hex CHECK (corr ~ '^[0-9a-f]{8}$'),
    idempotency_key   text        NOT NULL CONSTRAINT generation_jobs_idempotency_key_once UNIQUE,
    draft_id          bigint      CONSTRAINT generation_jobs_draft_fkey REFERENCES drafts,
    bot_id            bigint      NOT NULL,
    user_id           bigint      NOT NULL CONSTRAINT generation_jobs_user_fkey REFERENCES users,
    chat_id           bigint      NOT NULL,
    card_message_id   bigint      NOT NULL,
    model             text        NOT NULL,
    kind              text        NOT NULL,
    inputs            jsonb       NOT NULL,
    language          text        NOT NULL,
    price             bigint      NOT NULL CONSTRAINT generation_jobs_price_not_negative CHECK (price >= 0),
    currency          text        NOT NULL,
    status            text        NOT NULL DEFAULT 'pending' CONSTRAINT generation_jobs_status_known
                      CHECK (status IN ('pending', 'submitting', 'running', 'done', 'failed', 'canceled')),
    external_task_id  text        CONSTRAINT generation_jobs_task_once UNIQUE,
    result_urls       text[],
    result_object     jsonb,
    fail_code         text,
    fail_reason       text,
    gift              boolean     NOT NULL DEFAULT false,
    offered_at        timestamptz,
    created_at        timestamptz NOT NULL DEFAULT photomat_now(),
    intent_at         timestamptz,
    submitted_at      timestamptz,
    overdue_at        timestamptz,
    empty_since       timestamptz,
    progress          integer     NOT NULL DEFAULT 0,
    settled_at        timestamptz,
    stopped_at        timestamptz,
    -- submit and look
    due_at            timestamptz DEFAULT photomat_now(),
    leased_until      timestamptz,
    leased_by         text,
    fence             bigint      NOT NULL DEFAULT 0,
    attempts          integer     NOT NULL DEFAULT 0,
    troubles          integer     NOT NULL DEFAULT 0,
    woken_via         text,
    found_via         text,
    last_error        text,
    -- the card
    card_wanted       integer     NOT NULL DEFAULT 1,
    card_shown        integer     NOT NULL DEFAULT 0,
    card_tried        integer     NOT NULL DEFAULT 0,
    card_page         integer     NOT NULL DEFAULT 0,
    deliver_at        timestamptz NOT NULL DEFAULT photomat_now(),
    delivering_at     timestamptz,
    delivering_by     text,
    delivery_fence    bigint      NOT NULL DEFAULT 0,
    delivery_attempts integer     NOT NULL DEFAULT 0,
    card_doubtful     boolean     NOT NULL DEFAULT false,
    delivery_error    text,
    delivered_at      timestamptz,
    undeliverable_at  timestamptz,
    parked_at         timestamptz,
    -- the ring
    ring_kind         text,
    ring_due_at       timestamptz,
    rung_at           timestamptz,
    CONSTRAINT generation_jobs_card_shown_at_most_wanted CHECK (card_shown <= card_wanted),
    CONSTRAINT generation_jobs_intent_before_task
        CHECK (status NOT IN ('submitting', 'running') OR intent_at IS NOT NULL),
    CONSTRAINT generation_jobs_settled_when_terminal
        CHECK ((status IN ('done', 'failed', 'canceled')) = (settled_at IS NOT NULL)),
    CONSTRAINT generation_jobs_delivered_only_results
        CHECK (delivered_at IS NULL OR status = 'done'),
    CONSTRAINT generation_jobs_gift_only_done CHECK (NOT gift OR status = 'done')
) WITH (fillfactor = 70);

-- One card hosts one job for its whole life.
CREATE UNIQUE INDEX generation_jobs_card_once ON generation_jobs (bot_id, chat_id, card_message_id);
CREATE INDEX generation_jobs_due ON generation_jobs (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX idx_generation_jobs_undelivered ON generation_jobs (deliver_at)
    WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL;
CREATE INDEX generation_jobs_ring_due ON generation_jobs (ring_due_at) WHERE ring_due_at IS NOT NULL;
CREATE INDEX generation_jobs_of_user ON generation_jobs (user_id, job_id);
CREATE INDEX generation_jobs_live_of_user ON generation_jobs (user_id) WHERE settled_at IS NULL;

-- Every output of a job: where Kie keeps it, what its bytes are, where our copy lies, which file Telegram made of it.
CREATE TABLE job_outputs (
    job_id      bigint  NOT NULL CONSTRAINT job_outputs_job_fkey REFERENCES generation_jobs,
    position    integer NOT NULL CONSTRAINT job_outputs_position_known CHECK (position BETWEEN 0 AND 11),
    url         text    NOT NULL,
    media       text,
    mime        text,
    size_bytes  bigint,
    width       integer,
    height      integer,
    kept_as     text,
    kept_at     timestamptz,
    keep_at     timestamptz DEFAULT photomat_now() + interval '20 seconds',
    keep_tries  integer NOT NULL DEFAULT 0,
    file_id     text,
    CONSTRAINT job_outputs_pkey PRIMARY KEY (job_id, position)
);
CREATE INDEX job_outputs_to_keep ON job_outputs (keep_at) WHERE keep_at IS NOT NULL;

-- What Kie said, byte for byte but for the echoed callback address. Evidence, never the verdict.
CREATE TABLE callbacks (
    callback_id  bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT callbacks_pkey PRIMARY KEY,
    job_id       bigint,
    task_id      text        NOT NULL,
    digest       bytea       NOT NULL CONSTRAINT callbacks_once UNIQUE,
    body         bytea       NOT NULL,
    received_at  timestamptz NOT NULL DEFAULT photomat_now()
);
CREATE INDEX callbacks_of_job ON callbacks (job_id);

CREATE TABLE orphan_callbacks (
    orphan_id    bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT orphan_callbacks_pkey PRIMARY KEY,
    task_id      text        NOT NULL,
    payload      jsonb       NOT NULL,
    received_at  timestamptz NOT NULL DEFAULT photomat_now(),
    processed_at timestamptz,
    shouted_at   timestamptz,
    error        text
);
CREATE INDEX orphan_callbacks_waiting ON orphan_callbacks (task_id) WHERE processed_at IS NULL;
