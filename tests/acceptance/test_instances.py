"""Instances come and go, the database blinks: one is ACTIVE, every one takes updates, nothing accepted is lost."""

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import aiohttp

from support.database import SharedPostgres, connection_of
from support.endings import buys_something_endless, ends_well
from support.instance import DRAIN_LIMIT_S, Instance
from support.patience import until, until_found
from support.system import open_shop, running_system

HANDOVER_S = 2.0
"""What a deploy is promised; the best of several counts, for the machine may be busy with something else."""


async def test_one_is_active_the_other_takes_over_when_it_is_killed(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path) as system:
        first = await system.start()
        second = await system.start()
        assert (await first.health())["active"] is True
        passive = await second.health()
        assert passive["active"] is False
        assert passive["status"] == "ok"
        assert passive["queue_depth"] == 0
        await second.says("PASSIVE_WAIT")
        system.door.only = second
        anna = system.customer()
        card = await anna.buys()
        assert not first.lines("UPDATE_RECEIVED"), "the PASSIVE one takes the updates …"
        assert not second.lines("UPDATE_HANDLED"), "… and the ACTIVE one handles them"
        await first.kill()
        await second.says("ACTIVE_ENTER")
        assert "reason=lock_acquired" in second.lines("LOCK")[-1]
        assert (await second.health())["active"] is True
        await ends_well(system, anna, cards=(card,))


async def test_at_a_deploy_the_next_one_is_active_within_two_seconds_and_nobody_flaps(
    database: str, tmp_path: Path
) -> None:
    async with running_system(database, tmp_path) as system:
        await system.start()
        took_s = []
        for _ in range(3):
            old, new = system.instance, await system.start()
            began = monotonic()
            old.send(signal.SIGTERM)
            await new.says("ACTIVE_ENTER")
            took_s.append(monotonic() - began)
            assert await old.ends(DRAIN_LIMIT_S) == 0
        assert min(took_s) < HANDOVER_S, took_s
        assert [len(instance.lines("ACTIVE_ENTER")) for instance in system.instances] == [1, 1, 1, 1]


async def test_with_update_workers_all_a_passive_instance_handles_updates_too(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path, UPDATE_WORKERS="all") as system:
        await system.start()
        passive = await system.start()
        system.door.only = passive
        customers = [system.customer(name) for name in ("Анна", "Борис", "Вера")]
        cards = [await customer.buys() for customer in customers]
        await ends_well(system, *customers, cards=tuple(cards))
        assert passive.lines("UPDATE_HANDLED")
        assert not passive.lines("ACTIVE_ENTER")


async def test_asked_to_stop_it_leaves_in_time_and_the_next_one_finishes(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        assert await system.instance.stop() == 0
        async with system.sql() as connection:
            assert await connection.fetchval("SELECT count(*) FROM instances") == 0, "it says goodbye"
            assert not await connection.fetchval("SELECT count(*) FROM generation_jobs WHERE delivering_at IS NOT NULL")
        await system.kie_finishes()
        next_one = await system.start()
        await ends_well(system, anna, cards=(card,))
        assert await next_one.stop() == 0


async def test_asked_to_stop_while_long_polling_it_leaves_in_time(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path) as system:
        instance = await system.start(public=False)
        await instance.says("UPDATES_BY")
        assert await instance.stop() == 0


async def test_it_recovers_by_itself_when_the_database_drops_every_connection(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        instance = system.instance
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        async with system.sql() as connection:
            for _ in range(3):
                await connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                )
        await until(lambda: "lock_lost" in instance.log, about=lambda: instance.log)
        await instance.says("ACTIVE_ENTER", times=2)

        async def healthy() -> bool | None:
            found = await instance.health()
            return True if found["status"] == "ok" and found["active"] else None

        await until_found(healthy)
        await system.kie_finishes()
        await ends_well(system, anna, cards=(card,))
        boris = system.customer("Борис")
        boris_card = await boris.buys()
        await ends_well(system, anna, boris, cards=(card, boris_card))
        assert await instance.stop() == 0


async def test_without_a_database_it_says_so_loses_nothing_and_goes_on_when_it_is_back(
    database: str, postgres: SharedPostgres, tmp_path: Path
) -> None:
    async with open_shop(database, tmp_path) as system:
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        async with _closed(postgres, database):
            await _is(system.instance, "degraded", ready=503)
            anna.says("/help")
            await system.kie_finishes()
            await system.instance.says("WEBHOOK_NOT_STORED")
            await system.instance.says("CALLBACK_ERROR")
        await _is(system.instance, "ok", ready=200)
        await anna.sees("Как это работает")
        await ends_well(system, anna, cards=(card,))


async def test_asked_to_stop_without_a_database_it_leaves_in_time(
    database: str, postgres: SharedPostgres, tmp_path: Path
) -> None:
    async with open_shop(database, tmp_path) as system, _closed(postgres, database):
        await _is(system.instance, "degraded", ready=503)
        assert await system.instance.stop() == 0, system.instance.log


@asynccontextmanager
async def _closed(postgres: SharedPostgres, database: str) -> AsyncIterator[None]:
    """The database lets nobody in, and throws out whoever is there."""
    name = urlsplit(database).path.removeprefix("/")
    async with connection_of(postgres.dsn) as connection:
        await connection.execute(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS false')
        try:
            await connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", name)
            yield
        finally:
            await connection.execute(f'ALTER DATABASE "{name}" WITH ALLOW_CONNECTIONS true')


async def _is(instance: Instance, status: str, *, ready: int) -> None:
    """Wait until the instance says so of itself."""

    async def says_so() -> bool | None:
        async with aiohttp.ClientSession() as session, session.get(f"{instance.url}/ready") as answer:
            is_ready = answer.status == ready
        return True if is_ready and (await instance.health())["status"] == status else None

    await until_found(says_so, about=lambda: instance.log)
