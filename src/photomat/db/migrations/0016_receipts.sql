-- Money transferred by hand: what a user sent as a proof, and what an operator made of it.
--
-- A receipt credits nothing. Approved, it becomes one payment (`payments`, provider `transfer`, external id `receipt:<id>`) in the
-- transaction that decides it; decided once, by whoever locks the row first. `refs` are the numbers a bank knows the transfer by, as
-- far as the user's note has them: with the file's own ids they show the same receipt sent twice, by anybody. `sha256` is missing
-- where the file could not be read to its end in time.
--
-- `due_at` is when something is to be done about it by itself: operators reminded of a waiting one, the buttons taken away
-- from their messages of a decided one. New references to tables stop their writers for a moment: those locks come first.
LOCK TABLE wallets, topups IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE receipts (
    receipt_id      bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT receipts_pkey PRIMARY KEY,
    origin          text        NOT NULL CONSTRAINT receipts_one_an_origin UNIQUE,
    topup_id        bigint      NOT NULL CONSTRAINT receipts_topup_fkey REFERENCES topups,
    user_id         bigint      NOT NULL CONSTRAINT receipts_user_fkey REFERENCES wallets,
    bot_id          bigint      NOT NULL,
    amount          bigint      NOT NULL CONSTRAINT receipts_of_something CHECK (amount > 0),
    currency        text        NOT NULL,
    file_kind       text        NOT NULL CONSTRAINT receipts_file_kind_known CHECK (file_kind IN ('photo', 'document')),
    file_id         text        NOT NULL,
    file_unique_id  text        NOT NULL,
    sha256          text        CONSTRAINT receipts_sha256_whole CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    note            text        NOT NULL DEFAULT '',
    refs            text[]      NOT NULL DEFAULT '{}',
    same_file_as    bigint      CONSTRAINT receipts_same_file_fkey REFERENCES receipts,
    same_note_as    bigint      CONSTRAINT receipts_same_note_fkey REFERENCES receipts,
    state           text        NOT NULL DEFAULT 'waiting' CONSTRAINT receipts_state_known CHECK (state IN ('waiting', 'approved', 'declined')),
    created_at      timestamptz NOT NULL DEFAULT photomat_now(),
    decided_at      timestamptz,
    decided_by      text,
    reason          text,
    credited        bigint      CONSTRAINT receipts_credited_something CHECK (credited > 0),
    due_at          timestamptz,
    tries           integer     NOT NULL DEFAULT 0,
    CONSTRAINT receipts_decided_with_time CHECK ((state = 'waiting') = (decided_at IS NULL)),
    CONSTRAINT receipts_decided_by_somebody CHECK ((state = 'waiting') = (decided_by IS NULL)),
    CONSTRAINT receipts_declined_with_reason CHECK (state <> 'declined' OR reason <> ''),
    CONSTRAINT receipts_credited_when_approved CHECK ((state = 'approved') = (credited IS NOT NULL))
);
CREATE INDEX receipts_of_user ON receipts (user_id, receipt_id);
CREATE INDEX receipts_of_topup ON receipts (topup_id);
CREATE INDEX receipts_waiting ON receipts (created_at) WHERE state = 'waiting';
CREATE INDEX receipts_due ON receipts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX receipts_by_file ON receipts (file_unique_id);
CREATE INDEX receipts_by_content ON receipts (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX receipts_by_refs ON receipts USING gin (refs);
