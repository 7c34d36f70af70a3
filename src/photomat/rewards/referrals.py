"""Invitations: a user's own link, who invited whom, when the reward is due, and the inviter's share of a friend's payments.

A user is attributed once, by the update that creates them; they cannot invite themselves, and as a new user has invited no one
yet, there are no cycles. The reward is due after the friend's first paid job: one whose price the friend's own payments, less
refunds, cover; money that was given pays for jobs too but earns no reward. Once the job is refunded, or the payments no longer
cover it, the reward is lost: if it was not booked yet it is forgotten and the next paid job counts, otherwise both sides'
rewards are taken back for good.

A share is due with each payment and again with each refund; `payouts.py` adjusts the inviter's wallet to the percent of what
was not refunded.
"""

import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from photomat.db.pool import Transaction
from photomat.db.rows import require_row
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money

CODE_BYTES: Final = 6
OWN_MONEY: Final = """
    ((SELECT coalesce(sum(credit), 0) FROM payments WHERE user_id = friend_id)
     - (SELECT coalesce(sum(amount), 0) FROM payments JOIN payment_refunds AS back USING (payment_id)
         WHERE user_id = friend_id AND back.state <> 'refused'))
"""
"""What a friend has paid and did not get back; a wanted refund counts as gone."""
LOSE: Final = """
    UPDATE referrals
       SET state = CASE state WHEN 'due' THEN 'invited' ELSE 'refunded' END,
           job_id = CASE state WHEN 'due' THEN NULL ELSE job_id END,
           due_at = CASE state WHEN 'due' THEN NULL ELSE photomat_now() END
     WHERE friend_id = $1 AND state IN ('due', 'rewarded')
"""
"""Forget a reward that is due, or have one that was given taken back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitations:
    """A user's link, their friends, those with a rewarded job, and what they earned."""

    code: str
    friends: int
    rewarded: int
    earned: Money


async def invitations(tx: Transaction, *, user_id: UserId, currency: str) -> Invitations:
    """The code of the user's link, created if needed, and what it has earned."""
    await tx.execute(
        """
        INSERT INTO invite_codes (user_id, code) VALUES ($1, $2)
            ON CONFLICT ON CONSTRAINT invite_codes_pkey DO NOTHING
        """,
        user_id,
        secrets.token_urlsafe(CODE_BYTES),
    )
    row = await require_row(
        tx,
        """
        SELECT (SELECT code FROM invite_codes WHERE user_id = $1) AS code, count(*) AS friends,
               count(*) FILTER (WHERE state = 'rewarded') AS rewarded,
               coalesce(sum(inviter_reward) FILTER (WHERE state IN ('rewarded', 'refunded')), 0)::bigint
               + (SELECT coalesce(sum(share - taken_back), 0)::bigint
                    FROM referral_shares JOIN referrals AS friend USING (friend_id)
                   WHERE friend.inviter_id = $1) AS earned
          FROM referrals WHERE inviter_id = $1
        """,
        user_id,
    )
    return Invitations(
        code=row["code"],
        friends=row["friends"],
        rewarded=row["rewarded"],
        earned=Money(row["earned"], currency),
    )


async def count_rewarded(tx: Transaction, *, inviter_id: UserId, most: int) -> int:
    """How many invited friends have a rewarded job, counted up to `most`."""
    count: int = await tx.fetchval(
        """
        SELECT count(*) FROM (
            SELECT FROM referrals WHERE inviter_id = $1 AND state = 'rewarded' LIMIT $2) AS rewarded
        """,
        inviter_id,
        most,
    )
    return count


async def inviter_of(tx: Transaction, code: str) -> UserId | None:
    user_id = await tx.fetchval("SELECT user_id FROM invite_codes WHERE code = $1", code)
    return None if user_id is None else UserId(user_id)


async def attribute(tx: Transaction, *, friend_id: UserId, code: str) -> UserId | None:
    """Record who invited a user created in this transaction; None if the code is not another user's."""
    inviter = await tx.fetchval(
        """
        INSERT INTO referrals (friend_id, inviter_id)
        SELECT $1, user_id FROM invite_codes
         WHERE code = $2 AND user_id <> $1
           AND NOT EXISTS (SELECT FROM referrals WHERE inviter_id = $1)
            ON CONFLICT ON CONSTRAINT referrals_pkey DO NOTHING
        RETURNING inviter_id
        """,
        friend_id,
        code,
    )
    return None if inviter is None else UserId(inviter)


async def invited_among(tx: Transaction, users: Iterable[UserId]) -> set[UserId]:
    """Those of the users who were invited and have not yet bought with money of their own."""
    rows = await tx.fetch(
        "SELECT friend_id FROM referrals WHERE friend_id = ANY($1::bigint[]) AND state = 'invited'", list(users)
    )
    return {UserId(row["friend_id"]) for row in rows}


async def make_due(tx: Transaction, *, friend_id: UserId, job_id: JobId) -> None:
    """The friend was charged for a job: the first one their own payments cover makes the rewards due."""
    await tx.execute(
        f"""
        UPDATE referrals SET state = 'due', job_id = $2, due_at = photomat_now()
         WHERE friend_id = $1 AND state = 'invited'
           AND (SELECT price FROM generation_jobs WHERE job_id = $2) <= {OWN_MONEY}
        """,  # noqa: S608  our own constant
        friend_id,
        job_id,
    )


async def lose_job(tx: Transaction, *, friend_id: UserId, job_id: JobId) -> None:
    """Some of this job's charge went back: if nothing is left of it, the reward is lost."""
    await tx.execute(
        f"""
        {LOSE} AND job_id = $2
           AND (SELECT coalesce(sum(amount), 0) FROM ledger_transactions JOIN entries USING (transaction_id)
                 WHERE ledger_transactions.job_id = $2 AND account = 'income') <= 0
        """,  # noqa: S608  our own constant
        friend_id,
        job_id,
    )


async def lose_payment(tx: Transaction, *, friend_id: UserId) -> None:
    """Some of the friend's payments went back: if the rest no longer covers the job, the reward is lost."""
    await tx.execute(
        f"""
        {LOSE} AND (SELECT price FROM generation_jobs WHERE generation_jobs.job_id = referrals.job_id) > {OWN_MONEY}
        """,  # noqa: S608  our own constants
        friend_id,
    )


async def note_share(tx: Transaction, *, payment_id: int, friend_id: UserId) -> None:
    """Record a payment of an invited friend; others' payments have no share."""
    await tx.execute(
        """
        INSERT INTO referral_shares (payment_id, friend_id)
        SELECT $1, friend_id FROM referrals WHERE friend_id = $2
            ON CONFLICT ON CONSTRAINT referral_shares_pkey DO NOTHING
        """,
        payment_id,
        friend_id,
    )


async def make_share_due(tx: Transaction, *, payment_id: int) -> None:
    """Have the share of a payment adjusted."""
    await tx.execute("UPDATE referral_shares SET due_at = photomat_now() WHERE payment_id = $1", payment_id)
