"""How a price is made: Kie's credits for the chosen inputs × $0.005 × rate × markup, less a discount, rounded up to a step.

An operator's rule for the model may set the price, another markup, or nothing at all (`overrides.py`). Decimal throughout, and
every step rounds towards more. A price is never below cost, unless an operator has confirmed that it shall be.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal, localcontext
from typing import Any, Final, Literal, TypeAlias

from photomat.catalog.formula import EXACT_ENOUGH, total
from photomat.catalog.model import Model
from photomat.catalog.quote import USD_PER_CREDIT, Quote, Rule, cost_of
from photomat.kernel.money import MINOR_PER_MAJOR, Money

OverrideKind: TypeAlias = Literal["fixed", "markup", "free", "discount"]
WHOLE: Final = Decimal(100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What the operator set: units of `currency` for a dollar, what is asked for each unit of cost, and the step of prices."""

    usd_rate: Decimal
    markup: Decimal
    currency: str
    step: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """One rule an operator set for a model; `value` is minor units, a factor, or percent."""

    kind: OverrideKind
    value: Decimal = Decimal(0)
    until: datetime | None = None
    confirmed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """The rules that stand for a model: at most one that makes the price, and one discount."""

    rule: Override | None = None
    discount: Override | None = None


NO_RULES: Final = Standing()


def quote(
    model: Model,
    inputs: Mapping[str, Any],
    rates: Rates,
    standing: Standing = NO_RULES,
    *,
    measured: Mapping[str, Decimal] | None = None,
) -> Quote:
    """What one generation of the model with these inputs costs a customer, and why."""
    parts = model.price_parts(inputs, measured)
    credits_ = total(parts)
    cost = cost_of(credits_, rates.usd_rate, rates.currency)
    rule, discount = _rule_of(model, standing), standing.discount
    markup = standing.rule.value if rule == "markup" and standing.rule else rates.markup
    percent = discount.value if discount is not None and rule != "free" else None
    wanted = _wanted(rule, standing, replace(rates, markup=markup), credits_, percent)
    step = 1 if rule == "fixed" else rates.step
    asked = stepped(wanted, step)
    least = 0 if _may_lose(rule, standing) else stepped(Decimal(cost.minor), step)
    return Quote(
        price=Money(max(asked, least), rates.currency),
        cost=cost,
        parts=parts,
        rule=rule,
        usd_rate=rates.usd_rate,
        markup=markup,
        step=step,
        percent=percent,
        until=_until(standing),
        raised=asked < least,
    )


def price(model: Model, inputs: Mapping[str, Any], rates: Rates, standing: Standing = NO_RULES) -> Money:
    """What one generation of the model with these inputs costs a customer."""
    return quote(model, inputs, rates, standing).price


def stepped(minor: Decimal, step: int) -> int:
    """Up to the next step; an exact one stays."""
    with localcontext(EXACT_ENOUGH):
        return int((minor / step).to_integral_value()) * step


def samples(model: Model) -> tuple[Mapping[str, str], ...]:
    """The inputs a price is tried with before it is set: the defaults, and each row of the price in turn."""
    rows = [{**model.defaults, **dict(row.when)} for row in model.prices]
    return tuple({tuple(sorted(each.items())): each for each in [dict(model.defaults), *rows]}.values())


def _rule_of(model: Model, standing: Standing) -> Rule:
    if standing.rule is not None and standing.rule.kind != "discount":
        return standing.rule.kind
    return "free" if model.free else "formula"


def _wanted(rule: Rule, standing: Standing, rates: Rates, credits_: Decimal, percent: Decimal | None) -> Decimal:
    """What the rule asks for less the discount, in minor units, before rounding."""
    if rule == "free":
        return Decimal(0)
    with localcontext(EXACT_ENOUGH):
        asked = credits_ * USD_PER_CREDIT * rates.usd_rate * rates.markup * MINOR_PER_MAJOR
        if rule == "fixed" and standing.rule is not None:
            asked = standing.rule.value
        return asked if percent is None else asked * (WHOLE - percent) / WHOLE


def _may_lose(rule: Rule, standing: Standing) -> bool:
    """Whether somebody said that the price may be below cost: for free, or by a confirmed rule or discount."""
    return rule == "free" or any(each is not None and each.confirmed for each in (standing.rule, standing.discount))


def _until(standing: Standing) -> datetime | None:
    """When the first of the rules ends."""
    ends = [each.until for each in (standing.rule, standing.discount) if each is not None and each.until is not None]
    return min(ends, default=None)
