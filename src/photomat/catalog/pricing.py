"""How a price is made, and the quote that stores everything it was made of. Pure.

    price = Kie's credits for the chosen inputs × $0.005 × rate × markup, less a discount, rounded up to a step

An operator's rule for the model may set the price, another markup, or nothing at all (`overrides.py`). Decimal throughout, and
every step rounds up. A price is never below cost, unless an operator has confirmed that it may be.

A quote is frozen on the job as JSON when it is bought (`as_json`), so that "why 12 ₽?" can be answered whatever the prices
are by then. It holds what only operators may see (cost, rate, markup): leave that out of what a customer reads.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import ROUND_CEILING, Decimal, InvalidOperation, localcontext
from typing import Any, Final, Literal, TypeAlias, get_args

from photomat.catalog.formula import EXACT_ENOUGH, UNIT_WORDS, PricePart, total
from photomat.catalog.model import Model
from photomat.kernel.money import MINOR_PER_MAJOR, Money

Rule: TypeAlias = Literal["formula", "fixed", "markup", "free"]
"""Which rule made the price: the settings', or one an operator set for the model (the catalogue itself may say `free`)."""

RULES: Final[tuple[Rule, ...]] = get_args(Rule)
USD_PER_CREDIT: Final = Decimal("0.005")
OverrideKind: TypeAlias = Literal["fixed", "markup", "free", "discount"]
WHOLE: Final = Decimal(100)


@dataclass(frozen=True, slots=True, kw_only=True)
class Voucher:
    """A generation that a promo code pays for; `price` is what it would cost without, `left` how many there were then."""

    use_id: int
    code: str
    left: int
    price: Money

    def as_json(self) -> dict[str, Any]:
        return {"use_id": self.use_id, "code": self.code, "left": self.left, "price": self.price.minor}


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A price and its reasons. `raised`: it was raised to cost, as no operator confirmed a lower one.

    With a voucher (`paid_by`) the price is 0; the rest is what it would be made of without.
    """

    price: Money
    cost: Money
    parts: tuple[PricePart, ...]
    rule: Rule
    usd_rate: Decimal
    markup: Decimal
    step: int = 1
    percent: Decimal | None = None
    until: datetime | None = None
    raised: bool = False
    paid_by: Voucher | None = None

    @property
    def credits(self) -> Decimal:
        return total(self.parts)

    def with_voucher(self, voucher: Voucher) -> "Quote":
        return replace(self, price=Money(0, self.price.currency), paid_by=voucher)

    def without_voucher(self) -> "Quote":
        return self if self.paid_by is None else replace(self, price=self.paid_by.price, paid_by=None)

    def price_of_credits(self, credits_: Decimal) -> Decimal:
        """What a customer pays for so many credits, in major units, before discount and rounding."""
        with localcontext(EXACT_ENOUGH):
            return credits_ * USD_PER_CREDIT * self.usd_rate * self.markup

    def as_json(self) -> dict[str, Any]:
        return {
            "price": self.price.minor,
            "cost": self.cost.minor,
            "currency": self.price.currency,
            "rule": self.rule,
            "usd_rate": str(self.usd_rate),
            "markup": str(self.markup),
            "step": self.step,
            "credits": str(self.credits),
            "percent": None if self.percent is None else str(self.percent),
            "until": None if self.until is None else self.until.isoformat(),
            "raised": self.raised,
            "parts": [_part_as_json(part) for part in self.parts],
        } | ({} if self.paid_by is None else {"pass": self.paid_by.as_json()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """The operator's settings: units of `currency` for a dollar, the factor on cost, and the step of prices."""

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
class PriceRules:
    """The rules in force for a model: at most one that makes the price, and one discount."""

    rule: Override | None = None
    discount: Override | None = None


NO_RULES: Final = PriceRules()


def quote(
    model: Model,
    inputs: Mapping[str, Any],
    rates: Rates,
    standing: PriceRules = NO_RULES,
    *,
    measured: Mapping[str, Decimal] | None = None,
) -> Quote:
    parts = model.price_parts(inputs, measured)
    credits_ = total(parts)
    cost = cost_of(credits_, rates.usd_rate, rates.currency)
    rule, discount = _rule_of(model, standing), standing.discount
    markup = standing.rule.value if rule == "markup" and standing.rule else rates.markup
    percent = discount.value if discount is not None and rule != "free" else None
    wanted = _wanted(rule, standing, credits_, usd_rate=rates.usd_rate, markup=markup, percent=percent)
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


def stepped(minor: Decimal, step: int) -> int:
    """Round up to the next step; an exact one stays."""
    with localcontext(EXACT_ENOUGH):
        return int((minor / step).to_integral_value()) * step


def samples(model: Model) -> tuple[Mapping[str, str], ...]:
    """The inputs a price is tried with before it is set: the defaults, and each row of the price in turn."""
    rows = [{**model.defaults, **dict(row.when)} for row in model.prices]
    return tuple({tuple(sorted(each.items())): each for each in [dict(model.defaults), *rows]}.values())


def cost_of(credits_: Decimal, usd_rate: Decimal, currency: str) -> Money:
    """What so many credits cost us; a begun minor unit is a whole one."""
    with localcontext(EXACT_ENOUGH):
        minor = credits_ * USD_PER_CREDIT * usd_rate * MINOR_PER_MAJOR
        return Money(int(minor.to_integral_value(rounding=ROUND_CEILING)), currency)


def quote_from_json(stored: Mapping[str, Any] | None) -> Quote | None:
    """The stored quote of a job; None where it has none, or one this version cannot read."""
    try:
        return None if stored is None else _read(stored)
    except (KeyError, TypeError, ValueError, InvalidOperation):
        return None


def _rule_of(model: Model, standing: PriceRules) -> Rule:
    if standing.rule is not None and standing.rule.kind != "discount":
        return standing.rule.kind
    return "free" if model.free else "formula"


def _wanted(
    rule: Rule, standing: PriceRules, credits_: Decimal, *, usd_rate: Decimal, markup: Decimal, percent: Decimal | None
) -> Decimal:
    """What the rule asks for less the discount, in minor units, before rounding."""
    if rule == "free":
        return Decimal(0)
    with localcontext(EXACT_ENOUGH):
        asked = credits_ * USD_PER_CREDIT * usd_rate * markup * MINOR_PER_MAJOR
        if rule == "fixed" and standing.rule is not None:
            asked = standing.rule.value
        return asked if percent is None else asked * (WHOLE - percent) / WHOLE


def _may_lose(rule: Rule, standing: PriceRules) -> bool:
    """Whether the price may be below cost: for free, or by a confirmed rule or discount."""
    return rule == "free" or any(each is not None and each.confirmed for each in (standing.rule, standing.discount))


def _until(standing: PriceRules) -> datetime | None:
    """When the first of the rules ends."""
    ends = [each.until for each in (standing.rule, standing.discount) if each is not None and each.until is not None]
    return min(ends, default=None)


def _part_as_json(part: PricePart) -> dict[str, Any]:
    stored = {"size": part.size, "counted": part.counted}
    return {
        "rate": str(part.rate),
        "unit": part.unit,
        "each": str(part.each),
        "count": str(part.count),
        "when": dict(part.when),
    } | {name: str(value) for name, value in stored.items() if value is not None}


def _read_voucher(stored: Mapping[str, Any] | None, currency: str) -> Voucher | None:
    if stored is None:
        return None
    price = Money(int(stored["price"]), currency)
    return Voucher(use_id=int(stored["use_id"]), code=str(stored["code"]), left=int(stored["left"]), price=price)


def _read(stored: Mapping[str, Any]) -> Quote:
    currency = str(stored["currency"])
    until = stored["until"]
    return Quote(
        price=Money(int(stored["price"]), currency),
        cost=Money(int(stored["cost"]), currency),
        parts=tuple(_read_part(part) for part in stored["parts"]),
        rule={rule: rule for rule in RULES}[stored["rule"]],
        usd_rate=Decimal(stored["usd_rate"]),
        markup=Decimal(stored["markup"]),
        step=int(stored["step"]),
        percent=None if stored["percent"] is None else Decimal(stored["percent"]),
        until=None if until is None else datetime.fromisoformat(until),
        raised=bool(stored["raised"]),
        paid_by=_read_voucher(stored.get("pass"), currency),
    )


def _read_part(stored: Mapping[str, Any]) -> PricePart:
    return PricePart(
        rate=Decimal(stored["rate"]),
        unit=next((word for word in UNIT_WORDS if word == stored["unit"]), "generation"),
        each=Decimal(stored["each"]),
        count=Decimal(stored["count"]),
        when=tuple(stored["when"].items()),
        size=Decimal(stored["size"]) if stored.get("size") is not None else None,
        counted=Decimal(stored["counted"]) if stored.get("counted") is not None else None,
    )
