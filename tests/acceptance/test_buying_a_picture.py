"""A customer buys a Z-Image: by webhook and by long polling, with and without callbacks."""

from pathlib import Path

import pytest

from support.system import running_system, until


@pytest.mark.parametrize("public", [True, False], ids=["webhook and callbacks", "long polling, no callbacks"])
async def test_from_start_to_one_picture(database: str, tmp_path: Path, *, public: bool) -> None:
    async with running_system(database, tmp_path) as system:
        instance = await system.start(public=public)
        anna = system.customer("Анна")
        card = await anna.buys("кот-космонавт", "1:1")
        picture = await anna.gets_a_picture()
        assert picture["message_id"] == card, "the card itself becomes the picture"
        assert picture["media"]["mime"] in {"image/png", "image/jpeg"}
        ring = await anna.sees("✅ Генерация завершена")
        assert ring["reply_to"] == card
        await until(lambda: instance.lines("RING"))
        assert len(anna.pictures()) == 1
        assert len(anna.rings()) == 1
        anna.says("/balance")
        await anna.sees("99,36")
        job = await system.job()
        assert job["status"] == "done"
        assert job["delivered_at"] is not None
        assert await instance.stop() == 0
