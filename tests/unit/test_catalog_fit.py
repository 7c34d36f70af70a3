"""What an order refers to is looked at again: gone, too long by now, in a line of a list; or still as good as it was."""

from collections.abc import Mapping
from decimal import Decimal

from photomat.catalog.answers import MEGABYTE, FileFacts
from photomat.catalog.load import load_catalog
from photomat.catalog.order import unfit
from photomat.catalog.reference import FileRef, JobRef, Ref

CATALOG = load_catalog()
PHOTO = FileFacts(kind="image", format="jpg", size_bytes=MEGABYTE, width=1024, height=1024)
SONG = FileFacts(kind="audio", format="mp3", size_bytes=MEGABYTE, seconds=Decimal(10))


def keys(
    model: str, inputs: Mapping[str, object], facts: dict[int, FileFacts], gone: set[Ref] | None = None
) -> dict[str, str]:
    known = {FileRef(number): each for number, each in facts.items()}
    found = unfit(CATALOG.get(model), inputs, gone=gone or set(), facts=known)
    return {name: refused.key for name, refused in found.items()}


def test_what_is_there_and_fits_stays() -> None:
    assert keys("wan/2-7-image", {"prompt": "кот", "input_urls": [{"file": 1}]}, {1: PHOTO}) == {}
    assert keys("z-image", {"prompt": "кот"}, {}) == {}


def test_a_file_nobody_knows_and_a_job_that_is_gone_cannot_stay() -> None:
    assert keys("wan/2-7-image", {"prompt": "кот", "input_urls": [{"file": 1}, {"file": 2}]}, {1: PHOTO}) == {
        "input_urls": "form-gone"
    }
    inputs: dict[str, object] = {"task_id": {"job": 5}}
    assert keys("ai-music-api/generate-midi-from-audio", inputs, {}) == {}
    assert keys("ai-music-api/generate-midi-from-audio", inputs, {}, {JobRef(5)}) == {"task_id": "form-gone"}


def test_a_file_of_another_kind_or_beyond_a_limit_cannot_stay() -> None:
    assert keys("wan/2-7-image", {"prompt": "кот", "input_urls": [{"file": 1}]}, {1: SONG}) == {
        "input_urls": "form-file-kind"
    }


def test_files_that_are_too_long_together_cannot_stay() -> None:
    inputs = {"prompt": "кот", "reference_audio_urls": [{"file": 1}, {"file": 2}]}
    assert keys("bytedance/seedance-2", inputs, {1: SONG, 2: SONG}) == {"reference_audio_urls": "form-files-long"}


def test_a_file_in_a_line_of_a_list_is_looked_at_too() -> None:
    hero = {"name": "Анна", "description": "певица", "element_input_urls": [{"file": 1}, {"file": 2}]}
    inputs = {"prompt": "кот", "kling_elements": [hero]}
    assert keys("kling-3.0/video", inputs, {1: PHOTO, 2: PHOTO}) == {}
    assert keys("kling-3.0/video", inputs, {1: PHOTO, 2: SONG}) == {"kling_elements": "form-file-kind"}
    assert keys("kling-3.0/video", inputs, {1: PHOTO}) == {"kling_elements": "form-gone"}
