"""The shelf of the packaged catalogue, as operators may have set it."""

from photomat.catalog.load import load_catalog
from photomat.catalog.pricing import NO_RULES, Override, PriceRules
from photomat.catalog.storefront import Cheapest, MenuCategory, ModelSetting, Offer, Storefront, in_order, storefront_of
from support.shop import RATES

CATALOG = load_catalog()
CHEAPEST = Cheapest()


def shelf(*, accepts_callbacks: bool = False, **settings: ModelSetting) -> Storefront:
    """What is sold where these models are set so; `/` and `-` of an id are written `__` and `_`."""
    return storefront_of(
        CATALOG, {_id(name): setting for name, setting in settings.items()}, accepts_callbacks=accepts_callbacks
    )


def offers(of: Storefront, wish: MenuCategory | None = None, *, free: tuple[str, ...] = ()) -> list[Offer]:
    """The offers of a shelf that grant a wish, as lists show them; `free` models have such a rule."""
    rule = PriceRules(rule=Override(kind="free"))
    found = [CHEAPEST.offer(each, RATES, rule if each.model.id in free else NO_RULES) for each in of.listed]
    return in_order([each for each in found if wish is None or wish.includes(each.model)])


def _id(name: str) -> str:
    return name.replace("__", "/").replace("_", "-")
