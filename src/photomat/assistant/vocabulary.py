"""The words of `vocabulary.toml`, and how a message is read with them: other endings and typing errors included. Pure."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from itertools import groupby, product
from typing import Any, Final

GAP: Final = ".."
MAX_GAP: Final = 3
MIN_STEM: Final = 2
MAX_STEM: Final = 20
MIN_SLIP: Final = 5
"""Shorter words allow no typing error: ordinary words are too close to them."""
MAX_SPELLED: Final = 60
"""So many words from the beginning are read with typing errors; what comes later is description."""
WORD: Final = re.compile(r"\d+|[^\W\d_]+")
HARD: Final = re.compile(r"[.!?;:…—–\n]|\s-\s")
VOWELS: Final = frozenset("aeiouyаеиоуыэюя")
ADJECTIVE: Final = re.compile(
    r"[а-я]{2,}(?:ый|ий|ой|ая|яя|ое|ее|ые|ие|ую|юю|ого|его|ому|ему|ых|их|ым|им|ыми|ими|енько|ненько)"
)


DOING: Final = re.compile(r"[а-я]{2,}(?:ает|яет|ует|ают|яют|уют|ает?ся|яется|уется|аются|яются|ится|ятся)")
"""A verb of the present."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A word as it is compared, and its place in the text.

    Before it stands the end of a sentence (`hard`), a comma (`soft`), a hyphen (`joined`), or nothing.
    """

    plain: str
    start: int
    end: int
    hard: bool = False
    soft: bool = False
    joined: bool = False

    @property
    def is_latin(self) -> bool:
        return "a" <= self.plain[0] <= "z"

    @property
    def is_adjective(self) -> bool:
        return ADJECTIVE.fullmatch(self.plain) is not None

    @property
    def is_doing(self) -> bool:
        return DOING.fullmatch(self.plain) is not None


class Stems:
    """Words and beginnings of words."""

    def __init__(self, words: str | Iterable[str]) -> None:
        listed = words.split() if isinstance(words, str) else list(words)
        self.whole = frozenset(each for each in listed if not each.endswith("*"))
        self.beginnings = frozenset(each.removesuffix("*") for each in listed if each.endswith("*"))
        self.longest = max(map(len, self.beginnings), default=0)

    def fit(self, word: str) -> int:
        """How many letters of a word are known: all of them, those of the longest beginning, or none."""
        if word in self.whole:
            return len(word)
        for length in range(min(len(word), self.longest), MIN_STEM - 1, -1):
            if word[:length] in self.beginnings:
                return length
        return 0

    def __contains__(self, word: str) -> bool:
        return self.fit(word) > 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    wish: str
    parts: tuple[str, ...]

    @property
    def size(self) -> int:
        return sum(part != GAP for part in self.parts)

    def end_at(self, words: Sequence[Word], first: int) -> int | None:
        """Where the phrase ends if it begins at this word; it never goes on after the end of a sentence."""
        place, gap = first, 0
        for part in self.parts:
            if part == GAP:
                gap = MAX_GAP
                continue
            last = min(place + gap + 1, len(words))
            found = next((at for at in range(place, last) if _fits(words[at].plain, part)), None)
            if found is None or any(word.hard for word in words[max(first + 1, place) : found + 1]):
                return None
            place, gap = found + 1, 0
        return place


class Phrases:
    """Phrases by how they begin."""

    def __init__(self, phrases: Iterable[Phrase]) -> None:
        self.by_first: dict[str, list[Phrase]] = {}
        for phrase in phrases:
            self.by_first.setdefault(phrase.parts[0], []).append(phrase)
        self.starts = frozenset(first.removesuffix("*")[:MIN_STEM] for first in self.by_first)

    def at(self, words: Sequence[Word], first: int) -> list[tuple[Phrase, int]]:
        """The phrases that begin at this word, and where they end."""
        plain = words[first].plain
        if plain[:MIN_STEM] not in self.starts:
            return []
        keys = [plain, *(f"{plain[:length]}*" for length in range(MIN_STEM, min(len(plain), MAX_STEM) + 1))]
        begun = (phrase for key in keys for phrase in self.by_first.get(key, ()))
        found = ((phrase, phrase.end_at(words, first)) for phrase in begun)
        return [(phrase, end) for phrase, end in found if end is not None]


@dataclass(frozen=True, slots=True, kw_only=True)
class WishWords:
    verbs: Stems
    labels: Stems
    nouns: Stems
    signals: Stems
    still: Stems
    given: Stems


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenWords:
    """With a file of a kind: the usual wish, what other wishes become, and phrases that say there is such a file."""

    usual: str
    becomes: Mapping[str, str]
    phrases: Phrases


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingRule:
    """A value of a role, or of an input of this name, stated by any of the patterns."""

    role: str | None
    input: str | None
    value: str
    patterns: tuple[re.Pattern[str], ...]
    among: frozenset[str]
    unless: re.Pattern[str] | None
    times: int
    keep: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    make: Stems
    polite: Stems
    about: Stems
    breaks: Stems
    neutral: Stems
    small_talk: Stems
    questions: Phrases
    wishes: Mapping[str, WishWords]
    phrases: Phrases
    attached: Phrases
    with_it: Stems
    last: Stems
    telling: Stems
    things: Stems
    given: Mapping[str, GivenWords]
    whole: frozenset[str]
    usual: frozenset[str]
    reading: Stems
    speakers: Stems
    courtesy: Stems
    general: Stems
    sung: Stems
    voiced: Stems
    in_phrases: Stems
    lyrics: re.Pattern[str]
    cues: Stems
    weak_cues: Stems
    ordinary_names: frozenset[str]
    versions: Mapping[str, str]
    numbers: Mapping[str, int]
    voices: Mapping[str, tuple[str, ...]]
    settings: tuple[SettingRule, ...]
    known: Stems
    """Words that are right as they are."""
    spellings: Mapping[str, tuple[str, ...]]
    """The words a typing error is looked for in, by their first two letters."""


@lru_cache(maxsize=8192)
def spelled(word: str) -> str:
    """The word, or the known one it misspells."""
    if len(word) < MIN_SLIP or word in vocabulary().known:
        return word
    meant = (known for known in vocabulary().spellings.get(word[:2], ()) if _misspells(word, known))
    return next(meant, word).removesuffix("*")


@cache
def vocabulary() -> Vocabulary:
    text = resources.files("photomat.assistant").joinpath("vocabulary.toml").read_text("utf-8")
    return _vocabulary(tomllib.loads(text))


def read_words(text: str) -> list[Word]:
    """The words of a text, with the ends of sentences and commas between them."""
    lowered = plain_text(text)
    words: list[Word] = []
    end = 0
    for number, match in enumerate(WORD.finditer(lowered)):
        between = lowered[end : match.start()]
        plain = spelled(match[0]) if number < MAX_SPELLED else match[0]
        words.append(Word(
            plain=plain, start=match.start(), end=match.end(), soft="," in between, joined=between == "-",
            hard=HARD.search(between) is not None and bool(words),
        ))  # fmt: skip
        end = match.end()
    return words


def plain_text(text: str) -> str:
    """The text in lower case with е for ё, every character where it was."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a letter of another alphabet became two
        lowered = "".join(each if len(each.lower()) > 1 else each.lower() for each in text)
    return lowered.replace("ё", "е").replace("\xa0", " ")


def _vocabulary(table: Mapping[str, Any]) -> Vocabulary:
    command, description, names, forms = (table[key] for key in ("command", "description", "names", "forms"))
    wishes = {wish: _wish_words(each) for wish, each in table["wish"].items()}
    numbers = {word: int(number) for number, written in table["numbers"].items() for word in written.split()}
    in_phrases = [part for each in table["wish"].values() for text in each["phrases"] for part in text.split()]
    known = [command["make"], command["polite"], command["neutral"], table["nothing"]["words"]]
    known += [description["reading"], description["speakers"]]
    for each in table["wish"].values():
        known += [each["verbs"], each["labels"], each["nouns"], each.get("signals", "")]
    return Vocabulary(
        make=Stems(command["make"]),
        polite=Stems(command["polite"]),
        about=Stems(command["about"]),
        breaks=Stems(command["breaks"]),
        neutral=Stems(command["neutral"]),
        small_talk=Stems(table["nothing"]["words"]),
        questions=_phrases({"": table["nothing"]["begins"]}, forms),
        wishes=wishes,
        phrases=_phrases({wish: each["phrases"] for wish, each in table["wish"].items()}, forms),
        attached=_phrases({wish: each.get("attached", []) for wish, each in table["wish"].items()}, forms),
        with_it=Stems(command["with_it"]),
        last=Stems(command["last"]),
        telling=Stems(command["telling"]),
        things=Stems(command["things"]),
        given={kind: _given_words(kind, each, forms) for kind, each in table["given"].items()},
        whole=frozenset(description["whole"]),
        usual=frozenset(description["usual"]),
        reading=Stems(description["reading"]),
        speakers=Stems(description["speakers"]),
        courtesy=Stems(description["courtesy"]),
        general=Stems(description["general"]),
        sung=Stems(description["sung"]),
        voiced=Stems(description["voiced"]),
        in_phrases=Stems(in_phrases),
        lyrics=re.compile(description["lyrics"]),
        cues=Stems(names["cues"]),
        weak_cues=Stems(names["weak"]),
        ordinary_names=frozenset(names["ordinary"].split()),
        versions=_spelled_versions(names["versions"]),
        numbers=numbers,
        voices={sex: tuple(called.split()) for sex, called in table["voices"].items()},
        settings=tuple(_setting_rule(each, numbers) for each in table["setting"]),
        known=Stems([*in_phrases, *" ".join(known).split()]),
        spellings=_spellings(wishes.values(), Stems(command["make"])),
    )


def _spelled_versions(text: str) -> dict[str, str]:
    """What a name goes on with, by every spelling."""
    pairs = [each.partition("=") for each in text.split()]
    return {name: name for name, _, _ in pairs} | {spelling: name for name, _, spelling in pairs if spelling}


def _wish_words(table: Mapping[str, Any]) -> WishWords:
    return WishWords(
        verbs=Stems(table["verbs"]),
        labels=Stems(table["labels"]),
        nouns=Stems(table["nouns"]),
        signals=Stems(table.get("signals", "")),
        still=Stems(table.get("still", "")),
        given=Stems(table.get("given", "")),
    )


def _given_words(kind: str, table: Mapping[str, Any], forms: Mapping[str, str]) -> GivenWords:
    return GivenWords(usual=table["usual"], becomes=table["becomes"], phrases=_phrases({kind: table["phrases"]}, forms))


def _phrases(texts: Mapping[str, Sequence[str]], forms: Mapping[str, str]) -> Phrases:
    """The phrases; a word of `forms` stands for any of them."""
    return Phrases(
        Phrase(wish=wish, parts=parts)
        for wish, listed in texts.items()
        for text in listed
        for parts in product(*(forms.get(part, part).split() for part in text.split()))
    )


def _setting_rule(table: Mapping[str, Any], numbers: Mapping[str, int]) -> SettingRule:
    number = rf"\d{{1,3}}|{'|'.join(numbers)}"
    return SettingRule(
        role=table.get("role"),
        input=table.get("input"),
        value=table["value"],
        patterns=tuple(re.compile(each.replace("#", number)) for each in table["patterns"]),
        among=frozenset(table.get("among", ())),
        unless=re.compile(table["unless"]) if "unless" in table else None,
        times=table.get("times", 1),
        keep=table.get("keep", False),
    )


def _spellings(wishes: Iterable[WishWords], make: Stems) -> dict[str, tuple[str, ...]]:
    groups = [make, *(group for each in wishes for group in (each.verbs, each.labels, each.nouns))]
    known = {word for group in groups for word in (*group.whole, *(f"{each}*" for each in group.beginnings))}
    long = sorted(
        (word for word in known if len(word.removesuffix("*")) >= MIN_SLIP), key=lambda word: (word[:2], word)
    )
    return {start: tuple(words) for start, words in groupby(long, key=lambda word: word[:2])}


def _fits(word: str, part: str) -> bool:
    return word.startswith(part[:-1]) if part.endswith("*") else word == part


def _misspells(word: str, known: str) -> bool:
    """Whether a word, or its beginning, is a known one with a letter more, less or exchanged, or with another vowel.

    The first two letters are right, and the last one of a beginning is: otherwise ordinary words would be taken for ours.
    """
    stem = known.removesuffix("*")
    if word[:2] != stem[:2]:
        return False
    if stem is known:
        return _is_slip(word, stem)
    lengths = range(len(stem) - 1, len(stem) + 2)
    return any(
        word[length - 1] == stem[-1] and _is_slip(word[:length], stem) for length in lengths if length <= len(word)
    )


def _is_slip(word: str, known: str) -> bool:
    start = next((at for at, (one, other) in enumerate(zip(word, known, strict=False)) if one != other), None)
    if start is None or abs(len(word) - len(known)) > 1:
        return False
    one, other = word[start:], known[start:]
    is_vowel = one[1:] == other[1:] and {one[0], other[0]} <= VOWELS
    is_swapped = one[:2] == other[1::-1] and one[2:] == other[2:]
    is_counted = len(known) > MIN_SLIP and (one[1:] == other or one == other[1:])
    return is_vowel or is_swapped or is_counted
