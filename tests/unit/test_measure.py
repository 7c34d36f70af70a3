"""What a file is by its content: kind, format in the catalogue's words, length, sides; junk never raises and never lasts."""

import io
import zipfile
from decimal import ROUND_CEILING, Decimal
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from photomat.catalog.load import load_catalog
from photomat.media.measure import Measured, measure
from photomat.media.sniff import EXTENSIONS
from photomat_sandbox.kie.files import render
from photomat_sandbox.kie.results import ResultFile
from support import media_bytes as made

SAMPLES = {
    "png": made.image("PNG"),
    "jpg": made.image("JPEG"),
    "jpg behind remarks": made.jpeg_behind_remarks(),
    "webp with loss": made.image("WEBP"),
    "webp without loss": made.image("WEBP", lossless=True),
    "webp with more": made.image("WEBP", exif=b"Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x00\x00\x00\x00\x00"),
    "gif": made.image("GIF"),
    "bmp": made.image("BMP"),
    "tiff": made.image("TIFF"),
    "avif": made.image("AVIF"),
    "heic": made.heic(),
    "mp4": made.film(),
    "fragmented mp4": made.fragmented_film(),
    "mov": made.film(brand=b"qt  "),
    "m4a": made.film(brand=b"M4A ", handlers=(b"soun",)),
    "webm": made.recording(),
    "live webm": made.recording(is_live=True),
    "mkv": made.recording(doctype=b"matroska"),
    "wav": made.wav(),
    "mp3": made.mp3(),
    "mp3 of changing rate": made.mp3_of_changing_rate(),
    "mp3 that tells": made.mp3_that_tells(),
    "aac": made.aac(),
    "flac": made.flac(),
    "opus": made.opus(),
    "vorbis": made.vorbis(),
    "wma": made.wma(),
    "pdf": b"%PDF-1.7 and so on",
}
FRAME_S = Decimal(1152) / 44100
MAX_S = 10
SIMULATED_S = {"mp4": Decimal(2), "mov": Decimal(2), "wav": Decimal("4.032"), "mp3": Decimal(4)}


def up(seconds: Decimal) -> Decimal:
    return seconds.quantize(Decimal("0.001"), rounding=ROUND_CEILING)


def looked(content: bytes) -> Measured:
    return measure(io.BytesIO(content))


@pytest.mark.parametrize(
    ("name", "mime", "form"),
    [
        ("png", "image/png", "png"),
        ("jpg", "image/jpeg", "jpg"),
        ("jpg behind remarks", "image/jpeg", "jpg"),
        ("webp with loss", "image/webp", "webp"),
        ("webp without loss", "image/webp", "webp"),
        ("webp with more", "image/webp", "webp"),
        ("gif", "image/gif", "gif"),
        ("bmp", "image/bmp", "bmp"),
        ("tiff", "image/tiff", "tiff"),
        ("avif", "image/avif", "avif"),
    ],
)
def test_pictures_are_known_with_their_sides(name: str, mime: str, form: str) -> None:
    found = looked(SAMPLES[name])
    assert (found.mime, found.facts.kind, found.facts.format) == (mime, "image", form)
    assert (found.facts.width, found.facts.height) == (321, 123)
    assert found.facts.size_bytes == len(SAMPLES[name])
    assert found.facts.seconds is None


def test_a_picture_of_a_phone_has_the_sides_of_the_whole_and_not_of_a_tile() -> None:
    facts = looked(made.heic()).facts
    assert (facts.kind, facts.format, facts.width, facts.height) == ("image", "heic", 4032, 3024)


@pytest.mark.parametrize(
    ("name", "mime", "form", "seconds"),
    [
        ("mp4", "video/mp4", "mp4", "5.5"),
        ("fragmented mp4", "video/mp4", "mp4", "4"),
        ("mov", "video/quicktime", "mov", "5.5"),
        ("webm", "video/webm", "webm", "7.25"),
        ("live webm", "video/webm", "webm", "7.25"),
        ("mkv", "video/x-matroska", "mkv", "7.25"),
    ],
)
def test_films_are_known_with_length_and_sides(name: str, mime: str, form: str, seconds: str) -> None:
    found = looked(SAMPLES[name])
    assert (found.mime, found.facts.kind, found.facts.format) == (mime, "video", form)
    assert found.facts.seconds == Decimal(seconds)
    assert (found.facts.width, found.facts.height) == (640, 360)


@pytest.mark.parametrize(
    ("name", "form", "seconds"),
    [
        ("m4a", "m4a", Decimal("5.5")),
        ("wav", "wav", Decimal("2.5")),
        ("mp3", "mp3", 200 * FRAME_S),
        ("mp3 of changing rate", "mp3", 200 * FRAME_S),
        ("mp3 that tells", "mp3", 3 * FRAME_S),
        ("aac", "aac", Decimal(100 * 1024) / 44100),
        ("flac", "flac", Decimal("3.5")),
        ("opus", "ogg", Decimal(6)),
        ("vorbis", "ogg", Decimal(6)),
        ("wma", "wma", Decimal(4)),
    ],
)
def test_sound_is_known_with_its_length(name: str, form: str, seconds: Decimal) -> None:
    facts = looked(SAMPLES[name]).facts
    assert (facts.kind, facts.format) == ("audio", form)
    assert facts.seconds == up(seconds)


def test_a_film_with_nothing_to_see_is_sound() -> None:
    assert looked(made.film(handlers=(b"soun",))).mime == "audio/mp4"
    assert looked(made.recording(kind=2)).facts.kind == "audio"


def test_sound_behind_tags_is_what_it_is_and_not_what_tags_are_usually_for() -> None:
    assert looked(made.id3(70_000) + made.flac()).facts.seconds == Decimal("3.5")
    assert looked(made.id3() + made.aac()).facts.format == "aac"
    assert looked(made.id3(70_000) + made.mp3(tag=False)).facts.seconds == up(200 * FRAME_S)


def test_rubbish_between_frames_is_stepped_over() -> None:
    content = made.mp3(frames=50) + b"rubbish" * 40 + made.mp3(frames=50, tag=False)
    assert looked(content).facts.seconds == up(100 * FRAME_S)


def test_office_documents_are_told_from_archives() -> None:
    for name, form in (("word/document.xml", "docx"), ("ppt/presentation.xml", "pptx"), ("a.txt", "zip")):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("first", bytes(200_000))
            archive.writestr(name, b"<xml/>")
        facts = looked(buffer.getvalue()).facts
        assert (facts.kind, facts.format) == ("document", form)


@pytest.mark.parametrize(
    ("form", "kind", "sides"),
    [("mp4", "video", (320, 176)), ("mov", "video", (320, 176)), ("wav", "audio", None), ("mp3", "audio", None)],
)
def test_what_the_simulated_kie_makes_is_read_like_what_customers_send(
    form: str, kind: str, sides: tuple[int, int] | None
) -> None:
    file = ResultFile(
        name=f"a.{form}",
        output="video" if kind == "video" else "audio",
        prompt="",
        model="a",
        ratio=(16, 9),
        index=0,
        count=1,
        made_at=0.0,
    )
    facts = looked(render(file, 320).content).facts
    assert (facts.kind, facts.seconds) == (kind, SIMULATED_S[form])
    assert facts.width is None if sides is None else (facts.width, facts.height) == sides


def test_a_large_film_is_read_at_its_end_without_reading_it_all() -> None:
    class Counted(io.BytesIO):
        taken = 0

        def read(self, size: int | None = -1, /) -> bytes:
            found = super().read(size)
            Counted.taken += len(found)
            return found

    found = measure(Counted(made.film(padding=30_000_000)))
    assert found.facts.seconds == Decimal("5.5")
    assert Counted.taken < 100_000


@pytest.mark.parametrize(
    ("start", "unit"),
    [
        (made.film(), made.box(b"free")),
        (made.recording(is_live=True), b"\xec\x81\x00"),
        (b"", made.mp3_frame(1)),
        (b"", b"\xff\xfb"),
    ],
)
def test_a_file_made_to_keep_us_busy_does_not(start: bytes, unit: bytes) -> None:
    began = process_time()
    looked(start + unit * (20_000_000 // len(unit)))
    assert process_time() - began < MAX_S


def test_formats_are_called_as_the_catalogue_calls_them() -> None:
    models = load_catalog().models.values()
    inputs = [each for model in models for asked in model.inputs for each in (asked, *asked.fields)]
    wanted = {form for each in inputs if each.files for form in each.files.formats}
    assert wanted <= set(EXTENSIONS.values())


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=400), st.sampled_from([b"", *(sample[:40] for sample in SAMPLES.values())]))
def test_junk_never_raises(junk: bytes, start: bytes) -> None:
    facts = looked(start + junk).facts
    assert facts.seconds is None or 0 < facts.seconds <= 10_000_000


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_what_is_cut_or_damaged_never_raises(name: str, data: st.DataObject) -> None:
    sample = SAMPLES[name]
    cut = bytearray(sample[: data.draw(st.integers(0, len(sample)))])
    for _ in range(data.draw(st.integers(0, 8)) if cut else 0):
        cut[data.draw(st.integers(0, min(len(cut), 500) - 1))] = data.draw(st.integers(0, 255))
    facts = looked(bytes(cut)).facts
    assert facts.width is None or 0 < facts.width <= 1_000_000
