-- Money: double entry in whole minor units.
--
-- Four tables are only ever added to: transactions with their entries, holds with their closings. "Once" is a key here, not
-- code: a transaction is unique by its reference, a charge by its job too, a closing by its hold. `digest` is the SHA-256 of
-- a move's parameters: the same reference with other parameters is an error, and the audit recomputes it from the rows.
-- wallets is the one table that changes: what the entries and the open holds of a user add up to, kept in the one row that
-- every move of that user locks first. The other accounts (income, gifts …) are summed when somebody asks: a row of theirs
-- would be a lock all users share. For the same reason `account` is a CHECK and not a foreign key.

CREATE TABLE wallets (
    user_id   bigint NOT NULL CONSTRAINT wallets_pkey PRIMARY KEY CONSTRAINT wallets_user_fkey REFERENCES users,
    currency  text   NOT NULL,
    posted    bigint NOT NULL DEFAULT 0,
    held      bigint NOT NULL DEFAULT 0 CONSTRAINT wallets_held_not_negative CHECK (held >= 0),
    -- What the user owes us, the negated sum of the entries on their debt account. No new holds while there is any.
    owed      bigint NOT NULL DEFAULT 0 CONSTRAINT wallets_owed_not_negative CHECK (owed >= 0),
    CONSTRAINT wallets_available_not_negative CHECK (posted - held >= 0),
    CONSTRAINT wallets_currency_of_user UNIQUE (user_id, currency)
) WITH (fillfactor = 50);

CREATE TABLE ledger_transactions (
    transaction_id  bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT ledger_transactions_pkey PRIMARY KEY,
    reference       text        NOT NULL CONSTRAINT ledger_transactions_reference_once UNIQUE,
    reason          text        NOT NULL CONSTRAINT ledger_transactions_reason_known
                    CHECK (reason IN ('welcome', 'topup', 'operator', 'refund', 'charge')),
    digest          bytea       NOT NULL CONSTRAINT ledger_transactions_digest_is_sha256 CHECK (length(digest) = 32),
    job_id          bigint,
    booked_at       timestamptz NOT NULL DEFAULT photomat_now(),
    CONSTRAINT ledger_transactions_charge_has_job CHECK ((reason = 'charge') = (job_id IS NOT NULL))
);
CREATE UNIQUE INDEX ledger_transactions_one_charge_per_job ON ledger_transactions (job_id) WHERE reason = 'charge';

-- A positive amount is money coming into the account, so a transaction adds up to zero: wallet +100, welcome -100.
CREATE TABLE entries (
    transaction_id  bigint   NOT NULL CONSTRAINT entries_transaction_fkey REFERENCES ledger_transactions,
    line            smallint NOT NULL CONSTRAINT entries_line_positive CHECK (line > 0),
    account         text     NOT NULL CONSTRAINT entries_account_known
                    CHECK (account IN ('wallet', 'debt', 'income', 'welcome', 'topup', 'operator', 'refund')),
    user_id         bigint,
    currency        text     NOT NULL,
    amount          bigint   NOT NULL CONSTRAINT entries_amount_not_zero CHECK (amount <> 0),
    CONSTRAINT entries_pkey PRIMARY KEY (transaction_id, line),
    CONSTRAINT entries_wallet_fkey FOREIGN KEY (user_id, currency) REFERENCES wallets (user_id, currency),
    CONSTRAINT entries_user_of_account CHECK ((account IN ('wallet', 'debt')) = (user_id IS NOT NULL))
);
CREATE INDEX entries_of_user ON entries (user_id, transaction_id) WHERE user_id IS NOT NULL;

-- job_id carries no foreign key: jobs come later in the schema, and the audit pairs every hold with its job.
CREATE TABLE holds (
    reference  text        NOT NULL CONSTRAINT holds_pkey PRIMARY KEY,
    user_id    bigint      NOT NULL,
    currency   text        NOT NULL,
    amount     bigint      NOT NULL CONSTRAINT holds_amount_positive CHECK (amount > 0),
    job_id     bigint      NOT NULL,
    digest     bytea       NOT NULL CONSTRAINT holds_digest_is_sha256 CHECK (length(digest) = 32),
    held_at    timestamptz NOT NULL DEFAULT photomat_now(),
    CONSTRAINT holds_wallet_fkey FOREIGN KEY (user_id, currency) REFERENCES wallets (user_id, currency)
);
CREATE INDEX holds_of_job ON holds (job_id);

-- A hold ends once and in one way. A charge is booked as the transaction with the reference of its hold, for its amount.
CREATE TABLE hold_closings (
    reference  text        NOT NULL CONSTRAINT hold_closings_pkey PRIMARY KEY
               CONSTRAINT hold_closings_hold_fkey REFERENCES holds,
    closed_as  text        NOT NULL CONSTRAINT hold_closings_way_known CHECK (closed_as IN ('charge', 'release')),
    closed_at  timestamptz NOT NULL DEFAULT photomat_now()
);

-- Every transaction has two lines or more and adds up to zero in each currency; looked at when the database commits. It hangs
-- on both tables: a transaction without entries is refused, and so is an entry added to a transaction of yesterday.
CREATE FUNCTION ledger_transaction_balances() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT count(*) < 2 FROM entries WHERE transaction_id = NEW.transaction_id)
    OR EXISTS (SELECT FROM entries WHERE transaction_id = NEW.transaction_id GROUP BY currency HAVING sum(amount) <> 0)
    THEN
        RAISE EXCEPTION 'ledger transaction % does not balance', NEW.transaction_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'ledger_transactions_balance';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER ledger_transactions_balance AFTER INSERT ON ledger_transactions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_transaction_balances();
CREATE CONSTRAINT TRIGGER entries_balance AFTER INSERT ON entries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_transaction_balances();

CREATE FUNCTION refuse_to_change_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is only ever added to; correct it with a new move', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_NAME;
END $$;

CREATE TRIGGER ledger_transactions_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transactions
    EXECUTE FUNCTION refuse_to_change_history();
CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON entries
    EXECUTE FUNCTION refuse_to_change_history();
CREATE TRIGGER holds_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON holds
    EXECUTE FUNCTION refuse_to_change_history();
CREATE TRIGGER hold_closings_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON hold_closings
    EXECUTE FUNCTION refuse_to_change_history();
