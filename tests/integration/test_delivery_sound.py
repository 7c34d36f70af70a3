"""What is heard comes with its title, its maker, its length and its cover; a film with its shape."""

import io
from decimal import Decimal
from pathlib import Path

import pytest
from PIL import Image

from photomat.db.rows import require_row
from photomat.delivery.archive import COVER_BYTES, COVER_SIDE, cover_jpeg
from photomat.kie.results import Detail
from support.database import pool_of
from support.delivery import Desk, delivery_desk
from support.jobs import SUCCESS, URL, a_running_job, a_user
from support.steps import look
from support.telegram_media import picture, video

MP3 = b"ID3\x04\x00\x00\x00\x00\x00\x00" + (b"\xff\xfb\x90\x00" + bytes(413)) * 40
SONG = Detail(track_id="t-1", title="Дорога <домой>", seconds=Decimal("198.4"))


async def song(desk: Desk, *, cover: str | None) -> None:
    url = desk.files.add("song.mp3", MP3, "audio/mpeg")
    detail = Detail(track_id="t-1", title=SONG.title, seconds=SONG.seconds, cover_url=cover)
    await desk.done_job(url, told={"details": {url: detail}})
    await desk.deliver()


async def test_a_track_has_its_title_its_maker_its_length_and_its_cover(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        cover = desk.files.add("cover.jpeg", picture("blue", width=1024, height=1024), "image/jpeg")
        await song(desk, cover=cover)
        (message,) = desk.seen()
        assert message["kind"] == "audio"
        assert (message["media"]["title"], message["media"]["performer"]) == ("Дорога <домой>", "Z-Image")
        assert message["media"]["duration"] > 0
        assert message["media"]["thumbnail_url"]
        row = await require_row(desk.pool, "SELECT track_id, title, cover_url, seconds FROM job_outputs")
        assert (row["track_id"], row["title"], row["cover_url"]) == ("t-1", "Дорога <домой>", cover)
        await desk.pool.execute("UPDATE generation_jobs SET card_wanted = card_wanted + 1")
        await desk.deliver()
        assert desk.calls("editMessageMedia")[-1]["outcome"].startswith("400 Bad Request: message is not modified")
        assert desk.files.asked.count("cover.jpeg") == 1


async def test_what_kie_tells_of_a_track_is_kept_when_the_job_is_settled(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        other = "https://files.example/2.mp3"
        found = SUCCESS._replace(urls=(URL, other), details={URL: SONG})
        await look(pool, job_id, found, after_s=2.01)
        rows = await pool.fetch("SELECT track_id, title, seconds FROM job_outputs ORDER BY position")
        assert [tuple(row) for row in rows] == [("t-1", SONG.title, SONG.seconds), (None, None, None)]


@pytest.mark.parametrize("cover", ["gone", "text"])
async def test_a_cover_that_cannot_be_had_does_not_keep_the_track(database: str, tmp_path: Path, cover: str) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        desk.files.add("text", b"<html>no picture</html>", "image/jpeg")
        await song(desk, cover=f"{desk.files.url}/{cover}")
        (message,) = desk.seen()
        assert (message["kind"], message["media"]["title"]) == ("audio", "Дорога <домой>")
        assert message["media"]["thumbnail_url"] is None


def test_a_cover_is_made_small_enough() -> None:
    noise = Image.effect_noise((2000, 1000), 90).convert("RGB")
    buffer = io.BytesIO()
    noise.save(buffer, "PNG")
    small = cover_jpeg(buffer.getvalue())
    assert len(small) < COVER_BYTES
    with Image.open(io.BytesIO(small)) as image:
        assert (image.format, image.size) == ("JPEG", (COVER_SIDE, COVER_SIDE // 2))


async def test_an_uploaded_film_tells_its_shape_and_may_be_watched_while_it_loads(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        desk.refuse("editMessageMedia", "Bad Request: failed to get HTTP URL content")
        await desk.done_job(desk.files.add("film.mp4", video(width=320, height=240, seconds=3), "video/mp4"))
        await desk.deliver()
        (message,) = desk.seen()
        assert message["kind"] == "video"
        sent = str(desk.calls("editMessageMedia")[-1])
        assert all(part in sent for part in ("supports_streaming", "320", "240"))
