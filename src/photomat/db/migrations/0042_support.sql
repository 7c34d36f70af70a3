-- Support: what a customer asks, as a ticket with one thread that both sides write to; it may carry a job.
--
-- A user has at most one open ticket for a job, and one that is about no job: asking again continues it. `waiting_since` is when
-- the customer's oldest message without an answer came; the inbox is sorted by it and an alert reads it. `origin` is the update
-- or the form that wrote a message: handled again, it adds nothing. A message of the side `system` has the name of an event as its
-- text and its facts beside it, so that each side reads it in its own language. Closed tickets are deleted after a time, with their
-- messages.
--
-- Notices may show every kind of file that people send to support. Those about tickets are found by the message that shows them:
-- an operator or a customer who replies to it answers that ticket.
LOCK TABLE users, generation_jobs IN SHARE ROW EXCLUSIVE MODE;
LOCK TABLE notices IN ACCESS EXCLUSIVE MODE;
CREATE TABLE tickets (
    ticket_id      bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT tickets_pkey PRIMARY KEY,
    bot_id         bigint      NOT NULL,
    user_id        bigint      NOT NULL CONSTRAINT tickets_user_fkey REFERENCES users,
    job_id         bigint      CONSTRAINT tickets_job_fkey REFERENCES generation_jobs,
    topic          text        NOT NULL CONSTRAINT tickets_topic_known CHECK (topic IN ('wrong', 'missing', 'money', 'other')),
    state          text        NOT NULL DEFAULT 'open' CONSTRAINT tickets_state_known CHECK (state IN ('open', 'waiting', 'closed')),
    opened_at      timestamptz NOT NULL DEFAULT photomat_now(),
    waiting_since  timestamptz,
    customer_at    timestamptz,
    operator_at    timestamptz,
    assigned_to    text,
    closed_at      timestamptz,
    closed_by      text,
    CONSTRAINT tickets_waits_while_open CHECK (waiting_since IS NULL OR state = 'open'),
    CONSTRAINT tickets_closed_with_time CHECK ((state = 'closed') = (closed_at IS NOT NULL)),
    CONSTRAINT tickets_closed_by_somebody CHECK ((state = 'closed') = (closed_by IS NOT NULL))
);
CREATE UNIQUE INDEX tickets_one_open ON tickets (bot_id, user_id, coalesce(job_id, 0)) WHERE state <> 'closed';
CREATE INDEX tickets_inbox ON tickets (coalesce(waiting_since, 'infinity'::timestamptz), ticket_id) WHERE state <> 'closed';
CREATE INDEX tickets_of_user ON tickets (user_id, ticket_id);
CREATE INDEX tickets_of_job ON tickets (job_id, ticket_id) WHERE job_id IS NOT NULL;
CREATE INDEX tickets_waiting ON tickets (waiting_since) WHERE waiting_since IS NOT NULL;
CREATE INDEX tickets_closed ON tickets (closed_at) WHERE closed_at IS NOT NULL;
CREATE TABLE ticket_messages (
    message_id  bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT ticket_messages_pkey PRIMARY KEY,
    ticket_id   bigint      NOT NULL CONSTRAINT ticket_messages_ticket_fkey REFERENCES tickets ON DELETE CASCADE,
    side        text        NOT NULL CONSTRAINT ticket_messages_side_known CHECK (side IN ('customer', 'operator', 'system')),
    author      text        NOT NULL,
    text        text        NOT NULL DEFAULT '' CONSTRAINT ticket_messages_text_short CHECK (length(text) <= 4096),
    facts       jsonb       NOT NULL DEFAULT '{}',
    file_kind   text        CONSTRAINT ticket_messages_file_kind_known
                            CHECK (file_kind IN ('photo', 'video', 'animation', 'audio', 'voice', 'document')),
    file_id     text,
    origin      text        NOT NULL CONSTRAINT ticket_messages_once_an_origin UNIQUE,
    created_at  timestamptz NOT NULL DEFAULT photomat_now(),
    CONSTRAINT ticket_messages_file_whole CHECK ((file_kind IS NULL) = (file_id IS NULL)),
    CONSTRAINT ticket_messages_say_something CHECK (text <> '' OR file_id IS NOT NULL)
);
CREATE INDEX ticket_messages_of_ticket ON ticket_messages (ticket_id, message_id);
ALTER TABLE notices
    DROP CONSTRAINT notices_file_kind_known,
    ADD CONSTRAINT notices_file_kind_known
        CHECK (file_kind IN ('photo', 'video', 'animation', 'audio', 'voice', 'document')) NOT VALID;
