"""A whole order: what is asked in it, what stands against it, and what Kie is sent, in Kie's types."""

from decimal import Decimal
from typing import Any

import pytest

from photomat.catalog.load import load_catalog
from photomat.catalog.order import body_of, check_order, missing, relevant, request_of

CATALOG = load_catalog()


def refused(model: str, measured: dict[str, Decimal] | None = None, **inputs: Any) -> set[str]:
    return {each.key for each in check_order(CATALOG.get(model), inputs, measured)}


@pytest.mark.parametrize(
    ("model", "inputs", "body"),
    [
        ("z-image", {"prompt": "кот", "aspect_ratio": "1:1"}, {"prompt": "кот", "aspect_ratio": "1:1"}),
        (
            "kling-3.0/video",
            {"prompt": "кот", "sound": "true", "duration": "7"},
            {
                "prompt": "кот",
                "aspect_ratio": "16:9",
                "duration": "7",
                "mode": "pro",
                "multi_shots": False,
                "sound": True,
            },
        ),
        (
            "kling-2.6/image-to-video",
            {"prompt": "кот", "image_urls": "https://f/a.png"},
            {"prompt": "кот", "image_urls": ["https://f/a.png"], "duration": "5", "sound": False},
        ),
        (
            "kling/v3-turbo-text-to-video",
            {"prompt": "кот", "duration": "12"},
            {"prompt": "кот", "aspect_ratio": "16:9", "duration": "12", "resolution": "720p"},
        ),
        (
            "minimax-h3/text-to-video",
            {"prompt": "кот", "duration": "12"},
            {"prompt": "кот", "aspect_ratio": "16:9", "duration": 12, "resolution": "2K"},
        ),
        (
            "veo3_fast",
            {"prompt": "кот"},
            {
                "model": "veo3_fast",
                "prompt": "кот",
                "generationType": "TEXT_2_VIDEO",
                "aspect_ratio": "16:9",
                "resolution": "720p",
                "duration": 8,
            },
        ),
        (
            "google/gemini-3-1-flash-tts",
            {"dialogue_turns": [{"text": "Привет"}], "temperature": "0.5"},
            {
                "dialogue_turns": [{"speaker_id": "Speaker 1", "text": "Привет"}],
                "speakers": [{"speaker_id": "Speaker 1", "voice_name": "Kore", "accent": "Neutral"}],
                "temperature": 0.5,
            },
        ),
        (
            "grok-imagine-image-2-0/segment-edit",
            {"prompt": "шляпа", "task_id": "t", "mask_indexs": ["0", "2"]},
            {"prompt": "шляпа", "task_id": "t", "mask_indexs": [0, 2]},
        ),
    ],
)
def test_a_body_has_the_types_kie_wants(model: str, inputs: dict[str, Any], body: dict[str, Any]) -> None:
    sent = body_of(CATALOG.get(model), inputs)
    assert sent == body
    assert {name: type(value) for name, value in sent.items()} == {name: type(value) for name, value in body.items()}


def test_what_makes_no_sense_beside_the_rest_is_neither_asked_nor_sent() -> None:
    suno = CATALOG.get("ai-music-api/generate")
    assert [each.name for each in missing(suno, {})] == ["prompt"]
    own = {"custom_mode": True, "prompt": "песня", "lyrics": "ля-ля"}
    assert [each.name for each in missing(suno, own)] == ["style", "title"]
    assert "lyrics" not in body_of(suno, {"prompt": "песня", "lyrics": "ля-ля"})
    assert "prompt" not in body_of(suno, own)
    without_voice = {each.name for each in relevant(suno, {**own, "instrumental": True})}
    assert not without_voice & {"lyrics", "vocal_gender"}


def test_one_of_several_inputs_is_enough_but_one_is_needed() -> None:
    assert refused("4o-image-api") == {"form-one-of"}
    assert refused("4o-image-api", prompt="кот") == set()
    assert refused("4o-image-api", files_url=["https://f/a.png"]) == set()
    assert refused("ai-music-api/separate-vocals", task_id="t") == {"form-one-of"}
    assert refused("ai-music-api/separate-vocals", task_id="t", audio_id="a") == set()


@pytest.mark.parametrize(
    ("model", "inputs"),
    [
        ("runway", {"prompt": "кот", "duration": "10", "quality": "1080p"}),
        ("hailuo/2-3-image-to-video-pro", {"image_url": "f", "prompt": "a", "duration": "10", "resolution": "1080P"}),
        ("gpt-image-2-text-to-image", {"prompt": "кот", "background": "transparent", "resolution": "4K"}),
        ("gpt-image-2-5-flare-text-to-image", {"prompt": "кот", "aspect_ratio": "27:16", "resolution": "2K"}),
        ("grok-imagine/image-to-video", {"image_urls": ["f"], "mode": "spicy"}),
        ("wan/3-0-video", {"first_frame_url": "f", "reference_image_urls": ["f"]}),
        ("grok-imagine/image-to-video", {"image_urls": ["f"], "task_id": "t"}),
    ],
)
def test_what_does_not_go_together_is_refused(model: str, inputs: dict[str, Any]) -> None:
    assert refused(model, **inputs) == {"form-never"}


def test_files_of_several_inputs_are_counted_together() -> None:
    some: dict[str, Any] = {"prompt": "кот", "reference_image": ["f"] * 3}
    assert refused("wan/2-7-r2v", **some, reference_video=["f"] * 2) == set()
    assert refused("wan/2-7-r2v", **some, reference_video=["f"] * 3) == {"form-too-many"}


def test_every_required_input_is_missed_and_every_value_is_checked() -> None:
    assert refused("kling/ai-avatar-pro") == {"form-missing"}
    assert [each.name for each in missing(CATALOG.get("kling/ai-avatar-pro"), {})] == [
        "image_url",
        "audio_url",
        "prompt",
    ]
    assert refused("z-image", prompt="а" * 1001, aspect_ratio="7:1") == {"form-too-long", "form-expects-choice"}


def test_an_older_protocol_has_its_own_address_and_a_flat_body() -> None:
    path, body = request_of(CATALOG.get("suno/generate"), {"prompt": "песня"}, callback_url="https://us/cb")
    assert path == "/api/v1/generate"
    flat = {
        "prompt": "песня",
        "customMode": False,
        "instrumental": False,
        "model": "V6",
        "callBackUrl": "https://us/cb",
    }
    assert body == flat
    path, body = request_of(CATALOG.get("z-image"), {"prompt": "кот"})
    assert (path, body["model"], body["input"]["prompt"]) == ("/api/v1/jobs/createTask", "z-image", "кот")
