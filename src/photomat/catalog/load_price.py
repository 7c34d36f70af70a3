"""How Kie counts a model, from its tables `price`, `step`, `unit` and `extra`. `docs/catalogue.md` shows every form.

Refused: a row that is never reached, a value that is no option, a count of an input that may be missing and assumes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.formula import (
    MEASURES,
    OF_FILES,
    Count,
    Extra,
    Measure,
    PriceRow,
    PriceUnit,
    as_number,
    plain,
)
from photomat.catalog.input import Input
from photomat.catalog.tables import (
    ExtraTable,
    ModelTable,
    PriceTable,
    Refusal,
    UnitTable,
    inside,
    nested,
    require,
    same_fields,
)

OF_TYPES: Final[Mapping[Measure, frozenset[str]]] = {
    "value": frozenset({"choice", "number", "text"}),
    "length": frozenset({"text"}),
    "items": frozenset({"files", "file"}),
    "seconds": frozenset({"file", "files"}),
    "megapixels": frozenset({"file", "files"}),
    "side": frozenset({"file", "files"}),
}
"""What can be counted of which inputs."""


def read_rows(table: ModelTable, inputs: Sequence[Input]) -> tuple[PriceRow, ...]:
    """The rates, tried in order; a row after one that fits all it fits is never reached."""
    found = nested("price", table.price, lambda each: _rate(each, inputs, is_free=table.free))
    early = any(row.fits_all for row in found[:-1])
    require(not early, "a row without `when` fits any inputs, so those after it are never reached", "price")
    for position, row in enumerate(found):
        shadow = any(_covers(other, row) for other in found[:position])
        require(not shadow, f"row {position + 1} is never reached: an earlier one fits all it fits", "price")
    return found


def read_unit(field: str, table: UnitTable, inputs: Sequence[Input]) -> PriceUnit:
    """What the rates are for, or by which size they are stepped."""
    with inside(field):
        return _unit(table, inputs, is_extra=False)


def read_extra(table: ExtraTable, inputs: Sequence[Input]) -> Extra:
    """What is taken besides."""
    return Extra(row=_row(table, inputs), unit=_unit(table, inputs, is_extra=True))


def _rate(table: PriceTable, inputs: Sequence[Input], *, is_free: bool) -> PriceRow:
    fine = table.credits.is_finite() and (table.credits >= 0 if is_free else table.credits > 0)
    require(fine, "is 0 or more" if is_free else "is above zero", "credits")
    return replace(_row(table, inputs), up_to=table.up_to)


def _covers(row: PriceRow, later: PriceRow) -> bool:
    sizes = row.up_to is None or (later.up_to is not None and later.up_to <= row.up_to)
    return sizes and set(row.when) <= set(later.when) and set(row.given) <= set(later.given)


def _row(table: PriceTable | ExtraTable, inputs: Sequence[Input]) -> PriceRow:
    by_name = {each.name: each for each in inputs}
    for name, value in table.when.items():
        require(_is_value(by_name, name, value), f"{name} = {value!r} is not an option of this model", "when")
    for name in table.given:
        require(name in by_name, f"{name} is not an input of this model", "given")
        is_optional = not by_name[name].required and by_name[name].default is None
        require(is_optional, f"{name} is always given", "given")
    when = tuple((name, plain(value)) for name, value in table.when.items())
    return PriceRow(credits=table.credits, when=when, given=table.given)


def _is_value(by_name: Mapping[str, Input], name: str, value: Any) -> bool:
    """Whether an input can have a value; `task_id:resolution` is what the task that is picked was ordered with."""
    owner, _, chosen_then = name.partition(":")
    asked = by_name.get(owner)
    if asked is None or chosen_then:
        return asked is not None and asked.type == "task"
    match asked.type:
        case "choice":
            return not isinstance(value, bool) and plain(value) in asked.options
        case "switch":
            return isinstance(value, bool)
        case "number":
            return not isinstance(value, bool) and as_number(value) is not None
        case _:
            return False


def _unit(table: UnitTable, inputs: Sequence[Input], *, is_extra: bool) -> PriceUnit:
    own: dict[str, Any] = {
        "counts": tuple(_count("count", written, inputs) for written in table.count),
        "times": tuple(_count("times", written, inputs) for written in table.times),
        "worth": tuple(table.worth.items()),
    }
    unit = PriceUnit(**same_fields(table, PriceUnit) | own)
    by_name = {each.name: each for each in inputs}
    for count in (*unit.counts, *unit.times):
        _check_count(unit, count, by_name[count.input], is_extra=is_extra)
    require(unit.counts or not (unit.worth or unit.times), "says what is counted", "count")
    return unit


def _count(field: str, written: str, inputs: Sequence[Input]) -> Count:
    path, _, word = written.partition(":")
    name, _, part = path.partition(".")
    measure = next((each for each in MEASURES if each == (word or "value")), None)
    asked = next((each for each in inputs if each.name == name), None)
    if measure is None:
        raise Refusal(f"{written}: what is counted is one of {', '.join(MEASURES)}", field)
    if asked is None:
        raise Refusal(f"{name} is not an input of this model", field)
    counted = next((each for each in asked.fields if each.name == part), None) if part else asked
    if counted is None:
        raise Refusal(f"{written}: {name} has no field {part}", field)
    require(counted.type in OF_TYPES[measure], f"{written}: a {counted.type} has no {measure}", field)
    return Count(input=name, measure=measure, field=part or None, most=_most(asked, measure))


def _most(asked: Input, measure: Measure) -> Decimal | None:
    """The most a file can be, by its own limits."""
    files = asked.files
    if files is None or measure not in OF_FILES:
        return None
    if measure == "seconds":
        each = files.max_seconds
        return files.total_seconds or (None if each is None else each * asked.items_limit)
    side = None if files.max_side is None else Decimal(files.max_side)
    return side if side is None or measure == "side" else side**2 / 1_000_000


def _check_count(unit: PriceUnit, count: Count, asked: Input, *, is_extra: bool) -> None:
    """A count must come to something for every order that can be made."""
    worth = dict(unit.worth)
    for option in asked.options:
        fine = option in worth or unit.assume is not None or (as_number(option) or 0) > 0
        require(fine, f"{asked.name} = {option!r} is no number: say what it counts in `worth`, or `assume`", "count")
    for option in worth:
        fine = option in asked.options or len((*unit.counts, *unit.times)) > 1
        require(fine, f"{option!r} is not an option of {asked.name}", "worth")
    is_bound = unit.assume is not None or count.most is not None
    if count.measure in OF_FILES or (asked.type == "text" and count.measure == "value"):
        require(is_bound, f"{count.fact} may not be known: say the most it can be", "assume")
    is_sure = asked.required or asked.default is not None or count.field is not None or count.measure in OF_FILES
    is_beside = is_extra or (unit.largest and len(unit.counts) > 1)
    require(is_sure or is_beside or is_bound, f"{asked.name} may be left out: say the most it can be", "assume")
