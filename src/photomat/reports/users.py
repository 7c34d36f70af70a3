"""Users as operators find and read them: a list by number, name or state, and everything about one user. Reads only.

Lists go by key, newest first, so a new user shifts nothing. Every part of one user's page is the newest few rows of an index.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from photomat.db.pool import Pool, transaction
from photomat.db.rows import Row
from photomat.fiscal.contacts import find_contact
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.payments.payment import ListedPayment, list_payments
from photomat.payments.statement import StatementLine, statement
from photomat.support.ticket import Ticket, tickets_of_user
from photomat.texts.sentence import Sentence, sentence_from_json
from photomat.users.standing import BAN_COLUMNS, Ban, OwnLimits, ban_of
from photomat.wallet.postings import Balance

PAGE: Final = 50
SHOWN: Final = 10
"""Rows of each part of one user's page."""
COUNTED: Final = 1000
"""Jobs and friends are counted up to here."""
MAX_DIGITS: Final = 18
FIRST_YEAR: Final = 2000
"""No user is older."""
NUMBER: Final = re.compile(rf"\d{{1,{MAX_DIGITS}}}")
ESCAPED: Final = re.compile(r"([\\%_])")


class UserFilter(StrEnum):
    ALL = "all"
    PAID = "paid"
    BANNED = "banned"
    BLOCKED = "blocked"
    DEBT = "debt"
    NEW = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserLine:
    """One user in a list; `jobs` is counted up to `COUNTED`, `paid` is the credit of all their payments."""

    user_id: UserId
    first_name: str
    username: str | None
    language: str
    created_at: datetime
    blocked_at: datetime | None
    forgotten_at: datetime | None
    ban: Ban | None
    wallet: Balance | None
    jobs: int
    last_order: datetime | None
    paid: Money | None

    @property
    def cursor(self) -> str:
        """Where the next page begins."""
        return f"{self.created_at.isoformat()}~{self.user_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldMoney:
    """An open hold; `since` is its beginning."""

    reference: str
    amount: Money
    since: datetime
    job_id: JobId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOfUser:
    job_id: JobId
    model: str
    title: str | None
    status: str
    price: Money
    created_at: datetime
    settled_at: datetime | None
    delivered_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FriendLine:
    friend_id: UserId
    first_name: str | None
    invited_at: datetime
    state: str
    reward: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoUse:
    code: str
    used_at: datetime
    credited: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserJournalLine:
    entry_id: int
    at: datetime
    operator: str
    action: str
    reason: str | None
    done: bool
    says: Sentence
    job_id: JobId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UserReport:
    """Everything about one user, each part its newest rows. `queued` counts jobs whose request has not left.

    `receipts_to` is where their fiscal receipts go, masked; `forgotten_by` who asked to forget a user who is forgotten.
    """

    line: UserLine
    limits: OwnLimits
    inviter_id: UserId | None
    receipts_to: str | None
    forgotten_by: str | None
    queued: int
    running: int
    statement: Sequence[StatementLine]
    holds: Sequence[HeldMoney]
    jobs: Sequence[JobOfUser]
    payments: Sequence[ListedPayment]
    friends: Sequence[FriendLine]
    friends_counted: int
    promos: Sequence[PromoUse]
    tickets: Sequence[Ticket]
    journal: Sequence[UserJournalLine]


LINE: Final = f"""
    users.user_id, first_name, username, language, users.created_at, blocked_at, forgotten_at, {BAN_COLUMNS},
    posted, held, owed, wallets.currency,
    (SELECT count(*) FROM (SELECT FROM generation_jobs AS job WHERE job.user_id = users.user_id LIMIT {COUNTED}) AS counted)
        AS jobs,
    (SELECT job.created_at FROM generation_jobs AS job WHERE job.user_id = users.user_id ORDER BY job_id DESC LIMIT 1)
        AS last_order,
    (SELECT sum(credit)::bigint FROM payments AS payment WHERE payment.user_id = users.user_id) AS paid
"""  # noqa: S608  constants of ours
WHERE: Final[dict[UserFilter, str]] = {
    UserFilter.ALL: "true",
    UserFilter.PAID: "EXISTS (SELECT FROM payments AS payment WHERE payment.user_id = users.user_id)",
    UserFilter.BANNED: "banned_at IS NOT NULL AND (banned_until IS NULL OR banned_until > photomat_now())",
    UserFilter.BLOCKED: "blocked_at IS NOT NULL",
    UserFilter.DEBT: "owed > 0",
    UserFilter.NEW: "users.created_at > photomat_now() - interval '7 days'",
}


async def list_users(
    pool: Pool,
    *,
    find: str = "",
    only: UserFilter = UserFilter.ALL,
    after: str | None = None,
    limit: int = PAGE,
) -> list[UserLine]:
    """The newest users first, after the one whose cursor this is; `find` is a number, or the beginning of a name."""
    found, words = _found_by(find.strip())
    since, number = _position(after)
    rows = await pool.fetch(
        f"""
        WITH page AS MATERIALIZED (
            SELECT users.user_id FROM users LEFT JOIN wallets USING (user_id)
             WHERE {WHERE[only]} AND {found} AND ($2::timestamptz IS NULL OR (users.created_at, users.user_id) < ($2, $3))
             ORDER BY users.created_at DESC, users.user_id DESC LIMIT $4)
        SELECT {LINE} FROM page JOIN users USING (user_id) LEFT JOIN wallets USING (user_id)
         ORDER BY users.created_at DESC, users.user_id DESC
        """,  # noqa: S608  conditions of ours
        words,
        since,
        number,
        limit,
    )
    return [_line(row) for row in rows]


def _found_by(find: str) -> tuple[str, str]:
    """The condition that finds a user, and its argument: digits are a number, `@` begins a username, else any name."""
    if not find:
        return "$1::text = ''", ""
    if NUMBER.fullmatch(find):
        return "users.user_id = $1::text::bigint", find
    name = ESCAPED.sub(r"\\\1", find.removeprefix("@").lower()) + "%"
    if find.startswith("@"):
        return "lower(username) LIKE $1", name
    return "(lower(username) LIKE $1 OR lower(first_name) LIKE $1)", name


def _position(after: str | None) -> tuple[datetime | None, int]:
    """Raises ValueError for something that is not a cursor of ours."""
    if not after:
        return None, 0
    written, _, number = after.partition("~")
    since = datetime.fromisoformat(written)
    if not NUMBER.fullmatch(number) or since.year < FIRST_YEAR:
        raise ValueError(after)
    return since, int(number)


async def read_user(pool: Pool, user_id: UserId) -> UserReport | None:
    row = await pool.fetchrow(
        f"""
        SELECT {LINE}, most_running, orders_per_minute, free_per_day,
               (SELECT inviter_id FROM referrals WHERE friend_id = users.user_id) AS inviter_id,
               (SELECT asked_by FROM forget_requests AS request
                 WHERE request.user_id = users.user_id AND forgotten_at IS NOT NULL
                 ORDER BY request_id DESC LIMIT 1) AS forgotten_by,
               (SELECT count(*) FROM generation_jobs AS job
                 WHERE job.user_id = users.user_id AND settled_at IS NULL AND status = 'pending') AS queued,
               (SELECT count(*) FROM generation_jobs AS job
                 WHERE job.user_id = users.user_id AND settled_at IS NULL) AS running
          FROM users LEFT JOIN wallets USING (user_id) WHERE users.user_id = $1
        """,  # noqa: S608  constants of ours
        user_id,
    )
    if row is None:
        return None
    friends, counted = await _friends(pool, user_id, currency=row["currency"] or "")
    return UserReport(
        line=_line(row),
        limits=OwnLimits(
            running=row["most_running"], a_minute=row["orders_per_minute"], free_a_day=row["free_per_day"]
        ),
        inviter_id=row["inviter_id"],
        receipts_to=await _receipts_to(pool, user_id),
        forgotten_by=row["forgotten_by"],
        queued=row["queued"],
        running=row["running"],
        statement=await _statement(pool, user_id),
        holds=await _holds(pool, user_id),
        jobs=await jobs_of_user(pool, user_id),
        payments=await list_payments(pool, user_id=user_id, limit=SHOWN),
        friends=friends,
        friends_counted=counted,
        promos=await _promos(pool, user_id),
        tickets=await tickets_of_user(pool, user_id, limit=SHOWN),
        journal=await _journal(pool, user_id),
    )


async def _receipts_to(pool: Pool, user_id: UserId) -> str | None:
    async with transaction(pool) as tx:
        stored = await find_contact(tx, user_id)
    return None if stored is None else stored.contact.masked


async def _statement(pool: Pool, user_id: UserId) -> list[StatementLine]:
    async with transaction(pool) as tx:
        if not await tx.fetchval("SELECT true FROM wallets WHERE user_id = $1", user_id):
            return []
        return await statement(tx, user_id=user_id, limit=SHOWN)


async def _holds(pool: Pool, user_id: UserId) -> list[HeldMoney]:
    """Open holds, the oldest first: an old one is a question."""
    rows = await pool.fetch(
        """
        SELECT reference, amount, currency, held_at, job_id FROM holds
         WHERE user_id = $1 AND NOT EXISTS (SELECT FROM hold_closings AS closing WHERE closing.reference = holds.reference)
         ORDER BY held_at LIMIT $2
        """,
        user_id,
        SHOWN,
    )
    return [
        HeldMoney(
            reference=row["reference"],
            amount=Money(row["amount"], row["currency"]),
            since=row["held_at"],
            job_id=row["job_id"],
        )
        for row in rows
    ]


async def jobs_of_user(pool: Pool, user_id: UserId, *, limit: int = SHOWN) -> list[JobOfUser]:
    rows = await pool.fetch(
        """
        SELECT job_id, model, title, status, price, currency, created_at, settled_at, delivered_at
          FROM generation_jobs WHERE user_id = $1 ORDER BY job_id DESC LIMIT $2
        """,
        user_id,
        limit,
    )
    return [
        JobOfUser(
            job_id=JobId(row["job_id"]),
            model=row["model"],
            title=row["title"],
            status=row["status"],
            price=Money(row["price"], row["currency"]),
            created_at=row["created_at"],
            settled_at=row["settled_at"],
            delivered_at=row["delivered_at"],
        )
        for row in rows
    ]


async def _friends(pool: Pool, user_id: UserId, *, currency: str) -> tuple[list[FriendLine], int]:
    rows = await pool.fetch(
        """
        SELECT friend_id, first_name, invited_at, state,
               CASE WHEN state IN ('rewarded', 'refunded') THEN coalesce(inviter_reward, 0) ELSE 0 END AS reward
          FROM referrals LEFT JOIN users ON users.user_id = friend_id
         WHERE inviter_id = $1 ORDER BY invited_at DESC LIMIT $2
        """,
        user_id,
        COUNTED,
    )
    lines = [
        FriendLine(
            friend_id=UserId(row["friend_id"]),
            first_name=row["first_name"],
            invited_at=row["invited_at"],
            state=row["state"],
            reward=Money(row["reward"], currency),
        )
        for row in rows[:SHOWN]
    ]
    return lines, len(rows)


async def _promos(pool: Pool, user_id: UserId) -> list[PromoUse]:
    rows = await pool.fetch(
        "SELECT code, used_at, credited FROM promo_uses WHERE user_id = $1 ORDER BY used_at DESC LIMIT $2",
        user_id,
        SHOWN,
    )
    return [PromoUse(**dict(row)) for row in rows]


async def _journal(pool: Pool, user_id: UserId) -> list[UserJournalLine]:
    rows = await pool.fetch(
        """
        SELECT entry_id, at, operator, action, reason, done, job_id, outcome, outcome_key, outcome_facts
          FROM operator_journal WHERE user_id = $1 ORDER BY entry_id DESC LIMIT $2
        """,
        user_id,
        SHOWN,
    )
    return [
        UserJournalLine(
            entry_id=row["entry_id"],
            at=row["at"],
            operator=row["operator"],
            action=row["action"],
            reason=row["reason"],
            done=row["done"],
            says=_outcome(row),
            job_id=row["job_id"],
        )
        for row in rows
    ]


def _outcome(row: Row) -> Sentence:
    """A row of an older release has its English words alone."""
    if row["outcome_key"] is None:
        return Sentence("action-plain", words=row["outcome"])
    return sentence_from_json(row["outcome_key"], row["outcome_facts"])


def _line(row: Row) -> UserLine:
    currency = row["currency"]
    wallet = None
    if currency is not None:
        posted, held, owed = (Money(row[name], currency) for name in ("posted", "held", "owed"))
        wallet = Balance(posted=posted, held=held, owed=owed)
    return UserLine(
        user_id=UserId(row["user_id"]),
        first_name=row["first_name"],
        username=row["username"],
        language=row["language"],
        created_at=row["created_at"],
        blocked_at=row["blocked_at"],
        forgotten_at=row["forgotten_at"],
        ban=ban_of(row),
        wallet=wallet,
        jobs=row["jobs"],
        last_order=row["last_order"],
        paid=None if row["paid"] is None or currency is None else Money(row["paid"], currency),
    )
