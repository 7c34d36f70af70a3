"""What Kie reports about a file beside its URL: a track's id, title, cover and length; and the seed of a task.

A part of a track (a stem) is titled by a key, `stem-drums`, which `delivery` translates; a mask by what it covers. Junk never
raises; what is kept is short and can be stored.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal, InvalidOperation
from typing import Final

from photomat.kernel.text import storable
from photomat.kie.results import (
    COVER_KEYS,
    MASK,
    STEMS,
    TRACK_KEYS,
    TRACK_LISTS,
    Found,
    named,
    objects,
    places,
    stem_keys,
)

LONGEST_ID: Final = 200
LONGEST_TITLE: Final = 120
LONGEST_S: Final = Decimal(86400)
MOST_SEED: Final = 2**63
STEM_TITLE: Final = "stem-"
STEM_TITLES: Final = tuple(f"{STEM_TITLE}{stem.replace('_', '-')}" for stem in STEMS)
STEM_NAME: Final = "stem_type_group_name"
"""What a list of separated tracks calls each of them, in English: `Vocals`, `Drums`, or any instrument."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """What is known of one output, as far as Kie reports it."""

    track_id: str | None = None
    title: str | None = None
    cover_url: str | None = None
    seconds: Decimal | None = None


NOTHING: Final = Detail()


def details_of(data: Found) -> Mapping[str, Detail]:
    """The details of a record or a callback, by the URLs of the files; the first value of each counts."""
    found: dict[str, Detail] = {}
    for place in places(data):
        for url, detail in (*_stems(place), *_tracks(place), *_masks(place)):
            if detail != NOTHING:
                found[url] = _merged(found.get(url, NOTHING), detail)
    return found


def _merged(known: Detail, more: Detail) -> Detail:
    """One detail out of two: an earlier fact is kept, a missing one is filled in."""
    facts = {each.name: (getattr(known, each.name), getattr(more, each.name)) for each in fields(Detail)}
    return Detail(**{name: old if old is not None else new for name, (old, new) in facts.items()})


def seed_of(data: Found) -> int | None:
    for place in places(data):
        seed = place.get("seed", place.get("seeds"))
        first = seed[0] if isinstance(seed, list) and seed else seed
        if isinstance(first, int) and not isinstance(first, bool) and abs(first) < MOST_SEED:
            return first
    return None


def _tracks(place: Found) -> Iterator[tuple[str, Detail]]:
    for key in TRACK_LISTS:
        for track in objects(place.get(key)):
            for url in named(track, TRACK_KEYS)[:1]:
                yield url, _detail(track)


def _detail(track: Found) -> Detail:
    return Detail(
        track_id=_track_id(track.get("id")),
        title=_line(track.get("title")) or _stem_title(track.get(STEM_NAME)),
        cover_url=next(iter(named(track, COVER_KEYS)), None),
        seconds=_seconds(track.get("duration")),
    )


def _stem_title(name: object) -> str | None:
    """The key of a known stem, which is translated; else its name as it is."""
    if not isinstance(name, str):
        return None
    key = f"{STEM_TITLE}{'-'.join(name.lower().split())}"
    return next((title for title in STEM_TITLES if key in {title, f"{title}s"}), None) or _line(name)


def _stems(place: Found) -> Iterator[tuple[str, Detail]]:
    for stem, title in zip(STEMS, STEM_TITLES, strict=True):
        for url in named(place, stem_keys(stem)):
            yield url, Detail(title=title)


def _masks(place: Found) -> Iterator[tuple[str, Detail]]:
    for parts in place.values():
        for part in objects(parts):
            for url in named(part, (MASK,)):
                yield url, Detail(title=_line(part.get("name")))


def _track_id(raw: object) -> str | None:
    """An id goes back to Kie as it is, or not at all."""
    fits = isinstance(raw, str) and 0 < len(raw) <= LONGEST_ID and raw.isascii() and raw.isprintable()
    return raw if fits and isinstance(raw, str) else None


def _line(raw: object) -> str | None:
    """One short line of text."""
    if not isinstance(raw, str):
        return None
    return str(storable(" ".join(raw.split())))[:LONGEST_TITLE].strip() or None


def _seconds(raw: object) -> Decimal | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return None
    try:
        seconds = Decimal(str(raw).strip())
        return (round(seconds, 3) or None) if seconds.is_finite() and 0 < seconds <= LONGEST_S else None
    except (InvalidOperation, ValueError):
        return None
