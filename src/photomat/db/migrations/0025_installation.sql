-- Whose database this is: one row, the bot's id and the currency of its money. The sandbox is the bot 424242 of its own simulator.
-- `photomat run` writes the row at its first start, from the rows of this database where there are any; `photomat installation adopt`
-- is the only other writer. A migration never does: whoever migrates a database does not own it. Every claim tests the row, so a
-- program of another bot claims nothing here.
CREATE TABLE installation (
    only_row    boolean     NOT NULL DEFAULT true CONSTRAINT installation_pkey PRIMARY KEY
                CONSTRAINT installation_is_one_row CHECK (only_row),
    bot_id      bigint      NOT NULL,
    identity    text        NOT NULL GENERATED ALWAYS AS (CASE bot_id WHEN 424242 THEN 'sandbox' ELSE bot_id::text END) STORED,
    currency    text        NOT NULL,
    stamped_at  timestamptz NOT NULL DEFAULT photomat_now()
);

-- The given bot's id where this database is that bot's, else NULL. Claims ask `bot_id = (SELECT photomat_our_bot(…))`, or
-- `(SELECT photomat_our_bot(…)) IS NOT NULL` on a table that names no bot; as a subquery it is asked once, not for each row.
CREATE FUNCTION photomat_our_bot(bot bigint) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE
    AS 'SELECT bot_id FROM installation WHERE bot_id = bot';
