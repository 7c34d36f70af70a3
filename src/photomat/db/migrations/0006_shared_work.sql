-- What all instances share: budgets for calls to Kie and Telegram, and who is alive.
--
-- A budget holds the instants of its last calls, as many as its window allows: a window that slides. `blocked_until` is a
-- vendor's own "not before" (429 with retry_after, or submitting paused because the key or the credits are no good).
CREATE TABLE budgets (
    name           text          NOT NULL CONSTRAINT budgets_pkey PRIMARY KEY,
    taken          timestamptz[] NOT NULL DEFAULT '{}',
    used_at        timestamptz   NOT NULL DEFAULT photomat_now(),
    blocked_until  timestamptz,
    reason         text
) WITH (fillfactor = 50);

CREATE TABLE instances (
    instance_id  text        NOT NULL CONSTRAINT instances_pkey PRIMARY KEY,
    version      text        NOT NULL,
    host         text        NOT NULL,
    pid          integer     NOT NULL,
    started_at   timestamptz NOT NULL DEFAULT photomat_now(),
    seen_at      timestamptz NOT NULL DEFAULT photomat_now(),
    active       boolean     NOT NULL DEFAULT false
);
