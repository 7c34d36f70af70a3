"""Reads our books as they stand when everything is over."""

from photomat.db.pool import Connection
from photomat_chaos.money.facts import (
    Books,
    DifferenceRow,
    GiftRow,
    PaymentRow,
    ReceiptRow,
    ReferralRow,
    UseRow,
)


async def read_books(connection: Connection) -> Books:
    """Everything that is written down about money."""
    return Books(
        payments=await _payments(connection),
        receipts=tuple(
            ReceiptRow(**dict(row))
            for row in await connection.fetch(
                "SELECT receipt_id, user_id, state, credited FROM receipts ORDER BY receipt_id"
            )
        ),
        gifts=tuple(
            GiftRow(**dict(row))
            for row in await connection.fetch(
                "SELECT code, giver_id, taker_id, amount, state FROM gifts ORDER BY gift_id"
            )
        ),
        uses=tuple(
            UseRow(**dict(row))
            for row in await connection.fetch(
                "SELECT code, user_id, credited, taken_back, payment_id FROM promo_uses ORDER BY use_id"
            )
        ),
        referrals=tuple(
            ReferralRow(**dict(row))
            for row in await connection.fetch(
                "SELECT friend_id, inviter_id, state, inviter_reward, friend_reward FROM referrals ORDER BY friend_id"
            )
        ),
        wallets=await _wallets(connection),
        paid_before=await _paid_before(connection),
        notices={
            (row["chat_id"], row["text_key"]): row["count"]
            for row in await connection.fetch(
                "SELECT chat_id, text_key, count(*) AS count FROM notices GROUP BY chat_id, text_key"
            )
        },
        differences=tuple(
            DifferenceRow(**dict(row))
            for row in await connection.fetch(
                "SELECT kind, reference, expected, found FROM differences WHERE resolved_at IS NULL ORDER BY difference_id"
            )
        ),
    )


async def _payments(connection: Connection) -> tuple[PaymentRow, ...]:
    rows = await connection.fetch(
        """
        SELECT payment_id, provider, external_id, user_id, paid_amount AS paid, credit,
               (SELECT coalesce(sum(amount) FILTER (WHERE state = 'done'), 0)::bigint
                  FROM payment_refunds AS back WHERE back.payment_id = payments.payment_id) AS given_back,
               (SELECT coalesce(sum(amount) FILTER (WHERE state = 'wanted'), 0)::bigint
                  FROM payment_refunds AS back WHERE back.payment_id = payments.payment_id) AS wanted
          FROM payments ORDER BY payment_id
        """
    )
    return tuple(PaymentRow(**dict(row)) for row in rows)


async def _paid_before(connection: Connection) -> dict[int, int]:
    """A payment of the same moment may have been committed after the charge."""
    rows = await connection.fetch(
        """
        SELECT job.job_id,
               (SELECT coalesce(sum(credit), 0)::bigint FROM payments
                 WHERE payments.user_id = job.user_id AND received_at < charge.booked_at - interval '10 s')
               - (SELECT coalesce(sum(amount), 0)::bigint FROM payments JOIN payment_refunds USING (payment_id)
                   WHERE payments.user_id = job.user_id) AS minor
          FROM generation_jobs AS job JOIN ledger_transactions AS charge USING (job_id)
         WHERE charge.reason = 'charge'
        """
    )
    return {row["job_id"]: row["minor"] for row in rows}


async def _wallets(connection: Connection) -> dict[int, int]:
    """By the entries themselves, not by the sums kept beside them."""
    rows = await connection.fetch(
        """
        SELECT user_id, coalesce(sum(amount), 0)::bigint AS minor
          FROM wallets LEFT JOIN entries USING (user_id) GROUP BY user_id ORDER BY user_id
        """
    )
    return {row["user_id"]: row["minor"] for row in rows}
