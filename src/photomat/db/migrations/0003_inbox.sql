-- Telegram updates are stored before anyone acts on them: inbox is unique by bot and update_id, so a repeated webhook
-- changes nothing. A lane is the updates of one user; it is the unit of work: one lease, one fence, a counter of what
-- waits in it. The counter is changed only together with the inbox rows, under the lane's row lock, so that a release can
-- never miss an update that came a moment before (the "lost wake-up").
CREATE TABLE inbox (
    received_id  bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT inbox_pkey PRIMARY KEY,
    bot_id       bigint      NOT NULL,
    update_id    bigint      NOT NULL,
    lane         text        NOT NULL,
    body         jsonb       NOT NULL,
    received_at  timestamptz NOT NULL DEFAULT photomat_now(),
    attempts     integer     NOT NULL DEFAULT 0 CONSTRAINT inbox_attempts_not_negative CHECK (attempts >= 0),
    handled_at   timestamptz,
    parked_at    timestamptz,
    error        text,
    CONSTRAINT inbox_update_once UNIQUE (bot_id, update_id),
    CONSTRAINT inbox_handled_or_parked CHECK (handled_at IS NULL OR parked_at IS NULL)
);
CREATE INDEX inbox_waiting ON inbox (bot_id, lane, received_id) WHERE handled_at IS NULL AND parked_at IS NULL;

CREATE TABLE lanes (
    bot_id        bigint      NOT NULL,
    lane          text        NOT NULL,
    pending       integer     NOT NULL DEFAULT 0 CONSTRAINT lanes_pending_not_negative CHECK (pending >= 0),
    due_at        timestamptz NOT NULL DEFAULT photomat_now(),
    leased_until  timestamptz,
    leased_by     text,
    fence         bigint      NOT NULL DEFAULT 0,
    CONSTRAINT lanes_pkey PRIMARY KEY (bot_id, lane)
) WITH (fillfactor = 50);
CREATE INDEX lanes_due ON lanes (due_at) WHERE pending > 0;

-- Where a conversation stands: the state of the form and what was filled in so far. Written in the transaction that marks
-- the update as handled, and nowhere else.
CREATE TABLE conversations (
    bot_id      bigint      NOT NULL,
    chat_id     bigint      NOT NULL,
    user_id     bigint      NOT NULL,
    state       text,
    data        jsonb       NOT NULL DEFAULT '{}',
    updated_at  timestamptz NOT NULL DEFAULT photomat_now(),
    CONSTRAINT conversations_pkey PRIMARY KEY (bot_id, chat_id, user_id)
);
