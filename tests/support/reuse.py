"""One database for many tests: emptied after each as if nobody had been there, cloned anew where that is not certain.

To clone, to plan the audit's sixty queries and to drop costs more than most tests do. One session stays open beside the tests,
with the audit prepared.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from photomat.audit.run import Violation, violations
from photomat.db.pool import Connection, connect
from support.audit import BROKEN
from support.database import SharedPostgres, create_database, drop_database

T = TypeVar("T")

LIMIT_S: Final = 300.0
MAX_USES: Final = 40
MAX_ROWS: Final = 2_000
LARGE_BYTES: Final = 1 << 20
"""From here on the audit is planned anew: the prepared plan is one for small tables."""

TABLES: Final = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1"
LARGEST: Final = """
    SELECT max(pg_relation_size(oid)) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
"""
SHAPE: Final = """
    SELECT concat_ws(' ',
        (SELECT concat(count(*), ':', max(xmin::text::bigint)) FROM pg_class WHERE oid >= 16384),
        (SELECT concat(count(*), ':', max(xmin::text::bigint)) FROM pg_attribute WHERE attrelid >= 16384),
        (SELECT concat(count(*), ':', max(xmin::text::bigint)) FROM pg_constraint WHERE oid >= 16384),
        (SELECT concat(count(*), ':', max(xmin::text::bigint)) FROM pg_trigger),
        (SELECT concat(count(*), ':', max(xmin::text::bigint)) FROM pg_proc
          WHERE oid >= 16384 AND proname NOT IN ('photomat_now', 'photomat_clock')),
        (SELECT string_agg(pg_get_functiondef(oid), ';' ORDER BY oid) FROM pg_proc
          WHERE proname IN ('photomat_now', 'photomat_clock')),
        (SELECT concat(count(*), ':', max(xmin::text::bigint)) FROM pg_index WHERE indexrelid >= 16384),
        (SELECT concat(count(*), ':', max(xmin::text::bigint)) FROM pg_namespace),
        (SELECT count(*) FROM pg_statistic WHERE starelid >= 16384),
        (SELECT count(*) FROM pg_db_role_setting),
        (SELECT string_agg(seed::text, ';' ORDER BY seed::text) FROM schema_migrations AS seed),
        (SELECT string_agg(seed::text, ';' ORDER BY seed::text) FROM installation AS seed),
        (SELECT string_agg(seed::text, ';' ORDER BY seed::text) FROM fiscal_start AS seed),
        (SELECT count(*) FROM clock_shift))
"""
"""Everything about a database that a test may leave behind beside rows, and the rows that came with the template.

The functions of the clock count by what they say, for each shift makes them anew.
"""

SEEDED: Final = frozenset({"schema_migrations", "installation", "fiscal_start", "clock_shift", "assortment_version"})
SEND_AWAY: Final = """
    SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""
SET_CLOCK_RIGHT: Final = "UPDATE clock_shift SET shift = '0' WHERE shift <> '0'"
START_AGAIN: Final = "SELECT count(setval(seqrelid, seqstart, false)) FROM pg_sequence"


class ReusedDatabase:
    """The database a worker's tests share, one after the other."""

    def __init__(self, postgres: SharedPostgres) -> None:
        self._postgres = postgres
        self._runner = asyncio.Runner()
        self._dsn: str | None = None
        self._session: Connection | None = None
        self._audit: Any = None
        self._filled: Any = None
        self._shape = ""
        self._uses = 0

    def take(self) -> str:
        """The address of a database as it comes from the template."""
        return self._run(self._take())

    def wrongs(self) -> list[Violation]:
        """What is wrong in it; an empty list is the good answer."""
        return self._run(self._wrongs())

    def give_back(self) -> None:
        """Empty it for the next test, or drop it."""
        self._run(self._give_back())

    def close(self) -> None:
        """Drop it for good."""
        self._run(self._drop())
        self._runner.close()

    def holds(self, dsn: object) -> bool:
        """Whether this address is the shared database."""
        return self._dsn is not None and dsn == self._dsn

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        async def bounded() -> T:
            async with asyncio.timeout(LIMIT_S):
                return await work

        return self._runner.run(bounded())

    async def _take(self) -> str:
        if self._dsn is None:
            self._dsn = await create_database(self._postgres.dsn, template=self._postgres.template)
            self._uses = 0
            self._shape = await (await self._connected()).fetchval(SHAPE)
        self._uses += 1
        return self._dsn

    async def _connected(self) -> Connection:
        """The session beside the tests; another one where a test has ended it."""
        if self._session is None or self._session.is_closed():
            assert self._dsn is not None
            self._session = await connect(self._dsn, name="photomat test")
            tables = [row["relname"] for row in await self._session.fetch(TABLES)]
            has_rows = (f"CASE WHEN EXISTS (SELECT FROM {name}) THEN '{name}' END" for name in tables)
            self._filled = await self._session.prepare(f"SELECT array_remove(ARRAY[{', '.join(has_rows)}], NULL)")
            self._audit = await self._session.prepare(BROKEN)
        return self._session

    async def _wrongs(self) -> list[Violation]:
        session = await self._connected()
        is_large = await session.fetchval(LARGEST) > LARGE_BYTES
        broken = await (session.fetch(BROKEN) if is_large else self._audit.fetch())
        if not broken:
            return []
        found = await violations(session)
        assert found, "the short audit complained of what the long one does not see"
        return found

    async def _give_back(self) -> None:
        try:
            is_clean = self._uses < MAX_USES and await self._empty()
        except Exception:  # noqa: BLE001  whatever the test did to it, the next one gets another
            is_clean = False
        if not is_clean:
            await self._drop()

    async def _empty(self) -> bool:
        """Remove every row that a test wrote; False where something else was changed too."""
        session = await self._connected()
        await session.fetchval(SEND_AWAY)
        await session.execute(SET_CLOCK_RIGHT)
        if await session.fetchval(SHAPE) != self._shape:
            return False
        filled = set(await self._filled.fetchval()) - SEEDED
        rows = 0
        async with session.transaction():
            await session.execute("SET LOCAL session_replication_role = replica")
            for table in sorted(filled):
                rows += int((await session.execute(f"DELETE FROM {table}")).split()[-1])  # noqa: S608
            await session.fetchval(START_AGAIN)
        return rows <= MAX_ROWS

    async def _drop(self) -> None:
        dsn, session, self._dsn, self._session = self._dsn, self._session, None, None
        if session is not None:
            session.terminate()
        if dsn is not None:
            await drop_database(self._postgres.dsn, dsn)
