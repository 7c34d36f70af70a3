"""Load a backup into an empty database. What the shop may do with it afterwards is decided in `operators/restores.py`.

    checks ─▶ mark (commit) ─▶ pg_restore (one transaction) ─▶ migrations ─▶ jobs uncertain, shop paused, mark removed (commit)

Killed after the mark: no program starts on the database, and `photomat restore` begins again. Before it: nothing happened.
"""

from datetime import datetime
from pathlib import Path
from typing import Final

from photomat.backup.file import Manifest
from photomat.backup.proof import load
from photomat.db.installation import SANDBOX_BOT, name_of
from photomat.db.listen import require_session
from photomat.db.migrate import BREAKING_PATTERN, migrate, read_migrations, refuse_old_version
from photomat.db.pool import Connection, connect, display_name
from photomat.db.restoring import has_tables, mark_restore, unfinished_restore
from photomat.db.rows import require_row
from photomat.db.schema_check import require_schema
from photomat.kernel.errors import Startup
from photomat.kernel.failpoint import failpoint

SESSION: Final = "photomat restore"
ANALYZE_TIMEOUT_S: Final = 1800


def refuse_manifest(manifest: Manifest, *, bot_id: int | None, adopts: bool) -> None:
    """Refuse a backup of a newer program, and that of another bot unless the operator says so."""
    known = read_migrations()
    newer = manifest.migrations[len(known) :]
    if newer:
        word = " and breaks older ones" if any(map(BREAKING_PATTERN.match, newer)) else ""
        raise Startup(
            f"The backup was made by Photomat {manifest.version}, which is newer{word}: its database is at"
            f" {manifest.migrations[-1]}, and this program knows up to {known[-1].name}. Install that version, then restore."
        )
    ours = SANDBOX_BOT if bot_id is None else bot_id
    if manifest.bot_id == ours or manifest.bot_id is None:
        return
    if SANDBOX_BOT in {manifest.bot_id, ours}:
        raise Startup(
            f"The backup is of {name_of(manifest.bot_id)}, and this program is {name_of(ours)}: play money and real money"
            " never mix. Set or remove BOT_TOKEN and KIE_API_KEY."
        )
    if not adopts:
        raise Startup(
            f"The backup is of {name_of(manifest.bot_id)}, and BOT_TOKEN is that of {name_of(ours)}: correct BOT_TOKEN; or, if"
            " the shop moves to this bot, restore with --adopt and then run `photomat installation adopt --reason …`."
        )


async def require_empty(dsn: str, manifest: Manifest) -> None:
    """Refuse a database that is in use or holds anything; one with an unfinished restore is emptied later."""
    await require_session(dsn)
    connection = await connect(dsn, name=SESSION, patience_s=10)
    try:
        row = await require_row(
            connection,
            """
            SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS called,
                   current_schema() AS pg_schema
            """,
        )
        refuse_old_version(row["version"], called=row["called"])
        await _require_unused(connection, dsn)
        if row["pg_schema"] != manifest.pg_schema:
            raise Startup(
                f"The backup's tables are in the schema {manifest.pg_schema}, and {display_name(dsn)} uses"
                f" {row['pg_schema']}: set `schema={manifest.pg_schema}` in DATABASE_URL, or create that schema first."
            )
        await _require_nothing_in(connection, dsn)
    finally:
        await connection.close(timeout=5)


async def require_promoted(dsn: str) -> datetime | None:
    """Refuse a replica and a database in use; return when the last commit was made that was replayed, if it is known."""
    await require_session(dsn)
    connection = await connect(dsn, name=SESSION, patience_s=10)
    try:
        if await connection.fetchval("SELECT pg_is_in_recovery()"):
            raise Startup(f"{display_name(dsn)} is still a replica: promote it first (SELECT pg_promote()).")
        await _require_unused(connection, dsn)
        await require_schema(connection)
        at: datetime | None = await connection.fetchval("SELECT pg_last_xact_replay_timestamp()")
        return at
    finally:
        await connection.close(timeout=5)


async def _require_unused(connection: Connection, dsn: str) -> None:
    others = await connection.fetchval(
        """
        SELECT array_agg(DISTINCT coalesce(nullif(application_name, ''), 'unnamed'))
          FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        """
    )
    if others:
        raise Startup(
            f"{display_name(dsn)} is in use ({', '.join(sorted(others))}): stop the bot and everything else that"
            " uses it, then restore."
        )


async def _require_nothing_in(connection: Connection, dsn: str) -> None:
    if await has_tables(connection) and await unfinished_restore(connection) is None:
        raise Startup(
            f"{display_name(dsn)} is not empty, and a restore never replaces what is there. Give it an empty database: a new"
            " DATABASE_URL; or stop the bot and move the folder `postgres` of DATA_DIR away, do not delete it."
        )


async def load_backup(dsn: str, path: Path, manifest: Manifest) -> list[str]:
    """Load, and migrate to this program's schema; return the migrations. The mark stays until the shop is paused."""
    connection = await connect(dsn, name=SESSION, patience_s=10)
    try:
        await mark_restore(connection, path.name)
        failpoint("restore.after_mark")
        await load(dsn, path, manifest)
        failpoint("restore.after_load")
        migrated = await migrate(dsn)
        await require_schema(connection)
        await connection.execute("SET statement_timeout = 0; ANALYZE", timeout=ANALYZE_TIMEOUT_S)
    finally:
        await connection.close(timeout=5)
    failpoint("restore.after_migrate")
    return migrated
