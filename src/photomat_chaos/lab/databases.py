"""One PostgreSQL for many small worlds: each gets a database cloned from a migrated template, and a folder, and loses both."""

import asyncio
import itertools
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from photomat.db.embedded import Embedded
from photomat.db.migrate import migrate
from photomat.db.pool import connect
from photomat_chaos.lab.arena import FAST_AND_FORGETFUL, Arena, open_worlds
from photomat_chaos.lab.nursery import nursery

TEMPLATE: Final = "lab_template"
IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108  only a private folder below it is used
ROOMY_BYTES: Final = 2 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Databases:
    """The server, and the folder in which the worlds have theirs."""

    dsn: str
    folder: Path
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    @asynccontextmanager
    async def world(self, name: str) -> AsyncIterator[Arena]:
        """A world of its own, for a while."""
        database, folder = f"world_{next(self._numbers)}", self.folder / name
        await asyncio.to_thread(folder.mkdir)
        await _execute(self.dsn, f'CREATE DATABASE "{database}" TEMPLATE "{TEMPLATE}" STRATEGY file_copy')
        try:
            async with open_worlds(folder, _other(self.dsn, database)) as arena:
                yield arena
        finally:
            await _execute(self.dsn, f'DROP DATABASE "{database}" WITH (FORCE)')
            await asyncio.to_thread(shutil.rmtree, folder)


@asynccontextmanager
async def open_databases(folder: Path) -> AsyncIterator[Databases]:
    """Start the server in an empty folder; it ends with the block. The nursery is opened too, while nobody waits for it."""
    await asyncio.to_thread(nursery)
    server = await asyncio.to_thread(Embedded.start, folder / "postgres", settings=FAST_AND_FORGETFUL)
    try:
        await _execute(server.dsn, f'CREATE DATABASE "{TEMPLATE}"')
        await migrate(_other(server.dsn, TEMPLATE))
        yield Databases(dsn=server.dsn, folder=folder)
    finally:
        await asyncio.to_thread(server.stop)


def fastest_place() -> str | None:
    """A disk in memory, where cloning takes a tenth of the time; the temporary folder where it is small."""
    return str(IN_MEMORY) if IN_MEMORY.is_dir() and shutil.disk_usage(IN_MEMORY).free > ROOMY_BYTES else None


async def _execute(dsn: str, statement: str) -> None:
    connection = await connect(dsn, name="lab")
    try:
        await connection.execute(statement)
    finally:
        await connection.close(timeout=5)


def _other(dsn: str, database: str) -> str:
    return urlunsplit(urlsplit(dsn)._replace(path=f"/{database}"))
