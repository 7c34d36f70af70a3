"""An operator drains an instance, or pauses the shop, by command while it works: nothing is lost, nothing happens twice."""

from pathlib import Path
from typing import Any

from support.command import photomat
from support.endings import buys_something_endless, ends_well
from support.patience import until_found
from support.system import Instance, System, open_shop, running_system


async def id_of(system: System, instance: Instance) -> str:
    async with system.sql() as connection:
        return str(await connection.fetchval("SELECT instance_id FROM instances WHERE pid = $1", instance.pid))


def tells(system: System, *command: str) -> None:
    ended = photomat(*command, "--reason", "a test", folder=system.folder, DATABASE_URL=system.database)
    assert ended.returncode == 0, ended.stdout + ended.stderr


async def is_seen(system: System, instance_id: str) -> None:
    """Wait until an instance has shown itself after the clock was shifted."""

    async def ask() -> Any:
        async with system.sql() as connection:
            return await connection.fetchval(
                "SELECT true FROM instances WHERE instance_id = $1 AND seen_at > photomat_now() - interval '3 seconds'",
                instance_id,
            )

    await until_found(ask)


async def drained(system: System, instance_id: str) -> Any:
    """Wait until an instance has said that it holds nothing."""

    async def ask() -> Any:
        async with system.sql() as connection:
            return await connection.fetchval("SELECT drained_at FROM instances WHERE instance_id = $1", instance_id)

    return await until_found(ask)


async def test_a_drained_instance_claims_nothing_the_other_takes_over_and_nothing_is_lost(
    database: str, tmp_path: Path
) -> None:
    async with running_system(database, tmp_path) as system:
        first = await system.start()
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        second = await system.start()
        name = await id_of(system, first)
        tells(system, "instances", "drain", name)
        await second.says("ACTIVE_ENTER")
        await drained(system, name)
        assert (await first.health())["active"] is False, "it still answers"
        system.door.only = first
        handled = len(first.lines("UPDATE_HANDLED"))
        submitted, delivered = len(first.lines("JOB_SUBMITTED")), len(first.lines("DELIVER_START"))
        boris = system.customer("Борис")
        boris_card = await boris.buys()
        await system.kie_finishes()
        await ends_well(system, anna, boris, cards=(card, boris_card))
        assert first.lines("UPDATE_RECEIVED"), "webhooks still come in through it"
        assert len(first.lines("UPDATE_HANDLED")) == handled
        assert (len(first.lines("JOB_SUBMITTED")), len(first.lines("DELIVER_START"))) == (submitted, delivered)
        await is_seen(system, name)
        tells(system, "instances", "undrain", name)
        await first.says("DRAIN_OVER")
        await second.kill()
        await first.says("ACTIVE_ENTER", times=2)
        vera = system.customer("Вера")
        vera_card = await vera.buys()
        await ends_well(system, anna, boris, vera, cards=(card, boris_card, vera_card))


async def test_an_instance_killed_while_it_drains_loses_nothing(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path) as system:
        for _ in range(2):
            await system.start()
        system.telegram.faults.arm(world="telegram", method="editMessageMedia", action="delay", delay_s=20)
        anna = system.customer()
        card = await anna.buys()
        job = await system.until_job(lambda job: job["status"] == "done" and job["delivering_by"])
        ids = {await id_of(system, instance): instance for instance in system.instances}
        victim = ids[job["delivering_by"]]
        tells(system, "instances", "drain", job["delivering_by"])
        await victim.says("DRAINING")
        assert (await system.job())["delivered_at"] is None, "it drains and still waits for Telegram's answer"
        await victim.kill()
        await ends_well(system, anna, cards=(card,))


async def test_while_the_bot_is_paused_bought_jobs_are_delivered(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        anna = system.customer()
        card = await buys_something_endless(system, anna)
        tells(system, "pause", "bot", "--minutes", "60")
        anna.says("/start")
        await anna.sees("Технический перерыв")
        await system.kie_finishes()
        await anna.gets_a_picture()
        await anna.is_rung(1)
        tells(system, "resume", "bot")
        await ends_well(system, anna, cards=(card,))


async def test_a_paused_provider_gets_nothing_until_it_is_resumed(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path) as system:
        tells(system, "pause", "provider")
        anna = system.customer()
        card = await anna.buys()
        await anna.sees("Генерация сейчас на паузе. Точного времени пока нет. Ваш заказ в очереди")
        assert not system.kie.world.tasks
        tells(system, "resume", "provider")
        await ends_well(system, anna, cards=(card,))
