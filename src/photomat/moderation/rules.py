"""Content rules: what a text is refused for. Pure; a text is read once, however many rules there are.

A rule matches one of its words, or words of all its `near` groups within a few words of each other. An exception of one word
excuses a match it stands as near to; a phrase excuses the words it consists of, and no others. Rules are data: the shipped
ones in `rules.toml`, an operator's in a file of the same form (`CONTENT_RULES`) and as rows (`rulebook.py`). A mistake in them
is refused with the rule and the word.
"""

import re
import tomllib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from importlib import resources
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from photomat.moderation.words import BadPattern, Token, phrases_of, tokens_of

MAX_WITHIN: Final = 20
A_GROUP: Final = re.compile(r"@([a-z]+)")
RULE_ID: Final = r"^[a-z0-9][a-z0-9-]{1,39}$"
Language = Literal["ru", "en"]


class RuleAction(StrEnum):
    """What a match does: refuse, refuse and count a strike, or only notify the operator."""

    REFUSE = "refuse"
    STRIKE = "strike"
    WARN = "warn"

    @property
    def refuses(self) -> bool:
        return self is not RuleAction.WARN


SEVERITY: Final = (RuleAction.STRIKE, RuleAction.REFUSE, RuleAction.WARN)


class BadRules(ValueError):
    """Rules that cannot be used, and why."""


class RuleTable(BaseModel):
    """One `[[rule]]`. `words` are by language; `@name` in them is a group. `reason` is what the customer reads."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, Field(pattern=RULE_ID)]
    action: RuleAction
    on: bool = True
    reason: Annotated[dict[Language, str], Field(default_factory=dict)]
    within: Annotated[int, Field(ge=1, le=MAX_WITHIN)] = 4
    words: Annotated[dict[Language, list[str]], Field(default_factory=dict)]
    near: Annotated[list[dict[Language, list[str]]], Field(default_factory=list)]
    unless: Annotated[dict[Language, list[str]], Field(default_factory=dict)]


class RulesFile(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    groups: Annotated[dict[str, dict[Language, list[str]]], Field(default_factory=dict)]
    rule: list[RuleTable]


Phrase = tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`reason` by language; empty for a shipped rule, whose reason is the text `content-reason-<id>`."""

    id: str
    action: RuleAction
    is_on: bool
    words: tuple[Phrase, ...]
    near: tuple[tuple[Phrase, ...], ...] = ()
    unless: tuple[Phrase, ...] = ()
    within: int = 4
    reason: Mapping[str, str] = field(default_factory=dict)
    languages: tuple[str, ...] = ()

    @property
    def is_shipped(self) -> bool:
        return not self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A rule that a text matches, and the words that did it."""

    rule: Rule
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Term:
    """A phrase that starts with the word it is listed under; `slot` is the list of the rule it belongs to."""

    rest: Phrase
    slot: tuple[int, int]


COVERED: Final = -2
UNLESS: Final = -1
WORDS: Final = 0
"""Slots of a rule: words inside an exception, exceptions of one word, its words; its groups follow from 1."""


class RuleSet:
    """Rules compiled into one index of words."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules: tuple[Rule, ...] = tuple(rules)
        self._terms: dict[str, list[_Term]] = defaultdict(list)
        for number, rule in enumerate(self.rules):
            if rule.is_on:
                self._add(number, rule)

    def _add(self, number: int, rule: Rule) -> None:
        lists = [(WORDS, rule.words), (UNLESS, rule.unless), *enumerate(rule.near, start=1)]
        for slot, phrases in lists:
            for first, *rest in phrases:
                term = _Term(tuple(rest), (number, slot))
                for word in first:
                    self._terms[word].append(term)

    def find(self, rule_id: str) -> Rule | None:
        return next((each for each in self.rules if each.id == rule_id), None)

    def check(self, texts: Iterable[str]) -> Hit | None:
        """The gravest match in any of the texts; None for nearly every order."""
        hits = [hit for text in texts for hit in self.matches(text)]
        return min(hits, key=lambda hit: SEVERITY.index(hit.rule.action), default=None)

    def matches(self, text: str) -> list[Hit]:
        """Every rule a text matches."""
        found = self._found(tokens_of(text))
        numbers = sorted({number for number, slot in found if slot >= WORDS})
        hits = ((self.rules[number], _match(number, self.rules[number], found)) for number in numbers)
        return [Hit(rule=rule, words=words) for rule, words in hits if words]

    def _found(self, tokens: Sequence[Token]) -> dict[tuple[int, int], list[tuple[int, str]]]:
        """Where the phrases of each list stand, in order, and the word they begin with."""
        found: dict[tuple[int, int], list[tuple[int, str]]] = defaultdict(list)
        for at, token in enumerate(tokens):
            for spelling in token.spellings:
                for term in self._terms.get(spelling, ()):
                    if _follows(tokens, at, term.rest):
                        _note(found, term, token)
        return found


def _note(found: dict[tuple[int, int], list[tuple[int, str]]], term: _Term, token: Token) -> None:
    """Record where a phrase stands; an exception of several words by each of its words."""
    number, slot = term.slot
    if slot == UNLESS and term.rest:
        found[number, COVERED] += [(token.place + step, "") for step in range(len(term.rest) + 1)]
    else:
        found[term.slot].append((token.place, token.spellings[0]))


def _follows(tokens: Sequence[Token], at: int, rest: Phrase) -> bool:
    """Whether the rest of a phrase stands right behind its first word, in the same sentence."""
    if len(rest) >= len(tokens) - at:
        return False
    return all(
        tokens[at + step].place == tokens[at].place + step and not words.isdisjoint(tokens[at + step].spellings)
        for step, words in enumerate(rest, start=1)
    )


def _match(number: int, rule: Rule, found: Mapping[tuple[int, int], Sequence[tuple[int, str]]]) -> tuple[str, ...]:
    """The words of the first match that no exception stands near to; empty without one."""
    excused = [place for place, _ in found.get((number, UNLESS), ())]
    covered = {place for place, _ in found.get((number, COVERED), ())}
    for place, word in _outside(covered, found.get((number, WORDS), ())):
        if not _stands_near(excused, place, place, rule.within):
            return (word,)
    groups = [_outside(covered, found.get((number, slot), ())) for slot in range(1, len(rule.near) + 1)]
    if groups and all(groups):
        for first, last, words in _together(groups, rule.within):
            if not _stands_near(excused, first, last, rule.within):
                return words
    return ()


def _outside(covered: set[int], places: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
    return [each for each in places if each[0] not in covered] if covered else places


def _together(groups: Sequence[Sequence[tuple[int, str]]], within: int) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Where the newest word of every group is near enough to the one just read: from, to, and the words."""
    marks = sorted((place, slot, word) for slot, places in enumerate(groups) for place, word in places)
    newest: dict[int, tuple[int, str]] = {}
    for place, slot, word in marks:
        newest[slot] = (place, word)
        first = min(seen for seen, _ in newest.values())
        if len(newest) == len(groups) and place - first <= within:
            yield first, place, tuple(word for _, word in newest.values())


def _stands_near(places: Sequence[int], first: int, last: int, within: int) -> bool:
    at = bisect_left(places, first - within)
    return at < len(places) and places[at] <= last + within


@cache
def shipped_rules() -> tuple[Rule, ...]:
    text = resources.files("photomat.moderation").joinpath("rules.toml").read_text(encoding="utf-8")
    return read_rules(text, is_shipped=True)


@cache
def shipped_rule_set() -> RuleSet:
    """Compiled once for the process: its thousands of words never change."""
    return RuleSet(shipped_rules())


def read_rules(text: str, *, is_shipped: bool = False) -> tuple[Rule, ...]:
    """Rules from TOML; `BadRules` names what is wrong. Rules that are not ours say their reason."""
    try:
        file = RulesFile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BadRules(f"not TOML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise BadRules(f"{where}: {first['msg']}") from None
    ids = [each.id for each in file.rule]
    if len(ids) != len(set(ids)):
        raise BadRules(f"two rules have the id {max(ids, key=ids.count)}")
    return tuple(_rule(each, file, is_shipped=is_shipped) for each in file.rule)


def _rule(table: RuleTable, file: RulesFile, *, is_shipped: bool) -> Rule:
    if not is_shipped and not any(table.reason.values()):
        raise BadRules(f"{table.id}: a reason is missing, the customer reads it")
    return make_rule(
        rule_id=table.id,
        action=table.action,
        is_on=table.on,
        words=_listed(table.words, file),
        near=[_listed(each, file) for each in table.near],
        unless=_listed(table.unless, file),
        within=table.within,
        reason={} if is_shipped else {str(language): text for language, text in table.reason.items()},
        languages=tuple(sorted({language for each in (table.words, *table.near) for language in each})),
    )


def make_rule(
    *,
    rule_id: str,
    action: RuleAction,
    is_on: bool,
    words: Sequence[str],
    near: Sequence[Sequence[str]] = (),
    unless: Sequence[str] = (),
    within: int = 4,
    reason: Mapping[str, str],
    languages: tuple[str, ...] = (),
) -> Rule:
    if not words and not near:
        raise BadRules(f"{rule_id}: it has no words")
    try:
        return Rule(
            id=rule_id,
            action=action,
            is_on=is_on,
            words=_phrases(words),
            near=tuple(_phrases(group) for group in near),
            unless=_phrases(unless),
            within=within,
            reason=reason,
            languages=languages,
        )
    except BadPattern as error:
        raise BadRules(f"{rule_id}: {error}") from None


def _phrases(words: Sequence[str]) -> tuple[Phrase, ...]:
    return tuple(phrase for word in words for phrase in phrases_of(word))


def _listed(by_language: Mapping[Language, Sequence[str]], file: RulesFile) -> list[str]:
    """The words of all languages, with each word of a group in place of its name."""
    return [
        each for language, words in by_language.items() for written in words for each in _named(written, language, file)
    ]


def _named(written: str, language: Language, file: RulesFile) -> list[str]:
    name = A_GROUP.search(written)
    if name is None:
        return [written]
    group = file.groups.get(name.group(1))
    if group is None:
        raise BadRules(f"{name.group()}: there is no such group")
    return [written.replace(name.group(), word) for word in group.get(language, [])]
