"""One parser for everything Kie says about a task, in a callback or in recordInfo.

Kie's families spell the same facts differently: `state`, `status` or `successFlag`; results in `resultJson` (a JSON
string or an object), in `response` or in `info`. An unknown state is still running; junk never raises.
"""

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple

from photomat.kernel.text import storable

MOST_OUTPUTS: Final = 12
MOST_REASON_CHARS: Final = 500
MOST_CODE_CHARS: Final = 40
LONGEST_TASK_ID: Final = 200


class KieState(StrEnum):
    """What a task's state means to us."""

    RUNNING = "running"
    SUCCESS = "success"
    FAIL = "fail"


SUCCESS_STATES: Final = frozenset({"success", "done", "completed", "complete", "succeeded", "succeed", "finished", "1"})
FAIL_STATES: Final = frozenset(
    {"fail", "failed", "failure", "error", "create_task_failed", "generate_failed", "generate_audio_failed"}
    | {"sensitive_word_error", "canceled", "cancelled", "2", "3"}
)
TASK_ID_PLACES: Final = (("data", "taskId"), ("data", "task_id"), ("taskId",), ("task_id",))
URL_LIST_KEYS: Final = ("resultUrls", "result_urls", "urls", "resultWaterMarkUrls")
URL_KEYS: Final = (
    "url",
    "video_url",
    "videoUrl",
    "resultVideoUrl",
    "result_video_url",
    "resultImageUrl",
    "audio_url",
    "audioUrl",
)
NESTED_KEYS: Final = ("response", "info", "videoInfo")
TRACK_KEYS: Final = ("data", "sunoData")


class Reading(NamedTuple):
    """What a record or a callback says: the state, the results, the reason of a failure."""

    state: KieState
    urls: tuple[str, ...]
    error: str | None
    fail_code: str | None = None
    result_object: Mapping[str, Any] | None = None


def normalize_state(raw: object) -> KieState:
    """Translate any family's word for a state; what nobody knows is still running."""
    word = str(raw).strip().lower()
    if word in SUCCESS_STATES:
        return KieState.SUCCESS
    if word in FAIL_STATES:
        return KieState.FAIL
    return KieState.RUNNING


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
    data = payload.get("data") if isinstance(payload, Mapping) else None
    if not isinstance(data, Mapping):
        return Reading(KieState.RUNNING, (), None)
    raw = next(
        (data[key] for key in ("state", "status", "successFlag") if data.get(key) is not None and data[key] != ""), None
    )
    result = _decoded(data.get("resultJson"))
    urls = tuple(dict.fromkeys([*_urls(result), *_urls(data)]))[:MOST_OUTPUTS]
    found = result.get("resultObject") if isinstance(result, Mapping) else None
    code = data.get("failCode") or data.get("errorCode")
    return Reading(
        normalize_state(raw),
        urls,
        _reason(data.get("failMsg") or data.get("errorMessage")),
        str(storable(str(code)))[:MOST_CODE_CHARS] if code else None,
        storable(found) if isinstance(found, dict) and found else None,
    )


def _decoded(raw: object) -> object:
    if not isinstance(raw, str):
        return raw
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _urls(found: object) -> Iterable[str]:
    if not isinstance(found, Mapping):
        return
    for key in URL_LIST_KEYS:
        values = found.get(key)
        if isinstance(values, list):
            yield from (value for value in values if _is_url(value))
    for key in URL_KEYS:
        if _is_url(found.get(key)):
            yield found[key]
    for key in NESTED_KEYS:
        yield from _urls(found.get(key))
    for key in TRACK_KEYS:
        tracks = found.get(key)
        if isinstance(tracks, list):
            for track in tracks:
                yield from _urls(track)


def _is_id(value: str) -> bool:
    return 0 < len(value) <= LONGEST_TASK_ID and value.isascii() and value.isprintable()


def _is_url(value: object) -> bool:
    """An address as the wire has them: printable ASCII, so that it can be stored, sent and opened."""
    return (
        isinstance(value, str) and value.startswith(("http://", "https://")) and value.isascii() and value.isprintable()
    )


def _reason(raw: object) -> str | None:
    return str(storable(str(raw)))[:MOST_REASON_CHARS] if raw else None
