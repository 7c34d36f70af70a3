"""What a finished task hands over, wherever its family puts it: addresses of files, or an object to be read.

A record has one place with results, and the first place that has any is believed; the others repeat it or show what led to it.
What was sent in (`origin…`), stills beside a film, covers and streams beside a track are no results. A copy with a water mark
is one only where there is no clean one. Nothing here raises on junk, and nothing goes deeper than the places it names.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeGuard

from photomat.kernel.text import storable

MOST_OUTPUTS: Final = 12
LONGEST_URL: Final = 2000

Found = Mapping[str, Any]

RESULT_PLACES: Final = (
    "resultJson",
    "response",
    "info",
    "resultInfoJson",
    "videoInfo",
    "vocal_removal_info",
    "midiData",
)
"""Where a record or a callback keeps its results, as an object or as JSON in a string; else in the record itself."""

LIST_KEYS: Final = (
    ("resultUrls", "result_urls"),
    ("fullResultUrls", "full_result_urls"),
    ("urls",),
    ("images",),
    ("resultWaterMarkUrls",),
)
STEMS: Final = (
    *("vocal", "instrumental", "backing_vocals", "drums", "bass", "guitar", "keyboard", "percussion", "strings"),
    *("synth", "fx", "brass", "woodwinds"),
)
ONE_KEYS: Final = (
    ("video_url", "videoUrl", "resultVideoUrl", "result_video_url"),
    ("audio_wav_url", "audioWavUrl"),
    ("audio_url", "audioUrl"),
    ("resultImageUrl", "result_image_url", "resultUrl", "result_url"),
    ("url",),
)
TRACK_LISTS: Final = ("sunoData", "data")
TRACK_KEYS: Final = ("audio_url", "audioUrl", "source_audio_url", "sourceAudioUrl")
LAST_FRAME: Final = "lastFrameUrl"
MASK: Final = "maskUrl"
LYRICS_APART: Final = "\n\n⁂\n\n"


def decoded(raw: object) -> object:
    """What a field holds that is JSON in a string here and an object there, also where it was encoded twice."""
    for _ in range(2):
        if not isinstance(raw, str):
            break
        try:
            raw = json.loads(raw)
        except (ValueError, RecursionError):
            return None
    return raw


def urls_of(data: Found) -> tuple[str, ...]:
    """The files of a record or a callback, in their order, each once."""
    for place in places(data):
        found = dict.fromkeys(_files(place))
        if found:
            return tuple(found)[:MOST_OUTPUTS]
    return ()


def result_object_of(data: Found) -> dict[str, Any] | None:
    """What is to be read rather than looked at: a transcript, the parts of a picture, lyrics, notes."""
    for place in places(data):
        inner = place.get("resultObject")
        told = inner if isinstance(inner, dict) and inner else None
        found = _lyrics(told or place) or told or _notes(place)
        if found:
            return _fit_to_store(found)
    return None


def places(data: Found) -> Iterator[Found]:
    """Where results may stand, in the order in which they are believed; an object to be read may name files too."""
    for place in (*(decoded(data.get(key)) for key in RESULT_PLACES), data):
        if isinstance(place, Mapping):
            yield place
            inner = place.get("resultObject")
            if isinstance(inner, Mapping):
                yield inner


def _files(place: Found) -> Iterable[str]:
    """The files of one place: of all its ways to name them the first that names any."""
    ways = (
        *(_listed(place, keys) for keys in LIST_KEYS),
        [url for stem in STEMS for url in named(place, stem_keys(stem))],
        [url for key in TRACK_LISTS for track in objects(place.get(key)) for url in named(track, TRACK_KEYS)[:1]],
        *(named(place, keys)[:1] for keys in ONE_KEYS),
        _masks(place.get("resultObject")),
    )
    files = next((found for found in ways if found), [])
    return [*files, *named(place, (LAST_FRAME,))] if files else []


def _listed(place: Found, keys: Iterable[str]) -> list[str]:
    """A list of addresses, of objects with one, or of both; one address alone, or the list as JSON in a string."""
    for key in keys:
        values = place.get(key)
        if isinstance(values, str):
            values = [values] if is_url(values) else decoded(values)
        if isinstance(values, list):
            found = [url for value in values for url in _one_address(value)]
            if found:
                return found
    return []


def _one_address(value: object) -> list[str]:
    if isinstance(value, Mapping):
        return named(value, ("resultUrl", "url"))[:1]
    return [value] if is_url(value) else []


def named(place: Found, keys: Iterable[str]) -> list[str]:
    """The addresses under these keys."""
    return [place[key] for key in keys if is_url(place.get(key))]


def _masks(result: object) -> list[str]:
    if not isinstance(result, Mapping):
        return []
    return [url for parts in result.values() for part in objects(parts) for url in named(part, (MASK,))]


def objects(values: object) -> list[Found]:
    """The objects of a list; whatever else is in it, or is no list, counts for nothing."""
    return [value for value in values if isinstance(value, Mapping)] if isinstance(values, list) else []


def _lyrics(place: Found) -> dict[str, Any] | None:
    """The variants of a text as one text, each under its title."""
    variants = [
        "\n\n".join(part for part in (variant.get("title"), variant["text"]) if isinstance(part, str) and part)
        for variant in objects(place.get("data"))
        if isinstance(variant.get("text"), str) and variant["text"].strip()
    ]
    return {"text": LYRICS_APART.join(variants)} if variants else None


def _notes(place: Found) -> dict[str, Any] | None:
    instruments = objects(place.get("instruments"))
    return {"instruments": instruments} if instruments else None


def _fit_to_store(found: dict[str, Any]) -> dict[str, Any] | None:
    try:
        return storable(found) or None
    except RecursionError:
        return None


def stem_keys(stem: str) -> tuple[str, str]:
    """Where a callback and where a record has the file of a stem."""
    first, *rest = stem.split("_")
    return f"{stem}_url", f"{first}{''.join(map(str.capitalize, rest))}Url"


def is_url(value: object) -> TypeGuard[str]:
    """An address as the wire has them: printable ASCII, so that it can be stored, sent and opened."""
    return (
        isinstance(value, str)
        and value.startswith(("http://", "https://"))
        and value.isascii()
        and value.isprintable()
        and len(value) <= LONGEST_URL
    )
