"""The requests that measure the assistant: complete, balanced, and labelled with what the catalogue and the text contain."""

import tomllib
from collections import Counter
from importlib import resources
from typing import Any, Final

from photomat.catalog.input import FILE_KINDS
from photomat.catalog.load import load_catalog
from photomat.catalog.roles import own_value
from photomat.catalog.storefront import MENU_CATEGORIES, menu_category
from support.cases import for_each

REQUESTS: Final[list[dict[str, Any]]] = tomllib.loads(
    resources.files("photomat.assistant").joinpath("requests.toml").read_text(encoding="utf-8")
)["request"]
MODELS: Final = [each for each in load_catalog().models.values() if each.is_sellable]
REQUIRED: Final = {"text", "language", "wish", "half"}
OPTIONAL: Final = {"attached", "inputs", "prompt"}
INPUTS: Final = {"format", "resolution", "duration", "count", "sound", "language"}


def test_there_are_three_hundred_requests_in_two_halves() -> None:
    assert len(REQUESTS) == 300
    assert Counter(each["half"] for each in REQUESTS) == {"dev": 150, "held-out": 150}


def test_both_halves_hold_as_many_requests_of_each_wish_in_each_language() -> None:
    dev, held_out = (
        Counter((each["wish"], each["language"]) for each in REQUESTS if each["half"] == half)
        for half in ("dev", "held-out")
    )
    assert dev == held_out
    assert {wish for wish, _ in dev} == {each.id for each in MENU_CATEGORIES}
    assert {language for _, language in dev} == {"ru", "en"}


def test_no_request_is_there_twice() -> None:
    typed = Counter((" ".join(each["text"].lower().split()), each.get("attached")) for each in REQUESTS)
    assert [text for text, times in typed.items() if times > 1] == []


@for_each(REQUESTS, name=lambda each: str(each.get("text")))
def test_a_request_has_known_keys_and_values(request: dict[str, Any]) -> None:
    assert set(request) >= REQUIRED
    assert set(request) <= REQUIRED | OPTIONAL
    assert request.get("attached") in {None, *FILE_KINDS}
    assert request["text"] or request["attached"] in {"image", "video"}
    assert set(request.get("inputs", {})) <= INPUTS


@for_each(REQUESTS, name=lambda each: str(each["text"]))
def test_the_words_of_a_prompt_are_words_of_the_request(request: dict[str, Any]) -> None:
    missing = [word for word in request.get("prompt", "").split() if word.lower() not in request["text"].lower()]
    assert missing == []
    assert request.get("prompt") != ""


@for_each(REQUESTS, name=lambda each: str(each["text"]))
def test_some_model_of_the_wish_takes_what_the_words_say(request: dict[str, Any]) -> None:
    category = menu_category(request["wish"])
    assert category is not None
    for role, said in request.get("inputs", {}).items():
        asked = [found for model in MODELS if category.includes(model) and (found := model.input_for(role))]
        assert any(own_value(each, said) is not None for each in asked), role
