"""One consistent dump of a database that goes on working, with what it must contain counted in the same snapshot.

The dump and the counts share an exported snapshot, so a restored copy has exactly these rows. Only read locks are taken, which
nothing but a migration waits for.
"""

import asyncio
import os
from dataclasses import replace
from typing import BinaryIO, Final

from photomat import __version__
from photomat.audit.run import FIGURES
from photomat.backup.file import Manifest, checksum
from photomat.backup.programs import program, run, target_of
from photomat.db.installation import read_owner
from photomat.db.listen import require_session
from photomat.db.pool import Connection, Transaction, connect
from photomat.db.rows import require_row
from photomat.db.url import quote_identifier
from photomat.kernel.clock import sleep_until_set
from photomat.kernel.errors import Startup

SESSION: Final = "photomat backup"
LOCK_WAIT: Final = "60s"
KEEP_ALIVE_S: Final = 5.0
"""The snapshot's session asks something now and then: the server, and our own alert, end or report idle transactions."""
COUNT_TIMEOUT_S: Final = 3600
OPTIONS: Final = (
    "--format=custom",
    "--compress=gzip:6",
    "--no-owner",
    "--no-privileges",
    "--no-publications",
    "--no-subscriptions",
    "--no-password",
    f"--lock-wait-timeout={LOCK_WAIT}",
)
TABLES: Final = """
    SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind = 'r' ORDER BY c.relname"""


async def dump_into(stream: BinaryIO, dsn: str) -> Manifest:
    """Write a dump of the database into an empty file; the manifest has its size and checksum, and is not written yet."""
    await require_session(dsn)
    connection = await connect(dsn, name=SESSION, patience_s=10)
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            await connection.execute(
                f"SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL statement_timeout = '{COUNT_TIMEOUT_S}s'"
            )
            snapshot: str = await connection.fetchval("SELECT pg_export_snapshot()")
            manifest = await _facts(connection)
            await _dump(stream, dsn, connection, snapshot=snapshot, manifest=manifest)
    finally:
        await connection.close(timeout=5)
    size = stream.seek(0, os.SEEK_END)
    return replace(manifest, size_bytes=size, sha256=await asyncio.to_thread(checksum, stream, size))


async def _dump(stream: BinaryIO, dsn: str, connection: Connection, *, snapshot: str, manifest: Manifest) -> None:
    path = program("pg_dump", server_major=int(manifest.server.partition(".")[0]))
    options = (*OPTIONS, f"--schema={quote_identifier(manifest.pg_schema)}", f"--snapshot={snapshot}")
    ended = asyncio.Event()

    async def keep_alive() -> None:
        while not await sleep_until_set(ended, KEEP_ALIVE_S):
            await connection.execute("SELECT 1")

    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(keep_alive())
            try:
                await run(path, *options, target=target_of(dsn), stdout=stream)
            finally:
                ended.set()
    except ExceptionGroup as failed:
        raise failed.exceptions[0] from None


async def _facts(tx: Transaction) -> Manifest:
    row = await require_row(
        tx,
        """
        SELECT current_schema() AS pg_schema, current_setting('server_version') AS server,
               clock_timestamp() AS snapshot_at, to_regclass('schema_migrations') IS NOT NULL AS has_schema
        """,
    )
    if not row["has_schema"]:
        raise Startup("There is nothing to back up: the database is empty.")
    migrations = await tx.fetch("SELECT number, name FROM schema_migrations ORDER BY number")
    owner = await read_owner(tx)
    return Manifest(
        version=__version__,
        schema=max((each["number"] for each in migrations), default=0),
        migrations=tuple(each["name"] for each in migrations),
        bot_id=owner.bots[0] if len(owner.bots) == 1 else None,
        currency=owner.currency,
        snapshot_at=row["snapshot_at"],
        server=row["server"],
        pg_schema=row["pg_schema"],
        rows=await count_rows(tx),
        figures={each["name"]: each["figure"] for each in await tx.fetch(FIGURES, timeout=COUNT_TIMEOUT_S)},
    )


async def count_rows(tx: Transaction) -> dict[str, int]:
    """How many rows every table of ours has."""
    names = [row["name"] for row in await tx.fetch(TABLES)]
    counts = {}
    for name in names:
        query = f"SELECT count(*) FROM {quote_identifier(name)}"  # noqa: S608  a table's own name, quoted
        counts[name] = int(await tx.fetchval(query, timeout=COUNT_TIMEOUT_S))
    return counts
