-- Backups that were made, and the moments at which this database was restored from one.
--
-- A row of `backups` says whether the file was proved: restored into a scratch database and audited there. The file itself is
-- elsewhere, on purpose. A row of `restores` stands from the restore until an operator resumes: meanwhile nothing is sold,
-- submitted or refunded (`controls` has the pauses), and payments are read again from their providers, back to `snapshot_at`.
--
-- `restored_at` of a job: it was not settled when the backup was made, and whatever happened to it afterwards is not known. It
-- is never submitted again by itself, and its completion message may have been sent before.
LOCK TABLE generation_jobs, controls IN ACCESS EXCLUSIVE MODE;
ALTER TABLE generation_jobs ADD COLUMN restored_at timestamptz;
ALTER TABLE controls DROP CONSTRAINT controls_name_known;
ALTER TABLE controls ADD CONSTRAINT controls_name_known
    CHECK (name IN ('bot', 'restore') OR name LIKE 'provider:_%' OR name LIKE 'model:_%');

CREATE TABLE backups (
    backup_id   bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT backups_pkey PRIMARY KEY,
    started_at  timestamptz NOT NULL DEFAULT photomat_now(),
    made_by     text        NOT NULL,
    ended_at    timestamptz,
    proved_at   timestamptz,
    file        text,
    size_bytes  bigint,
    sha256      text,
    error       text,
    CONSTRAINT backups_proved_when_ended CHECK (proved_at IS NULL OR ended_at IS NOT NULL),
    CONSTRAINT backups_failed_or_proved CHECK (error IS NULL OR proved_at IS NULL)
);
CREATE INDEX backups_by_age ON backups (started_at);

CREATE TABLE restores (
    restore_id       bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT restores_pkey PRIMARY KEY,
    restored_at      timestamptz NOT NULL DEFAULT photomat_now(),
    restored_by      text        NOT NULL,
    snapshot_at      timestamptz NOT NULL,
    file             text        NOT NULL,
    sha256           text        NOT NULL,
    changed          jsonb       NOT NULL,
    payments_read_at timestamptz,
    payments_before  bigint      NOT NULL,
    unread           jsonb       NOT NULL DEFAULT '[]',
    resumed_at       timestamptz,
    resumed_by       text,
    CONSTRAINT restores_resumed_by_somebody CHECK ((resumed_at IS NULL) = (resumed_by IS NULL))
);
CREATE UNIQUE INDEX restores_one_open ON restores ((true)) WHERE resumed_at IS NULL;
