"""Kie's price formula: a rate chosen by options, times units, plus extras. Pure.

    credits = rate of the first row that fits × units + every extra that fits × its units

A unit is counted by inputs: the number chosen (`duration`), the length of a text (`text:length`), a field of all
lines of a list (`shots.duration`, `lines.text:length`), how many files there are (`image_urls:items`), or a measured fact of
files (`audio_url:seconds`, `image_url:megapixels`, `image_url:side`). What is not known counts as `assume`, which the catalogue
sets to the most it can be: a price may be above cost by that, never below. A stepped price has rows `up_to` a counted size.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal, InvalidOperation, localcontext
from typing import Any, Final, Literal, TypeAlias, get_args

from photomat.kernel.errors import Corrupt

UnitWord: TypeAlias = Literal["generation", "image", "video", "second", "minute", "character", "megapixel", "token"]
Measure: TypeAlias = Literal["value", "length", "items", "seconds", "megapixels", "side"]

UNIT_WORDS: Final[tuple[UnitWord, ...]] = get_args(UnitWord)
MEASURES: Final[tuple[Measure, ...]] = get_args(Measure)
OF_FILES: Final[frozenset[Measure]] = frozenset({"seconds", "megapixels", "side"})
"""Known only when the file was measured."""

EXACT_ENOUGH: Final = Context(prec=60, rounding=ROUND_CEILING)
MAX_DIGITS: Final = 20
LARGEST: Final = Decimal(10**9)
"""A larger one is not taken for a number."""

ONE: Final = Decimal(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PricePart:
    """One line of a price: `rate` credits for every `each` units, `count` of them. A stepped rate is for this `size`.

    `counted` is how many there were before a begun unit was charged in full; None where that made no difference.
    """

    rate: Decimal
    unit: UnitWord = "generation"
    each: Decimal = ONE
    count: Decimal = ONE
    when: tuple[tuple[str, str], ...] = ()
    size: Decimal | None = None
    counted: Decimal | None = None

    @property
    def total(self) -> Decimal:
        """The credits of this line, rounded up at 60 digits where it does not divide."""
        with localcontext(EXACT_ENOUGH):
            return self.rate * self.count / self.each


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRow:
    """The rate for inputs that fit: all of `when` have their value, all of `given` are there, the size is within `up_to`."""

    credits: Decimal
    when: tuple[tuple[str, str], ...] = ()
    given: tuple[str, ...] = ()
    up_to: Decimal | None = None

    @property
    def fits_all(self) -> bool:
        return not self.when and not self.given and self.up_to is None

    def fits(self, inputs: Mapping[str, Any], size: Decimal | None = None) -> bool:
        values_fit = all(name in inputs and plain(inputs[name]) == value for name, value in self.when)
        size_fits = self.up_to is None or (size is not None and size <= self.up_to)
        return values_fit and size_fits and all(is_given(inputs.get(name)) for name in self.given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """Which input counts, and what of it; with a `field`, that of every line of a list. `most` counts while it is not known."""

    input: str
    measure: Measure = "value"
    field: str | None = None
    most: Decimal | None = None

    @property
    def fact(self) -> str:
        return f"{self.input}:{self.measure}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceUnit:
    """What a rate is for. Without `counts` it is one, or `assume` where only the result will tell.

    Several counts add up, or the `largest` of them counts; `times` multiply. `worth` says what an option counts ("square_hd" is
    1.05 megapixels), `factor` how many units one counted thing is at most (tokens of a character), `free` how many cost
    nothing, `whole` that a begun unit counts in full.
    """

    word: UnitWord = "generation"
    counts: tuple[Count, ...] = ()
    each: Decimal = ONE
    factor: Decimal = ONE
    free: Decimal = Decimal(0)
    whole: bool = False
    assume: Decimal | None = None
    worth: tuple[tuple[str, Decimal], ...] = ()
    times: tuple[Count, ...] = ()
    largest: bool = False

    def count(self, inputs: Mapping[str, Any], measured: Mapping[str, Decimal]) -> Decimal:
        """How many units are charged."""
        return self.charged(self.counted(inputs, measured))

    def charged(self, units: Decimal) -> Decimal:
        """How many units are charged for so many: a begun one in full, where that is so."""
        if not self.whole or not self.counts:
            return units
        with localcontext(EXACT_ENOUGH):
            return (units / self.each).to_integral_value() * self.each

    def counted(self, inputs: Mapping[str, Any], measured: Mapping[str, Decimal]) -> Decimal:
        """How many units there are."""
        if not self.counts:
            return ONE if self.assume is None else self.assume
        found = [self._one(count, inputs, measured) for count in self.counts]
        with localcontext(EXACT_ENOUGH):
            counted = max(found) if self.largest else sum(found, Decimal(0))
            units = max(counted * self.factor - self.free, Decimal(0))
            for each in self.times:
                units *= self._one(each, inputs, measured)
            return units

    def _one(self, count: Count, inputs: Mapping[str, Any], measured: Mapping[str, Decimal]) -> Decimal:
        value = inputs.get(count.input)
        if (count.measure in OF_FILES or count.field is not None) and not is_given(value):
            return Decimal(0)
        if count.measure in OF_FILES:
            found = measured.get(count.fact)
        else:
            found = self._counted(count.measure, value) if count.field is None else self._of_lines(count, value)
        if found is not None and found >= 0:
            return found
        most = self.assume if count.most is None else count.most
        return Decimal(0) if most is None else most

    def _of_lines(self, count: Count, lines: Any) -> Decimal | None:
        """A field of every line, added up; None where a line lacks it."""
        if not isinstance(lines, Sequence) or isinstance(lines, str):
            return None
        found = [self._counted(count.measure, line.get(count.field)) for line in lines if isinstance(line, Mapping)]
        return None if None in found else sum((each for each in found if each is not None), Decimal(0))

    def _counted(self, measure: Measure, value: Any) -> Decimal | None:
        if not is_given(value):
            return None
        if measure == "length":
            return Decimal(len(str(value)))
        if measure == "items":
            return Decimal(len(value) if isinstance(value, Sequence) and not isinstance(value, str) else 1)
        return dict(self.worth).get(plain(value), as_number(value))


ONE_GENERATION: Final = PriceUnit()


@dataclass(frozen=True, slots=True, kw_only=True)
class Extra:
    """Credits charged besides, for inputs that fit `row`."""

    row: PriceRow
    unit: PriceUnit

    def fits(self, inputs: Mapping[str, Any]) -> bool:
        return self.row.fits(inputs)

    def part(self, inputs: Mapping[str, Any], measured: Mapping[str, Decimal]) -> PricePart:
        return _part(self.row, self.unit, inputs, measured)


def base_part(
    rows: Sequence[PriceRow],
    unit: PriceUnit,
    inputs: Mapping[str, Any],
    measured: Mapping[str, Decimal],
    *,
    size: Decimal | None = None,
) -> PricePart:
    """The line of the first row that fits; where nothing was counted, what is assumed counts. No row: `Corrupt`."""
    row = next((row for row in rows if row.fits(inputs, size)), None)
    if row is None:
        raise Corrupt("the catalogue has no price for these inputs")
    part = _part(row, unit, inputs, measured, size=size)
    return part if part.count > 0 else replace(part, count=unit.assume or unit.each)


def total(parts: Sequence[PricePart]) -> Decimal:
    with localcontext(EXACT_ENOUGH):
        return sum((part.total for part in parts), Decimal(0))


def plain(value: Any) -> str:
    """A chosen value as the catalogue writes it: `true`, `5`, `720p`."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | Decimal):
        number = Decimal(str(value))
        is_whole = number.is_finite() and number == number.to_integral_value()
        return str(int(number)) if is_whole else str(number.normalize())
    return str(value)


def as_number(value: Any) -> Decimal | None:
    """A chosen value as a number; None where it is not one."""
    text = plain(value).strip()
    if isinstance(value, bool) or len(text) > MAX_DIGITS:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() and abs(number) <= LARGEST else None


def _part(
    row: PriceRow,
    unit: PriceUnit,
    inputs: Mapping[str, Any],
    measured: Mapping[str, Decimal],
    *,
    size: Decimal | None = None,
) -> PricePart:
    counted = unit.counted(inputs, measured)
    count = unit.charged(counted)
    return PricePart(
        rate=row.credits,
        unit=unit.word,
        each=unit.each,
        count=count,
        when=row.when,
        size=size,
        counted=None if counted == count else counted,
    )


def is_given(value: Any) -> bool:
    return value is not None and value not in ("", [], ())
