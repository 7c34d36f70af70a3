"""Scopes: what an invariant reads when it checks only what is new.

A scope is a list of common table expressions, each named like the table it hides: the invariant's own SQL then reads only
the rows around what was written lately, found by index. Both sides of a comparison are hidden by the same keys, so a row at
the edge of the window never looks as if its counterpart were missing. `$1` is the instant, `$2` the ledger transaction,
since which everything is new.

An invariant without a scope reads all history by its nature (a sum over all entries, days that were sealed) and is checked
at night.
"""

from typing import Final

BOUNDS: Final = "bounds AS (SELECT $1::timestamptz AS since, $2::bigint AS first_transaction)"
"""Uses both arguments, so that every scope may leave out what it does not need."""

AS_IT_IS: Final = ""
"""For rules that read small tables and the system catalogue only."""

TRANSACTIONS: Final = """
    ledger_transactions AS NOT MATERIALIZED (SELECT * FROM ledger_transactions WHERE transaction_id >= $2),
    entries AS NOT MATERIALIZED (SELECT * FROM entries WHERE transaction_id >= $2),
    holds AS NOT MATERIALIZED (SELECT * FROM holds WHERE held_at >= $1),
    hold_closings AS NOT MATERIALIZED (SELECT * FROM hold_closings WHERE closed_at >= $1),
    payment_refunds AS NOT MATERIALIZED (SELECT * FROM payment_refunds WHERE closed_at >= $1 - interval '1 hour')
"""
"""New transactions with their lines, and new holds; for rules about one of them at a time."""

GIVEN_BACK: Final = """
    named AS MATERIALIZED (
        SELECT DISTINCT coalesce(reverses, refunds) AS original FROM ledger_transactions
         WHERE transaction_id >= $2 AND (reverses IS NOT NULL OR refunds IS NOT NULL)),
    family AS MATERIALIZED (
        SELECT transaction_id FROM ledger_transactions WHERE transaction_id >= $2
        UNION SELECT original FROM named
        UNION SELECT transaction_id FROM named JOIN ledger_transactions ON refunds = original
        UNION SELECT transaction_id FROM named JOIN ledger_transactions ON reverses = original),
    ledger_transactions AS NOT MATERIALIZED (
        SELECT ledger_transactions.* FROM family JOIN ledger_transactions USING (transaction_id))
"""
"""New transactions, those they give back, and everything else that gives back of the same."""

WALLETS: Final = """
    moved AS MATERIALIZED (
        SELECT user_id FROM entries WHERE transaction_id >= $2 AND user_id IS NOT NULL
        UNION SELECT user_id FROM holds WHERE held_at >= $1
        UNION SELECT user_id FROM hold_closings JOIN holds USING (reference) WHERE closed_at >= $1),
    wallets AS NOT MATERIALIZED (SELECT wallets.* FROM moved JOIN wallets USING (user_id)),
    entries AS NOT MATERIALIZED (SELECT entries.* FROM moved JOIN entries USING (user_id)),
    holds AS NOT MATERIALIZED (SELECT holds.* FROM moved JOIN holds USING (user_id))
"""
"""The wallets that moved, each with all its entries and holds."""

JOBS: Final = """
    touched AS MATERIALIZED (
        SELECT job_id FROM generation_jobs WHERE settled_at >= $1
        UNION SELECT job_id FROM generation_jobs WHERE settled_at IS NULL
        UNION SELECT job_id FROM holds WHERE held_at >= $1
        UNION SELECT job_id FROM hold_closings JOIN holds USING (reference) WHERE closed_at >= $1
        UNION SELECT job_id FROM ledger_transactions WHERE transaction_id >= $2 AND job_id IS NOT NULL),
    generation_jobs AS NOT MATERIALIZED (SELECT generation_jobs.* FROM touched JOIN generation_jobs USING (job_id)),
    holds AS NOT MATERIALIZED (SELECT holds.* FROM touched JOIN holds USING (job_id)),
    ledger_transactions AS NOT MATERIALIZED (SELECT ledger_transactions.* FROM touched JOIN ledger_transactions USING (job_id)),
    job_outputs AS NOT MATERIALIZED (SELECT job_outputs.* FROM touched JOIN job_outputs USING (job_id)),
    pass_uses AS NOT MATERIALIZED (SELECT pass_uses.* FROM touched JOIN pass_uses USING (job_id))
"""
"""Jobs on their way, settled lately, or whose money moved lately, each with all that belongs to it."""

PAYMENTS: Final = """
    paid AS MATERIALIZED (
        SELECT payment_id FROM payments WHERE received_at >= $1
        UNION SELECT payment_id FROM payment_refunds WHERE created_at >= $1
        UNION SELECT payment_id FROM payment_refunds WHERE closed_at >= $1
        UNION SELECT payment_id FROM payment_refunds WHERE due_at IS NOT NULL),
    payments AS NOT MATERIALIZED (SELECT payments.* FROM paid JOIN payments USING (payment_id)),
    payment_refunds AS NOT MATERIALIZED (SELECT payment_refunds.* FROM paid JOIN payment_refunds USING (payment_id)),
    topups AS NOT MATERIALIZED (SELECT * FROM topups WHERE topup_id IN (SELECT topup_id FROM payments))
"""
"""Payments received lately, or with a refund that is wanted or moved lately."""

RECEIPTS: Final = """
    decided AS MATERIALIZED (
        SELECT receipt_id FROM receipts WHERE decided_at >= $1
        UNION SELECT receipt_id FROM receipts WHERE state = 'waiting'
        UNION SELECT substr(external_id, 9)::bigint FROM payments
               WHERE received_at >= $1 AND provider = 'transfer' AND external_id ~ '^receipt:[0-9]{1,18}$'),
    receipts AS NOT MATERIALIZED (SELECT receipts.* FROM decided JOIN receipts USING (receipt_id)),
    payments AS NOT MATERIALIZED (
        SELECT * FROM payments
         WHERE provider = 'transfer' AND external_id IN (SELECT 'receipt:' || receipt_id FROM decided))
"""
"""Receipts that wait or were decided lately, with their payments."""

LANES: Final = "lanes AS NOT MATERIALIZED (SELECT * FROM lanes WHERE pending > 0)"
"""Lanes that count something; one that counts nothing though something waits shows on the other side."""
