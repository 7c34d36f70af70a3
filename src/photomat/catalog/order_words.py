"""An order in a customer's words: on the card before it is bought, under its result, in the history. Pure.

The text that describes it comes first, then the chosen values, and defaults where they matter. Nothing is escaped here.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from photomat.catalog.formula import is_given, plain
from photomat.catalog.input import Input, Role
from photomat.catalog.model import Model
from photomat.catalog.reference import JobRef, reference
from photomat.catalog.roles import PROMPT_NAMES
from photomat.kernel.text import cut
from photomat.texts.load import Say

DESCRIBING: Final[tuple[Role, ...]] = ("prompt", "lyrics")
"""What describes an order; the first that is there."""

SHOWN_ITEMS: Final = 3
MAX_VALUE_LENGTH: Final = 80
NUMBER: Final = re.compile(r"-?\d+(?:[.,]\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderWords:
    """What was ordered. `prompt` is empty where nothing describes it."""

    prompt: str
    values: tuple[Value, ...]


def order_in_words(model: Model | None, inputs: Mapping[str, Any], *, language: str, say: Say) -> OrderWords:
    """The order as its customer reads it; of a model that is no longer known, the values as they are."""
    described = _described_by(model, inputs)
    prompt = _written(model.input(described) if model else None, inputs[described], language, say) if described else ""
    return OrderWords(prompt=prompt, values=tuple(_values(model, inputs, described, language, say)))


def value_in_words(asked: Input, value: Any, *, language: str, say: Say) -> str:
    """One value as its customer reads it, cut where it is long; of a long list, how many lines are left out."""
    shown = cut(_written(asked, value, language, say), MAX_VALUE_LENGTH)
    left = len(value) - SHOWN_ITEMS if asked.type == "list" and isinstance(value, list) else 0
    return f"{shown} {say('order-more-lines', count=left)}" if left > 0 else shown


def named_value(asked: Input, value: Any, *, language: str, say: Say) -> Value:
    """A value with its title; a unit in the title moves behind the number: `Длительность: 5 с`."""
    title, comma, unit = asked.title_in(language).rpartition(", ")
    text = value_in_words(asked, value, language=language, say=say)
    if not comma:
        return Value(title=unit, text=text)
    return Value(title=title, text=f"{text} {unit}" if NUMBER.fullmatch(text) else text)


def _values(
    model: Model | None, inputs: Mapping[str, Any], described: str | None, language: str, say: Say
) -> list[Value]:
    if model is None:
        return [
            Value(title=name, text=cut(plain(value), MAX_VALUE_LENGTH))
            for name, value in inputs.items()
            if name != described and not isinstance(value, Mapping | list)
        ]
    sensible = model.sensible(inputs)
    shown = [
        each
        for each in model.inputs
        if each.name != described
        and is_given(sensible.get(each.name))
        and each.place != "hidden"
        and (each.name in inputs or (each.place != "more" and each.type != "switch"))
    ]
    return [named_value(each, sensible[each.name], language=language, say=say) for each in shown]


def _described_by(model: Model | None, inputs: Mapping[str, Any]) -> str | None:
    by_role = [model.input_for(role) for role in DESCRIBING] if model else []
    required = [each for each in model.inputs if each.type == "text" and each.required] if model else []
    names = (*(each.name for each in by_role if each), *PROMPT_NAMES, *(each.name for each in required))
    return next((name for name in names if isinstance(inputs.get(name), str)), None)


def _written(asked: Input | None, value: Any, language: str, say: Say) -> str:
    if asked is None:
        return plain(value)
    match asked.type:
        case "choice":
            return asked.label(plain(value), language)
        case "switch":
            return say("order-yes" if plain(value) == "true" else "order-no")
        case "file" | "files":
            count = len(value) if isinstance(value, list) else 1
            return say(f"order-files-{asked.files.kind if asked.files else 'document'}", count=count)
        case "task" | "track":
            return _earlier(value, say)
        case "list" if isinstance(value, list):
            return " / ".join(_line(asked, item, language, say) for item in value[:SHOWN_ITEMS])
        case _:
            return plain(value)


def _earlier(value: Any, say: Say) -> str:
    match reference(value):
        case JobRef(job_id=job_id, output=None):
            return say("order-earlier", job=str(job_id))
        case JobRef(job_id=job_id, output=int(output)):
            return say("order-earlier-track", job=str(job_id), track=output + 1)
        case _:
            return plain(value)


def _line(asked: Input, item: Any, language: str, say: Say) -> str:
    """One line of a list: its main field, and the others in brackets; without a main one every field."""
    if not isinstance(item, Mapping) or not asked.fields:
        return plain(item)
    words = {each.name: _written(each, item[each.name], language, say) for each in asked.fields if each.name in item}
    main = words.pop(asked.main, None) if asked.main else None
    rest = ", ".join(words.values())
    return rest if main is None else f"{main} ({rest})" if rest else main
