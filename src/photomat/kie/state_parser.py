"""One parser for everything Kie reports about a task, in a callback or in recordInfo. Junk never raises.

The state is one of running, success, fail. Families give it as `state`, `status` or `successFlag`; a flag may lag behind the
word beside it, so the first that means an end counts. Callbacks of the older families have none of them: there the code of the
envelope decides, and Suno's `callbackType` names the last callback. An unknown word means running.

Times are milliseconds, seconds or ISO, without a zone UTC. Results and details of files are read in `results.py`, what its
rules do not know in `unread_fields.py`.
"""

import math
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from photomat.kernel.text import storable
from photomat.kie.protocol import OK
from photomat.kie.results import (
    Detail,
    details_of,
    object_of,
    result_object_of,
    seed_of,
    urls_of,
    with_decoded_places,
    without_callback_urls,
)
from photomat.kie.unread_fields import MAX_OUTPUTS, NOTHING, beside_files, unread_fields_of

CODE_DIGITS: Final = 5
SUCCESS_STATES: Final = frozenset(
    {"success", "succeeded", "succeed", "successful", "done", "complete", "completed", "finished", "成功", "1", "true"}
)
FAIL_STATES: Final = frozenset(
    {"fail", "failed", "failure", "error", "sensitive_word_error", "canceled", "cancelled", "2", "3"}
)
FAILED_STEP: Final = "_failed"
"""Every step of a task has its own word for a failure: CREATE_TASK_FAILED, GENERATE_AUDIO_FAILED, GENERATE_WAV_FAILED …"""
CALLBACK_EXCEPTION: Final = "callback_exception"
"""Suno could not deliver its callback; the music may be there all the same."""
STATE_KEYS: Final = ("state", "status", "successFlag")
TASK_ID_KEYS: Final = ("taskId", "task_id")
MILLISECONDS_FROM: Final = 100_000_000_000
"""A number of seconds as large lies in the year 5138; as milliseconds it lies in 1973."""
LONGEST: Final = timedelta(days=30)
MAX_TEXT_LENGTH: Final = 40
FULL_PERCENT: Final = 100
MAX_CREDITS: Final = Decimal(1_000_000)
"""No task costs so much: a larger number is a mistake and is not booked as a cost."""
MAX_CREDITS_CHARS: Final = 24
CREDITS_PRECISION: Final = Decimal("0.000001")
MAX_REASON_CHARS: Final = 500
MAX_CODE_CHARS: Final = 40
MAX_TEXT_CHARS: Final = 10 * MAX_REASON_CHARS
MAX_TASK_ID_LENGTH: Final = 200
TASK_ID_PLACES: Final = (("data", "taskId"), ("data", "task_id"), ("taskId",), ("task_id",))
REASON_KEYS: Final = ("failMsg", "errorMessage")
CODE_KEYS: Final = ("failCode", "errorCode")
SENSITIVE_WORD: Final = "SENSITIVE_WORD_ERROR"


class KieState(StrEnum):
    RUNNING = "running"
    SUCCESS = "success"
    FAIL = "fail"


class Reading(NamedTuple):
    """What a record or a callback says: state, results, the reason of a failure, how far, how long, what Kie took.

    `details` are the facts about the files, by their URLs. `unread` names fields that no rule could read.
    `object_as_file`: the object is an output of its own, beside the files or because it cannot be shown otherwise.
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


def normalize_state(raw: object) -> KieState:
    """Translate any family's word for a state; an unknown word means running."""
    return _state_named(_word(raw))


def _state_named(word: str) -> KieState:
    if word in SUCCESS_STATES:
        return KieState.SUCCESS
    if word in FAIL_STATES or word.endswith(FAILED_STEP):
        return KieState.FAIL
    return KieState.RUNNING


def state_of(payload: Mapping[str, object], data: Mapping[str, object], *, has_result: bool) -> KieState:
    """The state of the task; `has_result`: the record or callback holds something to show."""
    if last := _word(data.get("callbackType")):
        return _state_named(last)
    words = []
    for key in STATE_KEYS:
        words.append(_word(data.get(key)))
        if (state := _state_named(words[-1])) is not KieState.RUNNING:
            return state
    if CALLBACK_EXCEPTION in words:
        return KieState.SUCCESS if has_result else KieState.RUNNING
    return KieState.RUNNING if any(words) else _by_envelope(payload, has_result=has_result)


def envelope_code(payload: Mapping[str, object]) -> int | None:
    """The code of a callback; None where the envelope names no task, because then its code is about the query."""
    places = (payload, payload.get("data"))
    named = any(place.get(key) for place in places if isinstance(place, Mapping) for key in TASK_ID_KEYS)
    word = _word(payload.get("code"))
    return int(word) if named and word.isascii() and word.isdigit() and len(word) <= CODE_DIGITS else None


def _by_envelope(payload: Mapping[str, object], *, has_result: bool) -> KieState:
    code = envelope_code(payload)
    if code is None or (code == OK and not has_result):
        return KieState.RUNNING
    return KieState.SUCCESS if code == OK else KieState.FAIL


def _word(raw: object) -> str:
    """A state in one spelling (`1.0` is `1`); empty for anything else."""
    if raw is None or not isinstance(raw, (str, int, float)):
        return ""
    return str(raw).strip().lower().removesuffix(".0")


def instant(raw: object) -> datetime | None:
    """An aware instant, or None."""
    number = _number(raw)
    try:
        if number is not None:
            seconds = number / 1000 if abs(number) >= MILLISECONDS_FROM else number
            return datetime.fromtimestamp(seconds, tz=UTC) if seconds > 0 else None
        if not isinstance(raw, str) or len(raw) > MAX_TEXT_LENGTH:
            return None
        found = datetime.fromisoformat(raw.strip())
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


def took(data: Mapping[str, object]) -> timedelta | None:
    """How long Kie took by its own clock. `costTime` is no help: seconds on the wire, milliseconds in the documents."""
    begin, end = instant(data.get("createTime")), instant(data.get("completeTime"))
    if begin is None or end is None or not timedelta(0) <= end - begin <= LONGEST:
        return None
    return end - begin


def progress(raw: object) -> int | None:
    """Percent from 0 to 100: a number of percent ("45", 45, "45%"), or a part of one ("0.45")."""
    text = raw.strip().removesuffix("%") if isinstance(raw, str) and len(raw) <= MAX_TEXT_LENGTH else raw
    number = _number(text)
    if number is None or number < 0:
        return None
    is_part = number <= 1 and (isinstance(text, float) or (isinstance(text, str) and "." in text))
    return min(FULL_PERCENT, int(number * FULL_PERCENT if is_part else number))


def _number(raw: object) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        return None
    if isinstance(raw, str) and len(raw) > MAX_TEXT_LENGTH:
        return None
    try:
        number = float(raw)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def credits_of(data: Mapping[str, object]) -> Decimal | None:
    """The credits Kie took; None where the family does not say."""
    raw = data.get("creditsConsumed")
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        return None
    try:
        text = str(raw).strip()
        number = Decimal(text) if len(text) <= MAX_CREDITS_CHARS else None
    except (InvalidOperation, ValueError):
        return None
    if number is None or not number.is_finite() or not 0 <= number <= MAX_CREDITS:
        return None
    return number.quantize(CREDITS_PRECISION).normalize() + 0


def extract_task_id(payload: object) -> str | None:
    """Find the task's id wherever this family puts it."""
    for place in TASK_ID_PLACES:
        value: object = payload
        for key in place:
            value = value.get(key) if isinstance(value, dict) else None
        if isinstance(value, str) and _is_id(value.strip()):
            return value.strip()
    return None


def parse_kie_state(payload: object) -> Reading:
    """Read the whole envelope of a callback or of recordInfo."""
    if not isinstance(payload, Mapping):
        return Reading(KieState.RUNNING, (), None)
    found = payload.get("data")
    data: Mapping[str, Any] = with_decoded_places(found) if isinstance(found, Mapping) else {}
    urls, result_object, details = urls_of(data), result_object_of(data), details_of(data)
    state = state_of(payload, data, has_result=bool(urls or result_object))
    covers = frozenset(detail.cover_url for detail in details.values() if detail.cover_url is not None)
    left = unread_fields_of(data, urls=urls, shown=covers) if state is KieState.SUCCESS else NOTHING
    urls = (*urls, *left.urls)[:MAX_OUTPUTS]
    object_as_file = left.answer is not None or bool(urls and beside_files(result_object))
    result_object = left.answer or result_object
    if urls and (seed := seed_of(data)) is not None:
        result_object = {"seed": seed, **(result_object or {})}
    failed = state is KieState.FAIL
    return Reading(
        state,
        urls,
        _first_text(data, REASON_KEYS, MAX_REASON_CHARS) or (_words_of_envelope(payload) if failed else None),
        _fail_code(payload, data, state),
        result_object,
        progress(data.get("progress")),
        took(data),
        credits_of(data),
        details,
        left.fields,
        object_as_file,
    )


class Glance(NamedTuple):
    """What is logged of a callback when it arrives."""

    state: KieState
    urls: int
    fail_code: str | None


def glance_at(payload: Mapping[str, Any]) -> Glance:
    """The state, the number of files and the code of a failure, at a tenth of the cost of reading everything."""
    found = payload.get("data")
    data: Mapping[str, Any] = found if isinstance(found, dict) else {}
    urls = urls_of(data)
    state = state_of(payload, data, has_result=bool(urls or object_of(data)))
    if state is KieState.SUCCESS and not urls:  # an unknown family, whose files only the whole reading finds
        reading = parse_kie_state(payload)
        return Glance(state, len(reading.urls), reading.fail_code)
    return Glance(state, len(urls), _fail_code(payload, data, state))


def _fail_code(payload: Mapping[str, Any], data: Mapping[str, Any], state: KieState) -> str | None:
    code = _first_text(data, CODE_KEYS, MAX_CODE_CHARS)
    return code or (_other_code(payload, data) if state is KieState.FAIL else None)


def _words_of_envelope(payload: Mapping[str, Any]) -> str | None:
    """A failed callback of the older families gives its reason outside; a record's "success" there is no reason."""
    if _code_of_envelope(payload) is None:
        return None
    return _first_text(payload, ("msg", "message"), MAX_REASON_CHARS)


def _other_code(payload: Mapping[str, Any], data: Mapping[str, Any]) -> str | None:
    """The code of a failure that has none of its own: a status that says why, else that of the envelope."""
    return SENSITIVE_WORD if data.get("status") == SENSITIVE_WORD else _code_of_envelope(payload)


def _code_of_envelope(payload: Mapping[str, Any]) -> str | None:
    code = envelope_code(payload)
    return None if code in {None, OK} else str(code)


def _first_text(place: Mapping[str, Any], keys: tuple[str, ...], most_chars: int) -> str | None:
    """The first of these fields that is neither 0 nor empty, fit to be stored."""
    for key in keys:
        if (raw := place.get(key)) and isinstance(raw, (str, int)):
            return _storable_text(raw)[:most_chars]
    return None


def _storable_text(raw: str | int) -> str:
    return without_callback_urls(str(storable(str(raw)))[:MAX_TEXT_CHARS])


def _is_id(value: str) -> bool:
    return 0 < len(value) <= MAX_TASK_ID_LENGTH and value.isascii() and value.isprintable()
