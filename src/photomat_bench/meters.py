"""Meters: processor time of processes from /proc, and what PostgreSQL counts."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat.db.pool import Connection

TICKS: Final = os.sysconf("SC_CLK_TCK")


def cpu_s(pid: int) -> float:
    """Processor seconds of a process, with its ended children."""
    return sum(_ticks(pid)) / TICKS


def family_cpu_s(pid: int) -> float:
    """Processor seconds of a process and of everything it started, ended or not."""
    own = cpu_s(pid)
    return own + sum(family_cpu_s(child) for child in _children(pid))


def resident_mb(pid: int) -> float:
    """Memory of a process that is in RAM."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def _children(pid: int) -> list[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return []
    return [int(word) for word in found.split()]


def _ticks(pid: int) -> list[int]:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return [0]
    return [int(word) for word in stat.rpartition(")")[2].split()[11:15]]


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseCounts:
    """Counters of one moment; what lies between two of them is the difference."""

    commits: int
    rollbacks: int
    written: int
    wal_bytes: int
    wal_syncs: int

    def since(self, earlier: "DatabaseCounts") -> "DatabaseCounts":
        return DatabaseCounts(
            commits=self.commits - earlier.commits,
            rollbacks=self.rollbacks - earlier.rollbacks,
            written=self.written - earlier.written,
            wal_bytes=self.wal_bytes - earlier.wal_bytes,
            wal_syncs=self.wal_syncs - earlier.wal_syncs,
        )


async def database_counts(connection: Connection) -> DatabaseCounts:
    """`commits` are all transactions, `written` those that took a transaction id; the first lag by up to a second."""
    row = await connection.fetchrow(
        """SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits,
                  (SELECT xact_rollback FROM pg_stat_database WHERE datname = current_database()) AS rollbacks,
                  pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS written,
                  pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint AS wal_bytes,
                  coalesce((SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal'), 0)::bigint AS wal_syncs"""
    )
    if row is None:
        raise RuntimeError("PostgreSQL gave no counts")
    return DatabaseCounts(**dict(row))
