-- What wakes the operator: incidents, and who was told of them.
--
-- watches is the rota: the turn of each named condition is claimed by whichever instance comes first when it is due, so that
-- PASSIVE instances watch too. `holds_since` says since when the condition has held without a gap; an incident opens only when
-- that was long enough, and ends only when `quiet_since` was. One open incident a kind is a key here, not code.
-- A notice is one message to one operator: due while `due_at` is set; a claim moves that on by a lease and raises the
-- fence that every later write tests.
CREATE TABLE watches (
    kind         text        NOT NULL CONSTRAINT watches_pkey PRIMARY KEY,
    due_at       timestamptz NOT NULL,
    watched_at   timestamptz,
    holds_since  timestamptz
) WITH (fillfactor = 50);

CREATE TABLE incidents (
    incident_id   bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT incidents_pkey PRIMARY KEY,
    kind          text        NOT NULL CONSTRAINT incidents_kind_named CHECK (kind <> ''),
    figures       jsonb       NOT NULL DEFAULT '{}',
    opened_at     timestamptz NOT NULL DEFAULT photomat_now(),
    last_seen_at  timestamptz NOT NULL DEFAULT photomat_now(),
    quiet_since   timestamptz,
    closed_at     timestamptz,
    CONSTRAINT incidents_close_after_quiet CHECK (closed_at IS NULL OR quiet_since IS NOT NULL)
);
CREATE UNIQUE INDEX incidents_one_open_per_kind ON incidents (kind) WHERE closed_at IS NULL;

CREATE TABLE incident_notices (
    incident_id  bigint      NOT NULL CONSTRAINT incident_notices_incident_fkey REFERENCES incidents ON DELETE CASCADE,
    admin_id     bigint      NOT NULL,
    about        text        NOT NULL CONSTRAINT incident_notices_about_known CHECK (about IN ('open', 'over')),
    due_at       timestamptz DEFAULT photomat_now(),
    fence        bigint      NOT NULL DEFAULT 0,
    attempts     integer     NOT NULL DEFAULT 0,
    sent_at      timestamptz,
    outcome      text        CONSTRAINT incident_notices_outcome_known
                 CHECK (outcome IN ('sent', 'unknown', 'unreachable', 'refused')),
    CONSTRAINT incident_notices_pkey PRIMARY KEY (incident_id, admin_id, about),
    CONSTRAINT incident_notices_due_or_ended CHECK ((due_at IS NULL) = (outcome IS NOT NULL)),
    CONSTRAINT incident_notices_sent_when_it_left CHECK ((sent_at IS NOT NULL) = coalesce(outcome IN ('sent', 'unknown'), false))
);
CREATE INDEX incident_notices_due ON incident_notices (due_at) WHERE due_at IS NOT NULL;

-- What the watches read, and nothing that grows with history.
CREATE INDEX inbox_parked ON inbox (parked_at) WHERE parked_at IS NOT NULL;
CREATE INDEX orphan_callbacks_waiting_since ON orphan_callbacks (received_at) WHERE processed_at IS NULL;
CREATE INDEX generation_jobs_stopped ON generation_jobs (stopped_at) WHERE stopped_at IS NOT NULL AND settled_at IS NULL;
CREATE INDEX generation_jobs_parked ON generation_jobs (parked_at) WHERE parked_at IS NOT NULL AND card_shown < card_wanted;
