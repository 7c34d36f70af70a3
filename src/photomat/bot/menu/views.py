"""The menu: greeting, categories, lists of models, search results. Pure: facts → text and keyboard."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import (
    MAX_BYTES,
    GroupButton,
    IdeasButton,
    LanguageButton,
    ListButton,
    ListedButton,
    ModelButton,
    PricesButton,
    Screen,
    SearchPageButton,
    WayBackButton,
)
from photomat.bot.view import Rows, View, button, in_rows, page_turns, screen_button, to_home, to_pictures
from photomat.catalog.model import USUAL_S, Model
from photomat.catalog.storefront import (
    EVERYTHING,
    MENU_GROUPS,
    PICTURE,
    MenuCategory,
    MenuGroup,
    Offer,
    OfferFilter,
    OfferPage,
    menu_category_of,
)
from photomat.kernel.money import Money
from photomat.texts.load import LANGUAGES, Say

IN_A_ROW: Final = 2
SHOWN_WORDS: Final = 100
SHOWN_STRENGTHS: Final = 2
FAST_AND_CHEAP: Final = frozenset({"fast", "cheap"})
SHOWN_TAGS: Final = ("best", "free", "fast", "cheap", "new")
"""The first that a model has is shown before its purpose."""
MINUTE_S: Final = 60
LONGEST_IN_SECONDS_S: Final = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundModels:
    """What a search found: the first of `count` offers, and what is sold in place of models that are not."""

    words: str
    offers: Sequence[Offer]
    count: int
    gone: str | None = None
    page: int = 0
    pages: int = 1


def greeting(say: Say, *, name: str, balance: Money, categories: Sequence[MenuCategory]) -> View:
    return View(text=say("greeting", name=escape(name), balance=balance), rows=menu(say, categories))


def home(say: Say, *, balance: Money, categories: Sequence[MenuCategory]) -> View:
    return View(text=say("home", balance=balance), rows=menu(say, categories))


def menu(say: Say, categories: Sequence[MenuCategory]) -> Rows:
    """Pictures, the groups with something on sale, two in a row; ideas and the rest; below them the user's money."""
    groups = [to_group(say, each) for each in MENU_GROUPS if each.among(categories)]
    others = [
        to_ideas(say),
        screen_button(say, "menu-history", Screen.HISTORY),
        screen_button(say, "menu-more", Screen.MORE),
    ]
    return [
        *([[to_pictures(say)]] if PICTURE in categories else []),
        *in_rows(groups, IN_A_ROW),
        others,
        [screen_button(say, "menu-balance", Screen.BALANCE), screen_button(say, "menu-topup", Screen.TOPUP)],
    ]


def group_page(say: Say, group: MenuGroup, categories: Sequence[MenuCategory]) -> View:
    """What can be done in a group: its entries that are on sale."""
    text = f"<b>{say(f'group-{group.id}')}</b>\n\n{say(f'group-{group.id}-ask')}"
    entries = [to_list(say, each) for each in group.among(categories)]
    return View(text=text, rows=[*in_rows(entries, IN_A_ROW), [to_ideas(say, group.id), to_home(say)]])


def more_page(say: Say) -> View:
    rows = [
        [to_search(say), to_list(say, EVERYTHING)],
        [screen_button(say, "menu-help", Screen.HELP), screen_button(say, "menu-lang", Screen.LANGUAGE)],
        [to_home(say)],
    ]
    return View(text=say("menu-more-ask"), rows=rows)


def category_rows(say: Say, categories: Sequence[MenuCategory]) -> Rows:
    """Pictures first, then the other categories, two in a row."""
    others = [to_list(say, each) for each in categories if each is not PICTURE]
    rows = in_rows(others, IN_A_ROW)
    return [[to_pictures(say)], *rows] if PICTURE in categories else rows


def help_page(say: Say, *, for_operator: bool) -> View:
    page = hint(say, "help")
    page = replace(page, rows=[*page.rows[:-1], [screen_button(say, "support-open", Screen.SUPPORT), *page.rows[-1]]])
    return replace(page, text=f"{page.text}\n\n{say('help-operator')}") if for_operator else page


def hint(say: Say, key: str) -> View:
    """One sentence with buttons to pictures and the menu."""
    return View(text=say(key), rows=[[to_pictures(say)], [to_home(say)]])


def languages(say: Say) -> View:
    row = [button(say(f"lang-{language}"), LanguageButton(language=language)) for language in LANGUAGES]
    return View(text=say("lang-ask"), rows=[row])


def model_list(say: Say, category: MenuCategory, page: OfferPage, *, language: str) -> View:
    lines = [f"<b>{say(f'wish-{category.id}')}</b>", "", say("list-choose" if page.offers else "list-empty")]
    if category is PICTURE and page.number == 0 and page.offers:
        lines[2:2] = [say("list-or-write"), ""]
    if page.pages > 1:
        lines.append(say("list-page", page=page.number + 1, pages=page.pages))
    lines += ["", *strength_lines(say, page.offers, language=language)] if page.offers else []
    here = ListButton(category=category.id, only=page.only, page=page.number)
    offers = offer_rows(say, page.offers, language=language, here=here)
    filters = _filters(say, category, page)
    turns = page_turns(
        (say("list-previous"), say("list-next")),
        lambda number: ListButton(category=category.id, only=page.only, page=number),
        page=page.number,
        has_more=page.number + 1 < page.pages,
    )
    rows = [*offers, *([filters] if filters else []), *turns, [to_search(say), to_home(say)]]
    return View(text="\n".join(lines), rows=rows)


def strength_lines(say: Say, offers: Sequence[Offer], *, language: str) -> list[str]:
    """What each model is good at, a line for each."""
    return [
        say("list-line", title=escape(each.model.title_in(language)), good_at=good_at(say, each.model, language))
        for each in offers
    ]


def good_at(say: Say, model: Model, language: str) -> str:
    """What a model is good at, in a few words: by its tags and reviewed strengths, or by its purpose where it has none."""
    tags = set(model.tags)
    if not model.good_at and not tags >= FAST_AND_CHEAP:
        purpose = escape(model.purpose.of(language)) if model.purpose else ""
        return say("good-purpose", tag=next((each for each in SHOWN_TAGS if each in tags), "none"), purpose=purpose)
    marks = ["good-best"] if "best" in tags else []
    marks += ["good-fast-cheap"] if tags >= FAST_AND_CHEAP else ["good-cheap"] if "cheap" in tags else []
    marks += [f"good-{each}" for each in model.good_at]
    return " · ".join(say(mark) for mark in marks[:SHOWN_STRENGTHS])


def offer_rows(say: Say, offers: Sequence[Offer], *, language: str, here: ListButton | None = None) -> Rows:
    """Models as buttons, each with the least it costs; `here` is the list they lead back to."""
    return [[button(_label(say, each, language), pick(each.model, here))] for each in offers]


def pick(model: Model, came_from: ListButton | None) -> str:
    """The callback data of a button that opens a model, with the way back to its list where 64 bytes have room for that.

    On the first page of a model's own category nothing more is needed, and the previous version reads it too.
    """
    plain, own = ModelButton(model=model.id).pack(), menu_category_of(model)
    if came_from is None or (came_from == ListButton(category=own.id) and own.starts_from is None):
        return plain
    way_back = ListedButton(category=came_from.category, only=came_from.only, page=came_from.page, model="").pack()
    return way_back + model.id if len(way_back + model.id) <= MAX_BYTES else plain


def search_page(say: Say) -> View:
    return View(text=say("search-ask"), rows=[[to_home(say)]], expects_text=True)


def found_page(say: Say, found: FoundModels, *, language: str) -> View:
    words = escape(found.words[:SHOWN_WORDS])
    lines = [escape(found.gone), ""] if found.gone else []
    lines.append(say("search-found", words=words, count=found.count))
    if found.pages > 1:
        lines.append(say("list-page", page=found.page + 1, pages=found.pages))
    lines += ["", *strength_lines(say, found.offers, language=language)]
    turns = page_turns(
        (say("list-previous"), say("list-next")),
        lambda number: SearchPageButton(page=number),
        page=found.page,
        has_more=found.page + 1 < found.pages,
    )
    rows = [*offer_rows(say, found.offers, language=language), *turns, [to_search(say), to_home(say)]]
    return View(text="\n".join(lines), rows=rows)


def nothing_found(say: Say, words: str, categories: Sequence[MenuCategory]) -> View:
    text = say("search-nothing", words=escape(words[:SHOWN_WORDS]))
    return View(text=text, rows=[*category_rows(say, categories), [to_search(say), to_home(say)]])


def model_gone(say: Say, *, title: str | None, instead: str | None = None) -> str:
    """A model is not sold, and what is sold in its place; plain words, for an alert too."""
    if title is None:
        return say("tap-model-gone")
    if instead is None:
        return say("menu-model-gone", title=title)
    return say("menu-model-replaced", title=title, instead=instead)


def instead_page(say: Say, why: str, instead: Model, *, language: str) -> View:
    model = button(instead.title_in(language), ModelButton(model=instead.id))
    return View(text=escape(why), rows=[[model], [to_list(say, menu_category_of(instead))], [to_home(say)]])


def usual_time(say: Say, model: Model, seconds: int | None) -> str:
    """How long a model usually takes: by our own jobs, or by its pace while there are none."""
    usual_s = USUAL_S[model.pace] if seconds is None else max(1, seconds)
    if usual_s <= LONGEST_IN_SECONDS_S:
        return say("menu-usual-seconds", seconds=usual_s)
    return say("menu-usual-minutes", minutes=round(usual_s / MINUTE_S))


def to_list(say: Say, category: MenuCategory) -> InlineKeyboardButton:
    return button(say(f"wish-{category.id}"), ListButton(category=category.id))


def to_group(say: Say, group: MenuGroup) -> InlineKeyboardButton:
    return button(say(f"group-{group.id}"), GroupButton(group=group.id))


def to_ideas(say: Say, group: str = "all") -> InlineKeyboardButton:
    return button(say("menu-ideas"), IdeasButton(group=group))


def to_models(say: Say, model: Model, came_from: str | None = None) -> InlineKeyboardButton:
    """A button back to the list a model was picked from, or to its own category."""
    page = ListButton.unpack(came_from) if came_from else ListButton(category=menu_category_of(model).id)
    return button(say("menu-to-models"), WayBackButton(**page.model_dump()))


def to_prices(say: Say, model: Model) -> InlineKeyboardButton:
    return button(say("menu-prices"), PricesButton(model=model.id))


def to_search(say: Say) -> InlineKeyboardButton:
    return screen_button(say, "menu-search", Screen.SEARCH)


def _label(say: Say, offer: Offer, language: str) -> str:
    title = offer.model.title_in(language)
    if offer.is_paused:
        return say("controls-model-button", title=title)
    if offer.is_free:
        return say("model-button-free", title=title)
    return say("model-button-from" if offer.is_least else "model-button", title=title, price=offer.price)


def _filters(say: Say, category: MenuCategory, page: OfferPage) -> list[InlineKeyboardButton]:
    """One button for each filter that leaves something; the one that is on switches itself off."""
    row = []
    for each in page.filters:
        is_on, label = each is page.only, say(f"list-{each}")
        target = ListButton(category=category.id, only=OfferFilter.ALL if is_on else each)
        row.append(button(say("list-filter-on", label=label) if is_on else label, target))
    return row
