"""Names by their sound, so that a brand is found however it is spelled, in either alphabet. Pure.

A word becomes the sounds it stands for (`сидэнс` and `seedance` differ in one vowel), and two words are one name when their
sounds differ by little: a vowel counts half, as does a consonant for its voiced twin. Short names allow no difference, for
ordinary words lie too close to them.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

VOWELS: Final = frozenset("aeiou")
TWINS: Final = frozenset(frozenset(pair) for pair in ("bp", "dt", "gk", "vf", "zs", "JS"))
"""Consonants that differ in voice alone."""

HALF, WHOLE = 1, 2
"""What a difference counts, in halves: of vowels and twins, of other sounds."""

LEAST_SOUNDS: Final = 4
ALLOWED: Final = ((9, 3), (6, 2), (5, 1))
"""From so many sounds on, so many halves may differ; shorter names must sound the same, and the shortest are left alone."""

CYRILLIC: Final = str.maketrans({
    "а": "a", "б": "b", "в": "v", "г": "g", "д": "d", "е": "e", "ж": "J", "з": "z", "и": "i", "й": "i", "к": "k", "л": "l",
    "м": "m", "н": "n", "о": "o", "п": "p", "р": "r", "с": "s", "т": "t", "у": "u", "ф": "f", "х": "h", "ц": "ts", "ч": "C",
    "ш": "S", "щ": "S", "ъ": "", "ы": "i", "ь": "", "э": "e", "ю": "u", "я": "a",
})  # fmt: skip
LATIN: Final = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        ("ph", "f"),
        ("tch|ch", "C"),
        ("sch|sh", "S"),
        ("th", "t"),
        ("ck", "k"),
        ("qu|qw", "kv"),
        ("q", "k"),
        ("x", "ks"),
        ("c(?=[eiy])", "s"),
        ("c", "k"),
        ("dg(?=e)|dj|j|g(?=e$)", "J"),
        ("wh|w", "v"),
        ("ee|ea", "i"),
        ("oo", "u"),
        ("y", "i"),
        ("(?<=[a-zA-Z]{3})e$", ""),
    )
)
"""English spelling, in the order in which it is read; what is left sounds as it is written."""

RUSSIAN: Final = ((re.compile("dJ"), "J"),)
DOUBLE: Final = re.compile(r"(.)\1+")


@lru_cache(maxsize=4096)
def sound_of(word: str) -> str:
    """The sounds of a word in small letters, one sign each."""
    is_latin = word[:1] <= "z"
    text = word if is_latin else word.translate(CYRILLIC)
    for pattern, sound in LATIN if is_latin else RUSSIAN:
        text = pattern.sub(sound, text)
    return DOUBLE.sub(r"\1", text)


def names_like(word: str, names: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The names that a word may be a spelling of; `names` are found by their sounds, see `by_sound`."""
    sound = sound_of(word)
    if len(sound) < LEAST_SOUNDS:
        return frozenset()
    if sound in names:
        return names[sound]
    found = (meant for known, meant in names.items() if known[:1] == sound[:1] and _is_near(sound, known))
    return frozenset(name for meant in found for name in meant)


def by_sound(names: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Names by every way they are written: pairs of a spelling and the name it means."""
    found: dict[str, set[str]] = {}
    for spelling, name in names:
        found.setdefault(sound_of(spelling), set()).add(name)
    return {sound: frozenset(meant) for sound, meant in found.items()}


def _is_near(sound: str, known: str) -> bool:
    allowed = next((most for length, most in ALLOWED if min(len(sound), len(known)) >= length), 0)
    return allowed > 0 and abs(len(sound) - len(known)) <= allowed and _difference(sound, known) <= allowed


def _difference(one: str, other: str) -> int:
    """How far two words lie apart, in halves of a sound."""
    row = [0]
    for sound in other:
        row.append(row[-1] + _weight(sound))
    for sound in one:
        above, row = row, [row[0] + _weight(sound)]
        for place, known in enumerate(other, start=1):
            changed = above[place - 1] + _exchange(sound, known)
            row.append(min(changed, above[place] + _weight(sound), row[-1] + _weight(known)))
    return row[-1]


def _weight(sound: str) -> int:
    return HALF if sound in VOWELS else WHOLE


def _exchange(one: str, other: str) -> int:
    if one == other:
        return 0
    is_small = {one, other} <= VOWELS or frozenset((one, other)) in TWINS
    return HALF if is_small else WHOLE
