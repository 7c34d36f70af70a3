"""A setting changed while two instances run: both sell at the new price within seconds, and so does the next start."""

from pathlib import Path
from time import monotonic

from support.command import photomat
from support.instance import Instance
from support.system import System, running_system

APPLIES_WITHIN_S = 5.0
"""Two are promised; the machine may be busy with something else."""
OLD, NEW = "✅ Создать · 0,64", "✅ Создать · 1,60"


async def test_two_instances_sell_at_the_new_markup_and_a_restart_keeps_it(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path) as system:
        first, second = await system.start(), await system.start()
        anna = system.customer()
        await anna.fills_in()
        await anna.finds(OLD)
        await changes_markup(first, second, folder=tmp_path, database=database)

        card = await anna.taps(OLD)
        await anna.finds(NEW, message_id=card)
        async with system.sql() as connection:
            assert not await connection.fetchval("SELECT count(*) FROM generation_jobs"), "the old price buys nothing"

        await next_one_sells(system, first, to="Борис", at=NEW)
        third = await system.start()
        await next_one_sells(system, second, to="Вера", at=NEW)
        await system.start(MARKUP="2")
        await next_one_sells(system, third, to="Глеб", at=OLD)


async def changes_markup(*instances: Instance, folder: Path, database: str) -> None:
    changed = photomat("settings", "set", "MARKUP", "5", "--reason", "dearer", folder=folder, DATABASE_URL=database)
    assert changed.returncode == 0, changed.stderr
    began = monotonic()
    for instance in instances:
        assert "setting=MARKUP value=5" in await instance.says("SETTING_APPLIED")
    assert monotonic() - began < APPLIES_WITHIN_S


async def next_one_sells(system: System, old: Instance, *, to: str, at: str) -> None:
    """Stop the ACTIVE instance, so that the next one handles updates; it offers the picture at this price."""
    assert await old.stop() == 0
    customer = system.customer(to)
    await customer.fills_in()
    await customer.finds(at)
