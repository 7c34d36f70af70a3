"""The lab's proxy does to a real PostgreSQL's answers what it says: some commits take effect unheard, some never happen."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from photomat.db.pool import Connection
from photomat.kernel.errors import Startup
from photomat_chaos.lab.proxy import CommitSpotter, Proxy, ProxyOrder, WireMessage, open_proxy
from support.database import connection_of
from support.patience import until

FOR_EVER_S = 600.0
LOST = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError)


@asynccontextmanager
async def notes_behind_a_proxy(dsn: str) -> AsyncIterator[tuple[Proxy, Connection, Connection]]:
    """A proxy, a connection through it, one beside it, and a table of numbers."""
    async with connection_of(dsn) as beside, open_proxy(dsn) as proxy, connection_of(proxy.dsn) as through:
        await beside.execute("CREATE TABLE notes (n int)")
        yield proxy, through, beside


@asynccontextmanager
async def in_a_black_hole(proxy: Proxy) -> AsyncIterator[None]:
    """The block runs while nothing passes; its end is the end of the hole."""
    async with asyncio.TaskGroup() as group:
        hole = group.create_task(proxy.black_hole(FOR_EVER_S))
        await asyncio.sleep(0)
        yield
        assert not hole.done()
        hole.cancel()


async def numbers(connection: Connection) -> list[int]:
    return [row["n"] for row in await connection.fetch("SELECT n FROM notes ORDER BY n")]


async def write_in_a_transaction(connection: Connection, number: int) -> None:
    async with connection.transaction():
        await connection.execute("INSERT INTO notes VALUES ($1)", number)


@pytest.mark.parametrize(("order", "written"), [("forget_commit", [1, 2]), ("lose_commit", [1])])
async def test_a_commit_without_an_answer_has_happened_or_not_and_the_client_cannot_tell(
    database: str, order: ProxyOrder, written: list[int]
) -> None:
    async with notes_behind_a_proxy(database) as (proxy, through, beside):
        await write_in_a_transaction(through, 1)
        proxy.order(order)
        with pytest.raises(LOST):
            await write_in_a_transaction(through, 2)
        assert await numbers(beside) == written
        assert proxy.struck == {order: 1}
        async with connection_of(proxy.dsn) as fresh:
            await write_in_a_transaction(fresh, 3)
        assert await numbers(beside) == [*written, 3], "an order is carried out once"


@pytest.mark.parametrize(("order", "written"), [("forget_answer", [1]), ("lose_statement", [])])
async def test_a_claim_in_one_statement_can_be_lost_too_and_its_answer(
    database: str, order: ProxyOrder, written: list[int]
) -> None:
    async with notes_behind_a_proxy(database) as (proxy, through, beside):
        proxy.order(order)
        with pytest.raises(LOST):
            await through.fetch("INSERT INTO notes VALUES ($1) RETURNING n", 1)
        assert await numbers(beside) == written


async def test_a_session_cut_in_a_transaction_is_rolled_back_and_all_sessions_are_cut(database: str) -> None:
    async with notes_behind_a_proxy(database) as (proxy, through, beside), connection_of(proxy.dsn) as other:
        await through.execute("BEGIN; INSERT INTO notes VALUES (1)")
        assert proxy.cut() == 2
        for connection in (through, other):
            with pytest.raises(LOST):
                await connection.execute("SELECT 1")
        assert await numbers(beside) == []


async def test_latency_and_a_black_hole_delay_what_passes_and_lose_nothing(database: str) -> None:
    async with notes_behind_a_proxy(database) as (proxy, through, beside):
        clock = asyncio.get_running_loop().time
        proxy.latency_s = 0.1
        began = clock()
        await write_in_a_transaction(through, 1)
        assert clock() - began >= 0.3, "BEGIN, INSERT and COMMIT each took its time"
        proxy.latency_s = 0.0
        async with asyncio.TaskGroup() as group, in_a_black_hole(proxy):
            late = group.create_task(through.execute("INSERT INTO notes VALUES (2)"))
            assert not (await asyncio.wait({late}, timeout=0.2))[0], "nothing came through yet"
            assert await numbers(beside) == [1]
        assert late.result() == "INSERT 0 1", "and then it arrived"
        assert await numbers(beside) == [1, 2]


async def test_in_a_black_hole_the_server_does_not_hear_that_the_client_has_gone(database: str) -> None:
    async with notes_behind_a_proxy(database) as (proxy, through, beside):
        await through.execute("SELECT pg_advisory_lock(5)")
        async with in_a_black_hole(proxy):
            through.terminate()
            await asyncio.sleep(0.2)
            assert await beside.fetchval("SELECT pg_try_advisory_lock(5)") is False
        async with asyncio.timeout(120):
            await beside.execute("SELECT pg_advisory_lock(5)")


async def test_a_prepared_commit_is_known_as_well(database: str) -> None:
    async with notes_behind_a_proxy(database) as (proxy, through, beside):
        proxy.order("forget_commit")
        await through.execute("BEGIN; INSERT INTO notes VALUES (1)")
        with pytest.raises(LOST):
            await through.fetch("COMMIT")
        assert await numbers(beside) == [1]


def test_only_a_commit_is_taken_for_one() -> None:
    spotter = CommitSpotter()
    said = {
        b"COMMIT;\0": True,
        b"commit\0": True,
        b"END\0": True,
        b"ROLLBACK;\0": False,
        b"SELECT 'COMMIT'\0": False,
        b"COMMIT PREPARED 'x'\0": False,
    }
    assert {text: spotter.commits(WireMessage(b"Q", text)) for text in said} == said


async def test_without_a_server_behind_it_a_client_is_turned_away(database: str) -> None:
    nowhere = database.replace("host=", "host=/nowhere")
    async with open_proxy(nowhere) as proxy:
        with pytest.raises(Startup):
            async with connection_of(proxy.dsn):
                pass
        await until(lambda: proxy.cut() == 0, about=lambda: "links left")
