"""The catalogue as operators see it: every model with its state, its price and cost now, and how it has done lately."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from photomat.catalog.model import Model
from photomat.catalog.overrides import settings_of_models, standing_rules
from photomat.catalog.pricing import NO_RULES, PriceRules, Quote
from photomat.catalog.storefront import AS_IN_ITS_FILE, ModelSetting, as_sold, called
from photomat.db.pool import transaction
from photomat.orders.service import OrderService
from photomat.reports.sales import ModelFigures, model_figures


class ModelState(StrEnum):
    """Whether customers can buy it, and who decided that they cannot."""

    SOLD = "sold"
    PAUSED = "paused"
    HIDDEN = "hidden"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRow:
    """`price` is that of its cheapest order now, None where it has none; `model` has the title operators gave it."""

    model: Model
    state: ModelState
    featured: bool
    setting: ModelSetting
    rules: PriceRules
    price: Quote | None
    figures: ModelFigures | None

    @property
    def margin_percent(self) -> int | None:
        """Of the price: what is left of it after Kie's cost."""
        if self.price is None or not self.price.price.minor:
            return None
        return round(100 * (self.price.price.minor - self.price.cost.minor) / self.price.price.minor)


async def list_models(orders: OrderService, *, paused: Collection[str] = ()) -> list[ModelRow]:
    """Every model of the catalogue, the best-selling first."""
    settings, rules = await settings_of_models(orders.pool), await _rules(orders)
    figures = await model_figures(orders.pool)
    rows = [
        _row(orders, model, settings, rules.get(model.id, NO_RULES), figures.get(model.id), paused=model.id in paused)
        for model in orders.catalog.models.values()
    ]
    return sorted(rows, key=_weight)


async def read_model(orders: OrderService, model_id: str, *, paused: Collection[str] = ()) -> ModelRow | None:
    model = orders.catalog.models.get(model_id)
    if model is None:
        return None
    settings, rules = await settings_of_models(orders.pool), await _rules(orders)
    figures = await model_figures(orders.pool, model=model_id)
    return _row(
        orders, model, settings, rules.get(model_id, NO_RULES), figures.get(model_id), paused=model_id in paused
    )


async def _rules(orders: OrderService) -> Mapping[str, PriceRules]:
    async with transaction(orders.pool) as tx:
        return await standing_rules(tx, currency=orders.rates.currency)


def _row(
    orders: OrderService,
    model: Model,
    settings: Mapping[str, ModelSetting],
    rules: PriceRules,
    figures: ModelFigures | None,
    *,
    paused: bool,
) -> ModelRow:
    setting = settings.get(model.id, AS_IN_ITS_FILE)
    is_sold = as_sold(model, setting, accepts_callbacks=orders.accepts_callbacks) is not None
    state = ModelState.HIDDEN if setting.hidden else ModelState.OFF
    if is_sold:
        state = ModelState.PAUSED if paused else ModelState.SOLD
    return ModelRow(
        model=called(model, setting),
        state=state,
        featured=setting.featured,
        setting=setting,
        rules=rules,
        price=orders.cheapest.quoted(model, orders.rates, rules) if model.prices else None,
        figures=figures,
    )


def _weight(row: ModelRow) -> tuple[int, int, str, str]:
    revenue = row.figures.sales.revenue.minor if row.figures else 0
    return (-revenue, list(ModelState).index(row.state), row.model.category, row.model.title)
