"""The mark of a restore that is not finished: while it stands, no program starts on the database, and a restore may start over.

It is made before the first table is loaded and removed in the transaction that pauses the restored shop, so a restore that was
killed leaves a database that no shop runs on.
"""

from datetime import datetime
from typing import Final

from photomat.db.pool import Connection, Transaction
from photomat.db.rows import require_row
from photomat.kernel.errors import Startup

MARK: Final = "restore_in_progress"
GAP: Final = 1_000_000
"""How far every sequence jumps: more rows than a shop makes between a backup and the loss of its database."""
LEFTOVERS: Final = """
    SELECT CASE WHEN c.relkind IN ('v', 'm') THEN 'VIEW' ELSE 'TABLE' END AS what, c.relname::text AS name
      FROM pg_class c
     WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
       AND NOT c.relispartition AND c.relname <> $1
    UNION ALL
    SELECT 'FUNCTION', p.oid::regprocedure::text FROM pg_proc p
     WHERE p.pronamespace = quote_ident(current_schema())::regnamespace
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')"""


async def unfinished_restore(connection: Connection) -> tuple[str, datetime] | None:
    """The file of a restore that is not finished, and when it began."""
    if not await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", MARK):
        return None
    row = await require_row(connection, "SELECT file, started_at FROM restore_in_progress")
    return row["file"], row["started_at"]


async def require_no_restore(connection: Connection) -> None:
    """Refuse to work on a database that is only partly restored."""
    found = await unfinished_restore(connection)
    if found is not None:
        raise Startup(
            f"A restore of this database from {found[0]} was begun at {found[1]:%Y-%m-%d %H:%M} UTC and is not finished:"
            " run `photomat restore` again with the same or another backup."
        )


async def has_tables(connection: Connection) -> bool:
    """Whether the database holds anything but the mark of an unfinished restore."""
    return bool(await connection.fetch(LEFTOVERS, MARK))


async def mark_restore(connection: Connection, file: str) -> None:
    """Mark the database before anything is loaded, and remove what an earlier restore that was killed had loaded."""
    async with connection.transaction():
        if await unfinished_restore(connection) is not None:
            await _remove_leftovers(connection)
            await connection.execute("DROP TABLE restore_in_progress")
        await connection.execute(
            "CREATE TABLE restore_in_progress (file text NOT NULL, started_at timestamptz NOT NULL DEFAULT clock_timestamp())"
        )
        await connection.execute("INSERT INTO restore_in_progress (file) VALUES ($1)", file)


async def end_restore(tx: Transaction) -> None:
    await tx.execute("DROP TABLE restore_in_progress")


async def jump_sequences(tx: Transaction, *, gap: int = GAP) -> int:
    """Move every sequence ahead, so that no number given out after the backup is given out again; return how many."""
    rows = await tx.fetch(
        """
        SELECT setval(format('%I.%I', schemaname, sequencename)::regclass,
                      least(coalesce(last_value, start_value) + $1, max_value))
          FROM pg_sequences WHERE schemaname = current_schema()
        """,
        gap,
    )
    return len(rows)


async def _remove_leftovers(tx: Transaction) -> None:
    leftovers = await tx.fetch(LEFTOVERS, MARK)
    for row in sorted(leftovers, key=lambda row: row["what"] == "FUNCTION"):
        name = row["name"] if row["what"] == "FUNCTION" else f'"{row["name"]}"'
        await tx.execute(f"DROP {row['what']} IF EXISTS {name} CASCADE")
