"""A model of the catalogue in an operator's words: every input with its limits, for `photomat catalog show`."""

from typing import Any

from photomat.catalog.file_rules import MEGABYTE
from photomat.catalog.formula import plain
from photomat.catalog.input import Condition, Input
from photomat.catalog.model import Model


def in_words(model: Model) -> dict[str, Any]:
    """Everything about a model but its prices."""
    return {
        "id": model.id,
        "title": _said(model.titles),
        "purpose": _said(model.purpose),
        "category": model.category,
        "also": model.also,
        "output": model.output,
        "protocol": model.protocol,
        "status": model.status,
        "sellable": model.is_sellable,
        "off": model.off,
        "instead": model.instead,
        "doubt": model.doubt,
        "tags": model.tags,
        "pace": model.pace,
        "one_of": model.one_of,
        "never": tuple(_condition(each) for each in model.never),
        "omits": dict(model.omits),
        "example": dict(model.example),
        "inputs": [_input(each) for each in model.inputs],
    }


def _input(each: Input) -> dict[str, Any]:
    return {
        "name": each.name,
        "type": each.type,
        "required": each.required,
        "limits": ", ".join(_limits(each)),
        "default": each.default or (list(each.default_items) or None),
        "place": each.place,
        "options": each.options,
        "condition": _condition(each.condition),
        "fields": [_input(field) for field in each.fields],
    }


def _limits(each: Input) -> list[str]:
    """The limits of an input, one phrase each."""
    found = [
        ("", " | ".join(each.options[:12]) + (" | …" if len(each.options) > 12 else "") if each.options else None),  # noqa: PLR2004  as many fit on a line
        ("from ", each.least),
        ("to ", each.most),
        ("step ", each.step),
        ("at least characters ", each.min_length),
        ("characters up to ", each.max_length or each.total_length),
        ("items from ", each.min_items),
        ("items up to ", each.max_items),
        ("of ", ", ".join(each.of) or None),
    ]
    files = each.files
    if files is not None:
        found += [
            ("", f"{files.kind} {'/'.join(files.formats)}".strip()),
            ("MB up to ", None if files.max_bytes is None else files.max_bytes // MEGABYTE),
            ("seconds from ", files.min_seconds),
            ("seconds up to ", files.max_seconds),
            ("seconds in all up to ", files.total_seconds),
            ("sides from ", files.min_side),
            ("sides up to ", files.max_side),
        ]
    phrases = [f"{word}{plain(value)}" for word, value in found if value is not None]
    return [*phrases, *([_condition(each.condition)] if each.condition.names else [])]


def _condition(condition: Condition) -> str:
    parts = [f"{name} = {' or '.join(values)}" for name, values in condition.when]
    parts += [f"with {name}" for name in condition.given]
    parts += [f"without {name}" for name in condition.without]
    return f"only when {', '.join(parts)}" if parts else ""


def _said(text: Any) -> str | None:
    if text is None:
        return None
    return text.ru if text.ru == text.en else f"{text.ru} / {text.en}"
