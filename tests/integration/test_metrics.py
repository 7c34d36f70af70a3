"""GET /metrics: who may read it, what it costs, and that money and jobs are counted when they are committed, not before."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import asyncpg
import pytest
from aiohttp import ClientSession

from photomat.db.pool import Pool, on_commit, transaction
from photomat.kernel import metrics
from photomat.kernel.ids import UserId
from photomat.reports import figures
from photomat.reports.figures import DatabaseFigures
from photomat.work.budget import family_of
from support.database import pool_of
from support.doors import House, house
from support.exposition import value, values_of
from support.money import buy, give_back, make_user, sell

ANNA = UserId(42)


def counted(move: str, reason: str = "job") -> float:
    return (
        value(
            metrics.exposition().decode(), "photomat_money_minor_units_total", move=move, reason=reason, currency="RUB"
        )
        or 0
    )


async def scrape(doors: House, **headers: str) -> tuple[int, str]:
    async with doors.client.get(
        f"{doors.url}/metrics", headers={k.replace("_", "-"): v for k, v in headers.items()}
    ) as answer:
        return answer.status, await answer.text()


async def test_without_a_token_only_this_machine_may_read_them(database: str) -> None:
    async with house(database) as doors:
        assert (await scrape(doors))[0] == 200
        for header in ("X_Forwarded_For", "Forwarded", "Via", "X_Real_IP"):
            status, text = await scrape(doors, **{header: "203.0.113.9"})
            assert status == 403, f"a request that a proxy passed on ({header}) is not from this machine"
            assert "photomat_" not in text


async def test_with_a_token_a_proxy_may_pass_requests_on(database: str) -> None:
    async with house(database, metrics_token="figures") as doors:
        assert (await scrape(doors))[0] == 401, "loopback is no token"
        assert (await scrape(doors, Authorization="Bearer figurés"))[0] == 401
        assert (await scrape(doors, Authorization="Bearer figures", X_Forwarded_For="203.0.113.9"))[0] == 200


async def test_money_is_counted_at_the_commit(database: str) -> None:
    async with pool_of(database) as pool:
        before = {move: counted(move, reason) for move, reason in MOVES}
        with suppress(ZeroDivisionError):
            async with transaction(pool) as tx:
                await make_user(tx, ANNA, balance=1000)
                raise ZeroDivisionError
        assert {move: counted(move, reason) for move, reason in MOVES} == before, "a rollback moves no money"
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=1000)
            sold, failed = await buy(tx, ANNA, price=64), await buy(tx, ANNA, price=30)
        async with transaction(pool) as tx:
            await sell(tx, sold)
            await give_back(tx, failed)
            await sell(tx, sold)
        grown = {move: counted(move, reason) - before[move] for move, reason in MOVES}
        assert grown == {"credit": 1000, "hold": 94, "charge": 64, "release": 30}


MOVES = (("credit", "welcome"), ("hold", "job"), ("charge", "charge"), ("release", "job"))


async def test_what_waits_for_a_commit_goes_with_its_savepoint(database: str) -> None:
    heard: list[str] = []
    async with pool_of(database, size=1) as pool:
        async with transaction(pool) as tx:
            on_commit(tx, lambda: heard.append("outer"))
            with suppress(ZeroDivisionError):
                async with tx.transaction():
                    on_commit(tx, lambda: heard.append("rolled back"))
                    raise ZeroDivisionError
            async with tx.transaction():
                on_commit(tx, lambda: heard.append("inner"))
            assert heard == []
        assert heard == ["outer", "inner"]
        async with pool.acquire() as connection:
            by_hand = connection.transaction()
            await by_hand.start()
            on_commit(connection, lambda: heard.append("undone"))
            await by_hand.rollback()
            async with connection.transaction():
                pass
        with suppress(asyncpg.UniqueViolationError):
            async with transaction(pool) as tx:
                on_commit(tx, lambda: heard.append("failed"))
                await tx.execute("CREATE TEMP TABLE once (n int UNIQUE DEFERRABLE INITIALLY DEFERRED) ON COMMIT DROP")
                await tx.execute("INSERT INTO once VALUES (1), (1)")
        assert heard == ["outer", "inner"], "a commit that the server refused is none"


async def test_a_storm_of_scrapes_asks_the_database_once(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    read = figures.read_figures

    async def counting(pool: Pool, *, currency: str) -> None:
        nonlocal asked
        asked += 1
        await read(pool, currency=currency)

    monkeypatch.setattr(figures, "read_figures", counting)
    async with house(database) as doors:
        answers = await asyncio.gather(*(scrape(doors) for _ in range(30)))
    assert {status for status, _ in answers} == {200}
    assert asked == 1


async def test_without_a_database_old_figures_are_taken_away(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=1000)
            await buy(tx, ANNA, price=64)
        await DatabaseFigures(pool, currency="RUB").refresh()
        assert value(metrics.exposition().decode(), "photomat_money_held_minor_units", currency="RUB") == 64
        await pool.execute("ALTER TABLE lanes RENAME TO lanes_gone")
        await DatabaseFigures(pool, currency="RUB").refresh()
        text = metrics.exposition().decode()
        assert value(text, "photomat_database_up") == 0
        assert value(text, "photomat_money_held_minor_units", currency="RUB") is None
        await pool.execute("ALTER TABLE lanes_gone RENAME TO lanes")


async def test_paths_and_names_with_ids_make_no_series(database: str) -> None:
    async with crowd(database) as (doors, client):
        for number in range(40):
            for path in (f"/kie/callback/{number}.sig", f"/result/{number}", f"/no/such/{number}", f"/pay/{number}"):
                await client.post(f"{doors.url}{path}", data=b"{}")
                await client.get(f"{doors.url}{path}")
        _, text = await scrape(doors)
    routes = {
        dict(labels)["route"] for name, labels in values_of(text) if name == "photomat_http_request_seconds_count"
    }
    assert {"/kie/callback/{token}", "/result/{token}"} <= routes
    assert not [route for route in routes if any(letter.isdigit() for letter in route)]
    assert family_of("telegram:123:chat:456") == "telegram:chat"
    assert family_of("telegram:123") == "telegram"
    assert family_of("kie:creates") == "kie:creates"


@asynccontextmanager
async def crowd(database: str) -> AsyncIterator[tuple[House, ClientSession]]:
    async with house(database) as doors, ClientSession() as client:
        yield doors, client


async def test_a_scrape_is_cheap(database: str) -> None:
    """It takes some 10 ms of an idle processor with the series of a busy shop; much more than that is a mistake."""
    for number in range(40):
        metrics.TELEGRAM_S.labels(method=f"cheap{number}", outcome="ok").observe(0.1)
    metrics.exposition()
    began = time.process_time()
    metrics.exposition()
    spent = time.process_time() - began
    for number in range(40):
        metrics.TELEGRAM_S.remove(f"cheap{number}", "ok")
    assert spent < 0.2, f"{spent * 1000:.1f} ms"
    async with pool_of(database, size=1) as pool:
        await figures.read_figures(pool, currency="RUB")
        async with pool.acquire() as connection:
            asked: list[str] = []
            connection.add_query_logger(lambda query: asked.append(query.query))
        await figures.read_figures(pool, currency="RUB")
        assert 5 < len(asked) <= 12, "a few statements, however much there is to count"
