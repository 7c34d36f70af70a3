"""Which files are converted for which inputs, and what customers are told of it."""

import pytest

from photomat.catalog import answers
from photomat.catalog.answers import SOURCES, TARGETS, FileFacts, Refused, accepts, check_file, shown_formats, targets
from photomat.catalog.input import FileLimits, Input
from photomat.catalog.load import load_catalog
from photomat.files.conversion_worker import DEMUXERS, PILLOW
from photomat.media.sniff import EXTENSIONS

PHOTO = FileLimits(kind="image", formats=("jpg", "png", "webp"))
HEIC_TAKEN = FileLimits(kind="image", formats=("jpg", "png", "heic"))
VOICE = FileLimits(kind="audio", formats=("wav", "mp3"))


def every_limit() -> list[FileLimits]:
    inputs = [
        each for model in load_catalog().models.values() for asked in model.inputs for each in (asked, *asked.fields)
    ]
    return [each.files for each in inputs if each.files is not None]


@pytest.fixture
def without_audio(monkeypatch: pytest.MonkeyPatch) -> None:
    """An installation without the optional package."""
    monkeypatch.setattr(answers, "can_convert", lambda kind: kind == "image")


def test_every_image_and_audio_input_takes_what_phones_make() -> None:
    phones = {"image": ("jpg", "heic", "heif", "avif", "webp"), "audio": ("ogg", "m4a", "amr", "webm", "mp3", "aac")}
    refused = [
        (limits, each) for limits in every_limit() for each in phones.get(limits.kind, ()) if not accepts(limits, each)
    ]
    assert refused == []


def test_a_file_is_sent_as_it_is_wherever_it_is_taken() -> None:
    assert targets([HEIC_TAKEN], "heic") == ()
    assert targets([PHOTO], "webp") == ()
    assert targets([FileLimits(kind="image")], "heic") == (), "where no formats are known, none is wrong"


def test_a_file_for_two_inputs_is_sent_in_a_format_both_take() -> None:
    assert targets([HEIC_TAKEN, PHOTO], "heic") == ("jpg", "png")
    assert targets([PHOTO, VOICE], "ogg") == ()


def test_a_gif_and_a_video_are_not_converted() -> None:
    assert not accepts(PHOTO, "gif")
    assert not accepts(FileLimits(kind="video", formats=("mp4",)), "webm")


def test_customers_read_what_their_phones_make_beside_the_formats_of_the_model() -> None:
    assert list(shown_formats(PHOTO)) == ["jpg", "png", "webp", "heic"]
    assert list(shown_formats(VOICE)) == ["wav", "mp3", "ogg", "m4a"]
    assert list(shown_formats(HEIC_TAKEN)) == ["jpg", "png", "heic"]


@pytest.mark.usefixtures("without_audio")
def test_without_the_audio_package_the_question_names_the_formats_of_the_model() -> None:
    asked = Input(name="voice", type="file", required=True, files=VOICE)
    refused = check_file(asked, FileFacts(kind="audio", format="ogg", size_bytes=1))
    assert refused == Refused(key="form-file-format", facts={"format": "ogg", "formats": "wav, mp3"})
    assert list(shown_formats(VOICE)) == ["wav", "mp3"]
    assert accepts(PHOTO, "heic"), "photos need no optional package"


def test_the_worker_knows_every_format_that_is_said_to_be_converted() -> None:
    assert SOURCES["image"] == set(PILLOW)
    assert SOURCES["audio"] == set(DEMUXERS)
    assert {each for found in (*SOURCES.values(), *TARGETS.values()) for each in found} <= set(EXTENSIONS.values())
