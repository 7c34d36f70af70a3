"""How a price is made: Kie's credits for the chosen inputs × $0.005 × rate × markup, rounded up to a minor unit.

Decimal throughout, and every step rounds towards more: a price is never below cost by a rounding.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from typing import Final

from photomat.catalog.model import Model
from photomat.kernel.money import MINOR_PER_MAJOR, Money

USD_PER_CREDIT: Final = Decimal("0.005")
EXACT_ENOUGH: Final = Context(prec=60, rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What the operator set: units of `currency` for a dollar, and what is asked for each unit of cost."""

    usd_rate: Decimal
    markup: Decimal
    currency: str


def price(model: Model, inputs: Mapping[str, str], rates: Rates) -> Money:
    """What one generation of the model with these inputs costs a customer."""
    with localcontext(EXACT_ENOUGH):
        major = model.credits_for(inputs) * USD_PER_CREDIT * rates.usd_rate * rates.markup
        minor = (major * MINOR_PER_MAJOR).to_integral_value()
    return Money(int(minor), rates.currency)
