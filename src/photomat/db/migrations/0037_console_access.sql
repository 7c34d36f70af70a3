-- Who may use the console and /admin beside CONSOLE_PASSWORD and ADMIN_IDS, who are owners and have no row here.
CREATE TABLE operators (
    telegram_id bigint CONSTRAINT operators_pkey PRIMARY KEY,
    name text NOT NULL CONSTRAINT operators_named CHECK (name <> ''),
    role text NOT NULL CONSTRAINT operators_role_known CHECK (role IN ('viewer', 'operator')),
    added_by text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT photomat_now(),
    removed_at timestamptz
);

-- A link that signs in once, within minutes. Only the hash of its token is stored; `telegram_id` is NULL for one printed by a command.
CREATE TABLE console_links (
    token_hash bytea CONSTRAINT console_links_pkey PRIMARY KEY
        CONSTRAINT console_links_hash_is_sha256 CHECK (octet_length(token_hash) = 32),
    operator text NOT NULL,
    telegram_id bigint,
    expires_at timestamptz NOT NULL,
    used_at timestamptz
);
CREATE INDEX console_links_by_time ON console_links (expires_at);

-- A session in a browser. Only the hash of its cookie is stored; `proof` is a digest of CONSOLE_PASSWORD, so that a new password
-- ends the sessions of the old one. `flash` is shown on the next page.
CREATE TABLE console_sessions (
    session_hash bytea CONSTRAINT console_sessions_pkey PRIMARY KEY
        CONSTRAINT console_sessions_hash_is_sha256 CHECK (octet_length(session_hash) = 32),
    session_id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT console_sessions_id_once UNIQUE,
    method text NOT NULL CONSTRAINT console_sessions_method_known CHECK (method IN ('password', 'terminal', 'telegram')),
    operator text NOT NULL,
    telegram_id bigint,
    proof bytea,
    device text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT photomat_now(),
    seen_at timestamptz NOT NULL DEFAULT photomat_now(),
    flash jsonb,
    CONSTRAINT console_sessions_telegram_has_id CHECK ((method = 'telegram') = (telegram_id IS NOT NULL)),
    CONSTRAINT console_sessions_password_has_proof CHECK ((method = 'password') = (proof IS NOT NULL))
);
CREATE INDEX console_sessions_by_time ON console_sessions (seen_at);

-- Tries of a password, counted per client for a minute.
CREATE TABLE console_tries (
    try_id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT console_tries_pkey PRIMARY KEY,
    client text NOT NULL,
    tried_at timestamptz NOT NULL DEFAULT photomat_now()
);
CREATE INDEX console_tries_by_time ON console_tries (tried_at);
