"""What is the same for every customer: what is on sale, and for how much."""

from collections.abc import Mapping
from dataclasses import dataclass

from photomat.catalog.load import Catalog
from photomat.catalog.model import Model
from photomat.catalog.pricing import Rates, price
from photomat.db.pool import Pool
from photomat.jobs.job import Times
from photomat.kernel.money import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """What taking an order needs to know."""

    pool: Pool
    catalog: Catalog
    rates: Rates
    times: Times
    welcome_credit: Money

    def model(self, model_id: str) -> Model | None:
        """The model, while it is on sale."""
        return self.catalog.models.get(model_id)

    def price(self, model: Model, inputs: Mapping[str, str]) -> Money:
        """What one generation costs now."""
        return price(model, inputs, self.rates)
