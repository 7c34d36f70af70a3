"""What is the same for every customer: what is on sale, for how much, and how much of it one may buy."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.model import Catalog, Model
from photomat.catalog.overrides import rules_of, setting_of, settings_of_models, standing_rules
from photomat.catalog.price_list import usual_price
from photomat.catalog.pricing import NO_RULES, Quote, Rates, quote
from photomat.catalog.storefront import (
    AS_IN_ITS_FILE,
    Cheapest,
    Offer,
    OnSale,
    Storefront,
    as_sold,
    called,
    storefront_of,
)
from photomat.db.pool import Pool, Transaction
from photomat.files.desk import FileDesk
from photomat.jobs.job import Times
from photomat.jobs.limits import USUAL, Limits
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.payments.offers import Offers
from photomat.providers.port import PaymentProvider
from photomat.rewards.book import Terms


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """Whom to ask about a payment, and where the terms are; empty where the operator said neither."""

    contact: str = ""
    terms_url: str | None = None


NO_SUPPORT: Final = Support()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """What taking an order needs to know; `reachable` says that Kie can call us back."""

    pool: Pool
    catalog: Catalog
    rates: Rates
    times: Times
    welcome_credit: Money
    limits: Limits = USUAL
    terms: Terms | None = None
    offers: Offers | None = None
    providers: Mapping[str, PaymentProvider] = field(default_factory=dict)
    operators: frozenset[UserId] = frozenset()
    support: Support = NO_SUPPORT
    reachable: bool = False
    files: FileDesk | None = None
    cheapest: Cheapest = field(default_factory=Cheapest)

    async def titles(self, language: str) -> Mapping[str, str]:
        """What the models are called, those too that are no longer sold."""
        settings = await settings_of_models(self.pool)
        models = self.catalog.models.values()
        return {each.id: called(each, settings.get(each.id, AS_IN_ITS_FILE)).title_in(language) for each in models}

    async def model(self, model_id: str) -> Model | None:
        """The model as it is sold now; None while it is not. What operators set is read with it: a change counts at once."""
        known = self.catalog.models.get(model_id)
        if known is None:
            return None
        return as_sold(known, await setting_of(self.pool, model_id), reachable=self.reachable)

    async def shelf(self) -> Storefront:
        """Everything that is sold now."""
        return storefront_of(self.catalog, await settings_of_models(self.pool), reachable=self.reachable)

    async def offers_on(self, shelf: Storefront) -> list[Offer]:
        """Everything menus list, each with the least it costs now."""
        standing = await standing_rules(self.pool, currency=self.rates.currency)
        return [self.cheapest.offer(each, self.rates, standing.get(each.model.id, NO_RULES)) for each in shelf.listed]

    async def offer(self, model: Model) -> Offer:
        """A model with the least it costs now, and what it usually does."""
        standing = await rules_of(self.pool, model.id, currency=self.rates.currency)
        offer = self.cheapest.offer(OnSale(model=model, featured=False, listed=True), self.rates, standing)
        return replace(offer, usual=usual_price(model, self.rates, standing))

    async def quote(
        self,
        model: Model,
        inputs: Mapping[str, Any],
        *,
        measured: Mapping[str, Decimal] | None = None,
        tx: Transaction | None = None,
    ) -> Quote:
        """What one generation costs now, and why; an operator's rule is read with it, so a change counts at once.

        `measured` is what is known of the files among the inputs (`files/facts.py`).
        """
        standing = await rules_of(tx or self.pool, model.id, currency=self.rates.currency)
        return quote(model, inputs, self.rates, standing, measured=measured)
