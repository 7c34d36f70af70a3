"""The models this Kie.ai knows: inputs, outputs, prices, and what createTask refuses.

`models.json` is our own digest of the public model pages; prices there move weekly, so they are examples. The codes of refusals
follow the vendor: 500 for a missing field, 422 for everything else. Undocumented fields are ignored, as the vendor does.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

Output = Literal["image", "video", "audio", "json"]
CHARACTERS_A_UNIT: Final = 1000
DEFAULT_SECONDS: Final = 5.0
MAX_OUTPUTS: Final = 12
UNKNOWN_MODEL: Final = "The model name you specified is not supported. Please verify that it is available."
NEED_CALLBACK: Final = frozenset({"kling-3.0/motion-control"})
URL_STARTS: Final = ("http://", "https://", "asset://")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInput:
    """One field of a model's `input`; a limit that is None is not documented."""

    name: str
    type: str
    required: bool = False
    enum: Sequence[Any] | None = None
    default: Any = None
    min: float | None = None
    max: float | None = None
    also_allowed: Sequence[float] = ()
    min_length: int | None = None
    max_length: int | None = None
    max_total_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    format: str | None = None
    fields: Sequence["ModelInput"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class KieModel:
    id: str
    protocol: str
    endpoint: str
    output: Output
    shape: str
    category: str
    inputs: Sequence[ModelInput]
    credits: float
    per: str
    price_variants: Sequence[Mapping[str, Any]] = ()
    one_of: Sequence[Sequence[str]] = ()
    aliases: Sequence[str] = ()
    outputs: int = 1


@cache
def table() -> Mapping[str, KieModel]:
    """Return all models by id, aliases included."""
    rows = json.loads(files(__package__).joinpath("models.json").read_text(encoding="utf-8"))
    models = [KieModel(**{**row, "inputs": [_input(item) for item in row["inputs"]]}) for row in rows]
    return {name: model for model in models for name in (model.id, *model.aliases)}


def with_defaults(model: KieModel, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the inputs with the documented defaults where nothing was sent."""
    defaults = {item.name: item.default for item in model.inputs if item.default is not None}
    return {**defaults, **given}


def output_count(model: KieModel, given: Mapping[str, Any]) -> int:
    return output_count_of(given, usual=model.outputs)


def output_count_of(given: Mapping[str, Any], *, usual: int = 1) -> int:
    """Read the number of files from the inputs; the models name it in four ways."""
    for name in ("num_images", "n", "max_images", "nVariants"):
        text = str(given.get(name, ""))
        if text.isdecimal() and int(text) > 0:
            return min(int(text), MAX_OUTPUTS)
    return usual


def price(model: KieModel, given: Mapping[str, Any]) -> float:
    """Return the credits a task costs: the first price variant that matches, times what it is billed by."""
    inputs = with_defaults(model, given)
    rate = next((variant["credits"] for variant in model.price_variants if _fits(variant["if"], inputs)), model.credits)
    return round(float(rate) * _units(model, inputs), 4)


def _input(row: Mapping[str, Any]) -> ModelInput:
    return ModelInput(**{**row, "fields": [_input(item) for item in row.get("fields", [])]})


def _fits(condition: Mapping[str, Any], inputs: Mapping[str, Any]) -> bool:
    return all(str(inputs.get(name)) == str(value) for name, value in condition.items())


def _units(model: KieModel, inputs: Mapping[str, Any]) -> float:
    if model.per in ("image", "output image"):
        return output_count(model, inputs)
    if model.per == "second":
        return _seconds(inputs)
    if model.per == "1000 characters":
        texts = (value for value in inputs.values() if isinstance(value, str))
        return max(1, -(-max(map(len, texts), default=0) // CHARACTERS_A_UNIT))
    return 1.0


def _seconds(inputs: Mapping[str, Any]) -> float:
    for name in ("duration", "duration_seconds"):
        try:
            seconds = float(inputs[name])
        except (KeyError, TypeError, ValueError):
            continue
        if seconds > 0:
            return seconds
    return DEFAULT_SECONDS


@dataclass(slots=True)
class KieRefusal(Exception):
    """The request is answered with this body code and text, and nothing is done."""

    code: int
    msg: str


def known_model(name: object) -> KieModel:
    if not name:
        raise KieRefusal(500, "model is required")
    model = table().get(name) if isinstance(name, str) else None
    if model is None:
        raise KieRefusal(422, UNKNOWN_MODEL)
    return model


def check_input(model: KieModel, given: object, *, has_callback: bool) -> dict[str, Any]:
    """Return the input if the model accepts it; raise the refusal otherwise."""
    if not isinstance(given, dict):
        raise KieRefusal(500, "input is required")
    if model.id in NEED_CALLBACK and not has_callback:
        raise KieRefusal(422, "Please enter callBackUrl.")
    _check_fields(model.inputs, given)
    _check_alternatives(model.one_of, given)
    return given


def _check_fields(inputs: Sequence[ModelInput], given: Mapping[str, Any]) -> None:
    for item in inputs:
        if item.required and _missing(given, item.name):
            raise KieRefusal(500, f"{item.name} is required")
    for item in inputs:
        if not _missing(given, item.name):
            _check_value(item, given[item.name])


def _check_alternatives(one_of: Sequence[Sequence[str]], given: Mapping[str, Any]) -> None:
    lacking = [[name for name in names if _missing(given, name)] for names in one_of]
    if lacking and all(lacking):
        raise KieRefusal(500, f"{min(lacking, key=len)[0]} is required")


def _missing(given: Mapping[str, Any], name: str) -> bool:
    return given.get(name) in (None, "", [])


def _check_value(item: ModelInput, value: Any) -> None:
    _check_type(item, value)
    if item.enum is not None and item.type != "array" and value not in item.enum:
        raise KieRefusal(422, f"{item.name} is not within the range of allowed options")
    match value:
        case str():
            _check_text(item, value)
        case bool():
            pass
        case int() | float():
            _check_number(item, value)
        case list():
            _check_list(item, value)


def _check_type(item: ModelInput, value: Any) -> None:
    right = {
        "string": isinstance(value, str),
        "boolean": isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
    }
    if not right.get(item.type, True):
        raise KieRefusal(422, f"{item.name} must be of type {item.type}")


def _check_text(item: ModelInput, text: str) -> None:
    if item.max_length is not None and len(text) > item.max_length:
        raise KieRefusal(422, f"{item.name} exceeds the maximum length of {item.max_length} characters")
    if item.min_length is not None and len(text) < item.min_length:
        raise KieRefusal(422, f"{item.name} is shorter than {item.min_length} characters")
    if item.format == "url" and not text.startswith(URL_STARTS):
        raise KieRefusal(422, f"{item.name} is not a valid url")


def _check_number(item: ModelInput, number: float) -> None:
    if number in item.also_allowed:
        return
    too_small = item.min is not None and number < item.min
    if too_small or (item.max is not None and number > item.max):
        raise KieRefusal(422, f"{item.name} must be between {item.min} and {item.max}")


def _check_list(item: ModelInput, values: list[Any]) -> None:
    if item.max_items is not None and len(values) > item.max_items:
        raise KieRefusal(422, f"{item.name} holds more than {item.max_items} items")
    if item.min_items is not None and len(values) < item.min_items:
        raise KieRefusal(422, f"{item.name} holds fewer than {item.min_items} items")
    for value in values:
        if isinstance(value, str):
            _check_text(item, value)
        elif isinstance(value, dict):
            _check_fields(item.fields, value)
    total = sum(len(value.get("text", "") if isinstance(value, dict) else str(value)) for value in values)
    if item.max_total_length is not None and total > item.max_total_length:
        raise KieRefusal(422, f"{item.name} is longer than {item.max_total_length} characters in total")
