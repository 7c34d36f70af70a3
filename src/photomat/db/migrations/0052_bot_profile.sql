-- What Telegram shows of the bot (name, descriptions, commands, picture) is set only when it changed: a hash of each part that was
-- applied, and when a part that could not be set is tried again. Telegram lets a name be changed a few times a day.
CREATE TABLE bot_profile (
    part text NOT NULL,
    applied text,
    is_ours boolean NOT NULL DEFAULT false,
    tried text NOT NULL,
    tried_at timestamptz NOT NULL,
    next_try_at timestamptz,
    is_flood boolean NOT NULL DEFAULT false,
    error text,
    CONSTRAINT bot_profile_pkey PRIMARY KEY (part),
    CONSTRAINT bot_profile_error_has_next_try CHECK ((error IS NULL) = (next_try_at IS NULL))
);
