"""A task on the wire: its record and its callbacks, in the format of the family it belongs to.

The vendor's oddities are kept. The task's id has another place in nearly every family. In the jobs protocol `param` is JSON in
JSON in JSON with its keys in another order, `resultJson` is a string and "" before the end, `costTime` counts seconds although
the documents say milliseconds. Suno music calls back in stages (`text`, `first`, `complete` or `error`), its tools once.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from photomat_sandbox.kie.models import table, with_defaults
from photomat_sandbox.kie.results import lyrics, midi_notes, result_json, stems, suno_tracks
from photomat_sandbox.kie.tasks import Family, State, Task
from photomat_sandbox.kie.world import DueCallback, KieSettings

CREATE_FAILED: Final = 2
GENERATION_FAILED: Final = 3
REFUSED_AT_ONCE: Final = frozenset({"400", "422"})
LAG_S: Final = 2.0
RUNWAY_STATES: Final[Mapping[State, str]] = {"waiting": "wait"}
GPT4O_STATUS: Final[Mapping[State, str]] = {"success": "SUCCESS", "fail": "GENERATE_FAILED"}
SUNO_STATUS: Final[Mapping[State, str]] = {
    "waiting": "PENDING",
    "generating": "PENDING",
    "text": "TEXT_SUCCESS",
    "first": "FIRST_SUCCESS",
    "success": "SUCCESS",
    "fail": "GENERATE_AUDIO_FAILED",
}
SUNO_STAGES: Final[Mapping[State, tuple[str, str]]] = {
    "text": ("text", "Text generation complete."),
    "first": ("first", "First track generated successfully."),
    "success": ("complete", "All generated successfully."),
}
CAMEL_CASE_TOOLS: Final = frozenset({"midi", "cover"})
REFUSED_BY_POLICY: Final = "400"


def job_record(task: Task, *, added_defaults: bool) -> dict[str, Any]:
    """Build `data` of recordInfo."""
    return {
        "taskId": task.task_id,
        "model": task.order.model,
        "state": task.state,
        "param": _param(task, added_defaults=added_defaults),
        "resultJson": encoded(result_json(task)) if task.state == "success" else "",
        "failCode": task.fail_code,
        "failMsg": task.fail_msg,
        "costTime": cost_time(task),
        "completeTime": milliseconds(task.completed_at),
        "createTime": milliseconds(task.created_at),
        "creditsConsumed": task.credits_consumed,
    }


def _job_callback(task: Task, state: State, *, added_defaults: bool) -> dict[str, Any]:
    """Build the whole body of a callback: the record, `updateTime` and a verdict around it."""
    data = job_record(task, added_defaults=added_defaults) | {"updateTime": milliseconds(task.created_at)}
    if state == "success":
        return {"code": 200, "msg": "Playground task completed successfully.", "data": data}
    return {"code": 501, "msg": "Playground task failed.", "data": data | {"resultJson": None}}


def cost_time(task: Task) -> int | None:
    return None if task.completed_at is None else int(task.completed_at - task.created_at)


def milliseconds(at: float | None) -> int | None:
    return None if at is None else int(at * 1000)


def encoded(value: Mapping[str, Any]) -> str:
    """Encode JSON as the vendor does: no spaces, non-ASCII letters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _param(task: Task, *, added_defaults: bool) -> str:
    given = dict(task.order.given)
    if added_defaults:
        given = {"nsfw_checker": False, **with_defaults(table()[task.order.model], given)}
    shown: dict[str, Any] = {"input": encoded(dict(reversed(given.items())))}
    if task.order.callback_url:
        shown["callBackUrl"] = task.order.callback_url
    shown["model"] = task.order.sent["model"]
    return encoded(shown)


def callback_body(notice: DueCallback, settings: KieSettings) -> dict[str, Any]:
    """Build a callback in the format of the task's family."""
    task, state = notice.task, notice.state
    if task.order.family == "jobs":
        return _job_callback(task, state, added_defaults=settings.added_defaults)
    if task.order.family == "suno":
        return _suno_callback(task, state)
    return CALLBACKS[task.order.family](task)


def family_record(task: Task, settings: KieSettings, *, now: float) -> dict[str, Any]:
    """Build the record of a task of an old family."""
    lags = settings.lagging_flag and task.completed_at is not None and now < task.completed_at + LAG_S
    if task.order.family == "suno":
        return _suno_record(task)
    if task.order.family == "runway":
        return _runway_record(task)
    shown = {
        "taskId": task.task_id,
        "paramJson": encoded(task.order.sent),
        "completeTime": milliseconds(task.completed_at),
        "response": RESPONSES[task.order.family](task) if task.state == "success" else None,
        "successFlag": 0 if lags else _success_flag(task),
        "errorCode": int(task.fail_code) if task.fail_code and task.fail_code.isdecimal() else None,
        "errorMessage": task.fail_msg or "",
        "createTime": milliseconds(task.created_at),
    }
    if task.order.family == "gpt4o-image":
        shown |= {"status": GPT4O_STATUS.get(task.state, "GENERATING"), "progress": "1.00" if task.is_over else "0.40"}
    if task.order.family == "veo":
        shown["fallbackFlag"] = False
    return shown


def _success_flag(task: Task) -> int:
    if task.state == "fail":
        return CREATE_FAILED if task.fail_code in REFUSED_AT_ONCE else GENERATION_FAILED
    return 1 if task.state == "success" else 0


def _first(task: Task) -> str:
    return task.results[0] if task.results else ""


def _still(task: Task) -> str:
    return f"{task.order.base_url}/results/{task.task_id}-frame.png"


def _veo_info(task: Task) -> dict[str, Any]:
    return {
        "resultUrls": list(task.results),
        "originUrls": None,
        "fullResultUrls": None,
        "resolution": str(task.order.given.get("resolution") or "720p"),
    }


def _runway_record(task: Task) -> dict[str, Any]:
    order, done = task.order, task.state == "success"
    video = {"videoId": task.task_id, "taskId": task.task_id, "videoUrl": _first(task), "imageUrl": _still(task)}
    return {
        "taskId": task.task_id,
        "parentTaskId": str(order.given.get("taskId") or ""),
        "generateParam": dict(order.given),
        "state": RUNWAY_STATES.get(task.state, task.state),
        "generateTime": milliseconds(task.completed_at),
        "videoInfo": video if done else None,
        "failCode": int(task.fail_code) if task.fail_code and task.fail_code.isdecimal() else 0,
        "failMsg": task.fail_msg or "",
        "expireFlag": 0,
    }


def _veo_callback(task: Task) -> dict[str, Any]:
    if task.state == "fail":
        return {"code": 501, "msg": task.fail_msg, "data": {"taskId": task.task_id, "fallbackFlag": False}}
    info = _veo_info(task) | ({"imageUrls": [_still(task)]} if task.order.shape == "4k" else {})
    data = {"taskId": task.task_id, "info": info, "fallbackFlag": False}
    return {"code": 200, "msg": "Veo3.1 video generated successfully.", "data": data}


def _runway_callback(task: Task) -> dict[str, Any]:
    good = task.state == "success"
    links = {"video_id": task.task_id, "video_url": _first(task), "image_url": _still(task)}
    shown = links if good else dict.fromkeys(links, "")
    msg = "All generated successfully." if good else task.fail_msg
    return {"code": 200 if good else 400, "msg": msg, "data": {"task_id": task.task_id, **shown}}


def _aleph_callback(task: Task) -> dict[str, Any]:
    if task.state == "fail":
        return {"code": 500, "msg": task.fail_msg, "taskId": task.task_id, "data": None}
    data = {"result_video_url": _first(task), "result_image_url": _still(task)}
    return {"code": 200, "msg": "success", "taskId": task.task_id, "data": data}


def _gpt4o_callback(task: Task) -> dict[str, Any]:
    good = task.state == "success"
    data = {"taskId": task.task_id, "info": {"result_urls": list(task.results)} if good else None}
    return {"code": 200 if good else 400, "msg": "success" if good else task.fail_msg, "data": data}


def _flux_callback(task: Task) -> dict[str, Any]:
    good = task.state == "success"
    data = {"taskId": task.task_id, "info": _flux_info(task) if good else None}
    return {
        "code": 200 if good else 501,
        "msg": "BFL image generated successfully." if good else task.fail_msg,
        "data": data,
    }


def _flux_info(task: Task) -> dict[str, Any]:
    return {"originImageUrl": _first(task), "resultImageUrl": _first(task)}


def _aleph_info(task: Task) -> dict[str, Any]:
    return {"taskId": task.task_id, "resultVideoUrl": _first(task), "resultImageUrl": _still(task)}


RESPONSES: Final[Mapping[Family, Callable[[Task], dict[str, Any]]]] = {
    "veo": lambda task: {"taskId": task.task_id, **_veo_info(task)},
    "aleph": _aleph_info,
    "gpt4o-image": lambda task: {"resultUrls": list(task.results)},
    "flux-kontext": _flux_info,
}


CALLBACKS: Final[Mapping[Family, Callable[[Task], dict[str, Any]]]] = {
    "veo": _veo_callback,
    "runway": _runway_callback,
    "aleph": _aleph_callback,
    "gpt4o-image": _gpt4o_callback,
    "flux-kontext": _flux_callback,
}


def _suno_record(task: Task) -> dict[str, Any]:
    shown = {
        "taskId": task.task_id,
        "parentMusicId": "",
        "param": encoded(task.order.sent),
        "response": _suno_response(task),
        "errorCode": int(task.fail_code) if task.fail_code and task.fail_code.isdecimal() else None,
        "errorMessage": task.fail_msg,
        "createTime": milliseconds(task.created_at),
    }
    if task.order.shape in ("music", "lyrics"):
        kind = "GENERATE" if task.order.shape == "music" else "LYRICS"
        return shown | {"status": _suno_status(task), "type": kind, "operationType": task.order.operation}
    return shown | {"successFlag": _suno_status(task), "completeTime": milliseconds(task.completed_at)}


def _suno_callback(task: Task, state: State) -> dict[str, Any]:
    if task.order.shape == "music":
        return _music_callback(task, state)
    name = "taskId" if task.order.shape in CAMEL_CASE_TOOLS else "task_id"
    if state == "fail":
        return {"code": 501, "msg": task.fail_msg, "data": {name: task.task_id}}
    return {"code": 200, "msg": "success", "data": {name: task.task_id, **_tool_result(task, snake_case=True)}}


def _music_callback(task: Task, state: State) -> dict[str, Any]:
    if state == "fail":
        data = {"callbackType": "error", "task_id": task.task_id, "data": None}
        return {"code": 501, "msg": task.fail_msg, "data": data}
    stage, msg = SUNO_STAGES[state]
    tracks = suno_tracks(task, snake_case=True, first_only=state == "first")
    if state == "text":
        tracks = [{name: "" if name.endswith("_url") else value for name, value in track.items()} for track in tracks]
    return {"code": 200, "msg": msg, "data": {"callbackType": stage, "task_id": task.task_id, "data": tracks}}


def _suno_status(task: Task) -> str:
    if task.state == "success" and task.callback_given_up:
        return "CALLBACK_EXCEPTION"
    if task.state == "fail" and task.fail_code == REFUSED_BY_POLICY:
        return "SENSITIVE_WORD_ERROR"
    return SUNO_STATUS[task.state]


def _suno_response(task: Task) -> dict[str, Any] | None:
    """Return what exists by now: music shows its first track before the end, and after a failure following it."""
    if task.order.shape != "music":
        return {"taskId": task.task_id, **_tool_result(task, snake_case=False)} if task.state == "success" else None
    if not task.results or task.state == "text":
        return None
    return {
        "taskId": task.task_id,
        "sunoData": suno_tracks(task, snake_case=False, first_only=task.state != "success"),
    }


def _tool_result(task: Task, *, snake_case: bool) -> dict[str, Any]:
    url = task.results[0] if task.results else ""
    match task.order.shape:
        case "wav":
            return {"audio_wav_url" if snake_case else "audioWavUrl": url}
        case "mp4":
            return {"video_url" if snake_case else "videoUrl": url}
        case "vocals":
            found = stems(task, snake_case=snake_case)
            return {"vocal_removal_info": found} if snake_case else found
        case "midi":
            return midi_notes(task)
        case "cover":
            return {"images": list(task.results)}
        case _:
            return {"callbackType": "complete", **lyrics(task, field="data")} if snake_case else lyrics(task)
