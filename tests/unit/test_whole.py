"""A file that is cut or broken is told from a whole one: pictures by decoding them, the rest by its own words."""

import io
import struct
import zlib
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from photomat.media import images
from photomat.media.images import decode_in_turn, decodes
from photomat.media.measure import measure
from photomat.media.truncation import is_intact, looks_intact
from support import media_bytes as made
from support.phone_files import phone_files

MAX_S = 10
NOISE = Image.effect_noise((200, 150), 80).convert("RGB")


def noise(form: str, **options: object) -> bytes:
    """A picture that does not compress, so that every part of the file holds a part of it."""
    buffer = io.BytesIO()
    NOISE.save(buffer, form, **options)
    return buffer.getvalue()


PICTURES = {
    "jpg": noise("JPEG"),
    "jpg in passes": noise("JPEG", progressive=True),
    "png": noise("PNG"),
    "webp": noise("WEBP"),
    "webp without loss": noise("WEBP", lossless=True),
    "gif": noise("GIF"),
    "moving gif": noise("GIF", save_all=True, append_images=[NOISE.rotate(90), NOISE.rotate(180)]),
    "bmp": noise("BMP"),
    "tiff": noise("TIFF"),
    "packed tiff": noise("TIFF", compression="tiff_lzw"),
    "avif": noise("AVIF"),
    "heic": made.heic(),
}
FILMS_AND_SOUND = {
    "mp4": made.film(padding=5000),
    "mp4 with sound": phone_files()["video"].content,
    "webm": made.recording(),
    "mkv": made.recording(doctype=b"matroska"),
    "wav": made.wav(),
    "opus": made.opus(),
    "vorbis": made.vorbis(),
}
OTHERS = {
    "mp4 in fragments": made.fragmented_film(),
    "webm of unknown length": made.recording(is_live=True),
    "mp3": made.mp3(),
    "aac": made.aac(),
    "pdf": phone_files()["document"].content,
}


def whole(content: bytes) -> bool:
    """Whether a customer's file would be taken: as `take` asks."""
    found = measure(io.BytesIO(content))
    has_length = found.facts.kind not in {"audio", "video"} or found.facts.seconds is not None
    return has_length and looks_intact(io.BytesIO(content), found.mime)


@pytest.mark.parametrize("name", [*PICTURES, *FILMS_AND_SOUND, *OTHERS])
def test_what_is_whole_is_taken(name: str) -> None:
    assert whole((PICTURES | FILMS_AND_SOUND | OTHERS)[name])


@pytest.mark.parametrize("part", [0.3, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("name", [*PICTURES, *FILMS_AND_SOUND])
def test_what_is_cut_is_not_taken_wherever_it_is_cut(name: str, part: float) -> None:
    content = (PICTURES | FILMS_AND_SOUND)[name]
    assert not whole(content[: int(len(content) * part)])


def test_a_picture_whose_bytes_end_in_zeros_is_broken() -> None:
    """As an interrupted download leaves it: the size is right, the rest is not."""
    for name in ("jpg", "jpg in passes", "png", "gif", "packed tiff"):
        content = PICTURES[name]
        half = content[: len(content) // 2]
        assert not whole(half.ljust(len(content), b"\x00")), name


def test_what_stands_behind_a_picture_does_not_matter() -> None:
    for name in ("jpg", "png", "gif", "webp"):
        assert whole(PICTURES[name] + b"a film, as some phones put behind their photos" * 50), name


def test_a_picture_in_two_as_phones_make_them_is_whole() -> None:
    assert whole(noise("MPO", save_all=True, append_images=[NOISE.rotate(90)]))


def test_a_gif_may_lack_the_mark_of_its_end() -> None:
    assert whole(PICTURES["gif"].removesuffix(b";"))


def test_a_film_with_its_description_first_and_nothing_to_play_is_broken() -> None:
    head, _, rest = made.film(padding=5000).partition(struct.pack(">I4s", 5008, b"mdat"))
    assert whole(head + rest[5000:] + struct.pack(">I4s", 5008, b"mdat") + rest[:5000])
    assert not whole(head + rest[5000:])


def test_a_film_whose_pieces_lie_behind_its_end_is_broken() -> None:
    """Where the part with the pictures leaves its size open, only the offsets tell."""

    def film(last_piece: int) -> bytes:
        table = made.box(b"stco", bytes(4), struct.pack(">III", 2, 40, last_piece))
        trak = made.box(b"trak", made.box(b"mdia", made.box(b"minf", made.box(b"stbl", table))))
        mvhd = made.box(b"mvhd", bytes(12), struct.pack(">II", 1000, 5500), bytes(80))
        start = made.box(b"ftyp", b"isom", bytes(4)) + made.box(b"moov", mvhd, trak)
        return start + struct.pack(">I4s", 0, b"mdat") + bytes(500)

    assert whole(film(500))
    assert not whole(film(5000))


def test_a_film_in_fragments_that_lacks_the_last_one_is_broken() -> None:
    content = made.fragmented_film()
    assert not whole(content[:-18]), "its description is there, its pictures are not"


def test_a_wav_that_does_not_say_its_length_is_whole() -> None:
    content = bytearray(made.wav())
    for told in (0xFFFFFFFF, 0x7FFFFFFF - 36):
        content[40:44] = struct.pack("<I", told)
        assert whole(bytes(content)), hex(told)


def test_an_mp3_without_frames_is_broken() -> None:
    assert not whole(made.id3() + bytes(5000))


def large(content: bytes, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether it would be taken if it were too large to be decoded."""
    monkeypatch.setattr(images, "MAX_HELD_BYTES", 1000)
    return whole(content)


@pytest.mark.parametrize("name", ["jpg", "jpg in passes", "png", "webp", "gif", "avif"])
def test_a_picture_too_large_to_be_decoded_is_held_against_its_own_words(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = PICTURES[name]
    assert large(content, monkeypatch)
    assert decodes(io.BytesIO(content), measure(io.BytesIO(content)).mime) is None
    assert not large(content[: len(content) // 2], monkeypatch)


def test_a_picture_that_tells_of_sides_beyond_measure_is_not_decoded() -> None:
    content = bytearray(PICTURES["png"])
    content[16:24] = struct.pack(">II", 50_000, 50_000)
    content[29:33] = struct.pack(">I", zlib.crc32(content[12:29]))
    began = process_time()
    assert decodes(io.BytesIO(bytes(content)), "image/png") is None
    assert process_time() - began < MAX_S


def test_a_jpeg_of_endless_passes_keeps_nobody_busy() -> None:
    """A pass over all pixels costs a few bytes in the file."""
    whole_one = noise("JPEG", progressive=True)
    last = whole_one.rindex(b"\xff\xda")
    content = whole_one[:-2] + whole_one[last:-2] * 200 + whole_one[-2:]
    assert decodes(io.BytesIO(content), "image/jpeg") is None
    assert decodes(io.BytesIO(whole_one), "image/jpeg") is True


async def test_whoever_waits_too_long_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "WITHIN_S", 0.0)
    assert await decode_in_turn(lambda: False, otherwise=True)
    assert await is_intact(io.BytesIO(PICTURES["png"][:-500]), "image/png")


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(PICTURES | FILMS_AND_SOUND | OTHERS)), st.data())
def test_damaged_files_never_raise(name: str, data: st.DataObject) -> None:
    content = bytearray((PICTURES | FILMS_AND_SOUND | OTHERS)[name])
    mime = measure(io.BytesIO(bytes(content))).mime
    del content[data.draw(st.integers(0, len(content))) :]
    for _ in range(data.draw(st.integers(0, 8)) if content else 0):
        content[data.draw(st.integers(0, min(len(content), 500) - 1))] = data.draw(st.integers(0, 255))
    began = process_time()
    looks_intact(io.BytesIO(bytes(content)), mime)
    assert process_time() - began < MAX_S
