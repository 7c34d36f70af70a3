-- Money that comes in. An offer to pay (`topups`), what a provider makes of it (`provider_invoices`), what really arrived (`payments`), and
-- what went back of that (`payment_refunds`).
--
-- A payment is unique by the provider's own id of it: the same charge told a hundred times is one row and one credit, written in
-- one transaction. An offer says what is credited when all of it is paid; nothing is credited by an offer. An offer paid twice is
-- two payments, for each bears an id of its own.
--
-- `token` is how an offer is called outside, by a provider and by Telegram: one like no other. A number would be the next install's, or the
-- next database's, too, and its payment would be credited to a stranger here.
--
-- `draft_id` is the order that waited for the money; it is a memory, nothing depends on it. New references to a table stop its writers
-- for a moment: that lock comes first.
LOCK TABLE wallets IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE topups (
    topup_id        bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT topups_pkey PRIMARY KEY,
    token           uuid        NOT NULL DEFAULT gen_random_uuid() CONSTRAINT topups_token_once UNIQUE,
    origin          text        NOT NULL CONSTRAINT topups_one_an_origin UNIQUE,
    bot_id          bigint      NOT NULL,
    user_id         bigint      NOT NULL CONSTRAINT topups_user_fkey REFERENCES wallets,
    way             text        NOT NULL CONSTRAINT topups_way_known CHECK (way IN ('stars', 'subscription', 'yookassa', 'cryptopay', 'transfer')),
    asked_amount    bigint      NOT NULL CONSTRAINT topups_asks_something CHECK (asked_amount > 0),
    asked_currency  text        NOT NULL,
    credit          bigint      NOT NULL CONSTRAINT topups_credits_something CHECK (credit > 0),
    currency        text        NOT NULL,
    draft_id        bigint,
    state           text        NOT NULL DEFAULT 'open' CONSTRAINT topups_state_known CHECK (state IN ('open', 'paid', 'closed')),
    created_at      timestamptz NOT NULL DEFAULT photomat_now(),
    expires_at      timestamptz NOT NULL,
    closed_at       timestamptz,
    CONSTRAINT topups_closed_with_time CHECK ((state = 'open') = (closed_at IS NULL))
);
CREATE INDEX topups_of_user ON topups (user_id, created_at);

-- A bill at a provider. A notice makes it due; so does its age, until the provider calls it paid or canceled.
CREATE TABLE provider_invoices (
    provider      text        NOT NULL,
    external_id   text        NOT NULL,
    topup_id      bigint      CONSTRAINT provider_invoices_topup_fkey REFERENCES topups,
    pay_url       text,
    created_at    timestamptz NOT NULL DEFAULT photomat_now(),
    look_at       timestamptz DEFAULT photomat_now(),
    looks         integer     NOT NULL DEFAULT 0,
    state         text        NOT NULL DEFAULT 'open' CONSTRAINT provider_invoices_state_known CHECK (state IN ('open', 'paid', 'canceled', 'unknown')),
    error         text,
    CONSTRAINT provider_invoices_pkey PRIMARY KEY (provider, external_id)
);
CREATE INDEX provider_invoices_due ON provider_invoices (look_at) WHERE look_at IS NOT NULL;
CREATE INDEX provider_invoices_of_topup ON provider_invoices (topup_id);

CREATE TABLE payments (
    payment_id      bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT payments_pkey PRIMARY KEY,
    provider        text        NOT NULL CONSTRAINT payments_provider_known CHECK (provider IN ('stars', 'yookassa', 'cryptopay', 'transfer')),
    external_id     text        NOT NULL,
    user_id         bigint      NOT NULL CONSTRAINT payments_user_fkey REFERENCES wallets,
    topup_id        bigint      CONSTRAINT payments_topup_fkey REFERENCES topups,
    paid_amount     bigint      NOT NULL CONSTRAINT payments_paid_something CHECK (paid_amount > 0),
    paid_currency   text        NOT NULL,
    credit          bigint      NOT NULL CONSTRAINT payments_credit_something CHECK (credit > 0),
    currency        text        NOT NULL,
    reason          text        NOT NULL CONSTRAINT payments_reason_known CHECK (reason IN ('topup', 'subscription')),
    reference       text        NOT NULL CONSTRAINT payments_reference_once UNIQUE,
    via             text        NOT NULL,
    paid_at         timestamptz NOT NULL,
    received_at     timestamptz NOT NULL DEFAULT photomat_now(),
    CONSTRAINT payments_once UNIQUE (provider, external_id)
);
CREATE INDEX payments_of_user ON payments (user_id, received_at);
CREATE INDEX payments_by_time ON payments (received_at);
CREATE INDEX payments_of_topup ON payments (topup_id) WHERE topup_id IS NOT NULL;
CREATE TRIGGER payments_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON payments
    EXECUTE FUNCTION refuse_to_change_history();

-- Money that goes back to the payer. It leaves the wallet first, in the transaction that makes this row; then the provider is asked,
-- as often as it takes, and its clear no puts the money back. A refund that a provider tells us of has left already: it is `done` at once.
CREATE TABLE payment_refunds (
    refund_id    bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT payment_refunds_pkey PRIMARY KEY,
    payment_id   bigint      NOT NULL CONSTRAINT payment_refunds_payment_fkey REFERENCES payments,
    key          text        NOT NULL CONSTRAINT payment_refunds_key_once UNIQUE,
    amount       bigint      NOT NULL CONSTRAINT payment_refunds_some CHECK (amount > 0),
    paid_amount  bigint      NOT NULL CONSTRAINT payment_refunds_paid_some CHECK (paid_amount > 0),
    reference    text        NOT NULL CONSTRAINT payment_refunds_reference_once UNIQUE,
    asked_by     text        NOT NULL,
    state        text        NOT NULL CONSTRAINT payment_refunds_state_known CHECK (state IN ('wanted', 'done', 'refused')),
    created_at   timestamptz NOT NULL DEFAULT photomat_now(),
    due_at       timestamptz,
    attempts     integer     NOT NULL DEFAULT 0,
    error        text,
    closed_at    timestamptz,
    CONSTRAINT payment_refunds_due_while_wanted CHECK ((state = 'wanted') = (due_at IS NOT NULL)),
    CONSTRAINT payment_refunds_closed_with_time CHECK ((state = 'wanted') = (closed_at IS NULL))
);
CREATE INDEX payment_refunds_due ON payment_refunds (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payment_refunds_of_payment ON payment_refunds (payment_id);
