"""How Kie counts what a generation costs, as values: a rate by the chosen options, times units, plus extras. Pure.

    credits = rate of the first row that fits × units + every extra that fits × its units

A unit is counted by inputs: the number somebody chose (`duration`), the length of a text (`text:length`), how many files there
are (`image_urls:items`), or a measured fact of a file (`audio_url:seconds`, `image_url:megapixels`). What is not known counts
as `assume`, which the catalogue sets to the most it can be: a price may be above cost by that, never below.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal, InvalidOperation, localcontext
from typing import Any, Final, Literal, TypeAlias, get_args

UnitWord: TypeAlias = Literal["generation", "image", "video", "second", "minute", "character", "megapixel", "token"]
Measure: TypeAlias = Literal["value", "length", "items", "seconds", "megapixels"]

UNIT_WORDS: Final[tuple[UnitWord, ...]] = get_args(UnitWord)
MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
OF_FILES: Final[frozenset[Measure]] = frozenset({"seconds", "megapixels"})
"""Known only when somebody has looked into the file."""

EXACT_ENOUGH: Final = Context(prec=60, rounding=ROUND_CEILING)
MOST_DIGITS: Final = 20
LARGEST: Final = Decimal(10**9)
"""Nobody chooses a larger number; one beyond it is no number."""

ONE: Final = Decimal(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One line of a price: `rate` credits for every `each` units, `count` of them."""

    rate: Decimal
    unit: UnitWord = "generation"
    each: Decimal = ONE
    count: Decimal = ONE
    when: tuple[tuple[str, str], ...] = ()

    @property
    def total(self) -> Decimal:
        """The credits of this line; what does not divide is rounded up, 60 digits behind."""
        with localcontext(EXACT_ENOUGH):
            return self.rate * self.count / self.each


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRow:
    """The rate for inputs that fit: every one of `when` has its value, and every one of `given` is there."""

    credits: Decimal
    when: tuple[tuple[str, str], ...] = ()
    given: tuple[str, ...] = ()

    @property
    def fits_all(self) -> bool:
        """Whether it asks for nothing."""
        return not self.when and not self.given

    def fits(self, inputs: Mapping[str, Any]) -> bool:
        """Say whether these inputs are priced by this row."""
        values_fit = all(name in inputs and plain(inputs[name]) == value for name, value in self.when)
        return values_fit and all(_is_given(inputs.get(name)) for name in self.given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Which input counts, and what of it."""

    input: str
    measure: Measure = "value"

    @property
    def fact(self) -> str:
        """The name of the measured fact."""
        return f"{self.input}:{self.measure}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a rate is for. Without `counts` it is one; several of them add up.

    `worth` says what an option counts ("square_hd" is 1.05 megapixels), `factor` how many units one counted thing is at most
    (tokens of a character), `free` how many cost nothing, `whole` that a begun unit counts in full.
    """

    word: UnitWord = "generation"
    counts: tuple[Count, ...] = ()
    each: Decimal = ONE
    factor: Decimal = ONE
    free: Decimal = Decimal(0)
    whole: bool = False
    assume: Decimal | None = None
    worth: tuple[tuple[str, Decimal], ...] = ()

    def count(self, inputs: Mapping[str, Any], measured: Mapping[str, Decimal]) -> Decimal:
        """How many units these inputs are."""
        if not self.counts:
            return ONE
        found = [self._one(count, inputs, measured) for count in self.counts]
        with localcontext(EXACT_ENOUGH):
            units = max(sum(found, Decimal(0)) * self.factor - self.free, Decimal(0))
            return (units / self.each).to_integral_value() * self.each if self.whole else units

    def _one(self, count: Count, inputs: Mapping[str, Any], measured: Mapping[str, Decimal]) -> Decimal:
        value = inputs.get(count.input)
        found = measured.get(count.fact) if count.measure in OF_FILES else self._counted(count.measure, value)
        if found is not None and found >= 0:
            return found
        is_absent_file = count.measure in OF_FILES and not _is_given(value)
        return Decimal(0) if is_absent_file or self.assume is None else self.assume

    def _counted(self, measure: Measure, value: Any) -> Decimal | None:
        if not _is_given(value):
            return None
        if measure == "length":
            return Decimal(len(str(value)))
        if measure == "items":
            return Decimal(len(value) if isinstance(value, Sequence) and not isinstance(value, str) else 1)
        return dict(self.worth).get(plain(value), as_number(value))


ONE_GENERATION: Final = Unit()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """What is taken besides, for inputs that fit `row`."""

    row: PriceRow
    unit: Unit

    def fits(self, inputs: Mapping[str, Any]) -> bool:
        """Whether these inputs cost it."""
        return self.row.fits(inputs)

    def part(self, inputs: Mapping[str, Any], measured: Mapping[str, Decimal]) -> Part:
        """Its line of the price."""
        return _part(self.row, self.unit, inputs, measured)


def base_part(rows: Sequence[PriceRow], unit: Unit, inputs: Mapping[str, Any], measured: Mapping[str, Decimal]) -> Part:
    """The line of the first row that fits, the last fits all; where nothing was counted, what is assumed counts."""
    part = _part(next(row for row in rows if row.fits(inputs)), unit, inputs, measured)
    return part if part.count > 0 else replace(part, count=unit.assume or unit.each)


def total(parts: Sequence[Part]) -> Decimal:
    """The credits of all lines."""
    with localcontext(EXACT_ENOUGH):
        return sum((part.total for part in parts), Decimal(0))


def plain(value: Any) -> str:
    """A chosen value as the catalogue writes it: `true`, `5`, `720p`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal):
        number = Decimal(str(value))
        is_whole = number.is_finite() and number == number.to_integral_value()
        return str(int(number)) if is_whole else str(number.normalize())
    return str(value)


def as_number(value: Any) -> Decimal | None:
    """A number somebody chose; None where there is none."""
    text = plain(value).strip()
    if isinstance(value, bool) or len(text) > MOST_DIGITS:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number) <= LARGEST else None


def _part(row: PriceRow, unit: Unit, inputs: Mapping[str, Any], measured: Mapping[str, Decimal]) -> Part:
    count = unit.count(inputs, measured)
    return Part(rate=row.credits, unit=unit.word, each=unit.each, count=count, when=row.when)


def _is_given(value: Any) -> bool:
    return value is not None and value not in ("", [], ())
