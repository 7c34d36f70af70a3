-- What wakes the operator: incidents, and who was told of them.
--
-- watches is the rota: the turn of each named condition is claimed by whichever instance comes first when it is due, so that
-- PASSIVE instances watch too. `holds_since` says since when the condition has held without a gap; an incident opens only when
-- that was long enough, and ends only when `quiet_since` was. One open incident a kind is a key here, not code.
-- A notice is one message to one operator: due while `due_at` is set; a claim moves that on by a lease and raises the
-- fence that every later write tests.
--
-- Each table that is in use is locked first, and once: an index would take the same lock in the middle of the file, between
-- others, where a running program waits in a circle with it. Readers go on; writers wait while the indexes are built.
LOCK TABLE inbox, generation_jobs, orphan_callbacks, holds IN SHARE MODE;

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

-- What has waited for an hour and was not said yet.
CREATE INDEX orphan_callbacks_unsaid ON orphan_callbacks (received_at) WHERE processed_at IS NULL AND shouted_at IS NULL;

-- Holds without a live job are looked for from the wallets that have money on hold, not among all holds there ever were.
CREATE INDEX holds_of_user ON holds (user_id);

-- Cards that are due, like idx_generation_jobs_undelivered: results, other ends and progress apart, so that the oldest of each
-- are found whatever the others are like, and those of one chat. Fair delivery (0010) reads them; they are built here, because
-- 0010 takes a lock that stops readers too and so does nothing that takes time.
CREATE INDEX generation_jobs_results_due ON generation_jobs (deliver_at)
    WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL AND status = 'done';
CREATE INDEX generation_jobs_ends_due ON generation_jobs (deliver_at)
    WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL AND status IN ('failed', 'canceled');
CREATE INDEX generation_jobs_progress_due ON generation_jobs (deliver_at)
    WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
      AND status IN ('pending', 'submitting', 'running');
CREATE INDEX generation_jobs_cards_of_chat ON generation_jobs (bot_id, chat_id)
    WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL;
CREATE INDEX generation_jobs_cards_in_hand ON generation_jobs (bot_id, chat_id) WHERE delivering_at IS NOT NULL;
