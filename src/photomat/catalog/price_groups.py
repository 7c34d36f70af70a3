"""The prices of a model as a person can read them: in groups, with the choice that varies most in a line. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from photomat.catalog.combinations import least_facts, price_table
from photomat.catalog.formula import as_number
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.price_rates import PriceRates, price_rates
from photomat.catalog.pricing import Rates, Standing, quote
from photomat.catalog.quote import Rule
from photomat.kernel.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """One group: what is the same in it, and each value of the choice in line with its price; None is without it."""

    same: tuple[tuple[Input, Any], ...]
    prices: tuple[tuple[Any, Money], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceGroups:
    """All prices of a model. `in_line` is the choice that varies within a group; `rates` say it where prices grow."""

    groups: tuple[Group, ...]
    in_line: Input | None
    rates: PriceRates | None
    rule: Rule
    least: Money
    is_one: bool


def price_groups(model: Model, rates: Rates, standing: Standing) -> PriceGroups:
    """What every choice costs by the rules that stand; of files and texts the least counts."""
    facts = least_facts(model)
    rows = [(each.inputs, quote(model, each.order, rates, standing, measured=facts)) for each in price_table(model)]
    in_line = _most_varied(model, [inputs for inputs, _ in rows])
    if in_line is not None and in_line.type == "number":
        rows.sort(key=lambda row: as_number(row[0].get(in_line.name)) or Decimal(0))
    told = [each for each in model.inputs if each is not in_line and any(each.name in inputs for inputs, _ in rows)]
    grouped: dict[str, Group] = {}
    for inputs, priced in rows:
        same = tuple((each, inputs.get(each.name)) for each in told if each.name in inputs or each.takes_files)
        mark = repr([(each.name, value) for each, value in same])
        before = grouped[mark].prices if mark in grouped else ()
        cell = (inputs.get(in_line.name) if in_line else None, priced.price)
        grouped[mark] = Group(same=same, prices=(*before, cell))
    prices = {priced.price for _, priced in rows}
    rule = rows[0][1].rule
    return PriceGroups(
        groups=tuple(grouped.values()),
        in_line=in_line,
        rates=price_rates(model, rates, standing),
        rule=rule,
        least=min(prices),
        is_one=len(prices) == 1,
    )


def _most_varied(model: Model, rows: Sequence[Mapping[str, Any]]) -> Input | None:
    """The choice with the most values; of several the one that is asked first."""
    values = {each.name: {str(row.get(each.name)) for row in rows} for each in model.inputs}
    most = max((len(found) for found in values.values()), default=1)
    return next((each for each in model.inputs if len(values[each.name]) == most > 1), None)
