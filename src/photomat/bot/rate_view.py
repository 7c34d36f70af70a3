"""Rates in a customer's words: `Про, звук — 12,47 ₽ за секунду видео`, what is counted, what comes besides. Pure."""

from html import escape
from typing import Any

from photomat.catalog.formula import PriceUnit, is_given, plain
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.price_list import PriceRates, Rate
from photomat.texts.load import Say


def rates_in_words(say: Say, model: Model, rates: PriceRates, language: str) -> list[str]:
    """A line for each rate and each extra, what is counted, and what an order as it stands costs."""
    lines = [_row(say, model, rate, language) for rate in rates.rows]
    for extra, rate in rates.extras:
        told = say("prices-extra", rate=_rate(say, model, rate), inputs=_counted(model, extra.unit, language))
        lines.append(told if not rate.free else f"{told} {say('prices-extra-free', count=plain(rate.free))}")
    usual = [say("prices-usual", price=rates.usual)] if rates.usual is not None else []
    below = [*_how_counted(say, model, language), *usual]
    return [*lines, "", *below] if below else lines


def choice_in_words(say: Say, model: Model, when: tuple[tuple[str, str], ...], language: str) -> list[str]:
    """What was chosen, as its customer reads it: options by their labels, yes and no by what they are about."""
    words = []
    for name, value in when:
        asked = model.input(name.partition(":")[0]) if ":" not in name else None
        if asked is not None and asked.type == "switch":
            words.append(f"{escape(asked.title_in(language))}: {value_in_words(say, asked, value, language)}")
        else:
            words.append(value_in_words(say, asked, value, language) if asked else escape(value))
    return words


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
    """A size that steps are told by: the longer side, or the area."""
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
    lines = (
        [say("prices-counted-largest" if model.unit.largest else "prices-counted", inputs=counted)] if counted else []
    )
    return [*lines, say("prices-whole")] if counted and model.unit.whole else lines


def _counted(model: Model, unit: PriceUnit, language: str) -> str:
    """The inputs that count, by their titles; one title once."""
    found = [asked.title_in(language) for count in unit.counts if (asked := model.input(count.input)) is not None]
    return escape(", ".join(f"«{title}»" for title in dict.fromkeys(found)))
