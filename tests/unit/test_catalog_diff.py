"""A model list of Kie with changes gives lines to review; one that says what the catalogue says gives none."""

from collections.abc import Callable
from typing import Any

import pytest

from photomat.catalog.diff import ListDifference, differences
from photomat.catalog.load import load_catalog
from support.kie_list import kie_list

CATALOG = load_catalog()
Entry = dict[str, Any]


def named(entry: Entry, name: str) -> Entry:
    found: Entry = next(each for each in entry["inputs"] if each["name"] == name)
    return found


def changes(listed: list[Entry]) -> list[ListDifference]:
    """What the list says otherwise, but for the older endpoints, which it does not have."""
    older = {model.id for model in CATALOG.models.values() if model.status == "legacy-endpoint"}
    return [each for each in differences(CATALOG, listed) if each.model not in older]


def test_a_list_that_says_the_same_gives_nothing() -> None:
    assert changes(kie_list()) == []


@pytest.mark.parametrize(
    ("model", "plant", "change"),
    [
        (
            "z-image",
            lambda entry: named(entry, "prompt").update(max_length=2000),
            "input prompt: max_length: 1000 → 2000",
        ),
        (
            "z-image",
            lambda entry: named(entry, "aspect_ratio")["enum"].append("21:9"),
            "input aspect_ratio: options: new 21:9",
        ),
        (
            "z-image",
            lambda entry: named(entry, "aspect_ratio")["enum"].remove("4:3"),
            "input aspect_ratio: options: gone 4:3",
        ),
        ("z-image", lambda entry: entry["price"].update(credits=1.2), "price by default: 0.8 → 1.2"),
        ("z-image", lambda entry: entry.update(price=None), "price: is no longer known"),
        ("z-image", lambda entry: entry.update(status="retired"), "status: current → retired"),
        (
            "z-image",
            lambda entry: entry["inputs"].append({"name": "seed", "type": "integer"}),
            "input seed: is new (integer, optional)",
        ),
        ("z-image", lambda entry: entry["inputs"].remove(named(entry, "prompt")), "input prompt: is gone"),
        (
            "kling-2.6/text-to-video",
            lambda entry: entry["price"]["variants"][3].update(credits=250),
            "price sound = true, duration = 10: 220 → 250",
        ),
        (
            "kling-3.0/video",
            lambda entry: named(entry, "duration").update(type="integer"),
            "input duration: type: string → number",
        ),
        (
            "kling-3.0/video",
            lambda entry: named(
                named(entry, "multi_prompt") | {"inputs": named(entry, "multi_prompt")["fields"]}, "prompt"
            ).update(max_length=900),
            "input multi_prompt: field prompt: max_length: 500 → 900",
        ),
        ("bytedance/seedance-2", lambda entry: named(entry, "duration").update(max=20), "input duration: max: 15 → 20"),
        (
            "nano-banana-2",
            lambda entry: named(entry, "image_input").update(max_items=20, max_bytes=10 * 2**20),
            "input image_input: max_mb: 30 → 10",
        ),
        (
            "nano-banana-2",
            lambda entry: named(entry, "image_input").update(required=True),
            "input image_input: required: false → true",
        ),
        (
            "wan/2-6-flash-image-to-video",
            lambda entry: entry.update(price={"credits": 9, "per": "second"}),
            "price: none → 9 credits a second",
        ),
    ],
)
def test_a_planted_change_is_found(model: str, plant: Callable[[Entry], None], change: str) -> None:
    listed = kie_list()
    plant(next(entry for entry in listed if entry["id"] == model))
    found = changes(listed)
    assert ListDifference(model=model, change=change) in found
    assert {each.model for each in found} == {model}


def test_a_new_model_and_one_that_left_are_named() -> None:
    listed = [entry for entry in kie_list() if entry["id"] != "z-image"]
    new = {"name": "prompt", "type": "string", "required": True}
    listed.append(
        {"id": "z-image-2", "category": "text-to-image", "inputs": [new], "price": {"credits": 1, "per": "image"}}
    )
    assert changes(listed) == [
        ListDifference(model="z-image-2", change="is new: text-to-image, 1 credits a image, needs prompt"),
        ListDifference(model="z-image", change="is no longer in the list"),
    ]


def test_a_line_that_was_reviewed_is_silent_until_it_says_something_else() -> None:
    listed = kie_list()
    fast = next(entry for entry in listed if entry["id"] == "bytedance/seedance-2-fast")
    assert "price by default: 33 → 24.8" in CATALOG.get("bytedance/seedance-2-fast").reviewed
    fast["price"]["credits"] = 30
    assert changes(listed) == [ListDifference(model="bytedance/seedance-2-fast", change="price by default: 33 → 30")]
