"""What createTask refuses: unknown models, missing fields, values outside their documented limits.

The codes follow the vendor: 500 for a missing field, 422 for everything else. Fields nobody documented are let
through unread, as the vendor does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from photomat_sandbox.kie.models import Input, Model, table

UNKNOWN_MODEL: Final = "The model name you specified is not supported. Please verify that it is available."
NEED_CALLBACK: Final = frozenset({"kling-3.0/motion-control"})
URL_STARTS: Final = ("http://", "https://", "asset://")


@dataclass(slots=True)
class RefusedError(Exception):
    """The request is answered with this body code and text, and nothing is done."""

    code: int
    msg: str


def known_model(name: object) -> Model:
    """Find the model a request names."""
    if not name:
        raise RefusedError(500, "model is required")
    model = table().get(name) if isinstance(name, str) else None
    if model is None:
        raise RefusedError(422, UNKNOWN_MODEL)
    return model


def check_input(model: Model, given: object, *, has_callback: bool) -> dict[str, Any]:
    """Give the input back when the model takes it; raise the refusal otherwise."""
    if not isinstance(given, dict):
        raise RefusedError(500, "input is required")
    if model.id in NEED_CALLBACK and not has_callback:
        raise RefusedError(422, "Please enter callBackUrl.")
    _check_fields(model.inputs, given)
    _check_alternatives(model.one_of, given)
    return given


def _check_fields(inputs: Sequence[Input], given: Mapping[str, Any]) -> None:
    for item in inputs:
        if item.required and _missing(given, item.name):
            raise RefusedError(500, f"{item.name} is required")
    for item in inputs:
        if not _missing(given, item.name):
            _check_value(item, given[item.name])


def _check_alternatives(one_of: Sequence[Sequence[str]], given: Mapping[str, Any]) -> None:
    lacking = [[name for name in names if _missing(given, name)] for names in one_of]
    if lacking and all(lacking):
        raise RefusedError(500, f"{min(lacking, key=len)[0]} is required")


def _missing(given: Mapping[str, Any], name: str) -> bool:
    return given.get(name) in (None, "", [])


def _check_value(item: Input, value: Any) -> None:
    _check_type(item, value)
    if item.enum is not None and item.type != "array" and value not in item.enum:
        raise RefusedError(422, f"{item.name} is not within the range of allowed options")
    match value:
        case str():
            _check_text(item, value)
        case bool():
            pass
        case int() | float():
            _check_number(item, value)
        case list():
            _check_list(item, value)


def _check_type(item: Input, value: Any) -> None:
    right = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
    }
    if not right.get(item.type, True):
        raise RefusedError(422, f"{item.name} must be of type {item.type}")


def _check_text(item: Input, text: str) -> None:
    if item.max_length is not None and len(text) > item.max_length:
        raise RefusedError(422, f"{item.name} exceeds the maximum length of {item.max_length} characters")
    if item.min_length is not None and len(text) < item.min_length:
        raise RefusedError(422, f"{item.name} is shorter than {item.min_length} characters")
    if item.format == "url" and not text.startswith(URL_STARTS):
        raise RefusedError(422, f"{item.name} is not a valid url")


def _check_number(item: Input, number: float) -> None:
    if number in item.also_allowed:
        return
    too_small = item.min is not None and number < item.min
    if too_small or (item.max is not None and number > item.max):
        raise RefusedError(422, f"{item.name} must be between {item.min} and {item.max}")


def _check_list(item: Input, values: list[Any]) -> None:
    if item.max_items is not None and len(values) > item.max_items:
        raise RefusedError(422, f"{item.name} holds more than {item.max_items} items")
    if item.min_items is not None and len(values) < item.min_items:
        raise RefusedError(422, f"{item.name} holds fewer than {item.min_items} items")
    for value in values:
        if isinstance(value, str):
            _check_text(item, value)
        elif isinstance(value, dict):
            _check_fields(item.fields, value)
    total = sum(len(value.get("text", "") if isinstance(value, dict) else str(value)) for value in values)
    if item.max_total_length is not None and total > item.max_total_length:
        raise RefusedError(422, f"{item.name} is longer than {item.max_total_length} characters in total")
