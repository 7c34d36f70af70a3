"""Databases for tests: cloned from a template in a moment, and a clock that a test can move."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit, urlunsplit
from uuid import uuid4

from photomat.db.pool import BoundedPool, Connection, Pool, connect, connect_pool
from support.updates import BOT_ID

RUNNING_SERVER: Final = "PHOTOMAT_TEST_SERVER"
"""The server of a run that starts another one: its address and its template. PostgreSQL then need not start again."""

POOLER: Final = "PHOTOMAT_TEST_POOLER"
"""Host and port of the PgBouncer through which every pool of this run leads, in transaction mode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPostgres:
    """The server of this run, with the migrated template every test's database is cloned from."""

    dsn: str
    template: str


@asynccontextmanager
async def pool_of(dsn: str, *, size: int = 10, bot_id: int = BOT_ID) -> AsyncIterator[BoundedPool]:
    """A pool as a program of this bot opens it, closed at the end; where a run has a pooler, it leads through that."""
    pooler = os.environ.get(POOLER)
    way = dsn if pooler is None else _through(pooler, dsn)
    pool = await connect_pool(way, size=size, bot_id=bot_id, through_pooler=pooler is not None)
    try:
        yield pool
    finally:
        await pool.close()


@asynccontextmanager
async def connection_of(dsn: str) -> AsyncIterator[Connection]:
    """One connection, closed at the end."""
    connection = await connect(dsn, name="photomat test")
    try:
        yield connection
    finally:
        await connection.close(timeout=60)


async def shift_clock(session: Pool | Connection, seconds: float) -> None:
    """Let so much time pass for everybody who asks `photomat_now()`."""
    await session.execute("UPDATE clock_shift SET shift = shift + make_interval(secs => $1)", float(seconds))


async def create_database(server_dsn: str, *, template: str) -> str:
    """A new database with a name nobody else has; returns its address."""
    name = f"test_{uuid4().hex}"
    async with connection_of(server_dsn) as connection:
        await connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}" STRATEGY file_copy')
    return address_of(server_dsn, name)


async def drop_database(server_dsn: str, dsn: str) -> None:
    """Remove a test's database, whoever is still connected to it."""
    name = urlsplit(dsn).path.removeprefix("/")
    async with connection_of(server_dsn) as connection:
        await connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def _through(pooler: str, dsn: str) -> str:
    parts = urlsplit(dsn)
    return f"postgresql://{parts.username}@{pooler}{parts.path}"


def address_of(server_dsn: str, database: str) -> str:
    """The same server, another database."""
    return urlunsplit(urlsplit(server_dsn)._replace(path=f"/{database}"))
