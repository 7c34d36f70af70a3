"""The disk is full: nothing that was accepted is lost, readiness is red, and with room again everything goes on by itself."""

from pathlib import Path
from typing import Final

import aiohttp

from photomat.audit.run import violations
from photomat.db.embedded import find_running
from support.patience import until_found
from support.small_disk import fill_up, small_disk
from support.system import Instance, running_system

DISK_MB: Final = 160
"""The embedded database takes about half of it."""

LETTERS: Final = 120
"""More than fit into what the tables have allocated."""

TOLD_BY_BORIS: Final = "SELECT count(*) FROM inbox WHERE body #>> '{message,text}' LIKE 'letter %'"


async def readiness(instance: Instance) -> int:
    async with aiohttp.ClientSession() as session, session.get(f"{instance.url}/ready") as answer:
        return answer.status


async def test_a_full_disk_stops_the_shop_loses_nothing_and_is_forgotten_once_there_is_room(tmp_path: Path) -> None:
    with small_disk(tmp_path / "data", megabytes=DISK_MB) as disk:
        async with running_system("", tmp_path, EMBEDDED_OK="1", DISK_RESERVE_MB="1") as system:
            instance = await system.start()
            system.database = find_running(disk) or ""
            anna, boris = system.customer("Анна"), system.customer("Борис")
            await anna.fills_in("кот")
            assert await readiness(instance) == 200

            ballast = fill_up(disk)
            await instance.says("DISK_FULL")
            assert await readiness(instance) == 503
            for number in range(LETTERS):
                boris.says(f"letter {number} " + "a long, long story " * 200)
            await instance.says("WEBHOOK_NOT_STORED")
            card = await anna.taps("✅ Создать")

            ballast.unlink()
            await instance.says("DISK_FREE")
            picture = await anna.gets_a_picture()
            assert picture["message_id"] == card
            await anna.is_rung(1)
            assert len(anna.pictures()) == 1
            assert await readiness(instance) == 200
            async with system.sql() as connection:

                async def all_told() -> bool | None:
                    return True if await connection.fetchval(TOLD_BY_BORIS) == LETTERS else None

                await until_found(all_told, about=lambda: f"every letter, each once\n{system.story[-4000:]}")
                assert await violations(connection) == []
