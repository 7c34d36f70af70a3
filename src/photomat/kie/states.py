"""How a task stands, in the words of every family of Kie: one of running, success, fail.

The families say it as `state`, as `status` or as `successFlag` (a number, or a word). A flag may lag behind the word beside it,
so the first of them that speaks of an end is believed. Callbacks of the older families have no word at all: there the code of
the envelope decides, and Suno's music says by `callbackType` which of its callbacks is the last. What nobody knows is running.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

OK: Final = 200
CODE_DIGITS: Final = 5


class KieState(StrEnum):
    """What a task's state means to us."""

    RUNNING = "running"
    SUCCESS = "success"
    FAIL = "fail"


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


def normalize_state(raw: object) -> KieState:
    """Translate any family's word for a state; what nobody knows is still running."""
    word = _word(raw)
    if word in SUCCESS_STATES:
        return KieState.SUCCESS
    if word in FAIL_STATES or word.endswith(FAILED_STEP):
        return KieState.FAIL
    return KieState.RUNNING


def state_of(payload: Mapping[str, object], data: Mapping[str, object], *, has_result: bool) -> KieState:
    """How the task of a record or a callback stands; `has_result` says whether there is something to show in it."""
    if _word(data.get("callbackType")):
        return normalize_state(data["callbackType"])
    words = [_word(data.get(key)) for key in STATE_KEYS]
    ends = (state for state in map(normalize_state, words) if state is not KieState.RUNNING)
    found = next(ends, None)
    if found is not None:
        return found
    if CALLBACK_EXCEPTION in words:
        return KieState.SUCCESS if has_result else KieState.RUNNING
    return KieState.RUNNING if any(words) else _by_envelope(payload, has_result=has_result)


def envelope_code(payload: Mapping[str, object]) -> int | None:
    """The code of a callback. An envelope that names no task answers a question, and its code says nothing of a task."""
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
    """A word in one spelling; a number is the same with and without its decimals, and nothing is no word."""
    if not isinstance(raw, str | int | float):
        return ""
    return str(raw).strip().lower().removesuffix(".0")
