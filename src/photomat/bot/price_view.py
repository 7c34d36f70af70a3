"""What every choice of a model costs, on one page. Pure: facts → text and keyboard."""

from collections.abc import Sequence
from html import escape
from typing import Any, Final

from photomat.bot.buttons import ListButton
from photomat.bot.menu_view import pick
from photomat.bot.views import View, button, to_home
from photomat.catalog.formula import is_given, plain
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.price_groups import Group, PriceGroups
from photomat.texts.load import Say

LONGEST: Final = 3400
"""Telegram takes 4096 characters; some are left for the sentences around the table."""


def prices_page(
    say: Say, model: Model, prices: PriceGroups, *, language: str, came_from: ListButton | None = None
) -> View:
    """The table, cut where it grows too long, with the way back to the model's question."""
    lines = [say("prices-title", model=escape(model.title_in(language))), "", *_table(say, prices, language)]
    if prices.is_measured:
        lines += ["", say("prices-measured")]
    rows = [[button(say("prices-back"), pick(model, came_from)), to_home(say)]]
    return View(text="\n".join(lines), rows=rows)


def _table(say: Say, prices: PriceGroups, language: str) -> list[str]:
    if prices.rule == "free":
        return [say("prices-free")]
    if prices.is_one or prices.in_line is None:
        return [say("prices-one-from" if prices.is_measured else "prices-one", price=prices.least)]
    groups = [_group(say, prices, prices.in_line, group, language) for group in prices.groups]
    shown = _that_fit(groups)
    cut = sum(len(group.prices) for group in prices.groups[len(shown) :])
    return [*shown, say("prices-cut", count=cut)] if cut else shown


def _group(say: Say, prices: PriceGroups, in_line: Input, group: Group, language: str) -> str:
    """`Режим: Pro · Звук: да`, then the choice that varies with its prices; alone, each of them has a line."""
    title = _title(in_line, language)
    values = [(_value(say, in_line, value, language), price) for value, price in group.prices]
    cells = [
        say("prices-cell-from" if prices.is_measured else "prices-cell", choice=choice, price=price)
        for choice, price in values
    ]
    heading = " · ".join(
        f"{_title(each, language)}: {_value(say, each, value, language)}" for each, value in group.same
    )
    if not heading:
        return "\n".join([f"<b>{title}</b>", *(f"• {cell}" for cell in cells)])
    return f"<b>{heading}</b>\n{title}: {' · '.join(cells)}"


def _that_fit(groups: Sequence[str]) -> list[str]:
    """As many groups as a message takes; at least one, which is short enough by itself."""
    shown: list[str] = []
    for group in groups:
        if shown and sum(map(len, shown)) + len(group) > LONGEST:
            break
        shown.append(group)
    return shown


def _title(asked: Input, language: str) -> str:
    return escape(asked.title.of(language) if asked.title else asked.name)


def _value(say: Say, asked: Input, value: Any, language: str) -> str:
    """A chosen value in words; of files and lists only whether there are any."""
    match asked.type:
        case "choice" | "number" | "text":
            return escape(asked.label(plain(value), language)) if is_given(value) else say("prices-none")
        case "switch":
            return say("prices-yes" if plain(value) == "true" else "prices-no")
        case _:
            return say("prices-yes" if is_given(value) else "prices-no")
