"""How Kie counts a model, from its tables `price`, `unit` and `extra`. `docs/catalogue.md` shows every form.

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
from photomat.catalog.model import Input

PRICE_FIELDS: Final = frozenset({"credits", "when", "given"})
UNIT_FIELDS: Final = frozenset({"of", "count", "each", "factor", "free", "whole", "assume", "worth"})
EXTRA_FIELDS: Final = PRICE_FIELDS | UNIT_FIELDS
OF_TYPES: Final[Mapping[str, frozenset[str]]] = {
    "value": frozenset({"choice", "number", "text"}),
    "length": frozenset({"text"}),
    "items": frozenset({"files", "file"}),
    "seconds": frozenset({"file"}),
    "megapixels": frozenset({"file"}),
}
"""What can be counted of which inputs."""


def read_rows(entry: Entry, rows: Sequence[Entry], inputs: Sequence[Input], *, free: bool) -> tuple[PriceRow, ...]:
    """The rates, tried in order; the last fits any inputs, and none before it does."""
    least = Decimal(0) if free else None
    found = tuple(_row(each, inputs, credits_=each.amount("credits", least=least)) for each in rows)
    entry.require(found[-1].fits_all, "price", "the last row must fit any inputs, so it has no `when`")
    early = next((row for row in found[:-1] if row.fits_all), None)
    entry.require(early is None, "price", "a row without `when` fits any inputs, so those after it are never reached")
    for position, row in enumerate(found):
        shadow = any(
            set(other.when) <= set(row.when) and set(other.given) <= set(row.given) for other in found[:position]
        )
        entry.require(not shadow, "price", f"row {position + 1} is never reached: an earlier one fits all it fits")
    return found


def read_unit(entry: Entry, inputs: Sequence[Input]) -> Unit:
    """What the rates are for; one generation where nothing is said."""
    table = entry.table("unit", UNIT_FIELDS)
    return ONE_GENERATION if table is None else _unit(table, inputs, is_extra=False)


def read_extra(entry: Entry, inputs: Sequence[Input]) -> Extra:
    """What is taken besides."""
    return Extra(row=_row(entry, inputs, credits_=entry.amount("credits")), unit=_unit(entry, inputs, is_extra=True))


def _row(entry: Entry, inputs: Sequence[Input], *, credits_: Decimal) -> PriceRow:
    by_name = {each.name: each for each in inputs}
    when = entry.fields.get("when", {})
    entry.require(isinstance(when, dict), "when", "names inputs and their values")
    for name, value in when.items():
        fine = name in by_name and _is_value_of(by_name[name], value)
        entry.require(fine, "when", f"{name} = {value!r} is not an option of this model")
    given = entry.texts("given") if "given" in entry.fields else ()
    for name in given:
        entry.require(name in by_name, "given", f"{name} is not an input of this model")
        fine = name in by_name and not by_name[name].required and by_name[name].default is None
        entry.require(fine, "given", f"{name} is always given")
    return PriceRow(credits=credits_, when=tuple((name, plain(value)) for name, value in when.items()), given=given)


def _is_value_of(asked: Input, value: Any) -> bool:
    match asked.type:
        case "choice":
            return not isinstance(value, bool) and plain(value) in asked.options
        case "switch":
            return isinstance(value, bool)
        case "number":
            return not isinstance(value, bool) and as_number(value) is not None
        case _:
            return False


def _unit(entry: Entry, inputs: Sequence[Input], *, is_extra: bool) -> Unit:
    word = next((word for word in UNIT_WORDS if word == entry.fields.get("of", "generation")), None)
    if word is None:
        raise entry.refusal("of", f"is one of {', '.join(UNIT_WORDS)}")
    assume = entry.amount("assume") if "assume" in entry.fields else None
    worth = entry.fields.get("worth", {})
    entry.require(isinstance(worth, dict), "worth", "names options and what each counts")
    counts = tuple(_count(entry, written, inputs) for written in _counts(entry))
    unit = Unit(
        word=word,
        counts=counts,
        each=entry.amount("each") if "each" in entry.fields else Decimal(1),
        factor=entry.amount("factor") if "factor" in entry.fields else Decimal(1),
        free=entry.amount("free") if "free" in entry.fields else Decimal(0),
        whole=entry.flag("whole"),
        assume=assume,
        worth=tuple((option, entry.number("worth", value)) for option, value in worth.items()),
    )
    for count in counts:
        _check_count(entry, unit, count, {each.name: each for each in inputs}[count.input], is_extra=is_extra)
    entry.require(bool(counts) or not (worth or assume), "count", "says what is counted")
    return unit


def _counts(entry: Entry) -> tuple[str, ...]:
    if "count" not in entry.fields:
        return ()
    return (entry.text("count"),) if isinstance(entry.fields["count"], str) else entry.texts("count")


def _count(entry: Entry, written: str, inputs: Sequence[Input]) -> Count:
    name, _, word = written.partition(":")
    measure = next((each for each in MEASURES if each == (word or "value")), None)
    asked = next((each for each in inputs if each.name == name), None)
    if measure is None:
        raise entry.refusal("count", f"{written}: what is counted is one of {', '.join(MEASURES)}")
    if asked is None:
        raise entry.refusal("count", f"{name} is not an input of this model")
    entry.require(asked.type in OF_TYPES[measure], "count", f"{written}: a {asked.type} has no {measure}")
    return Count(input=name, measure=measure)


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
        entry.require(
            option in asked.options or len(unit.counts) > 1, "worth", f"{option!r} is not an option of {asked.name}"
        )
    if count.measure in OF_FILES or (asked.type == "text" and count.measure == "value"):
        entry.require(unit.assume is not None, "assume", f"{count.fact} may not be known: say the most it can be")
    is_sure = asked.required or asked.default is not None or is_extra
    entry.require(is_sure or unit.assume is not None, "assume", f"{asked.name} may be left out: say the most it can be")


def _is_positive(option: str) -> bool:
    number = as_number(option)
    return number is not None and number > 0
