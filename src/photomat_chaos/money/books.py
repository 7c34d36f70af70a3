"""What is known about a storm of money when it is over: what happened outside, and what our books say of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from photomat.db.pool import Connection
from photomat.rewards.promo import PromoCode
from photomat_chaos.lab.history import Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorAction:
    """An operator's verb and its last answer. `minor` is the amount; None is all that is left of a job's charge."""

    verb: str
    reference: str
    user_id: int
    minor: int | None
    done: bool
    job_id: int | None = None
    payment_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChargedStars:
    """Stars that Telegram took; `credit` is what the bill promised for them."""

    charge_id: str
    user_id: int
    stars: int
    credit: int
    refunded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidBill:
    """A bill that was paid at a provider: asked, paid and refunded amounts in minor units."""

    vendor: str
    bill_id: str
    user_id: int | None
    asked: int
    paid: int
    refunded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRow:
    """A payment; `given_back` is done, `wanted` is under way."""

    payment_id: int
    provider: str
    external_id: str
    user_id: int
    paid: int
    credit: int
    given_back: int
    wanted: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptRow:
    receipt_id: int
    user_id: int
    state: str
    credited: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GiftRow:
    code: str
    giver_id: int
    taker_id: int | None
    amount: int
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UseRow:
    """One use of a promo code; `payment_id` is the payment a percent was given for."""

    code: str
    user_id: int
    credited: int | None
    taken_back: int
    payment_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferralRow:
    friend_id: int
    inviter_id: int
    state: str
    inviter_reward: int | None
    friend_reward: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DifferenceRow:
    kind: str
    reference: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideRecords:
    """What happened outside our books: at Telegram, at the providers, on screens and by operators."""

    charges: tuple[ChargedStars, ...] = ()
    bills: tuple[PaidBill, ...] = ()
    verbs: tuple[OperatorAction, ...] = ()
    promos: Mapping[str, PromoCode] = field(default_factory=dict)
    decisions: Mapping[int, frozenset[int | None]] = field(default_factory=dict)
    came_by: Mapping[int, int] = field(default_factory=dict)
    gifts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Giver and sum of every gift that was seen made, by its code."""
    balances: Mapping[int, int | None] = field(default_factory=dict)
    """What the bot named in each chat when everything was over."""
    history: Evidence = field(default_factory=Evidence)
    operators: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Books:
    payments: tuple[PaymentRow, ...] = ()
    receipts: tuple[ReceiptRow, ...] = ()
    gifts: tuple[GiftRow, ...] = ()
    uses: tuple[UseRow, ...] = ()
    referrals: tuple[ReferralRow, ...] = ()
    wallets: Mapping[int, int] = field(default_factory=dict)
    """What the ledger says each user has, less what they owe."""
    paid_before: Mapping[int, int] = field(default_factory=dict)
    """What the customer of a job had surely paid when it was charged, without all that ever was to go back."""
    notices: Mapping[tuple[int, str], int] = field(default_factory=dict)
    """How many notices of a kind were made for a chat."""
    differences: tuple[DifferenceRow, ...] = ()


async def read_books(connection: Connection) -> Books:
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
