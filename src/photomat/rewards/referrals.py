"""Invitations: a link of one's own, who was brought by whom, and when the reward for it is due.

Somebody is brought once, by the update that makes them a user; nobody brings themselves, and as a new user has brought nobody
yet, there are no circles. The reward is due after the friend's first paid job: one whose price the friend's own payments, less
what went back of them, cover. Money that was given pays for jobs too, and earns nobody anything. Once the job is given back,
or so much of the payments that they no longer cover it, the reward is lost: not booked yet, it is forgotten and the next
paid job counts; booked, both sides' are taken back for good.
"""

import secrets
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
"""What a friend has paid and did not get back; what is on its way back counts as gone."""

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
    """What somebody's invitations have brought: friends, those of them who have paid, and the money kept of it."""

    code: str
    friends: int
    rewarded: int
    earned: Money


async def invitations(tx: Transaction, *, user_id: UserId, currency: str) -> Invitations:
    """The link's code (made now if need be) and what it has brought."""
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
                    FROM referral_shares JOIN referrals AS brought USING (friend_id)
                   WHERE brought.inviter_id = $1) AS earned
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


async def inviter_of(tx: Transaction, code: str) -> UserId | None:
    """Whose link bears this code."""
    user_id = await tx.fetchval("SELECT user_id FROM invite_codes WHERE code = $1", code)
    return None if user_id is None else UserId(user_id)


async def attribute(tx: Transaction, *, friend_id: UserId, code: str) -> UserId | None:
    """Note who brought a user whose row was made in this very transaction; None when nobody with this code did."""
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


async def make_due(tx: Transaction, *, friend_id: UserId, job_id: JobId) -> None:
    """The friend was charged for a job: the first one that their own money covers makes the rewards due."""
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
    """Something of this job's charge went back: when nothing is left of it, the reward is lost."""
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
    """Something of the friend's payments went back: when the rest no longer covers the job, the reward is lost."""
    await tx.execute(
        f"""
        {LOSE} AND (SELECT price FROM generation_jobs WHERE generation_jobs.job_id = referrals.job_id) > {OWN_MONEY}
        """,  # noqa: S608  our own constants
        friend_id,
    )
