-- Broadcasts: one message to many users, each at most once.
--
-- A draft becomes `ready` when an operator's own chat has shown it (a preview), and `sending` when they start it. Recipients are fixed
-- then, in batches over the ids of users: `filled_to` is how far, `filled_at` when the last batch was written; nothing is sent before.
-- `reach` is what the operator saw, `recipients` who there really were; users known to have blocked the bot are counted in
-- `known_blocked` and get no row. `counts` are the outcomes once nothing is on its way; they stay when retention removes the rows.
-- `due_at` is when a loop looks after the broadcast next. `media_upload` holds a file until Telegram has given it an id.
CREATE TABLE broadcasts (
    broadcast_id     bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT broadcasts_pkey PRIMARY KEY,
    text_ru          text        NOT NULL,
    text_en          text,
    media_kind       text        CONSTRAINT broadcasts_media_kind_known CHECK (media_kind IN ('photo', 'video', 'animation')),
    media_file_id    text,
    media_upload     bytea,
    button           jsonb,
    segment          jsonb       NOT NULL DEFAULT '{}',
    state            text        NOT NULL DEFAULT 'draft'
                     CONSTRAINT broadcasts_state_known CHECK (state IN ('draft', 'ready', 'sending', 'stopped', 'done')),
    created_by       text        NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT photomat_now(),
    reach            integer,
    recipients       integer     NOT NULL DEFAULT 0,
    known_blocked    integer     NOT NULL DEFAULT 0,
    filled_to        bigint      NOT NULL DEFAULT 0,
    filled_at        timestamptz,
    due_at           timestamptz,
    started_at       timestamptz,
    ended_at         timestamptz,
    counts           jsonb,
    preview_to       bigint,
    preview_due_at   timestamptz,
    preview_left_at  timestamptz,
    preview_attempts integer     NOT NULL DEFAULT 0,
    preview_outcome  text        CONSTRAINT broadcasts_preview_outcome_known
                     CHECK (preview_outcome IN ('sent', 'unknown', 'refused', 'unreachable')),
    preview_error    text,
    CONSTRAINT broadcasts_media_whole CHECK ((media_kind IS NULL) = (media_file_id IS NULL AND media_upload IS NULL)),
    CONSTRAINT broadcasts_started CHECK ((state IN ('draft', 'ready')) = (started_at IS NULL)),
    CONSTRAINT broadcasts_ended CHECK ((state IN ('stopped', 'done')) = (ended_at IS NOT NULL)),
    CONSTRAINT broadcasts_preview_left_once CHECK (preview_due_at IS NULL OR preview_left_at IS NULL)
);
CREATE INDEX broadcasts_sending ON broadcasts (broadcast_id) WHERE state = 'sending';
CREATE INDEX broadcasts_due ON broadcasts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX broadcasts_previews_due ON broadcasts (preview_due_at) WHERE preview_due_at IS NOT NULL;
CREATE INDEX broadcasts_ended_at ON broadcasts (ended_at) WHERE ended_at IS NOT NULL;

-- One recipient of a broadcast. It is recorded as having left before it leaves, by which instance too; one whose instance died is unknown.
CREATE TABLE broadcast_sends (
    broadcast_id  bigint      NOT NULL CONSTRAINT broadcast_sends_broadcast_fkey REFERENCES broadcasts,
    user_id       bigint      NOT NULL CONSTRAINT broadcast_sends_user_fkey REFERENCES users,
    due_at        timestamptz DEFAULT photomat_now(),
    left_at       timestamptz,
    left_by       text,
    attempts      integer     NOT NULL DEFAULT 0,
    outcome       text        CONSTRAINT broadcast_sends_outcome_known CHECK (outcome IN ('sent', 'unknown', 'blocked', 'refused')),
    error         text,
    message_id    bigint,
    tapped_at     timestamptz,
    CONSTRAINT broadcast_sends_pkey PRIMARY KEY (broadcast_id, user_id),
    CONSTRAINT broadcast_sends_one_state CHECK (num_nonnulls(due_at, left_at) <= 1 AND (due_at IS NULL OR outcome IS NULL))
);
CREATE INDEX broadcast_sends_due ON broadcast_sends (broadcast_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX broadcast_sends_in_flight ON broadcast_sends (broadcast_id) WHERE left_at IS NOT NULL AND outcome IS NULL;
CREATE INDEX broadcast_sends_troubles ON broadcast_sends (broadcast_id, outcome, user_id) WHERE outcome IN ('unknown', 'refused', 'blocked');
