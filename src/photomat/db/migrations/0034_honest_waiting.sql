-- What a waiting customer was told, so that a card is edited again only when there is something new to say. `shown_place` is the
-- place in Kie's queue the card shows (0: Kie takes no orders now), `slow_at` when the job exceeded its usual time.
ALTER TABLE generation_jobs
    ADD COLUMN shown_place integer,
    ADD COLUMN slow_at timestamptz;

-- The message that shows an invoice: its payment button is removed once it is paid.
ALTER TABLE topups
    ADD COLUMN message_chat_id bigint,
    ADD COLUMN message_id bigint;

-- A message that a notice makes obsolete (chat, message, and the text it gets in place of its buttons), as that invoice is.
ALTER TABLE notices
    ADD COLUMN ends jsonb;
