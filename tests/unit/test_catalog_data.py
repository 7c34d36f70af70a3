"""The catalogue that comes with the program: every model is there, whole, and costs what Kie's documents say."""

from decimal import Decimal
from typing import Any, Final

import pytest

from photomat.catalog.formula import is_given
from photomat.catalog.load import load_catalog
from photomat.catalog.model import CATEGORIES, Model
from photomat.catalog.order import check_order, example_facts, example_of, request_of
from photomat.catalog.price_list import cheapest, combinations, least_facts, price_table
from photomat.catalog.pricing import Rates, quote, samples
from support.cases import for_each

CATALOG: Final = load_catalog()
MODELS: Final = tuple(CATALOG.models.values())
RATES: Final = Rates(usd_rate=Decimal(80), markup=Decimal(2), currency="RUB")
BARE: Final = Rates(usd_rate=Decimal(80), markup=Decimal("0.5"), currency="RUB")
UNPRICED: Final = {
    "ai-music-api/check-voice",
    "ai-music-api/create-voice",
    "ai-music-api/regenerate-phrase",
    "ai-music-api/suno-recovery-audio",
    "ai-music-api/validation-phrase",
    "omnihuman-1-5/human-identification",
    "omnihuman-1-5/subject-detection",
    "wan/2-6-flash-image-to-video",
    "wan/2-6-flash-video-to-video",
}


def test_every_model_of_kie_is_known() -> None:
    counted = {status: sum(model.status == status for model in MODELS) for status in {model.status for model in MODELS}}
    assert counted == {"current": 184, "legacy-endpoint": 29, "undocumented": 2, "retired": 8}


def test_every_current_model_with_a_known_price_is_for_sale() -> None:
    off = {model.id for model in MODELS if model.status == "current" and not model.is_sellable}
    assert off == UNPRICED
    assert all(not CATALOG.get(model_id).prices for model_id in off)


def test_no_discontinued_version_of_suno_is_offered_on_any_endpoint() -> None:
    versions = {
        model.id: (each.options, each.default)
        for model in MODELS
        for each in model.inputs
        if each.name == "model" and model.id.startswith(("suno/", "ai-music-api/"))
    }
    assert len(versions) == 18
    assert {options for options, _ in versions.values()} == {("V6", "V6_MINI", "V6_WILD")}
    assert {default for _, default in versions.values()} <= {"V6", None}


@pytest.mark.parametrize(("model", "name"), [("ai-music-api/sounds", "sound_key"), ("suno/sounds", "soundKey")])
def test_a_key_of_a_sound_that_was_not_chosen_is_not_sent(model: str, name: str) -> None:
    given = {"prompt": "дождь"}
    _, body = request_of(CATALOG.get(model), given)
    assert name not in body.get("input", body)
    _, chosen = request_of(CATALOG.get(model), {**given, name: "C#m"})
    assert chosen.get("input", chosen)[name] == "C#m"
    (options,) = [each.options for each in CATALOG.get(model).inputs if each.name == name]
    assert "Any" not in options


def test_what_is_gone_is_refused_and_names_what_replaces_it() -> None:
    gone = [model for model in MODELS if model.status == "retired"]
    assert all(not model.is_sellable and model.off for model in gone)
    assert CATALOG.get("mj/generate").instead == "nano-banana-pro"
    assert all(CATALOG.get(model.instead).is_sellable for model in MODELS if model.instead)


@for_each(MODELS, name=lambda model: model.id)
def test_a_model_says_everything_in_both_languages(model: Model) -> None:
    assert model.titles is not None
    assert model.purpose is not None
    for said in (model.titles, model.purpose):
        assert said.ru.strip()
        assert said.en.strip()
        assert said.en.isascii()
    assert any("а" <= letter <= "я" for letter in model.purpose.ru.lower())
    for each in model.inputs:
        assert each.title is not None
        assert each.place != "ask" or each.ask is not None
        assert not each.labels or each.labels.keys() == set(each.options)


@for_each(MODELS, name=lambda model: model.id)
def test_a_model_speaks_only_of_models_that_exist(model: Model) -> None:
    for each in model.inputs:
        assert all(name in CATALOG.models or name in CATEGORIES for name in each.of)
        assert each.type not in {"task", "track"} or CATALOG.sources(model, each)


def test_a_song_is_worked_on_through_the_endpoint_it_was_made_at() -> None:
    def sources(model_id: str, name: str) -> set[str]:
        model = CATALOG.get(model_id)
        asked = model.input(name)
        assert asked is not None
        return {each.id for each in CATALOG.sources(model, asked)}

    new, old = sources("ai-music-api/extend", "audio_id"), sources("suno/wav", "taskId")
    assert "ai-music-api/generate" in new
    assert "suno/generate" in old
    assert not new & old
    assert sources("veo/extend", "task_id") == {"veo-3-1"}


@for_each(CATALOG.sellable, name=lambda model: model.id)
def test_every_combination_has_a_price_that_is_never_below_cost(model: Model) -> None:
    table = price_table(model)
    assert table
    for row in table:
        priced = quote(model, row.order, BARE, measured=least_facts(model))
        assert priced.price.minor == 0 if model.free else priced.price.minor >= priced.cost.minor > 0
    assert cheapest(model).credits == min(row.credits for row in table)


@for_each(CATALOG.sellable, name=lambda model: model.id)
def test_an_operator_can_try_a_price_before_it_is_set(model: Model) -> None:
    assert all(quote(model, inputs, RATES).cost.minor > 0 or model.free for inputs in samples(model))


@for_each(CATALOG.sellable, name=lambda model: model.id)
def test_a_file_that_is_not_measured_costs_the_most_it_can(model: Model) -> None:
    for inputs in combinations(model):
        files = {each.name: ["f"] for each in model.inputs if each.takes_files and each.required}
        assert model.credits_for({**files, **inputs}) >= model.credits_for({**files, **inputs}, least_facts(model))


@for_each(CATALOG.sellable, name=lambda model: model.id)
def test_an_example_can_be_ordered_and_its_prompt_is_russian(model: Model) -> None:
    inputs = example_of(model)
    assert check_order(model, inputs, example_facts(model, inputs)) == ()
    texts = [value for name, value in inputs.items() if name in {"prompt", "text"} and is_given(value)]
    assert all(any("а" <= letter <= "я" for letter in text.lower()) for text in texts)
    asks_for_words = any(each.name == "prompt" and each.condition.holds(model.filled({})) for each in model.inputs)
    assert bool(texts) or not asks_for_words


F: Final = ["f"]
KNOWN_PRICES: Final[list[tuple[str, dict[str, Any], dict[str, str], str]]] = [
    ("z-image", {}, {}, "0.8"),
    ("nano-banana-pro", {}, {}, "18"),
    ("nano-banana-pro", {"resolution": "4K"}, {}, "24"),
    ("nano-banana-2", {"resolution": "2K"}, {}, "12"),
    ("flux-2/pro-text-to-image", {"resolution": "2K"}, {}, "7"),
    ("flux-2/flex-image-to-image", {"resolution": "2K"}, {}, "24"),
    ("gpt-image/1.5-text-to-image", {"quality": "high"}, {}, "22"),
    ("gpt-image-2-text-to-image", {}, {}, "6"),
    ("gpt-image-2-5-flare-image-to-image", {"resolution": "4K"}, {}, "16"),
    ("grok-imagine/text-to-image", {"enable_pro": True}, {}, "5"),
    ("ideogram/v3-text-to-image", {}, {}, "7"),
    ("ideogram/v3-text-to-image", {"rendering_speed": "TURBO"}, {}, "3.5"),
    ("ideogram/character", {"rendering_speed": "QUALITY", "num_images": "4"}, {}, "96"),
    ("bytedance/seedream-v4-text-to-image", {"max_images": 6}, {}, "30"),
    ("seedream/5-pro-image-to-image", {"image_urls": ["a"]}, {}, "7"),
    ("seedream/5-pro-image-to-image", {"image_urls": ["a", "b", "c"], "quality": "high"}, {}, "15"),
    ("seedream/5-pro-layer-decomposition", {"image_url": "f", "size": "1K"}, {}, "84"),
    ("qwen3/image-to-image", {"image_urls": ["a", "b"]}, {}, "5.8"),
    ("qwen3/pro-image-to-image", {"image_urls": ["a"], "resolution": "2K"}, {}, "12.5"),
    ("qwen/text-to-image", {}, {}, "4.20"),
    ("qwen/image-edit", {"num_images": "4"}, {}, "24"),
    ("qwen/image-to-image", {"image_url": "f"}, {"image_url:megapixels": "1.5"}, "8"),
    ("wan/2-7-image", {}, {}, "4.8"),
    ("wan/2-7-image", {"n": 12, "enable_sequential": True}, {}, "57.6"),
    ("topaz/image-upscale", {"image_url": "f"}, {"image_url:side": "1000"}, "10"),
    ("topaz/image-upscale", {"image_url": "f", "upscale_factor": "4"}, {"image_url:side": "1000"}, "20"),
    ("topaz/video-upscale", {"video_url": "f", "upscale_factor": "4"}, {"video_url:seconds": "9.2"}, "140"),
    ("recraft/crisp-upscale", {"image": "f"}, {}, "0.5"),
    ("grok-imagine-image-2-0/segment-map", {"image_url": "f"}, {}, "0"),
    ("kling-3.0/video", {}, {}, "90"),
    ("kling-3.0/video", {"mode": "std", "sound": True, "duration": "15"}, {}, "300"),
    ("kling-3.0/video", {"mode": "4K", "duration": "3"}, {}, "201"),
    (
        "kling-3.0/video",
        {"multi_shots": True, "duration": "3", "multi_prompt": [{"prompt": "a", "duration": 6}] * 2},
        {},
        "216",
    ),
    ("kling-3.0/video", {"duration": "3", "multi_prompt": [{"prompt": "a", "duration": 6}] * 2}, {}, "54"),
    ("kling-2.6/text-to-video", {"sound": True, "duration": "10"}, {}, "220"),
    ("kling-3.0-omni/image-to-video", {"audio": True, "resolution": "1080p"}, {}, "115"),
    ("kling-3.0-omni/reference-to-video", {"image_urls": F}, {}, "70"),
    ("kling-3.0-omni/reference-to-video", {"video_urls": "f"}, {"video_urls:seconds": "8"}, "160"),
    ("kling-3.0/motion-control", {"mode": "pro"}, {"video_urls:seconds": "10"}, "270"),
    ("kling/v3-turbo-text-to-video", {"resolution": "1080p", "duration": 10}, {}, "225"),
    ("kling/ai-avatar-pro", {"audio_url": "f"}, {"audio_url:seconds": "20.4"}, "336"),
    ("kling/ai-avatar-standard", {"audio_url": "f"}, {}, "2400"),
    ("bytedance/v1-pro-fast-image-to-video", {"resolution": "1080p", "duration": "10"}, {}, "72"),
    ("bytedance/v1-lite-text-to-video", {"resolution": "480p", "duration": "10"}, {}, "20"),
    ("bytedance/seedance-1.5-pro", {"generate_audio": True, "resolution": "1080p", "duration": 12}, {}, "180"),
    ("bytedance/seedance-2", {}, {}, "205"),
    ("bytedance/seedance-2", {"reference_video_urls": F}, {"reference_video_urls:seconds": "10"}, "375"),
    ("bytedance/seedance-2-5", {"resolution": "1080p", "duration": 30}, {}, "4740"),
    ("bytedance/seedance-2-fast", {"resolution": "480p"}, {}, "77.5"),
    ("hailuo/2-3-image-to-video-pro", {"resolution": "1080P"}, {}, "80"),
    ("hailuo/02-image-to-video-standard", {"resolution": "512P", "duration": "6"}, {}, "12"),
    ("minimax-h3/reference-to-video", {"reference_image_urls": ["a"] * 7}, {}, "86"),
    (
        "minimax-h3/reference-to-video",
        {"reference_video_urls": F, "resolution": "768P"},
        {"reference_video_urls:seconds": "5"},
        "88",
    ),
    ("pixverse-v6/text-to-video", {"quality": "1080p", "generate_audio_switch": True, "duration": 15}, {}, "276"),
    ("happyhorse/video-edit", {"resolution": "720p"}, {"video_url:seconds": "5"}, "280"),
    ("runway", {"duration": "10"}, {}, "30"),
    ("runway", {"quality": "1080p"}, {}, "30"),
    ("wan/2-6-text-to-video", {"duration": "15"}, {}, "315"),
    ("wan/2-6-text-to-video", {"resolution": "720p", "duration": "10"}, {}, "140"),
    ("wan/3-0-video", {"prompt": "a", "resolution": "480P"}, {}, "40"),
    ("wan/3-0-video", {"reference_video_urls": F}, {"reference_video_urls:seconds": "15"}, "640"),
    ("wan/2-7-videoedit", {"video_url": "f"}, {"video_url:seconds": "7"}, "168"),
    ("gemini-omni-video", {"resolution": "4k", "duration": "10"}, {}, "210"),
    ("gemini-omni-video", {"video_list": [{"url": "f"}]}, {}, "168"),
    ("veo3", {"resolution": "4k"}, {}, "380"),
    ("veo3_fast", {"resolution": "1080p"}, {}, "65"),
    ("grok-imagine/text-to-video", {"duration": 30, "resolution": "1080p"}, {}, "240"),
    ("grok-imagine/extend", {"task_id:resolution": "480p"}, {}, "14.4"),
    ("grok-imagine/extend", {"extend_times": "10"}, {}, "45"),
    ("infinitalk/from-audio", {"audio_url": "f", "resolution": "720p"}, {"audio_url:seconds": "7"}, "84"),
    ("volcengine/video-to-video-lip-sync", {}, {"video_url:seconds": "5", "audio_url:seconds": "12"}, "96"),
    ("elevenlabs/text-to-speech-multilingual-v2", {"text": "а" * 1000}, {}, "12"),
    ("elevenlabs/text-to-speech-multilingual-v2", {"text": "а" * 1001}, {}, "24"),
    ("elevenlabs/text-to-dialogue-v3", {"dialogue": [{"text": "а" * 900}, {"text": "б" * 200}]}, {}, "28"),
    ("elevenlabs/audio-isolation", {"audio_url": "f"}, {"audio_url:seconds": "60"}, "12"),
    ("google/gemini-3-8-flash-tts", {"dialogue_turns": [{"text": "а" * 1000}]}, {}, "5.11"),
    ("ai-music-api/generate", {}, {}, "12"),
    ("ai-music-api/separate-vocals", {"type": "split_stem"}, {}, "50"),
]


@pytest.mark.parametrize(("model_id", "inputs", "measured", "credits_"), KNOWN_PRICES)
def test_known_prices_come_out_right(
    model_id: str, inputs: dict[str, Any], measured: dict[str, str], credits_: str
) -> None:
    model = CATALOG.get(model_id)
    facts = {name: Decimal(value) for name, value in measured.items()}
    needed = {each.name: F for each in model.inputs if each.required and each.takes_files}
    assert model.credits_for({**needed, **inputs}, facts) == Decimal(credits_)
    priced = quote(model, {**needed, **inputs}, RATES, measured=facts)
    assert priced.price.minor >= priced.cost.minor
