"""Offers as lists show them: each model with the least it costs, best first, filtered, in pages. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from math import ceil
from typing import Any, Final

from photomat.catalog.combinations import cheapest, least_facts
from photomat.catalog.formula import is_given
from photomat.catalog.model import Model
from photomat.catalog.pricing import NO_RULES, Rates, Standing, quote
from photomat.catalog.quote import Quote
from photomat.catalog.samples import example_of
from photomat.catalog.shelf import OnSale
from photomat.kernel.money import Money

ON_A_PAGE: Final = 8


class Only(StrEnum):
    """Which offers of a list are shown."""

    ALL = "all"
    BEST = "best"
    NEW = "new"
    CHEAP = "cheap"
    FREE = "free"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A model with the least it costs; `is_least` when other choices cost more, `usual` what it costs as it stands."""

    model: Model
    price: Money
    is_least: bool
    is_free: bool
    featured: bool = False
    usual: Money | None = None

    @property
    def as_found(self) -> Model:
        """The model as a search knows it: one that costs nothing now is found by that."""
        is_tagged = "free" in self.model.tags
        return replace(self.model, tags=(*self.model.tags, "free")) if self.is_free and not is_tagged else self.model

    def is_among(self, only: Only) -> bool:
        """Whether a filter lets it through; an operator's favourite is among the best."""
        match only:
            case Only.ALL:
                return True
            case Only.FREE:
                return self.is_free
            case Only.BEST:
                return self.featured or only.value in self.model.tags
            case Only.NEW | Only.CHEAP:
                return only.value in self.model.tags


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of a list, the first being 0; `filters` are those that would leave something."""

    offers: tuple[Offer, ...]
    number: int
    pages: int
    only: Only
    filters: tuple[Only, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cheapest:
    """The cheapest order of each model, worked out once: it does not change while the program runs."""

    _known: dict[str, tuple[Mapping[str, Any], Mapping[str, Decimal]]] = field(default_factory=dict)
    _plain: dict[tuple[str, Rates], Quote] = field(default_factory=dict)

    def order_of(self, model: Model) -> tuple[Mapping[str, Any], Mapping[str, Decimal]]:
        """The inputs of the cheapest order, and the smallest files for it."""
        if model.id not in self._known:
            self._known[model.id] = cheapest(model).order, least_facts(model)
        return self._known[model.id]

    def offer(self, on_sale: OnSale, rates: Rates, standing: Standing = NO_RULES) -> Offer:
        """The model with the least it costs by the rules that stand."""
        model = on_sale.model
        priced = self._quoted(model, rates, standing)
        return Offer(
            model=model,
            price=priced.price,
            is_least=not model.has_one_price and priced.rule not in {"fixed", "free"},
            is_free=priced.rule == "free",
            featured=on_sale.featured,
        )

    def _quoted(self, model: Model, rates: Rates, standing: Standing) -> Quote:
        """What the cheapest order costs; where no rule stands, it is reckoned once."""
        found = self._plain.get((model.id, rates)) if standing == NO_RULES else None
        if found is None:
            inputs, facts = self.order_of(model)
            found = quote(model, inputs, rates, standing, measured=facts)
        if standing == NO_RULES:
            self._plain[model.id, rates] = found
        return found


def usual_price(model: Model, rates: Rates, standing: Standing = NO_RULES) -> Money | None:
    """What an order costs where nothing is changed; None where that hangs on the length of a text or a file."""
    order = example_of(model)
    units = [model.unit, *(extra.unit for extra in model.extras), *([model.step] if model.step else [])]
    counts = [count for unit in units for count in (*unit.counts, *unit.times)]
    if any(each.measure not in {"value", "items"} and is_given(order.get(each.input)) for each in counts):
        return None
    return quote(model, order, rates, standing).price


def in_order(offers: Sequence[Offer]) -> list[Offer]:
    """The operators' favourites, then the best, then the rest; within each the cheapest first."""
    return sorted(offers, key=lambda each: (not each.featured, not each.is_among(Only.BEST), each.price.minor))


def page_of(offers: Sequence[Offer], *, only: Only, number: int) -> Page:
    """One page of a list; a number beyond the last one is the last one."""
    found = in_order([each for each in offers if each.is_among(only)])
    pages = max(1, ceil(len(found) / ON_A_PAGE))
    number = min(number, pages - 1)
    filters = tuple(each for each in Only if each is not Only.ALL and any(offer.is_among(each) for offer in offers))
    shown = tuple(found[number * ON_A_PAGE : (number + 1) * ON_A_PAGE])
    return Page(offers=shown, number=number, pages=pages, only=only, filters=filters)
