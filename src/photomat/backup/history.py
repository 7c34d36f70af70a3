"""Backups as rows: when one was begun, how it ended, whether it was proved. The files may outlive the rows."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from photomat.backup.file import Manifest
from photomat.db.pool import Connection, Pool
from photomat.db.rows import row_as
from photomat.work.retention import OldRows

OLD_BACKUPS: Final = OldRows(table="backups", age="started_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeBackup:
    backup_id: int
    started_at: datetime
    made_by: str
    ended_at: datetime | None
    proved_at: datetime | None
    file: str | None
    size_bytes: int | None
    error: str | None


async def record_begin(connection: Connection, *, made_by: str) -> int | None:
    """Record that a backup begins; None on a schema that is older than the table."""
    if not await connection.fetchval("SELECT to_regclass('backups') IS NOT NULL"):
        return None
    return int(await connection.fetchval("INSERT INTO backups (made_by) VALUES ($1) RETURNING backup_id", made_by))


async def record_end(
    connection: Connection, backup_id: int | None, *, file: str, manifest: Manifest, is_proved: bool, error: str | None
) -> None:
    if backup_id is None:
        return
    await connection.execute(
        """
        UPDATE backups
           SET ended_at = photomat_now(), file = $2, size_bytes = $3, sha256 = $4, error = $6,
               proved_at = CASE WHEN $5 THEN photomat_now() END
         WHERE backup_id = $1
        """,
        backup_id,
        file,
        manifest.size_bytes,
        manifest.sha256,
        is_proved,
        error,
    )


async def record_failure(connection: Connection, backup_id: int | None, *, error: str) -> None:
    if backup_id is not None:
        await connection.execute(
            "UPDATE backups SET ended_at = photomat_now(), error = $2 WHERE backup_id = $1", backup_id, error
        )


async def forget_unfinished(connection: Connection) -> None:
    """A backup contains the row of its own beginning; in the restored database it means nothing."""
    await connection.execute("DELETE FROM backups WHERE ended_at IS NULL")


async def is_backup_due(pool: Pool, *, every: timedelta, retry: timedelta) -> bool:
    """Whether the last good backup is old enough for the next, and none was begun a moment ago."""
    return bool(
        await pool.fetchval(
            """
            SELECT NOT EXISTS (SELECT FROM backups WHERE proved_at IS NOT NULL AND started_at > photomat_now() - $1::interval)
               AND NOT EXISTS (SELECT FROM backups WHERE started_at > photomat_now() - $2::interval)
            """,
            every,
            min(retry, every),
        )
    )


async def list_backups(pool: Pool, *, limit: int = 50) -> list[MadeBackup]:
    rows = await pool.fetch(
        """
        SELECT backup_id, started_at, made_by, ended_at, proved_at, file, size_bytes, error
          FROM backups ORDER BY started_at DESC LIMIT $1
        """,
        limit,
    )
    return [row_as(MadeBackup, row) for row in rows]
