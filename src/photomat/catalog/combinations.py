"""Every combination of what bears on a price, and what each costs. Pure.

Bounded: options are all taken, numbers at their ends and default; of a model with more combinations than `MOST`, the first.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice, product
from typing import Any, Final

from photomat.catalog.formula import OF_FILES, Count, plain
from photomat.catalog.input import Input
from photomat.catalog.model import Model

MOST: Final = 4000
SHORTEST_S: Final = Decimal(1)
SMALLEST_SIDE: Final = Decimal(256)


@dataclass(frozen=True, slots=True, kw_only=True)
class Priced:
    """One combination and what Kie takes for it; `order` has the least of everything else that is needed, too."""

    inputs: Mapping[str, Any]
    order: Mapping[str, Any]
    credits: Decimal


def combinations(model: Model) -> Iterator[Mapping[str, Any]]:
    """The inputs that bear on the price, in every combination that may be ordered."""
    names = _that_count(model)
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
    """The least anybody can pay Kie for this model, and with which inputs."""
    return min(price_table(model), key=lambda priced: priced.credits)


def least_facts(model: Model) -> dict[str, Decimal]:
    """The smallest files this model takes."""
    facts: dict[str, Decimal] = {}
    for count in _file_counts(model):
        asked = model.input(count.input)
        limits = asked.files if asked else None
        seconds = limits.min_seconds if limits and limits.min_seconds else SHORTEST_S
        side = Decimal(limits.min_side) if limits and limits.min_side else SMALLEST_SIDE
        least = {"seconds": seconds, "side": side, "megapixels": side * side / 1_000_000}
        facts[count.fact] = least[count.measure]
    return facts


def _that_count(model: Model) -> set[str]:
    """The inputs a price looks at, but for files and texts, which are measured."""
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
    """The inputs with the shortest text, one file and one line wherever something must be there."""
    is_settled = any(all(name in inputs for name in names) for names in model.one_of)
    chosen = () if is_settled or not model.one_of else model.one_of[0]
    needed: dict[str, Any] = {}
    for each in model.inputs:
        is_needed = (each.required and each.default is None and not each.default_items) or each.name in chosen
        if is_needed and each.name not in inputs:
            needed[each.name] = _least(each)
    return {**needed, **inputs}


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


def _file_counts(model: Model) -> list[Count]:
    return [count for count in _counts(model) if count.measure in OF_FILES]
