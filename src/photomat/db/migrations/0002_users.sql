-- Who talks to the bot. A row is made by the first update of a person and never deleted by the program.
-- blocked_at is set while the person has blocked the bot: nothing is sent to them until they return.
CREATE TABLE users (
    user_id     bigint      NOT NULL CONSTRAINT users_pkey PRIMARY KEY,
    first_name  text        NOT NULL DEFAULT '',
    username    text,
    language    text        NOT NULL DEFAULT 'ru' CONSTRAINT users_language_known CHECK (language IN ('ru', 'en')),
    created_at  timestamptz NOT NULL DEFAULT photomat_now(),
    blocked_at  timestamptz
);
