"""Each of Telegram's limits at its edge: what fits is shown as what it is, what does not says why it is something less."""

from pathlib import Path
from typing import Any

import pytest

from photomat.delivery.archive import ResultFiles
from support.delivery import Desk, delivery_desk
from support.logs import logged
from support.telegram_media import picture, video

MIB = 2**20


def photo_of(size_bytes: int) -> bytes:
    data = picture()
    return data + bytes(size_bytes - len(data))


def film_of(size_bytes: int) -> bytes:
    return video(padding=size_bytes - len(video()))


async def shown(desk: Desk, data: bytes, mime: str) -> tuple[dict[str, Any], str]:
    """The card after one delivery, and by which way it got there."""
    job_id = await desk.done_job(desk.files.add("result", data, mime))
    with logged() as lines:
        await desk.deliver()
    assert await desk.delivered(job_id)
    (level,) = [line["level"] for line in lines if line["event"] == "DELIVER_OK"]
    return desk.seen()[-1], level


@pytest.mark.parametrize(
    ("data", "mime", "kind", "level"),
    [
        (photo_of(5 * MIB), "image/png", "photo", "url"),
        (photo_of(5 * MIB + 1), "image/png", "photo", "bytes"),
        (photo_of(10 * MIB), "image/png", "photo", "bytes"),
        (picture(width=9000, height=1000, form="JPEG"), "image/jpeg", "photo", "url"),
        (picture(width=2000, height=100), "image/png", "photo", "url"),
        (film_of(20 * MIB), "video/mp4", "video", "url"),
        (film_of(20 * MIB + 1), "video/mp4", "video", "bytes"),
        (film_of(50 * MIB), "video/mp4", "video", "bytes"),
        (b"%PDF-1.7\n", "application/pdf", "document", "bytes"),
    ],
    ids=[
        "a photo of 5 MB by its address",
        "a larger one by upload",
        "a photo of 10 MB by upload",
        "sides of 10000 together",
        "twenty times as wide as high",
        "a film of 20 MB by its address",
        "a larger one by upload too",
        "a film of 50 MB by upload",
        "a document by nature",
    ],
)
async def test_what_fits_is_shown_as_what_it_is_and_without_excuses(  # noqa: PLR0917  a row of the table
    database: str, tmp_path: Path, data: bytes, mime: str, kind: str, level: str
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        message, by = await shown(desk, data, mime)
        assert (message["kind"], by) == (kind, level)
        assert "📎" not in message["caption"]
        refused = [call["outcome"] for call in desk.calls("editMessageMedia") if call["outcome"]]
        assert refused == [], "nothing was tried that Telegram would not take"


@pytest.mark.parametrize(
    ("data", "mime", "why"),
    [
        (photo_of(10 * MIB + 1), "image/png", "Файл больше 10 МБ"),
        (picture(width=9001, height=1000, form="JPEG"), "image/jpeg", "слишком большая или слишком вытянутая"),
        (picture(width=2001, height=100), "image/png", "слишком большая или слишком вытянутая"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt " + bytes(40), "audio/wav", "Такой формат Telegram не показывает"),
    ],
    ids=["over 10 MB", "sides over 10000", "over twenty times as wide", "a format without a player"],
)
async def test_what_cannot_be_shown_comes_as_a_document_and_says_why(
    database: str, tmp_path: Path, data: bytes, mime: str, why: str
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        message, by = await shown(desk, data, mime)
        assert (message["kind"], by) == ("document", "bytes")
        assert why in message["caption"]
        assert desk.shown_bytes(message) == data, "in full quality"


async def test_a_photo_telegram_refuses_after_all_says_so_each_time_it_is_rendered(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        desk.refuse("editMessageMedia", "Bad Request: IMAGE_PROCESS_FAILED", times=2)
        first, _ = await shown(desk, picture(), "image/png")
        assert "Telegram не смог показать этот файл" in first["caption"]
        await desk.pool.execute("UPDATE generation_jobs SET card_wanted = card_wanted + 1")
        await desk.deliver()
        (again,) = desk.seen()
        assert (again["kind"], again["caption"]) == ("document", first["caption"])
        assert desk.calls("editMessageMedia")[-1]["outcome"].startswith("400 Bad Request: message is not modified")


async def test_a_file_beyond_every_limit_comes_as_a_link_and_says_why(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        message, by = await shown(desk, film_of(50 * MIB + 1), "video/mp4")
        assert (message["kind"], by) == ("text", "text")
        assert "Файл больше 50 МБ" in message["text"]
        assert [entity["url"] for entity in message["entities"] if entity["type"] == "text_link"] == [
            f"{desk.files.url}/result"
        ]
        assert desk.calls("editMessageMedia") == [], "nothing was tried in vain"


async def test_a_file_larger_than_we_keep_comes_as_a_link_and_says_why(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ResultFiles, "most_bytes", 1000)
    async with delivery_desk(database, tmp_path) as desk:
        desk.refuse("editMessageMedia", "Bad Request: failed to get HTTP URL content")
        message, by = await shown(desk, picture(), "image/png")
        assert (message["kind"], by, "Файл больше 50 МБ" in message["text"]) == ("text", "text", True)
