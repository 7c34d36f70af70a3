"""An invariant as a value, and the scopes that limit it to new rows.

A scope is a list of common table expressions, each named like the table it hides: the invariant's own SQL then reads only
the rows around what was written lately, found by index. Both sides of a comparison are hidden by the same keys, so a row at
the edge of the window never looks as if its counterpart were missing. `$1` is the instant, `$2` the ledger transaction,
since which everything is new.
"""

from dataclasses import dataclass
from typing import Final

BOUNDS: Final = "bounds AS (SELECT $1::timestamptz AS since, $2::bigint AS first_transaction)"
"""Uses both arguments, so that every scope may leave out what it does not need."""
AS_IT_IS: Final = ""
"""For invariants that read only small tables and the system catalogue."""
TRANSACTIONS: Final = """
    ledger_transactions AS NOT MATERIALIZED (SELECT * FROM ledger_transactions WHERE transaction_id >= $2),
    entries AS NOT MATERIALIZED (SELECT * FROM entries WHERE transaction_id >= $2),
    holds AS NOT MATERIALIZED (SELECT * FROM holds WHERE held_at >= $1),
    hold_closings AS NOT MATERIALIZED (SELECT * FROM hold_closings WHERE closed_at >= $1),
    payment_refunds AS NOT MATERIALIZED (SELECT * FROM payment_refunds WHERE closed_at >= $1 - interval '1 hour')
"""
"""New transactions with their lines, and new holds; for invariants about one of them at a time."""
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
TOUCHED_JOBS: Final = """
    touched AS MATERIALIZED (
        SELECT job_id FROM generation_jobs WHERE settled_at >= $1
        UNION SELECT job_id FROM generation_jobs WHERE settled_at IS NULL
        UNION SELECT job_id FROM holds WHERE held_at >= $1
        UNION SELECT job_id FROM hold_closings JOIN holds USING (reference) WHERE closed_at >= $1
        UNION SELECT job_id FROM ledger_transactions WHERE transaction_id >= $2 AND job_id IS NOT NULL)
"""
JOBS: Final = f"""{TOUCHED_JOBS},
    generation_jobs AS NOT MATERIALIZED (SELECT generation_jobs.* FROM touched JOIN generation_jobs USING (job_id)),
    holds AS NOT MATERIALIZED (SELECT holds.* FROM touched JOIN holds USING (job_id)),
    ledger_transactions AS NOT MATERIALIZED (SELECT ledger_transactions.* FROM touched JOIN ledger_transactions USING (job_id)),
    job_outputs AS NOT MATERIALIZED (SELECT job_outputs.* FROM touched JOIN job_outputs USING (job_id)),
    pass_uses AS NOT MATERIALIZED (SELECT pass_uses.* FROM touched JOIN pass_uses USING (job_id))
"""  # noqa: S608  our own constants
"""Jobs on their way, settled lately, or whose money moved lately, each with all that belongs to it."""
PAID: Final = """
    paid AS MATERIALIZED (
        SELECT payment_id FROM payments WHERE received_at >= $1
        UNION SELECT payment_id FROM payment_refunds WHERE created_at >= $1
        UNION SELECT payment_id FROM payment_refunds WHERE closed_at >= $1
        UNION SELECT payment_id FROM payment_refunds WHERE due_at IS NOT NULL
        UNION SELECT payment_id FROM topups JOIN payments USING (topup_id) WHERE state = 'paid' AND closed_at >= $1)
"""
PAYMENTS: Final = f"""{PAID},
    payments AS NOT MATERIALIZED (SELECT payments.* FROM paid JOIN payments USING (payment_id)),
    payment_refunds AS NOT MATERIALIZED (SELECT payment_refunds.* FROM paid JOIN payment_refunds USING (payment_id)),
    offered AS MATERIALIZED (
        SELECT topup_id FROM payments WHERE topup_id IS NOT NULL
        UNION SELECT topup_id FROM topups WHERE state = 'paid' AND closed_at >= $1),
    topups AS NOT MATERIALIZED (SELECT topups.* FROM offered JOIN topups USING (topup_id))
"""  # noqa: S608  our own constants
"""Payments received lately, or with a refund that is wanted or moved lately; their offers, and those paid lately."""
FISCAL: Final = f"""{PAID},
    documented AS MATERIALIZED (
        SELECT payment_id FROM paid
        UNION SELECT payment_id FROM fiscal_receipts WHERE closed_at >= $1
        UNION SELECT payment_id FROM fiscal_receipts WHERE due_at IS NOT NULL
        UNION SELECT payment_id FROM fiscal_documents JOIN fiscal_receipts USING (reference) WHERE first_seen_at >= $1),
    payments AS NOT MATERIALIZED (SELECT payments.* FROM documented JOIN payments USING (payment_id)),
    payment_refunds AS NOT MATERIALIZED (SELECT payment_refunds.* FROM documented JOIN payment_refunds USING (payment_id)),
    fiscal_receipts AS NOT MATERIALIZED (SELECT fiscal_receipts.* FROM documented JOIN fiscal_receipts USING (payment_id)),
    fiscal_documents AS NOT MATERIALIZED (
        SELECT fiscal_documents.* FROM fiscal_receipts JOIN fiscal_documents USING (reference))
"""  # noqa: S608  our own constants
"""Payments of `PAYMENTS`, and those whose receipts are on their way, ended lately, or were seen first lately."""
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
SUBSCRIPTIONS: Final = "subscriptions AS NOT MATERIALIZED (SELECT * FROM subscriptions WHERE changed_at >= $1)"
STARS_LISTED: Final = """
    stars_listed AS NOT MATERIALIZED (SELECT * FROM stars_listed WHERE moved_at >= $1 - interval '1 day')
"""
"""A day more, because Telegram's list has its own dates: what was paid while the program was down is read later."""
NAMED: Final = """
    named AS MATERIALIZED (
        SELECT reference, reason FROM ledger_transactions WHERE transaction_id >= $2
        UNION SELECT original.reference, original.reason
                FROM ledger_transactions AS booked
                JOIN ledger_transactions AS original ON original.transaction_id = coalesce(booked.reverses, booked.refunds)
               WHERE booked.transaction_id >= $2)
"""
"""The references of new transactions and of those they give back; a reward's reference holds the key of its row."""
MOVES: Final = """
    roots AS MATERIALIZED (SELECT transaction_id FROM wanted JOIN ledger_transactions USING (reference)),
    family AS MATERIALIZED (
        SELECT transaction_id FROM roots
        UNION SELECT later.transaction_id
                FROM roots JOIN ledger_transactions AS later ON later.refunds = roots.transaction_id
        UNION SELECT later.transaction_id
                FROM roots JOIN ledger_transactions AS later ON later.reverses = roots.transaction_id),
    ledger_transactions AS MATERIALIZED (
        SELECT ledger_transactions.* FROM family JOIN ledger_transactions USING (transaction_id)),
    entries AS MATERIALIZED (SELECT entries.* FROM family JOIN entries USING (transaction_id))
"""
"""The transactions whose references are `wanted`, and what was given back of them: few, and joined with each other, so kept."""
PROMO_USES: Final = f"""{PAID}, {NAMED},
    uses AS MATERIALIZED (
        SELECT use_id FROM promo_uses WHERE used_at >= $1
        UNION SELECT use_id FROM paid JOIN promo_uses USING (payment_id)
        UNION SELECT substr(reference, 7)::bigint FROM named WHERE reference ~ '^promo:[0-9]{{1,18}}$'),
    promo_uses AS NOT MATERIALIZED (SELECT promo_uses.* FROM uses JOIN promo_uses USING (use_id))
"""  # noqa: S608  our own constants
"""Uses of codes that are new, or whose payment or credit is."""
PROMO_CREDITS: Final = f"""{PROMO_USES},
    wanted AS MATERIALIZED (
        SELECT 'promo:' || use_id AS reference FROM uses
        UNION SELECT reference FROM named WHERE reason IN ('promo', 'bonus')),
    {MOVES}
"""  # noqa: S608  our own constants
PROMO_CODES: Final = """
    codes AS MATERIALIZED (
        SELECT code FROM promo_uses WHERE used_at >= $1
        UNION SELECT code FROM promo_codes WHERE created_at >= $1),
    promo_codes AS NOT MATERIALIZED (SELECT promo_codes.* FROM codes JOIN promo_codes USING (code)),
    promo_uses AS NOT MATERIALIZED (SELECT promo_uses.* FROM codes JOIN promo_uses USING (code))
"""
"""Codes made or used lately, each with all its uses: a limit can only be checked on all of them."""
PASSES: Final = f"""{TOUCHED_JOBS},
    uses AS MATERIALIZED (SELECT DISTINCT use_id FROM touched JOIN pass_uses USING (job_id)),
    pass_uses AS NOT MATERIALIZED (SELECT pass_uses.* FROM uses JOIN pass_uses USING (use_id))
"""  # noqa: S608  our own constants
"""Uses of codes that paid for a job of `JOBS`, each with all the jobs it paid for."""
REFERRALS: Final = f"""{NAMED},
    friends AS MATERIALIZED (
        SELECT friend_id FROM referrals WHERE rewarded_at >= $1
        UNION SELECT friend_id FROM referrals WHERE due_at IS NOT NULL
        UNION SELECT user_id FROM entries WHERE transaction_id >= $2 AND user_id IS NOT NULL
        UNION SELECT split_part(reference, ':', 2)::bigint FROM named
               WHERE reference ~ '^referral:[0-9]{{1,18}}:(inviter|friend)$'),
    referrals AS NOT MATERIALIZED (SELECT referrals.* FROM friends JOIN referrals USING (friend_id))
"""  # noqa: S608  our own constants
"""Invitations that wait for their reward, or whose reward or friend's money moved lately."""
REFERRAL_REWARDS: Final = f"""{REFERRALS},
    wanted AS MATERIALIZED (
        SELECT 'referral:' || friend_id || ':inviter' AS reference FROM referrals
        UNION SELECT 'referral:' || friend_id || ':friend' FROM referrals
        UNION SELECT reference FROM named WHERE reason = 'referral'),
    {MOVES}
"""  # noqa: S608  our own constants
REFERRAL_SHARES: Final = f"""{PAID}, {NAMED},
    shared AS MATERIALIZED (
        SELECT payment_id FROM paid
        UNION SELECT payment_id FROM referral_shares WHERE due_at IS NOT NULL
        UNION SELECT substr(reference, 18)::bigint FROM named WHERE reference ~ '^referral:payment:[0-9]{{1,18}}$'),
    referral_shares AS NOT MATERIALIZED (SELECT referral_shares.* FROM shared JOIN referral_shares USING (payment_id)),
    wanted AS MATERIALIZED (
        SELECT 'referral:payment:' || payment_id AS reference FROM referral_shares
        UNION SELECT reference FROM named WHERE reason = 'referral'),
    {MOVES}
"""  # noqa: S608  our own constants
"""Shares that are due, or whose payment or credit moved lately."""
GIFTS: Final = f"""{NAMED},
    given AS MATERIALIZED (
        SELECT gift_id FROM gifts WHERE due_at IS NOT NULL
        UNION SELECT gift_id FROM gifts WHERE closed_at >= $1
        UNION SELECT split_part(reference, ':', 2)::bigint FROM named WHERE reference ~ '^gift-(out|in|back):[0-9]{{1,18}}$'),
    gifts AS NOT MATERIALIZED (SELECT gifts.* FROM given JOIN gifts USING (gift_id)),
    wanted AS MATERIALIZED (
        SELECT way || gift_id AS reference FROM given, (VALUES ('gift-out:'), ('gift-in:'), ('gift-back:')) AS ways (way)
        UNION SELECT reference FROM named WHERE reason = 'gift'
        UNION SELECT reference FROM entries JOIN ledger_transactions USING (transaction_id)
               WHERE transaction_id >= $2 AND account = 'gift'),
    {MOVES}
"""  # noqa: S608  our own constants
"""Gifts that are open, or whose money moved lately, with every transaction of theirs: what is left out adds up to nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariant:
    """`sql` returns a row for each offender, with what an operator needs to find it.

    `new` is its scope for checking new rows; None: it reads all history and is checked at night.
    """

    name: str
    sentence: str
    sql: str
    new: str | None = None
