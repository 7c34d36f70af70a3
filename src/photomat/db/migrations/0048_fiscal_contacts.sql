-- Where a customer's fiscal receipts go: an e-mail address or a phone number, apart from everything else of theirs. A contact is never
-- edited: another one replaces it, and a request that was frozen with the old one is repeated with the old one. /forget deletes them all.
CREATE TABLE fiscal_contacts (
    contact_id   bigint      NOT NULL GENERATED ALWAYS AS IDENTITY CONSTRAINT fiscal_contacts_pkey PRIMARY KEY,
    user_id      bigint      NOT NULL,
    kind         text        NOT NULL CONSTRAINT fiscal_contacts_kind_known CHECK (kind IN ('email', 'phone')),
    contact      text        NOT NULL CONSTRAINT fiscal_contacts_not_empty CHECK (contact <> ''),
    created_at   timestamptz NOT NULL DEFAULT photomat_now(),
    replaced_at  timestamptz,
    CONSTRAINT fiscal_contacts_once UNIQUE (user_id, contact)
);
CREATE UNIQUE INDEX fiscal_contacts_current ON fiscal_contacts (user_id) WHERE replaced_at IS NULL;

-- The newest payment a provider refused because of its fiscal receipt, until it takes one again: an alert tells which setting is wrong.
CREATE TABLE fiscal_refusals (
    provider    text        NOT NULL CONSTRAINT fiscal_refusals_pkey PRIMARY KEY,
    setting     text        NOT NULL,
    reason      text        NOT NULL,
    times       integer     NOT NULL DEFAULT 1,
    refused_at  timestamptz NOT NULL DEFAULT photomat_now()
);

-- What a provider is asked, frozen before the request: repeated under the same key it must be the same to the last byte, whatever was
-- changed in between. A contact is named by its number, so that the address itself stands in one place.
ALTER TABLE topups ADD COLUMN invoice jsonb;
ALTER TABLE payment_refunds ADD COLUMN fiscal jsonb, ADD COLUMN external_id text;
