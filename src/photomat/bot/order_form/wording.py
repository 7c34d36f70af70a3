"""Texts of questions and refusals: what is asked, its limits, its default, why an answer does not fit. Pure.

Every text is HTML; what the catalogue or a user wrote is escaped here.
"""

import re
from collections.abc import Iterator
from html import escape
from typing import Final

from photomat.bot.order_form.form import is_typed
from photomat.catalog.answers import MEGABYTE, Refused, shown_formats
from photomat.catalog.formula import plain
from photomat.catalog.input import FileLimits, Input
from photomat.catalog.model import Model
from photomat.catalog.words import LocalizedText
from photomat.files.sources import MAX_BYTES
from photomat.telegram.limits import CLOUD, BotApiLimits
from photomat.texts.load import Say

NAME: Final = re.compile(r"\w+")
MAX_MESSAGE_LENGTH: Final = 4096
MAX_SHOWN: Final = 10**6
"""A larger bound is not worth showing: it is the largest number of a seed."""


def title_of(asked: Input, language: str) -> str:
    return escape(asked.title_in(language))


def asked_in_words(say: Say, asked: Input, language: str, *, server: BotApiLimits = CLOUD) -> str:
    """What is asked, and the limits of an answer below it; files come through the `server`."""
    own = escape(asked.ask.of(language)) if asked.ask else None
    ask = own or say(f"form-ask-{asked.type}", title=title_of(asked, language))
    limits = " ".join(_limits(say, asked, language, server))
    return f"{ask}\n{limits}" if limits else ask


def refused_in_words(say: Say, model: Model, refused: Refused, language: str) -> str:
    """Why an answer does not fit; inputs are called by their titles."""
    facts: dict[str, object] = {}
    for name, value in refused.facts.items():
        fact = value.of(language) if isinstance(value, LocalizedText) else value
        fact = _named(model, fact, language) if name in {"input", "inputs"} else fact
        facts[name] = escape(fact) if isinstance(fact, str) else fact
    return say(refused.key, **facts)


def variant_in_words(model: Model, names: tuple[str, ...], language: str) -> str:
    """One of several variants of an order, by the titles of its inputs."""
    found = [model.input(name) for name in names]
    return " + ".join(each.title_in(language) for each in found if each and each.default is None)


def _named(model: Model, fact: object, language: str) -> str:
    """The names of inputs in a fact, as customers know them."""
    inputs = (*model.inputs, *(field for listed in model.inputs for field in listed.fields))
    titles = {each.name: each.title_in(language) for each in inputs}
    return NAME.sub(lambda found: titles.get(found.group(), found.group()), str(fact))


def _limits(say: Say, asked: Input, language: str, server: BotApiLimits) -> Iterator[str]:
    match asked.type:
        case "text":
            yield from _text_limits(say, asked)
        case "number":
            yield from _number_limits(say, asked)
        case "file" | "files":
            yield from _file_limits(say, asked, asked.files, server)
        case "list":
            yield from _list_limits(say, asked, language)


def _text_limits(say: Say, asked: Input) -> Iterator[str]:
    """An answer is one message, and Telegram splits a longer text: the smaller limit counts."""
    if asked.max_length is None:
        return
    if asked.max_length > MAX_MESSAGE_LENGTH:
        yield say("form-limit-message", limit=MAX_MESSAGE_LENGTH)
    elif (asked.min_length or 0) > 1:
        yield say("form-limit-lengths", least=asked.min_length, limit=asked.max_length)
    else:
        yield say("form-limit-length", limit=asked.max_length)


def _number_limits(say: Say, asked: Input) -> Iterator[str]:
    most = asked.most if asked.most is not None and asked.most <= MAX_SHOWN else None
    if asked.least is not None and most is not None:
        yield say("form-limit-number", least=plain(asked.least), most=plain(most))
    elif asked.least is not None:
        yield say("form-limit-least", least=plain(asked.least))
    elif most is not None:
        yield say("form-limit-most", most=plain(most))
    if asked.step is not None and asked.step != 1:
        yield say("form-limit-step", step=plain(asked.step))


def _file_limits(say: Say, asked: Input, limits: FileLimits | None, server: BotApiLimits) -> Iterator[str]:
    if limits is None:
        return
    if limits.formats:
        yield say("form-limit-formats", kind=limits.kind, formats=", ".join(shown_formats(limits)))
    if limits.max_bytes is not None:
        most = min(limits.max_bytes, max(MAX_BYTES, server.download_bytes))
        fits = most <= server.download_bytes
        facts = {"limit": most // MEGABYTE, "telegram": server.download_bytes // MEGABYTE}
        yield say("form-limit-mb" if fits else "form-limit-mb-link", **facts)
    if limits.max_seconds is not None and limits.min_seconds is not None:
        yield say("form-limit-seconds-from", least=plain(limits.min_seconds), limit=plain(limits.max_seconds))
    elif limits.max_seconds is not None:
        yield say("form-limit-seconds", limit=plain(limits.max_seconds))
    if limits.total_seconds is not None:
        yield say("form-limit-seconds-total", limit=plain(limits.total_seconds))
    if limits.min_side is not None:
        yield say("form-limit-side", limit=limits.min_side)
    if asked.type == "files" and asked.items_limit > 1:
        is_exact = asked.min_items == asked.items_limit
        yield say("form-limit-files-exact" if is_exact else "form-limit-files", limit=asked.items_limit)
    yield say("form-file-how", kind=limits.kind)


def _list_limits(say: Say, asked: Input, language: str) -> Iterator[str]:
    if asked.max_items is not None and asked.max_items > 1 and (asked.min_items or 0) > 1:
        yield say("form-limit-lines-from", least=asked.min_items, limit=asked.max_items)
    elif asked.max_items is not None and asked.max_items > 1:
        yield say("form-limit-lines", limit=asked.max_items)
    if asked.total_length is not None:
        yield say("form-limit-total", limit=asked.total_length)
    if not is_typed(asked):
        return
    yield say("form-lines-numbers" if not asked.fields and asked.sends == "number" else "form-lines-how")
    titles = [title_of(each, language) for each in asked.fields if each.name != asked.main]
    if titles and asked.main is None:
        yield say("form-lines-parts", parts=", ".join(titles))
    elif titles:
        yield say("form-lines-besides", parts=", ".join(titles))
