"""Connections to PostgreSQL, all opened the same way.

Connecting, acquiring, a statement and an idle transaction each have a time limit; JSON columns are Python values; a database
that cannot be reached at start is reported in one sentence without its password. A pool's connection carries no session
state: no LISTEN, no session-level lock, no SET outside a transaction. So it returns to the pool without a reset query, which
saves a round trip per transaction, and the same code runs through a transaction pooler. Only after an interrupted statement
a ROLLBACK is sent (see `db/connection.py`).
"""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

import asyncpg
from asyncpg.pool import PoolAcquireContext, PoolConnectionProxy

from photomat.db.connection import SyncedConnection
from photomat.db.floors import Floors
from photomat.db.hosts import NoPrimary, connect_primary, each_server
from photomat.db.url import DatabaseUrl, parse_url
from photomat.kernel.clock import monotonic
from photomat.kernel.errors import PhotomatError, Startup
from photomat.kernel.metrics import POOL_ACQUIRE_S

Connection: TypeAlias = SyncedConnection | PoolConnectionProxy
"""A separate connection (see `connect`) or one of a pool."""
Transaction: TypeAlias = Connection
"""A connection inside the caller's transaction."""
Opened = TypeVar("Opened")
CONNECT_TIMEOUT_S: Final = 10
ACQUIRE_TIMEOUT_S: Final = 10
COMMAND_TIMEOUT_S: Final = 35
"""A little more than the server's own limit, so that the server's clearer error comes first."""
RETRY_PAUSE_S: Final = 0.2
TO_JSON: Final = json.JSONEncoder(ensure_ascii=False).encode
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
    "enable_seqscan": "off",
    "plan_cache_mode": "force_generic_plan",
}
"""Settings of each session, whatever its role or database is set to.

Our claims are written for READ COMMITTED. Keepalives do nothing on a Unix socket; on TCP they free the locks of a dead host.
Each statement is planned once a session, not for each set of arguments: planning a claim costs more than running it. Such a
plan lasts, so it must not read whole tables because they were empty when it was made."""
UNHURRIED: Final = SESSION_SETTINGS | {
    "default_transaction_read_only": "on",
    "statement_timeout": "0",
    "enable_seqscan": "on",
    "plan_cache_mode": "auto",
}
"""Settings of a session that counts everything while an operator waits: as long as it takes, and whole tables where that is
faster."""
SET_ALL: Final = "SELECT set_config(name, value, false) FROM unnest($1::text[], $2::text[]) AS setting (name, value)"
TLS_REFUSED: Final = "rejected SSL upgrade"
"""asyncpg's message for a server that refuses TLS."""
RETRIED_AT_START: Final = (
    OSError,
    TimeoutError,
    asyncpg.CannotConnectNowError,
    asyncpg.ConnectionDoesNotExistError,
    asyncpg.TooManyConnectionsError,
)
"""Failures that pass while a database starts beside us."""
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
        (NoPrimary, asyncpg.ReadOnlySQLTransactionError),
        "accepts no writes: it is a replica; promote one, or correct DATABASE_URL.",
    ),
    (
        (OSError, TimeoutError, asyncpg.ConnectionDoesNotExistError),
        "cannot be reached; start the database or correct DATABASE_URL.",
    ),
)
"""What an operator can do about each failure; the first match counts."""
UNAVAILABLE: Final = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.InternalClientError,
    OSError,
)
"""Connections lost or refused, a server that shuts down or starts, too many clients; a replica, or a server that was made
read-only, as hosts do when its disk is full; a connection that ended while asyncpg was preparing a statement.
"""
UNMIGRATED: Final = (asyncpg.UndefinedTableError, asyncpg.UndefinedColumnError, asyncpg.UndefinedFunctionError)
"""The database exists, but lacks our tables or some of them."""


if TYPE_CHECKING:

    class _Pool(asyncpg.Pool):
        """The private part of asyncpg's pool that is used below."""

        _queue: asyncio.Queue[object]

        async def _acquire(self, timeout: float | None) -> PoolConnectionProxy: ...  # noqa: ASYNC109  asyncpg's
else:
    _Pool = asyncpg.Pool


class BoundedPool(_Pool):
    """A pool with a time limit for acquiring a connection, also in its own methods such as `fetch`.

    `waiting` is how many tasks wait for one now. asyncpg starts a task for each acquire with a time limit and another one for
    each release; where a connection is free (one that must be opened first has a time limit of its own), and where nothing is
    left to roll back, neither is needed.
    """

    def __init__(self, *, acquire_timeout_s: float, bot_id: int | None, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._acquire_timeout_s = acquire_timeout_s
        self.bot_id = bot_id
        self.floors = Floors()
        self.waiting = 0

    def acquire(self, *, timeout: float | None = None) -> PoolAcquireContext:
        return super().acquire(timeout=self._acquire_timeout_s if timeout is None else timeout)

    async def _acquire(self, timeout: float | None) -> PoolConnectionProxy:  # noqa: ASYNC109  asyncpg's
        self.waiting += 1
        began = monotonic()
        try:
            return await super()._acquire(timeout if self._queue.empty() else None)
        finally:
            self.waiting -= 1
            POOL_ACQUIRE_S.observe(monotonic() - began)

    async def release(self, connection: PoolConnectionProxy, *, timeout: float | None = None) -> None:  # noqa: ASYNC109  asyncpg's
        """Return a connection; a clean one at once, without a moment in which the caller can be canceled."""
        proxy: Any = connection  # its stubs describe only the public part; the rest is what asyncpg's own method does
        session: SyncedConnection | None = proxy._con  # noqa: SLF001
        if session is not None and session.is_clean():
            proxy._con._on_release()  # noqa: SLF001
            await proxy._holder.release(None)  # noqa: SLF001
        else:
            await super().release(connection, timeout=timeout)


class OneSession:
    """One connection in place of a pool, so that everything done with it belongs to one transaction."""

    def __init__(self, connection: Connection, bot_id: int | None) -> None:
        self._connection = connection
        self.bot_id = bot_id
        self.floors = Floors()
        self.fetch = connection.fetch
        self.fetchrow = connection.fetchrow
        self.fetchval = connection.fetchval
        self.execute = connection.execute
        self.executemany = connection.executemany

    @asynccontextmanager
    async def acquire(self, **_bounds: object) -> AsyncIterator[Connection]:
        """Yield the connection; a transaction on it is a savepoint in the caller's."""
        yield self._connection


Pool: TypeAlias = BoundedPool | OneSession


async def connect_pool(
    dsn: str,
    *,
    name: str = "photomat",
    size: int = 10,
    through_pooler: bool = False,
    patience_s: float = 10,
    acquire_timeout_s: float = ACQUIRE_TIMEOUT_S,
    bot_id: int | None = None,
    unhurried: bool = False,
) -> BoundedPool:
    """Open a pool; wait up to `patience_s` for a database that is starting, raise `Startup` for any other failure.

    `name` is the application name of its sessions, shown in pg_stat_activity and in the timelines of jobs.
    `through_pooler` is for a transaction pooler: no prepared statements are kept and no session settings are sent.
    `bot_id` is the bot the pool works for; without it nothing can be claimed (see `db/installation.py`).
    `unhurried` is for reading everything: no time limit, no writes. It needs session settings, so no pooler.
    """
    url = parse_url(dsn)
    configure = partial(_configure_session, settings=UNHURRIED if unhurried else SESSION_SETTINGS)

    async def open_pool() -> BoundedPool:
        return await BoundedPool(
            acquire_timeout_s=acquire_timeout_s,
            bot_id=bot_id,
            min_size=1,
            max_size=size,
            max_queries=QUERIES_PER_CONNECTION,
            max_inactive_connection_lifetime=IDLE_CONNECTION_S,
            init=partial(_check_pooled_session if through_pooler else configure, url=url),
            loop=None,
            connect=connect_primary,
            connection_class=SyncedConnection,
            record_class=asyncpg.Record,
            **_arguments(url, name=name, statement_cache_size=0 if through_pooler else STATEMENTS_KEPT)
            | ({"command_timeout": None} if unhurried else {}),
        )

    return await _retry_at_start(open_pool, dsn=dsn, patience_s=patience_s)


async def connect(dsn: str, *, name: str, patience_s: float = 0) -> SyncedConnection:
    """Open one separate connection, for session-level work: locks, LISTEN, migrations."""
    url = parse_url(dsn)

    async def open_connection() -> SyncedConnection:
        connection = await connect_primary(
            connection_class=SyncedConnection,
            **_arguments(url, name=name, statement_cache_size=STATEMENTS_KEPT),
        )
        await _configure_session(connection, url=url)
        return connection

    return await _retry_at_start(open_connection, dsn=dsn, patience_s=patience_s)


@asynccontextmanager
async def transaction(pool: Pool) -> AsyncIterator[Transaction]:
    async with pool.acquire() as connection, connection.transaction():
        yield connection


class _OneStatement:
    """A transaction of one statement, which needs neither BEGIN nor COMMIT; a second one is refused."""

    __slots__ = ("_pool",)

    def __init__(self, pool: Pool) -> None:
        self._pool: Pool | None = pool

    def _once(self) -> Pool:
        pool, self._pool = self._pool, None
        if pool is None:
            raise RuntimeError("a second statement needs a transaction")
        return pool

    async def fetch(self, query: str, *args: object) -> list[Any]:
        return await self._once().fetch(query, *args)

    async def fetchval(self, query: str, *args: object) -> Any:
        return await self._once().fetchval(query, *args)


def one_statement(pool: Pool) -> Transaction:
    """What a function of one statement gets where it is a whole transaction; two round trips less than `transaction`."""
    return cast("Transaction", _OneStatement(pool))


def on_commit(tx: Transaction, call: Callable[[], object]) -> None:
    """Call this once the transaction is committed, and not at all if it is rolled back; it must not raise."""
    cast("SyncedConnection", tx).on_commit.append(call)  # the proxy of a pool's connection passes it through


def display_name(dsn: str) -> str:
    try:
        parts = urlsplit(dsn)
        ports = [
            urlsplit(server).port for server in each_server(dsn)
        ]  # a ValueError where it is none, as in half a password
        place = parts.netloc.rpartition("@")[2].lower() if parts.hostname or any(ports) else ""
        host = place or parse_qs(parts.query).get("host", ["the local socket"])[0]
    except ValueError:
        return "the database of DATABASE_URL"
    return f"{parts.username or 'the default user'}@{host}{parts.path}"


def _arguments(url: DatabaseUrl, *, name: str, statement_cache_size: int) -> dict[str, Any]:
    return {
        "dsn": url.dsn,
        "ssl": url.tls,
        "timeout": url.connect_timeout_s or CONNECT_TIMEOUT_S,
        "command_timeout": COMMAND_TIMEOUT_S,
        "statement_cache_size": statement_cache_size,
        "server_settings": {"application_name": name},
    }


async def _retry_at_start(open_it: Callable[[], Awaitable[Opened]], *, dsn: str, patience_s: float) -> Opened:
    deadline = monotonic() + patience_s
    while True:
        try:
            return await open_it()
        except RETRIED_AT_START as error:
            if monotonic() >= deadline or _tls_error(error):
                raise Startup(_startup_message(dsn, error)) from None
        except (asyncpg.PostgresError, asyncpg.InterfaceError, ValueError) as error:
            raise Startup(_startup_message(dsn, error)) from None
        await asyncio.sleep(RETRY_PAUSE_S)


def _tls_error(error: Exception) -> str | None:
    """Advice for a TLS failure, which no retry fixes; None for other errors."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return (
            f"has a certificate that cannot be verified ({error.verify_message}); set sslrootcert in DATABASE_URL to the"
            " certificate of its authority."
        )
    if isinstance(error, ConnectionError) and TLS_REFUSED in str(error):
        return (
            "does not offer TLS, which sslmode in DATABASE_URL requires; turn TLS on at the server, or remove sslmode where"
            " the network is private."
        )
    return None


def _startup_message(dsn: str, error: Exception) -> str:
    tls_advice = _tls_error(error)
    if tls_advice is not None:
        return f"{display_name(dsn)} {tls_advice}"
    for kind, advice in ADVICE:
        if isinstance(error, kind):
            return f"{display_name(dsn)} {advice}"
    if isinstance(error, asyncpg.PostgresError):
        return f"{display_name(dsn)} cannot be used: {error}"
    return "DATABASE_URL is not a valid address; it looks like postgresql://user:password@host/name."


async def _configure_session(
    connection: Connection, *, url: DatabaseUrl, settings: Mapping[str, str] = SESSION_SETTINGS
) -> None:
    """Apply our session settings; not in the startup packet, where a pooler refuses what it does not know."""
    wanted = {**settings, **({"search_path": url.search_path} if url.search_path else {})}
    await connection.execute(SET_ALL, list(wanted), list(wanted.values()), timeout=CONNECT_TIMEOUT_S)
    await _set_json_codecs(connection)


async def _check_pooled_session(connection: SyncedConnection, *, url: DatabaseUrl) -> None:
    """Make sure that nothing depends on session settings, which do not survive behind a transaction pooler."""
    schema = await connection.fetchval("SELECT current_schema()")
    if url.schema not in {None, schema}:
        raise Startup(
            f"DATABASE_URL leads through a transaction pooler, which keeps no search_path, and its role finds the schema"
            f" {schema} instead of {url.schema}: run ALTER ROLE … SET search_path = {url.search_path} on the server,"
            " or put the pooler into session mode and remove DIRECT_DATABASE_URL."
        )
    await connection.pin_isolation()
    await _set_json_codecs(connection)


async def _set_json_codecs(connection: Connection) -> None:
    for name in ("json", "jsonb"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=TO_JSON, decoder=json.loads, format="text")


def is_unavailable(error: BaseException) -> bool:
    """Whether the database was unavailable, so that the same statement may succeed later."""
    if isinstance(error, asyncpg.InterfaceError):
        return not isinstance(error, ValueError)  # a value that asyncpg cannot encode
    return isinstance(error, UNAVAILABLE)


def is_permanent(error: BaseException) -> bool:
    """Whether the values themselves were refused, so that repeating the statement cannot help."""
    if isinstance(error, asyncpg.InterfaceError):
        return isinstance(error, ValueError)
    return isinstance(error, asyncpg.IntegrityConstraintViolationError | asyncpg.DataError | PhotomatError)
