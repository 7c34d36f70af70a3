"""Files converted in a process of their own: as they are seen and heard, without private data, within limits, or not at all."""

import asyncio
import io
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from PIL import Image

from photomat.files.conversion import ConversionTimeout, Converted, Converter, NotConverted
from photomat.media.measure import measure
from support import media_bytes as made
from support.real_media import PHOTO, REAL_FILES, TRANSPARENT

MAX_BYTES = 10_000_000
RED, NAVY = (254, 0, 0), (0, 0, 128)
AUDIO = [name for name, real in REAL_FILES.items() if real.mime.startswith("audio/")]


@asynccontextmanager
async def converted(
    folder: Path, content: bytes, file_format: str, *targets: str, most_bytes: int = MAX_BYTES, within_s: float = 600.0
) -> AsyncIterator[Converted]:
    source = folder / "source"
    source.write_bytes(content)
    converter = Converter(folder=folder / "tmp", places=asyncio.Semaphore(1))
    with source.open("rb") as file:
        async with converter.converted(
            file, file_format=file_format, targets=targets, most_bytes=most_bytes, within_s=within_s
        ) as found:
            yield found
    assert list((folder / "tmp").iterdir()) == [], "nothing is left"


def near(pixel: object, colour: tuple[int, int, int]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(have - want) < 12 for have, want in zip(pixel, colour, strict=True))


async def test_a_photo_is_turned_as_it_was_taken_and_says_nothing_of_where(tmp_path: Path) -> None:
    content = PHOTO.read_bytes()
    assert b"PhoneMaker" in content
    async with converted(tmp_path, content, "heic", "jpg", "png") as found:
        assert (found.mime, found.format) == ("image/jpeg", "jpg")
        data = found.file.read()
    picture = Image.open(io.BytesIO(data))
    assert picture.size == (320, 480)
    assert near(picture.getpixel((300, 20)), RED)
    assert near(picture.getpixel((20, 20)), NAVY)
    assert not picture.getexif()
    assert b"PhoneMaker" not in data
    assert b"Exif" not in data


@pytest.mark.parametrize(
    ("content", "form"),
    [(path.read_bytes(), path.suffix.removeprefix(".")) for path in TRANSPARENT],
    ids=["heic", "avif"],
)
async def test_transparent_parts_stay_transparent_or_become_white(tmp_path: Path, content: bytes, form: str) -> None:
    async with converted(tmp_path, content, form, "jpg", "png") as found:
        assert found.format == "png"
        assert Image.open(found.file).convert("RGBA").getpixel((1, 1))[3] == 0  # type: ignore[index]
    async with converted(tmp_path, content, form, "jpg") as found:
        assert near(Image.open(found.file).getpixel((1, 1)), (255, 255, 255))


async def test_a_picture_is_made_small_enough_or_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    Image.effect_noise((600, 400), 90).convert("RGB").save(buffer, "AVIF", quality=95)
    async with converted(tmp_path, buffer.getvalue(), "avif", "jpg") as found:
        size = len(found.file.read())
    async with converted(tmp_path, buffer.getvalue(), "avif", "jpg", most_bytes=size - 1) as found:
        assert len(found.file.read()) < size
    with pytest.raises(NotConverted):
        async with converted(tmp_path, buffer.getvalue(), "avif", "jpg", most_bytes=5000):
            pass


@pytest.mark.parametrize("name", AUDIO)
async def test_sound_of_every_format_becomes_mp3_of_the_same_length(tmp_path: Path, name: str) -> None:
    real = REAL_FILES[name]
    form = measure(io.BytesIO(real.content)).facts.format
    async with converted(tmp_path, real.content, form, "mp3") as found:
        facts = measure(found.file).facts
    assert (found.mime, facts.format) == ("audio/mpeg", "mp3")
    assert facts.seconds is not None
    assert -Decimal("0.03") <= facts.seconds - real.made_s <= Decimal("0.17"), "no more than padding"


@pytest.mark.parametrize(
    ("content", "file_format"),
    [
        (b"", "heic"),
        (PHOTO.read_bytes()[:500], "heic"),
        (made.heic(), "heic"),
        (b"OggS" + bytes(500), "ogg"),
        (REAL_FILES["voice-note.ogg"].content[:60], "ogg"),
        (b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "ogg"),
        (made.image("PNG"), "heic"),
    ],
)
async def test_what_cannot_be_converted_is_refused_and_harms_nothing(
    tmp_path: Path, content: bytes, file_format: str
) -> None:
    with pytest.raises(NotConverted):
        async with converted(tmp_path, content, file_format, "jpg" if file_format == "heic" else "mp3"):
            pass


async def test_a_picture_of_too_many_pixels_is_not_decoded(tmp_path: Path) -> None:
    bomb = io.BytesIO()
    Image.new("1", (12_000, 12_000)).save(bomb, "TIFF", compression="group4")
    assert len(bomb.getvalue()) < 100_000
    with pytest.raises(NotConverted):
        async with converted(tmp_path, bomb.getvalue(), "tiff", "jpg"):
            pass


async def test_a_conversion_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    before = children()
    with pytest.raises(ConversionTimeout):
        async with converted(tmp_path, PHOTO.read_bytes(), "heic", "jpg", within_s=0.02):
            pass
    assert children() == before


async def test_waiting_for_a_place_takes_no_time_of_the_conversion(tmp_path: Path) -> None:
    places = asyncio.Semaphore(1)
    converter = Converter(folder=tmp_path / "tmp", places=places)

    async def convert(within_s: float) -> str:
        with PHOTO.open("rb") as file:
            async with converter.converted(
                file, file_format="heic", targets=("jpg",), most_bytes=MAX_BYTES, within_s=within_s
            ) as found:
                return found.format

    async def is_too_slow(within_s: float) -> bool:
        try:
            return await convert(within_s) != "jpg"
        except ConversionTimeout:
            return True

    async with asyncio.TaskGroup() as group, places:
        hasty, patient = group.create_task(is_too_slow(0.01)), group.create_task(is_too_slow(600.0))
        done, _ = await asyncio.wait({hasty, patient}, timeout=0.2)
        assert not done, "neither has begun"
    assert hasty.result()
    assert not patient.result(), "the place is given back"


def children() -> set[str]:
    """Processes this one has started and that are still there."""
    task = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    return set(task.read_text(encoding="ascii").split())
