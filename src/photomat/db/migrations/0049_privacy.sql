-- Privacy: consents, exports of what is held about a user, and requests to be forgotten.
--
-- A forgotten user stays a number: the row of `users`, the books, uses of promo codes, invitations and bans remain, names and
-- everything that was written goes. `forgetting_at` is set while that is under way; `forgotten_at` when it is done, until the
-- user comes back. A job with `forgotten_at` has its numbers, its model, price, times and status, and nothing else.
--
-- New columns need a lock that stops readers as well; nothing in this file takes time.
LOCK TABLE users, generation_jobs IN ACCESS EXCLUSIVE MODE;
LOCK TABLE operator_journal IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE users
    ADD COLUMN forgetting_at timestamptz,
    ADD COLUMN forgotten_at  timestamptz;
ALTER TABLE generation_jobs ADD COLUMN forgotten_at timestamptz;

-- Who agreed to which version of the document, by which update; a withdrawal ends it and never removes it. No text, no name:
-- what was shown is known by its hash. Kept as proof, also of forgotten users.
CREATE TABLE consents (
    consent_id   bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT consents_pkey PRIMARY KEY,
    user_id      bigint      NOT NULL,
    version      text        NOT NULL CONSTRAINT consents_version_named CHECK (version <> ''),
    text_sha256  text        NOT NULL CONSTRAINT consents_text_sha256_whole CHECK (text_sha256 ~ '^[0-9a-f]{64}$'),
    language     text        NOT NULL,
    origin       text        NOT NULL,
    given_at     timestamptz NOT NULL DEFAULT photomat_now(),
    withdrawn_at timestamptz,
    withdrawn_by text,
    CONSTRAINT consents_withdrawn_by_something CHECK ((withdrawn_at IS NULL) = (withdrawn_by IS NULL))
);
CREATE INDEX consents_of_user ON consents (user_id);
CREATE UNIQUE INDEX consents_one_in_force ON consents (user_id, version) WHERE withdrawn_at IS NULL;

-- Exports asked for: built by whoever claims the row, recorded as left before the file is sent, sent at most once.
CREATE TABLE export_requests (
    request_id  bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT export_requests_pkey PRIMARY KEY,
    user_id     bigint      NOT NULL,
    chat_id     bigint      NOT NULL,
    language    text        NOT NULL,
    origin      text        NOT NULL CONSTRAINT export_requests_one_an_origin UNIQUE,
    asked_at    timestamptz NOT NULL DEFAULT photomat_now(),
    due_at      timestamptz DEFAULT photomat_now(),
    fence       bigint      NOT NULL DEFAULT 0,
    attempts    integer     NOT NULL DEFAULT 0,
    left_at     timestamptz,
    outcome     text        CONSTRAINT export_requests_outcome_known CHECK (outcome IN ('sent', 'unknown', 'refused', 'blocked')),
    message_id  bigint,
    size_bytes  bigint,
    error       text,
    CONSTRAINT export_requests_left_once CHECK (due_at IS NULL OR left_at IS NULL)
);
CREATE INDEX export_requests_due ON export_requests (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX export_requests_of_user ON export_requests (user_id, asked_at);
CREATE INDEX export_requests_by_time ON export_requests (asked_at) WHERE due_at IS NULL;

-- Requests to be forgotten, by number only, kept for good: after a restore they are repeated. `step` is the next erasure; a
-- request is taken up again once more after it was done, for what came in late.
CREATE TABLE forget_requests (
    request_id  bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT forget_requests_pkey PRIMARY KEY,
    user_id     bigint      NOT NULL,
    asked_by    text        NOT NULL CONSTRAINT forget_requests_asked_by_known CHECK (asked_by IN ('user', 'operator', 'restore')),
    asked_at    timestamptz NOT NULL DEFAULT photomat_now(),
    due_at      timestamptz DEFAULT photomat_now(),
    fence       bigint      NOT NULL DEFAULT 0,
    attempts    integer     NOT NULL DEFAULT 0,
    step        integer     NOT NULL DEFAULT 0,
    done_at     timestamptz,
    swept_at    timestamptz,
    CONSTRAINT forget_requests_swept_when_done CHECK (swept_at IS NULL OR done_at IS NOT NULL)
);
CREATE INDEX forget_requests_due ON forget_requests (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX forget_requests_by_time ON forget_requests (asked_at);
CREATE UNIQUE INDEX forget_requests_one_open ON forget_requests (user_id) WHERE done_at IS NULL;

-- The operators' journal is still only ever added to, except that the words of a forgotten user are taken out of it, by a
-- transaction that says so: who did what to whom, when, and whether it was done, never changes.
CREATE FUNCTION refuse_to_change_journal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'UPDATE' OR current_setting('photomat.forgetting', true) IS DISTINCT FROM 'on' THEN
        RAISE EXCEPTION '% is only ever added to; correct it with a new move', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE FUNCTION journal_loses_words_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.entry_id, NEW.at, NEW.operator, NEW.action, NEW.job_id, NEW.done, NEW.user_id, NEW.reference)
       IS DISTINCT FROM (OLD.entry_id, OLD.at, OLD.operator, OLD.action, OLD.job_id, OLD.done, OLD.user_id, OLD.reference)
    THEN
        RAISE EXCEPTION 'only the words of an entry of % may go', TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER operator_journal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON operator_journal
    EXECUTE FUNCTION refuse_to_change_journal();
CREATE TRIGGER operator_journal_words_only BEFORE UPDATE ON operator_journal FOR EACH ROW
    EXECUTE FUNCTION journal_loses_words_only();
