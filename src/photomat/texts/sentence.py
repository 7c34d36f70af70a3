"""A sentence as a text key and facts: said in the reader's language, printed for a terminal, kept in a row.

Facts are inserted as they are; a fact that is a sentence itself is said first. Every text may choose by `$place` between
`terminal`, where an operator types commands, and `page`, where they press buttons.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, Union

from photomat.kernel.money import Money
from photomat.texts.load import Say, load_texts

Fact: TypeAlias = Union[str, int, Money, "Sentence"]
Place: TypeAlias = Literal["page", "terminal"]
NESTED: Final = "says"
"""Tells a nested sentence from a sum in JSON."""


@dataclass(frozen=True, slots=True, init=False)
class Sentence:
    """`Sentence("action-credited", amount=Money(64, "RUB"))`."""

    key: str
    facts: Mapping[str, Fact]

    def __init__(self, key: str, /, **facts: Fact) -> None:
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "facts", facts)

    def in_(self, say: Say) -> str:
        """The sentence on a page or in a chat, as plain text: escape it for HTML."""
        return _said(self, say, place="page")

    @property
    def plain(self) -> str:
        """The English of terminals, logs and the journal, with sums such as `0.64 ₽`."""
        return _said(self, load_texts().speaker("en"), place="terminal")

    def facts_as_json(self) -> dict[str, Any]:
        return {name: _as_json(fact) for name, fact in self.facts.items()}


def sentence_from_json(key: str, stored: Mapping[str, Any]) -> Sentence:
    return Sentence(key, **{name: _from_json(fact) for name, fact in stored.items()})


def recorded_sentence(words: str, key: str | None, facts: Mapping[str, Any] | None) -> Sentence:
    """A sentence kept in a row with its English words, which are all that rows of other releases may have."""
    if key is None or not load_texts().knows(key):
        return Sentence("action-plain", words=words)
    return sentence_from_json(key, facts or {})


def _said(sentence: Sentence, say: Say, *, place: Place) -> str:
    facts = {name: _fact(fact, say, place) for name, fact in sentence.facts.items()}
    return say(sentence.key, place=place, **facts)


def _fact(fact: Fact, say: Say, place: Place) -> object:
    if isinstance(fact, Sentence):
        return _said(fact, say, place=place)
    return str(fact) if isinstance(fact, Money) and place == "terminal" else fact


def _as_json(fact: Fact) -> object:
    if isinstance(fact, Sentence):
        return {NESTED: fact.key, "facts": fact.facts_as_json()}
    return {"minor": fact.minor, "currency": fact.currency} if isinstance(fact, Money) else fact


def _from_json(stored: Any) -> Fact:
    if not isinstance(stored, dict):
        return stored if isinstance(stored, int) else str(stored)
    if NESTED in stored:
        return sentence_from_json(stored[NESTED], stored["facts"])
    return Money(int(stored["minor"]), str(stored["currency"]))
