"""An order in a customer's words: on the card before it is bought, under its result, in the history. Pure.

The text that describes it first, then the values somebody chose, and those that are theirs without choosing where they matter.
Nothing is escaped here: whoever shows it does that.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from photomat.catalog.formula import is_given, plain
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.reference import reference
from photomat.texts.load import Say

PROMPTS: Final = ("prompt", "text", "lyrics")
"""What describes an order, however its model calls that; the first that is there."""

SHOWN_ITEMS: Final = 3
LONGEST_VALUE: Final = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One chosen value: what it is called, and what was chosen."""

    title: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderWords:
    """What was ordered. `prompt` is empty where nothing describes it."""

    prompt: str
    values: tuple[Value, ...]


def order_in_words(model: Model | None, inputs: Mapping[str, Any], *, language: str, say: Say) -> OrderWords:
    """The order as its customer reads it; of a model nobody knows any more the values as they are."""
    described = _described_by(model, inputs)
    prompt = _written(model.input(described) if model else None, inputs[described], language, say) if described else ""
    return OrderWords(prompt=prompt, values=tuple(_values(model, inputs, described, language, say)))


def value_in_words(asked: Input, value: Any, *, language: str, say: Say) -> str:
    """One value as its customer reads it, cut where it is long."""
    return _cut(_written(asked, value, language, say))


def _values(
    model: Model | None, inputs: Mapping[str, Any], described: str | None, language: str, say: Say
) -> list[Value]:
    if model is None:
        return [Value(title=name, text=_cut(plain(value))) for name, value in inputs.items() if name != described]
    sensible = model.sensible(inputs)
    shown = [
        each
        for each in model.inputs
        if each.name != described
        and is_given(sensible.get(each.name))
        and each.place != "hidden"
        and (each.name in inputs or (each.place != "more" and each.type != "switch"))
    ]
    return [
        Value(
            title=each.title.of(language) if each.title else each.name,
            text=value_in_words(each, sensible[each.name], language=language, say=say),
        )
        for each in shown
    ]


def _described_by(model: Model | None, inputs: Mapping[str, Any]) -> str | None:
    by_name = next((name for name in PROMPTS if isinstance(inputs.get(name), str)), None)
    if by_name is not None or model is None:
        return by_name
    return next(
        (each.name for each in model.inputs if each.type == "text" and each.required and each.name in inputs), None
    )


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
            found = reference(value)
            return plain(value) if found is None else say("order-earlier", job=getattr(found, "job_id", 0))
        case "list":
            return _lines(asked, value, language, say)
        case _:
            return plain(value)


def _lines(asked: Input, items: Any, language: str, say: Say) -> str:
    lines = [_line(asked, item, language, say) for item in items[:SHOWN_ITEMS]]
    return " / ".join(lines) + (" / …" if len(items) > SHOWN_ITEMS else "")


def _line(asked: Input, item: Any, language: str, say: Say) -> str:
    """One line of a list: its main field, and what else was chosen for it in brackets; without a main one every field."""
    if not isinstance(item, Mapping) or not asked.fields:
        return plain(item)
    words = {each.name: _written(each, item[each.name], language, say) for each in asked.fields if each.name in item}
    main = words.pop(asked.main, None) if asked.main else None
    rest = ", ".join(words.values())
    return rest if main is None else f"{main} ({rest})" if rest else main


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else text[:LONGEST_VALUE] + "…"
