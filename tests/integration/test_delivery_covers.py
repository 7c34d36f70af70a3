"""A cover is no result: whatever is the matter with it, its track reaches the customer, and memory stays bounded."""

import asyncio
import io
import struct
import tempfile
import zlib
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from photomat.delivery import archive as delivery_archive
from photomat.delivery import outputs
from photomat.delivery.archive import MAX_PIXELS, Covers, ResultFiles, cover_jpeg
from photomat.delivery.outputs import Output
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import JobId
from photomat.kie.results import Detail
from support.delivery import Desk, delivery_desk
from support.history import archive
from support.media_bytes import image, mp3

UNKNOWN: dict[str, Any] = dict.fromkeys(("media", "mime", "size_bytes", "width", "height", "kept_as", "file_id"))
TRACK = Output(job_id=JobId(1), corr="c", position=0, url="https://x", cover_url="https://x/c", **UNKNOWN)
WHOLE = {form: image(form, width=400, height=300) for form in ("PNG", "JPEG", "WEBP")}


def chunk(kind: bytes, body: bytes) -> bytes:
    """A part of a PNG."""
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(*chunks: bytes, width: int = 64, height: int = 64) -> bytes:
    """A PNG of these parts after its header."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks)


def frame(number: int) -> bytes:
    """What a moving PNG says of a frame."""
    return chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, 64, 64, 0, 0, 1, 1, 0, 0))


def jpeg_of_sides(width: int, height: int, *, fill: bytes = b"") -> bytes:
    """A small JPEG that says it is so large; `fill` stands before its first marker, as it may."""
    whole = WHOLE["JPEG"]
    at = whole.index(b"\xff\xc0") + 5
    patched = whole[:at] + struct.pack(">HH", height, width) + whole[at + 4 :]
    return patched[:2] + fill + patched[2:]


PIXELS = zlib.compress(bytes(64 * 193))
DAMAGED = {
    "broken PNG file": png(chunk(b"IDAT", PIXELS[:9]), b"\x00\x00\x00\x04\x00\x01\x02\x03" + bytes(8)),
    "a PNG whose check sum is wrong": png(chunk(b"IDAT", PIXELS[:-4])[:-4] + bytes(4)),
    "a PNG that ends early": WHOLE["PNG"][: len(WHOLE["PNG"]) // 2],
    "a PNG without pixels": png(chunk(b"IEND", b"")),
    "a moving PNG without order": png(
        chunk(b"acTL", struct.pack(">II", 1, 0)), frame(0), chunk(b"IDAT", PIXELS), frame(5), chunk(b"IEND", b"")
    ),
    "a PNG with a bomb of text": png(chunk(b"zTXt", b"k\x00\x00" + zlib.compress(bytes(80 * 2**20)))),
    "a JPEG that ends early": WHOLE["JPEG"][: len(WHOLE["JPEG"]) // 2],
    "a JPEG of nothing but its mark": b"\xff\xd8\xff\xe0",
    "a JPEG of no size": jpeg_of_sides(0, 0),
    "a JPEG as large as a wall": jpeg_of_sides(13_000, 13_000, fill=b"\xff"),
    "a JPEG as large as a house": jpeg_of_sides(65_500, 65_500, fill=b"\xff"),
    "a WEBP that ends early": WHOLE["WEBP"][:40],
    "no picture": b"<html>",
}
damaged = pytest.mark.parametrize("data", list(DAMAGED.values()), ids=list(DAMAGED))


async def song(desk: Desk, cover_url: str, *, tracks: int = 1) -> None:
    urls = [desk.files.add(f"song{n}.mp3", mp3(), "audio/mpeg") for n in range(tracks)]
    told = Detail(track_id="t-1", title="Дорога", seconds=Decimal("198.4"), cover_url=cover_url)
    await desk.done_job(*urls, told={"details": dict.fromkeys(urls, told)})


async def assert_the_song_came(desk: Desk) -> None:
    await desk.deliver()
    (message,) = desk.seen()
    assert (message["kind"], message["media"]["title"]) == ("audio", "Дорога")
    assert message["media"]["thumbnail_url"] is None
    assert await desk.pool.fetchval("SELECT delivered_at FROM generation_jobs") is not None


@damaged
async def test_a_track_comes_without_a_cover_that_is_damaged(database: str, tmp_path: Path, data: bytes) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await song(desk, desk.files.add("cover", data, "image/png"))
        await assert_the_song_came(desk)


async def test_tracks_come_as_one_message_without_a_cover_that_is_damaged(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        desk.coordinator = replace(desk.coordinator, sender=replace(desk.coordinator.sender, rich=True))
        await song(desk, desk.files.add("cover", DAMAGED["broken PNG file"], "image/png"), tracks=2)
        await desk.deliver()
        assert desk.kinds() == ["rich"]


async def test_a_track_asked_for_again_comes_without_a_cover_that_is_damaged(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job()
        past.files.files["red.png"] = (mp3(), "audio/mpeg")
        await past.deliver()
        bad = past.files.add("cover", DAMAGED["broken PNG file"], "image/png")
        await past.chat.pool.execute("UPDATE job_outputs SET file_id = NULL, media = NULL, cover_url = $1", bad)
        await past.chat.taps("ℹ️")
        await past.chat.taps("Не пришло? Прислать ещё раз")
        await past.send_all()
        assert [message["kind"] for message in past.media()] == ["audio", "audio"]
        assert await past.chat.pool.fetchval("SELECT outcome FROM result_sends") == "sent"


async def test_a_track_does_not_wait_for_a_cover_that_never_comes(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery_archive, "COVER_WITHIN_S", 0.2)
    async with delivery_desk(database, tmp_path) as desk:
        await song(desk, desk.files.add("cover", WHOLE["PNG"], "image/png"))
        job_id = await desk.pool.fetchval("SELECT job_id FROM generation_jobs")
        await desk.coordinator.sender.archive.ensure_copy((await outputs.outputs_of(desk.pool, job_id))[0])
        desk.files.pause.clear()
        try:
            await assert_the_song_came(desk)
        finally:
            desk.files.pause.set()
        assert "cover" in desk.files.asked


async def test_an_address_of_a_cover_that_is_none_is_left_out(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await song(desk, "https://[::1")
        await assert_the_song_came(desk)


async def test_a_disk_that_takes_no_cover_keeps_neither_it_nor_the_track(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await song(desk, desk.files.add("cover", WHOLE["PNG"], "image/png"))
        job_id = await desk.pool.fetchval("SELECT job_id FROM generation_jobs")
        (tmp_path / str(job_id) / "0.cover.jpg").mkdir(parents=True)
        await desk.deliver()
        (message,) = desk.seen()
        assert (message["kind"], bool(message["media"]["thumbnail_url"])) == ("audio", True)


@pytest.mark.parametrize(
    "refusal", ["Bad Request: thumbnail is not good enough", "Bad Request: file must be non-empty"]
)
async def test_what_telegram_refuses_with_its_cover_it_gets_without(
    database: str, tmp_path: Path, refusal: str
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await song(desk, desk.files.add("cover", WHOLE["PNG"], "image/png"))
        desk.refuse("editMessageMedia", refusal)
        await assert_the_song_came(desk)
        assert "thumbnail" not in desk.calls("editMessageMedia")[-1]["media"]


async def test_a_refusal_that_is_not_the_covers_is_tried_again_later(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await song(desk, desk.files.add("cover", WHOLE["PNG"], "image/png"))
        desk.refuse("editMessageMedia", "Bad Request: something new", times=2)
        await desk.deliver()
        assert desk.calls("editMessageMedia") == [], "with its cover and without it, and no further"
        assert await desk.pool.fetchval("SELECT delivered_at FROM generation_jobs") is None


def test_a_picture_of_too_many_pixels_is_not_decoded_whatever_stands_before_its_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never(_: object) -> None:
        raise AssertionError("a picture of that size is decoded")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", never)
    side = int(MAX_PIXELS**0.5) + 1
    for fill in (b"", b"\xff", b"\xff" * 7):
        with pytest.raises(ValueError, match="too large"):
            cover_jpeg(jpeg_of_sides(side, side, fill=fill))
    with pytest.raises(ValueError, match="too large"):
        cover_jpeg(png(chunk(b"IDAT", PIXELS), width=side, height=side))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "I;16"])
def test_a_cover_of_any_colours_becomes_a_small_jpeg(mode: str) -> None:
    form = "JPEG" if mode == "CMYK" else "PNG"
    buffer = io.BytesIO()
    picture = Image.new("L", (500, 250)).convert("I;16" if mode == "I;16" else mode)
    (picture.convert("P") if mode == "PA" else picture).save(buffer, form)
    with Image.open(io.BytesIO(cover_jpeg(buffer.getvalue()))) as small:
        assert (small.format, small.mode, small.size) == ("JPEG", "RGB", (320, 160))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched(Covers):
    """Covers whose bytes are there already."""

    data: bytes

    async def _fetch(self, url: str) -> bytes:
        del url
        return self.data


@settings(max_examples=80, deadline=None)
@given(
    form=st.sampled_from(sorted(WHOLE)),
    at=st.floats(0, 1, exclude_max=True),
    junk=st.binary(min_size=1, max_size=40),
    is_cut=st.booleans(),
)
def test_whatever_is_in_a_cover_it_is_given_or_left_out(*, form: str, at: float, junk: bytes, is_cut: bool) -> None:
    whole = WHOLE[form]
    place = int(at * len(whole))
    data = whole[:place] + junk + (b"" if is_cut else whole[place + len(junk) :])
    with tempfile.TemporaryDirectory() as folder:
        files = ResultFiles(folder=Path(folder), fetcher=Fetcher())
        covers = Fetched(files=files, store=files.places.current, data=data)
        small = asyncio.run(covers.of(TRACK))
    assert small is None or small.startswith(b"\xff\xd8")
