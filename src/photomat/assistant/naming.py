"""A model that a customer names, however it is spelled ("через нано банану", "in Kling 2.6"). Pure."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from photomat.assistant.vocabulary import Word, vocabulary
from photomat.catalog.model import Model
from photomat.catalog.search import LATIN, SPOKEN, ModelNames, NamesBySound, names_like, search
from photomat.catalog.storefront import Storefront

MAX_BESIDE: Final = 8
"""Without a cue a name counts among so many words from either end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The models of that name, and the words that are it, a preposition before it included."""

    models: tuple[Model, ...]
    first: int
    last: int


def named_in(text: str, words: Sequence[Word], storefront: Storefront, *, aside: Collection[int] = ()) -> Named | None:
    """The first name in a text that models go by; words at the places `aside` state settings."""
    names = storefront.names
    for place in range(len(words)):
        if place in aside or not _is_place_for_a_name(words, place):
            continue
        size = _size(words, place, names)
        if size:
            models = tuple(storefront.catalog.models.values())
            last = _with_version(words, place + size, aside)
            name = text[words[place].start : words[place + size - 1].end]
            found = search(models, f"{name} {_version(text, words[place + size : last])}") or search(models, name)
            if found:
                return Named(models=tuple(found), first=_with_cue(words, place), last=last)
    return None


def _is_place_for_a_name(words: Sequence[Word], place: int) -> bool:
    return place < MAX_BESIDE or place >= len(words) - MAX_BESIDE or _is_cued(words, place)


def _is_cued(words: Sequence[Word], place: int) -> bool:
    return any(word.plain in vocabulary().cues for word in words[max(0, place - 2) : place])


def _size(words: Sequence[Word], place: int, names: ModelNames) -> int:
    """How many words the name has that begins here; 0 where none does."""
    is_sure = _is_cued(words, place) or _is_versioned(words, place) or _is_label(words, place)
    pair = "".join(word.plain for word in words[place : place + 2])
    for size, word in ((2, pair), (1, words[place].plain)):
        if size > 1 and not _may_be_two(words, place):
            continue
        spelled = {word, SPOKEN.get(word, word), word.translate(LATIN)}
        is_ordinary = not spelled.isdisjoint(vocabulary().ordinary_names)
        known = names.by_sound
        exact = not spelled.isdisjoint(names.written) or (len(word) > 5 and names_like_exactly(word, known))  # noqa: PLR2004
        if (exact and (is_sure or not is_ordinary)) or (is_sure and _is_cued(words, place) and names_like(word, known)):
            return size
    return 0


def _may_be_two(words: Sequence[Word], place: int) -> bool:
    following = words[place + 1 : place + 2]
    return any(
        not word.hard and not word.plain.isdigit() and word.plain not in vocabulary().breaks for word in following
    )


def names_like_exactly(word: str, known: NamesBySound) -> bool:
    """Whether a longer word sounds like a name, other endings included."""
    return word[0] > "z" and bool(names_like(word, known))


def _is_label(words: Sequence[Word], place: int) -> bool:
    """Whether a message begins with a name and a pause: "Runway: …"."""
    return place == 0 and len(words) > 1 and _is_followed_by_pause(words, place)


def _is_followed_by_pause(words: Sequence[Word], place: int) -> bool:
    return all(word.hard or word.soft for word in words[place + 1 : place + 2])


def _is_versioned(words: Sequence[Word], place: int) -> bool:
    following = words[place + 1 : place + 2]
    return any(word.plain.isdigit() and not word.hard for word in following)


def _with_version(words: Sequence[Word], last: int, aside: Collection[int]) -> int:
    while last < len(words) and last not in aside and not words[last].soft and _goes_on(words, last):
        last += 1
    return last


def _version(text: str, words: Sequence[Word]) -> str:
    """A version as a search knows it: `2.6`, `pro`."""
    if not words:
        return ""
    numbers = text[words[0].start : words[-1].end] if all(word.plain.isdigit() for word in words) else ""
    return numbers or " ".join(vocabulary().versions.get(word.plain, word.plain) for word in words)


def _goes_on(words: Sequence[Word], place: int) -> bool:
    word = words[place]
    if word.plain.isdigit():
        return len(word.plain) == 1 or (place > 0 and words[place].start - words[place - 1].end <= 1)
    is_about = word.plain in vocabulary().about and not _is_followed_by_pause(words, place)
    return word.plain in vocabulary().versions and not word.hard and not is_about


def _with_cue(words: Sequence[Word], first: int) -> int:
    """Where the preposition before a name begins ("с помощью …", "in the …")."""
    known = vocabulary()
    while first > 0 and not words[first].hard and not words[first].soft:
        before = words[first - 1].plain
        if before not in known.cues and before not in known.weak_cues:
            break
        first -= 1
    return first
