"""Files of real encoders with forged headers: decoders play all of them, so they are billed in full or refused."""

import io
import struct
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest

from photomat.media.measure import measure
from support import media_bytes as made
from support.real_media import REAL_FILES

ENOUGH_S = Decimal("0.3")
"""What a header can save at most: the longest padding that is believed."""


def length(content: bytes) -> Decimal | None:
    return measure(io.BytesIO(content)).facts.seconds


def real(name: str) -> bytes:
    return REAL_FILES[name].content


def checksum(data: bytes, *, width: int, polynomial: int) -> int:
    value, top = 0, 1 << width - 1
    for byte in data:
        value ^= byte << width - 8
        for _ in range(8):
            value = (value << 1 ^ (polynomial if value & top else 0)) & (1 << width) - 1
    return value


# WAV


@pytest.mark.parametrize("stated", [1, 800, 30_000, 262_113 - 3000])
def test_a_stated_number_of_samples_hides_no_more_than_padding(stated: int) -> None:
    """Two blocks of 65532 bytes: 131,057 samples each, 16 s at 8 kHz."""
    form = struct.pack("<HHIIHHHH", 0x11, 1, 8000, 4000, 65532, 4, 2, 0)
    parts = b"fmt " + struct.pack("<I", len(form)) + form + b"fact" + struct.pack("<II", 4, stated)
    parts += b"data" + struct.pack("<I", 2 * 65532) + bytes(2 * 65532)
    found = length(b"RIFF" + struct.pack("<I", len(parts) + 4) + b"WAVE" + parts)
    assert found is not None
    assert found >= Decimal(2 * 131_057) / 8000 - ENOUGH_S


@pytest.mark.parametrize(
    ("code", "bits", "seconds"),
    [(b"NONE", 16, "2"), (b"ulaw", 16, "4"), (b"ima4", 16, "7.528"), (b"fl32", 32, "1"), (b"abcd", 16, None)],
)
def test_compressed_aiff_is_as_long_as_its_bytes_and_not_as_it_states(
    code: bytes, bits: int, seconds: str | None
) -> None:
    rate = struct.pack(">HQ", 16383 + 12, 8000 << 63 - 12)
    common = struct.pack(">HIH", 1, 1, bits) + rate + code + bytes(2)
    parts = b"COMM" + struct.pack(">I", len(common)) + common
    parts += b"SSND" + struct.pack(">I", 32_008) + bytes(32_008)
    found = length(b"FORM" + struct.pack(">I", len(parts) + 4) + b"AIFC" + parts)
    assert found == (None if seconds is None else Decimal(seconds))


# MP4


def boxes(content: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", content, start)
        yield kind, start, start + size
        start += size


def within(content: bytes, *path: bytes) -> tuple[int, list[int]]:
    """Where the first box at this path ends, and where it and all boxes around it begin."""
    begins, start, end = list[int](), 0, len(content)
    for name in path:
        found = next((first, last) for kind, first, last in boxes(content, start, end) if kind == name)
        begins.append(found[0])
        start, end = found[0] + 8, found[1]
    return end, begins


def doubled(content: bytes, *path: bytes, change: Callable[[bytes], bytes] = bytes) -> bytes:
    """The same with a second box behind the first one at this path; what the boxes around hold grows by it."""
    end, begins = within(content, *path)
    more = change(content[begins[-1] : end])
    forged = bytearray(content)
    for at in begins[:-1]:
        struct.pack_into(">I", forged, at, struct.unpack_from(">I", forged, at)[0] + len(more))
    forged[end:end] = more
    return bytes(forged)


TRACK = (b"moov", b"trak")


@pytest.mark.parametrize(
    "path",
    [
        (b"moov",),
        (b"moov", b"mvhd"),
        (*TRACK, b"tkhd"),
        (*TRACK, b"edts"),
        (*TRACK, b"edts", b"elst"),
        (*TRACK, b"mdia"),
        (*TRACK, b"mdia", b"mdhd"),
        (*TRACK, b"mdia", b"hdlr"),
    ],
    ids=lambda path: path[-1].decode(),
)
def test_headers_that_are_there_twice_make_a_film_unreadable(path: tuple[bytes, ...]) -> None:
    content = real("edit-list.mp4")
    assert length(content) is not None
    assert length(doubled(content, *path)) is None


def test_a_second_handler_does_not_make_a_film_into_sound() -> None:
    forged = doubled(real("video.mp4"), *TRACK, b"mdia", b"hdlr", change=lambda box: box.replace(b"vide", b"meta"))
    found = measure(io.BytesIO(forged))
    assert (found.facts.kind, found.facts.seconds) == ("video", None)


@pytest.mark.parametrize("handler", [b"vide", b"soun"])
@pytest.mark.parametrize("skipped_s", [1, 29])
def test_an_edit_of_no_length_hides_nothing_of_fragments(handler: bytes, skipped_s: int) -> None:
    entry = struct.pack(">IiI", 0, skipped_s * 1000, 0x10000)
    content = made.fragmented_film(
        seconds=30,
        handler=handler,
        more=[made.box(b"edts", made.box(b"elst", bytes(4), struct.pack(">I", 1), entry))],
    )
    found = length(content)
    assert found is not None
    assert found >= Decimal(30) - ENOUGH_S


# FLAC


HEAD_BYTES = 8
"""Of the one frame of the real FLAC: mark, codes, number, samples and rate (code 12: a byte for kHz)."""


def flac_parts() -> tuple[bytes, bytes]:
    """What stands before the one frame of a real FLAC, which lasts a second, and that frame."""
    content = real("flac.flac")
    at = content.index(b"\xff\xf8\x7c\x08\x00")
    return content[:at], content[at:]


def changed(frame: bytes, number: int, *, mark: int = 0xF8, rate: bytes = b"", bits: int = 4) -> bytes:
    """The frame with other codes (`rate`: its code and what states it) and its checksums made right."""
    code, stated = (rate[0], rate[1:]) if rate else (12, frame[7:8])
    head = bytes([0xFF, mark, 0x70 | code, frame[3] & 0xF1 | bits << 1, number]) + frame[5:7] + stated
    new = head + bytes([checksum(head, width=8, polynomial=0x07)]) + frame[HEAD_BYTES + 1 : -2]
    return new + checksum(new, width=16, polynomial=0x8005).to_bytes(2, "big")


def undeclared(head: bytes, *, rate: int | None = None) -> bytes:
    """The first block without the number of samples, maybe with another rate."""
    packed = int.from_bytes(head[18:26], "big") >> 36 << 36
    packed = packed if rate is None else packed & (1 << 44) - 1 | rate << 44
    return head[:18] + packed.to_bytes(8, "big") + head[26:]


@pytest.mark.parametrize(
    "change",
    [{}, {"rate": b"\x00"}, {"rate": b"\x0d\x0f\xa0"}, {"rate": b"\x0e\x01\x90"}, {"bits": 0}, {"mark": 0xF9}],
    ids=["alike", "rate of the first block", "rate in Hz", "rate in 10 Hz", "bits of the first block", "other mark"],
)
def test_flac_frames_that_say_the_same_in_another_way_count(change: dict[str, Any]) -> None:
    head, frame = flac_parts()
    assert length(undeclared(head) + frame + b"".join(changed(frame, each, **change) for each in range(1, 60))) == 60


@pytest.mark.parametrize("frames", [1, 59])
@pytest.mark.parametrize("change", [{"rate": b"\x0a"}, {"bits": 6}], ids=["48 kHz", "24 bits"])
def test_flac_frames_of_another_sort_make_the_file_unreadable(change: dict[str, Any], frames: int) -> None:
    head, frame = flac_parts()
    more = b"".join(changed(frame, each, **change) for each in range(1, frames + 1))
    assert length(undeclared(head) + frame + more) is None


def test_bytes_that_look_like_a_frame_are_none_unless_their_checksum_is_right() -> None:
    head, frame = flac_parts()
    like = changed(frame, 1, rate=b"\x0a")[:20]
    assert length(undeclared(head) + frame + like + bytes(100) + changed(frame, 1)) == 2


@pytest.mark.parametrize("name", ["flac.flac", "reference-flac.oga"])
def test_a_first_block_that_names_a_higher_rate_than_the_frames_shortens_no_flac(name: str) -> None:
    content = bytearray(real(name))
    at = content.index(b"fLaC") + 8
    content[at : at + 34] = undeclared(bytes(8) + bytes(content[at : at + 34]), rate=1_000_000)[8:]
    assert length(bytes(content)) == Decimal(1)


# Ogg


def ogg_pages(content: bytes) -> Iterator[bytes]:
    at = 0
    while at < len(content):
        segments = content[at + 26]
        size = 27 + segments + sum(content[at + 27 : at + 27 + segments])
        yield content[at : at + size]
        at += size


def reaching(page: bytes, granule: int) -> bytes:
    """The page with another granule position, if it has one, and its checksum made right."""
    if int.from_bytes(page[6:14], "little", signed=True) <= 0:
        return page
    page = page[:6] + granule.to_bytes(8, "little") + page[14:22] + bytes(4) + page[26:]
    return page[:22] + checksum(page, width=32, polynomial=0x04C11DB7).to_bytes(4, "little") + page[26:]


@pytest.mark.parametrize("granule", [1, 5000])
@pytest.mark.parametrize(
    "name", ["vorbis.ogg", "vorbis-long.ogg", "voice-note.ogg", "flac.ogg", "speex.ogg", "speexenc.spx"]
)
def test_places_that_do_not_grow_with_the_packets_shorten_no_sound(name: str, granule: int) -> None:
    found = length(b"".join(reaching(page, granule) for page in ogg_pages(real(name))))
    assert found is not None
    assert found >= REAL_FILES[name].made_s - ENOUGH_S


def test_vorbis_without_its_modes_has_no_length() -> None:
    content = real("vorbis.ogg")
    at = content.index(b"\x05vorbis") + 7
    pages = list(ogg_pages(content))
    end = len(pages[0]) + len(pages[1])
    assert at < end
    assert length(content[: end - 40] + bytes(40) + content[end:]) is None


def test_a_frame_size_of_one_sample_shortens_no_speex() -> None:
    content = bytearray(b"".join(reaching(page, 1) for page in ogg_pages(real("speex.ogg"))))
    at = content.index(b"Speex   ") + 56
    content[at : at + 4] = (1).to_bytes(4, "little")
    found = length(bytes(content))
    assert found is not None
    assert found >= REAL_FILES["speex.ogg"].made_s - ENOUGH_S
