-- A budget is found by what of it is recent: its key leads to all its dead versions as long as some old transaction is open.
--
-- `since` is renewed every few seconds of use. The expression keeps statements from the index of the key. Without its settings the
-- function might read all entries of a budget to find the last one: the planner knows of one row, and of no dead versions.
LOCK TABLE budgets IN ACCESS EXCLUSIVE MODE;
ALTER TABLE budgets ADD COLUMN since timestamptz NOT NULL DEFAULT photomat_now();
CREATE INDEX budgets_recent ON budgets ((name || ''), since);

CREATE FUNCTION photomat_budget_since(budget text) RETURNS timestamptz LANGUAGE plpgsql STABLE
    SET enable_bitmapscan = off SET enable_seqscan = off
AS $$
BEGIN
    RETURN (SELECT since FROM budgets WHERE name || '' = budget ORDER BY since DESC LIMIT 1);
END $$;
