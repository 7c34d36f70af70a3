"""The state of the installation for operators: instances, pauses, Kie's credits, budgets, database, proof, incidents.

Every query is bounded and reads partial indexes, the newest rows or the server's own statistics: none grows with history.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from photomat.cluster.instances import RunningInstance, running_instances
from photomat.db.pool import Pool
from photomat.db.rows import Row, require_row, row_as
from photomat.kernel.metrics import EVENTS
from photomat.reports.backlog import PACED, Backlog, StepTime, read_backlogs, read_step_times
from photomat.reports.money import LastProof, last_proof
from photomat.reports.today import KieCredits, kie_credits
from photomat.work.budget import Budget
from photomat.work.controls import BOT, KIE, RESTORE, Pause, read_pauses

INCIDENTS: Final = 20
TABLES: Final = 8
ABSORBED: Final = {
    "duplicates": ("CALLBACK_DUPLICATE", "DELIVER_LOCK_SKIP"),
    "stale": ("UPDATE_LANE_LOST", "ALERT_LEASE_LOST", "SETTLE_SKIP", "SUBMIT_SKIP"),
    "leases": ("SWEPT", "LEASE_NOT_RENEWED"),
}
"""Log tags that say: a duplicate changed nothing, a late writer wrote nothing, a claim was freed or ran out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetUse:
    """A shared budget: calls of its window, and until when and why it is blocked."""

    name: str
    used: int
    limit: int
    window_s: float
    blocked_until: datetime | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSize:
    name: str
    size: int
    live: int
    dead: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseState:
    """`oldest` is the longest open transaction; `horizon` how far the oldest snapshot holds back the vacuum."""

    size: int
    version: str
    connections: int
    connections_allowed: int
    oldest: timedelta | None
    horizon: int
    tables: Sequence[TableSize]


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentRow:
    incident_id: int
    kind: str
    is_open: bool
    figures: Mapping[str, Any]
    opened_at: datetime
    closed_at: datetime | None
    lasted: timedelta
    acknowledged_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LastBackup:
    """The newest backup that ended, and what was wrong with it."""

    at: datetime
    is_proved: bool
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRestore:
    """The database was restored and waits for an operator."""

    file: str
    snapshot_at: datetime
    is_read: bool
    uncertain: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthReport:
    instances: Sequence[RunningInstance]
    pauses: Sequence[Pause]
    backlogs: Sequence[Backlog]
    steps: Sequence[StepTime]
    credits: KieCredits | None
    budgets: Sequence[BudgetUse]
    chats_blocked: int
    database: DatabaseState
    proof: LastProof | None
    backup: LastBackup | None
    restored: OpenRestore | None
    incidents: Sequence[IncidentRow]

    @property
    def open_incidents(self) -> int:
        return sum(one.is_open for one in self.incidents)

    @property
    def worst(self) -> Backlog | None:
        """The loop whose oldest due row has waited longest."""
        waiting = [one for one in self.backlogs if one.oldest is not None and one.loop not in PACED]
        return max(waiting, key=lambda one: one.oldest or timedelta(0), default=None)


async def read_health(pool: Pool, *, budgets: Sequence[Budget]) -> HealthReport:
    return HealthReport(
        instances=await running_instances(pool),
        pauses=await active_pauses(pool),
        backlogs=await read_backlogs(pool),
        steps=await read_step_times(pool),
        credits=await kie_credits(pool),
        budgets=await read_budgets(pool, budgets),
        chats_blocked=await count_blocked_chats(pool),
        database=await read_database(pool),
        proof=await last_proof(pool),
        backup=await read_last_backup(pool),
        restored=await read_restore(pool),
        incidents=await read_incidents(pool),
    )


async def read_last_backup(pool: Pool) -> LastBackup | None:
    row = await pool.fetchrow(
        """
        SELECT started_at AS at, proved_at IS NOT NULL AS is_proved, error FROM backups
         WHERE ended_at IS NOT NULL ORDER BY started_at DESC LIMIT 1
        """
    )
    return None if row is None else row_as(LastBackup, row)


async def read_restore(pool: Pool) -> OpenRestore | None:
    row = await pool.fetchrow(
        """
        SELECT file, snapshot_at, payments_read_at IS NOT NULL AS is_read,
               (SELECT count(*) FROM generation_jobs
                 WHERE settled_at IS NULL AND restored_at IS NOT NULL AND external_task_id IS NULL) AS uncertain
          FROM restores WHERE resumed_at IS NULL
        """
    )
    return None if row is None else row_as(OpenRestore, row)


async def active_pauses(pool: Pool) -> list[Pause]:
    """What is paused now; the layout shows it on every page. That of a restored shop includes the bot and Kie."""
    found = (await read_pauses(pool)).by_name
    return [pause for name, pause in found.items() if RESTORE not in found or name not in {BOT, KIE}]


async def read_budgets(pool: Pool, budgets: Sequence[Budget]) -> list[BudgetUse]:
    rows = await pool.fetch(
        """
        SELECT ours.name, CASE WHEN blocked_until > photomat_now() THEN blocked_until END AS blocked_until,
               CASE WHEN blocked_until > photomat_now() THEN reason END AS reason,
               (SELECT count(*) FROM unnest(taken) AS at
                 WHERE at > photomat_now() - make_interval(secs => window_s)) AS used
          FROM unnest($1::text[], $2::float[]) WITH ORDINALITY AS ours (name, window_s, place)
          LEFT JOIN budgets ON budgets.name = ours.name
         ORDER BY place
        """,
        [one.name for one in budgets],
        [one.window_s for one in budgets],
    )
    return [_budget_use(one, row) for one, row in zip(budgets, rows, strict=True)]


def _budget_use(one: Budget, row: Row) -> BudgetUse:
    return BudgetUse(
        name=one.name,
        used=row["used"],
        limit=one.limit,
        window_s=one.window_s,
        blocked_until=row["blocked_until"],
        reason=row["reason"],
    )


async def count_blocked_chats(pool: Pool) -> int:
    """Chats that Telegram has answered with 429 and that wait."""
    return int(
        await pool.fetchval(
            "SELECT count(*) FROM budgets WHERE name LIKE 'telegram:%:chat:%' AND blocked_until > photomat_now()"
        )
    )


async def read_database(pool: Pool) -> DatabaseState:
    """The server stamps sessions by its own clock, so that clock is asked here."""
    row = await require_row(
        pool,
        """
        SELECT pg_database_size(current_database()) AS size, current_setting('server_version') AS version,
               current_setting('max_connections')::int AS connections_allowed, count(*) AS connections,
               max(clock_timestamp() - xact_start) FILTER (WHERE pid <> pg_backend_pid()) AS oldest,
               coalesce(max(age(backend_xmin)) FILTER (WHERE pid <> pg_backend_pid()), 0) AS horizon
          FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend'
        """,
    )
    return DatabaseState(**dict(row), tables=await _largest_tables(pool))


async def _largest_tables(pool: Pool) -> list[TableSize]:
    rows = await pool.fetch(
        """
        SELECT relname AS name, pg_total_relation_size(relid) AS size, n_live_tup AS live, n_dead_tup AS dead
          FROM pg_stat_user_tables ORDER BY pg_total_relation_size(relid) DESC, relname LIMIT $1
        """,
        TABLES,
    )
    return [TableSize(**dict(row)) for row in rows]


async def read_incidents(pool: Pool, *, limit: int = INCIDENTS) -> list[IncidentRow]:
    """Open ones first, then the newest."""
    rows = await pool.fetch(
        """
        SELECT incident_id, kind, closed_at IS NULL AS is_open, figures, opened_at, closed_at, acknowledged_by,
               coalesce(quiet_since, photomat_now()) - opened_at AS lasted
          FROM incidents ORDER BY closed_at IS NULL DESC, incident_id DESC LIMIT $1
        """,
        limit,
    )
    return [IncidentRow(**dict(row)) for row in rows]


def absorbed_events() -> dict[str, int]:
    """What this process has counted since its start, by the names of `ABSORBED`."""
    counted = {
        sample.labels["tag"]: int(sample.value)
        for metric in EVENTS.collect()
        for sample in metric.samples
        if sample.name.endswith("_total")
    }
    return {name: sum(counted.get(tag, 0) for tag in tags) for name, tags in ABSORBED.items()}
