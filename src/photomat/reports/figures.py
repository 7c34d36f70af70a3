"""Figures of the database for /metrics: money, jobs, backlogs, incidents, the server itself.

Every query is bounded: it reads partial indexes over what is live or due, the newest row, or the server's own statistics.
They are read on request, at most every `EVERY_S`, one reading at a time: a storm of scrapes costs what one costs.
Without a database the figures are taken away instead of growing old, and `photomat_database_up` says so.
"""

import asyncio
from collections.abc import Iterable
from datetime import timedelta
from typing import Final

from prometheus_client import Gauge

from photomat.cluster.instances import running_instances
from photomat.db.pool import Pool
from photomat.db.rows import require_row
from photomat.inbox.receive import queue_depth
from photomat.kernel import metrics
from photomat.kernel.clock import monotonic
from photomat.reports.backlog import PACED, read_backlogs
from photomat.reports.money import last_proof
from photomat.work.controls import MODEL, read_pauses

EVERY_S: Final = 5.0
WITHIN_S: Final = 2.0
LABELLED: Final = (
    metrics.JOBS_LIVE,
    metrics.MONEY_HELD,
    metrics.MONEY_OWED,
    metrics.BACKLOG,
    metrics.BACKLOG_OLDEST_S,
    metrics.INCIDENTS,
    metrics.PAUSED,
    metrics.INSTANCES,
)
Labelled = Iterable[tuple[tuple[str, ...], float]]


class DatabaseFigures:
    """`currency` is that of the wallets: without debts and holds it is shown with 0."""

    def __init__(self, pool: Pool, *, currency: str) -> None:
        self._pool = pool
        self._currency = currency
        self._reading = asyncio.Lock()
        self._read_at: float | None = None

    async def refresh(self) -> None:
        """Read the figures unless they are fresh, or are being read; never raises."""
        is_fresh = self._read_at is not None and monotonic() - self._read_at < EVERY_S
        if is_fresh or self._reading.locked():
            return
        async with self._reading:
            try:
                async with asyncio.timeout(WITHIN_S):
                    await read_figures(self._pool, currency=self._currency)
                metrics.DATABASE_UP.set(1)
            except Exception:  # noqa: BLE001  any failure means the same here: no figures
                metrics.DATABASE_UP.set(0)
                for gauge in LABELLED:
                    gauge.clear()
            self._read_at = monotonic()


async def read_figures(pool: Pool, *, currency: str) -> None:
    metrics.QUEUE_DEPTH.set(await queue_depth(pool))
    await _read_jobs_and_money(pool, currency)
    await _read_loops(pool)
    await _read_operations(pool)
    await _read_server(pool)


async def _read_jobs_and_money(pool: Pool, currency: str) -> None:
    """Jobs on their way with their open holds, and debts."""
    rows = await pool.fetch(
        """
        SELECT job.kind, job.status, holds.currency, count(DISTINCT job.job_id) AS jobs, coalesce(sum(amount), 0) AS held
          FROM generation_jobs AS job
          LEFT JOIN holds ON holds.job_id = job.job_id
               AND NOT EXISTS (SELECT FROM hold_closings WHERE hold_closings.reference = holds.reference)
         WHERE job.settled_at IS NULL GROUP BY job.kind, job.status, holds.currency
        """
    )
    _fill(metrics.JOBS_LIVE, _summed(((row["kind"], row["status"]), row["jobs"]) for row in rows))
    held = [((row["currency"],), row["held"]) for row in rows if row["currency"]]
    _fill(metrics.MONEY_HELD, _summed([((currency,), 0), *held]))
    owed = await pool.fetch("SELECT currency, sum(owed) AS owed FROM wallets WHERE owed > 0 GROUP BY currency")
    _fill(metrics.MONEY_OWED, [((currency,), 0), *(((row["currency"],), row["owed"]) for row in owed)])


async def _read_loops(pool: Pool) -> None:
    backlogs = await read_backlogs(pool)
    _fill(metrics.BACKLOG, [((one.loop,), one.count) for one in backlogs])
    aged = [one for one in backlogs if one.loop not in PACED]
    _fill(metrics.BACKLOG_OLDEST_S, [((one.loop,), (one.oldest or timedelta(0)).total_seconds()) for one in aged])


async def _read_operations(pool: Pool) -> None:
    """Incidents, pauses, instances, Kie's balance and the last proof."""
    incidents = await pool.fetch("SELECT kind, count(*) AS open FROM incidents WHERE closed_at IS NULL GROUP BY kind")
    _fill(metrics.INCIDENTS, [((row["kind"],), row["open"]) for row in incidents])
    paused = (await read_pauses(pool)).by_name
    names = ["models" if name.startswith(MODEL) else name for name in paused]
    _fill(metrics.PAUSED, [((name,), names.count(name)) for name in {"bot", "models", "provider:kie", *names}])
    states = ["active" if one.active else "passive" for one in await running_instances(pool)]
    _fill(metrics.INSTANCES, [((state,), states.count(state)) for state in ("active", "passive")])
    balance = await pool.fetchval("SELECT balance FROM kie_readings ORDER BY read_at DESC LIMIT 1")
    if balance is not None:
        metrics.KIE_CREDITS.set(float(balance))
    proof = await last_proof(pool)
    if proof is not None:
        metrics.AUDIT_BROKEN.set(proof.broken)
        metrics.AUDIT_AT.set(proof.at.timestamp())


async def _read_server(pool: Pool) -> None:
    """The server stamps sessions by its own clock, so that clock is asked here."""
    row = await require_row(
        pool,
        """
        SELECT pg_database_size(current_database()) AS size, current_setting('max_connections')::int AS allowed,
               count(*) FILTER (WHERE datname = current_database()) AS connections,
               coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)
                                             FILTER (WHERE pid <> pg_backend_pid())), 0) AS oldest,
               coalesce(max(age(backend_xmin)) FILTER (WHERE pid <> pg_backend_pid()), 0) AS xmin
          FROM pg_stat_activity WHERE backend_type = 'client backend'
        """,
    )
    metrics.PG_SIZE.set(row["size"])
    metrics.PG_CONNECTIONS.set(row["connections"])
    metrics.PG_CONNECTIONS_MAX.set(row["allowed"])
    metrics.PG_OLDEST_S.set(float(row["oldest"]))
    metrics.PG_XMIN.set(row["xmin"])


def _summed(rows: Iterable[tuple[tuple[str, ...], float]]) -> Labelled:
    sums: dict[tuple[str, ...], float] = {}
    for labels, value in rows:
        sums[labels] = sums.get(labels, 0) + float(value)
    return sums.items()


def _fill(gauge: Gauge, values: Labelled) -> None:
    """Replace every value of a gauge: what is not there any more is not shown any more."""
    gauge.clear()
    for labels, value in values:
        gauge.labels(*labels).set(float(value))
