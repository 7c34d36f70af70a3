-- Money moves in every direction: out of a wallet, back into it, between two of them, and into debt.
--
-- `digest` stays the fingerprint of what was asked. `seal` is the fingerprint of what was booked: the reference, the digest and every
-- line. So changing any amount of any line shows, where one sum may be split over a wallet and a debt. Rows of a program older
-- than this table of reasons have no seal, exactly two lines, and the digest of their wallet's line.
-- Nothing is edited: a transaction that takes back a whole other one names it in `reverses`, which is unique; one that gives
-- back a part of it (of a charge, of a payment) names it in `refunds`. All that names a transaction together gives each of its
-- users at most what it took, and no such transaction can be named itself: a trigger looks when the database commits.
-- `facts` is what a person's statement says beside the sum (a promo code, the way of a payment); nothing decides by it.
--
-- The strongest lock comes first, in the order in which the program takes these tables.
LOCK TABLE ledger_transactions, entries, operator_journal IN ACCESS EXCLUSIVE MODE;
ALTER TABLE ledger_transactions
    ADD COLUMN seal      bytea  CONSTRAINT ledger_transactions_seal_is_sha256 CHECK (length(seal) = 32),
    ADD COLUMN reverses  bigint CONSTRAINT ledger_transactions_reverses_fkey REFERENCES ledger_transactions
                                CONSTRAINT ledger_transactions_reversed_once UNIQUE,
    ADD COLUMN refunds   bigint CONSTRAINT ledger_transactions_refunds_fkey REFERENCES ledger_transactions,
    ADD COLUMN facts     jsonb  NOT NULL DEFAULT '{}',
    DROP CONSTRAINT ledger_transactions_reason_known,
    ADD CONSTRAINT ledger_transactions_reason_known CHECK (reason IN (
        'welcome', 'topup', 'operator', 'refund', 'charge',
        'undelivered', 'payment-refund', 'debt', 'correction', 'gift', 'promo', 'bonus', 'referral', 'subscription', 'expiry')),
    DROP CONSTRAINT ledger_transactions_charge_has_job,
    ADD CONSTRAINT ledger_transactions_charge_has_job CHECK (reason <> 'charge' OR job_id IS NOT NULL),
    ADD CONSTRAINT ledger_transactions_job_where_one_is CHECK (
        job_id IS NULL OR reason IN ('charge', 'refund', 'undelivered')),
    ADD CONSTRAINT ledger_transactions_correction_reverses CHECK ((reason = 'correction') = (reverses IS NOT NULL)),
    ADD CONSTRAINT ledger_transactions_refund_names_one CHECK (reverses IS NULL OR refunds IS NULL);
CREATE INDEX ledger_transactions_refunding ON ledger_transactions (refunds) WHERE refunds IS NOT NULL;
CREATE INDEX ledger_transactions_of_job ON ledger_transactions (job_id) WHERE job_id IS NOT NULL;

-- The accounts are named after where money comes from or goes to. `gift` keeps what was sent and not yet taken by its friend.
ALTER TABLE entries
    DROP CONSTRAINT entries_account_known,
    ADD CONSTRAINT entries_account_known CHECK (account IN (
        'wallet', 'debt', 'income', 'welcome', 'topup', 'operator', 'refund',
        'gift', 'promo', 'bonus', 'referral', 'subscription'));

CREATE FUNCTION ledger_gives_back_no_more_than_it_took() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    original CONSTANT bigint := coalesce(NEW.reverses, NEW.refunds);
BEGIN
    -- Whoever else gives back of the same transaction waits here, so both are counted.
    PERFORM FROM ledger_transactions WHERE transaction_id = original FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM ledger_transactions
                WHERE transaction_id = original AND (reverses IS NOT NULL OR refunds IS NOT NULL))
    OR EXISTS (
        SELECT FROM entries
         WHERE user_id IS NOT NULL
           AND transaction_id IN (SELECT original UNION ALL
                                  SELECT transaction_id FROM ledger_transactions
                                   WHERE reverses = original OR refunds = original)
         GROUP BY user_id, currency
        HAVING bool_or(transaction_id <> original)
           AND NOT coalesce(sum(amount) FILTER (WHERE transaction_id <> original)
                            BETWEEN least(0, -sum(amount) FILTER (WHERE transaction_id = original))
                                AND greatest(0, -sum(amount) FILTER (WHERE transaction_id = original)), false))
    THEN
        RAISE EXCEPTION 'ledger transaction % gives back more than % took', NEW.transaction_id, original
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_transactions_give_back';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER ledger_transactions_give_back AFTER INSERT ON ledger_transactions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.reverses IS NOT NULL OR NEW.refunds IS NOT NULL)
    EXECUTE FUNCTION ledger_gives_back_no_more_than_it_took();

-- Whose money an operator moved, and with which transaction.
ALTER TABLE operator_journal ADD COLUMN user_id bigint, ADD COLUMN reference text;
CREATE INDEX operator_journal_of_user ON operator_journal (user_id) WHERE user_id IS NOT NULL;
CREATE INDEX operator_journal_of_reference ON operator_journal (reference) WHERE reference IS NOT NULL;

-- Proofs: what the audit found and what the books added up to at that moment. The nightly one is unique by its day; those an
-- operator keeps by hand have none. Never changed; old ones are deleted after their time.
CREATE TABLE audit_runs (
    run_id      bigint           NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_runs_pkey PRIMARY KEY,
    at          timestamptz      NOT NULL DEFAULT photomat_now(),
    night       date             CONSTRAINT audit_runs_one_a_night UNIQUE,
    seconds     double precision NOT NULL,
    invariants  integer          NOT NULL,
    violations  jsonb            NOT NULL,
    figures     jsonb            NOT NULL
);
CREATE INDEX audit_runs_by_time ON audit_runs (at);
CREATE TRIGGER audit_runs_never_changed BEFORE UPDATE OR TRUNCATE ON audit_runs
    EXECUTE FUNCTION refuse_to_change_history();

-- One row a day that is over: the fingerprint of its transactions, chained to the day before. A forger of the past would have to
-- change every later row of this table too.
CREATE TABLE sealed_days (
    day           date        NOT NULL CONSTRAINT sealed_days_pkey PRIMARY KEY,
    transactions  bigint      NOT NULL,
    digest        bytea       NOT NULL CONSTRAINT sealed_days_digest_is_sha256 CHECK (length(digest) = 32),
    sealed_at     timestamptz NOT NULL DEFAULT photomat_now()
);
CREATE TRIGGER sealed_days_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON sealed_days
    EXECUTE FUNCTION refuse_to_change_history();

-- Where our books and somebody else's do not agree: never mended in silence, each has an owner until it is resolved.
CREATE TABLE differences (
    difference_id  bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT differences_pkey PRIMARY KEY,
    kind           text        NOT NULL CONSTRAINT differences_kind_named CHECK (kind <> ''),
    reference      text        NOT NULL,
    expected       text        NOT NULL,
    found          text        NOT NULL,
    opened_at      timestamptz NOT NULL DEFAULT photomat_now(),
    seen_at        timestamptz NOT NULL DEFAULT photomat_now(),
    owner          text        NOT NULL CONSTRAINT differences_owner_named CHECK (owner <> ''),
    resolved_at    timestamptz,
    resolution     text,
    CONSTRAINT differences_resolved_with_words CHECK ((resolved_at IS NULL) = (resolution IS NULL))
);
CREATE UNIQUE INDEX differences_one_open ON differences (kind, reference) WHERE resolved_at IS NULL;
