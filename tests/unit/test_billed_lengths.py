"""Customers pay for the seconds they made: files of real encoders, with their padding, edit lists, blocks and cut ends."""

import io
from decimal import ROUND_CEILING, Decimal

import pytest

from photomat.catalog.answers import measured
from photomat.catalog.load import load_catalog
from photomat.media.measure import measure
from photomat.media.reader import MAX_PADDING_S
from photomat.media.truncation import looks_intact
from support import media_bytes as made
from support.real_media import FOLDER, PICTURES, REAL_FILES

TOLERANCE_S = Decimal("0.006")
PADDED_BY_S = Decimal("0.17")
DECLARING = ("ten-seconds.mp3", "tagged.mp3", "lame-vbr.mp3", "flac.flac", "flac.ogg", "reference-flac.oga")
"""These state how much they hold, wherever that is."""


def whole_seconds(seconds: Decimal) -> Decimal:
    return seconds.quantize(Decimal(1), rounding=ROUND_CEILING)


def test_every_file_is_in_the_table() -> None:
    assert {path.name for path in FOLDER.iterdir()} == set(REAL_FILES) | {path.name for path in PICTURES}


@pytest.mark.parametrize("name", REAL_FILES)
def test_a_file_is_as_long_as_it_was_made(name: str) -> None:
    real = REAL_FILES[name]
    found = measure(io.BytesIO(real.content))
    assert found.mime == real.mime
    assert found.facts.seconds is not None
    assert abs(found.facts.seconds - real.made_s) <= TOLERANCE_S
    assert whole_seconds(found.facts.seconds) == whole_seconds(real.made_s), "padding costs no second"
    assert looks_intact(io.BytesIO(real.content), found.mime)


@pytest.mark.parametrize("name", REAL_FILES)
def test_what_ffprobe_says_differs_by_no_more_than_padding(name: str) -> None:
    real = REAL_FILES[name]
    found = measure(io.BytesIO(real.content)).facts.seconds
    assert found is not None
    assert real.ffprobe_s is None or -Decimal("0.02") <= real.ffprobe_s - found <= PADDED_BY_S < MAX_PADDING_S


def test_ten_seconds_of_mp3_are_billed_as_ten() -> None:
    avatar = load_catalog().models["kling/ai-avatar-standard"]
    facts = measure(io.BytesIO(REAL_FILES["ten-seconds.mp3"].content)).facts
    counts = measured({"audio_url": [facts]})
    assert [part.count for part in avatar.price_parts({"audio_url": "a"}, counts)] == [Decimal(10)]


@pytest.mark.parametrize("part", [0.3, 0.6, 0.9])
@pytest.mark.parametrize("name", DECLARING)
def test_a_truncated_file_that_declares_its_length_is_refused(name: str, part: float) -> None:
    content = REAL_FILES[name].content
    content = content[: int(len(content) * part)]
    found = measure(io.BytesIO(content))
    assert found.facts.seconds is None or not looks_intact(io.BytesIO(content), found.mime)


@pytest.mark.parametrize("name", REAL_FILES)
def test_a_truncated_file_is_refused_or_measured_by_what_is_left(name: str) -> None:
    real = REAL_FILES[name]
    content = real.content[: len(real.content) // 2]
    found = measure(io.BytesIO(content))
    is_refused = found.facts.seconds is None or not looks_intact(io.BytesIO(content), found.mime)
    assert is_refused or (found.facts.seconds or 0) < real.made_s * Decimal("0.8")


@pytest.mark.parametrize(
    "more", [b"TAG" + bytes(125), b"APETAGEX" + bytes(24), b"\x00" * 5000, b"no sound at all" * 300]
)
@pytest.mark.parametrize("name", ["tagged.mp3", "vbr-without-tag.mp3", "ten-seconds.mp3"])
def test_tags_and_rubbish_around_an_mp3_do_not_change_its_length(name: str, more: bytes) -> None:
    real = REAL_FILES[name]
    assert measure(io.BytesIO(made.id3(5000) + real.content + more)).facts.seconds == real.made_s


def test_a_video_of_windows_is_no_audio() -> None:
    facts = measure(io.BytesIO(REAL_FILES["video-and-sound.wmv"].content)).facts
    assert (facts.kind, facts.format, facts.width, facts.height) == ("video", "wmv", 32, 32)


def test_a_gapless_tag_cannot_hide_more_than_a_few_frames() -> None:
    content = bytearray(REAL_FILES["tagged.mp3"].content)
    at = content.index(b"Lavf", 100) if b"Lavf" in content[100:400] else content.index(b"Lavc")
    content[at + 21 : at + 24] = b"\xff\xff\xff"
    assert measure(io.BytesIO(bytes(content))).facts.seconds == Decimal(2)
