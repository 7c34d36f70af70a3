"""Every model of the made-up Kie.ai can be ordered, priced and downloaded; its films are real files."""

import json
import struct
from typing import Any

import pytest

from photomat_sandbox.kie.models import KieModel, KieRefusal, ModelInput, check_input, price, table
from support.cases import for_each
from support.kie_sim import running_kie

MODELS = {model.id: model for model in table().values()}


def smallest_value(item: ModelInput) -> Any:
    if item.enum:
        return [item.enum[0]] if item.type == "array" else item.enum[0]
    match item.type:
        case "boolean":
            return False
        case "number" | "integer":
            return item.min if item.min is not None else 1
        case "array":
            one = {field.name: smallest_value(field) for field in item.fields if field.required}
            return [one or ("https://files.example/a" if item.format == "url" else "слово")] * max(
                1, item.min_items or 1
            )
        case _:
            return "https://files.example/a" if item.format == "url" else "слово".ljust(item.min_length or 0, "о")


def smallest_order(model: KieModel) -> dict[str, Any]:
    needed = {item.name for item in model.inputs if item.required} | set(model.one_of[0] if model.one_of else ())
    return {item.name: smallest_value(item) for item in model.inputs if item.name in needed}


def test_the_table_holds_the_whole_catalogue() -> None:
    assert len(MODELS) > 150
    assert MODELS["z-image"].credits == 0.8
    assert {model.output for model in MODELS.values()} == {"image", "video", "audio", "json"}


@for_each(MODELS.values(), name=lambda model: model.id)
def test_a_model_takes_its_smallest_order_and_misses_every_required_field(model: KieModel) -> None:
    order = smallest_order(model)
    assert check_input(model, order, has_callback=True) == order
    assert price(model, order) >= 0
    for item in model.inputs:
        if item.required:
            with pytest.raises(KieRefusal) as refused:
                check_input(model, {k: v for k, v in order.items() if k != item.name}, has_callback=True)
            assert (refused.value.code, refused.value.msg) == (500, f"{item.name} is required")


@pytest.mark.parametrize(
    ("given", "credits"),
    [
        ({"sound": False, "duration": "5"}, 55),
        ({"sound": False, "duration": "10"}, 110),
        ({"sound": True, "duration": "10"}, 220),
    ],
)
def test_the_price_follows_the_inputs(given: dict[str, Any], credits: float) -> None:  # noqa: A002 - the vendor's word
    assert price(MODELS["kling-2.6/text-to-video"], given) == credits


async def test_a_film_is_an_mp4_with_its_index_before_its_frames() -> None:
    order = {"prompt": "кот летит", "aspect_ratio": "9:16", "duration": "5", "sound": False}
    async with running_kie() as kie:
        record = await kie.ended(await kie.task(model="kling-2.6/text-to-video", input=order))
        (url,) = json.loads(record["resultJson"])["resultUrls"]
        async with kie.client.get(url) as response:
            assert response.content_type == "video/mp4"
            content = await response.read()
    boxes, at = [], 0
    while at < len(content):
        size, name = struct.unpack_from(">I4s", content, at)
        boxes.append(name)
        at += size
    assert (boxes, at) == ([b"ftyp", b"moov", b"mdat"], len(content))
    width, height = struct.unpack_from(">HH", content, content.index(b"avc1\x00\x00\x00\x00") + 28)
    assert (width, height) == (224, 384)
