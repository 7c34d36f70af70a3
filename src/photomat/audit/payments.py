"""Invariants of money that comes in or is given away: payments, refunds, receipts, promo codes, referrals, gifts."""

from typing import Final

from photomat.audit import invariant
from photomat.audit.invariant import Invariant

NETS: Final = """
    SELECT moves.*, coalesce(back.given_back, 0) AS given_back
      FROM (SELECT booked.transaction_id, reference, reason, user_id, currency, sum(amount) AS net
              FROM ledger_transactions AS booked JOIN entries USING (transaction_id)
             WHERE user_id IS NOT NULL AND reverses IS NULL AND refunds IS NULL
             GROUP BY booked.transaction_id, reference, reason, user_id, currency) AS moves
      LEFT JOIN (SELECT coalesce(later.refunds, later.reverses) AS transaction_id, user_id, -sum(amount) AS given_back
                   FROM ledger_transactions AS later JOIN entries ON entries.transaction_id = later.transaction_id
                  WHERE (later.refunds IS NOT NULL OR later.reverses IS NOT NULL) AND user_id IS NOT NULL
                  GROUP BY coalesce(later.refunds, later.reverses), user_id) AS back USING (transaction_id, user_id)
"""
"""What every move that gives back nothing did to each of its users, and what was given back of it since."""
PAYMENTS: Final = (
    Invariant(
        name="payment-is-credited",
        new=invariant.PAYMENTS,
        sentence="Every payment has one credit: its reference, user, sum and reason, and the sum its provider reported.",
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
        new=invariant.PAYMENTS,
        sentence="A provider's payment arrives once.",
        sql="""
            SELECT provider, external_id, count(*) AS payments
              FROM payments GROUP BY provider, external_id HAVING count(*) > 1
        """,
    ),
    Invariant(
        name="credit-has-its-payment",
        new=invariant.TRANSACTIONS,
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
        new=invariant.PAYMENTS,
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
        new=invariant.PAYMENTS,
        sentence="An offer is called paid when something was paid for it, and only then.",
        sql="""
            SELECT topup_id, state FROM topups
             WHERE (state = 'paid') <> EXISTS (SELECT FROM payments WHERE payments.topup_id = topups.topup_id)
        """,
    ),
    Invariant(
        name="refund-is-taken-back",
        new=invariant.PAYMENTS,
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
        new=invariant.GIVEN_BACK,
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
        new=invariant.PAYMENTS,
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
        new=invariant.PAYMENTS,
        sentence="No more is refunded than was paid, and a full refund is full on both sides.",
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
        new=invariant.PAYMENTS,
        sentence="A refund that is wanted ends within a day.",
        sql="""
            SELECT refund_id, payment_id, created_at, attempts, error FROM payment_refunds
             WHERE state = 'wanted' AND created_at < photomat_now() - interval '1 day'
        """,
    ),
    Invariant(
        name="approved-receipt-is-paid",
        new=invariant.RECEIPTS,
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
        new=invariant.SUBSCRIPTIONS,
        sentence="A subscription has the charge, user, price and allowance of one of its paid months.",
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
        new=invariant.STARS_LISTED,
        sentence="What Telegram lists as paid since our first reading is a payment of that user and sum, or a difference.",
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
    Invariant(
        name="receipt-is-of-its-offer",
        new=invariant.RECEIPTS,
        sentence="A receipt has the user and the sum of the transfer it was sent for.",
        sql="""
            SELECT receipt_id, topup_id, receipts.user_id, amount, credit
              FROM receipts LEFT JOIN topups USING (topup_id)
             WHERE (receipts.user_id, amount, receipts.currency, 'transfer')
                   IS DISTINCT FROM (topups.user_id, credit, topups.currency, way)
        """,
    ),
    Invariant(
        name="promo-credit-has-its-use",
        new=invariant.PROMO_CREDITS,
        sentence="Money comes by a promo code exactly for its uses, and what was taken back of it is noted there.",
        sql=f"""
            SELECT reference, uses.user_id, uses.credited, uses.taken_back, credits.net, credits.given_back
              FROM (SELECT 'promo:' || use_id AS reference, user_id, currency, credited, taken_back,
                           CASE kind WHEN 'sum' THEN 'promo' ELSE 'bonus' END AS reason
                      FROM promo_uses JOIN promo_codes USING (code)
                     WHERE credited IS NOT NULL OR taken_back <> 0) AS uses
              FULL JOIN (SELECT * FROM ({NETS}) AS nets WHERE reason IN ('promo', 'bonus') AND net > 0) AS credits
                USING (reference)
             WHERE (uses.user_id, uses.currency, uses.reason, credited, taken_back)
                   IS DISTINCT FROM (credits.user_id, credits.currency, credits.reason, net::bigint, given_back::bigint)
        """,  # noqa: S608  our own constant
    ),
    Invariant(
        name="promo-code-within-its-limits",
        new=invariant.PROMO_CODES,
        sentence="A code was used as often as it says, and neither it nor a user of it beyond what it allows.",
        sql="""
            SELECT code, used, most_uses, per_user, coalesce(sum(uses), 0) AS uses, max(uses) AS by_one_user
              FROM promo_codes
              LEFT JOIN (SELECT code, user_id, count(*) AS uses FROM promo_uses GROUP BY code, user_id) AS theirs
                USING (code)
             GROUP BY code, used, most_uses, per_user
            HAVING used <> coalesce(sum(uses), 0) OR used > most_uses OR max(uses) > per_user
        """,
    ),
    Invariant(
        name="bonus-is-of-its-payment",
        new=invariant.PROMO_USES,
        sentence="A bonus was given for a payment of the same user, and no more than the code's percent of it.",
        sql="""
            SELECT use_id, code, kind, payment_id, credited, credit, percent
              FROM promo_uses JOIN promo_codes USING (code) LEFT JOIN payments USING (payment_id)
             WHERE kind = 'percent' AND credited IS NOT NULL
                   AND (payments.user_id IS DISTINCT FROM promo_uses.user_id OR credited > credit * percent / 100
                        OR credited > amount)
                OR kind <> 'percent' AND payment_id IS NOT NULL
        """,
    ),
    Invariant(
        name="pass-pays-for-its-job",
        new=invariant.JOBS,
        sentence="A job that a code paid for is free, its user's, of a price the code pays, and says so in its quote.",
        sql="""
            SELECT job_id, pass_uses.use_id, price, kind.kind, kind.amount, quote -> 'pass' AS quoted
              FROM pass_uses
              FULL JOIN (SELECT * FROM generation_jobs WHERE quote ? 'pass'
                            OR job_id IN (SELECT pass_uses.job_id FROM pass_uses)) AS job USING (job_id)
              LEFT JOIN promo_uses USING (use_id)
              LEFT JOIN promo_codes AS kind USING (code)
             WHERE (price, kind.kind, job.user_id, job.currency, quote -> 'pass' ->> 'use_id')
                   IS DISTINCT FROM (0::bigint, 'free', promo_uses.user_id, kind.currency, use_id::text)
                OR ((quote -> 'pass' ->> 'price')::bigint BETWEEN 1 AND kind.amount) IS NOT TRUE
        """,
    ),
    Invariant(
        name="passes-within-their-number",
        new=invariant.PASSES,
        sentence="A code paid for no more generations than it promised; those that came to nothing do not count.",
        sql="""
            SELECT use_id, code, generations, count(*) AS used
              FROM pass_uses JOIN promo_uses USING (use_id) JOIN promo_codes USING (code)
              JOIN generation_jobs AS job USING (job_id)
             WHERE status NOT IN ('failed', 'canceled') AND NOT gift
             GROUP BY use_id, code, generations HAVING count(*) > generations
        """,
    ),
    Invariant(
        name="referral-reward-has-its-referral",
        new=invariant.REFERRAL_REWARDS,
        sentence="Both sides of an invitation got what its row says, once, and gave it back when its job was refunded.",
        sql=f"""
            SELECT reference, sides.state, sides.user_id, sides.reward, credits.net, credits.given_back
              FROM (SELECT 'referral:' || friend_id || ':' || side AS reference, user_id, reward, state
                      FROM referrals,
                           LATERAL (VALUES ('inviter', inviter_id, inviter_reward), ('friend', friend_id, friend_reward))
                                   AS sides (side, user_id, reward)
                     WHERE reward <> 0) AS sides
              FULL JOIN (SELECT * FROM ({NETS}) AS nets
                          WHERE reason = 'referral' AND net > 0 AND reference NOT LIKE 'referral:payment:%') AS credits
                USING (reference)
             WHERE (sides.user_id, reward, CASE state WHEN 'taken_back' THEN reward ELSE 0 END)
                   IS DISTINCT FROM (credits.user_id, net::bigint, given_back::bigint)
        """,  # noqa: S608  our own constant
    ),
    Invariant(
        name="referral-share-is-of-its-payment",
        new=invariant.REFERRAL_SHARES,
        sentence="An inviter has the noted percent of what a friend paid and did not get back, and no more.",
        sql=f"""
            SELECT reference, share, taken_back, net, given_back, percent, kept
              FROM (SELECT 'referral:payment:' || payment_id AS reference, inviter_id, share, shares.taken_back, percent,
                           shares.due_at, payments.user_id = friend_id AS is_theirs,
                           credit - (SELECT coalesce(sum(amount), 0) FROM payment_refunds
                                      WHERE payment_refunds.payment_id = payments.payment_id AND state = 'done') AS kept
                      FROM referral_shares AS shares JOIN referrals USING (friend_id) JOIN payments USING (payment_id)
                   ) AS shares
              FULL JOIN (SELECT * FROM ({NETS}) AS nets
                          WHERE reason = 'referral' AND net > 0 AND reference LIKE 'referral:payment:%') AS credits
                USING (reference)
             WHERE (inviter_id, share, taken_back) IS DISTINCT FROM (coalesce(user_id, inviter_id),
                    coalesce(net, 0)::bigint, coalesce(given_back, 0)::bigint)
                OR NOT is_theirs
                OR due_at IS NULL AND share - taken_back IS DISTINCT FROM div(kept * percent, 100)
        """,  # noqa: S608  our own constant
    ),
    Invariant(
        name="referral-follows-a-paid-job",
        new=invariant.REFERRALS,
        sentence="A reward is for a job that its friend was charged for, and paid by themselves as long as it is kept.",
        sql="""
            SELECT friend_id, state, job_id
              FROM referrals LEFT JOIN ledger_transactions AS booked USING (job_id)
              LEFT JOIN entries ON entries.transaction_id = booked.transaction_id AND account = 'wallet'
             WHERE state <> 'invited'
             GROUP BY friend_id, state, job_id
            HAVING count(*) FILTER (WHERE booked.reason = 'charge' AND user_id = friend_id) <> 1
                OR state IN ('due', 'rewarded')
                   AND (SELECT price FROM generation_jobs WHERE generation_jobs.job_id = referrals.job_id)
                       > (SELECT coalesce(sum(credit), 0) FROM payments WHERE payments.user_id = friend_id)
                         - (SELECT coalesce(sum(amount), 0) FROM payments JOIN payment_refunds AS back USING (payment_id)
                             WHERE payments.user_id = friend_id AND back.state = 'done')
        """,
    ),
    Invariant(
        name="open-gifts-are-in-the-gift-account",
        new=invariant.GIFTS,
        sentence="What waits in the account of gifts is what the open gifts hold.",
        sql="""
            SELECT currency, waiting, open
              FROM (SELECT currency, sum(amount) AS waiting FROM entries WHERE account = 'gift' GROUP BY currency) AS account
              FULL JOIN (SELECT currency, sum(amount) AS open FROM gifts WHERE state = 'open' GROUP BY currency) AS gifts
                USING (currency)
             WHERE coalesce(waiting, 0) <> coalesce(open, 0)
        """,
    ),
    Invariant(
        name="gift-went-one-way",
        new=invariant.GIFTS,
        sentence="A gift left its giver once, and went to its taker or back, as its row says; no other money waits there.",
        sql=f"""
            SELECT reference, gifts.user_id, gifts.amount, moves.user_id AS moved_of, net
              FROM (SELECT 'gift-out:' || gift_id AS reference, giver_id AS user_id, currency, -amount AS amount FROM gifts
                    UNION ALL SELECT 'gift-in:' || gift_id, taker_id, currency, amount FROM gifts WHERE state = 'taken'
                    UNION ALL SELECT 'gift-back:' || gift_id, giver_id, currency, amount FROM gifts WHERE state = 'back'
                   ) AS gifts
              FULL JOIN (SELECT * FROM ({NETS}) AS nets
                          WHERE reason = 'gift' AND transaction_id IN (SELECT entries.transaction_id FROM entries
                                                                        WHERE account = 'gift')) AS moves
                USING (reference)
             WHERE (gifts.user_id, gifts.currency, gifts.amount) IS DISTINCT FROM (moves.user_id, moves.currency, net::bigint)
        """,  # noqa: S608  our own constant
    ),
)
