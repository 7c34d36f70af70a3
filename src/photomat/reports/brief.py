"""What a phone shows of a job, a user and the installation: one screen each."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from photomat.cluster.instances import DEAD_AFTER
from photomat.db.pool import Pool, transaction
from photomat.db.rows import Row, require_row
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.users.standing import BAN_COLUMNS, Ban, ban_of
from photomat.wallet import ledger
from photomat.wallet.postings import Balance

NEWEST_JOBS: Final = 5
MAX_INSTANCES: Final = 10
MAX_SESSIONS: Final = 5
OLD_SESSION: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobBalance:
    """`left` is what was charged and not given back: the most a refund can give."""

    price: Money
    held: Money
    left: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class BriefJob:
    job_id: JobId
    model: str
    status: str
    price: Money
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UserBrief:
    """`wallet` is None for a user who wrote to the bot without becoming a customer; `jobs` are the newest."""

    user_id: UserId
    first_name: str
    username: str | None
    language: str
    since: datetime
    has_blocked: bool
    ban: Ban | None
    wallet: Balance | None
    jobs: Sequence[BriefJob]
    done: int
    paid: Money | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceLine:
    instance_id: str
    version: str
    is_active: bool
    seen_s: int


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The installation: live instances, updates not handled yet, the size of the database."""

    instances: Sequence[InstanceLine]
    updates: int
    database_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OldSession:
    """A session of the database with an open transaction; `name` is its application."""

    pid: int
    name: str
    state: str
    minutes: int


async def read_job_money(pool: Pool, job_id: JobId) -> JobBalance:
    row = await require_row(
        pool,
        """
        SELECT price, currency,
               (SELECT coalesce(sum(amount), 0)::bigint FROM holds LEFT JOIN hold_closings USING (reference)
                 WHERE holds.job_id = job.job_id AND closed_as IS NULL) AS held,
               (SELECT coalesce(sum(amount), 0)::bigint FROM ledger_transactions JOIN entries USING (transaction_id)
                 WHERE ledger_transactions.job_id = job.job_id AND account = 'income') AS kept
          FROM generation_jobs AS job WHERE job_id = $1
        """,
        job_id,
    )
    currency = row["currency"]
    return JobBalance(
        price=Money(row["price"], currency), held=Money(row["held"], currency), left=Money(row["kept"], currency)
    )


async def read_user(pool: Pool, user_id: UserId) -> UserBrief | None:
    row = await pool.fetchrow(
        f"""
        SELECT user_id, first_name, username, language, created_at, blocked_at IS NOT NULL AS has_blocked, {BAN_COLUMNS},
               EXISTS (SELECT FROM wallets WHERE wallets.user_id = users.user_id) AS has_wallet
          FROM users WHERE user_id = $1
        """,  # noqa: S608  a constant list of columns
        user_id,
    )
    if row is None:
        return None
    wallet = await _wallet(pool, user_id) if row["has_wallet"] else None
    sums = await require_row(
        pool,
        """
        SELECT (SELECT count(*) FROM generation_jobs WHERE user_id = $1 AND status = 'done') AS done,
               (SELECT coalesce(sum(credit), 0)::bigint FROM payments WHERE user_id = $1) AS paid
        """,
        user_id,
    )
    return UserBrief(
        user_id=user_id,
        first_name=row["first_name"],
        username=row["username"],
        language=row["language"],
        since=row["created_at"],
        has_blocked=row["has_blocked"],
        ban=ban_of(row),
        wallet=wallet,
        jobs=await newest_jobs(pool, user_id),
        done=sums["done"],
        paid=Money(sums["paid"], wallet.currency) if wallet else None,
    )


async def _wallet(pool: Pool, user_id: UserId) -> Balance:
    async with transaction(pool) as tx:
        return await ledger.balance(tx, user_id=user_id)


async def newest_jobs(pool: Pool, user_id: UserId) -> list[BriefJob]:
    rows = await pool.fetch(
        """
        SELECT job_id, model, status, price, currency, created_at FROM generation_jobs
         WHERE user_id = $1 ORDER BY job_id DESC LIMIT $2
        """,
        user_id,
        NEWEST_JOBS,
    )
    return [_job_line(row) for row in rows]


async def read_jobs(pool: Pool, jobs: Sequence[JobId]) -> list[BriefJob]:
    """These jobs, oldest first."""
    rows = await pool.fetch(
        """
        SELECT job_id, model, status, price, currency, created_at FROM generation_jobs
         WHERE job_id = ANY($1::bigint[]) ORDER BY job_id
        """,
        list(jobs),
    )
    return [_job_line(row) for row in rows]


def _job_line(row: Row) -> BriefJob:
    return BriefJob(
        job_id=JobId(row["job_id"]),
        model=row["model"],
        status=row["status"],
        price=Money(row["price"], row["currency"]),
        created_at=row["created_at"],
    )


async def read_state(pool: Pool) -> State:
    rows = await pool.fetch(
        """
        SELECT instance_id, version, active AS is_active, extract(epoch FROM photomat_now() - seen_at)::int AS seen_s
          FROM instances WHERE seen_at > photomat_now() - $1::interval ORDER BY active DESC, instance_id LIMIT $2
        """,
        DEAD_AFTER,
        MAX_INSTANCES,
    )
    sums = await require_row(
        pool,
        """
        SELECT (SELECT coalesce(sum(pending), 0)::bigint FROM lanes WHERE pending > 0) AS updates,
               pg_database_size(current_database()) AS size
        """,
    )
    return State(
        instances=[InstanceLine(**dict(row)) for row in rows], updates=sums["updates"], database_bytes=sums["size"]
    )


async def old_sessions(pool: Pool) -> list[OldSession]:
    """Sessions in a transaction for more than a minute, the oldest first; the server's own clock stamps them."""
    rows = await pool.fetch(
        """
        SELECT pid, coalesce(application_name, '') AS name, coalesce(state, '') AS state,
               (extract(epoch FROM clock_timestamp() - xact_start) / 60)::int AS minutes
          FROM pg_stat_activity
         WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
           AND xact_start < clock_timestamp() - $1::interval
         ORDER BY xact_start LIMIT $2
        """,
        OLD_SESSION,
        MAX_SESSIONS,
    )
    return [OldSession(**dict(row)) for row in rows]
