-- The audit by day reads transactions, holds, payments and refunds since the last full check.
LOCK TABLE holds, hold_closings, ledger_transactions, payment_refunds, receipts IN SHARE MODE;
CREATE INDEX ledger_transactions_by_time ON ledger_transactions (booked_at);
CREATE INDEX holds_by_time ON holds (held_at);
CREATE INDEX hold_closings_by_time ON hold_closings (closed_at);
CREATE INDEX payment_refunds_by_time ON payment_refunds (created_at);
CREATE INDEX payment_refunds_by_end ON payment_refunds (closed_at) WHERE closed_at IS NOT NULL;
CREATE INDEX receipts_by_decision ON receipts (decided_at) WHERE decided_at IS NOT NULL;
