-- Fiscal receipts: the tax documents of payments and refunds («чек»). Not to be confused with `receipts`, the customers' proofs of
-- bank transfers.
--
-- A payment in roubles needs one income document, and every refund an annulment of it. A partial refund annuls the receipt and issues
-- a new one for the rest: that is the next round, so a document is unique by payment, kind and round, and an annulment by its refund.
-- `reference` is ours; at the tax service it is part of the service's name, because there is no idempotency key: a request without an
-- answer is found again by it. `sending` is a committed intent, `unknown` a request without an answer: both are looked up before
-- anything is sent again. `sent_at` is when a request last left, `sends` how many did.
--
-- `fiscal_documents` is what the issuers were seen to hold: written when they answer, by every look-up and by the daily comparison. The
-- audit compares it with our rows; `missing_since` is when a complete list first lacked it. `fiscal_start` says since when payments need a row: older ones have none, and programs of an older
-- version write none, so a sweep adds what is missing. `fiscal_comparisons` is when an issuer's list was last compared.
LOCK TABLE payments, payment_refunds IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE fiscal_receipts (
    fiscal_id            bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT fiscal_receipts_pkey PRIMARY KEY,
    payment_id           bigint      NOT NULL CONSTRAINT fiscal_receipts_payment_fkey REFERENCES payments,
    refund_id            bigint      CONSTRAINT fiscal_receipts_refund_fkey REFERENCES payment_refunds
                                     CONSTRAINT fiscal_receipts_one_annulment_a_refund UNIQUE,
    kind                 text        NOT NULL CONSTRAINT fiscal_receipts_kind_known CHECK (kind IN ('income', 'annulment')),
    round                integer     NOT NULL DEFAULT 0 CONSTRAINT fiscal_receipts_round_counts CHECK (round >= 0),
    provider             text        NOT NULL,
    payment_external_id  text        NOT NULL,
    user_id              bigint      NOT NULL,
    amount               bigint      NOT NULL CONSTRAINT fiscal_receipts_amount_positive CHECK (amount > 0),
    currency             text        NOT NULL CONSTRAINT fiscal_receipts_in_roubles CHECK (currency = 'RUB'),
    operation_at         timestamptz NOT NULL,
    reference            text        NOT NULL CONSTRAINT fiscal_receipts_reference_once UNIQUE,
    issuer               text        CONSTRAINT fiscal_receipts_issuer_known CHECK (issuer IN ('yookassa', 'my_tax', 'hand')),
    state                text        NOT NULL DEFAULT 'wanted' CONSTRAINT fiscal_receipts_state_known
                                     CHECK (state IN ('wanted', 'sending', 'unknown', 'issued', 'annulled', 'unneeded', 'without',
                                                      'blocked')),
    external_id          text,
    url                  text,
    due_at               timestamptz DEFAULT photomat_now(),
    fence                bigint      NOT NULL DEFAULT 0,
    attempts             integer     NOT NULL DEFAULT 0,
    sent_at              timestamptz,
    sends                integer     NOT NULL DEFAULT 0,
    error                text,
    created_at           timestamptz NOT NULL DEFAULT photomat_now(),
    closed_at            timestamptz,
    CONSTRAINT fiscal_receipts_one_document UNIQUE (payment_id, kind, round),
    CONSTRAINT fiscal_receipts_external_once UNIQUE (issuer, kind, external_id),
    CONSTRAINT fiscal_receipts_annulment_of_refund CHECK ((kind = 'annulment') = (refund_id IS NOT NULL)),
    CONSTRAINT fiscal_receipts_due_while_open CHECK ((state IN ('wanted', 'sending', 'unknown')) = (due_at IS NOT NULL)),
    CONSTRAINT fiscal_receipts_closed_with_time
        CHECK ((state IN ('issued', 'annulled', 'unneeded')) = (closed_at IS NOT NULL)),
    CONSTRAINT fiscal_receipts_issued_by_somebody
        CHECK (state NOT IN ('sending', 'unknown', 'issued', 'annulled') OR issuer IS NOT NULL),
    CONSTRAINT fiscal_receipts_left_at_a_time CHECK (state NOT IN ('sending', 'unknown') OR sent_at IS NOT NULL),
    CONSTRAINT fiscal_receipts_income_is_annulled CHECK (state <> 'annulled' OR kind = 'income')
);
CREATE INDEX fiscal_receipts_due ON fiscal_receipts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX fiscal_receipts_by_time ON fiscal_receipts (created_at, fiscal_id);
CREATE INDEX fiscal_receipts_by_state ON fiscal_receipts (state, fiscal_id);
CREATE INDEX fiscal_receipts_of_user ON fiscal_receipts (user_id, fiscal_id);
CREATE INDEX fiscal_receipts_closed ON fiscal_receipts (closed_at) WHERE closed_at IS NOT NULL;
CREATE TABLE fiscal_documents (
    issuer         text        NOT NULL CONSTRAINT fiscal_documents_issuer_known CHECK (issuer IN ('yookassa', 'my_tax', 'hand')),
    external_id    text        NOT NULL,
    reference      text        NOT NULL,
    amount         bigint      NOT NULL,
    operation_at   timestamptz NOT NULL,
    annulled_at    timestamptz,
    missing_since  timestamptz,
    first_seen_at  timestamptz NOT NULL DEFAULT photomat_now(),
    seen_at        timestamptz NOT NULL DEFAULT photomat_now(),
    CONSTRAINT fiscal_documents_pkey PRIMARY KEY (issuer, external_id)
);
CREATE INDEX fiscal_documents_of_reference ON fiscal_documents (reference);
CREATE INDEX fiscal_documents_by_time ON fiscal_documents (first_seen_at);
CREATE TABLE fiscal_start (
    only_row       boolean     NOT NULL DEFAULT true CONSTRAINT fiscal_start_pkey PRIMARY KEY
                               CONSTRAINT fiscal_start_has_one_row CHECK (only_row),
    first_payment  bigint      NOT NULL
);
INSERT INTO fiscal_start (first_payment) SELECT coalesce(max(payment_id), 0) + 1 FROM payments;
CREATE TABLE fiscal_comparisons (
    issuer       text        NOT NULL CONSTRAINT fiscal_comparisons_pkey PRIMARY KEY,
    compared_to  timestamptz NOT NULL,
    ended_at     timestamptz NOT NULL
);
