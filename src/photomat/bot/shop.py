"""What is the same for every customer: what is on sale, for how much, and how much of it one may buy."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from photomat.catalog.load import Catalog
from photomat.catalog.model import Model
from photomat.catalog.overrides import rules_of, standing_rules
from photomat.catalog.pricing import NO_RULES, Rates, quote
from photomat.catalog.quote import Quote
from photomat.db.pool import Pool, Transaction
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
    """What taking an order needs to know."""

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

    @property
    def titles(self) -> Mapping[str, str]:
        """What the models are called."""
        return {model.id: model.title for model in self.catalog.models.values()}

    def model(self, model_id: str) -> Model | None:
        """The model, while it is on sale."""
        return self.catalog.sold_in_chat(model_id)

    async def quote(self, model: Model, inputs: Mapping[str, Any], *, tx: Transaction | None = None) -> Quote:
        """What one generation costs now, and why; an operator's rule is read with it, so a change counts at once."""
        standing = await rules_of(tx or self.pool, model.id, currency=self.rates.currency)
        return quote(model, inputs, self.rates, standing)

    async def quotes(self, kind: str) -> list[tuple[Model, Quote]]:
        """The models of a kind with what each costs by default."""
        standing = await standing_rules(self.pool, currency=self.rates.currency)
        return [
            (model, quote(model, model.defaults, self.rates, standing.get(model.id, NO_RULES)))
            for model in self.catalog.of_kind(kind)
        ]
