"""The models as they are sold now: the catalogue, what operators set, and whether Kie can call us back. Pure.

A model is *sold* when it can be bought by whoever asks for it, and *listed* when menus and the search show it. What a newer
model replaces (`instead`) is sold and not listed, unless an operator wants it seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from photomat.catalog.load import Catalog
from photomat.catalog.model import Model
from photomat.catalog.words import Said


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSetting:
    """How a model is sold other than its file says: kept from customers, shown first, sold although off, called otherwise."""

    hidden: bool = False
    featured: bool = False
    sold: bool = False
    title_ru: str | None = None
    title_en: str | None = None


AS_IN_ITS_FILE: Final = ModelSetting()


@dataclass(frozen=True, slots=True, kw_only=True)
class OnSale:
    """A model under the name it is sold by; `featured` comes first in its list."""

    model: Model
    featured: bool
    listed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Shelf:
    """Everything that is sold, by id, in the order of the catalogue."""

    on_sale: Mapping[str, OnSale]
    catalog: Catalog

    @property
    def listed(self) -> tuple[OnSale, ...]:
        """What menus and the search show."""
        return tuple(each for each in self.on_sale.values() if each.listed)

    def get(self, model_id: str) -> Model | None:
        """The model, while it is sold."""
        found = self.on_sale.get(model_id)
        return found.model if found else None

    def instead_of(self, model_id: str) -> Model | None:
        """What is sold in place of a model that is not."""
        known = self.catalog.models.get(model_id)
        return self.get(known.instead) if known is not None and known.instead is not None else None


def shelf_of(catalog: Catalog, settings: Mapping[str, ModelSetting], *, reachable: bool) -> Shelf:
    """What is sold now; `reachable` says that Kie can call us back."""
    found: dict[str, OnSale] = {}
    for model in catalog.models.values():
        setting = settings.get(model.id, AS_IN_ITS_FILE)
        sold = as_sold(model, setting, reachable=reachable)
        if sold is not None:
            is_listed = model.instead is None or setting.sold or setting.featured
            found[model.id] = OnSale(model=sold, featured=setting.featured, listed=is_listed)
    return Shelf(on_sale=found, catalog=catalog)


def as_sold(model: Model, setting: ModelSetting, *, reachable: bool) -> Model | None:
    """The model under the name it is sold by; None while it is not sold."""
    named = called(model, setting)
    turned_on = replace(named, off=None) if setting.sold and can_be_turned_on(model) else named
    is_refused = setting.hidden or not turned_on.is_sellable or (model.needs_callback and not reachable)
    return None if is_refused else turned_on


def called(model: Model, setting: ModelSetting) -> Model:
    """The model under the operators' names, where they gave any."""
    if setting.title_ru is None and setting.title_en is None:
        return model
    titles = Said(ru=setting.title_ru or model.title_in("ru"), en=setting.title_en or model.title_in("en"))
    return replace(model, title=titles.ru, titles=titles)


def can_be_turned_on(model: Model) -> bool:
    """Whether an operator may sell it although it is off: Kie takes orders of it, and its price is known."""
    return model.can_be_ordered and bool(model.prices)
