"""The disk died: the shop is restored from its backup, on an empty machine, while both worlds went on without it."""

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from photomat.backup.file import finished
from photomat.db.embedded import find_running
from support.command import photomat
from support.customer import Customer
from support.endings import buys_something_endless
from support.patience import until, until_found
from support.purse import opens_a_bill, payments, pays
from support.system import TOKEN, System, running_system

GAP = 1_000_000


async def told(system: System, *command: str, **settings: str) -> str:
    """What a command says that ends well, with the settings of the shop."""
    environment = {"BOT_TOKEN": TOKEN, "KIE_API_KEY": system.kie.world.key, "DATABASE_URL": system.database, **settings}
    ended = await asyncio.to_thread(photomat, *command, folder=system.folder, **environment)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


async def waits_for_a_restored_shop(system: System) -> None:
    """Start the bot on the embedded database of the restore; payments are read again."""
    instance = await system.start(DATABASE_URL="", DATA_DIR=str(system.folder / "var"), EMBEDDED_OK="1")
    dsn = find_running(system.folder / "var")
    assert dsn is not None
    system.database = dsn
    await instance.says("RESTORE_PAYMENTS_READ")


async def buys_while_the_provider_is_paused(system: System, customer: Customer) -> int:
    await told(system, "pause", "provider", "--reason", "a break")
    card = await customer.buys()
    await system.until_job(lambda job: job["user_id"] == customer.person.user_id and job["status"] == "pending")
    return card


async def a_life_after_the_backup(system: System, anna: Customer, boris: Customer, clara: Customer) -> int:
    """What the backup does not know: two jobs end, a payment arrives, a third job is bought; its number."""
    await told(system, "resume", "provider", "--reason", "on with it")
    await clara.gets_a_picture()
    await clara.is_rung(1)
    await system.kie.post(f"/sandbox/tasks/{next(iter(system.kie.world.tasks))}", {"state": "success"})
    await boris.gets_a_picture()
    await boris.is_rung(1)
    await pays(anna, await opens_a_bill(anna))
    await anna.sees("💰 Зачислено 52 ₽")
    await anna.buys()
    await anna.gets_a_picture()
    job = await system.until_job(lambda job: job["user_id"] == anna.person.user_id and job["delivered_at"] is not None)
    return int(job["job_id"])


async def settled(system: System, user_id: int) -> dict[str, Any]:
    async def ask() -> dict[str, Any] | None:
        async with system.sql() as connection:
            row = await connection.fetchrow(
                "SELECT * FROM generation_jobs WHERE user_id = $1 AND delivered_at IS NOT NULL AND card_shown = card_wanted",
                user_id,
            )
        return None if row is None else dict(row)

    return await until_found(ask, about=lambda: system.story[-6000:])


@pytest.mark.prove
async def test_a_shop_restored_after_its_disk_died_repeats_nothing_and_sells_again(
    database: str, tmp_path: Path
) -> None:
    async with running_system(database, tmp_path) as system:
        await system.start()
        anna, boris, clara = system.customer(), system.customer("Борис"), system.customer("Клара")
        await buys_something_endless(system, boris)
        await buys_while_the_provider_is_paused(system, clara)
        await told(system, "backup", "--out", str(tmp_path / "backups"))
        last_number = await a_life_after_the_backup(system, anna, boris, clara)
        await system.instance.kill()
        tasks, pictures = len(system.kie.world.tasks), [len(one.pictures()) for one in (anna, boris, clara)]

        file = next(finished(tmp_path / "backups"))
        said = await told(system, "restore", str(file), "--yes", DATABASE_URL="", EMBEDDED_OK="1")
        assert "It is paused" in said
        await waits_for_a_restored_shop(system)
        await settled(system, boris.person.user_id)
        assert await payments(system) == [(50, 5_200, "reconcile")], "found again, once"
        clara.says("/start")
        await clara.sees("Технический перерыв")
        status = await told(system, "restore", "status")
        assert "Jobs that may or may not be at Kie: 1" in status
        assert len(system.kie.world.tasks) == tasks, "nothing is submitted again"
        assert [len(one.pictures()) for one in (anna, boris, clara)] == pictures, "no result comes twice"
        assert (len(boris.rings()), len(clara.rings())) == (1, 1), "no phone rings twice"

        await told(system, "jobs", "cancel", str((await system.job())["job_id"]), "--reason", "she has it")
        await told(system, "resume", "restore", "--reason", "all is well")
        await replace(anna, database=system.database).buys()
        bought = await system.until_job(lambda job: job["user_id"] == anna.person.user_id and job["delivered_at"])
        assert bought["job_id"] > last_number + GAP // 2, "its number was never used before"
        await until(lambda: len(system.kie.world.tasks) == tasks + 1)
        await told(system, "audit")
        await system.instance.stop()
