-- Operators act on an incident from its alert: who took it over, and which chats asked for a check at once.
LOCK TABLE incidents, watches IN ACCESS EXCLUSIVE MODE;
ALTER TABLE incidents
    ADD COLUMN acknowledged_at timestamptz,
    ADD COLUMN acknowledged_by text,
    ADD CONSTRAINT incidents_acknowledged_by_somebody CHECK ((acknowledged_at IS NULL) = (acknowledged_by IS NULL));
ALTER TABLE watches ADD COLUMN asked_by bigint[] NOT NULL DEFAULT '{}';
