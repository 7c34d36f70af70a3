"""The version before runs on the newest schema: alone after a step back, and side by side during a deploy."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.endings import buys_something_endless, ends_well
from support.releases import unpack_previous_version
from support.system import running_system


@pytest.fixture
def previous(tmp_path: Path) -> Path:
    """The version before, ready to start."""
    folder = tmp_path / "previous"
    folder.mkdir()
    return unpack_previous_version(folder)


async def test_after_a_step_back_the_old_version_finishes_what_the_new_one_began(
    database: str, tmp_path: Path, previous: Path
) -> None:
    async with running_system(database, tmp_path) as system:
        new = await system.start()
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        await new.kill()
        old = await system.start(program=previous)
        await old.says("SCHEMA_NEWER")
        await system.kie_finishes()
        await ends_well(system, anna, cards=(card,))
        boris = system.customer("Борис")
        boris_card = await boris.buys()
        await ends_well(system, anna, boris, cards=(card, boris_card))
        assert await old.stop() == 0
        await system.start()
        vera = system.customer("Вера")
        vera_card = await vera.buys()
        await ends_well(system, anna, boris, vera, cards=(card, boris_card, vera_card))


async def test_old_and_new_share_the_work_during_a_deploy(database: str, tmp_path: Path, previous: Path) -> None:
    async with running_system(database, tmp_path, UPDATE_WORKERS="all") as system:
        await system.start(program=previous)
        await system.start()
        customers = [system.customer(name) for name in ("Анна", "Борис", "Вера", "Глеб")]
        cards = [await customer.buys() for customer in customers]
        await ends_well(system, *customers, cards=tuple(cards))
        for instance in system.instances:
            assert await instance.stop() == 0


def test_the_check_of_the_old_version_warns_and_lets_it_run_on(database: str, previous: Path, tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-m", "photomat", "check", "--only", "migrations", "--json"],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(previous),
            "DATABASE_URL": database,
            "BOT_TOKEN": "1:x",
            "KIE_API_KEY": "x",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    assert said.returncode == 0, said.stdout + said.stderr
    assert "newer than this program" in json.dumps(json.loads(said.stdout))
