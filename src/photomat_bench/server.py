"""The PostgreSQL of a run: embedded, in a folder of its own, with the settings an operator gets."""

import io
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from photomat.db.embedded import Embedded
from photomat.db.migrate import migrate
from photomat.db.pool import connect
from photomat.db.postgres.server import running_pid
from photomat.kernel import logs

TEMPLATE: Final = "bench_template"
STATEMENTS: Final = {"shared_preload_libraries": "pg_stat_statements"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchServer:
    dsn: str
    pid: int
    folder: Path


@contextmanager
def bench_server(keep: Path | None, *, statements: bool = False) -> Iterator[BenchServer]:
    """Start it in `keep`, or in a folder that goes afterwards; `statements` loads pg_stat_statements."""
    logs.configure("text", io.StringIO())
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="photomat-bench-") as temporary:
        folder = (keep or Path(temporary)).resolve()
        server = Embedded.start(folder / "postgres", settings=STATEMENTS if statements else {})
        try:
            pid = running_pid((folder / "postgres").resolve())
            if pid is None:
                raise RuntimeError("PostgreSQL is not running")
            yield BenchServer(dsn=server.dsn, pid=pid, folder=folder)
        finally:
            server.stop()


async def new_database(server: BenchServer, name: str, *, template: str = "template1") -> str:
    """Create a database and return its URL."""
    connection = await connect(server.dsn, name="bench meter")
    try:
        await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    finally:
        await connection.close(timeout=5)
    return database_url(server, name)


async def drop_database(server: BenchServer, name: str) -> None:
    connection = await connect(server.dsn, name="bench meter")
    try:
        await connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
    finally:
        await connection.close(timeout=5)


@dataclass(slots=True, kw_only=True)
class ScratchDatabases:
    """A new database for each measurement, which goes with it; `migrated` ones are copies of a template."""

    server: BenchServer
    _made: int = field(default=0, init=False)

    async def prepare(self) -> None:
        await new_database(self.server, TEMPLATE)
        await migrate(database_url(self.server, TEMPLATE))

    @asynccontextmanager
    async def one(self, *, migrated: bool) -> AsyncIterator[str]:
        self._made += 1
        name = f"bench_{self._made}"
        dsn = await new_database(self.server, name, template=TEMPLATE if migrated else "template1")
        try:
            yield dsn
        finally:
            await drop_database(self.server, name)


def database_url(server: BenchServer, name: str) -> str:
    return urlunsplit(urlsplit(server.dsn)._replace(path=f"/{name}"))


async def count_statements(dsn: str) -> None:
    connection = await connect(dsn, name="bench meter")
    try:
        await connection.execute("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
    finally:
        await connection.close(timeout=5)


async def forget_statements(dsn: str) -> None:
    """Count from here on."""
    connection = await connect(dsn, name="bench meter")
    try:
        await connection.execute("SELECT pg_stat_statements_reset()")
    finally:
        await connection.close(timeout=5)


async def statement_table(dsn: str, flows: int) -> str:
    """Every statement with its calls per flow as tab-separated lines, the most frequent first."""
    connection = await connect(dsn, name="bench meter")
    try:
        rows = await connection.fetch(
            """SELECT calls, rows, total_exec_time AS ms, wal_bytes::bigint AS wal,
                      regexp_replace(query, '\\s+', ' ', 'g') AS query
                 FROM pg_stat_statements ORDER BY calls DESC LIMIT 300"""
        )
    finally:
        await connection.close(timeout=5)
    lines = ["calls/flow\tms/flow\tms/call\trows/call\twal B/flow\tstatement"]
    lines += [
        f"{row['calls'] / flows:.2f}\t{row['ms'] / flows:.3f}\t{row['ms'] / row['calls']:.3f}"
        f"\t{row['rows'] / row['calls']:.1f}\t{row['wal'] / flows:.0f}\t{row['query'][:400]}"
        for row in rows
    ]
    return "\n".join(lines) + "\n"
