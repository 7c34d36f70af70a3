-- An order may begin with plain words, without a form. `said` keeps them while the order is a draft, so that its card can offer
-- the same words for another kind of result. `card_message_id` is the message that shows the draft now, so that it can be changed
-- later: by an assistant's answer, or by the next words. `changed_at` tells whether the next words still belong to this card;
-- `inputs_before` are those before the last change of words, which can be taken back.
ALTER TABLE drafts
    ADD COLUMN said text,
    ADD COLUMN card_message_id bigint,
    ADD COLUMN inputs_before jsonb,
    ADD COLUMN changed_at timestamptz NOT NULL DEFAULT photomat_now();
