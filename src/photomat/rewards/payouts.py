"""Loop `rewards`: credit rewards owed to another user than the one whose action earned them, and return expired gifts.

Rewards for an invitation and the inviter's percent of payments, and both reversed after a refund. Each is one transaction: both
wallets in ascending order, then the row, whose state is read again under its lock. So it may be claimed twice, by two
instances too, and is booked once; killed before the commit nothing happened and it is due again soon.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal, TypeAlias

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import require_row
from photomat.kernel.ids import ChatId, UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.messages.notices import notify
from photomat.rewards.gifts import return_old_gift
from photomat.wallet import ledger, refunds
from photomat.wallet.ledger import lock_wallets

REWARDS_DUE: Final = """
    SELECT 1 FROM referrals WHERE due_at <= photomat_now()
    UNION ALL SELECT 1 FROM referral_shares WHERE due_at <= photomat_now()
    UNION ALL SELECT 1 FROM gifts WHERE due_at <= photomat_now()
"""
AGAIN_AFTER: Final = timedelta(seconds=30)
"""When a claim that was not booked is due again."""

log = get_logger()


DueKind: TypeAlias = Literal["referral", "share", "gift"]
CLAIMS: Final[Mapping[DueKind, str]] = {
    "referral": """
        UPDATE referrals SET due_at = photomat_now() + $2::interval
         WHERE friend_id IN (SELECT friend_id FROM referrals WHERE due_at <= photomat_now()
                               AND (SELECT photomat_our_bot($3)) IS NOT NULL
                              ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING friend_id AS key
    """,
    "share": """
        UPDATE referral_shares SET due_at = photomat_now() + $2::interval
         WHERE payment_id IN (SELECT payment_id FROM referral_shares WHERE due_at <= photomat_now()
                                AND (SELECT photomat_our_bot($3)) IS NOT NULL
                               ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING payment_id AS key
    """,
    "gift": """
        UPDATE gifts SET due_at = photomat_now() + $2::interval
         WHERE gift_id IN (SELECT gift_id FROM gifts WHERE due_at <= photomat_now()
                             AND (SELECT photomat_our_bot($3)) IS NOT NULL
                            ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
        RETURNING gift_id AS key
    """,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferralTerms:
    """What an invitation earns the inviter and the friend, and the inviter's percent of the friend's payments."""

    inviter: Money
    friend: Money
    percent: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DueReward:
    """The key is the friend of a referral, the payment of a share, or the id of a gift."""

    kind: DueKind
    key: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RewardBooker:
    pool: Pool
    terms: ReferralTerms

    async def claim(self, limit: int) -> list[DueReward]:
        claimed: list[DueReward] = []
        for kind, statement in CLAIMS.items():
            if len(claimed) < limit:
                rows = await self.pool.fetch(statement, limit - len(claimed), AGAIN_AFTER, self.pool.bot_id)
                claimed += [DueReward(kind=kind, key=row["key"]) for row in rows]
        return claimed

    async def book(self, due: DueReward) -> None:
        match due.kind:
            case "referral":
                async with transaction(self.pool) as tx:
                    await book_referral(tx, UserId(due.key), self.terms)
            case "share":
                async with transaction(self.pool) as tx:
                    await book_share(tx, due.key, percent=self.terms.percent)
            case "gift":
                await return_old_gift(self.pool, due.key)


async def book_referral(tx: Transaction, friend_id: UserId, terms: ReferralTerms) -> None:
    """Reward both users, or take both rewards back, by the state of the row."""
    inviter_id = UserId(await tx.fetchval("SELECT inviter_id FROM referrals WHERE friend_id = $1", friend_id))
    await lock_wallets(tx, inviter_id, friend_id)
    row = await require_row(
        tx, "SELECT state, inviter_reward, friend_reward FROM referrals WHERE friend_id = $1 FOR UPDATE", friend_id
    )
    match row["state"]:
        case "due":
            await _reward(tx, "inviter", inviter_id, friend_id, terms.inviter)
            await _reward(tx, "friend", friend_id, friend_id, terms.friend)
            await _write_rewarded(tx, friend_id, terms)
        case "refunded":
            currency = terms.inviter.currency
            await _unreward(tx, "inviter", inviter_id, friend_id, Money(row["inviter_reward"], currency))
            await _unreward(tx, "friend", friend_id, friend_id, Money(row["friend_reward"], currency))
            await tx.execute("UPDATE referrals SET state = 'taken_back', due_at = NULL WHERE friend_id = $1", friend_id)
        case _:
            return
    log.info("REFERRAL_BOOKED", was=row["state"], inviter_id=inviter_id, friend_id=friend_id)


async def book_share(tx: Transaction, payment_id: int, *, percent: int) -> None:
    """Adjust the inviter's share of a payment to its percent of what was not refunded."""
    whose = await require_row(
        tx,
        """
        SELECT inviter_id, currency FROM referral_shares JOIN referrals USING (friend_id) JOIN payments USING (payment_id)
         WHERE payment_id = $1
        """,
        payment_id,
    )
    inviter_id, currency = UserId(whose["inviter_id"]), whose["currency"]
    await lock_wallets(tx, inviter_id)
    row = await require_row(
        tx,
        "SELECT percent, share, taken_back, moves, due_at FROM referral_shares WHERE payment_id = $1 FOR UPDATE",
        payment_id,
    )
    if row["due_at"] is None:
        return
    frozen = percent if row["percent"] is None else row["percent"]
    wanted = await _not_refunded(tx, payment_id) * frozen // 100
    reference = f"referral:payment:{payment_id}"
    if row["percent"] is None:
        if wanted:
            await _credit_and_notify(
                tx, inviter_id, Money(wanted, currency), reference, way="percent", text_key="notice-referral-percent"
            )
        await _write_share(tx, payment_id, percent=frozen, share=wanted)
    else:
        too_much = Money(row["share"] - row["taken_back"] - wanted, currency)
        if too_much.minor:
            back = f"referral-back:payment:{payment_id}:{row['moves'] + 1}"
            await _take_back(tx, inviter_id, too_much, reference=back, of=reference, way="percent")
        await _write_taken_back(tx, payment_id, taken=too_much.minor)
    log.info("REFERRAL_SHARE", payment_id=payment_id, inviter_id=inviter_id, keeps=wanted)


async def _not_refunded(tx: Transaction, payment_id: int) -> int:
    rest: int = await tx.fetchval(
        """
        SELECT credit - (SELECT coalesce(sum(amount), 0)::bigint FROM payment_refunds
                          WHERE payment_refunds.payment_id = payments.payment_id AND state = 'done')
          FROM payments WHERE payment_id = $1
        """,
        payment_id,
    )
    return max(0, rest)


async def _write_share(tx: Transaction, payment_id: int, *, percent: int, share: int) -> None:
    await tx.execute(
        "UPDATE referral_shares SET percent = $2, share = $3, due_at = NULL WHERE payment_id = $1",
        payment_id,
        percent,
        share,
    )


async def _write_taken_back(tx: Transaction, payment_id: int, *, taken: int) -> None:
    await tx.execute(
        """
        UPDATE referral_shares SET taken_back = taken_back + $2, moves = moves + 1, due_at = NULL WHERE payment_id = $1
        """,
        payment_id,
        taken,
    )


async def _write_rewarded(tx: Transaction, friend_id: UserId, terms: ReferralTerms) -> None:
    await tx.execute(
        """
        UPDATE referrals
           SET state = 'rewarded', due_at = NULL, rewarded_at = photomat_now(), inviter_reward = $2, friend_reward = $3
         WHERE friend_id = $1
        """,
        friend_id,
        terms.inviter.minor,
        terms.friend.minor,
    )


async def _reward(tx: Transaction, side: str, user_id: UserId, friend_id: UserId, amount: Money) -> None:
    if amount.minor:
        await _credit_and_notify(
            tx,
            user_id,
            amount,
            f"referral:{friend_id}:{side}",
            way=side,
            text_key="notice-referral-inviter" if side == "inviter" else "notice-referral-friend",
        )


async def _unreward(tx: Transaction, side: str, user_id: UserId, friend_id: UserId, amount: Money) -> None:
    if amount.minor:
        of = f"referral:{friend_id}:{side}"
        await _take_back(tx, user_id, amount, reference=f"referral-back:{friend_id}:{side}", of=of, way=side)


async def _credit_and_notify(
    tx: Transaction, user_id: UserId, amount: Money, reference: str, *, way: str, text_key: str
) -> None:
    await ledger.credit(tx, user_id=user_id, amount=amount, reference=reference, reason="referral", facts={"way": way})
    await notify(tx, key=reference, chat_id=ChatId(user_id), text_key=text_key, facts={"amount": amount})


async def _take_back(tx: Transaction, user_id: UserId, amount: Money, *, reference: str, of: str, way: str) -> None:
    """Take back what is left of a reward: a part may have been reversed by hand."""
    facts = {"way": way}
    taken = await refunds.take_what_is_left(
        tx, user_id=user_id, amount=amount, reference=reference, reason="referral", of=of, facts=facts
    )
    if taken.minor:
        await notify(
            tx, key=reference, chat_id=ChatId(user_id), text_key="notice-referral-back", facts={"amount": taken}
        )
