-- The totals of a proof are the sums of what the slices of its night read, each of its own range, so that no statement reads all
-- lines of the ledger. A new column with a constant: nothing is rewritten.
ALTER TABLE audit_slices ADD COLUMN figures jsonb NOT NULL DEFAULT '{}';
