"""Prices in a customer's words: "why 12 ₽?", and why not now. Pure.

A customer reads what each unit costs them, how many there are, which rule and discount counted and how it was rounded; never
what it costs us.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from html import escape
from math import ceil
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.rate_view import choice_in_words, size_in_words
from photomat.bot.views import View
from photomat.catalog.formula import Part, plain
from photomat.catalog.model import Model
from photomat.catalog.pricing import Quote
from photomat.jobs.limits import LimitReached
from photomat.kernel.money import ExactMoney, Money
from photomat.texts.load import Say

MINUTE_S: Final = 60
HOUR_S: Final = 3600
SAID_IN_SECONDS_S: Final = 100
THOUSAND: Final = Decimal(1000)
YES_NO: Final = frozenset({"true", "false"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A quote that is being explained, and the voice that does it."""

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
    """Why a generation of this model costs what it does; of a model nobody knows any more the choices stay as they are."""
    told = Told(say=say, quote=quote, model=model, language=language)
    asked = say("why-title" if quote.price.minor else "why-title-free", model=escape(title), price=quote.price)
    lines = [asked, "", *_lines(told, free_a_day)]
    return View(text="\n".join(lines), rows=rows)


def refusal(say: Say, refused: LimitReached) -> str:
    """Which limit said no, and until when."""
    key = f"tap-limit-{refused.why}"
    if refused.wait is None:
        return say(key, limit=refused.limit)
    return say(key, limit=refused.limit, wait=span(say, refused.wait))


def span(say: Say, wait: timedelta) -> str:
    """A wait in words, rounded up: `40 с`, `3 мин`, `5 ч 12 мин`."""
    seconds = max(1, ceil(wait.total_seconds()))
    if seconds <= SAID_IN_SECONDS_S:
        return say("wait-seconds", seconds=seconds)
    minutes = ceil(seconds / MINUTE_S)
    if minutes < MINUTE_S:
        return say("wait-minutes", minutes=minutes)
    return say("wait-hours", hours=minutes // MINUTE_S, minutes=minutes % MINUTE_S)


def _lines(told: Told, free_a_day: int) -> list[str]:
    say, quote = told.say, told.quote
    if quote.paid_by is not None:
        *made_of, _, _ = _lines(replace(told, quote=quote.without_voucher()), free_a_day)
        paid = say("why-pass", code=escape(quote.paid_by.code), price=quote.paid_by.price)
        return [*made_of, paid, "", say("why-total", price=quote.price)]
    if quote.rule == "free":
        return [say("why-free-limited", limit=free_a_day) if free_a_day else say("why-free"), *_until(say, quote)]
    lines = [say("why-fixed")] if quote.rule == "fixed" else _parts(told)
    if quote.percent is not None:
        lines.append(say("why-discount", percent=plain(quote.percent)))
    lines += _until(say, quote)
    if quote.raised:
        lines.append(say("why-least"))
    elif quote.rule != "fixed" and quote.step > 1:
        lines.append(say("why-rounded", step=Money(quote.step, quote.price.currency)))
    return [*lines, "", say("why-total", price=quote.price)]


def _parts(told: Told) -> list[str]:
    has_tokens = any(part.unit == "token" for part in told.quote.parts)
    return [*(_line(told, part) for part in told.quote.parts), *([told.say("why-tokens")] if has_tokens else [])]


def _line(told: Told, part: Part) -> str:
    """`• 2,40 ₽ за секунду (720p) × 5`; a million of tokens is told by the thousand."""
    say, quote = told.say, told.quote
    each = min(part.each, THOUSAND) if part.unit == "token" else part.each
    asked = ExactMoney(quote.price_of(part) * each / part.each, quote.price.currency)
    line = say(f"why-unit-{part.unit}", price=asked, each=plain(each))
    chosen = _chosen(told, part)
    line += f" ({', '.join(chosen)})" if chosen else ""
    return line if part.unit == "generation" and part.count == 1 else f"{line} × {plain(part.count)}"


def _chosen(told: Told, part: Part) -> list[str]:
    """The choices that made the rate, and the size where it goes by steps."""
    if told.model is None:
        return [escape(value) for _, value in part.when if value not in YES_NO]
    size = [] if part.size is None else [size_in_words(told.say, told.model, part.size)]
    return [*choice_in_words(told.say, told.model, part.when, told.language), *size]


def _until(say: Say, quote: Quote) -> list[str]:
    return [] if quote.until is None else [say("why-until", until=f"{quote.until:%d.%m.%Y %H:%M}")]
