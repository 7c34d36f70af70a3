"""Find the fields of a finished task's answer that `results.py` does not read, so that nothing paid for is dropped silently.

Every value of the answer is read, in every container. A URL under an unknown field is an output all the same: it is
fetched and shown by what its bytes are. What cannot become an output (a text, an object of unknown structure, more
URLs than a card can show, a URL that cannot be stored or fetched) is kept with the whole answer, as a file. In both cases the
fields are named, so that an operator is alerted. Echoes of the order are neither outputs nor in the file. Junk never raises.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple

from photomat.kie.results import (
    BESIDE_OUTPUTS,
    LIST_KEYS,
    LYRICS_APART,
    LYRICS_LISTS,
    NEVER_OUTPUTS,
    ORDER_KEYS,
    RESULT_PLACES,
    TRACK_LISTS,
    Found,
    containers,
    decoded,
    fit_to_store,
    holds_callback_url,
    is_url,
    looks_like_url,
    lyrics_variant,
    object_of,
    usable_url,
)

MAX_OUTPUTS: Final = 100
"""The most pages of a card. Further outputs are in the file with the whole answer."""

MAX_FIELDS: Final = 10
MAX_FIELD_CHARS: Final = 60
DEEPEST: Final = 12
UNNAMED: Final = re.compile(r"[^A-Za-z0-9_.\-\[\]]")
RECORD: Final = "data"
OBJECT: Final = "resultObject"
NO_KEYS: Final[frozenset[str]] = frozenset()
ABOUT_THE_TASK: Final = frozenset(
    {
        *("code", "msg", "message", "taskId", "task_id", "recordId", "id", "callbackType", "videoId", "video_id"),
        *("state", "status", "successFlag", "progress", "errorCode", "errorMessage", "failCode", "failMsg"),
        *("seed", "seeds", "resolution", "createTime", "completeTime", "segments_count", "mediaIds", "media_ids"),
        *("model", "modelName", "model_name", "prompt", "hasAudioList"),
    }
)
"""Fields about the task: an answer that has no other holds no result."""

LIST_NAMES: Final = frozenset(key for keys in LIST_KEYS for key in keys)
TRACK_FACTS: Final = frozenset({"title", "tags", "duration", "stem_type_group_name"})
DOCUMENTED_LISTS: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(LIST_NAMES, ABOUT_THE_TASK),
    **dict.fromkeys(LYRICS_LISTS, ABOUT_THE_TASK),
    **dict.fromkeys(TRACK_LISTS, ABOUT_THE_TASK | TRACK_FACTS),
    "segments": ABOUT_THE_TASK | {"name", "index"},
}
"""The lists of files, and the known fields of each file beside its URL."""

MEDIA_KEYS: Final = frozenset(
    {
        *("video_url", "videoUrl", "resultVideoUrl", "result_video_url", "audio_wav_url", "audioWavUrl"),
        *("audio_url", "audioUrl", "streamAudioUrl", "stream_audio_url"),
    }
)
"""An object with one of these, even an empty one, is a video or a track: a picture in it is a still or a cover."""

INLINE: Final = ("data:", "//")
"""How a file begins that is no URL of a web server: bytes in the answer itself, or a URL without its scheme."""


class UnreadFields(NamedTuple):
    """`urls` to add to the outputs, `fields` that no rule reads, `answer` to be kept as a file where URLs are not enough."""

    urls: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    answer: dict[str, Any] | None = None


NOTHING: Final = UnreadFields()


class Leaf(NamedTuple):
    """One value of an answer, and the path of its field; `url` where it can be fetched.

    A `file` is meant as a URL and cannot be fetched; `deep` stands for everything below the deepest level that is read.
    """

    path: str
    kind: Literal["url", "file", "text", "number", "deep"]
    url: str = ""


def unread_fields_of(data: Found, *, urls: tuple[str, ...], shown: frozenset[str]) -> UnreadFields:
    """What is in a successful record beside its outputs (`urls`), its object, and what is shown with them (`shown`: covers)."""
    read = object_of(data)
    known = {*urls, *shown, *_ordered_urls(data)}
    names = {_file_name(url) for url in urls}
    every = _record_leaves(data, read, has_files=bool(urls))
    leaves = [leaf for leaf in every if leaf.url not in known and not _is_repeated(leaf, names)]
    found = [leaf for leaf in leaves if leaf.kind == "url"]
    more = tuple(dict.fromkeys(leaf.url for leaf in found))
    unread = [leaf for leaf in leaves if leaf.kind in {"file", "text", "deep"}]
    if not (urls or more or read or unread):
        unread = leaves
    is_too_many = len(urls) + len(more) > MAX_OUTPUTS
    fields = [*(leaf.path for leaf in found), *(_field(leaf) for leaf in unread)]
    if not (unread or is_too_many):
        return UnreadFields(more, _names(fields))
    if not unread:
        fields.append("too-many-outputs")
    is_in_record = any(leaf.path.startswith(f"{RECORD}.") for leaf in leaves)
    return UnreadFields(more, _names(fields), _answer(data, with_record=is_in_record))


def beside_files(result_object: Found | None) -> bool:
    """Whether an object holds more than its files and what they are called: the times of spoken words, say."""
    return any(leaf.kind != "url" for leaf in _leaves(result_object or {}, OBJECT, known=ABOUT_THE_TASK))


def _record_leaves(data: Found, read: Found | None, *, has_files: bool) -> Iterator[Leaf]:
    """Every value of the containers that no rule reads; of the record itself the URLs alone, its texts are no answer."""
    for name, container in containers(data):
        if name != RECORD:
            yield from _container_leaves(container, name, read or {})
    rest = {key: value for key, value in data.items() if key not in RESULT_PLACES}
    if has_files:
        rest = {key: value for key, value in rest.items() if key not in BESIDE_OUTPUTS}
    yield from (leaf for leaf in _leaves(rest, RECORD, known=ABOUT_THE_TASK) if leaf.kind in {"url", "file"})


def _container_leaves(container: object, name: str, read: Found) -> Iterator[Leaf]:
    """The values of one container; those that went into the object that was read count as URLs only."""
    if not isinstance(container, Mapping):
        yield from _leaves(container, name, known=ABOUT_THE_TASK)
        return
    inner = container.get(OBJECT)
    unread, kept = _parted(container, read)
    if isinstance(inner, Mapping):
        unread_inner, kept_inner = _parted(inner, read)
        unread = {**unread, OBJECT: unread_inner}
        kept = {**kept, OBJECT: kept_inner}
    yield from _leaves(unread, name, known=ABOUT_THE_TASK)
    yield from (leaf for leaf in _leaves(kept, name, known=ABOUT_THE_TASK) if leaf.kind not in {"text", "number"})


def _parted(place: Found, read: Found) -> tuple[dict[str, Any], dict[str, Any]]:
    """What of a place did not go into the object that was read, and what did."""
    variants = frozenset(str(read.get("text", "")).split(LYRICS_APART))
    unread: dict[str, Any] = {}
    kept: dict[str, Any] = {}
    for key, value in place.items():
        if key in read and read[key] == value:
            kept[key] = value
        elif key in LYRICS_LISTS and isinstance(value, list):
            unread[key] = [_without_lyrics(each, variants) for each in value]
        else:
            unread[key] = value
    return unread, kept


def _without_lyrics(value: object, variants: frozenset[str]) -> object:
    if isinstance(value, Mapping) and lyrics_variant(value) in variants:
        return {key: inner for key, inner in value.items() if key not in {"text", "title"}}
    return value


def _leaves(value: object, path: str, *, known: frozenset[str], depth: int = 0) -> Iterator[Leaf]:
    """Every value below one; under `known` keys of an object only URLs count."""
    if isinstance(value, str):
        yield from _text_leaves(value, path, known=known, depth=depth)
    elif not isinstance(value, Mapping | list):
        if value:
            yield Leaf(path, "number")
    elif depth > DEEPEST:
        if value:
            yield Leaf(path, "deep")
    elif isinstance(value, Mapping):
        yield from _object_leaves(value, path, known=known, depth=depth)
    else:
        for inner in value:
            yield from _leaves(inner, f"{path}[]", known=known, depth=depth + 1)


def _object_leaves(value: Found, path: str, *, known: frozenset[str], depth: int) -> Iterator[Leaf]:
    """The values of an object; a cover or a still is one of them only where it is the only file of its object."""

    def below(keys: Iterable[str]) -> Iterator[Leaf]:
        for key in keys:
            if not value[key]:
                continue
            is_object = key == OBJECT and depth == 0
            inner_known = ABOUT_THE_TASK if is_object else DOCUMENTED_LISTS.get(key, NO_KEYS)
            for leaf in _leaves(value[key], f"{path}.{key}", known=inner_known, depth=depth + 1):
                if key not in known or leaf.kind == "url":
                    yield leaf

    own = list(below(key for key in value if key not in NEVER_OUTPUTS and key not in BESIDE_OUTPUTS))
    yield from own
    if not (MEDIA_KEYS & value.keys() or any(leaf.kind in {"url", "file"} for leaf in own)):
        yield from below(key for key in value if key in BESIDE_OUTPUTS)


def _text_leaves(value: str, path: str, *, known: frozenset[str], depth: int) -> Iterator[Leaf]:
    text = value.strip()
    inner = decoded(text) if text[:1] in {"{", "["} else None
    if isinstance(inner, Mapping | list):
        yield from _leaves(inner, path, known=known, depth=depth + 1)
    elif is_url(text):
        yield Leaf(path, "url", usable_url(text))
    elif text and not holds_callback_url(text):
        is_file = looks_like_url(text) or text[: len("data:")].lower().startswith(INLINE)
        yield Leaf(path, "file" if is_file else "text")


def _is_repeated(leaf: Leaf, names: set[str]) -> bool:
    """Whether a list of outputs repeats a known file, at another host or with another signature."""
    is_listed = leaf.path.removesuffix("[]").rpartition(".")[2] in LIST_NAMES
    return leaf.kind == "url" and is_listed and _file_name(leaf.url) in names


def _file_name(url: str) -> str:
    """The last part of the path; the whole URL where there is none."""
    return url.partition("?")[0].rpartition("/")[2] or url


def _ordered_urls(data: Found) -> Iterator[str]:
    """The URLs of the order, as far as the record repeats it: seen elsewhere in the record they are no outputs."""
    for key in (*ORDER_KEYS, "input", "inputs", "params"):
        yield from _urls_below(data.get(key))


def _urls_below(value: object, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        if is_url(value):
            yield usable_url(value)
        value = decoded(value) if value[:1] in {"{", "["} else None
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for each in inner if depth <= DEEPEST else ():
        yield from _urls_below(each, depth + 1)


def _answer(data: Found, *, with_record: bool) -> dict[str, Any] | None:
    """The containers of a record, one alone without its name; the record's own fields where they hold outputs."""
    found: dict[str, object] = {}
    for name, container in containers(data):
        if name != RECORD and container not in found.values():
            found[name] = container
    if with_record or not found:
        found[RECORD] = {key: value for key, value in data.items() if key not in RESULT_PLACES}
    if len(found) > 1:
        return fit_to_store(found)
    (only,) = found.values()
    return fit_to_store(dict(only) if isinstance(only, Mapping) else {"answer": only})


def _field(leaf: Leaf) -> str:
    """How an unread value is named: the field of its container, except for a file, which has a name of its own."""
    if leaf.kind == "file":
        return leaf.path
    return ".".join(leaf.path.split(".", 2)[:2]).replace("[]", "")


def _names(fields: list[str]) -> tuple[str, ...]:
    """Names of fields, each once, short and without anything that could be a text of a customer."""
    names = dict.fromkeys(UNNAMED.sub("?", field)[:MAX_FIELD_CHARS] for field in dict.fromkeys(fields))
    return tuple(names)[:MAX_FIELDS]
