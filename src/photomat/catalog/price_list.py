"""A model's price list: the price of every combination of inputs that affects it, the cheapest, and how both are shown. Pure.

`combinations` is bounded: all options are tried, numbers at their ends and default; of a model with more combinations than
`MOST`, the first. `price_groups` sorts them into groups with the choice that varies most in a row; `price_rates` says what a
second, a picture or a thousand characters cost where prices grow with an order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from itertools import islice, product
from typing import Any, Final

from photomat.catalog.formula import OF_FILES, Count, Extra, PriceRow, PriceUnit, UnitWord, as_number, is_given, plain
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.order import example_of
from photomat.catalog.pricing import NO_RULES, PriceRules, Quote, Rates, Rule, quote
from photomat.kernel.money import ExactMoney, Money

MOST: Final = 4000
MIN_S: Final = Decimal(1)
MIN_SIDE: Final = Decimal(256)
THOUSAND: Final = Decimal(1000)
WHOLE: Final = Decimal(100)
CENT: Final = Decimal("0.01")
MIN_IN_CENTS: Final = Decimal("0.1")
"""What costs less is shown more precisely than in cents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """One combination and what Kie charges for it; `order` also has the least of everything else that is required."""

    inputs: Mapping[str, Any]
    order: Mapping[str, Any]
    credits: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """What `each` units cost for inputs that fit `row`; the first `free` of them nothing."""

    row: PriceRow
    price: ExactMoney
    unit: UnitWord
    each: Decimal
    free: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceRates:
    """The rates of a model: the first that fits counts, every extra is added. `usual`: an order with nothing changed."""

    rows: tuple[Rate, ...]
    extras: tuple[tuple[Extra, Rate], ...]
    usual: Money | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceGroup:
    """One group: what is the same in it, and each value of the choice that varies with its price; None is without it."""

    same: tuple[tuple[Input, Any], ...]
    prices: tuple[tuple[Any, Money], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceGroups:
    """All prices of a model. `in_line` is the choice that varies within a group; `rates` say it where prices grow."""

    groups: tuple[PriceGroup, ...]
    in_line: Input | None
    rates: PriceRates | None
    rule: Rule
    least: Money
    is_one: bool


def combinations(model: Model) -> Iterator[Mapping[str, Any]]:
    """The inputs that the price depends on, in every combination that may be ordered."""
    names = _priced_inputs(model)
    asked = [each for each in model.inputs if each.name in names]
    values = [_values(each) for each in asked]
    seen: set[tuple[str, ...]] = set()
    for chosen in islice(product(*values), MOST):
        inputs = {each.name: value for each, value in zip(asked, chosen, strict=True) if value is not None}
        filled = model.sensible(_with_least(model, inputs))
        sensible = {name: value for name, value in inputs.items() if name in filled}
        mark = tuple(f"{name}={value}" for name, value in sensible.items())
        if mark not in seen and not any(never.holds(filled) for never in model.never):
            seen.add(mark)
            yield sensible


def unpriced(model: Model) -> Mapping[str, Any] | None:
    """A combination that no row prices; None when each has its price. A size counts as the largest."""
    for inputs in combinations(model):
        filled = model.sensible(_with_least(model, inputs))
        size = model.step.count(filled, {}) if model.step is not None else None
        if not any(row.fits(filled, size) for row in model.prices):
            return inputs
    return None


def price_table(model: Model, measured: Mapping[str, Decimal] | None = None) -> list[Priced]:
    """What each combination costs; of files that are not known the least counts, so that a price can be "from"."""
    facts = {**least_facts(model), **(measured or {})}
    found = [(each, _with_least(model, each)) for each in combinations(model)]
    return [Priced(inputs=each, order=order, credits=model.credits_for(order, facts)) for each, order in found]


def cheapest(model: Model) -> Priced:
    """The least Kie charges for this model, and for which inputs."""
    return min(price_table(model), key=lambda priced: priced.credits)


def least_facts(model: Model) -> dict[str, Decimal]:
    """The smallest files this model accepts."""
    facts: dict[str, Decimal] = {}
    for count in (count for count in _counts(model) if count.measure in OF_FILES):
        asked = model.input(count.input)
        limits = asked.files if asked else None
        seconds = limits.min_seconds if limits and limits.min_seconds else MIN_S
        side = Decimal(limits.min_side) if limits and limits.min_side else MIN_SIDE
        least = {"seconds": seconds, "side": side, "megapixels": side * side / 1_000_000}
        facts[count.fact] = least[count.measure]
    return facts


def _priced_inputs(model: Model) -> set[str]:
    """The inputs a price depends on, except files and texts, which are measured."""
    rows = (*model.prices, *(extra.row for extra in model.extras))
    counts = [count.input for count in _counts(model) if count.measure == "value" and count.field is None]
    by_row = [name for row in rows for name in (*(name for name, _ in row.when), *row.given)]
    return {name for name in (*by_row, *counts) if model.input(name) is not None}


def _values(asked: Input) -> Sequence[Any]:
    match asked.type:
        case "choice":
            found: list[Any] = list(asked.options)
        case "switch":
            found = ["false", "true"]
        case "number":
            bounds = (asked.default, asked.least, asked.most)
            found = list(dict.fromkeys(plain(bound) for bound in bounds if bound is not None))
        case _:
            found = [None, ["given"]]
    is_sure = asked.required or asked.default is not None or asked.type not in {"choice", "switch", "number"}
    return found if is_sure else [None, *found]


def _with_least(model: Model, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The inputs with the shortest text, one file and one line wherever something is required."""
    is_settled = any(all(name in inputs for name in names) for names in model.one_of)
    chosen = () if is_settled or not model.one_of else model.one_of[0]
    needed = (each for each in model.inputs if each.must_be_asked or each.name in chosen)
    return {each.name: _least(each) for each in needed if each.name not in inputs} | dict(inputs)


def _least(asked: Input) -> Any:
    match asked.type:
        case "list":
            return [{each.name: _least(each) for each in asked.fields if each.required}] * (asked.min_items or 1)
        case "files":
            return ["given"] * (asked.min_items or 1)
        case "text":
            return "x" * (asked.min_length or 1)
        case "number":
            return plain(asked.least if asked.least is not None else 1)
        case "choice":
            return asked.options[0]
        case _:
            return "given"


def _counts(model: Model) -> list[Count]:
    units = [model.unit, *(extra.unit for extra in model.extras), *([model.step] if model.step else [])]
    return [count for unit in units for count in (*unit.counts, *unit.times)]


def price_groups(model: Model, rates: Rates, standing: PriceRules) -> PriceGroups:
    """What every choice costs by the rules in force; of files and texts the least counts."""
    facts = least_facts(model)
    rows = [(each.inputs, quote(model, each.order, rates, standing, measured=facts)) for each in price_table(model)]
    in_line = _most_varied(model, [inputs for inputs, _ in rows])
    if in_line is not None and in_line.type == "number":
        rows.sort(key=lambda row: as_number(row[0].get(in_line.name)) or Decimal(0))
    shown = [each for each in model.inputs if each is not in_line and any(each.name in inputs for inputs, _ in rows)]
    grouped: dict[str, PriceGroup] = {}
    for inputs, priced in rows:
        same = tuple((each, inputs.get(each.name)) for each in shown if each.name in inputs or each.takes_files)
        mark = repr([(each.name, value) for each, value in same])
        before = grouped[mark].prices if mark in grouped else ()
        cell = (inputs.get(in_line.name) if in_line else None, priced.price)
        grouped[mark] = PriceGroup(same=same, prices=(*before, cell))
    prices = {priced.price for _, priced in rows}
    return PriceGroups(
        groups=tuple(grouped.values()),
        in_line=in_line,
        rates=price_rates(model, rates, standing),
        rule=rows[0][1].rule,
        least=min(prices),
        is_one=len(prices) == 1,
    )


def _most_varied(model: Model, rows: Sequence[Mapping[str, Any]]) -> Input | None:
    """The choice with the most values; of several the one that is asked first."""
    values = {each.name: {str(row.get(each.name)) for row in rows} for each in model.inputs}
    most = max((len(found) for found in values.values()), default=1)
    return next((each for each in model.inputs if len(values[each.name]) == most > 1), None)


def price_rates(model: Model, rates: Rates, standing: PriceRules) -> PriceRates | None:
    """The rates by the rules in force; None where a table of prices says it exactly, or one price holds for all."""
    made = quote(model, example_of(model), rates, standing)
    if made.rule in {"fixed", "free"} or not _grows(model):
        return None
    return PriceRates(
        rows=tuple(_rate(row, model.unit, made) for row in model.prices),
        extras=tuple((extra, _rate(extra.row, extra.unit, made)) for extra in model.extras),
        usual=usual_price(model, rates, standing),
    )


def _grows(model: Model) -> bool:
    """Whether something is counted besides options, each of which has its price."""
    by_options = bool(model.unit.worth) and all(count.measure == "value" for count in model.unit.counts)
    return bool(model.extras) or model.step is not None or (bool(model.unit.counts) and not by_options)


def _rate(row: PriceRow, unit: PriceUnit, made: Quote) -> Rate:
    """Characters are shown by the thousand, whatever Kie counts of them."""
    by_length = any(count.measure == "length" for count in unit.counts)
    each = THOUSAND if by_length else unit.each
    credits_ = row.credits * unit.factor * each / unit.each
    major = made.price_of_credits(credits_)
    major = major if made.percent is None else major * (WHOLE - made.percent) / WHOLE
    shown = major.quantize(CENT, rounding=ROUND_CEILING) if major >= MIN_IN_CENTS else major
    return Rate(
        row=row,
        price=ExactMoney(shown, made.price.currency),
        unit="character" if by_length else unit.word,
        each=each,
        free=unit.free,
    )


def usual_price(model: Model, rates: Rates, standing: PriceRules = NO_RULES) -> Money | None:
    """What an order costs where nothing is changed; None where that depends on the length of a text or a file."""
    order = example_of(model)
    if any(each.measure not in {"value", "items"} and is_given(order.get(each.input)) for each in _counts(model)):
        return None
    return quote(model, order, rates, standing).price
