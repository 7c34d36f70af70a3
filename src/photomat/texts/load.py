"""The texts of `ru/*.ftl` and `en/*.ftl`, one file a topic, with their arguments; money is formatted for the language.

A missing key or argument raises, so that no customer reads a bare key. Arguments are inserted as they are: the caller escapes
user input for HTML.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial, reduce
from importlib import resources
from typing import Final, Protocol

from fluent.runtime import FluentBundle, FluentResource
from fluent.runtime.resolver import Pattern
from fluent.runtime.types import fluent_number
from fluent.syntax.ast import Identifier, Junk, Message, Placeable, Resource, TextElement, VariableReference

from photomat.kernel.money import ExactMoney, Money

LANGUAGES: Final = ("ru", "en")
LONG_CHARACTERS: Final = 1000


class MissingText(LookupError):
    """A text, or an argument of it, is missing."""


class Say(Protocol):
    """`say("greeting", name="Анна")`: a text in the user's language."""

    def __call__(self, key: str, /, **facts: object) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """Texts that only insert their arguments are kept as templates, one for each that was said; Fluent formats the others."""

    bundles: Mapping[str, FluentBundle]
    _templates: dict[tuple[str, str], str | None] = field(default_factory=dict, repr=False, compare=False)

    def say(self, language: str, key: str, /, **facts: object) -> str:
        """Format one text; integers select the plural form, other arguments become strings."""
        if (language, key) not in self._templates:
            self._templates[language, key] = _template(self._pattern(language, key))
        template = self._templates[language, key]
        if template is None:
            return self._resolved(language, key, facts)
        try:
            return template.format_map({name: _fact(fact, language) for name, fact in facts.items()})
        except KeyError as missing:
            raise MissingText(f"{key} in {language}/*.ftl: unknown external: {missing}") from missing

    def _pattern(self, language: str, key: str) -> Pattern:
        bundle = self.bundles[language]
        pattern = bundle.get_message(key).value if bundle.has_message(key) else None
        if pattern is None:
            raise MissingText(f"{key} is not in {language}/*.ftl")
        return pattern

    def _resolved(self, language: str, key: str, facts: Mapping[str, object]) -> str:
        """A text that selects by an argument, or refers to another text."""
        long = {name: str(fact) for name, fact in facts.items() if _is_long(fact)}
        arguments = {name: _place(name) if name in long else _fact(fact, language) for name, fact in facts.items()}
        text, errors = self.bundles[language].format_pattern(self._pattern(language, key), arguments)
        if errors:
            raise MissingText(f"{key} in {language}/*.ftl: {errors[0]}")
        return reduce(lambda text, name: text.replace(_place(name), long[name]), long, str(text))

    def knows(self, key: str) -> bool:
        return all(bundle.has_message(key) for bundle in self.bundles.values())

    def speaker(self, language: str) -> Say:
        return partial(self.say, language)


@cache
def load_texts() -> Texts:
    """Read both languages, once a process; raise `MissingText` for a line that does not parse."""
    return Texts(bundles={language: _bundle(language) for language in LANGUAGES})


def _template(pattern: Pattern) -> str | None:
    """The pattern for `str.format_map`; None where it does more than insert arguments."""
    elements = pattern.elements if isinstance(pattern, Pattern) else [pattern]
    parts = [_part(each) for each in elements]
    return None if None in parts else "".join(part for part in parts if part is not None)


def _part(element: object) -> str | None:
    match element:
        case TextElement(value=text):
            return text.replace("{", "{{").replace("}", "}}")
        case Placeable(expression=VariableReference(id=Identifier(name=name))):
            return f"{{{name}}}"
        case _:
            return None


def _place(name: str) -> str:
    return f"\N{SUBSTITUTE}{name}\N{SUBSTITUTE}"


def _is_long(fact: object) -> bool:
    """Fluent refuses arguments beyond 2500 characters; long ones are inserted after formatting."""
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
