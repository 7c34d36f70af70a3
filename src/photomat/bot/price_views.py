"""Prices in a customer's words: "why 12 ₽?", the rates of a model, a table of its choices; and limits. Pure.

A customer reads what each unit costs them, how many there are, which rule and discount counted and how it was rounded; never
what it costs us.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from html import escape
from math import ceil
from typing import Any, Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import ListButton
from photomat.bot.menu.views import pick
from photomat.bot.view import View, button, to_home
from photomat.catalog.formula import PricePart, PriceUnit, as_number, is_given, plain
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.price_list import PriceGroup, PriceGroups, PriceRates, Rate
from photomat.catalog.pricing import Quote
from photomat.kernel.money import ExactMoney, Money
from photomat.orders.outcome import LimitKind, LimitReached
from photomat.texts.load import Say

MINUTE_S: Final = 60
LONGEST_IN_SECONDS_S: Final = 100
LONGEST_IN_HOURS: Final = 48
DAY_H: Final = 24
THOUSAND: Final = Decimal(1000)
SAID_ONCE: Final = frozenset({"generation", "image", "video"})
"""Of these a single one needs no number."""
COUNTED_FIRST: Final = frozenset({"character", "token"})
"""Priced by the thousand, so how many there are comes before the price."""
YES_NO: Final = frozenset({"true", "false"})
LONGEST: Final = 3400
"""Telegram takes 4096 characters; some are left for the sentences around the table."""


def rates_in_words(say: Say, model: Model, rates: PriceRates, language: str) -> list[str]:
    """A line for each rate and each extra, what is counted, and what an order as it stands costs."""
    lines = [_row(say, model, rate, language) for rate in rates.rows]
    for extra, rate in rates.extras:
        line = say("prices-extra", rate=_rate(say, model, rate), inputs=_counted(model, extra.unit, language))
        lines.append(line if not rate.free else f"{line} {say('prices-extra-free', count=plain(rate.free))}")
    usual = [say("prices-usual", price=rates.usual)] if rates.usual is not None else []
    below = [*_how_counted(say, model, language), *usual]
    return [*lines, "", *below] if below else lines


def choice_in_words(say: Say, model: Model, when: tuple[tuple[str, str], ...], language: str) -> list[str]:
    """The chosen options by their labels, switches by their titles."""
    words = []
    for name, value in when:
        asked = model.input(name.partition(":")[0]) if ":" not in name else None
        if asked is not None and asked.type == "switch":
            words.append(f"{escape(asked.title_in(language))}: {value_in_words(say, asked, value, language)}")
        else:
            words.append(_with_unit(say, asked, value, language) if asked else escape(value))
    return words


def _with_unit(say: Say, asked: Input, value: str, language: str) -> str:
    """A number with the unit its title names: `8 с`; anything else by its label."""
    unit = asked.title_in(language).rpartition(", ")[2] if ", " in asked.title_in(language) else ""
    words = value_in_words(say, asked, value, language)
    return f"{words} {escape(unit)}" if unit and as_number(words) is not None else words


def value_in_words(say: Say, asked: Input, value: Any, language: str) -> str:
    """A chosen value in words; of files and lists only whether there are any."""
    match asked.type:
        case "choice" | "number" | "text":
            return escape(asked.label(plain(value), language)) if is_given(value) else say("prices-none")
        case "switch":
            return say("prices-yes" if plain(value) == "true" else "prices-no")
        case _:
            return say("prices-yes" if is_given(value) else "prices-no")


def size_in_words(say: Say, model: Model, size: Any) -> str:
    """A size that a price step depends on: the longer side, or the area."""
    measure = model.step.counts[0].measure if model.step is not None and model.step.counts else "side"
    return say("prices-megapixels" if measure == "megapixels" else "prices-pixels", size=plain(size))


def _row(say: Say, model: Model, rate: Rate, language: str) -> str:
    words = choice_in_words(say, model, rate.row.when, language)
    given = [asked.title_in(language) for name in rate.row.given if (asked := model.input(name)) is not None]
    words += [say("prices-with", inputs=escape(", ".join(given)))] if given else []
    if rate.row.up_to is not None:
        words.append(say("prices-up-to", size=size_in_words(say, model, rate.row.up_to)))
    elif model.step is not None:
        words.append(say("prices-over"))
    price = _rate(say, model, rate)
    if not words and len(model.prices) == 1:
        return f"• {price}"
    return f"• {say('prices-cell', choice=', '.join(words) or say('prices-else'), price=price)}"


def _rate(say: Say, model: Model, rate: Rate) -> str:
    return say(f"prices-rate-{rate.unit}", price=rate.price, each=plain(rate.each), kind=model.kind)


def _how_counted(say: Say, model: Model, language: str) -> list[str]:
    counted = _counted(model, model.unit, language)
    if not counted:
        return []
    line = say("prices-counted-largest" if model.unit.largest else "prices-counted", inputs=counted)
    return [line, say("prices-whole")] if model.unit.whole else [line]


def _counted(model: Model, unit: PriceUnit, language: str) -> str:
    """The inputs that count, by their titles; one title once."""
    found = [asked.title_in(language) for count in unit.counts if (asked := model.input(count.input)) is not None]
    return escape(", ".join(f"«{title}»" for title in dict.fromkeys(found)))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteExplanation:
    say: Say
    quote: Quote
    model: Model | None
    language: str


def why_page(
    say: Say,
    title: str,
    quote: Quote,
    *,
    free_a_day: int,
    rows: list[list[InlineKeyboardButton]],
    model: Model | None = None,
    language: str = "ru",
) -> View:
    """Why a generation of this model costs what it does; for a model no longer in the catalogue the choices stay raw."""
    explained = QuoteExplanation(say=say, quote=quote, model=model, language=language)
    asked = say("why-title" if quote.price.minor else "why-title-free", model=escape(title), price=quote.price)
    lines = [asked, "", *_lines(explained, free_a_day)]
    return View(text="\n".join(lines), rows=rows)


def refusal(say: Say, refused: LimitReached) -> str:
    key = f"tap-limit-{refused.why}"
    if refused.why is LimitKind.BANNED:
        return say("tap-limit-banned-for-good") if refused.wait is None else say(key, wait=span(say, refused.wait))
    if refused.wait is None:
        return say(key, limit=refused.limit)
    return say(key, limit=refused.limit, wait=span(say, refused.wait))


def span(say: Say, wait: timedelta) -> str:
    """A wait in words, rounded up: `40 с`, `3 мин`, `5 ч 12 мин`, `6 дн 3 ч`."""
    seconds = max(1, ceil(wait.total_seconds()))
    if seconds <= LONGEST_IN_SECONDS_S:
        return say("wait-seconds", seconds=seconds)
    minutes = ceil(seconds / MINUTE_S)
    if minutes < MINUTE_S:
        return say("wait-minutes", minutes=minutes)
    if minutes > LONGEST_IN_HOURS * MINUTE_S:
        hours = ceil(minutes / MINUTE_S)
        return say("wait-days", days=hours // DAY_H, hours=hours % DAY_H)
    return say("wait-hours", hours=minutes // MINUTE_S, minutes=minutes % MINUTE_S)


def _lines(explained: QuoteExplanation, free_a_day: int) -> list[str]:
    say, quote = explained.say, explained.quote
    if quote.paid_by is not None:
        *made_of, _, _ = _lines(replace(explained, quote=quote.without_voucher()), free_a_day)
        paid = say("why-pass", code=escape(quote.paid_by.code), price=quote.paid_by.price)
        return [*made_of, paid, "", say("why-total", price=quote.price)]
    if quote.rule == "free":
        return [say("why-free-limited", limit=free_a_day) if free_a_day else say("why-free"), *_until(say, quote)]
    lines = [say("why-fixed")] if quote.rule == "fixed" else _parts(explained)
    if quote.percent is not None:
        lines.append(say("why-discount", percent=plain(quote.percent)))
    lines += _until(say, quote)
    if quote.raised:
        lines.append(say("why-least"))
    elif quote.rule != "fixed" and quote.step > 1:
        lines.append(say("why-rounded", step=Money(quote.step, quote.price.currency)))
    return [*lines, "", say("why-total", price=quote.price)]


def _parts(explained: QuoteExplanation) -> list[str]:
    parts = explained.quote.parts
    lines = [_line(explained, part) for part in parts]
    return [*lines, explained.say("why-tokens")] if any(part.unit == "token" for part in parts) else lines


def _line(explained: QuoteExplanation, part: PricePart) -> str:
    """`• 2,40 ₽ за секунду (720p) × 5`, `• 28 симв. по 9,60 ₽ за 1000`; tokens by the thousand instead of the million."""
    say, quote = explained.say, explained.quote
    each = min(part.each, THOUSAND) if part.unit == "token" else part.each
    asked = ExactMoney(quote.price_of_credits(part.rate) * each / part.each, quote.price.currency)
    count = _number(part.count if part.counted is None else part.counted, explained.language)
    line = say(f"why-unit-{part.unit}", price=asked, each=plain(each), count=count)
    chosen = _chosen(explained, part)
    line += f" ({', '.join(chosen)})" if chosen else ""
    if part.unit in COUNTED_FIRST:
        return line if part.counted is None else f"{line}. {say('why-begun', each=plain(each))}"
    is_one = part.unit in SAID_ONCE and part.count == 1
    return line if is_one else f"{line} × {_number(part.count, explained.language)}"


def _number(number: Decimal, language: str) -> str:
    return plain(number).replace(".", ",") if language == "ru" else plain(number)


def _chosen(explained: QuoteExplanation, part: PricePart) -> list[str]:
    """The choices that made the rate, and the size where it goes by steps."""
    if explained.model is None:
        return [escape(value) for _, value in part.when if value not in YES_NO]
    size = [] if part.size is None else [size_in_words(explained.say, explained.model, part.size)]
    return [*choice_in_words(explained.say, explained.model, part.when, explained.language), *size]


def _until(say: Say, quote: Quote) -> list[str]:
    return [] if quote.until is None else [say("why-until", until=f"{quote.until:%d.%m.%Y %H:%M}")]


def prices_page(
    say: Say, model: Model, prices: PriceGroups, *, language: str, came_from: ListButton | None = None
) -> View:
    """The rates or the table, cut where it grows too long, with the way back to the model's question."""
    if prices.rates is not None:
        priced = _that_fit(rates_in_words(say, model, prices.rates, language))
    else:
        priced = _table(say, prices, language)
    lines = [say("prices-title", model=escape(model.title_in(language))), "", *priced]
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

    def in_words(asked: Input, values: Sequence[Any]) -> str:
        return ", ".join(dict.fromkeys(value_in_words(say, asked, value, language) for value in values))

    cells = [
        say("prices-cell", choice=in_words(in_line, values), price=price)
        for price, values in _by_price(first.prices).items()
    ]
    heading = " · ".join(
        f"{escape(each.title_in(language))}: {in_words(each, [group.same[place][1] for group in groups])}"
        for place, (each, _) in enumerate(first.same)
    )
    if not heading:
        return "\n".join([f"<b>{title}</b>", *(f"• {cell}" for cell in cells)])
    return f"<b>{heading}</b>\n{title}: {' · '.join(cells)}"


def _by_price(prices: Sequence[tuple[Any, Money]]) -> dict[Money, list[Any]]:
    """The values of a choice by their price, so that each price is shown once."""
    found: dict[Money, list[Any]] = {}
    for value, price in prices:
        found.setdefault(price, []).append(value)
    return found


def _that_fit(groups: Sequence[str]) -> list[str]:
    """As many groups as a message takes; at least one, which is short enough alone."""
    shown: list[str] = []
    for group in groups:
        if shown and sum(map(len, shown)) + len(group) > LONGEST:
            break
        shown.append(group)
    return shown
