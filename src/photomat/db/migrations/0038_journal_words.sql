-- The outcome of an operator's act as a text key with facts, so that a page says it in the reader's language. `outcome` stays the
-- English sentence: it is all that older rows have, and what a terminal prints.
ALTER TABLE operator_journal ADD COLUMN outcome_key text, ADD COLUMN outcome_facts jsonb;
