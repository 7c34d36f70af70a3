"""The results of a finished task, wherever its family puts them: URLs of files with their details, or an object to be read.

The first place of a record that has results counts; the others repeat it. Inputs (`origin…`) and streams are no outputs
(`NEVER_OUTPUTS`), nor are stills beside a video and covers beside a track (`BESIDE_OUTPUTS`). A watermarked copy is an output
only where there is no clean one. `unread_fields.py` finds what these rules do not read.

Echoes of the order are removed, above all the signed callback URL: its token authenticates callbacks, so it must reach neither
a customer's file nor a table. Removal works at any depth, in lists, and in JSON encoded in strings.

Details of a file are a track's id, title, cover and length. A part of a track (a stem) is titled by a key, `stem-drums`, which
`delivery` translates; a mask by what it covers. Junk never raises; what is returned is short and can be stored.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import Any, Final, TypeGuard

from photomat.kernel.text import storable

ORDER_KEYS: Final = frozenset({"param", "paramJson", "generateParam"})
CALLBACK_KEYS: Final = frozenset({"callBackUrl", "callbackUrl", "callback_url"})
ECHOES: Final = ORDER_KEYS | CALLBACK_KEYS
"""Fields in which Kie repeats what was ordered."""
SLASH: Final = r"(?:/|\\|%(?:25)*2f|u002f)+"
CALLBACK_PATH: Final = re.compile(f"kie{SLASH}callback{SLASH}", re.IGNORECASE)
CALLBACK_URL: Final = re.compile(rf"\S{{0,300}}kie{SLASH}callback{SLASH}\S*", re.IGNORECASE)
DEEPEST: Final = 100
"""Nesting beyond this is kept as JSON text; no documented answer has more than six levels."""
JSON_STARTS: Final = ("{", "[", '"')
REMOVED: Final = object()
MAX_URL_LENGTH: Final = 2000
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
)
USUAL_FIELDS: Final = frozenset({"resultUrls"})
"""All that a result of nearly every model has: no other field needs to be looked for."""
WATERMARKED: Final = ("resultWaterMarkUrls",)
STEMS: Final = (
    *("vocal", "instrumental", "backing_vocals", "drums", "bass", "guitar", "piano", "keyboard", "percussion"),
    *("strings", "synth", "fx", "brass", "woodwinds"),
)
ONE_KEYS: Final = (
    ("video_url", "videoUrl", "resultVideoUrl", "result_video_url"),
    ("audio_wav_url", "audioWavUrl"),
    ("audio_url", "audioUrl"),
    ("resultUrl", "result_url"),
    ("url",),
)
STILL_KEYS: Final = ("resultImageUrl", "result_image_url")
"""The picture of a family that makes pictures; beside a video it is a still of it."""
FRAME_KEYS: Final = ("firstFrameUrl", "lastFrameUrl")
TRACK_LISTS: Final = ("sunoData", "data", "originData", "origin_data")
TRACK_KEYS: Final = ("audio_url", "audioUrl", "source_audio_url", "sourceAudioUrl")
COVER_KEYS: Final = ("image_url", "imageUrl", "source_image_url", "sourceImageUrl")
MASK: Final = "maskUrl"
LYRICS_LISTS: Final = ("data", "lyricsData", "lyrics_data")
LYRICS_APART: Final = "\n\n⁂\n\n"
VOICE_KEYS: Final = ("validateInfo", "validate_info", "voiceId", "voice_id", "isAvailable", "is_available")
NEVER_OUTPUTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(sorted(ORDER_KEYS), "the order, echoed"),
    **dict.fromkeys(("input", "inputs", "params"), "the order, echoed"),
    **dict.fromkeys(sorted(CALLBACK_KEYS), "our own URL, echoed"),
    **dict.fromkeys(("originUrl", "origin_url"), "the track that was taken apart"),
    **dict.fromkeys(("originUrls", "origin_urls"), "the video before Kie cropped it"),
    **dict.fromkeys(("originImageUrl", "origin_image_url"), "the picture that was edited"),
    **dict.fromkeys(("streamAudioUrl", "stream_audio_url"), "a stream of the track, for listening while it is made"),
    **dict.fromkeys(("sourceStreamAudioUrl", "source_stream_audio_url"), "the same stream at its source"),
    **dict.fromkeys(FRAME_KEYS, "a frame, where there is no video"),
}
"""Documented fields with URLs in them that are no outputs, reviewed one by one: the field, and why."""
BESIDE_OUTPUTS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("sourceAudioUrl", "source_audio_url"), "the same track at its source"),
    **dict.fromkeys(COVER_KEYS, "the cover of a track, or a still of a video"),
    **dict.fromkeys(("imageUrls", "image_urls"), "stills of videos"),
    **dict.fromkeys(STILL_KEYS, "a still of a video, where there is one"),
    **dict.fromkeys(WATERMARKED, "a copy with a watermark, where there is a clean one"),
}
"""Fields that only go with an output in the same object; where that object has no other, they are the output."""
MAX_ID_LENGTH: Final = 200
MAX_TITLE_LENGTH: Final = 120
MAX_S: Final = Decimal(86400)
MAX_SEED: Final = 2**63
STEM_TITLE: Final = "stem-"
STEM_TITLES: Final = tuple(f"{STEM_TITLE}{stem.replace('_', '-')}" for stem in STEMS)
STEM_FILES: Final[Mapping[str, str]] = {
    key: title
    for stem, title in zip(STEMS, STEM_TITLES, strict=True)
    for key in (f"{stem}_url", re.sub("_(.)", lambda letter: letter[1].upper(), f"{stem}_url"))
}
"""Where a callback and where a record has the file of a stem, and the title of each."""
STEM_NAME: Final = "stem_type_group_name"
"""What a list of separated tracks calls each of them, in English: `Vocals`, `Drums`, or any instrument."""


def without_echoes(value: Any) -> Any:
    """Return the value without echoed fields and strings that hold a callback URL; None where nothing is left."""
    kept = _kept(value, 0)
    return None if kept is REMOVED else kept


def without_callback_urls(text: str) -> str:
    """Return a text for people with each callback URL in it replaced."""
    return CALLBACK_URL.sub("…", text)


def holds_callback_url(value: str) -> bool:
    """Whether a text holds the path of our callback URL, plain or escaped."""
    return "callback" in value.lower() and CALLBACK_PATH.search(value) is not None


def _kept(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return _kept_text(value, depth)
    if depth >= DEEPEST and isinstance(value, Mapping | list):
        return _as_text(value)
    if isinstance(value, Mapping):
        pairs = [(key, _kept(inner, depth + 1)) for key, inner in value.items() if not _is_echo(key)]
        return {key: inner for key, inner in pairs if inner is not REMOVED}
    if isinstance(value, list):
        return [inner for inner in (_kept(each, depth + 1) for each in value) if inner is not REMOVED]
    return value


def _is_echo(key: object) -> bool:
    return key in ECHOES or (isinstance(key, str) and holds_callback_url(key))


def _kept_text(text: str, depth: int) -> Any:
    """Clean JSON in a string without changing what needs no cleaning; remove any other text with a callback URL."""
    if text.lstrip()[:1] in JSON_STARTS and depth < DEEPEST:
        try:
            found = json.loads(text)
            kept = _kept(found, depth + 1)
            if kept != found:
                text = json.dumps(None if kept is REMOVED else kept, ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    return REMOVED if holds_callback_url(text) else text


def _as_text(value: Any) -> Any:
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return REMOVED
    return REMOVED if holds_callback_url(text) or any(f'"{key}' in text for key in ECHOES) else text


def decoded(raw: object) -> object:
    """The value of a field that may be JSON in a string, even encoded twice; None for a string that is no JSON."""
    found: object = None
    for _ in range(2):
        if not isinstance(raw, str):
            break
        try:
            found = raw = json.loads(raw)
        except (ValueError, RecursionError):
            return found
    return raw


def with_decoded_places(data: Found) -> Found:
    """The record with its containers decoded, where they hold an object or a list, so that each is decoded once."""
    found = {key: decoded(data[key]) for key in RESULT_PLACES if isinstance(data.get(key), str)}
    return {**data, **{key: inner for key, inner in found.items() if isinstance(inner, Mapping | list)}}


def urls_of(data: Found) -> tuple[str, ...]:
    """The files of a record or a callback, in their order, each once."""
    for place in places(data):
        found = dict.fromkeys(_files(place))
        if found:
            return tuple(found)
    return ()


def result_object_of(data: Found) -> dict[str, Any] | None:
    """What is read rather than viewed: a transcript, the parts of a picture, lyrics, notes, a voice; fit to be stored."""
    found = object_of(data)
    return fit_to_store(found) if found else None


def object_of(data: Found) -> dict[str, Any] | None:
    """The object as Kie sent it."""
    for place in places(data):
        inner = place.get("resultObject")
        given = inner if isinstance(inner, dict) and inner else None
        found = _lyrics(given or place) or given or _notes(place) or _voice(place)
        if found:
            return found
    return None


def containers(data: Found) -> Iterator[tuple[str, object]]:
    """Where results may be, by name, in order of preference; last the record itself."""
    for key in RESULT_PLACES:
        if key in data and (found := decoded(data[key])):
            yield key, found
    yield "data", data


def places(data: Found) -> Iterator[Found]:
    """The objects of these places; an object to be read may name files too."""
    for _, found in containers(data):
        if isinstance(found, dict):
            yield found
            inner = found.get("resultObject")
            if isinstance(inner, dict):
                yield inner


def _files(place: Found) -> list[str]:
    if place.keys() == USUAL_FIELDS:
        return _listed(place, USUAL_FIELDS)
    files = [
        *(url for keys in LIST_KEYS for url in _listed(place, keys)),
        *named(place, STEM_FILES),
        *(url for key in TRACK_LISTS for track in objects(place.get(key)) for url in named(track, TRACK_KEYS)[:1]),
        *(url for keys in ONE_KEYS for url in named(place, keys)[:1]),
        *_masks(place.get("resultObject")),
    ]
    files = files or named(place, STILL_KEYS)[:1] or _listed(place, WATERMARKED)
    return [*files, *named(place, FRAME_KEYS)] if files else []


def _listed(place: Found, keys: Iterable[str]) -> list[str]:
    """A list of URLs, of objects with one, or of both; one URL alone, or the list as JSON in a string."""
    for key in keys:
        values = place.get(key)
        if isinstance(values, str):
            values = [values] if is_url(values) else decoded(values)
        if isinstance(values, list):
            found = [url for value in values for url in _one_url(value)]
            if found:
                return found
    return []


def _one_url(value: object) -> list[str]:
    if isinstance(value, dict):
        return named(value, ("resultUrl", "url"))[:1]
    return [usable_url(value)] if is_url(value) else []


def named(place: Found, keys: Iterable[str]) -> list[str]:
    return [usable_url(place[key]) for key in keys if key in place and is_url(place[key])]


def _masks(result: object) -> list[str]:
    if not isinstance(result, Mapping):
        return []
    return [url for parts in result.values() for part in objects(parts) for url in named(part, (MASK,))]


def objects(values: object) -> list[Found]:
    """The objects of a list; everything else is ignored."""
    return [value for value in values if isinstance(value, Mapping)] if isinstance(values, list) else []


def _lyrics(place: Found) -> dict[str, Any] | None:
    """The variants of a text as one text, each under its title."""
    variants = [lyrics_variant(variant) for key in LYRICS_LISTS for variant in objects(place.get(key))]
    texts = dict.fromkeys(text for text in variants if text)
    return {"text": LYRICS_APART.join(texts)} if texts else None


def lyrics_variant(variant: Found) -> str | None:
    """One variant of a text, under its title; None where there is no text."""
    text = variant.get("text")
    if not isinstance(text, str) or not text.strip():
        return None
    return "\n\n".join(part for part in (variant.get("title"), text) if isinstance(part, str) and part)


def _notes(place: Found) -> dict[str, Any] | None:
    instruments = objects(place.get("instruments"))
    return {"instruments": instruments} if instruments else None


def _voice(place: Found) -> dict[str, Any] | None:
    """A voice that was made, whether it can be used, or the phrase its owner is to read."""
    return {
        key: place[key] for key in VOICE_KEYS if isinstance(place.get(key), str | bool) and place[key] != ""
    } or None


def fit_to_store(found: dict[str, Any]) -> dict[str, Any] | None:
    """The object without echoes of the order and without what PostgreSQL cannot hold; None where nothing is left."""
    try:
        return storable(without_echoes(found)) or None
    except RecursionError:
        return None


def is_url(value: object) -> TypeGuard[str]:
    """A URL as the wire has them: printable ASCII, so that it can be stored, sent and opened; never our own callback."""
    is_fit = looks_like_url(value) and value.isascii() and value.isprintable() and len(value) <= MAX_URL_LENGTH
    return is_fit and not holds_callback_url(str(value))


def looks_like_url(value: object) -> TypeGuard[str]:
    """Whether a value is meant as a URL of a web server, usable or not."""
    return isinstance(value, str) and value[: len("https://")].lower().startswith(("http://", "https://"))


def usable_url(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    return f"{scheme.lower()}{mark}{rest}"


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
        for url, detail in (*_stems(place), *_tracks(place), *_track_masks(place)):
            if detail != NOTHING:
                found[url] = _merged(found.get(url, NOTHING), detail)
    return found


def _merged(known: Detail, more: Detail) -> Detail:
    """Fill in what is not known yet."""
    return replace(known, **{name: value for name, value in asdict(more).items() if getattr(known, name) is None})


def seed_of(data: Found) -> int | None:
    for place in places(data):
        seed = place.get("seed", place.get("seeds"))
        first = seed[0] if isinstance(seed, list) and seed else seed
        if isinstance(first, int) and not isinstance(first, bool) and abs(first) < MAX_SEED:
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
    for key, title in STEM_FILES.items():
        if key in place and is_url(place[key]):
            yield usable_url(place[key]), Detail(title=title)


def _track_masks(place: Found) -> Iterator[tuple[str, Detail]]:
    for parts in place.values():
        for part in objects(parts):
            for url in named(part, (MASK,)):
                yield url, Detail(title=_line(part.get("name")))


def _track_id(raw: object) -> str | None:
    """An id goes back to Kie as it is, or not at all."""
    fits = isinstance(raw, str) and 0 < len(raw) <= MAX_ID_LENGTH and raw.isascii() and raw.isprintable()
    return raw if fits and isinstance(raw, str) else None


def _line(raw: object) -> str | None:
    if not isinstance(raw, str):
        return None
    return str(storable(" ".join(raw.split())))[:MAX_TITLE_LENGTH].strip() or None


def _seconds(raw: object) -> Decimal | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float | str):
        return None
    try:
        seconds = Decimal(str(raw).strip())
        return (round(seconds, 3) or None) if seconds.is_finite() and 0 < seconds <= MAX_S else None
    except (InvalidOperation, ValueError):
        return None
