-- What operators have paused: the bot, a provider (`provider:kie`) or a model (`model:z-image`). A row is a pause; it ends when it is
-- deleted, or by itself at `until_at`. `reason` is for operators, `notice` an optional sentence that customers read. The functions
-- are asked by the claims of jobs, so that nothing paused is submitted by any instance.
CREATE TABLE controls (
    name text CONSTRAINT controls_pkey PRIMARY KEY
        CONSTRAINT controls_name_known CHECK (name = 'bot' OR name LIKE 'provider:_%' OR name LIKE 'model:_%'),
    paused_at timestamptz NOT NULL DEFAULT photomat_now(),
    paused_by text NOT NULL,
    reason text NOT NULL CONSTRAINT controls_reason_given CHECK (reason <> ''),
    notice text,
    until_at timestamptz CONSTRAINT controls_ends_after_its_start CHECK (until_at > paused_at)
);

CREATE FUNCTION photomat_paused(control text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN EXISTS (SELECT FROM controls WHERE name = control AND (until_at IS NULL OR until_at > photomat_now()));

CREATE FUNCTION photomat_paused_models() RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE
RETURN ARRAY(SELECT substr(name, 7) FROM controls
              WHERE name LIKE 'model:%' AND (until_at IS NULL OR until_at > photomat_now()));

-- An instance that is to claim nothing more reads so with its heartbeat; `drained_at` says that it holds nothing any more.
ALTER TABLE instances ADD COLUMN drain_wanted_at timestamptz, ADD COLUMN drained_at timestamptz;
