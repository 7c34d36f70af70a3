"""Every alert rule with its thresholds and its condition; docs/operations/alerts.md has the same table.

A condition is one cheap statement over partial indexes that do not grow with history. None of them writes; the audit
reads only new rows (`audit/run.py`).
"""

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from photomat.alerts.incident import AlertRule, Condition, Figures, IncidentKind, ProbeContext
from photomat.audit.by_day import violations_by_day
from photomat.db.pool import Transaction
from photomat.db.rows import Row, require_row
from photomat.jobs.claims import CREATES
from photomat.jobs.partitions import find_shortages
from photomat.jobs.submit import paused_by
from photomat.kernel.errors import Transient
from photomat.kernel.ids import JobId
from photomat.kie.port import Paused
from photomat.kie.protocol import PAUSED_CODES
from photomat.work.budget import blocked_because
from photomat.work.disk import MIB

FRESH: Final = timedelta(seconds=7)
"""An instance that missed three heartbeats does not count as ACTIVE."""
NAMES_SHOWN: Final = 3
OFTEN: Final = timedelta(seconds=5)
"""For the ACTIVE rules: a handover ends within two checks."""
SOON: Final = timedelta(seconds=15)
NOW_AND_THEN: Final = timedelta(minutes=3)
SELDOM: Final = timedelta(minutes=10)
"""For rules that read more than the others."""
PROOF_AFTER: Final = timedelta(hours=26)
"""A proof is stored every night: a day, and two hours for a late or long one."""
CATCHING_UP: Final = timedelta(hours=1)
"""After days of downtime the proof is made soon after the start; no alert before that."""
AT_ONCE: Final = timedelta(0)
CALM: Final = timedelta(minutes=1)
PAUSE_CALM: Final = timedelta(minutes=4)
"""While submitting is paused, one job tries once a minute: several tries must be missing before it is over."""
DISK_CALM: Final = timedelta(minutes=5)
"""Instances on several machines check in turn, each its own disk: one with room must not end another's incident."""
HANDOVER: Final = timedelta(seconds=15)
"""Two ACTIVE instances for a moment are an ordinary deploy."""
LEADERLESS: Final = timedelta(seconds=30)
UNDELIVERED_AFTER: Final = timedelta(minutes=10)
NOTED_WITHIN: Final = timedelta(days=1)
"""Jobs keep such a note for ever, so only new ones count."""
PARKED_WITHIN: Final = timedelta(minutes=30)
ORPHANS_AT_LEAST: Final = 5
ORPHAN_AFTER: Final = timedelta(minutes=2)
"""Orphans are matched every minute: younger ones may still find their job."""
ORPHANS_WITHIN: Final = timedelta(hours=1)
CREDITS_BELOW: Final = 50
IDLE_TRANSACTION: Final = timedelta(minutes=5)
LONG_TRANSACTION: Final = timedelta(minutes=30)
RECEIPT_AFTER: Final = timedelta(hours=1)
FISCAL_AFTER: Final = timedelta(hours=6)
"""Maintenance of a tax service is common and may last for hours; the law leaves days."""
BACKUP_GRACE: Final = timedelta(hours=2)
"""For one that takes long, and one that is tried again."""
ERROR_SHOWN: Final = 300
STORE_AFTER: Final = timedelta(minutes=2)
"""A copy that the bucket did not take is brought there a minute later."""
COUNTED: Final = 1000


ABOUT_JOBS: Final[Mapping[str, tuple[str, *tuple[timedelta, ...]]]] = {
    IncidentKind.STOPPED_JOBS: ("stopped_at IS NOT NULL AND settled_at IS NULL",),
    IncidentKind.PARKED_DELIVERIES: ("parked_at IS NOT NULL AND card_shown < card_wanted",),
    IncidentKind.REFUSED_MEDIA: ("media_refused_at > photomat_now() - $2::interval", NOTED_WITHIN),
    IncidentKind.UNREAD_RESULTS: (
        "unread_fields IS NOT NULL AND settled_at > photomat_now() - $2::interval",
        NOTED_WITHIN,
    ),
    IncidentKind.UNDELIVERED: (
        """
        card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
        AND status = 'done' AND delivered_at IS NULL AND settled_at <= photomat_now() - $2::interval
        """,
        UNDELIVERED_AFTER,
    ),
}
"""Which jobs an incident is about, by the conditions of the rules below."""


async def no_active(context: ProbeContext) -> Figures | None:
    seen = await _instances(context)
    return {"alive": seen["alive"]} if seen["active"] == 0 else None


async def two_active(context: ProbeContext) -> Figures | None:
    active = (await _instances(context))["active"]
    return {"active": active} if active > 1 else None


async def audit_red(context: ProbeContext) -> Figures | None:
    """An invariant is broken among new rows, or was at the last full check and still is."""
    found = await violations_by_day(context.pool)
    names = ", ".join(one.name for one in found[:NAMES_SHOWN])
    return {"count": len(found), "names": names} if found else None


async def proof_missing(context: ProbeContext) -> Figures | None:
    """No full check has finished for long, in a database that has been this shop's for at least as long."""
    hours: int | None = await context.pool.fetchval(
        """
        SELECT floor(extract(epoch FROM photomat_now() - since) / 3600)::int
          FROM (SELECT greatest(stamped_at, (SELECT max(at) FROM audit_runs)) AS since FROM installation) AS checked
         WHERE since <= photomat_now() - $1::interval
        """,
        PROOF_AFTER,
    )
    return None if hours is None else {"hours": hours}


async def ranges_short(context: ProbeContext) -> Figures | None:
    """A table in partitions soon has none for new jobs, or has none already: its duty has failed for long."""
    found = await find_shortages(context.pool)
    if not found:
        return None
    return {"tables": ", ".join(one.table for one in found), "left": min(one.jobs_left for one in found)}


async def stopped_jobs(context: ProbeContext) -> Figures | None:
    """A job was stopped by a bug, and its money is held."""
    return await _counted(
        context,
        """
        SELECT count(*) AS count, min(job_id) AS job FROM generation_jobs
         WHERE stopped_at IS NOT NULL AND settled_at IS NULL
        """,
    )


async def parked_deliveries(context: ProbeContext) -> Figures | None:
    """Telegram refused a card so often that it is no longer tried."""
    return await _counted(
        context,
        """
        SELECT count(*) AS count, min(job_id) AS job FROM generation_jobs
         WHERE parked_at IS NOT NULL AND card_shown < card_wanted
        """,
    )


async def refused_media(context: ProbeContext) -> Figures | None:
    """Telegram refused the media of a card in an unexpected way, so that a link was shown instead."""
    return await _counted(
        context,
        """
        SELECT count(*) AS count, max(job_id) AS job FROM generation_jobs
         WHERE media_refused_at > photomat_now() - $1::interval
        """,
        NOTED_WITHIN,
    )


async def unread_results(context: ProbeContext) -> Figures | None:
    """Kie's result had fields that no rule could read; their contents were stored as files."""
    return await _counted(
        context,
        """
        SELECT count(*) AS count, max(job_id) AS job,
               (array_agg(array_to_string(unread_fields, ', ') ORDER BY settled_at DESC))[1] AS fields
          FROM generation_jobs
         WHERE unread_fields IS NOT NULL AND settled_at > photomat_now() - $1::interval
        """,
        NOTED_WITHIN,
    )


async def undelivered(context: ProbeContext) -> Figures | None:
    """A result has not been delivered for minutes to a customer who can be reached."""
    return await _counted(
        context,
        """
        SELECT count(*) AS count, min(job_id) AS job,
               (extract(epoch FROM photomat_now() - min(settled_at)) / 60)::int AS minutes
          FROM generation_jobs
         WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
           AND status = 'done' AND delivered_at IS NULL AND settled_at <= photomat_now() - $1::interval
        """,
        UNDELIVERED_AFTER,
    )


async def parked_updates(context: ProbeContext) -> Figures | None:
    """An update was parked lately; the rows stay forever, so only new ones count."""
    return await _counted(
        context, "SELECT count(*) AS count FROM inbox WHERE parked_at > photomat_now() - $1::interval", PARKED_WITHIN
    )


async def orphan_spike(context: ProbeContext) -> Figures | None:
    """Many recent callbacks found no job in time; the rows stay forever, so only new ones count."""
    count: int = await context.pool.fetchval(
        """
        SELECT count(*) FROM orphan_callbacks
         WHERE processed_at IS NULL
           AND received_at > photomat_now() - $2::interval AND received_at <= photomat_now() - $1::interval
        """,
        ORPHAN_AFTER,
        ORPHANS_WITHIN,
    )
    return {"count": count} if count >= ORPHANS_AT_LEAST else None


async def kie_key_refused(context: ProbeContext) -> Figures | None:
    """Kie does not accept our key. Unknown while submitting is paused: that incident says more."""
    if await _pause_code(context) is not None:
        raise Transient("submitting is paused: that says more")
    try:
        await context.account.credits()
    except Paused:
        return {}
    return None


async def kie_credits(context: ProbeContext) -> Figures | None:
    """The account at Kie is (nearly) empty. Unknown if Kie does not answer or refuses the key."""
    left = await context.account.credits()
    return {"credits": int(left)} if left < CREDITS_BELOW else None


async def kie_paused(context: ProbeContext) -> Figures | None:
    """Kie refused a task for a reason that applies to every task, less than a pause ago."""
    code = await _pause_code(context)
    if code is None:
        return None
    waiting: int = await context.pool.fetchval(
        """
        SELECT count(*) FROM generation_jobs
         WHERE (due_at IS NOT NULL OR submit_at IS NOT NULL) AND status = 'pending'
        """
    )
    return {"code": code, "count": waiting}


async def receipts_waiting(context: ProbeContext) -> Figures | None:
    """A receipt of a transfer waits too long for an operator's decision."""
    return await _counted(
        context,
        """
        SELECT count(*) AS count, min(receipt_id) AS receipt,
               (extract(epoch FROM photomat_now() - min(created_at)) / 60)::int AS minutes
          FROM receipts
         WHERE state = 'waiting' AND created_at <= photomat_now() - $1::interval
        """,
        RECEIPT_AFTER,
    )


async def shop_receipts(context: ProbeContext) -> Figures | None:
    """A provider refused a payment because of its fiscal receipt, and has accepted none since."""
    row = await context.pool.fetchrow(
        "SELECT times AS count, setting, reason FROM fiscal_refusals ORDER BY refused_at DESC LIMIT 1"
    )
    return None if row is None else dict(row)


async def tickets_waiting(context: ProbeContext) -> Figures | None:
    """A customer's message to support waits too long for an answer."""
    if not context.ticket_alert:
        return None
    return await _counted(
        context,
        """
        SELECT count(*) AS count, (array_agg(ticket_id ORDER BY waiting_since))[1] AS ticket,
               (extract(epoch FROM photomat_now() - min(waiting_since)) / 60)::int AS minutes
          FROM tickets WHERE waiting_since <= photomat_now() - $1::interval
        """,
        context.ticket_alert,
    )


async def appeals_waiting(context: ProbeContext) -> Figures | None:
    """A customer's appeal against a refusal waits as long as a message to support may."""
    if not context.ticket_alert:
        return None
    return await _counted(
        context,
        """
        SELECT count(*) AS count, (extract(epoch FROM photomat_now() - min(appealed_at)) / 60)::int AS minutes
          FROM content_refusals
         WHERE appealed_at IS NOT NULL AND decided_at IS NULL AND appealed_at <= photomat_now() - $1::interval
        """,
        context.ticket_alert,
    )


async def old_transaction(
    context: ProbeContext, *, idle: timedelta = IDLE_TRANSACTION, any_longer_than: timedelta = LONG_TRANSACTION
) -> Figures | None:
    """A session keeps its transaction open for so long that the database cannot vacuum.

    The server stamps sessions by its own clock, so that clock is asked here.
    """
    row = await context.pool.fetchrow(
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


async def disk_low(context: ProbeContext) -> Figures | None:
    """The disk of DATA_DIR, the embedded database included, has little room left."""
    threshold = context.disk_alert_bytes
    if context.disk is None or not threshold:
        return None
    free = await asyncio.to_thread(context.disk.free_bytes)
    return {"free": free // MIB, "threshold": threshold // MIB} if free < threshold else None


async def database_large(context: ProbeContext) -> Figures | None:
    """The database is larger than the operator's threshold, for example the limit of a hosted plan."""
    threshold = context.database_alert_bytes
    if not threshold:
        return None
    size: int = await context.pool.fetchval("SELECT pg_database_size(current_database())")
    return {"size": size // MIB, "threshold": threshold // MIB} if size > threshold else None


async def results_store(context: ProbeContext) -> Figures | None:
    """Copies wait in a folder because the bucket does not take them; at most `COUNTED` are counted."""
    return await _counted(
        context,
        """
        SELECT count(*) AS count, coalesce(floor(extract(epoch FROM photomat_now() - min(kept_at)) / 60), 0)::int AS minutes
          FROM (SELECT kept_at FROM job_outputs
                 WHERE keep_at IS NOT NULL AND kept_as IS NOT NULL AND kept_at < photomat_now() - $1::interval
                 LIMIT $2) AS waiting
        """,
        STORE_AFTER,
        COUNTED,
    )


async def fiscal_receipts(context: ProbeContext) -> Figures | None:
    """A receipt for the tax service is not issued for hours, or waits for an operator."""
    return await _counted(
        context,
        """
        SELECT late + blocked AS count, late, blocked, coalesce(oldest, stuck) AS fiscal
          FROM (SELECT count(*) AS late, min(fiscal_id) AS oldest FROM fiscal_receipts
                 WHERE due_at IS NOT NULL AND created_at < photomat_now() - $1::interval) AS open,
               (SELECT count(*) AS blocked, min(fiscal_id) AS stuck FROM fiscal_receipts WHERE state = 'blocked') AS stopped
        """,
        FISCAL_AFTER,
    )


async def tax_service_refuses(context: ProbeContext) -> Figures | None:
    """The tax service takes nothing from us: the password is wrong, or the yearly limit is reached."""
    return await _counted(
        context,
        """
        SELECT count(*) AS count, min(error) AS cause FROM fiscal_receipts
         WHERE due_at IS NOT NULL AND error IN ('password', 'limit')
        """,
    )


async def backup_old(context: ProbeContext) -> Figures | None:
    """The last proved backup is older than wanted; with what the last try said, if it failed."""
    if not context.backup_every:
        return None
    row = await context.pool.fetchrow(
        """
        SELECT floor(extract(epoch FROM photomat_now() - since) / 3600)::int AS hours, coalesce(error, '') AS error
          FROM (SELECT greatest(stamped_at, (SELECT max(started_at) FROM backups WHERE proved_at IS NOT NULL)) AS since
                  FROM installation) AS proved
          LEFT JOIN (SELECT error FROM backups ORDER BY started_at DESC LIMIT 1) AS last ON true
         WHERE since <= photomat_now() - $1::interval
        """,
        context.backup_every + BACKUP_GRACE,
    )
    wanted = max(1, round(context.backup_every / timedelta(hours=1)))
    return None if row is None else {"hours": row["hours"], "wanted": wanted, "error": row["error"][:ERROR_SHOWN]}


async def jobs_of(tx: Transaction, kind: str, *, limit: int) -> list[JobId]:
    """The jobs an incident of this kind is about now, oldest first; none where it is not about jobs."""
    if kind not in ABOUT_JOBS:
        return []
    condition, *arguments = ABOUT_JOBS[kind]
    rows = await tx.fetch(
        f"SELECT job_id FROM generation_jobs WHERE {condition} ORDER BY job_id LIMIT $1",  # noqa: S608  a constant of ours
        limit,
        *arguments,
    )
    return [JobId(row["job_id"]) for row in rows]


async def _instances(context: ProbeContext) -> Row:
    return await require_row(
        context.pool,
        """
        SELECT count(*) AS alive, count(*) FILTER (WHERE active) AS active
          FROM instances WHERE seen_at > photomat_now() - $1::interval
        """,
        FRESH,
    )


async def _pause_code(context: ProbeContext) -> int | None:
    reason = await blocked_because(context.pool, CREATES)
    return next((code for code in sorted(PAUSED_CODES) if paused_by(code) == reason), None)


async def _counted(context: ProbeContext, sql: str, *arguments: object) -> Figures | None:
    """The one row of a query, unless its `count` is 0."""
    row = await require_row(context.pool, sql, *arguments)
    return dict(row) if row["count"] else None


def rule(
    kind: IncidentKind,
    condition: Condition,
    *,
    every: timedelta = SOON,
    patience: timedelta = AT_ONCE,
    calm: timedelta = CALM,
    checked_alone: bool = False,
) -> AlertRule:
    """A rule; most are checked often, open at once and end after a minute of calm."""
    return AlertRule(
        kind=kind, condition=condition, every=every, patience=patience, calm=calm, checked_alone=checked_alone
    )


RULES: Final = (
    rule(IncidentKind.NO_ACTIVE, no_active, every=OFTEN, patience=LEADERLESS),
    rule(IncidentKind.TWO_ACTIVE, two_active, every=OFTEN, patience=HANDOVER),
    rule(IncidentKind.AUDIT, audit_red, every=SELDOM, checked_alone=True),
    rule(IncidentKind.PROOF_MISSING, proof_missing, every=SELDOM, patience=CATCHING_UP),
    rule(IncidentKind.STOPPED_JOBS, stopped_jobs),
    rule(IncidentKind.UNDELIVERED, undelivered),
    rule(IncidentKind.PARKED_DELIVERIES, parked_deliveries),
    rule(IncidentKind.REFUSED_MEDIA, refused_media),
    rule(IncidentKind.UNREAD_RESULTS, unread_results),
    rule(IncidentKind.PARKED_UPDATES, parked_updates),
    rule(IncidentKind.ORPHANS, orphan_spike),
    rule(IncidentKind.KIE_KEY, kie_key_refused, every=NOW_AND_THEN, checked_alone=True),
    rule(IncidentKind.KIE_CREDITS, kie_credits, every=NOW_AND_THEN, checked_alone=True),
    rule(IncidentKind.KIE_PAUSED, kie_paused, calm=PAUSE_CALM),
    rule(IncidentKind.OLD_TRANSACTION, old_transaction, every=timedelta(minutes=1)),
    rule(IncidentKind.DISK, disk_low, calm=DISK_CALM, checked_alone=True),
    rule(IncidentKind.DATABASE_SIZE, database_large, every=SELDOM),
    rule(IncidentKind.RECEIPTS_WAITING, receipts_waiting),
    rule(IncidentKind.TICKETS_WAITING, tickets_waiting),
    rule(IncidentKind.FISCAL_RECEIPTS, fiscal_receipts),
    rule(IncidentKind.TAX_SERVICE, tax_service_refuses),
    rule(IncidentKind.APPEALS_WAITING, appeals_waiting),
    rule(IncidentKind.SHOP_RECEIPTS, shop_receipts),
    rule(IncidentKind.BACKUP, backup_old, every=SELDOM),
    rule(IncidentKind.RESULTS_STORE, results_store, every=NOW_AND_THEN),
    rule(IncidentKind.PARTITIONS, ranges_short, every=SELDOM, patience=CATCHING_UP),
)
