"""Connections to PostgreSQL, all opened the same way.

Promises: nothing waits for ever (connecting, acquiring, a statement and an idle transaction each have a bound), JSON
columns are Python values, and a database that cannot be reached at start is told in one sentence without its password.
A pool's connection carries no session state: no LISTEN, no session-level lock, no SET outside a transaction. That is
why it goes back to the pool without a reset query, which saves a round trip for each transaction, and why the same code
runs through a transaction pooler. Only after an interrupted statement is a ROLLBACK sent (see `db/connection.py`).
"""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar
from urllib.parse import parse_qs, urlsplit

import asyncpg
from asyncpg.pool import PoolAcquireContext, PoolConnectionProxy

from photomat.db.address import Address, read_address
from photomat.db.connection import SyncedConnection
from photomat.kernel.clock import monotonic
from photomat.kernel.errors import Startup

Connection: TypeAlias = SyncedConnection | PoolConnectionProxy
"""A connection of its own (see `connect`) or one of a pool's."""

Transaction: TypeAlias = Connection
"""A connection inside the caller's transaction."""

Opened = TypeVar("Opened")

CONNECT_TIMEOUT_S: Final = 10
ACQUIRE_TIMEOUT_S: Final = 10
COMMAND_TIMEOUT_S: Final = 35
"""A little more than the server's own bound, so that the server's clearer error wins."""

RETRY_PAUSE_S: Final = 0.2
STATEMENTS_KEPT: Final = 200
QUERIES_PER_CONNECTION: Final = 50_000
IDLE_CONNECTION_S: Final = 300.0

SESSION_SETTINGS: Final = {
    "default_transaction_isolation": "read committed",
    "statement_timeout": "30s",
    "idle_in_transaction_session_timeout": "60s",
    "tcp_keepalives_idle": "5",
    "tcp_keepalives_interval": "2",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "15000",
    "jit": "off",
}
"""What each session asks of the server, whatever its role or database is set to.

Our claims are written for READ COMMITTED. Keepalives do nothing on a Unix socket, and free a dead host's locks on TCP."""

SET_ALL: Final = "SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS setting (name, value)"

TLS_REFUSED: Final = "rejected SSL upgrade"
"""asyncpg's words for a server that answers a request for TLS with "no"."""

NOT_YET: Final = (
    OSError,
    TimeoutError,
    asyncpg.CannotConnectNowError,
    asyncpg.ConnectionDoesNotExistError,
    asyncpg.TooManyConnectionsError,
)
"""Failures that pass by themselves while a database starts beside us."""


class BoundedPool(asyncpg.Pool):
    """A pool in which nobody waits for ever for a connection, whichever of its methods asks for one."""

    def __init__(self, *, acquire_timeout_s: float, bot_id: int | None, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._acquire_timeout_s = acquire_timeout_s
        self.bot_id = bot_id

    def acquire(self, *, timeout: float | None = None) -> PoolAcquireContext:
        """Wait for a free connection, as long as said or as long as the pool allows; `TimeoutError` then."""
        return super().acquire(timeout=self._acquire_timeout_s if timeout is None else timeout)


class OneSession:
    """Stands where a pool stands, and is one connection: whatever is done with it belongs to one transaction."""

    def __init__(self, connection: Connection, bot_id: int) -> None:
        self._connection = connection
        self.bot_id = bot_id
        self.fetch = connection.fetch
        self.fetchrow = connection.fetchrow
        self.fetchval = connection.fetchval
        self.execute = connection.execute
        self.executemany = connection.executemany

    @asynccontextmanager
    async def acquire(self, **_bounds: object) -> AsyncIterator[Connection]:
        """The connection; a transaction on it is a savepoint in the caller's."""
        yield self._connection


Pool: TypeAlias = BoundedPool | OneSession
"""Hands out connections, each statement or transaction on its own; closed by who opened it."""

ADVICE: Final = (
    (
        (asyncpg.InvalidPasswordError, asyncpg.InvalidAuthorizationSpecificationError),
        "refuses the user or the password; correct DATABASE_URL.",
    ),
    (
        asyncpg.InvalidCatalogNameError,
        "does not exist; create the database or correct DATABASE_URL.",
    ),
    (
        asyncpg.TooManyConnectionsError,
        "has no connection left; raise its max_connections or stop another client.",
    ),
    (
        (OSError, TimeoutError, asyncpg.ConnectionDoesNotExistError),
        "cannot be reached; start the database or correct DATABASE_URL.",
    ),
)
"""What to tell an operator about each failure, the first that fits."""


async def connect_pool(
    dsn: str,
    *,
    name: str = "photomat",
    size: int = 10,
    through_pooler: bool = False,
    patience_s: float = 10,
    acquire_timeout_s: float = ACQUIRE_TIMEOUT_S,
    bot_id: int | None = None,
) -> BoundedPool:
    """Open a pool; a database still starting is given `patience_s`, anything else is a `Startup` at once.

    `name` is what its sessions are called, in the server's lists and in the timelines of jobs.
    `through_pooler` is for a transaction pooler: no prepared statements are kept and no session settings are sent.
    `bot_id` is the bot on whose behalf the pool works; without it nothing can be claimed (see `db/installation.py`).
    """
    address = read_address(dsn)

    async def open_pool() -> BoundedPool:
        return await BoundedPool(
            acquire_timeout_s=acquire_timeout_s,
            bot_id=bot_id,
            min_size=1,
            max_size=size,
            max_queries=QUERIES_PER_CONNECTION,
            max_inactive_connection_lifetime=IDLE_CONNECTION_S,
            init=partial(_check_pooled if through_pooler else _settle_in, address=address),
            reset=_end_interrupted,
            loop=None,
            connection_class=SyncedConnection,
            record_class=asyncpg.Record,
            **_arguments(address, name=name, statement_cache_size=0 if through_pooler else STATEMENTS_KEPT),
        )

    return await _patiently(open_pool, dsn=dsn, patience_s=patience_s)


async def connect(dsn: str, *, name: str, patience_s: float = 0) -> SyncedConnection:
    """Open one connection of its own, for session-level work: locks, LISTEN, migrations."""
    address = read_address(dsn)

    async def open_connection() -> SyncedConnection:
        connection = await asyncpg.connect(
            connection_class=SyncedConnection,
            **_arguments(address, name=name, statement_cache_size=STATEMENTS_KEPT),
        )
        await _settle_in(connection, address=address)
        return connection

    return await _patiently(open_connection, dsn=dsn, patience_s=patience_s)


@asynccontextmanager
async def transaction(pool: Pool) -> AsyncIterator[Transaction]:
    """Commit what the block did, or nothing of it."""
    async with pool.acquire() as connection, connection.transaction():
        yield connection


def describe(dsn: str) -> str:
    """Name a database for people: user, host and database, never the password."""
    try:
        parts = urlsplit(dsn)
        host = parts.hostname or parse_qs(parts.query).get("host", ["the local socket"])[0]
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return "the database of DATABASE_URL"
    return f"{parts.username or 'the default user'}@{host}{port}{parts.path}"


def _arguments(address: Address, *, name: str, statement_cache_size: int) -> dict[str, Any]:
    return {
        "dsn": address.dsn,
        "ssl": address.tls,
        "timeout": address.connect_timeout_s or CONNECT_TIMEOUT_S,
        "command_timeout": COMMAND_TIMEOUT_S,
        "statement_cache_size": statement_cache_size,
        "server_settings": {"application_name": name},
    }


async def _patiently(open_it: Callable[[], Awaitable[Opened]], *, dsn: str, patience_s: float) -> Opened:
    deadline = monotonic() + patience_s
    while True:
        try:
            return await open_it()
        except NOT_YET as trouble:
            if monotonic() >= deadline or _tls_trouble(trouble):
                raise Startup(_sentence(dsn, trouble)) from None
        except (asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as trouble:
            raise Startup(_sentence(dsn, trouble)) from None
        await asyncio.sleep(RETRY_PAUSE_S)


def _tls_trouble(trouble: Exception) -> str | None:
    """What is wrong with TLS, if that is the trouble; waiting does not change it."""
    if isinstance(trouble, ssl.SSLCertVerificationError):
        return (
            f"has a certificate that cannot be verified ({trouble.verify_message}); set sslrootcert in DATABASE_URL to the"
            " certificate of its authority."
        )
    if isinstance(trouble, ConnectionError) and TLS_REFUSED in str(trouble):
        return (
            "does not offer TLS, which sslmode in DATABASE_URL requires; turn TLS on at the server, or remove sslmode where"
            " the network is private."
        )
    return None


def _sentence(dsn: str, trouble: Exception) -> str:
    about_tls = _tls_trouble(trouble)
    if about_tls is not None:
        return f"{describe(dsn)} {about_tls}"
    for kind, advice in ADVICE:
        if isinstance(trouble, kind):
            return f"{describe(dsn)} {advice}"
    if isinstance(trouble, asyncpg.PostgresError):
        return f"{describe(dsn)} cannot be used: {trouble}"
    return "DATABASE_URL is not a valid address; it looks like postgresql://user:password@host/name."


async def _settle_in(connection: Connection, *, address: Address) -> None:
    """Ask the session for our settings. Not while connecting: a pooler refuses what it does not know there."""
    wanted = SESSION_SETTINGS | ({"search_path": address.search_path} if address.search_path else {})
    await connection.execute(SET_ALL, list(wanted), list(wanted.values()), timeout=CONNECT_TIMEOUT_S)
    await _speak_json(connection)


async def _check_pooled(connection: SyncedConnection, *, address: Address) -> None:
    """Behind a transaction pooler no setting of a session survives: see to it that we do not depend on one."""
    schema = await connection.fetchval("SELECT current_schema()")
    if address.schema not in {None, schema}:
        raise Startup(
            f"DATABASE_URL leads through a transaction pooler, which keeps no search_path, and its role finds the schema"
            f" {schema} instead of {address.schema}: run ALTER ROLE … SET search_path = {address.search_path} on the server,"
            " or put the pooler into session mode and remove DIRECT_DATABASE_URL."
        )
    await connection.pin_isolation()
    await _speak_json(connection)


async def _speak_json(connection: Connection) -> None:
    for name in ("json", "jsonb"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=_to_json, decoder=json.loads, format="text")


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


async def _end_interrupted(connection: SyncedConnection) -> None:
    """The pool itself rolls back open transactions; an interrupted statement's implicit one is invisible to it."""
    await connection.end_interrupted()
