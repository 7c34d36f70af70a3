"""RICH_RESULTS: several outputs are one rich message, repeatable like every edit; what Telegram refuses is shown by pages."""

from dataclasses import replace
from pathlib import Path

from photomat.kie.results import Detail
from support.database import shift_clock
from support.delivery import Desk, delivery_desk
from support.jobs import row_of
from support.telegram_media import picture

OGG = b"OggS\x00\x02" + bytes(60)


def rich(desk: Desk) -> Desk:
    sender = replace(desk.coordinator.sender, rich=True)
    desk.coordinator = replace(desk.coordinator, sender=sender)
    return desk


def pictures(desk: Desk, *colors: str) -> list[str]:
    return [desk.files.add(f"{color}.png", picture(color), "image/png") for color in colors]


async def test_all_outputs_stand_on_the_one_card_at_once(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        rich(desk)
        urls = pictures(desk, "red", "green", "blue")
        job_id = await desk.done_job(*urls, told={"details": {urls[0]: Detail(title="кот <1>")}})
        await desk.deliver()
        (message,) = desk.seen()
        assert [block["type"] for block in message["rich"][:4]] == ["photo", "photo", "photo", "paragraph"]
        assert message["rich"][0]["text"] == "кот <1>"
        assert "кот-космонавт" in "".join(block["text"] for block in message["rich"])
        assert "📎 Файлы · 3" in dict(desk.buttons(message))
        assert "▶" not in dict(desk.buttons(message))
        assert await desk.delivered(job_id)
        assert await desk.pool.fetchval("SELECT count(*) FROM job_outputs WHERE file_id IS NOT NULL") == 3
        await desk.pool.execute("UPDATE generation_jobs SET card_wanted = card_wanted + 1")
        await desk.deliver()
        assert desk.calls("editMessageText")[-1]["outcome"].startswith("400 Bad Request: message is not modified")
        assert desk.kinds() == ["rich"]


async def test_after_a_lost_answer_the_same_page_is_shown_again_in_the_same_place(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        rich(desk)
        job_id = await desk.done_job(*pictures(desk, "red", "green"))
        desk.telegram.faults.arm(world="telegram", method="editMessageText", action="drop_after")
        await desk.deliver()
        assert not await desk.delivered(job_id)
        await shift_clock(desk.pool, 10)
        await desk.deliver()
        assert desk.kinds() == ["rich"]
        assert await desk.delivered(job_id)


async def test_what_telegram_does_not_fetch_is_uploaded_and_what_it_refuses_is_shown_by_pages(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        rich(desk)
        await desk.done_job(*pictures(desk, "red", "green"))
        desk.refuse("editMessageText", "Bad Request: failed to get HTTP URL content")
        await desk.deliver()
        assert desk.kinds() == ["rich"]
        job_id = await desk.done_job(*pictures(desk, "blue", "white"))
        desk.refuse("editMessageText", "Bad Request: rich messages are not available", times=2)
        await desk.deliver()
        assert desk.kinds() == ["rich", "photo"]
        assert "▶" in dict(desk.buttons(desk.seen()[-1]))
        assert await desk.delivered(job_id)


async def test_a_card_that_shows_pages_stays_so_when_the_setting_is_turned_on(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(*pictures(desk, "red", "green"))
        await desk.deliver()
        rich(desk)
        await desk.pool.execute("UPDATE generation_jobs SET card_wanted = card_wanted + 1")
        await desk.deliver()
        assert desk.kinds() == ["photo"]
        assert (await row_of(desk.pool, job_id))["card_shown"] == (await row_of(desk.pool, job_id))["card_wanted"]


async def test_one_output_is_a_picture_and_speech_may_be_a_voice_note_on_a_page(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        rich(desk)
        await desk.done_job(*pictures(desk, "red"))
        await desk.done_job(desk.files.add("voice.ogg", OGG, "audio/ogg"), *pictures(desk, "green"))
        await desk.deliver()
        single, page = desk.seen()
        assert (single["kind"], page["kind"]) == ("photo", "rich")
        assert [block["type"] for block in page["rich"][:2]] == ["voice_note", "photo"]
