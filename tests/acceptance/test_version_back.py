"""An older version and this one: it works while we migrate, runs on our schema alone or beside us, and lets us come back.

The first release has the oldest schema; the previous one is what a deploy replaces and what a step back returns to.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path

import pytest

from photomat.db.migrate import read_migrations
from support.customer import Customer
from support.endings import buys_something_endless, ends_well
from support.patience import until
from support.releases import unpack_first_version, unpack_previous_version
from support.system import Instance, System, running_system

REACHED = "SELECT max(number) FROM schema_migrations"
FIRST_RELEASE = 8
NEWEST = len(read_migrations())
DAYS_BACK_S = 3 * 24 * 3600.0


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first release, ready to start."""
    return unpack_first_version(tmp_path_factory.mktemp("first"))


@pytest.fixture(scope="module")
def previous(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release before this version, ready to start."""
    return unpack_previous_version(tmp_path_factory.mktemp("previous"))


async def test_a_deploy_and_a_step_back_under_load_lose_nothing(database: str, tmp_path: Path, previous: Path) -> None:
    async with running_system(database, tmp_path, UPDATE_WORKERS="all") as system:
        old = await system.start(program=previous)
        customers, cards = await buying_during(system, replace(system, old, program=None))
        more, more_cards = await buying_during(system, replace(system, system.instance, program=previous))
        await ends_well(system, *customers, *more, cards=(*cards, *more_cards))
        assert await system.instance.stop() == 0


async def replace(system: System, leaving: Instance, *, program: Path | None) -> None:
    """A deploy: the newcomer works before the other one goes."""
    await system.start(program=program)
    assert await leaving.stop() == 0


async def buying_during(system: System, deploy: Coroutine[None, None, None]) -> tuple[list[Customer], list[int]]:
    """People who buy before, during and after a deploy; gives them and their cards."""
    anna, boris, vera = customers = [system.customer(name) for name in ("Анна", "Борис", "Вера")]
    before = await anna.buys()
    meanwhile, _ = await asyncio.gather(boris.buys(), deploy)
    return customers, [before, meanwhile, await vera.buys()]


@pytest.mark.prove
async def test_after_a_step_back_the_old_version_finishes_what_the_new_one_began(
    database: str, tmp_path: Path, first: Path
) -> None:
    async with running_system(database, tmp_path) as system:
        new = await system.start()
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        await new.kill()
        await leave_work_only_the_new_version_knows(system)
        old = await system.start(program=first)
        await old.says("SCHEMA_NEWER")
        await system.kie_finishes()
        await ends_well(system, anna, cards=(card,))
        boris = system.customer("Борис")
        boris_card = await boris.buys()
        await ends_well(system, anna, boris, cards=(card, boris_card))
        assert await old.stop() == 0
        await system.passes(DAYS_BACK_S)
        await system.start()
        vera = system.customer("Вера")
        vera_card = await vera.buys()
        await ends_well(system, anna, boris, vera, cards=(card, boris_card, vera_card))


async def test_the_old_version_buys_and_delivers_while_the_new_one_migrates_and_takes_over(
    empty_database: str, tmp_path: Path, first: Path
) -> None:
    async with running_system(empty_database, tmp_path) as system:
        old = await system.start(program=first)
        anna, boris = system.customer(), system.customer("Борис")
        async with system.sql() as dump:
            assert await dump.fetchval(REACHED) == FIRST_RELEASE
            async with dump.transaction():
                await dump.fetch("SELECT count(*) FROM generation_jobs")
                new = await system.start(wait=False)
                await new.says("MIGRATION_WAITS")
                card = await anna.buys()
                await anna.gets_a_picture()
                assert await dump.fetchval(REACHED) < NEWEST
        await until(lambda: new.ready, about=lambda: new.log)
        _, boris_card = await asyncio.gather(old.stop(), boris.buys())
        await ends_well(system, anna, boris, cards=(card, boris_card))
        await new.says("ACTIVE_ENTER")
        async with system.sql() as connection:
            assert await connection.fetchval(REACHED) == NEWEST


@pytest.mark.prove
async def test_old_and_new_share_the_work_during_a_deploy(database: str, tmp_path: Path, first: Path) -> None:
    async with running_system(database, tmp_path, UPDATE_WORKERS="all") as system:
        await system.start(program=first)
        await system.start()
        customers = [system.customer(name) for name in ("Анна", "Борис", "Вера", "Глеб")]
        cards = [await customer.buys() for customer in customers]
        await ends_well(system, *customers, cards=tuple(cards))
        for instance in system.instances:
            assert await instance.stop() == 0


async def leave_work_only_the_new_version_knows(system: System) -> None:
    """A result asked for again, an open incident to be told of, a card that has failed for a while."""
    async with system.sql() as connection:
        await connection.execute(
            """
            UPDATE generation_jobs SET delivery_failing_since = photomat_now() - interval '1 hour';
            INSERT INTO result_sends (job_id, position, origin, chat_id, language, due_at)
            SELECT job_id, 0, 'update:1:1', chat_id, 'ru', photomat_now() FROM generation_jobs;
            INSERT INTO watches (kind, due_at) VALUES ('of-tomorrow', photomat_now());
            INSERT INTO incidents (kind) VALUES ('of-tomorrow');
            INSERT INTO incident_notices (incident_id, admin_id, about) SELECT incident_id, 7, 'open' FROM incidents;
            UPDATE inbox SET failures = 2 WHERE handled_at IS NULL
            """
        )


@pytest.mark.prove
def test_the_check_of_the_old_version_warns_and_lets_it_run_on(database: str, first: Path, tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "photomat", "check", "--only", "migrations", "--json"],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(first),
            "DATABASE_URL": database,
            "BOT_TOKEN": "1:x",
            "KIE_API_KEY": "x",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert said.returncode == 0, said.stdout + said.stderr
    assert "newer than this program" in json.dumps(json.loads(said.stdout))
