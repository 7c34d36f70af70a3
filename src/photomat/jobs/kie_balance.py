"""Kie's credits beside our jobs: a drop of the balance that no job explains becomes a difference somebody owns.

Kie's own number is read once an hour and held against an older reading. What jobs that ended since say they took explains
it; what jobs under way, and those of which Kie does not tell, may have taken is allowed for by their quotes. A rise beyond
what could have been given back is a top-up at Kie, and is noted. Bears two ACTIVEs: the second finds what the first read.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Final, Literal, TypeAlias

from photomat.audit import differences
from photomat.catalog.formula import plain
from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import require_row
from photomat.kernel.errors import PhotomatError
from photomat.kernel.logs import get_logger
from photomat.kie.port import Account

KIND: Final = "kie-credits"
AT_MOST_EVERY: Final = timedelta(minutes=55)
ANEW_AFTER: Final = timedelta(days=7)
TOLERANCE: Final = Decimal(5)
TOLERATED_PART: Final = Decimal("0.01")
"""Kie rounds: so many credits, and such a part of what the jobs took, may be missing."""

Verdict: TypeAlias = Literal["first", "explained", "topped up", "unexplained"]
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceReading:
    """What there was, and the older reading it is held against."""

    read_at: datetime
    balance: Decimal
    since_at: datetime
    since_balance: Decimal
    consumed: Decimal
    allowed: Decimal
    verdict: Verdict


async def read_kie_balance(pool: Pool, account: Account) -> Verdict | None:
    """Read Kie's balance and judge it; None when it was read less than an hour ago, or cannot be read now."""
    before = await _last(pool)
    if before is not None and await _is_fresh(pool, before):
        return None
    try:
        balance = Decimal(str(await account.credits()))
    except PhotomatError as error:
        log.warning("KIE_BALANCE_UNREAD", error=str(error))
        return None
    async with transaction(pool) as tx:
        await tx.execute("LOCK TABLE kie_readings IN SHARE ROW EXCLUSIVE MODE")
        before = await _last(tx)
        if before is not None and await _is_fresh(tx, before):
            return None
        reading = await _judged(tx, before, balance)
        await _keep(tx, reading)
        if reading.verdict == "unexplained":
            await _report(tx, reading)
    _say(reading, before)
    return reading.verdict


def verdict_on(before: BalanceReading, balance: Decimal, *, consumed: Decimal, allowed: Decimal) -> Verdict:
    """Judge a balance by the reading before and by what jobs took since that one's own beginning."""
    if balance > before.balance + before.allowed + TOLERANCE:
        return "topped up"
    missing = before.since_balance - balance - consumed - allowed
    return "unexplained" if missing > TOLERANCE + consumed * TOLERATED_PART else "explained"


async def _judged(tx: Transaction, before: BalanceReading | None, balance: Decimal) -> BalanceReading:
    now = await tx.fetchval("SELECT photomat_now()")
    if before is None:
        return BalanceReading(
            read_at=now,
            balance=balance,
            since_at=now,
            since_balance=balance,
            consumed=Decimal(0),
            allowed=await _under_way(tx),
            verdict="first",
        )
    begins_anew = before.verdict in {"topped up", "unexplained"} or now - before.since_at > ANEW_AFTER
    since_at = before.read_at if begins_anew else before.since_at
    since_balance = before.balance if begins_anew else before.since_balance
    consumed, untold = await _taken(tx, since_at)
    allowed = untold + await _under_way(tx)
    held_against = replace(before, since_at=since_at, since_balance=since_balance)
    verdict = verdict_on(held_against, balance, consumed=consumed, allowed=allowed)
    return replace(held_against, read_at=now, balance=balance, consumed=consumed, allowed=allowed, verdict=verdict)


async def _taken(tx: Transaction, since: datetime) -> tuple[Decimal, Decimal]:
    """What the jobs that ended since say they took, and what those that do not say were expected to."""
    row = await require_row(
        tx,
        """
        SELECT coalesce(sum(credits_consumed), 0) AS told,
               coalesce(sum((quote ->> 'credits')::numeric) FILTER (WHERE credits_consumed IS NULL), 0) AS untold
          FROM generation_jobs WHERE settled_at > $1 AND intent_at IS NOT NULL
        """,
        since,
    )
    return row["told"], row["untold"]


async def _under_way(tx: Transaction) -> Decimal:
    """What the jobs at Kie may have taken by now."""
    return Decimal(
        await tx.fetchval(
            """
            SELECT coalesce(sum((quote ->> 'credits')::numeric), 0) FROM generation_jobs
             WHERE settled_at IS NULL AND intent_at IS NOT NULL
            """
        )
    )


async def _last(source: Pool | Transaction) -> BalanceReading | None:
    row = await source.fetchrow(
        """
        SELECT read_at, balance, since_at, since_balance, consumed, allowed, verdict
          FROM kie_readings ORDER BY reading_id DESC LIMIT 1
        """
    )
    return None if row is None else BalanceReading(**dict(row))


async def _is_fresh(source: Pool | Transaction, reading: BalanceReading) -> bool:
    return bool(
        await source.fetchval("SELECT $1::timestamptz > photomat_now() - $2::interval", reading.read_at, AT_MOST_EVERY)
    )


async def _keep(tx: Transaction, reading: BalanceReading) -> None:
    await tx.execute(
        """
        INSERT INTO kie_readings (read_at, balance, since_at, since_balance, consumed, allowed, verdict)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        """,
        reading.read_at,
        reading.balance,
        reading.since_at,
        reading.since_balance,
        reading.consumed,
        reading.allowed,
        reading.verdict,
    )


async def _report(tx: Transaction, reading: BalanceReading) -> None:
    most = reading.consumed + reading.allowed
    await differences.report(
        tx,
        kind=KIND,
        reference=f"kie:{reading.read_at:%Y-%m-%dT%H:%M}",
        expected=f"at most {plain(most)} credits taken since {reading.since_at:%Y-%m-%d %H:%M} UTC",
        found=f"{plain(reading.since_balance - reading.balance)} credits less",
    )


def _say(reading: BalanceReading, before: BalanceReading | None) -> None:
    facts = {
        "balance": plain(reading.balance),
        "before": plain(before.balance) if before else None,
        "consumed": plain(reading.consumed),
        "allowed": plain(reading.allowed),
    }
    match reading.verdict:
        case "unexplained":
            log.error("KIE_CREDITS_UNEXPLAINED", **facts)
        case "topped up":
            log.info("KIE_TOPPED_UP", **facts)
        case "first" | "explained":
            log.info("KIE_BALANCE", **facts)
