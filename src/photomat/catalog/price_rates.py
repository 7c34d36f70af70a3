"""Prices that grow with an order, as rates: what a second, a picture or a thousand characters cost. Pure."""

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal
from typing import Final

from photomat.catalog.formula import Extra, PriceRow, Unit, UnitWord
from photomat.catalog.listing import usual_price
from photomat.catalog.model import Model
from photomat.catalog.pricing import Rates, Standing, quote
from photomat.catalog.quote import Quote
from photomat.catalog.samples import example_of
from photomat.kernel.money import ExactMoney, Money

THOUSAND: Final = Decimal(1000)
WHOLE: Final = Decimal(100)
COIN: Final = Decimal("0.01")
SMALLEST_IN_COINS: Final = Decimal("0.1")
"""What costs less is told more finely than in coins."""


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
    """The rates of a model: the first that fits counts, every extra comes besides. `usual`: an order as it stands."""

    rows: tuple[Rate, ...]
    extras: tuple[tuple[Extra, Rate], ...]
    usual: Money | None


def price_rates(model: Model, rates: Rates, standing: Standing) -> PriceRates | None:
    """The rates by the rules that stand; None where a table of prices says it exactly, or one price holds for all."""
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


def _rate(row: PriceRow, unit: Unit, made: Quote) -> Rate:
    """Characters are told by the thousand, whatever Kie counts of them."""
    by_length = any(count.measure == "length" for count in unit.counts)
    each = THOUSAND if by_length else unit.each
    credits_ = row.credits * unit.factor * each / unit.each
    major = made.price_of_credits(credits_)
    major = major if made.percent is None else major * (WHOLE - made.percent) / WHOLE
    told = major.quantize(COIN, rounding=ROUND_CEILING) if major >= SMALLEST_IN_COINS else major
    return Rate(
        row=row,
        price=ExactMoney(told, made.price.currency),
        unit="character" if by_length else unit.word,
        each=each,
        free=unit.free,
    )
