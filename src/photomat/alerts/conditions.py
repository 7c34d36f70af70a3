"""The conditions behind the watches: one cheap statement each, over partial indexes that do not grow with history.

None of them writes, and none reads all history: the audit looks at what is new (`audit/by_day.py`).
"""

import asyncio
from datetime import timedelta
from typing import Final

from photomat.alerts.incident import Condition, Eyes, Figures
from photomat.audit.by_day import violations_by_day
from photomat.db.rows import Row, require_row
from photomat.jobs.claims import CREATES
from photomat.jobs.submit import paused_by
from photomat.kernel.errors import Transient
from photomat.kie.port import Paused
from photomat.kie.wire import PAUSED_CODES
from photomat.work.disk import MIB

FRESH: Final = timedelta(seconds=7)
"""Who has missed three heartbeats does not count as ACTIVE here."""

NAMES_TOLD: Final = 3


async def no_active(eyes: Eyes) -> Figures | None:
    """Nobody says it is ACTIVE."""
    return {"alive": await _alive(eyes)} if await _active(eyes) == 0 else None


async def two_active(eyes: Eyes) -> Figures | None:
    """More than one says it is ACTIVE."""
    active = await _active(eyes)
    return {"active": active} if active > 1 else None


async def audit_red(eyes: Eyes) -> Figures | None:
    """An invariant does not hold among what is new, or did not at the last full check and still does not."""
    async with eyes.pool.acquire() as connection:
        found = await violations_by_day(connection)
    names = ", ".join(one.name for one in found[:NAMES_TOLD])
    return {"count": len(found), "names": names} if found else None


def proof_missing(*, longer_than: timedelta) -> Condition:
    """No full check has finished for so long, in a database that has been this shop's for at least as long."""

    async def holds(eyes: Eyes) -> Figures | None:
        hours: int | None = await eyes.pool.fetchval(
            """
            SELECT floor(extract(epoch FROM photomat_now() - since) / 3600)::int
              FROM (SELECT greatest(stamped_at, (SELECT max(at) FROM audit_runs)) AS since FROM installation) AS checked
             WHERE since <= photomat_now() - $1::interval
            """,
            longer_than,
        )
        return None if hours is None else {"hours": hours}

    return holds


async def stopped_jobs(eyes: Eyes) -> Figures | None:
    """A job was stopped because of an error of ours, and its money is held."""
    return _some(
        await require_row(
            eyes.pool,
            """
            SELECT count(*) AS count, min(job_id) AS job FROM generation_jobs
             WHERE stopped_at IS NOT NULL AND settled_at IS NULL
            """,
        )
    )


async def parked_deliveries(eyes: Eyes) -> Figures | None:
    """Telegram refused a card so often that nobody tries any more."""
    return _some(
        await require_row(
            eyes.pool,
            """
            SELECT count(*) AS count, min(job_id) AS job FROM generation_jobs
             WHERE parked_at IS NOT NULL AND card_shown < card_wanted
            """,
        )
    )


def refused_media(*, within: timedelta) -> Condition:
    """Telegram refused the media of a card so often, and in a way nobody planned for, that a link was shown instead."""

    async def holds(eyes: Eyes) -> Figures | None:
        return _some(
            await require_row(
                eyes.pool,
                """
                SELECT count(*) AS count, max(job_id) AS job FROM generation_jobs
                 WHERE media_refused_at > photomat_now() - $1::interval
                """,
                within,
            )
        )

    return holds


def unread_results(*, within: timedelta) -> Condition:
    """Kie's answer to a finished job held fields that no rule could read; their contents were kept as files."""

    async def holds(eyes: Eyes) -> Figures | None:
        return _some(
            await require_row(
                eyes.pool,
                """
                SELECT count(*) AS count, max(job_id) AS job,
                       (array_agg(array_to_string(unread_fields, ', ') ORDER BY settled_at DESC))[1] AS fields
                  FROM generation_jobs
                 WHERE unread_fields IS NOT NULL AND settled_at > photomat_now() - $1::interval
                """,
                within,
            )
        )

    return holds


def undelivered(*, longer_than: timedelta) -> Condition:
    """A result is there and its customer, who can be reached, has not seen it for so long."""

    async def holds(eyes: Eyes) -> Figures | None:
        return _some(
            await require_row(
                eyes.pool,
                """
                SELECT count(*) AS count, min(job_id) AS job,
                       (extract(epoch FROM photomat_now() - min(settled_at)) / 60)::int AS minutes
                  FROM generation_jobs
                 WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
                   AND status = 'done' AND delivered_at IS NULL AND settled_at <= photomat_now() - $1::interval
                """,
                longer_than,
            )
        )

    return holds


def parked_updates(*, within: timedelta) -> Condition:
    """An update was put aside lately; the rows stay for ever, so only new ones count."""

    async def holds(eyes: Eyes) -> Figures | None:
        return _some(
            await require_row(
                eyes.pool, "SELECT count(*) AS count FROM inbox WHERE parked_at > photomat_now() - $1::interval", within
            )
        )

    return holds


def orphan_spike(*, at_least: int, older_than: timedelta, within: timedelta) -> Condition:
    """So many callbacks of late found no job though they had time to; the rows stay for ever, so only new ones count."""

    async def holds(eyes: Eyes) -> Figures | None:
        count: int = await eyes.pool.fetchval(
            """
            SELECT count(*) FROM orphan_callbacks
             WHERE processed_at IS NULL
               AND received_at > photomat_now() - $2::interval AND received_at <= photomat_now() - $1::interval
            """,
            older_than,
            within,
        )
        return {"count": count} if count >= at_least else None

    return holds


async def kie_key_refused(eyes: Eyes) -> Figures | None:
    """Kie does not accept our key. While submitting is paused, that incident says it, and this one says nothing."""
    if await _pause_code(eyes) is not None:
        raise Transient("submitting is paused: that says more")
    try:
        await eyes.account.credits()
    except Paused:
        return {}
    return None


def kie_credits(*, below: int) -> Condition:
    """The account at Kie is (nearly) empty. A Kie that does not answer, or refuses the key, says nothing about that."""

    async def holds(eyes: Eyes) -> Figures | None:
        left = await eyes.account.credits()
        return {"credits": int(left)} if left < below else None

    return holds


async def kie_paused(eyes: Eyes) -> Figures | None:
    """Kie refused a task in a way that holds for every task, less than a pause ago."""
    code = await _pause_code(eyes)
    if code is None:
        return None
    waiting: int = await eyes.pool.fetchval(
        """
        SELECT count(*) FROM generation_jobs
         WHERE (due_at IS NOT NULL OR submit_at IS NOT NULL) AND status = 'pending'
        """
    )
    return {"code": code, "count": waiting}


def receipts_waiting(*, longer_than: timedelta) -> Condition:
    """Somebody transferred money by hand, sent a receipt, and no operator has decided about it for so long."""

    async def holds(eyes: Eyes) -> Figures | None:
        return _some(
            await require_row(
                eyes.pool,
                """
                SELECT count(*) AS count, min(receipt_id) AS receipt,
                       (extract(epoch FROM photomat_now() - min(created_at)) / 60)::int AS minutes
                  FROM receipts
                 WHERE state = 'waiting' AND created_at <= photomat_now() - $1::interval
                """,
                longer_than,
            )
        )

    return holds


def old_transaction(*, idle: timedelta, any_longer_than: timedelta) -> Condition:
    """A session keeps its transaction open for so long that the database cannot tidy up behind it.

    The server stamps sessions by its own clock, so that clock is asked here.
    """

    async def holds(eyes: Eyes) -> Figures | None:
        row = await eyes.pool.fetchrow(
            """
            SELECT pid, (extract(epoch FROM clock_timestamp() - xact_start) / 60)::int AS minutes
              FROM pg_stat_activity
             WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
               AND (xact_start < clock_timestamp() - $2::interval
                    OR state LIKE 'idle in transaction%' AND state_change < clock_timestamp() - $1::interval)
             ORDER BY xact_start LIMIT 1
            """,
            idle,
            any_longer_than,
        )
        return None if row is None else dict(row)

    return holds


async def disk_low(eyes: Eyes) -> Figures | None:
    """The disk of DATA_DIR has little room left, the embedded database's included."""
    if eyes.disk is None or not eyes.disk_alert_bytes:
        return None
    free = await asyncio.to_thread(eyes.disk.free_bytes)
    return {"free": free // MIB, "threshold": eyes.disk_alert_bytes // MIB} if free < eyes.disk_alert_bytes else None


async def database_large(eyes: Eyes) -> Figures | None:
    """The database is larger than the operator wants it to be, for example than a hosted plan allows."""
    if not eyes.database_alert_bytes:
        return None
    size: int = await eyes.pool.fetchval("SELECT pg_database_size(current_database())")
    over = size > eyes.database_alert_bytes
    return {"size": size // MIB, "threshold": eyes.database_alert_bytes // MIB} if over else None


async def _active(eyes: Eyes) -> int:
    return int(
        await eyes.pool.fetchval(
            "SELECT count(*) FROM instances WHERE active AND seen_at > photomat_now() - $1::interval", FRESH
        )
    )


async def _alive(eyes: Eyes) -> int:
    return int(
        await eyes.pool.fetchval("SELECT count(*) FROM instances WHERE seen_at > photomat_now() - $1::interval", FRESH)
    )


async def _pause_code(eyes: Eyes) -> int | None:
    reason: str | None = await eyes.pool.fetchval(
        "SELECT reason FROM budgets WHERE name = $1 AND blocked_until > photomat_now()", CREATES
    )
    return next((code for code in sorted(PAUSED_CODES) if paused_by(code) == reason), None)


def _some(row: Row) -> Figures | None:
    return dict(row) if row["count"] else None
