"""One parser for everything Kie says about a task, in a callback or in recordInfo. Junk never raises.

How a task stands is read in `states.py`, what it hands over in `results.py`, instants and progress in `times.py`,
what it tells of each file in `tracks.py`, what no rule reads in `leftovers.py`, what Kie took for it in `credits.py`.
"""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from photomat.kernel.text import storable
from photomat.kie import times
from photomat.kie.credits import credits_of
from photomat.kie.echoes import without_callback_urls
from photomat.kie.leftovers import MOST_OUTPUTS, NOTHING, Leftovers, beside_files, leftovers_of
from photomat.kie.results import result_object_of, urls_of
from photomat.kie.states import OK, KieState, envelope_code, normalize_state, state_of
from photomat.kie.tracks import Detail, details_of, seed_of

__all__ = ["KieState", "Reading", "extract_task_id", "normalize_state", "parse_kie_state"]

MOST_REASON_CHARS: Final = 500
MOST_CODE_CHARS: Final = 40
MOST_TEXT_CHARS: Final = 10 * MOST_REASON_CHARS
LONGEST_TASK_ID: Final = 200
TASK_ID_PLACES: Final = (("data", "taskId"), ("data", "task_id"), ("taskId",), ("task_id",))
REASON_KEYS: Final = ("failMsg", "errorMessage")
CODE_KEYS: Final = ("failCode", "errorCode")


class Reading(NamedTuple):
    """What a record or a callback says: state, results, the reason of a failure, how far, how long, what Kie took.

    `details` are what is told of the files, by their addresses. `unread` names fields that no rule could read.
    `object_as_file`: the object is an output of its own, beside the files or because nobody knows how to show it.
    """

    state: KieState
    urls: tuple[str, ...]
    error: str | None
    fail_code: str | None = None
    result_object: Mapping[str, Any] | None = None
    progress: int | None = None
    took: timedelta | None = None
    credits: Decimal | None = None
    details: Mapping[str, Detail] = MappingProxyType({})
    unread: tuple[str, ...] = ()
    object_as_file: bool = False


def extract_task_id(payload: object) -> str | None:
    """Find the task's id wherever this family puts it."""
    for place in TASK_ID_PLACES:
        value: object = payload
        for key in place:
            value = value.get(key) if isinstance(value, Mapping) else None
        if isinstance(value, str) and _is_id(value.strip()):
            return value.strip()
    return None


def parse_kie_state(payload: object) -> Reading:
    """Read the whole envelope of a callback or of recordInfo."""
    if not isinstance(payload, Mapping):
        return Reading(KieState.RUNNING, (), None)
    found = payload.get("data")
    data: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    urls, result_object, details = urls_of(data), result_object_of(data), details_of(data)
    state = state_of(payload, data, has_result=bool(urls or result_object))
    left = _left(data, urls, details) if state is KieState.SUCCESS else NOTHING
    urls = (*urls, *left.urls)[:MOST_OUTPUTS]
    object_as_file = left.answer is not None or bool(urls and beside_files(result_object))
    result_object = left.answer or result_object
    if urls and (seed := seed_of(data)) is not None:
        result_object = {"seed": seed, **(result_object or {})}
    failed = state is KieState.FAIL
    return Reading(
        state,
        urls,
        _first_text(data, REASON_KEYS, MOST_REASON_CHARS) or (_words_of_envelope(payload) if failed else None),
        _first_text(data, CODE_KEYS, MOST_CODE_CHARS) or (_code_of_envelope(payload) if failed else None),
        result_object,
        times.progress(data.get("progress")),
        times.took(data),
        credits_of(data),
        details,
        left.fields,
        object_as_file,
    )


def _left(data: Mapping[str, Any], urls: tuple[str, ...], details: Mapping[str, Detail]) -> Leftovers:
    covers = frozenset(detail.cover_url for detail in details.values() if detail.cover_url is not None)
    return leftovers_of(data, urls=urls, shown=covers)


def _words_of_envelope(payload: Mapping[str, Any]) -> str | None:
    """A failed callback of the older families gives its reason outside; a record's "success" there is no reason."""
    if _code_of_envelope(payload) is None:
        return None
    return _first_text(payload, ("msg", "message"), MOST_REASON_CHARS)


def _code_of_envelope(payload: Mapping[str, Any]) -> str | None:
    code = envelope_code(payload)
    return None if code in {None, OK} else str(code)


def _first_text(place: Mapping[str, Any], keys: tuple[str, ...], most_chars: int) -> str | None:
    """The first of these fields that says something, fit to be stored; 0 and the empty text say nothing."""
    said = (place.get(key) for key in keys)
    return next((_storable_text(raw)[:most_chars] for raw in said if isinstance(raw, str | int) and raw), None)


def _storable_text(raw: str | int) -> str:
    return without_callback_urls(str(storable(str(raw)))[:MOST_TEXT_CHARS])


def _is_id(value: str) -> bool:
    return 0 < len(value) <= LONGEST_TASK_ID and value.isascii() and value.isprintable()
