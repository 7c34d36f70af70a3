"""The sentences of `ru/*.ftl` and `en/*.ftl`, one file a topic, filled with facts; money is written as its language does.

Promises: a key that does not exist, or a fact its sentence needs and did not get, raises; no customer reads a bare key.
Facts are put in as they are: whoever shows a sentence as HTML escapes what people wrote before handing it in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, reduce
from importlib import resources
from typing import Final, Protocol

from fluent.runtime import FluentBundle, FluentResource
from fluent.runtime.types import fluent_number
from fluent.syntax.ast import Junk, Message, Resource

from photomat.kernel.money import ExactMoney, Money

LANGUAGES: Final = ("ru", "en")
LONG_CHARACTERS: Final = 1000


class MissingText(LookupError):
    """A sentence, or a fact inside it, is not there."""


class Say(Protocol):
    """`say("greeting", name="Анна")`: a sentence in the language of the person spoken to."""

    def __call__(self, key: str, **facts: object) -> str:
        """Give the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """All sentences by language."""

    bundles: Mapping[str, FluentBundle]

    def say(self, language: str, key: str, **facts: object) -> str:
        """Give one sentence; numbers stay numbers, so that they choose the plural form, the rest is written out."""
        bundle = self.bundles[language]
        pattern = bundle.get_message(key).value if bundle.has_message(key) else None
        if pattern is None:
            raise MissingText(f"{key} is not in {language}/*.ftl")
        long = {name: str(fact) for name, fact in facts.items() if _is_long(fact)}
        arguments = {name: _place(name) if name in long else _fact(fact, language) for name, fact in facts.items()}
        text, errors = bundle.format_pattern(pattern, arguments)
        if errors:
            raise MissingText(f"{key} in {language}/*.ftl: {errors[0]}")
        return reduce(lambda said, name: said.replace(_place(name), long[name]), long, str(text))

    def speaker(self, language: str) -> Say:
        """A voice in one language."""

        def say(key: str, **facts: object) -> str:
            return self.say(language, key, **facts)

        return say


@cache
def load_texts() -> Texts:
    """Read both languages, once a process; a line that does not parse is refused by name."""
    return Texts(bundles={language: _bundle(language) for language in LANGUAGES})


def _place(name: str) -> str:
    """Where a long fact goes; nobody types this character."""
    return f"\N{SUBSTITUTE}{name}\N{SUBSTITUTE}"


def _is_long(fact: object) -> bool:
    """Fluent refuses facts beyond 2500 characters; a long one is put in after it has spoken."""
    return isinstance(fact, str) and len(fact) > LONG_CHARACTERS


def _fact(fact: object, language: str) -> object:
    if isinstance(fact, Money | ExactMoney):
        return fact.written(language)
    return fluent_number(fact, useGrouping=False) if isinstance(fact, int) else str(fact)


def _bundle(language: str) -> FluentBundle:
    bundle = FluentBundle([language], use_isolating=False)
    for file in sorted(resources.files("photomat.texts").joinpath(language).iterdir(), key=lambda each: each.name):
        if file.name.endswith(".ftl"):
            bundle.add_resource(_checked(f"{language}/{file.name}", file.read_text(encoding="utf-8"), bundle))
    return bundle


def _checked(name: str, source: str, before: FluentBundle) -> Resource:
    resource = FluentResource(source)
    for entry in resource.body:
        if isinstance(entry, Junk):
            raise MissingText(f"{name} does not parse at: {entry.content}")
        if isinstance(entry, Message) and before.has_message(entry.id.name):
            raise MissingText(f"{name} says {entry.id.name}, which another file says")
    return resource
