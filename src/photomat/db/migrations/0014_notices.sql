-- What the bot tells somebody by itself, outside a conversation: a payment arrived, a friend was rewarded, a receipt waits.
--
-- A row is written in the transaction of what it tells, unique by `key`, so a thing that happens once is told once. It is recorded
-- as having left before it leaves; `attempts` counts the tries that surely did not. `message_id` is kept so that buttons which have
-- had their day can be taken away. Keys are found by how they begin, which an index serves under the collation C alone.
-- One whose reader had blocked the bot waits until they are back.
CREATE TABLE notices (
    notice_id   bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT notices_pkey PRIMARY KEY,
    key         text        COLLATE "C" NOT NULL CONSTRAINT notices_key_once UNIQUE,
    chat_id     bigint      NOT NULL,
    text_key    text        NOT NULL,
    facts       jsonb       NOT NULL DEFAULT '{}',
    buttons     jsonb       NOT NULL DEFAULT '[]',
    file_kind   text        CONSTRAINT notices_file_kind_known CHECK (file_kind IN ('photo', 'document')),
    file_id     text,
    created_at  timestamptz NOT NULL DEFAULT photomat_now(),
    due_at      timestamptz DEFAULT photomat_now(),
    left_at     timestamptz,
    attempts    integer     NOT NULL DEFAULT 0,
    outcome     text        CONSTRAINT notices_outcome_known CHECK (outcome IN ('sent', 'unknown', 'refused', 'blocked')),
    message_id  bigint,
    error       text,
    CONSTRAINT notices_file_whole CHECK ((file_kind IS NULL) = (file_id IS NULL)),
    CONSTRAINT notices_left_once CHECK (due_at IS NULL OR left_at IS NULL)
);
CREATE INDEX notices_due ON notices (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX notices_kept ON notices (chat_id) WHERE outcome = 'blocked';
CREATE INDEX notices_by_time ON notices (created_at);
