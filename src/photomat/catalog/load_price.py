"""How Kie counts a model, from its tables `price`, `step`, `unit` and `extra`. `docs/catalogue.md` shows every form.

Refused: a row nobody can reach, a value that is no option, a count of an input that may be missing and assumes nothing.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.entry import Entry
from photomat.catalog.formula import (
    MEASURES,
    OF_FILES,
    ONE_GENERATION,
    UNIT_WORDS,
    Count,
    Extra,
    PriceRow,
    Unit,
    as_number,
    plain,
)
from photomat.catalog.input import Input

PRICE_FIELDS: Final = frozenset({"credits", "when", "given", "up_to"})
UNIT_FIELDS: Final = frozenset(
    {"of", "count", "times", "largest", "each", "factor", "free", "whole", "assume", "worth"}
)
EXTRA_FIELDS: Final = PRICE_FIELDS - {"up_to"} | UNIT_FIELDS
OF_TYPES: Final[Mapping[str, frozenset[str]]] = {
    "value": frozenset({"choice", "number", "text"}),
    "length": frozenset({"text"}),
    "items": frozenset({"files", "file"}),
    "seconds": frozenset({"file", "files"}),
    "megapixels": frozenset({"file", "files"}),
    "side": frozenset({"file", "files"}),
}
"""What can be counted of which inputs."""


def read_rows(entry: Entry, rows: Sequence[Entry], inputs: Sequence[Input], *, free: bool) -> tuple[PriceRow, ...]:
    """The rates, tried in order; a row after one that fits all it fits is never reached."""
    least = Decimal(0) if free else None
    found = tuple(_row(each, inputs, credits_=each.amount("credits", least=least)) for each in rows)
    early = next((row for row in found[:-1] if row.fits_all), None)
    entry.require(early is None, "price", "a row without `when` fits any inputs, so those after it are never reached")
    for position, row in enumerate(found):
        shadow = any(_covers(other, row) for other in found[:position])
        entry.require(not shadow, "price", f"row {position + 1} is never reached: an earlier one fits all it fits")
    return found


def read_unit(entry: Entry, inputs: Sequence[Input], field: str = "unit") -> Unit:
    """What the rates are for; one generation where nothing is said."""
    table = entry.table(field, UNIT_FIELDS)
    return ONE_GENERATION if table is None else _unit(table, inputs, is_extra=False)


def read_extra(entry: Entry, inputs: Sequence[Input]) -> Extra:
    """What is taken besides."""
    return Extra(row=_row(entry, inputs, credits_=entry.amount("credits")), unit=_unit(entry, inputs, is_extra=True))


def _covers(row: PriceRow, later: PriceRow) -> bool:
    sizes = row.up_to is None or (later.up_to is not None and later.up_to <= row.up_to)
    return sizes and set(row.when) <= set(later.when) and set(row.given) <= set(later.given)


def _row(entry: Entry, inputs: Sequence[Input], *, credits_: Decimal) -> PriceRow:
    by_name = {each.name: each for each in inputs}
    when = entry.fields.get("when", {})
    entry.require(isinstance(when, dict), "when", "names inputs and their values")
    for name, value in when.items():
        fine = _is_value(by_name, name, value)
        entry.require(fine, "when", f"{name} = {value!r} is not an option of this model")
    given = entry.some_texts("given")
    for name in given:
        entry.require(name in by_name, "given", f"{name} is not an input of this model")
        fine = name in by_name and not by_name[name].required and by_name[name].default is None
        entry.require(fine, "given", f"{name} is always given")
    up_to = entry.amount("up_to") if "up_to" in entry.fields else None
    options = tuple((name, plain(value)) for name, value in when.items())
    return PriceRow(credits=credits_, when=options, given=given, up_to=up_to)


def _is_value(by_name: Mapping[str, Input], name: str, value: Any) -> bool:
    """Whether an input can have a value; `task_id:resolution` is what the task that is picked was ordered with."""
    owner, _, chosen_then = name.partition(":")
    if chosen_then:
        return owner in by_name and by_name[owner].type == "task"
    return name in by_name and is_value_of(by_name[name], value)


def is_value_of(asked: Input, value: Any) -> bool:
    """Whether an input that is chosen can have this value."""
    match asked.type:
        case "choice":
            return not isinstance(value, bool) and plain(value) in asked.options
        case "switch":
            return plain(value) in {"true", "false"} and not isinstance(value, str)
        case "number":
            return not isinstance(value, bool) and as_number(value) is not None
        case _:
            return False


def _unit(entry: Entry, inputs: Sequence[Input], *, is_extra: bool) -> Unit:
    word = entry.one_of("of", UNIT_WORDS, otherwise="generation")
    assume = entry.amount("assume") if "assume" in entry.fields else None
    worth = entry.fields.get("worth", {})
    entry.require(isinstance(worth, dict), "worth", "names options and what each counts")
    unit = Unit(
        word=word,
        counts=tuple(_count(entry, "count", written, inputs) for written in _counts(entry, "count")),
        times=tuple(_count(entry, "times", written, inputs) for written in _counts(entry, "times")),
        largest=entry.flag("largest"),
        each=entry.amount("each") if "each" in entry.fields else Decimal(1),
        factor=entry.amount("factor") if "factor" in entry.fields else Decimal(1),
        free=entry.amount("free") if "free" in entry.fields else Decimal(0),
        whole=entry.flag("whole"),
        assume=assume,
        worth=tuple((option, entry.number("worth", value)) for option, value in worth.items()),
    )
    by_name = {each.name: each for each in inputs}
    for count in (*unit.counts, *unit.times):
        _check_count(entry, unit, count, by_name[count.input], is_extra=is_extra)
    entry.require(bool(unit.counts) or not (worth or unit.times), "count", "says what is counted")
    return unit


def _counts(entry: Entry, field: str) -> tuple[str, ...]:
    if field not in entry.fields:
        return ()
    return (entry.text(field),) if isinstance(entry.fields[field], str) else entry.texts(field)


def _count(entry: Entry, field: str, written: str, inputs: Sequence[Input]) -> Count:
    path, _, word = written.partition(":")
    name, _, part = path.partition(".")
    measure = next((each for each in MEASURES if each == (word or "value")), None)
    asked = next((each for each in inputs if each.name == name), None)
    if measure is None:
        raise entry.refusal(field, f"{written}: what is counted is one of {', '.join(MEASURES)}")
    if asked is None:
        raise entry.refusal(field, f"{name} is not an input of this model")
    counted = next((each for each in asked.fields if each.name == part), None) if part else asked
    if counted is None:
        raise entry.refusal(field, f"{written}: {name} has no field {part}")
    entry.require(counted.type in OF_TYPES[measure], field, f"{written}: a {counted.type} has no {measure}")
    return Count(input=name, measure=measure, field=part or None, most=_most(asked, measure))


def _most(asked: Input, measure: str) -> Decimal | None:
    """The most a file can be, by its own limits."""
    files = asked.files
    if files is None or measure not in OF_FILES:
        return None
    if measure == "side":
        return None if files.max_side is None else Decimal(files.max_side)
    if measure == "megapixels":
        return None if files.max_side is None else Decimal(files.max_side) ** 2 / 1_000_000
    if files.total_seconds is not None:
        return files.total_seconds
    is_bound = files.max_seconds is not None and asked.items_limit is not None
    return files.max_seconds * asked.items_limit if is_bound and files.max_seconds and asked.items_limit else None


def _check_count(entry: Entry, unit: Unit, count: Count, asked: Input, *, is_extra: bool) -> None:
    """A count must come to something for every order that can be made."""
    worth = dict(unit.worth)
    if asked.type == "choice":
        for option in asked.options:
            fine = option in worth or unit.assume is not None or _is_positive(option)
            entry.require(
                fine, "count", f"{asked.name} = {option!r} is no number: say what it counts in `worth`, or `assume`"
            )
    for option in worth:
        fine = option in asked.options or len((*unit.counts, *unit.times)) > 1
        entry.require(fine, "worth", f"{option!r} is not an option of {asked.name}")
    is_bound = unit.assume is not None or count.most is not None
    if count.measure in OF_FILES or (asked.type == "text" and count.measure == "value"):
        entry.require(is_bound, "assume", f"{count.fact} may not be known: say the most it can be")
    is_sure = asked.required or asked.default is not None or count.field is not None or count.measure in OF_FILES
    is_beside = is_extra or (unit.largest and len(unit.counts) > 1)
    entry.require(is_sure or is_beside or is_bound, "assume", f"{asked.name} may be left out: say the most it can be")


def _is_positive(option: str) -> bool:
    number = as_number(option)
    return number is not None and number > 0
