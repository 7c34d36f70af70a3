"""Finding models by words, in both languages, with other endings, small slips and names as they sound (`name_sounds`). Pure.

Every word that says something must fit a model; the better it fits (its name before what it is for), the higher the model
stands. Where nothing fits every word, what fits some of them can be asked for.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from photomat.catalog.model import Category, Model, Tag
from photomat.catalog.name_sounds import by_sound, names_like
from photomat.catalog.search_words import CATEGORY_WORDS, MAKERS, NO_NAMES, SILENT, SPOKEN, TAG_WORDS
from photomat.catalog.words import LocalizedText

WORD: Final = re.compile(r"\d+(?:\.\d+)?|[a-z]+|[а-я]+")
ENDINGS_RU: Final = (
    "иями", "ениям", "ением", "ения", "ение", "ений", "ями", "ами", "ого", "его", "ому", "ему", "ыми", "ими", "ить",
    "ать", "ять", "еть", "уть", "ишь", "ешь", "ает", "яет", "ует", "ают", "яют", "ите", "ете", "ок", "ек", "ая", "яя",
    "ое", "ее", "ые", "ие", "ый", "ий", "ой", "ей", "ом", "ем", "ам", "ям", "ах", "ях", "ов", "ев", "ую", "юю", "ия",
    "ья", "ию", "ью", "а", "я", "о", "е", "ы", "и", "у", "ю", "ь", "й",
)  # fmt: skip
ENDINGS_EN: Final = ("ings", "ing", "ers", "ed", "er", "es", "s", "e")
LEAST_STEM: Final = 3
LEAST_PREFIX: Final = 4
LEAST_SLIP: Final = 5
MOST_WORDS: Final = 12
VOWELS: Final = frozenset("aeiouyаеиоуыэюя")
SPOKEN_NAMES: Final = frozenset(SPOKEN.values())

BY_TITLE: Final = 8
BY_ID: Final = 6
BY_CATEGORY: Final = 5
BY_PURPOSE: Final = 2
EXACT, BEGINS, SLIPPED = 4, 3, 2
"""How well a word fits: the same, one begins with the other, one letter is wrong or it only sounds alike."""

LATIN: Final = str.maketrans({
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ж": "zh", "з": "z", "и": "i", "й": "y", "к": "k",
    "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f", "х": "h",
    "ц": "ts", "ч": "ch", "ш": "sh", "щ": "sch", "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "yu", "я": "ya",
})  # fmt: skip


def search(models: Sequence[Model], words: str, *, every: bool = True) -> list[Model]:
    """The models that fit every word, or at least one, best first; equally good ones in the given order."""
    wanted = meaningful(words)
    if not wanted:
        return []
    terms = [_terms(each.id, each.titles, each.purpose, (each.category, *each.also), each.tags) for each in models]
    vocabulary = {term for known in terms for term in known}
    names = _names(frozenset(name for each in models for name in _brands(each.id, each.titles)))
    fitting = _in_two_words(wanted, [_fitting(word, vocabulary, names) for word in wanted], names)
    scores = [_score(known, fitting, every=every) for known in terms]
    found = [number for number, score in enumerate(scores) if score]
    return [models[number] for number in sorted(found, key=lambda number: -scores[number])]


def meaningful(words: str) -> list[str]:
    """The words that say something, as they are compared."""
    spoken = [SPOKEN.get(word, word) for word in _joined(_split(words)) if word not in SILENT]
    return list(dict.fromkeys(spoken))[:MOST_WORDS]


def _joined(words: Sequence[str]) -> list[str]:
    """The words, a name in two of them (`eleven labs`) as one."""
    found: list[str] = []
    for word in words:
        joined = found[-1] + word if found else ""
        if joined in SPOKEN or joined in SPOKEN_NAMES:
            found[-1] = joined
        else:
            found.append(word)
    return found


def stem(word: str) -> str:
    """A word without its ending."""
    endings = ENDINGS_EN if word[0] <= "z" else ENDINGS_RU
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= LEAST_STEM:
            return word.removesuffix(ending)
    return word


def _split(text: str) -> list[str]:
    return WORD.findall(text.casefold().replace("ё", "е"))


@lru_cache(maxsize=1024)
def _terms(
    model_id: str,
    titles: LocalizedText | None,
    purpose: LocalizedText | None,
    categories: tuple[Category, ...],
    tags: tuple[Tag, ...],
) -> Mapping[str, int]:
    """Every word a model is found by, and how much it says of it."""
    found: dict[str, int] = {}

    def say(words: Iterable[str], weight: int) -> None:
        for word in words:
            found[word] = max(weight, found.get(word, 0))

    for title in (titles.ru, titles.en) if titles else ():
        say(_with_joined(_split(title)), BY_TITLE)
    say(_with_joined(_split(model_id)), BY_ID)
    for weight, known in (
        (BY_CATEGORY, [CATEGORY_WORDS[category] for category in categories]),
        (BY_PURPOSE, [*([purpose] if purpose else []), *(TAG_WORDS[tag] for tag in tags)]),
    ):
        for said in known:
            say(map(stem, _split(f"{said.ru} {said.en}")), weight)
    makers = [words for start, words in MAKERS.items() if model_id.startswith(start)]
    say((word for words in makers for word in words.split()), BY_ID)
    return found


def _with_joined(words: Sequence[str]) -> list[str]:
    """Words of a name, also without the space between them (`nanobanana`), and without their endings."""
    joined = [first + second for first, second in pairwise(words)]
    return [*words, *joined, *map(stem, words)]


@lru_cache(maxsize=1024)
def _brands(model_id: str, titles: LocalizedText | None) -> frozenset[str]:
    """The names a model goes by: how its title and its id begin, and who made it."""
    starts = [_name_of(_split(text)) for text in (titles.en if titles else "", model_id)]
    makers = [words.split() for start, words in MAKERS.items() if model_id.startswith(start)]
    return frozenset(word for words in (*starts, *makers) for word in words if "a" <= word[0] <= "z")


def _name_of(words: Sequence[str]) -> list[str]:
    """The first word of a title or an id, and the first two as one (`nanobanana`) where both are words."""
    is_long = len(words) > 1 and all("a" <= word[0] <= "z" for word in words[:2])
    return [*words[:1], *(["".join(words[:2])] if is_long else [])]


@lru_cache(maxsize=16)
def _names(brands: frozenset[str]) -> Mapping[str, frozenset[str]]:
    """Names by their sounds, as they are written in Latin and as Russians write them."""
    spoken = ((spelling, name) for spelling, name in SPOKEN.items() if name in brands)
    return by_sound([*((name, name) for name in sorted(brands)), *spoken])


def _in_two_words(
    wanted: Sequence[str], fitting: Sequence[dict[str, int]], names: Mapping[str, frozenset[str]]
) -> list[dict[str, int]]:
    """What fits each word; where one fits nothing, it may be half of a name (`нана банана`)."""
    found: list[dict[str, int]] = []
    is_half = False
    for place, fits in enumerate(fitting):
        is_open = place > 0 and not is_half and not (fits and fitting[place - 1])
        meant = names_like(wanted[place - 1] + wanted[place], names) if is_open else frozenset()
        is_half = bool(meant)
        if is_half:
            found[-1] = dict.fromkeys(meant, SLIPPED)
        else:
            found.append(fits)
    return found


def _fitting(word: str, vocabulary: Iterable[str], names: Mapping[str, frozenset[str]]) -> dict[str, int]:
    """The known words that a wanted one may be, and how well each fits."""
    forms = {word, stem(word)}
    if word[0] > "z":
        forms.add(word.translate(LATIN))
    fits = {term: max(_fit(form, term) for form in forms) for term in vocabulary}
    sure = {term: fit for term, fit in fits.items() if fit > SLIPPED}
    if sure or word[0].isdigit():
        return sure or {term: fit for term, fit in fits.items() if fit}
    meant = names_like(word, names) if word not in NO_NAMES else frozenset[str]()
    heard = {term: SLIPPED for term in meant if term in fits}
    return heard | {term: fit for term, fit in fits.items() if fit}


def _fit(word: str, term: str) -> int:
    if word == term:
        return EXACT
    if word[0].isdigit():
        return BEGINS if term.startswith(f"{word}.") else 0
    is_cyrillic = word[0] > "z"
    begins = term.startswith(word) or (is_cyrillic and len(term) >= LEAST_PREFIX and word.startswith(term))
    if begins and len(word) >= LEAST_PREFIX:
        return BEGINS
    is_long = min(len(word), len(term)) >= LEAST_SLIP
    return SLIPPED if is_long and _is_one_slip(word, term) else 0


def _is_one_slip(word: str, term: str) -> bool:
    """One letter too many, too few or wrong, or two letters changed places; a short word allows no wrong consonant."""
    if abs(len(word) - len(term)) > 1 or term[0].isdigit():
        return False
    start = next((at for at, (one, other) in enumerate(zip(word, term, strict=False)) if one != other), None)
    if start is None:
        return True
    one, other = word[start:], term[start:]
    swapped = one[1:2] + one[:1] + one[2:]
    is_wrong = one[1:] == other[1:] and (len(word) > LEAST_SLIP or {one[0], other[0]} <= VOWELS)
    return is_wrong or one[1:] == other or one == other[1:] or swapped == other


def _score(known: Mapping[str, int], fitting: Sequence[Mapping[str, int]], *, every: bool) -> int:
    """How well a model fits; 0 when no word does, or when `every` one must and one does not."""
    best = [max((known[term] * fit for term, fit in each.items() if term in known), default=0) for each in fitting]
    return sum(best) if all(best) or not every else 0
