"""What an order's parts must be together: scenes within the length a model makes, modes with their files, voices, shares."""

from decimal import Decimal
from typing import Any

import pytest

from photomat.bot.order_form.wording import refused_in_words
from photomat.catalog.answers import Refused
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model
from photomat.catalog.order import body_of, check_order, example_of, open_to_customers
from photomat.catalog.order_words import order_in_words
from photomat.catalog.roles import common_value
from photomat.texts.load import load_texts
from support.cases import for_each

CATALOG = load_catalog()
TEXTS = load_texts()
SOLD = [model for model in CATALOG.models.values() if model.is_sellable]
SCENES = {
    "kling-3.0/video": "multi_shots",
    "kling-3.0-omni/text-to-video": "customize_multi_shots",
    "kling-3.0-omni/image-to-video": "customize_multi_shots",
    "kling-3.0-omni/reference-to-video": "customize_multi_shots",
}
SPEECH = [model.id for model in SOLD if model.input("dialogue_turns") and model.input("speakers")]
VEO = {"veo-3-1": ("generation_type", "image_urls")} | dict.fromkeys(
    ("veo3", "veo3_fast", "veo3_lite"), ("generationType", "imageUrls")
)


def refusals(model_id: str, **inputs: Any) -> list[Refused]:
    model = CATALOG.get(model_id)
    return list(check_order(model, {**example_of(model), **inputs}))


def told(model_id: str, language: str = "ru", **inputs: Any) -> str:
    """The sentences a customer reads."""
    model, say = CATALOG.get(model_id), TEXTS.speaker(language)
    return " ".join(refused_in_words(say, model, each, language) for each in refusals(model_id, **inputs))


def scenes(*seconds: int) -> list[dict[str, Any]]:
    return [{"prompt": "лес", "duration": str(each)} for each in seconds]


@pytest.mark.parametrize("model_id", SCENES)
def test_scenes_longer_than_the_model_makes_are_refused_with_limit_and_sum(model_id: str) -> None:
    wanted: dict[str, Any] = {SCENES[model_id]: "true", "multi_prompt": scenes(12, 12, 12, 12, 12)}
    said = told(model_id, **wanted)
    assert "60 с" in said
    assert "от 3 до 15 с" in said
    assert "60 s" in told(model_id, "en", **wanted)
    assert refusals(model_id, **{SCENES[model_id]: "true", "multi_prompt": scenes(1, 1)})
    assert not refusals(model_id, **{SCENES[model_id]: "true", "multi_prompt": scenes(10, 5)})


@pytest.mark.parametrize("model_id", SCENES)
def test_the_length_of_scenes_is_what_is_shown_priced_and_sent(model_id: str) -> None:
    model = CATALOG.get(model_id)
    order = {**example_of(model), SCENES[model_id]: "true", "multi_prompt": scenes(4, 5), "duration": "3"}
    plain_order = {**example_of(model), "duration": "9"}
    assert model.credits_for(order) == model.credits_for(plain_order)
    assert int(body_of(model, order)["duration"]) == 9
    duration = model.input("duration")
    assert duration is not None
    assert duration not in open_to_customers(model, order)
    assert duration in open_to_customers(model, plain_order)
    shown = {
        each.title: each.text for each in order_in_words(model, order, language="ru", say=TEXTS.speaker("ru")).values
    }
    assert shown["Длительность"] == "9 с"


def test_scenes_that_are_switched_off_count_nothing() -> None:
    model = CATALOG.get("kling-3.0/video")
    order = {"prompt": "лес", "duration": "3", "multi_prompt": scenes(6, 6)}
    assert body_of(model, order)["duration"] == "3"
    assert not check_order(model, order)


def test_scenes_take_one_photo() -> None:
    wanted: dict[str, Any] = {"multi_shots": "true", "multi_prompt": scenes(5), "image_urls": ["a", "b"]}
    assert "первый кадр" in told("kling-3.0/video", **wanted)
    assert not refusals("kling-3.0/video", **{**wanted, "image_urls": ["a"]})
    assert not refusals("kling-3.0/video", image_urls=["a", "b"])


@pytest.mark.parametrize("model_id", VEO)
def test_a_way_of_veo_that_needs_photos_is_not_sold_without_them(model_id: str) -> None:
    way, photos = VEO[model_id]
    model = CATALOG.get(model_id)
    asked = model.input(way)
    assert asked is not None
    for option in asked.options:
        is_by_photos = option != "TEXT_2_VIDEO"
        assert bool(refusals(model_id, **{way: option})) == is_by_photos
        assert bool(refusals(model_id, **{way: option, photos: ["a"]})) != is_by_photos
    assert "фото" in told(model_id, **{way: "FIRST_AND_LAST_FRAMES_2_VIDEO"})


@pytest.mark.parametrize("model_id", VEO)
def test_veo_takes_the_way_that_its_photos_mean(model_id: str) -> None:
    way, photos = VEO[model_id]
    model = CATALOG.get(model_id)
    ways = [body_of(model, {"prompt": "кот", photos: ["f"] * count})[way] for count in (0, 1, 2)]
    assert ways == ["TEXT_2_VIDEO", "FIRST_AND_LAST_FRAMES_2_VIDEO", "FIRST_AND_LAST_FRAMES_2_VIDEO"]
    three: dict[str, Any] = {photos: ["f"] * 3}
    assert refusals(model_id, **three, **{way: "FIRST_AND_LAST_FRAMES_2_VIDEO"})
    if model_id == "veo3":
        assert refusals(model_id, **three)
    else:
        assert body_of(model, {"prompt": "кот", **three})[way] == "REFERENCE_2_VIDEO"
        assert not refusals(model_id, **three)
        assert "8 секунд" in told(model_id, **three, duration="4")


@for_each(SOLD, name=lambda model: model.id)
def test_an_option_named_after_files_is_never_sold_without_them(model: Model) -> None:
    """An order with no file at all: a way called after frames or references is refused, whatever model offers it."""
    files = {each.name for each in model.inputs if each.takes_files}
    bare = {name: value for name, value in example_of(model).items() if name not in files}
    for asked in model.inputs:
        for option in asked.options:
            if any(
                word in option.upper() for word in ("FRAME", "REFERENCE_2", "IMAGE_2", "INPUT_IMAGE", "INPUT_VIDEO")
            ):
                assert check_order(model, {**bare, asked.name: option}), f"{asked.name} = {option}"


@for_each(SOLD, name=lambda model: model.id)
def test_a_last_frame_alone_is_sent_only_where_it_is_enough(model: Model) -> None:
    names = {each.name for each in model.inputs}
    if not {"first_frame_url", "last_frame_url"} <= names or model.id in {
        "minimax-h3/image-to-video",  # either frame is enough
        "google/gemini-omni-flash-1-1",  # its facts do not bind one to the other
    }:
        return
    order = {name: value for name, value in example_of(model).items() if name != "first_frame_url"}
    assert "last_frame_url" not in body_of(model, {**order, "last_frame_url": "f"})


@pytest.mark.parametrize("model_id", SPEECH)
def test_whoever_speaks_has_a_voice(model_id: str) -> None:
    lines = [{"speaker_id": "Speaker 1", "text": "Привет"}, {"speaker_id": "Speaker 2", "text": "И тебе"}]
    model = CATALOG.get(model_id)
    sent = body_of(model, {"dialogue_turns": lines})["speakers"]
    assert [each["speaker_id"] for each in sent] == ["Speaker 1", "Speaker 2"]
    assert len({each["voice_name"] for each in sent}) == 2
    own = [{"speaker_id": "Speaker 1", "voice_name": "Zephyr", "accent": "Neutral"}]
    sent = body_of(model, {"dialogue_turns": lines, "speakers": own})["speakers"]
    assert [each["voice_name"] for each in sent] == ["Zephyr", "Puck"]
    assert [each["speaker_id"] for each in body_of(model, {"dialogue_turns": lines[:1]})["speakers"]] == ["Speaker 1"]
    assert "дважды" in told(model_id, dialogue_turns=lines[:1], speakers=own * 2)


def test_all_four_speakers_of_gemini_are_looked_at() -> None:
    assert len(SPEECH) == 4


@pytest.mark.parametrize("model_id", ["wan/2-7-image", "wan/2-7-image-pro"])
def test_a_palette_is_colours_whose_shares_make_up_the_whole(model_id: str) -> None:
    def palette(*lines: tuple[str, str]) -> list[dict[str, str]]:
        return [{"hex": colour, "ratio": share} for colour, share in lines]

    good = palette(("#FF8800", "40%"), ("#1a2b3c", "35.5%"), ("#FFFFFF", "24.5%"))
    assert not refusals(model_id, color_palette=good)
    red = palette(("red", "40%"), ("#1a2b3c", "35%"), ("#FFFFFF", "25%"))
    assert "#FF8800" in told(model_id, color_palette=red)
    share = palette(("#FF8800", "много"), ("#1a2b3c", "35%"), ("#FFFFFF", "25%"))
    assert "40%" in told(model_id, color_palette=share)
    short = palette(("#FF8800", "40%"), ("#1a2b3c", "20%"), ("#FFFFFF", "20%"))
    assert "должно быть 100, а сейчас 80" in told(model_id, color_palette=short)


@pytest.mark.parametrize("model_id", ["wan/2-7-image", "wan/2-7-image-pro"])
def test_more_than_four_pictures_come_as_a_series_only(model_id: str) -> None:
    assert "только серией" in told(model_id, n="5")
    assert not refusals(model_id, n="4")
    assert not refusals(model_id, n="12", enable_sequential="true")


@for_each(SOLD, name=lambda model: model.id)
def test_a_hero_is_shown_on_two_photos_at_least(model: Model) -> None:
    for listed in model.inputs:
        if any(field.name == "element_input_urls" for field in listed.fields):
            hero = {"name": "Аня", "description": "девушка", "element_input_urls": ["a"]}
            keys = [each.key for each in check_order(model, {**example_of(model), listed.name: [hero]})]
            assert keys == ["form-too-few"]
            two = {**hero, "element_input_urls": ["a", "b"]}
            assert not check_order(model, {**example_of(model), listed.name: [two]})


def test_a_clip_and_the_video_made_of_it_are_counted_together() -> None:
    model = CATALOG.get("wan/3-0-video")
    order = {"prompt": "кот", "reference_video_urls": ["f"], "duration": "20"}
    assert [each.key for each in check_order(model, order, {"reference_video_urls:seconds": Decimal(12)})] == [
        "form-files-long"
    ]
    assert not check_order(model, order, {"reference_video_urls:seconds": Decimal(10)})


@pytest.mark.parametrize(
    ("model_id", "files", "asked", "kept"),
    [
        ("google/nano-banana-edit", {"image_urls": ["f"]}, "aspect_ratio", "auto"),
        ("nano-banana-pro", {"image_input": ["f"]}, "aspect_ratio", "auto"),
        ("nano-banana-pro", {}, "aspect_ratio", "1:1"),
        ("flux-2/pro-image-to-image", {"input_urls": ["f"]}, "aspect_ratio", "auto"),
        ("wan/3-0-video", {"first_frame_url": "f"}, "aspect_ratio", "adaptive"),
        ("wan/3-0-video", {}, "aspect_ratio", "16:9"),
        ("bytedance/seedance-2", {"first_frame_url": "f"}, "aspect_ratio", "adaptive"),
        ("bytedance/seedance-2-5", {}, "aspect_ratio", "16:9"),
        ("veo-3-1", {"image_urls": ["f"]}, "aspect_ratio", "Auto"),
    ],
)
def test_what_comes_of_a_photo_keeps_its_format(model_id: str, files: dict[str, Any], asked: str, kept: str) -> None:
    assert body_of(CATALOG.get(model_id), {"prompt": "кот", **files})[asked] == kept
    chosen = body_of(CATALOG.get(model_id), {"prompt": "кот", **files, asked: "16:9"})
    assert chosen[asked] == "16:9"


@for_each(SOLD, name=lambda model: model.id)
def test_an_edit_keeps_the_format_of_its_source_where_the_model_can(model: Model) -> None:
    shape = model.input_for("format")
    if shape is None or model.category not in {"image-edit", "image-to-image", "video-to-video"}:
        return
    like_source = {option for option in shape.options if common_value(shape, option) == "auto"}
    assert not like_source or body_of(model, example_of(model))[shape.name] in like_source
