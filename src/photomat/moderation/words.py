"""Words of a text as rules see them, and the way words are written in rules. Pure, and linear in the length of the text.

A text is folded first: case, ё, invisible characters, full-width and decorated letters. A word then stands for several
spellings: itself, with look-alike letters of the other alphabet replaced, with digits and signs read as letters (`p0rn`),
without letters repeated for effect; letters set apart (`п о р н о`) are joined. The end of a sentence keeps words apart.

In a rule, `ребен(ок|ка|ку)` is each of the three, `порно(|графия)` the word with and without its ending, `школьниц~` the stem
with any ending Russian nouns and adjectives have, `child porn` words one after the other. Nothing matches inside a word.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

SENTENCE_GAP: Final = 20
"""How far apart, in words, the end of a sentence sets what stands before and after it."""
LEAST_SET_APART: Final = 4
MOST_SET_APART: Final = 40
MAX_SPELLINGS: Final = 4000
MAX_PHRASE_WORDS: Final = 8
MAX_FOLDED: Final = 400_000
"""Some characters stand for many; a text of ours has 20,000 characters at most."""
INVISIBLE: Final = re.compile(
    "[\u00ad\u0300-\u036f\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)
WORD: Final = re.compile(r"[^\W_]+(?:[@$!]+[^\W_]+)*")
ENDS_SENTENCE: Final = re.compile(r"[.!?…;\n]")
REPEATED: Final = re.compile(r"(.)\1{2,}")
STEM_ENDING: Final = "~"
ENDINGS: Final = (
    *("", "а", "я", "о", "е", "и", "ы", "у", "ю", "ь", "ой", "ей", "ою", "ею", "ом", "ем", "ам", "ям", "ами", "ями"),
    *("ах", "ях", "ов", "ев", "ью", "ый", "ий", "ая", "яя", "ое", "ее", "ые", "ие", "ого", "его", "ому", "ему", "ым"),
    *("им", "ых", "их", "ыми", "ими", "ую", "юю"),
)
LATIN_TO_CYRILLIC: Final = str.maketrans("aceopxykmthbnru03469@", "асеорхукмтнвпгиозчбда")
CYRILLIC_TO_LATIN: Final = str.maketrans("асеорхукмтнвіѕј", "aceopxykmthbisj")
SIGNS_TO_LATIN: Final = str.maketrans("03457@$!1", "oeastasii")
SIGNS_TO_LATIN_WITH_L: Final = str.maketrans("03457@$!1", "oeastasll")
HAS_CYRILLIC: Final = re.compile("[а-яіѕј]")
HAS_LATIN: Final = re.compile("[a-z]")
HAS_SIGN: Final = re.compile("[0-9@$!]")
OF_PHRASES: Final = re.compile(r"\(([^()]*\s[^()]*)\)")
ALTERNATIVES: Final = re.compile(r"\(([^()]*)\)")
WRITTEN: Final = re.compile(r"[^\W_]+")


class BadPattern(ValueError):
    """A word of a rule that cannot be read."""


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a text: where it stands, and every spelling it stands for, its own first."""

    place: int
    spellings: tuple[str, ...]


def folded(text: str) -> str:
    """The text without case, ё, decoration and invisible characters."""
    plain = unicodedata.normalize("NFKC", text)[:MAX_FOLDED].casefold()
    return INVISIBLE.sub("", plain).replace("ё", "е")


def tokens_of(text: str) -> list[Token]:
    """The words of a text, in order."""
    plain = folded(text)
    found: list[Token] = []
    place, end = 0, 0
    for match in WORD.finditer(plain):
        if ENDS_SENTENCE.search(plain, end, match.start()) is not None:
            place += SENTENCE_GAP
        place, end = place + 1, match.end()
        found.append(Token(place, spellings_of(match.group())))
    return _with_letters_joined(found)


def spellings_of(word: str) -> tuple[str, ...]:
    """What a word can be read as; nearly always itself alone."""
    read = [word]
    if REPEATED.search(word) is not None:
        read.append(REPEATED.sub(r"\1", word))
    has_sign = HAS_SIGN.search(word) is not None
    has_latin, has_cyrillic = HAS_LATIN.search(word) is not None, HAS_CYRILLIC.search(word) is not None
    if has_latin or (has_sign and has_cyrillic):
        read += [each.translate(LATIN_TO_CYRILLIC) for each in tuple(read)]
    if has_cyrillic and (has_latin or has_sign):
        read += [each.translate(CYRILLIC_TO_LATIN) for each in tuple(read)]
    if has_sign and (has_latin or has_cyrillic):
        for signs in (SIGNS_TO_LATIN, SIGNS_TO_LATIN_WITH_L):
            read += [each.translate(signs) for each in tuple(read)]
    return tuple(dict.fromkeys(read)) if len(read) > 1 else (word,)


def _with_letters_joined(tokens: Sequence[Token]) -> list[Token]:
    """The tokens, where several letters set apart are the one word they make, with or without a preposition at its end."""
    joined: list[Token] = []
    start, pulled = 0, 0
    while start < len(tokens):
        end, most = start, min(len(tokens), start + MOST_SET_APART)
        while end < most and len(tokens[end].spellings[0]) == 1 and tokens[end].spellings[0].isalpha():
            end += 1
        first = tokens[start]
        if end - start >= LEAST_SET_APART:
            word = "".join(each.spellings[0] for each in tokens[start:end])
            joined.append(Token(first.place - pulled, (*spellings_of(word), *spellings_of(word[:-1]))))
            pulled += tokens[end - 1].place - first.place
            start = end
        else:
            joined.append(Token(first.place - pulled, first.spellings))
            start += 1
    return joined


def phrases_of(written: str) -> list[tuple[frozenset[str], ...]]:
    """The phrases that words of a rule stand for, each word as the spellings that match; `BadPattern` says what is wrong."""
    return [_phrase(each, written) for each in _chosen(folded(written), OF_PHRASES)]


def _chosen(written: str, alternatives: re.Pattern[str]) -> list[str]:
    """The text once for each choice of these alternatives, inner ones first."""
    waiting, done = [written], []
    while waiting:
        each = waiting.pop()
        group = alternatives.search(each)
        if group is None:
            done.append(each)
        else:
            waiting += [each[: group.start()] + choice + each[group.end() :] for choice in group.group(1).split("|")]
        if len(waiting) + len(done) > MAX_SPELLINGS:
            raise BadPattern(f"{written!r} stands for more than {MAX_SPELLINGS} words")
    return list(dict.fromkeys(done))


def _phrase(each: str, written: str) -> tuple[frozenset[str], ...]:
    words = [_chosen(word, ALTERNATIVES) for word in each.split()]
    if not 0 < len(words) <= MAX_PHRASE_WORDS:
        raise BadPattern(f"{written!r} must be one to {MAX_PHRASE_WORDS} words")
    stems = [word.removesuffix(STEM_ENDING) for choices in words for word in choices]
    if any(WRITTEN.fullmatch(stem) is None for stem in stems):
        raise BadPattern(f"{written!r} must be letters and digits, with endings as (a|b) or ~")
    if len(words) == 1 and min(map(len, stems)) < 2:  # noqa: PLR2004  one letter would refuse everyone
        raise BadPattern(f"{written!r} must have two letters at least")
    return tuple(frozenset(spelling for word in choices for spelling in _with_endings(word)) for choices in words)


def _with_endings(word: str) -> list[str]:
    stem = word.removesuffix(STEM_ENDING)
    return [stem + ending for ending in ENDINGS] if stem != word else [word]
