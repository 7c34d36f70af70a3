"""What an order has where nothing was said: defaults, lines that others speak of, sums of lines. Pure."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from photomat.catalog.formula import as_number, is_given, plain
from photomat.catalog.input import Input


def filled_in(asked: Sequence[Input], given: Mapping[str, Any]) -> dict[str, Any]:
    """The given values, and what holds beside them wherever nothing was said."""
    defaults = {each.name: each.default for each in asked if each.default is not None}
    filled = {**defaults, **given}
    for each in asked:
        holding = next((value for condition, value in each.defaults if condition.holds(filled)), None)
        if holding is not None and each.name not in given:
            filled[each.name] = holding
        if each.default_items:
            filled[each.name] = _with_spoken_of(asked, each, filled)
    for each in asked:
        total = sum_for(asked, each, filled)
        filled |= {} if total is None else {each.name: plain(total)}
    return filled


def sum_for(asked: Sequence[Input], each: Input, filled: Mapping[str, Any]) -> Decimal | None:
    """What an input is by the lines it sums; None where it sums nothing, or there are no lines that make sense."""
    name, _, field = (each.sums or "").partition(".")
    listed = next((other for other in asked if other.name == name), None)
    if listed is None or not is_given(filled.get(name)) or not listed.condition.holds(filled):
        return None
    return total_of(listed, field, filled[name])


def total_of(listed: Input, field: str, lines: Any) -> Decimal:
    """The numbers of a field in all lines, added up; `40%` is forty."""
    numbers = [as_number(value.removesuffix("%")) for value in values_of_field(listed, field, lines)]
    return sum((number for number in numbers if number is not None), Decimal(0))


def values_of_field(listed: Input, field: str, lines: Any) -> list[str]:
    """A field of every line, by its default where a line does not say it."""
    default = next((each.default for each in listed.fields if each.name == field), None)
    found = [line.get(field, default) for line in lines if isinstance(line, Mapping)] if isinstance(lines, list) else []
    return [plain(value).strip() for value in found if is_given(value)]


def spoken_of(asked: Sequence[Input], target: str, filled: Mapping[str, Any]) -> list[str]:
    """The values that fields `among` the target (`speakers.speaker_id`) have in their lines."""
    return [
        value
        for listed in asked
        for field in listed.fields
        if field.among == target
        for value in values_of_field(listed, field.name, filled.get(listed.name))
    ]


def _with_spoken_of(asked: Sequence[Input], each: Input, filled: Mapping[str, Any]) -> list[Any]:
    """The lines of a list with its default ones for whatever other lists speak of; without any, the first of them."""
    given = filled.get(each.name)
    lines = list(given) if isinstance(given, list) else []
    for field in each.fields:
        wanted = spoken_of(asked, f"{each.name}.{field.name}", filled)
        known = values_of_field(each, field.name, lines)
        lines += [
            line for line in each.default_items if line.get(field.name) in wanted and line[field.name] not in known
        ]
    is_spoken_of = any(other.among for listed in asked for other in listed.fields)
    return lines or list(each.default_items[:1] if is_spoken_of else each.default_items)
