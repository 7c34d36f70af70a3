"""A length is what a file holds, whatever its headers claim: nobody pays for a second and sends an hour."""

import io
import struct
from decimal import ROUND_CEILING, Decimal
from time import process_time

import pytest

from photomat.media.measure import measure
from photomat.media.sniff import sniff
from support import media_bytes as made

FRAME_S = Decimal(1152) / 44100
MAX_S = 10
LARGE = 40_000_000


def length(content: bytes) -> Decimal | None:
    return measure(io.BytesIO(content)).facts.seconds


def up(seconds: Decimal) -> Decimal:
    return seconds.quantize(Decimal("0.001"), rounding=ROUND_CEILING)


def elst(*thousandths: int) -> bytes:
    parts = b"".join(struct.pack(">III", each, 0, 0x10000) for each in thousandths)
    return made.box(b"edts", made.box(b"elst", bytes(4), struct.pack(">I", len(thousandths)), parts))


def info(frames: int, *, name: bytes = b"Info") -> bytes:
    """The first frame of an MP3, which tells and is not heard."""
    first = bytearray(made.mp3_frame())
    first[36:48] = name + struct.pack(">II", 1, frames)
    return bytes(first)


def wav(*, code: int = 1, rate: int = 8000, told: int = 16000, align: int = 2, bits: int = 16, data: bytes) -> bytes:
    form = struct.pack("<HHIIHH", code, 1, rate, told, align, bits)
    parts = b"fmt " + struct.pack("<I", len(form)) + form + data
    return b"RIFF" + struct.pack("<I", len(parts) + 4) + b"WAVE" + parts


def data_of(content: bytes, size: int | None = None) -> bytes:
    return b"data" + struct.pack("<I", len(content) if size is None else size) + content


@pytest.mark.parametrize(
    ("content", "seconds"),
    [
        (made.film(seconds=1, told=60_000), "60"),
        (made.film(seconds=1, more=[made.samples((100, 400))]), "40"),
        (made.film(seconds=1, more=[made.samples((100, 400), count=150)]), "60"),
        (made.film(seconds=1, more=[elst(30_000, 30_000)]), "60"),
        (made.film(seconds=90, told=1000, more=[made.samples((10, 40))]), "90"),
        (made.fragmented_film(seconds=9, told=1000), "9"),
        (made.fragmented_film(seconds=2, told=1000, begins=50_000), "51"),
        (made.recording(seconds=600, told=1), "600"),
        (made.recording(seconds=4, told=9), "9"),
        (made.flac(seconds=70, told=1), "70"),
        (made.flac(seconds=70, told=90), "70"),
        (made.opus(seconds=0.5, packets=900), "8.994"),
        (made.opus(seconds=0.5) + made.opus(seconds=20, serial=8) + made.opus(seconds=2), "22.5"),
        (made.opus(seconds=20, serial=8) + made.opus(seconds=0.5)[-229:], "20"),
        (made.wma(seconds=1, packets=30), "30"),
    ],
)
def test_the_larger_of_what_is_told_and_what_is_counted_is_the_length(content: bytes, seconds: str) -> None:
    assert length(content) == Decimal(seconds)


@pytest.mark.parametrize("name", [b"Xing", b"Info"])
def test_an_mp3_that_tells_of_one_frame_is_as_long_as_its_frames(name: bytes) -> None:
    assert length(info(1, name=name) + made.mp3(frames=400, tag=False)) == up(400 * FRAME_S)


def test_mp3s_one_behind_the_other_add_up() -> None:
    honest = info(100) + made.mp3(frames=100, tag=False)
    assert length(honest) == up(100 * FRAME_S)
    assert length(honest + made.mp3(frames=100)) == up(200 * FRAME_S)
    assert length(made.id3() + honest + made.id3(5000) + made.mp3(frames=300)) == up(400 * FRAME_S)


def test_rubbish_between_all_frames_hides_none_of_them() -> None:
    assert length(made.mp3(frames=2) + (b"x" + made.mp3_frame(1)) * 500) == up(502 * FRAME_S)
    steep = made.mp3_frame(14) * 5 + (made.mp3_frame(14) + b"-" * 40) * 150 + made.mp3_frame(1) * 2000
    assert length(steep) == up(2155 * FRAME_S)


def test_a_tag_with_an_impossible_size_hides_no_sound() -> None:
    assert length(b"ID3\x04\x00\x00\x00\x00\xff\x00" + made.mp3(frames=400, tag=False)) == up(400 * FRAME_S)


def test_aac_is_counted_to_its_end() -> None:
    rubbish = made.aac(frames=3) + (b"-" * 9 + made.aac(frames=1)) * 400
    assert length(rubbish) == up(Decimal(403 * 1024) / 44100)


@pytest.mark.parametrize(
    ("content", "seconds"),
    [
        (wav(told=1_600_000, data=data_of(bytes(32_000))), "2"),
        (wav(told=1_600_000, align=200, data=data_of(bytes(32_000))), "2"),
        (wav(told=1_600_000, align=200, bits=0, data=data_of(bytes(32_000))), "0.02"),
        (wav(data=data_of(bytes(32_000), size=2)), "2"),
        (wav(data=data_of(bytes(16_000)) + b"LIST" + struct.pack("<I", 4) + b"INFO"), "1"),
        (wav(data=data_of(bytes(16_000)) + data_of(bytes(16_000))), "2"),
        (wav(code=0x11, told=10**6, align=256, data=data_of(bytes(256 * 20))), "1.263"),
        (wav(code=0x31, told=10**6, align=65, data=data_of(bytes(65 * 60))), "2.4"),
        (wav(code=0x55, rate=44100, told=10**6, align=1, data=data_of(made.mp3_frame() * 200)), str(up(200 * FRAME_S))),
        (wav(code=0x45, data=data_of(bytes(8_000))), None),
    ],
)
def test_a_wav_is_as_long_as_its_sound_and_not_as_its_byte_rate_says(content: bytes, seconds: str | None) -> None:
    assert length(content) == (None if seconds is None else Decimal(seconds))


def test_a_flac_without_frames_has_no_length() -> None:
    assert length(made.flac(seconds=0, told=3)) is None


def test_a_length_is_rounded_up() -> None:
    third = struct.pack(">II", 3000, 7501)
    film = made.film(handlers=(b"soun",)).replace(struct.pack(">II", 1000, 5500), third)
    assert length(film) == Decimal("2.501")


def test_a_picture_with_bytes_to_fill_up_has_its_sides() -> None:
    whole = made.image("JPEG")
    found = sniff(whole[:2] + b"\xff\xff\xff" + whole[2:])
    assert (found.width, found.height) == (321, 123)


def _film_of_many_samples(table: bytes) -> bytes:
    stts = made.box(b"stts", bytes(4), struct.pack(">I", len(table) // 8), table)
    return made.film(more=[made.box(b"minf", made.box(b"stbl", stts))], handlers=(b"vide",))


@pytest.mark.parametrize(
    ("start", "unit"),
    [
        (made.film(), made.box(b"free")),
        (made.film(), made.box(b"moof", made.box(b"traf", made.box(b"tfhd", bytes(8))))),
        (made.recording(is_live=True), b"\xec\x81\x00"),
        (made.recording(), b"\xa3\x84\x81\x00\x00\x00"),
        (b"", b"\xff\xf3\x14\x40" + bytes(20)),
        (made.mp3(frames=3), b"\xff\xfb"),
        (made.aac(frames=2), bytes([0xFF, 0xF1, 0x50, 0x80, 1, 0x1F, 0xFC, 0])),
        (made.flac(), b"\xff\xf8"),
        (made.opus(), b"OggS" + bytes(23)),
        (made.wav(), b"fmt " + bytes(4)),
        (made.wma(packets=2), b"\x00"),
    ],
)
def test_a_file_made_to_keep_us_busy_is_given_up_and_has_no_length(start: bytes, unit: bytes) -> None:
    file = io.BytesIO(start + unit * (LARGE // len(unit)))
    began = process_time()
    seconds = measure(file).facts.seconds
    assert process_time() - began < MAX_S
    assert seconds is None, "whatever was counted until then is too little"


def test_a_table_of_millions_of_samples_is_read_in_time_or_not_at_all() -> None:
    began = process_time()
    assert length(_film_of_many_samples(struct.pack(">II", 1, 1000) * 1_000_000)) == Decimal(1_000_000)
    assert length(_film_of_many_samples(struct.pack(">II", 1, 1000) * 6_000_000)) is None
    assert process_time() - began < MAX_S
