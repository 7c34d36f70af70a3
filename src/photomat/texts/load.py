"""The sentences of `ru.ftl` and `en.ftl`, filled with facts.

Promises: a key that does not exist, or a fact its sentence needs and did not get, raises; no customer reads a bare key.
Facts are put in as they are: whoever shows a sentence as HTML escapes what people wrote before handing it in.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from importlib import resources
from typing import Final, Protocol

from fluent.runtime import FluentBundle, FluentResource
from fluent.runtime.types import fluent_number
from fluent.syntax.ast import Junk

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
            raise MissingText(f"{key} is not in {language}.ftl")
        long = {name: str(fact) for name, fact in facts.items() if _is_long(fact)}
        arguments = {name: _place(name) if name in long else _fact(fact) for name, fact in facts.items()}
        text, errors = bundle.format_pattern(pattern, arguments)
        if errors:
            raise MissingText(f"{key} in {language}.ftl: {errors[0]}")
        return reduce(lambda said, name: said.replace(_place(name), long[name]), long, str(text))

    def speaker(self, language: str) -> Say:
        """A voice in one language."""

        def say(key: str, **facts: object) -> str:
            return self.say(language, key, **facts)

        return say


def load_texts() -> Texts:
    """Read both languages; a line that does not parse is refused by name."""
    return Texts(bundles={language: _bundle(language, _source(language)) for language in LANGUAGES})


def _place(name: str) -> str:
    """Where a long fact goes; nobody types this character."""
    return f"\N{SUBSTITUTE}{name}\N{SUBSTITUTE}"


def _is_long(fact: object) -> bool:
    """Fluent refuses facts beyond 2500 characters; a long one is put in after it has spoken."""
    return isinstance(fact, str) and len(fact) > LONG_CHARACTERS


def _fact(fact: object) -> object:
    return fluent_number(fact, useGrouping=False) if isinstance(fact, int) else str(fact)


def _source(language: str) -> str:
    return resources.files("photomat.texts").joinpath(f"{language}.ftl").read_text(encoding="utf-8")


def _bundle(language: str, source: str) -> FluentBundle:
    resource = FluentResource(source)
    for entry in resource.body:
        if isinstance(entry, Junk):
            raise MissingText(f"{language}.ftl does not parse at: {entry.content}")
    bundle = FluentBundle([language], use_isolating=False)
    bundle.add_resource(resource)
    return bundle
