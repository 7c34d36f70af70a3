"""An answer fits its input or is refused with the sentence and the facts a customer needs."""

from decimal import Decimal
from typing import Any

import pytest

from photomat.catalog.answers import MEGABYTE, FileFacts, Refused, check_answer, check_file, check_files, measured
from photomat.catalog.input import Input
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model

CATALOG = load_catalog()


def asked(model: str, name: str) -> Input:
    found = CATALOG.get(model).input(name)
    assert found is not None
    return found


def video(**changes: Any) -> FileFacts:
    facts = {
        "kind": "video",
        "format": "mp4",
        "size_bytes": MEGABYTE,
        "seconds": Decimal(5),
        "width": 1280,
        "height": 720,
    }
    return FileFacts(**{**facts, **changes})


@pytest.mark.parametrize(
    ("model", "name", "answer", "kept"),
    [
        ("z-image", "prompt", "  кот  ", "кот"),
        ("z-image", "aspect_ratio", "16:9", "16:9"),
        ("bytedance/seedance-2", "duration", "15", "15"),
        ("bytedance/seedance-2", "duration", 4, "4"),
        ("bytedance/seedance-2", "generate_audio", False, "false"),
        ("elevenlabs/text-to-speech-turbo-2-5", "speed", "1,15", "1.15"),
        ("wan/3-0-video", "reference_link_urls", "https://example.com/a?b=c", "https://example.com/a?b=c"),
        ("nano-banana-2", "image_input", ["a", "b"], ["a", "b"]),
        ("nano-banana-2", "image_input", "a", ["a"]),
        ("kling-3.0/video", "multi_prompt", "сцена", [{"prompt": "сцена", "duration": "3"}]),
        ("grok-imagine-image-2-0/segment-edit", "mask_indexs", ["0", "3"], ["0", "3"]),
    ],
)
def test_an_answer_that_fits_is_kept_in_one_spelling(model: str, name: str, answer: object, kept: object) -> None:
    assert check_answer(asked(model, name), answer) == kept


@pytest.mark.parametrize(
    ("model", "name", "answer", "key", "facts"),
    [
        ("z-image", "prompt", "а" * 1003, "form-too-long", {"limit": 1000, "length": 1003, "over": 3}),
        ("z-image", "prompt", " ", "form-expects-text", {}),
        ("z-image", "prompt", None, "form-expects-text", {}),
        ("bytedance/seedance-2", "prompt", "ab", "form-too-short", {"limit": 3, "length": 2}),
        ("z-image", "aspect_ratio", "2:1", "form-expects-choice", {"options": "1:1, 4:3, 3:4, 16:9, 9:16"}),
        ("bytedance/seedance-2", "duration", "пять", "form-expects-number", {"least": "4", "most": "15"}),
        ("bytedance/seedance-2", "duration", "16", "form-number-bounds", {"least": "4", "most": "15"}),
        ("bytedance/seedance-2", "duration", "3", "form-number-bounds", {"least": "4", "most": "15"}),
        ("bytedance/seedance-2", "duration", "4.5", "form-number-step", {"step": "1"}),
        ("bytedance/seedance-2", "generate_audio", "да", "form-expects-switch", {}),
        ("wan/3-0-video", "reference_link_urls", "не ссылка", "form-expects-link", {}),
        ("wan/3-0-video", "reference_link_urls", "ftp://example.com/a", "form-expects-link", {}),
        ("nano-banana-2", "image_input", ["a"] * 15, "form-too-many", {"limit": 14, "count": 15}),
        ("nano-banana-2", "image_input", None, "form-too-few", {"limit": 1, "count": 0}),
        ("ai-music-api/mashup", "upload_url_list", ["a"], "form-too-few", {"limit": 2, "count": 1}),
        ("kling-3.0/video", "multi_prompt", ["сцена"] * 6, "form-too-many", {"limit": 5, "count": 6}),
        ("kling-3.0/video", "multi_prompt", [{"duration": 3}], "form-missing", {"input": "prompt"}),
        (
            "kling-3.0/video",
            "multi_prompt",
            [{"prompt": "а", "duration": 99}],
            "form-number-bounds",
            {"least": "1", "most": "12"},
        ),
        (
            "elevenlabs/text-to-dialogue-v3",
            "dialogue",
            [{"text": "а" * 3000}, {"text": "б" * 2001}],
            "form-too-long",
            {"limit": 5000, "length": 5001, "over": 1},
        ),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_with_its_facts(
    model: str, name: str, answer: object, key: str, facts: dict[str, object]
) -> None:
    assert check_answer(asked(model, name), answer) == Refused(key=key, facts=facts)


@pytest.mark.parametrize(
    ("changes", "key", "facts"),
    [
        ({"kind": "image", "format": "png"}, "form-file-kind", {"kind": "video", "formats": "mp4, mov"}),
        ({"format": "avi"}, "form-file-format", {"format": "avi", "formats": "mp4, mov"}),
        ({"size_bytes": 101 * MEGABYTE}, "form-file-heavy", {"limit": 100, "size": "101.0"}),
        ({"seconds": Decimal("60.5")}, "form-file-long", {"limit": "60", "seconds": "60.5"}),
        ({"seconds": Decimal("2.9")}, "form-file-brief", {"limit": "3", "seconds": "2.9"}),
        ({"width": 319}, "form-file-small", {"limit": 320, "side": 319}),
        ({"height": 2161}, "form-file-large", {"limit": 2160, "side": 2161}),
    ],
)
def test_a_file_is_judged_by_what_is_in_it(changes: dict[str, Any], key: str, facts: dict[str, object]) -> None:
    clip = asked("happyhorse/video-edit", "video_url")
    assert check_file(clip, video()) is None
    assert check_file(clip, video(**changes)) == Refused(key=key, facts=facts)


def test_several_files_are_also_judged_together() -> None:
    clips = asked("bytedance/seedance-2", "reference_video_urls")
    assert check_files(clips, [video(seconds=Decimal(7))] * 2) is None
    assert check_files(clips, [video(seconds=Decimal(7))] * 3) == Refused(
        key="form-files-long", facts={"limit": "15", "seconds": "21"}
    )
    assert check_files(clips, [video()] * 4) == Refused(key="form-too-many", facts={"limit": 3, "count": 4})
    assert check_files(clips, [video(), video(format="avi")]) is not None


def test_what_a_price_counts_of_files_is_measured() -> None:
    facts = measured(
        {"a": [video(), video(seconds=Decimal("2.5"), width=4000)], "b": [video(seconds=None, width=None)], "c": []}
    )
    assert facts == {"a:seconds": Decimal("7.5"), "a:megapixels": Decimal("2.88"), "a:side": Decimal(4000)}


def test_every_option_of_every_choice_is_an_answer() -> None:
    def choices(model: Model) -> list[Input]:
        return [each for each in model.inputs if each.type == "choice"]

    for model in CATALOG.models.values():
        for each in choices(model):
            assert [check_answer(each, option) for option in each.options] == list(each.options)
            assert all(each.label(option, "ru") and each.label(option, "en") for option in each.options)


def test_a_choice_reads_like_words() -> None:
    mode = asked("kling-3.0/video", "mode")
    assert [mode.label(option, "ru") for option in mode.options] == ["Стандарт, 720p", "Про, 1080p", "4K"]
    voice = asked("elevenlabs/text-to-speech-turbo-2-5", "voice")
    assert voice.label("EkK5I93UQWFDigLMpZcX", "en") == "James — husky, bold"


@pytest.mark.parametrize(
    ("model", "name", "answer", "key", "limit"),
    [
        ("grok-imagine-image-2-0/segment-edit", "mask_indexs", ["1"] * 101, "form-too-many", 100),
        ("google/gemini-3-8-flash-tts", "dialogue_turns", [{"text": "я"}] * 101, "form-too-many", 100),
        ("google/gemini-3-8-flash-tts", "dialogue_turns", [{"text": "я" * 5000}] * 5, "form-too-long", 20_000),
        ("sora-2-pro-storyboard", "shots", [{"Scene": "я" * 5000, "duration": "5"}] * 5, "form-too-long", 20_000),
        ("seedream/5-flash-image-to-image", "image_urls", ["x"] * 15, "form-too-many", 14),
        ("suno/style-boost", "content", "я" * 20_001, "form-too-long", 20_000),
    ],
)
def test_what_the_catalogue_leaves_open_is_bounded_all_the_same(
    model: str, name: str, answer: object, key: str, limit: int
) -> None:
    refused = check_answer(asked(model, name), answer)
    assert isinstance(refused, Refused)
    assert (refused.key, refused.facts["limit"]) == (key, limit)


def test_more_files_than_any_order_takes_are_refused_by_their_facts_too() -> None:
    photo = FileFacts(kind="image", format="jpg", size_bytes=MEGABYTE, width=1024, height=1024)
    wanted = asked("ideogram/character-remix", "image_urls")
    assert check_files(wanted, [photo] * 14) is None
    refused = check_files(wanted, [photo] * 15)
    assert refused is not None
    assert refused.key == "form-too-many"


def test_no_answer_of_any_model_is_without_bounds() -> None:
    owners = [(model.id, owner) for model in CATALOG.models.values() for owner in model.inputs]
    for model_id, each in ((model_id, each) for model_id, owner in owners for each in (owner, *owner.fields)):
        assert each.items_limit <= 100, (model_id, each.name)
        assert each.length_limit <= 30_000, (model_id, each.name)
