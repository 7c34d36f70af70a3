"""The models this Kie.ai knows: what goes into each, what comes out, what it costs.

The table beside this file is our own digest of the public model pages; prices there move weekly, so they are examples.
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
MOST_OUTPUTS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
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
    fields: Sequence["Input"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model of the table."""

    id: str
    protocol: str
    endpoint: str
    output: Output
    shape: str
    category: str
    inputs: Sequence[Input]
    credits: float
    per: str
    price_variants: Sequence[Mapping[str, Any]] = ()
    one_of: Sequence[Sequence[str]] = ()
    aliases: Sequence[str] = ()
    outputs: int = 1


@cache
def table() -> Mapping[str, Model]:
    """Give all models by id, aliases included."""
    rows = json.loads(files(__package__).joinpath("models.json").read_text(encoding="utf-8"))
    models = [Model(**{**row, "inputs": [_input(item) for item in row["inputs"]]}) for row in rows]
    return {name: model for model in models for name in (model.id, *model.aliases)}


def with_defaults(model: Model, given: Mapping[str, Any]) -> dict[str, Any]:
    """Give the inputs with the documented defaults where nothing was sent."""
    defaults = {item.name: item.default for item in model.inputs if item.default is not None}
    return {**defaults, **given}


def output_count(model: Model, given: Mapping[str, Any]) -> int:
    """Say how many files a task makes."""
    return output_count_of(given, usual=model.outputs)


def output_count_of(given: Mapping[str, Any], *, usual: int = 1) -> int:
    """Read the number of files out of the inputs; the models name it in four ways."""
    for name in ("num_images", "n", "max_images", "nVariants"):
        text = str(given.get(name, ""))
        if text.isdecimal() and int(text) > 0:
            return min(int(text), MOST_OUTPUTS)
    return usual


def price(model: Model, given: Mapping[str, Any]) -> float:
    """Give the credits a task takes: the first variant that fits, times what it is billed by."""
    inputs = with_defaults(model, given)
    rate = next((variant["credits"] for variant in model.price_variants if _fits(variant["if"], inputs)), model.credits)
    return round(float(rate) * _units(model, inputs), 4)


def _input(row: Mapping[str, Any]) -> Input:
    return Input(**{**row, "fields": [_input(item) for item in row.get("fields", [])]})


def _fits(condition: Mapping[str, Any], inputs: Mapping[str, Any]) -> bool:
    return all(str(inputs.get(name)) == str(value) for name, value in condition.items())


def _units(model: Model, inputs: Mapping[str, Any]) -> float:
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
