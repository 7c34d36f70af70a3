"""What every choice of a model costs, on one page. Pure: facts → text and keyboard."""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from photomat.bot.buttons import ListButton
from photomat.bot.menu_view import pick
from photomat.bot.rate_view import rates_in_words, value_in_words
from photomat.bot.views import View, button, to_home
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.price_list import PriceGroup, PriceGroups
from photomat.kernel.money import Money
from photomat.texts.load import Say

LONGEST: Final = 3400
"""Telegram takes 4096 characters; some are left for the sentences around the table."""


def prices_page(
    say: Say, model: Model, prices: PriceGroups, *, language: str, came_from: ListButton | None = None
) -> View:
    """The rates or the table, cut where it grows too long, with the way back to the model's question."""
    if prices.rates is not None:
        told = _that_fit(rates_in_words(say, model, prices.rates, language))
    else:
        told = _table(say, prices, language)
    lines = [say("prices-title", model=escape(model.title_in(language))), "", *told]
    rows = [[button(say("prices-back"), pick(model, came_from)), to_home(say)]]
    return View(text="\n".join(lines), rows=rows)


def _table(say: Say, prices: PriceGroups, language: str) -> list[str]:
    if prices.rule == "free":
        return [say("prices-free")]
    if prices.is_one or prices.in_line is None:
        return [say("prices-one", price=prices.least)]
    alike = _alike(prices.groups)
    shown = _that_fit([_group(say, prices.in_line, groups, language) for groups in alike])
    cut = sum(len(group.prices) for groups in alike[len(shown) :] for group in groups)
    return [*shown, say("prices-cut", count=cut)] if cut else shown


def _alike(groups: Sequence[PriceGroup]) -> list[list[PriceGroup]]:
    """Groups with the same prices that differ by their first choice alone stand together."""
    found: dict[str, list[PriceGroup]] = {}
    for group in groups:
        names = [each.name for each, _ in group.same]
        found.setdefault(repr((names, [value for _, value in group.same[1:]], group.prices)), []).append(group)
    return list(found.values())


def _group(say: Say, in_line: Input, groups: Sequence[PriceGroup], language: str) -> str:
    """`Режим: Pro · Звук: да`, then the choice that varies with its prices; alone, each of them has a line."""
    first, title = groups[0], escape(in_line.title_in(language))

    def told(asked: Input, values: Sequence[Any]) -> str:
        return ", ".join(dict.fromkeys(value_in_words(say, asked, value, language) for value in values))

    cells = [
        say("prices-cell", choice=told(in_line, values), price=price)
        for price, values in _by_price(first.prices).items()
    ]
    heading = " · ".join(
        f"{escape(each.title_in(language))}: {told(each, [group.same[place][1] for group in groups])}"
        for place, (each, _) in enumerate(first.same)
    )
    if not heading:
        return "\n".join([f"<b>{title}</b>", *(f"• {cell}" for cell in cells)])
    return f"<b>{heading}</b>\n{title}: {' · '.join(cells)}"


def _by_price(prices: Sequence[tuple[Any, Money]]) -> dict[Money, list[Any]]:
    """The values of a choice by what they cost, so that one price is told once."""
    found: dict[Money, list[Any]] = {}
    for value, price in prices:
        found.setdefault(price, []).append(value)
    return found


def _that_fit(groups: Sequence[str]) -> list[str]:
    """As many groups as a message takes; at least one, which is short enough by itself."""
    shown: list[str] = []
    for group in groups:
        if shown and sum(map(len, shown)) + len(group) > LONGEST:
            break
        shown.append(group)
    return shown
