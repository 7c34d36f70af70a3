"""Every way Kie counts can be written in the catalogue: known prices of its models, in our own form, come out right."""

from decimal import Decimal
from typing import Any

import pytest

from photomat.catalog.load import load_catalog
from photomat.catalog.model import Catalog
from photomat.catalog.pricing import Rates, quote
from photomat.kernel.money import Money
from support.catalogue import counted, written

RATES = Rates(usd_rate=Decimal(80), markup=Decimal(2), currency="RUB")
RESOLUTION = (
    'input = [{ name = "resolution", type = "choice", required = true, options = ["480p", "720p", "1080p", "4k"] }'
)
PROMPT = '{ name = "prompt", type = "text", required = true }'
DURATION = '{ name = "duration", type = "choice", required = true, options = ["5", "10"], default = "5" }'

SHAPES = {
    "per image": f"""
        input = [{PROMPT}]
        price = [{{ credits = "0.8" }}]
        unit = {{ of = "image" }}""",
    "per returned image": f"""
        input = [{PROMPT}, {{ name = "max_images", type = "number", required = false, default = 1 }}]
        price = [{{ credits = "5" }}]
        unit = {{ of = "image", count = "max_images" }}""",
    "by speed": """
        input = [{ name = "speed", type = "choice", required = false, options = ["TURBO", "BALANCED"], default = "BALANCED" }]
        price = [{ when = { speed = "TURBO" }, credits = "3.5" }, { credits = "7" }]
        unit = { of = "image" }""",
    "per video by two options": f"""
        input = [{{ name = "resolution", type = "choice", required = true, options = ["720p", "1080p"] }}, {DURATION}]
        price = [
            {{ when = {{ resolution = "720p", duration = "5" }}, credits = "16" }},
            {{ when = {{ resolution = "1080p", duration = 10 }}, credits = "72" }},
            {{ credits = "36" }}]
        unit = {{ of = "video" }}""",
    "per second by resolution and sound": f"""
        {RESOLUTION}, {{ name = "audio", type = "switch", required = false, default = false }},
            {{ name = "duration", type = "number", required = true }}]
        price = [
            {{ when = {{ resolution = "4k" }}, credits = "67" }},
            {{ when = {{ audio = true, resolution = "1080p" }}, credits = "23" }},
            {{ when = {{ audio = false, resolution = "720p" }}, credits = "14" }},
            {{ credits = "18" }}]
        unit = {{ of = "second", count = "duration" }}""",
    "per second of a file": """
        input = [{ name = "audio_url", type = "file", required = true, kind = "audio" }]
        price = [{ credits = "0.2" }]
        unit = { of = "second", count = "audio_url:seconds", assume = "600" }""",
    "per begun minute": """
        input = [{ name = "audio_url", type = "file", required = true, kind = "audio" }]
        price = [{ credits = "3.5" }]
        unit = { of = "minute", count = "audio_url:seconds", each = "60", whole = true, assume = "3600" }""",
    "input and output seconds": """
        input = [
            { name = "duration", type = "number", required = true },
            { name = "video_url", type = "file", required = false, kind = "video" }]
        price = [{ given = ["video_url"], credits = "2.4" }, { credits = "5" }]
        unit = { of = "second", count = ["duration", "video_url:seconds"], assume = "15" }""",
    "per thousand characters": """
        input = [{ name = "text", type = "text", required = true, max_length = 5000 }]
        price = [{ credits = "12" }]
        unit = { of = "character", count = "text:length", each = "1000" }""",
    "per million tokens, out and in": """
        input = [{ name = "text", type = "text", required = true, max_length = 5000 }]
        price = [{ credits = "2800" }]
        unit = { of = "token", count = "text:length", each = "1000000", factor = "4" }
        extra = [{ of = "token", credits = "140", count = "text:length", each = "1000000" }]""",
    "per megapixel of a size": """
        input = [{ name = "size", type = "choice", required = true, options = ["square", "square_hd"], default = "square_hd" }]
        price = [{ credits = "4" }]
        unit = { of = "megapixel", count = "size", worth = { square = "0.25", square_hd = "1" } }""",
    "per megapixel of a file": """
        input = [{ name = "image_url", type = "file", required = true, kind = "image" }]
        price = [{ credits = "5" }]
        unit = { of = "megapixel", count = "image_url:megapixels", assume = "4" }""",
    "plus for further images": """
        input = [
            { name = "image_urls", type = "files", required = true, kind = "image" },
            { name = "quality", type = "choice", required = true, options = ["basic", "high"] }]
        price = [{ when = { quality = "high" }, credits = "14" }, { credits = "7" }]
        unit = { of = "image" }
        extra = [{ of = "image", credits = "0.5", count = "image_urls:items", free = "1" }]""",
    "for nothing": f"""
        free = true
        input = [{PROMPT}]
        price = [{{ credits = "0" }}]""",
    "dearer when switched on": """
        input = [{ name = "enable_pro", type = "switch", required = false }]
        price = [{ when = { enable_pro = true }, credits = "5" }, { credits = "4" }]""",
    "whole numbers as options": """
        input = [
            { name = "duration", type = "choice", required = true, options = ["5", "10"] },
            { name = "quality", type = "choice", required = true, options = ["720p", "1080p"] }]
        price = [{ when = { duration = 5, quality = "720p" }, credits = "12" }, { credits = "30" }]
        unit = { of = "video" }""",
    "unknown number of results": """
        input = [{ name = "size", type = "choice", required = true, options = ["auto", "1K", "2K"] },
                 { name = "layers", title = "Layers", type = "number", required = false }]
        price = [{ when = { size = "1K" }, credits = "7" }, { credits = "14" }]
        unit = { of = "image", count = "layers", assume = "8" }""",
    "only the result will tell": """
        input = [{ name = "image_url", type = "file", required = true, kind = "image" }]
        price = [{ credits = "3.24" }]
        unit = { of = "image", assume = "12" }""",
    "the longer of two": """
        input = [
            { name = "audio_url", type = "file", required = true, kind = "audio", max_seconds = 60 },
            { name = "duration", type = "number", required = false, min = 3, max = 15 }]
        price = [{ credits = "8" }]
        unit = { of = "second", count = ["audio_url:seconds", "duration"], largest = true, whole = true }""",
    "megapixels times pictures": """
        input = [
            { name = "image_size", type = "choice", required = true, options = ["square", "square_hd"], default = "square" },
            { name = "num_images", type = "choice", required = false, options = ["1", "4"], default = "1" }]
        price = [{ credits = "6" }]
        unit = { count = "image_size", times = "num_images", worth = { square = "1", square_hd = "1.05" } }""",
    "steps of a size": """
        input = [
            { name = "image_url", type = "file", required = true, kind = "image", max_side = 8192 },
            { name = "upscale_factor", type = "choice", required = true, options = ["1", "2", "4"], default = "2" }]
        price = [{ up_to = "2048", credits = "10" }, { up_to = "4096", credits = "20" }, { credits = "40" }]
        step = { count = "image_url:side", times = "upscale_factor" }""",
    "a field of every line": """
        input = [{ name = "multi_prompt", type = "list", required = true, main = "prompt", fields = [
            { name = "prompt", type = "text", required = true },
            { name = "duration", type = "number", required = true, min = 1, max = 15 }] }]
        price = [{ credits = "14" }]
        unit = { of = "second", count = "multi_prompt.duration" }""",
    "characters of every line": """
        input = [{ name = "dialogue", type = "list", required = true, main = "text", fields = [
            { name = "text", type = "text", required = true }] }]
        price = [{ credits = "14" }]
        unit = { of = "character", count = "dialogue.text:length", each = "1000", whole = true }""",
    "by what an earlier task was ordered with": """
        input = [{ name = "task_id", type = "task", required = true }]
        price = [{ when = { "task_id:resolution" = "480p" }, credits = "14.4" }, { credits = "27" }]""",
}

CASES: list[tuple[str, dict[str, Any], dict[str, str], str]] = [
    ("per image", {"prompt": "кот"}, {}, "0.8"),
    ("per returned image", {"prompt": "кот"}, {}, "5"),
    ("per returned image", {"prompt": "кот", "max_images": 6}, {}, "30"),
    ("per returned image", {"prompt": "кот", "max_images": "4"}, {}, "20"),
    ("by speed", {"speed": "TURBO"}, {}, "3.5"),
    ("by speed", {}, {}, "7"),
    ("per video by two options", {"resolution": "720p", "duration": "5"}, {}, "16"),
    ("per video by two options", {"resolution": "720p", "duration": "10"}, {}, "36"),
    ("per video by two options", {"resolution": "1080p", "duration": 5}, {}, "36"),
    ("per video by two options", {"resolution": "1080p", "duration": "10"}, {}, "72"),
    ("per video by two options", {"resolution": "720p"}, {}, "16"),
    ("per second by resolution and sound", {"resolution": "720p", "duration": 5}, {}, "70"),
    ("per second by resolution and sound", {"resolution": "720p", "duration": 5, "audio": True}, {}, "90"),
    ("per second by resolution and sound", {"resolution": "1080p", "duration": 10, "audio": False}, {}, "180"),
    ("per second by resolution and sound", {"resolution": "1080p", "duration": 10, "audio": True}, {}, "230"),
    ("per second by resolution and sound", {"resolution": "4k", "duration": "3", "audio": True}, {}, "201"),
    ("per second of a file", {"audio_url": "f"}, {"audio_url:seconds": "12.5"}, "2.5"),
    ("per second of a file", {"audio_url": "f"}, {}, "120"),
    ("per begun minute", {"audio_url": "f"}, {"audio_url:seconds": "60"}, "3.5"),
    ("per begun minute", {"audio_url": "f"}, {"audio_url:seconds": "61"}, "7"),
    ("input and output seconds", {"duration": 5}, {}, "25"),
    ("input and output seconds", {"duration": 5, "video_url": "f"}, {"video_url:seconds": "7"}, "28.8"),
    ("input and output seconds", {"duration": 5, "video_url": "f"}, {}, "48"),
    ("per thousand characters", {"text": "а" * 250}, {}, "3"),
    ("per thousand characters", {"text": "x"}, {}, "0.012"),
    ("per million tokens, out and in", {"text": "z" * 1000}, {}, "11.34"),
    ("per megapixel of a size", {"size": "square"}, {}, "1"),
    ("per megapixel of a size", {}, {}, "4"),
    ("per megapixel of a file", {"image_url": "f"}, {"image_url:megapixels": "2.5"}, "12.5"),
    ("plus for further images", {"image_urls": ["a"], "quality": "basic"}, {}, "7"),
    ("plus for further images", {"image_urls": ["a", "b", "c"], "quality": "basic"}, {}, "8"),
    ("plus for further images", {"image_urls": ["a", "b"], "quality": "high"}, {}, "14.5"),
    ("for nothing", {"prompt": "кот"}, {}, "0"),
    ("dearer when switched on", {"enable_pro": True}, {}, "5"),
    ("dearer when switched on", {}, {}, "4"),
    ("whole numbers as options", {"duration": 5, "quality": "720p"}, {}, "12"),
    ("whole numbers as options", {"duration": "10", "quality": "720p"}, {}, "30"),
    ("unknown number of results", {"size": "1K"}, {}, "56"),
    ("unknown number of results", {"size": "auto", "layers": 2}, {}, "28"),
    ("only the result will tell", {"image_url": "f"}, {}, "38.88"),
    ("the longer of two", {"audio_url": "f"}, {"audio_url:seconds": "4.2"}, "40"),
    ("the longer of two", {"audio_url": "f", "duration": 12}, {"audio_url:seconds": "4.2"}, "96"),
    ("the longer of two", {"audio_url": "f", "duration": 3}, {}, "480"),
    ("megapixels times pictures", {}, {}, "6"),
    ("megapixels times pictures", {"image_size": "square_hd", "num_images": "4"}, {}, "25.2"),
    ("steps of a size", {"image_url": "f"}, {"image_url:side": "1024"}, "10"),
    ("steps of a size", {"image_url": "f"}, {"image_url:side": "1025"}, "20"),
    ("steps of a size", {"image_url": "f", "upscale_factor": "4"}, {"image_url:side": "1025"}, "40"),
    ("steps of a size", {"image_url": "f", "upscale_factor": "1"}, {}, "40"),
    (
        "a field of every line",
        {"multi_prompt": [{"prompt": "a", "duration": 3}, {"prompt": "b", "duration": "4"}]},
        {},
        "98",
    ),
    ("characters of every line", {"dialogue": [{"text": "а" * 600}, {"text": "б" * 401}]}, {}, "28"),
    ("by what an earlier task was ordered with", {"task_id": "t", "task_id:resolution": "480p"}, {}, "14.4"),
    ("by what an earlier task was ordered with", {"task_id": "t", "task_id:resolution": "720p"}, {}, "27"),
    ("by what an earlier task was ordered with", {"task_id": "t"}, {}, "27"),
]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """All shapes as one catalogue file."""
    folder = tmp_path_factory.mktemp("catalogue")
    return load_catalog(written(folder, "\n".join(counted(name, body) for name, body in SHAPES.items())))


@pytest.mark.parametrize(("model", "inputs", "measured", "credits_"), CASES)
def test_known_prices_come_out_right(
    catalog: Catalog, model: str, inputs: dict[str, Any], measured: dict[str, str], credits_: str
) -> None:
    facts = {name: Decimal(value) for name, value in measured.items()}
    assert catalog.get(model).credits_for(inputs, facts) == Decimal(credits_)
    quoted = quote(catalog.get(model), inputs, RATES, measured=facts)
    assert quoted.credits == Decimal(credits_)
    assert 0 <= quoted.price.minor - Decimal(credits_) * 80 < 1


def test_every_shape_is_tried() -> None:
    assert {case[0] for case in CASES} == set(SHAPES)


@pytest.mark.parametrize("counted", [0, -5, "0", "-1", "no number", None, "1e999", float("nan"), float("inf"), True])
def test_nonsense_for_a_number_never_makes_it_cheaper_than_one(catalog: Catalog, counted: Any) -> None:
    model = catalog.get("per returned image")
    assert quote(model, {"prompt": "x", "max_images": counted}, RATES).price == Money(400, "RUB")


def test_a_text_of_nothing_is_not_for_nothing(catalog: Catalog) -> None:
    assert catalog.get("per thousand characters").credits_for({"text": ""}) == 12
