"""What was given away: every credit has its reason in a row, every row its credit, and no limit was passed."""

from typing import Final

from photomat.audit import new_rows
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

REWARDS: Final = (
    Invariant(
        name="promo-credit-has-its-use",
        new=new_rows.PROMO_CREDITS,
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
        new=new_rows.PROMO_CODES,
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
        new=new_rows.PROMO_USES,
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
        new=new_rows.JOBS,
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
        new=new_rows.PASSES,
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
        new=new_rows.REFERRAL_REWARDS,
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
        new=new_rows.REFERRAL_SHARES,
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
        new=new_rows.REFERRALS,
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
        new=new_rows.GIFTS,
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
        new=new_rows.GIFTS,
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
