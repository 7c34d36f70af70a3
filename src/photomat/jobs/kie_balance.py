"""Compare Kie's credit balance with our jobs: a drop that no job explains is reported as a difference.

The balance is read once an hour and compared with an older reading. The credits taken by jobs settled since then and by answers
of the chat model explain it; jobs under way, and those whose cost Kie did not report, are allowed for by their quotes. A rise
beyond that is a top-up at Kie.
Idempotent with two ACTIVE instances: the second finds the reading of the first.
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
COMPARED_FOR: Final = timedelta(days=7)
TOLERANCE: Final = Decimal(5)
TOLERATED_PART: Final = Decimal("0.01")
"""Kie rounds: so many credits, and this part of what the jobs took, may be missing."""

Verdict: TypeAlias = Literal["first", "explained", "topped up", "unexplained"]
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceReading:
    """A balance, and the older reading it is compared with."""

    read_at: datetime
    balance: Decimal
    since_at: datetime
    since_balance: Decimal
    consumed: Decimal
    allowed: Decimal
    verdict: Verdict


async def read_kie_balance(pool: Pool, account: Account) -> Verdict | None:
    """Read Kie's balance and judge it; None when it was read within the hour, or cannot be read now."""
    async with transaction(pool) as tx:
        if await _read_lately(tx, await _last(tx)):
            return None
    try:
        balance = Decimal(str(await account.credits()))
    except PhotomatError as error:
        log.warning("KIE_BALANCE_UNREAD", error=str(error))
        return None
    async with transaction(pool) as tx:
        await tx.execute("LOCK TABLE kie_readings IN SHARE ROW EXCLUSIVE MODE")
        before = await _last(tx)
        if await _read_lately(tx, before):
            return None
        reading = await _judged(tx, before, balance)
        await _insert(tx, reading)
        if reading.verdict == "unexplained":
            await _report(tx, reading)
    _log(reading, before)
    return reading.verdict


def verdict_on(before: BalanceReading, balance: Decimal, *, consumed: Decimal, allowed: Decimal) -> Verdict:
    """Judge a balance by the reading before it and by what jobs took since the start of that comparison."""
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
    if before.verdict in {"topped up", "unexplained"} or now - before.since_at > COMPARED_FOR:
        before = replace(before, since_at=before.read_at, since_balance=before.balance)
    consumed, unreported = await _taken(tx, before.since_at)
    allowed = unreported + await _under_way(tx)
    verdict = verdict_on(before, balance, consumed=consumed, allowed=allowed)
    return replace(before, read_at=now, balance=balance, consumed=consumed, allowed=allowed, verdict=verdict)


async def _taken(tx: Transaction, since: datetime) -> tuple[Decimal, Decimal]:
    """The credits taken by jobs settled and chat calls asked since then, and what those without a report may have taken."""
    row = await require_row(
        tx,
        """
        SELECT coalesce(sum(credits_consumed), 0) AS reported,
               coalesce(sum((quote ->> 'credits')::numeric) FILTER (WHERE credits_consumed IS NULL), 0) AS unreported
          FROM generation_jobs WHERE settled_at > $1 AND intent_at IS NOT NULL
        """,
        since,
    )
    chat = await require_row(
        tx,
        """
        SELECT coalesce(sum(credits) FILTER (WHERE state = 'answered'), 0) AS reported,
               coalesce(sum(credits) FILTER (WHERE state <> 'answered'), 0) AS unreported
          FROM assistant_calls WHERE asked_at > $1
        """,
        since,
    )
    return row["reported"] + chat["reported"], row["unreported"] + chat["unreported"]


async def _under_way(tx: Transaction) -> Decimal:
    """The credits the jobs at Kie may have taken by now."""
    return Decimal(
        await tx.fetchval(
            """
            SELECT coalesce(sum((quote ->> 'credits')::numeric), 0) FROM generation_jobs
             WHERE settled_at IS NULL AND intent_at IS NOT NULL
            """
        )
    )


async def _last(tx: Transaction) -> BalanceReading | None:
    row = await tx.fetchrow(
        """
        SELECT read_at, balance, since_at, since_balance, consumed, allowed, verdict
          FROM kie_readings ORDER BY reading_id DESC LIMIT 1
        """
    )
    return None if row is None else BalanceReading(**dict(row))


async def _read_lately(tx: Transaction, last: BalanceReading | None) -> bool:
    return last is not None and bool(
        await tx.fetchval("SELECT $1::timestamptz > photomat_now() - $2::interval", last.read_at, AT_MOST_EVERY)
    )


async def _insert(tx: Transaction, reading: BalanceReading) -> None:
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


def _log(reading: BalanceReading, before: BalanceReading | None) -> None:
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
