"""Payments = credits: what arrived was credited once and as offered, what went back left the wallet, and nothing else did."""

from typing import Final

from photomat.audit import new_rows
from photomat.audit.invariant import Invariant

PAYMENTS: Final = (
    Invariant(
        name="payment-is-credited",
        new=new_rows.PAYMENTS,
        sentence="Every payment has one credit: its reference, user, sum and reason, and the sum its provider told.",
        sql="""
            SELECT payment_id, payments.reference, payments.user_id, credit, payments.reason, net
              FROM payments
              LEFT JOIN ledger_transactions AS booked ON booked.reference = payments.reference
              LEFT JOIN LATERAL (SELECT min(user_id) AS user_id, min(currency) AS currency, sum(amount) AS net
                                   FROM entries WHERE transaction_id = booked.transaction_id AND user_id IS NOT NULL)
                     AS moved ON true
             WHERE (payments.user_id, payments.currency, credit, payments.reason)
                   IS DISTINCT FROM (moved.user_id, moved.currency, net, booked.reason)
                OR payments.reference <> 'payment:' || provider || ':' || external_id
                OR (paid_amount::text, paid_currency)
                   IS DISTINCT FROM (booked.facts ->> 'paid', booked.facts ->> 'paid_currency')
        """,
    ),
    Invariant(
        name="payment-once",
        new=new_rows.PAYMENTS,
        sentence="A provider's payment arrives once.",
        sql="""
            SELECT provider, external_id, count(*) AS payments
              FROM payments GROUP BY provider, external_id HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="credit-has-its-payment",
        new=new_rows.TRANSACTIONS,
        sentence="Every top-up and every allowance came with a payment, or put a refused refund back.",
        sql="""
            SELECT booked.reference, reason, net
              FROM ledger_transactions AS booked
              JOIN LATERAL (SELECT sum(amount) AS net FROM entries
                             WHERE transaction_id = booked.transaction_id AND user_id IS NOT NULL) AS moved ON net > 0
             WHERE reason IN ('topup', 'subscription')
               AND NOT EXISTS (SELECT FROM payments WHERE payments.reference = booked.reference)
               AND NOT EXISTS (SELECT FROM payment_refunds
                                WHERE key || ':refused' = booked.reference AND state = 'refused')
        """,
    ),
    Invariant(
        name="payment-is-worth-its-offer",
        new=new_rows.PAYMENTS,
        sentence="A payment is credited with what was offered for it, in proportion to what was paid of that.",
        sql="""
            SELECT payment_id, paid_amount, asked_amount, payments.credit, topups.credit AS offered
              FROM payments JOIN topups USING (topup_id)
             WHERE paid_currency = asked_currency
               AND payments.credit <> greatest(1, div(topups.credit::numeric * paid_amount, asked_amount))
        """,
    ),
    Invariant(
        name="paid-offer-has-its-payment",
        new=new_rows.PAYMENTS,
        sentence="An offer is called paid when something was paid for it, and only then.",
        sql="""
            SELECT topup_id, state FROM topups
             WHERE (state = 'paid') <> EXISTS (SELECT FROM payments WHERE payments.topup_id = topups.topup_id)
        """,
    ),
    Invariant(
        name="refund-is-taken-back",
        new=new_rows.PAYMENTS,
        sentence="Every refund left the wallet of its payer: its sum, of the credit that held it then.",
        sql="""
            SELECT refund_id, key, back.amount, net, named.reference AS of
              FROM payment_refunds AS back
              LEFT JOIN payments USING (payment_id)
              LEFT JOIN ledger_transactions AS taken ON taken.reference = back.reference
              LEFT JOIN ledger_transactions AS named ON named.transaction_id = taken.refunds
              LEFT JOIN LATERAL (SELECT min(user_id) AS user_id, min(currency) AS currency, sum(amount) AS net
                                   FROM entries WHERE transaction_id = taken.transaction_id AND user_id IS NOT NULL)
                     AS moved ON true
             WHERE (payments.user_id, payments.currency, -back.amount, 'payment-refund', key, back.paid_amount::text)
                   IS DISTINCT FROM
                   (moved.user_id, moved.currency, net, taken.reason, back.reference, taken.facts ->> 'paid')
                OR (named.reference = payments.reference
                    OR EXISTS (SELECT FROM payment_refunds AS first
                                WHERE first.payment_id = back.payment_id AND first.refund_id < back.refund_id
                                  AND first.state = 'refused' AND first.key || ':refused' = named.reference)) IS NOT TRUE
        """,
    ),
    Invariant(
        name="take-back-has-its-refund",
        new=new_rows.GIVEN_BACK,
        sentence="What was taken back of a payment, or of one put back, is a refund we know of.",
        sql="""
            SELECT taken.reference, named.reference AS of
              FROM ledger_transactions AS taken
              JOIN ledger_transactions AS named ON named.transaction_id = coalesce(taken.refunds, taken.reverses)
             WHERE named.reason IN ('topup', 'subscription')
               AND (EXISTS (SELECT FROM payments WHERE payments.reference = named.reference)
                    OR EXISTS (SELECT FROM payment_refunds WHERE key || ':refused' = named.reference))
               AND NOT EXISTS (SELECT FROM payment_refunds WHERE payment_refunds.reference = taken.reference)
        """,
    ),
    Invariant(
        name="refused-refund-is-put-back",
        new=new_rows.PAYMENTS,
        sentence="A refund that was refused, and no other, is in the wallet again.",
        sql="""
            SELECT refund_id, key, state, back.amount, net
              FROM payment_refunds AS back
              LEFT JOIN payments USING (payment_id)
              LEFT JOIN ledger_transactions AS again ON again.reference = key || ':refused'
              LEFT JOIN LATERAL (SELECT min(user_id) AS user_id, sum(amount) AS net
                                   FROM entries WHERE transaction_id = again.transaction_id AND user_id IS NOT NULL)
                     AS moved ON true
             WHERE CASE state WHEN 'refused'
                   THEN (payments.user_id, back.amount, 'topup') IS DISTINCT FROM (moved.user_id, net, again.reason)
                   ELSE again.transaction_id IS NOT NULL END
        """,
    ),
    Invariant(
        name="refunds-within-their-payment",
        new=new_rows.PAYMENTS,
        sentence="No payment gives back more than it brought, and all of it is all of it on both sides.",
        sql="""
            SELECT payment_id, credit, sum(back.amount) AS gone, payments.paid_amount, sum(back.paid_amount) AS paid_back
              FROM payments JOIN payment_refunds AS back USING (payment_id)
             WHERE state <> 'refused'
             GROUP BY payment_id, credit, payments.paid_amount
            HAVING sum(back.amount) > credit OR sum(back.paid_amount) > payments.paid_amount
                OR (sum(back.amount) = credit) <> (sum(back.paid_amount) = payments.paid_amount)
        """,
    ),
    Invariant(
        name="no-refund-is-forgotten",
        new=new_rows.PAYMENTS,
        sentence="A refund that is wanted ends within a day.",
        sql="""
            SELECT refund_id, payment_id, created_at, attempts, error FROM payment_refunds
             WHERE state = 'wanted' AND created_at < photomat_now() - interval '1 day'
        """,
    ),
    Invariant(
        name="approved-receipt-is-paid",
        new=new_rows.RECEIPTS,
        sentence="A receipt that was approved, and no other, is one payment of its user and its sum.",
        sql="""
            SELECT receipt_id, state, credited, credit
              FROM receipts FULL JOIN (SELECT * FROM payments WHERE provider = 'transfer') AS paid
                ON external_id = 'receipt:' || receipt_id
             WHERE CASE state WHEN 'approved'
                   THEN (receipts.user_id, credited, receipts.currency, receipts.topup_id)
                        IS DISTINCT FROM (paid.user_id, credit, paid.currency, paid.topup_id)
                   ELSE payment_id IS NOT NULL END
        """,
    ),
    Invariant(
        name="subscription-is-of-its-month",
        new=new_rows.SUBSCRIPTIONS,
        sentence="A subscription bears the charge, user, price and allowance of one of its paid months.",
        sql="""
            SELECT subscription_id, charge_id, stars, allowance
              FROM subscriptions
              LEFT JOIN payments ON provider = 'stars' AND external_id = charge_id AND reason = 'subscription'
             WHERE (subscriptions.user_id, stars, allowance, subscriptions.currency)
                   IS DISTINCT FROM (payments.user_id, paid_amount, credit, payments.currency)
        """,
    ),
    Invariant(
        name="listed-stars-are-booked",
        new=new_rows.STARS_LISTED,
        sentence="What Telegram lists as paid since we came is a payment of that user and sum, or somebody's difference.",
        sql="""
            SELECT charge_id, listed.user_id, stars, paid_amount
              FROM stars_listed AS listed
              LEFT JOIN payments ON provider = 'stars' AND external_id = charge_id
             WHERE side = 'in' AND (listed.user_id, stars) IS DISTINCT FROM (payments.user_id, paid_amount)
               AND NOT EXISTS (SELECT FROM differences WHERE reference = 'payment:stars:' || charge_id)
               AND NOT EXISTS (SELECT FROM stars_readings
                                WHERE stars_readings.bot_id = listed.bot_id
                                  AND moved_at < started_at - interval '1 day')
        """,
    ),
)
