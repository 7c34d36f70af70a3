"""What a finished task hands over that no rule of `results.py` reads. Nothing that was paid for is dropped silently.

A URL under a field nobody knows is an output all the same: it is fetched and shown by what its bytes are. What cannot become
outputs one by one (an object of unknown structure, more URLs than a card can show, a URL that cannot be stored) is kept whole,
as a file. In both cases the fields are named, so that an operator is alerted. Junk never raises.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from photomat.kie.results import NOT_OUTPUTS, Found, containers, decoded, fit_to_store, is_url, looks_like_url, urls_of

MOST_OUTPUTS: Final = 100
"""As many pages as anybody would turn. What is beyond it stands in the file with the whole answer."""

MOST_FIELDS: Final = 10
MOST_FIELD_CHARS: Final = 60
DEEPEST: Final = 12
UNNAMED: Final = re.compile(r"[^A-Za-z0-9_.\-\[\]]")
ABOUT_THE_TASK: Final = frozenset(
    {
        *("code", "msg", "message", "taskId", "task_id", "recordId", "id", "callbackType"),
        *("state", "status", "successFlag", "progress", "errorCode", "errorMessage", "failCode", "failMsg"),
        *("seed", "seeds", "resolution", "createTime", "completeTime", "segments_count"),
        *("resultUrls", "result_urls", "fullResultUrls", "urls", "images", "data", "sunoData", "resultObject"),
    }
)
"""Fields that say nothing by themselves: an answer that has no other holds no result."""


NOTHING_SAID: Final[tuple[object, ...]] = (None, "", [], {}, False)


class Leftovers(NamedTuple):
    """`urls` to add to the outputs, `fields` nobody could read, `answer` to be kept as a file where URLs are not enough."""

    urls: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    answer: dict[str, Any] | None = None


NOTHING: Final = Leftovers()


def leftovers_of(data: Found, *, urls: tuple[str, ...], shown: frozenset[str], has_object: bool) -> Leftovers:
    """What is in a successful record beside its outputs (`urls`) and what is shown with them (`shown`: covers)."""
    name, place = _believed(data, has_files=bool(urls))
    unread = [(path, url) for path, url in _urls(place, name) if url not in shown and url not in urls]
    more = tuple(dict.fromkeys(url for _, url in unread if is_url(url)))
    unusable = any(not is_url(url) for _, url in unread)
    fields = [path for path, _ in unread]
    is_too_many = len(urls) + len(more) > MOST_OUTPUTS
    unknown = [] if urls or more or has_object else list(_structure(place, name))
    if is_too_many or unusable or unknown:
        fields += unknown or (["too-many-outputs"] if is_too_many else [])
        return Leftovers(more, _told(fields), _answer(place))
    return Leftovers(more, _told(fields))


def beside_files(result_object: Found | None) -> bool:
    """Whether an object holds more than its files and what they are called: the times of spoken words, say."""
    told = {key: value for key, value in (result_object or {}).items() if key not in ABOUT_THE_TASK}
    return any(not _is_files(value) for value in told.values() if value not in NOTHING_SAID)


def _is_files(value: object) -> bool:
    """A URL, or a list of objects each of which is a file."""
    if isinstance(value, list):
        return all(isinstance(each, Mapping) and any(map(looks_like_url, each.values())) for each in value)
    return looks_like_url(value)


def _believed(data: Found, *, has_files: bool) -> tuple[str, object]:
    """The place whose results are shown; where none has any, the first that has something at all."""
    for name, found in containers(data):
        if not has_files or urls_of({name: found} if name != "data" else data):
            return name, found
    return "data", data


def _urls(value: object, path: str, depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every URL below a value, with the path of its field; fields that were reviewed as no outputs are left out."""
    if depth > DEEPEST:
        return
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if key not in NOT_OUTPUTS:
                yield from _urls(inner, f"{path}.{key}", depth + 1)
    elif isinstance(value, list):
        for inner in value:
            yield from _urls(inner, f"{path}[]", depth + 1)
    elif looks_like_url(value):
        yield path, value
    elif isinstance(value, str) and value[:1] in {"{", "["}:
        yield from _urls(decoded(value), path, depth + 1)


def _structure(place: object, name: str) -> Iterator[str]:
    """The fields of an answer without files that hold something nobody knows; the record's own fields are no answer."""
    if name == "data":
        return
    if not isinstance(place, Mapping):
        if isinstance(place, list | str):
            yield name
        return
    for key, inner in place.items():
        if key not in NOT_OUTPUTS and key not in ABOUT_THE_TASK and inner not in NOTHING_SAID:
            yield f"{name}.{key}"


def _answer(place: object) -> dict[str, Any] | None:
    kept = {k: v for k, v in place.items() if k not in NOT_OUTPUTS} if isinstance(place, Mapping) else {"answer": place}
    return fit_to_store(kept)


def _told(fields: list[str]) -> tuple[str, ...]:
    """Names of fields, each once, short and without anything that could be a text of a customer."""
    names = dict.fromkeys(UNNAMED.sub("?", field)[:MOST_FIELD_CHARS] for field in fields)
    return tuple(names)[:MOST_FIELDS]
