"""A purchase against `lo-bot-api-emulator`, which refuses unknown parameters and has no editMessageMedia.

The card cannot become the picture there, so the result arrives as text with a link, and is charged once.
"""

from pathlib import Path

import pytest

from support.lo_emulator import TOKEN, emulated_chat
from support.system import running_system


async def test_a_purchase_ends_with_the_link_where_a_card_cannot_become_a_picture(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with emulated_chat(monkeypatch) as chat, running_system(database, tmp_path) as system:
        chat.story = lambda: system.story
        await system.start(public=False, TELEGRAM_API_URL=chat.url, BOT_TOKEN=TOKEN)
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        await chat.taps("Z-Image")
        await chat.sees("Опиши")
        await chat.says("кот-космонавт")
        await chat.taps("1:1")
        card = await chat.taps("✅ Создать")
        job = await system.until_job(lambda job: job["delivered_at"] is not None)
        assert job["status"] == "done"
        await chat.sees("http", on=card)
        await chat.sees("✅ Генерация завершена")
        assert len(system.kie.world.tasks) == 1
        assert await system.instance.stop() == 0
