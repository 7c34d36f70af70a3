"""The models as they are sold now, and the lists customers see of them. Pure.

A model is *sold* when a customer who asks for it can buy it, and *listed* when menus and the search show it. A model that a
newer one replaces (`instead`) is sold and not listed, unless an operator wants it shown. One that an operator has *paused* is
shown in lists as unavailable and never chosen for a customer. Lists show each model with the least
it costs, best first, filtered, in pages; a menu category is made of some categories of the catalogue. A link opens one model:
`?start=` and the id in the characters Telegram allows.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from enum import StrEnum
from math import ceil
from typing import Any, Final

from photomat.catalog.input import FileKind
from photomat.catalog.model import Catalog, Category, Model
from photomat.catalog.price_list import cheapest, least_facts
from photomat.catalog.pricing import NO_RULES, PriceRules, Quote, Rates, quote
from photomat.catalog.search import ModelNames, names_of
from photomat.catalog.words import LocalizedText
from photomat.kernel.money import Money

ON_A_PAGE: Final = 8
LINK_PREFIX: Final = "model"
NOT_IN_LINKS: Final = re.compile(r"[^A-Za-z0-9-]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSetting:
    """How a model is sold other than its file says: hidden, shown first, sold although off, under other titles."""

    hidden: bool = False
    featured: bool = False
    sold: bool = False
    title_ru: str | None = None
    title_en: str | None = None


AS_IN_ITS_FILE: Final = ModelSetting()


@dataclass(frozen=True, slots=True, kw_only=True)
class OnSale:
    model: Model
    featured: bool
    listed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Storefront:
    """Everything that can be bought now, by id, in the order of the catalogue; and what is sold but paused.

    What every message asks for is found once: what is listed, and shown in lists, which is also what is listed but paused; the
    menu's categories with something to show; the operators' favourites; the names models go by and, in lower case, the ids and
    titles of those that are not sold.
    """

    on_sale: Mapping[str, OnSale]
    catalog: Catalog
    paused: Mapping[str, OnSale] = field(default_factory=dict)
    listed: tuple[OnSale, ...] = field(init=False)
    shown: tuple[OnSale, ...] = field(init=False)
    categories: "tuple[MenuCategory, ...]" = field(init=False)
    favourites: tuple[Model, ...] = field(init=False)
    names: ModelNames = field(init=False)
    unsold: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        listed = tuple(each for each in self.on_sale.values() if each.listed)
        shown = (*listed, *(each for each in self.paused.values() if each.listed))
        models = self.catalog.models.values()
        unsold = [each for each in models if each.id not in self.on_sale]
        found = {
            "listed": listed,
            "shown": shown,
            "categories": offered(each.model for each in shown),
            "favourites": tuple(each.model for each in listed if each.featured),
            "names": names_of(models),
            "unsold": frozenset(name for each in unsold for name in (each.id, each.title.casefold())),
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)  # frozen elsewhere

    def get(self, model_id: str) -> Model | None:
        found = self.on_sale.get(model_id)
        return found.model if found else None

    def sold(self, model_id: str) -> Model | None:
        """A model that is sold, also while it is paused."""
        found = self.on_sale.get(model_id) or self.paused.get(model_id)
        return found.model if found else None

    def instead_of(self, model_id: str) -> Model | None:
        known = self.catalog.models.get(model_id)
        return self.get(known.instead) if known is not None and known.instead is not None else None


class OfferFilter(StrEnum):
    ALL = "all"
    BEST = "best"
    NEW = "new"
    CHEAP = "cheap"
    FREE = "free"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A model with the least it costs; `is_least` when other choices cost more, `usual` what an unchanged order costs."""

    model: Model
    price: Money
    is_least: bool
    is_free: bool
    featured: bool = False
    usual: Money | None = None
    is_paused: bool = False

    @property
    def as_found(self) -> Model:
        """The model as a search knows it: one that costs nothing now is also found by the tag `free`."""
        is_tagged = "free" in self.model.tags
        return replace(self.model, tags=(*self.model.tags, "free")) if self.is_free and not is_tagged else self.model

    def is_among(self, only: OfferFilter) -> bool:
        """Whether a filter lets it through; an operator's favourite is among the best."""
        match only:
            case OfferFilter.ALL:
                return True
            case OfferFilter.FREE:
                return self.is_free
            case OfferFilter.BEST:
                return self.featured or only.value in self.model.tags
            case OfferFilter.NEW | OfferFilter.CHEAP:
                return only.value in self.model.tags


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferPage:
    """One page of a list, the first being 0; `filters` are those that would leave something."""

    offers: tuple[Offer, ...]
    number: int
    pages: int
    only: OfferFilter
    filters: tuple[OfferFilter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cheapest:
    """The cheapest order of each model, computed once: it does not change while the program runs."""

    _known: dict[str, tuple[Mapping[str, Any], Mapping[str, Decimal]]] = field(default_factory=dict)
    _plain: dict[tuple[str, Rates], Quote] = field(default_factory=dict)

    def order_of(self, model: Model) -> tuple[Mapping[str, Any], Mapping[str, Decimal]]:
        """The inputs of the cheapest order, and the smallest files for it."""
        if model.id not in self._known:
            self._known[model.id] = cheapest(model).order, least_facts(model)
        return self._known[model.id]

    def offer(self, on_sale: OnSale, rates: Rates, standing: PriceRules = NO_RULES) -> Offer:
        """The model with the least it costs by the rules in force."""
        model = on_sale.model
        priced = self.quoted(model, rates, standing)
        return Offer(
            model=model,
            price=priced.price,
            is_least=not model.has_one_price and priced.rule not in {"fixed", "free"},
            is_free=priced.rule == "free",
            featured=on_sale.featured,
        )

    def quoted(self, model: Model, rates: Rates, standing: PriceRules) -> Quote:
        """What the cheapest order costs; without rules it is computed once."""
        found = self._plain.get((model.id, rates)) if standing == NO_RULES else None
        if found is None:
            inputs, facts = self.order_of(model)
            found = quote(model, inputs, rates, standing, measured=facts)
        if standing == NO_RULES:
            self._plain[model.id, rates] = found
        return found


def storefront_of(
    catalog: Catalog,
    settings: Mapping[str, ModelSetting],
    *,
    accepts_callbacks: bool,
    paused: frozenset[str] = frozenset(),
) -> Storefront:
    """What is sold now; `accepts_callbacks` says that Kie can call us back."""
    found: dict[str, OnSale] = {}
    for model in catalog.models.values():
        setting = settings.get(model.id, AS_IN_ITS_FILE)
        sold = as_sold(model, setting, accepts_callbacks=accepts_callbacks)
        if sold is not None:
            is_listed = model.instead is None or setting.sold or setting.featured
            found[model.id] = OnSale(model=sold, featured=setting.featured, listed=is_listed)
    return Storefront(
        on_sale={model_id: each for model_id, each in found.items() if model_id not in paused},
        catalog=catalog,
        paused={model_id: each for model_id, each in found.items() if model_id in paused},
    )


def as_sold(model: Model, setting: ModelSetting, *, accepts_callbacks: bool) -> Model | None:
    """The model under the title it is sold by; None while it is not sold."""
    named = called(model, setting)
    turned_on = replace(named, off=None) if setting.sold and can_be_turned_on(model) else named
    is_refused = setting.hidden or not turned_on.is_sellable or (model.needs_callback and not accepts_callbacks)
    return None if is_refused else turned_on


def called(model: Model, setting: ModelSetting) -> Model:
    if setting.title_ru is None and setting.title_en is None:
        return model
    titles = LocalizedText(ru=setting.title_ru or model.title_in("ru"), en=setting.title_en or model.title_in("en"))
    return replace(model, title=titles.ru, titles=titles)


def can_be_turned_on(model: Model) -> bool:
    """Whether an operator may sell it although it is off: Kie accepts orders of it, and its price is known."""
    return model.can_be_ordered and bool(model.prices)


def in_order(offers: Sequence[Offer]) -> list[Offer]:
    """The operators' favourites, then the best, then the rest; within each the cheapest first. What is paused comes last."""
    return sorted(
        offers,
        key=lambda each: (each.is_paused, not each.featured, not each.is_among(OfferFilter.BEST), each.price.minor),
    )


def page_of(offers: Sequence[Offer], *, only: OfferFilter, number: int) -> OfferPage:
    """One page of a list; a number beyond the last one is the last one."""
    found = in_order([each for each in offers if each.is_among(only)])
    pages = max(1, ceil(len(found) / ON_A_PAGE))
    number = min(number, pages - 1)
    filters = tuple(
        each for each in OfferFilter if each is not OfferFilter.ALL and any(offer.is_among(each) for offer in offers)
    )
    shown = tuple(found[number * ON_A_PAGE : (number + 1) * ON_A_PAGE])
    return OfferPage(offers=shown, number=number, pages=pages, only=only, filters=filters)


def payload_of(model_id: str) -> str:
    """The payload of a link to a model: `model_kling-3_0_video`."""
    return f"{LINK_PREFIX}_{NOT_IN_LINKS.sub('_', model_id)}"


def model_behind(catalog: Catalog, payload: str) -> str | None:
    """The id of the model a link is about, sold or not."""
    return next((model_id for model_id in catalog.models if payload_of(model_id) == payload), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuCategory:
    """One entry of the menu; an empty `of` includes everything. Its title is the text `wish-<id>`.

    `starts_from` is the kind of file a customer who chooses it has at hand.
    """

    id: str
    of: frozenset[Category] = frozenset()
    starts_from: FileKind | None = None

    def includes(self, model: Model) -> bool:
        return not self.of or not self.of.isdisjoint((model.category, *model.also))


def _category(category_id: str, *of: Category, starts_from: FileKind | None = None) -> MenuCategory:
    return MenuCategory(id=category_id, of=frozenset(of), starts_from=starts_from)


PICTURE: Final = _category("picture", "text-to-image")
EVERYTHING: Final = MenuCategory(id="all")
MENU_CATEGORIES: Final[tuple[MenuCategory, ...]] = (
    PICTURE,
    _category("edit", "image-to-image", "image-edit", starts_from="image"),
    _category("animate", "image-to-video", starts_from="image"),
    _category("video", "text-to-video", "reference-to-video"),
    _category("revideo", "video-to-video", starts_from="video"),
    _category("avatar", "avatar", starts_from="image"),
    _category("music", "music"),
    _category("song-tools", "music-tool"),
    _category("voice", "text-to-speech"),
    _category("sound", "sound-effects", "audio-isolation"),
    _category("enhance", "upscale", starts_from="image"),
    _category("background", "background-removal", starts_from="image"),
    _category("read", "image-analysis", starts_from="image"),
    _category("transcribe", "speech-to-text", starts_from="audio"),
)
"""In the order lists of them show them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuGroup:
    """A page of the menu that leads to some of its entries; its title is the text `group-<id>`."""

    id: str
    of: tuple[MenuCategory, ...]

    def among(self, categories: Sequence[MenuCategory]) -> tuple[MenuCategory, ...]:
        return tuple(each for each in self.of if each in categories)


def _group(group_id: str, *of: str) -> MenuGroup:
    by_id = {each.id: each for each in MENU_CATEGORIES}
    return MenuGroup(id=group_id, of=tuple(by_id[each] for each in of))


MENU_GROUPS: Final[tuple[MenuGroup, ...]] = (
    _group("photo", "edit", "animate", "enhance", "background", "avatar", "read"),
    _group("video", "video", "animate", "revideo", "avatar"),
    _group("music", "music", "song-tools", "sound"),
    _group("voice", "voice", "transcribe", "avatar", "sound"),
)
"""In the order of the first screen; pictures have a button of their own there."""


def menu_group(group_id: str) -> MenuGroup | None:
    return next((each for each in MENU_GROUPS if each.id == group_id), None)


def menu_group_of(category: MenuCategory) -> MenuGroup | None:
    """The first page that leads to an entry."""
    return next((each for each in MENU_GROUPS if category in each.of), None)


def menu_category(category_id: str) -> MenuCategory | None:
    return next((each for each in (*MENU_CATEGORIES, EVERYTHING) if each.id == category_id), None)


def menu_category_of(model: Model) -> MenuCategory:
    """The entry whose list shows a model first: by its own category."""
    return next((each for each in MENU_CATEGORIES if model.category in each.of), EVERYTHING)


def starting_from(models: Iterable[Model], kind: FileKind) -> tuple[MenuCategory, ...]:
    """The entries for a customer who has a file of this kind: they start from one, or one of their models requires one."""
    found = list(models)
    needing = [each for each in found if _needs(each, kind)]
    return tuple(
        category
        for category in MENU_CATEGORIES
        if any(map(category.includes, needing)) or (category.starts_from == kind and any(map(category.includes, found)))
    )


def _needs(model: Model, kind: FileKind) -> bool:
    return any(each.required and each.takes_files and each.files and each.files.kind == kind for each in model.inputs)


def offered(models: Iterable[Model]) -> tuple[MenuCategory, ...]:
    found = list(models)
    return tuple(each for each in MENU_CATEGORIES if any(each.includes(model) for model in found))
