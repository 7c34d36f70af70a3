"""How the full audit is cut: the parts with their keys, and the scopes that limit an invariant to a range of keys.

A scope hides the tables behind the rows of the range and what belongs to them, as the scopes of the audit by day do
(`invariant.py`), so both sides of every comparison are read by one statement. What has two sides that may exist alone is
checked by both. Whatever grows with history is cut; the few invariants that are not read little, or the catalogue.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from photomat.audit.invariant import MOVES, Invariant
from photomat.audit.run import INVARIANTS

FIRST: Final = -(2**63)
LAST: Final = 2**63 - 1

TRANSACTIONS, USERS, JOBS, DAYS, WHOLE = "transactions", "users", "jobs", "days", "whole"
GIFTS, USES, CODES, FRIENDS, SHARES = "gifts", "promo uses", "promo codes", "friends", "shares"
PAYMENTS, TOPUPS, RECEIPTS, SUBSCRIPTIONS, STARS = "payments", "topups", "receipts", "subscriptions", "stars listed"
WIDTHS: Final = dict.fromkeys((USERS, GIFTS, USES, CODES, FRIENDS, SHARES, RECEIPTS, SUBSCRIPTIONS), 5_000) | {
    TRANSACTIONS: 50_000,
    JOBS: 20_000,
    PAYMENTS: 10_000,
    TOPUPS: 20_000,
    STARS: 20_000,
    DAYS: 1,
}
"""Rows in a slice; days for sealed days."""


def moment(argument: str) -> str:
    """The instant of a key that is a time: microseconds since 1970."""
    return f"""
        CASE {argument} WHEN {FIRST} THEN '-infinity' WHEN {LAST} THEN 'infinity'
             ELSE timestamptz 'epoch' + {argument} * interval '1 microsecond' END
    """


NEXT: Final = {
    TRANSACTIONS: """
        SELECT transaction_id FROM ledger_transactions WHERE transaction_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1
    """,
    USERS: "SELECT user_id FROM wallets WHERE user_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    JOBS: "SELECT job_id FROM generation_jobs WHERE job_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    PAYMENTS: "SELECT payment_id FROM payments WHERE payment_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    TOPUPS: "SELECT topup_id FROM topups WHERE topup_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    RECEIPTS: "SELECT receipt_id FROM receipts WHERE receipt_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    SUBSCRIPTIONS: """
        SELECT subscription_id FROM subscriptions WHERE subscription_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1
    """,
    STARS: f"""
        SELECT (extract(epoch FROM moved_at) * 1000000)::bigint FROM stars_listed WHERE moved_at > {moment("$1::bigint")}
         ORDER BY moved_at OFFSET $2 LIMIT 1
    """,  # noqa: S608  our own constants
    GIFTS: "SELECT gift_id FROM gifts WHERE gift_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    USES: "SELECT use_id FROM promo_uses WHERE use_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    CODES: f"""
        SELECT (extract(epoch FROM created_at) * 1000000)::bigint FROM promo_codes WHERE created_at > {moment("$1::bigint")}
         ORDER BY created_at OFFSET $2 LIMIT 1
    """,  # noqa: S608  our own constants
    FRIENDS: "SELECT friend_id FROM referrals WHERE friend_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    SHARES: "SELECT payment_id FROM referral_shares WHERE payment_id > $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1",
    DAYS: """
        SELECT day - date '2000-01-01' FROM sealed_days
         WHERE day - date '2000-01-01' >= $1::bigint ORDER BY 1 OFFSET $2 LIMIT 1
    """,
}
"""Where the slice that begins at `$1` ends, if there is another one after it."""
FIGURES_OF: Final = {
    TRANSACTIONS: """
        WITH moved AS (
            SELECT account, currency, user_id IS NULL AS is_shop, sum(amount)::bigint AS amount
              FROM entries WHERE transaction_id >= $1 AND transaction_id < $2 GROUP BY account, currency, user_id IS NULL)
        SELECT 'transactions' AS name, count(*) AS figure
          FROM ledger_transactions WHERE transaction_id >= $1 AND transaction_id < $2
        UNION ALL SELECT 'wallets: ' || currency, coalesce(sum(amount) FILTER (WHERE account = 'wallet'), 0)::bigint
                    FROM moved GROUP BY currency
        UNION ALL SELECT 'owed: ' || currency, coalesce(-sum(amount) FILTER (WHERE account = 'debt'), 0)::bigint
                    FROM moved GROUP BY currency
        UNION ALL SELECT account || ': ' || currency, amount FROM moved WHERE is_shop
    """,
    USERS: """
        SELECT 'users' AS name, count(*) AS figure FROM wallets WHERE user_id >= $1 AND user_id < $2
        UNION ALL SELECT 'held: ' || currency, sum(held)::bigint FROM wallets WHERE user_id >= $1 AND user_id < $2
                   GROUP BY currency
    """,
    JOBS: """
        SELECT 'open holds' AS name, count(*) AS figure FROM holds LEFT JOIN hold_closings USING (reference)
         WHERE job_id >= $1 AND job_id < $2 AND closed_as IS NULL
    """,
    PAYMENTS: """
        SELECT 'came in by payments, ' || currency AS name, sum(credit)::bigint AS figure
          FROM payments WHERE payment_id >= $1 AND payment_id < $2 GROUP BY currency
        UNION ALL SELECT 'went back to payers, ' || currency, sum(amount)::bigint
                    FROM payment_refunds JOIN payments USING (payment_id)
                   WHERE payment_id >= $1 AND payment_id < $2 AND state = 'done' GROUP BY currency
        UNION ALL SELECT 'wanted refunds', count(*) FROM payment_refunds
                   WHERE payment_id >= $1 AND payment_id < $2 AND state = 'wanted'
    """,
    f"{WHOLE}: no-difference-is-left-alone": """
        SELECT 'open differences' AS name, count(*) AS figure FROM differences WHERE resolved_at IS NULL
    """,
}
"""The totals of a proof, for the range of a slice. Those of the books come from whole transactions, so they add up to zero
whenever their slices were checked."""

BY_TRANSACTION: Final = """
    ledger_transactions AS NOT MATERIALIZED (
        SELECT * FROM ledger_transactions WHERE transaction_id >= $1 AND transaction_id < $2),
    entries AS NOT MATERIALIZED (SELECT * FROM entries WHERE transaction_id >= $1 AND transaction_id < $2)
"""
REFERENCES_BOOKED: Final = """
    referred AS MATERIALIZED (
        SELECT reference FROM ledger_transactions WHERE transaction_id >= $1 AND transaction_id < $2),
    ledger_transactions AS NOT MATERIALIZED (
        SELECT * FROM ledger_transactions WHERE reference IN (SELECT reference FROM referred)),
    holds AS NOT MATERIALIZED (SELECT * FROM holds WHERE reference IN (SELECT reference FROM referred)),
    hold_closings AS NOT MATERIALIZED (SELECT * FROM hold_closings WHERE reference IN (SELECT reference FROM referred))
"""
"""The transactions of the range with everything that has the same reference."""
REFERENCES_HELD: Final = """
    referred AS MATERIALIZED (SELECT reference FROM holds WHERE job_id >= $1 AND job_id < $2),
    ledger_transactions AS NOT MATERIALIZED (
        SELECT * FROM ledger_transactions WHERE reference IN (SELECT reference FROM referred)),
    holds AS NOT MATERIALIZED (SELECT * FROM holds WHERE reference IN (SELECT reference FROM referred)),
    hold_closings AS NOT MATERIALIZED (SELECT * FROM hold_closings WHERE reference IN (SELECT reference FROM referred))
"""
"""The holds of the range's jobs, the same way."""
GIVEN_BACK: Final = """
    named AS MATERIALIZED (
        SELECT DISTINCT coalesce(reverses, refunds) AS original FROM ledger_transactions
         WHERE transaction_id >= $1 AND transaction_id < $2 AND (reverses IS NOT NULL OR refunds IS NOT NULL)),
    family AS MATERIALIZED (
        SELECT transaction_id FROM ledger_transactions WHERE transaction_id >= $1 AND transaction_id < $2
        UNION SELECT original FROM named
        UNION SELECT transaction_id FROM named JOIN ledger_transactions ON refunds = original
        UNION SELECT transaction_id FROM named JOIN ledger_transactions ON reverses = original),
    ledger_transactions AS NOT MATERIALIZED (
        SELECT ledger_transactions.* FROM family JOIN ledger_transactions USING (transaction_id))
"""
BY_USER: Final = """
    wallets AS NOT MATERIALIZED (SELECT * FROM wallets WHERE user_id >= $1 AND user_id < $2),
    entries AS NOT MATERIALIZED (SELECT * FROM entries WHERE user_id >= $1 AND user_id < $2),
    holds AS NOT MATERIALIZED (SELECT * FROM holds WHERE user_id >= $1 AND user_id < $2),
    hold_closings AS NOT MATERIALIZED (SELECT * FROM hold_closings WHERE reference IN (SELECT reference FROM holds))
"""
BY_JOB: Final = """
    generation_jobs AS NOT MATERIALIZED (SELECT * FROM generation_jobs WHERE job_id >= $1 AND job_id < $2),
    holds AS NOT MATERIALIZED (SELECT * FROM holds WHERE job_id >= $1 AND job_id < $2),
    hold_closings AS NOT MATERIALIZED (SELECT * FROM hold_closings WHERE reference IN (SELECT reference FROM holds)),
    ledger_transactions AS NOT MATERIALIZED (SELECT * FROM ledger_transactions WHERE job_id >= $1 AND job_id < $2),
    job_outputs AS NOT MATERIALIZED (SELECT * FROM job_outputs WHERE job_id >= $1 AND job_id < $2),
    pass_uses AS NOT MATERIALIZED (SELECT * FROM pass_uses WHERE job_id >= $1 AND job_id < $2)
"""
SAME_CARD: Final = """
    generation_jobs AS NOT MATERIALIZED (
        SELECT * FROM generation_jobs
         WHERE (bot_id, chat_id, card_message_id) IN (
               SELECT bot_id, chat_id, card_message_id FROM generation_jobs WHERE job_id >= $1 AND job_id < $2))
"""
SAME_DRAFT: Final = """
    generation_jobs AS NOT MATERIALIZED (
        SELECT * FROM generation_jobs
         WHERE draft_id IN (SELECT draft_id FROM generation_jobs WHERE job_id >= $1 AND job_id < $2))
"""
CREDITED: Final = f"""{BY_TRANSACTION},
    payments AS NOT MATERIALIZED (
        SELECT * FROM payments WHERE reference IN (SELECT reference FROM ledger_transactions)),
    payment_refunds AS MATERIALIZED (
        SELECT * FROM payment_refunds
         WHERE key IN (SELECT left(reference, -length(':refused')) FROM ledger_transactions
                        WHERE reference LIKE '%:refused'))
"""  # noqa: S608  our own constants
"""The transactions of the range, with the payments and the refused refunds they name."""
TAKEN_BACK: Final = f"""{GIVEN_BACK},
    payments AS NOT MATERIALIZED (
        SELECT * FROM payments WHERE reference IN (SELECT reference FROM ledger_transactions)),
    back AS MATERIALIZED (
        SELECT refund_id FROM ledger_transactions JOIN payment_refunds USING (reference)
        UNION SELECT refund_id FROM ledger_transactions AS again JOIN payment_refunds
                  ON key = left(again.reference, -length(':refused')) AND again.reference LIKE '%:refused'),
    payment_refunds AS MATERIALIZED (SELECT payment_refunds.* FROM back JOIN payment_refunds USING (refund_id))
"""  # noqa: S608  our own constants
BY_PAYMENT: Final = """
    payments AS NOT MATERIALIZED (SELECT * FROM payments WHERE payment_id >= $1 AND payment_id < $2),
    payment_refunds AS NOT MATERIALIZED (SELECT * FROM payment_refunds WHERE payment_id >= $1 AND payment_id < $2),
    fiscal_receipts AS NOT MATERIALIZED (SELECT * FROM fiscal_receipts WHERE payment_id >= $1 AND payment_id < $2),
    fiscal_documents AS MATERIALIZED (
        SELECT * FROM fiscal_documents WHERE reference IN (SELECT reference FROM fiscal_receipts)
        UNION SELECT * FROM fiscal_documents
               WHERE (issuer, external_id) IN (SELECT issuer, external_id FROM fiscal_receipts))
"""
SAME_PAYMENT: Final = """
    payments AS NOT MATERIALIZED (
        SELECT * FROM payments
         WHERE (provider, external_id) IN (
               SELECT provider, external_id FROM payments WHERE payment_id >= $1 AND payment_id < $2))
"""
BY_TOPUP: Final = """
    topups AS NOT MATERIALIZED (SELECT * FROM topups WHERE topup_id >= $1 AND topup_id < $2),
    payments AS NOT MATERIALIZED (SELECT * FROM payments WHERE topup_id >= $1 AND topup_id < $2)
"""
BY_RECEIPT: Final = """
    receipts AS NOT MATERIALIZED (SELECT * FROM receipts WHERE receipt_id >= $1 AND receipt_id < $2),
    payments AS NOT MATERIALIZED (
        SELECT * FROM payments
         WHERE provider = 'transfer' AND external_id IN (SELECT 'receipt:' || receipt_id FROM receipts))
"""
TRANSFERS: Final = """
    payments AS MATERIALIZED (
        SELECT * FROM payments WHERE payment_id >= $1 AND payment_id < $2 AND provider = 'transfer'),
    receipts AS NOT MATERIALIZED (
        SELECT * FROM receipts
         WHERE receipt_id IN (SELECT substr(external_id, 9)::bigint FROM payments
                               WHERE external_id ~ '^receipt:[0-9]{1,18}$'))
"""
"""The payments of the range that were transfers, with their receipts: one without its receipt is found here."""
BY_SUBSCRIPTION: Final = """
    subscriptions AS NOT MATERIALIZED (SELECT * FROM subscriptions WHERE subscription_id >= $1 AND subscription_id < $2)
"""
BY_LISTED: Final = f"""
    stars_listed AS NOT MATERIALIZED (
        SELECT * FROM stars_listed WHERE moved_at >= {moment("$1")} AND moved_at < {moment("$2")})
"""  # noqa: S608  our own constants
BY_CODE: Final = f"""
    promo_codes AS NOT MATERIALIZED (
        SELECT * FROM promo_codes WHERE created_at >= {moment("$1")} AND created_at < {moment("$2")}),
    promo_uses AS NOT MATERIALIZED (SELECT * FROM promo_uses WHERE code IN (SELECT code FROM promo_codes))
"""  # noqa: S608  our own constants
"""Codes made in the range, each with all its uses: a limit can only be checked on all of them."""
BY_USE: Final = """
    promo_uses AS NOT MATERIALIZED (SELECT * FROM promo_uses WHERE use_id >= $1 AND use_id < $2),
    pass_uses AS NOT MATERIALIZED (SELECT * FROM pass_uses WHERE use_id >= $1 AND use_id < $2)
"""
NAMED: Final = """
    named AS MATERIALIZED (
        SELECT reference, reason FROM ledger_transactions WHERE transaction_id >= $1 AND transaction_id < $2
        UNION SELECT original.reference, original.reason
                FROM ledger_transactions AS booked
                JOIN ledger_transactions AS original ON original.transaction_id = coalesce(booked.reverses, booked.refunds)
               WHERE booked.transaction_id >= $1 AND booked.transaction_id < $2)
"""
"""The references of the range and of what it gives back; a reward's reference holds the key of its row."""


def rewards(*, table: str, key: str, references: str, in_reference: str | None = None, also: str | None = None) -> str:
    """The rows of a range with the money their references name; or, by `in_reference`, of a range of transactions."""
    keys = f"SELECT {key} FROM {table} WHERE {key} >= $1 AND {key} < $2"  # noqa: S608  our own constants
    if in_reference is not None:
        keys = f"SELECT {in_reference}"
    return f"""
        {f"{NAMED}, " if in_reference is not None else ""}
        keys AS MATERIALIZED (SELECT DISTINCT key FROM ({keys}) AS found (key)),
        {table} AS NOT MATERIALIZED (SELECT {table}.* FROM keys JOIN {table} ON {table}.{key} = keys.key),
        wanted AS MATERIALIZED ({references} {f"UNION {also}" if also is not None else ""}),
        {MOVES}
    """  # noqa: S608  our own constants


BY_DAY: Final = f"""
    ledger_transactions AS NOT MATERIALIZED (
        SELECT * FROM ledger_transactions
         WHERE booked_at >= CASE WHEN $1 = {FIRST} THEN '-infinity'
                                 ELSE (date '2000-01-01' + $1::int)::timestamp AT TIME ZONE 'UTC' END
           AND booked_at < CASE WHEN $2 = {LAST} THEN 'infinity'
                                ELSE (date '2000-01-01' + $2::int)::timestamp AT TIME ZONE 'UTC' END)
"""  # noqa: S608  our own constants


@dataclass(frozen=True, slots=True, kw_only=True)
class Slicing:
    """How an invariant is checked for a range of a part's keys; `only` is a condition on the offenders it finds."""

    part: str
    scope: str
    only: str = "true"


_ONE_TRANSACTION: Final = (Slicing(part=TRANSACTIONS, scope=BY_TRANSACTION),)
_FAMILY: Final = (Slicing(part=TRANSACTIONS, scope=GIVEN_BACK),)
_WALLET: Final = (Slicing(part=USERS, scope=BY_USER),)
_JOB: Final = (Slicing(part=JOBS, scope=BY_JOB),)
_PAYMENT: Final = (Slicing(part=PAYMENTS, scope=BY_PAYMENT),)
_TOPUP: Final = (Slicing(part=TOPUPS, scope=BY_TOPUP),)
_OF_USE: Final = (Slicing(part=USES, scope=BY_USE),)
_BOTH_SIDES: Final = (
    Slicing(part=TRANSACTIONS, scope=REFERENCES_BOOKED),
    Slicing(part=JOBS, scope=REFERENCES_HELD),
)
_GIFT: Final = {
    "table": "gifts",
    "key": "gift_id",
    "references": """
        SELECT way || key AS reference FROM keys, (VALUES ('gift-out:'), ('gift-in:'), ('gift-back:')) AS ways (way)""",
}
_USE: Final = {"table": "promo_uses", "key": "use_id", "references": "SELECT 'promo:' || key AS reference FROM keys"}
_REWARD: Final = {
    "table": "referrals",
    "key": "friend_id",
    "references": """
        SELECT 'referral:' || key || side AS reference FROM keys, (VALUES (':inviter'), (':friend')) AS sides (side)""",
}
_SHARE: Final = {
    "table": "referral_shares",
    "key": "payment_id",
    "references": "SELECT 'referral:payment:' || key AS reference FROM keys",
}


def _from_both(part: str, row: Mapping[str, str], *, in_reference: str, also: str) -> tuple[Slicing, ...]:
    """By the rows, and by the transactions: money without its row is found there."""
    return (
        Slicing(part=part, scope=rewards(**row)),
        Slicing(part=TRANSACTIONS, scope=rewards(**row, in_reference=in_reference, also=also)),
    )


_BY_GIFT: Final = _from_both(
    GIFTS,
    _GIFT,
    in_reference="split_part(reference, ':', 2)::bigint FROM named WHERE reference ~ '^gift-(out|in|back):[0-9]{1,18}$'",
    also="""
        SELECT reference FROM named WHERE reason = 'gift'
        UNION SELECT reference FROM entries JOIN ledger_transactions USING (transaction_id)
               WHERE transaction_id >= $1 AND transaction_id < $2 AND account = 'gift'
    """,
)
"""Gifts with every transaction of theirs, so the account of gifts holds of them what is open."""


SLICED: Final[Mapping[str, tuple[Slicing, ...]]] = {
    "transaction-balances": _ONE_TRANSACTION,
    "ledger-balances": _ONE_TRANSACTION,
    "transaction-is-what-was-asked": _ONE_TRANSACTION,
    "transaction-is-as-booked": _ONE_TRANSACTION,
    "gift-has-two-sides": _ONE_TRANSACTION,
    "charge-is-for-a-done-job": _ONE_TRANSACTION,
    "gives-back-no-more-than-taken": _FAMILY,
    "reversed-once": _FAMILY,
    "correction-mirrors": _FAMILY,
    "refund-names-its-charge": _FAMILY,
    "wallet-is-its-entries": _WALLET,
    "debt-is-its-entries": _WALLET,
    "held-is-open-holds": _WALLET,
    "no-negative-money": _WALLET,
    "reference-once": _BOTH_SIDES,
    "charge-is-its-hold": _BOTH_SIDES,
    "hold-is-what-was-asked": _JOB,
    "one-charge-per-job": _JOB,
    "delivered-is-done": _JOB,
    "done-job-has-a-result": _JOB,
    "hold-is-of-its-job": _JOB,
    "done-job-is-charged": _JOB,
    "unsold-job-is-released": _JOB,
    "live-job-holds-its-price": _JOB,
    "open-hold-has-a-live-job": _JOB,
    "paid-job-was-held": _JOB,
    "offer-follows-a-release": _JOB,
    "job-costs-what-its-card-showed": _JOB,
    "cost-is-what-kie-took": _JOB,
    "pass-pays-for-its-job": _JOB,
    "one-job-per-card": (Slicing(part=JOBS, scope=SAME_CARD),),
    "one-job-per-draft": (Slicing(part=JOBS, scope=SAME_DRAFT),),
    "gift-went-one-way": _BY_GIFT,
    "gifts-taken-were-given": _BY_GIFT,
    "open-gifts-are-in-the-gift-account": _BY_GIFT,
    "promo-credit-has-its-use": _from_both(
        USES,
        _USE,
        in_reference="substr(reference, 7)::bigint FROM named WHERE reference ~ '^promo:[0-9]{1,18}$'",
        also="SELECT reference FROM named WHERE reason IN ('promo', 'bonus')",
    ),
    "referral-reward-has-its-referral": _from_both(
        FRIENDS,
        _REWARD,
        in_reference="split_part(reference, ':', 2)::bigint FROM named"
        " WHERE reference ~ '^referral:[0-9]{1,18}:(inviter|friend)$'",
        also="SELECT reference FROM named WHERE reason = 'referral'",
    ),
    "referral-share-is-of-its-payment": _from_both(
        SHARES,
        _SHARE,
        in_reference="substr(reference, 18)::bigint FROM named WHERE reference ~ '^referral:payment:[0-9]{1,18}$'",
        also="SELECT reference FROM named WHERE reason = 'referral'",
    ),
    "referral-follows-a-paid-job": (
        Slicing(
            part=FRIENDS,
            scope="referrals AS NOT MATERIALIZED (SELECT * FROM referrals WHERE friend_id >= $1 AND friend_id < $2)",
        ),
    ),
    "credit-has-its-payment": (Slicing(part=TRANSACTIONS, scope=CREDITED),),
    "take-back-has-its-refund": (Slicing(part=TRANSACTIONS, scope=TAKEN_BACK),),
    "payment-once": (Slicing(part=PAYMENTS, scope=SAME_PAYMENT),),
    "payment-is-credited": _PAYMENT,
    "refund-is-taken-back": _PAYMENT,
    "refused-refund-is-put-back": _PAYMENT,
    "refunds-within-their-payment": _PAYMENT,
    "no-refund-is-forgotten": _PAYMENT,
    "payment-has-its-fiscal-row": _PAYMENT,
    "fiscal-receipt-is-of-its-payment": _PAYMENT,
    "one-live-fiscal-receipt": _PAYMENT,
    "one-fiscal-annulment": _PAYMENT,
    "refund-annuls-its-fiscal-receipt": _PAYMENT,
    "fiscal-receipt-has-its-document": _PAYMENT,
    "payment-is-worth-its-offer": _TOPUP,
    "paid-offer-has-its-payment": _TOPUP,
    "receipt-is-of-its-offer": (Slicing(part=RECEIPTS, scope=BY_RECEIPT),),
    "approved-receipt-is-paid": (
        Slicing(part=RECEIPTS, scope=BY_RECEIPT),
        Slicing(part=PAYMENTS, scope=TRANSFERS),
    ),
    "subscription-is-of-its-month": (Slicing(part=SUBSCRIPTIONS, scope=BY_SUBSCRIPTION),),
    "listed-stars-are-booked": (Slicing(part=STARS, scope=BY_LISTED),),
    "promo-code-within-its-limits": (Slicing(part=CODES, scope=BY_CODE),),
    "bonus-is-of-its-payment": _OF_USE,
    "passes-within-their-number": _OF_USE,
    "sealed-days-are-unchanged": (
        Slicing(
            part=DAYS,
            scope=BY_DAY,
            only="day - date '2000-01-01' >= $1 AND day - date '2000-01-01' < $2",
        ),
    ),
}
"""How the invariants about much are cut; the others are checked as a whole."""


def parts(invariants: Sequence[Invariant] = INVARIANTS) -> list[str]:
    """What there is to check, in order: the parts by which they are cut, then each invariant that is checked as a whole."""
    cut = {way.part for one in invariants for way in SLICED.get(one.name, ())}
    whole = [f"{WHOLE}: {one.name}" for one in invariants if one.name not in SLICED]
    return [*(part for part in NEXT if part in cut), *whole]
