"""Which family speaks how: the record and the callback of a task, in the words of the family it belongs to.

The task's id stands in another place in nearly every family; the places are the vendor's, not ours.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from photomat_sandbox.kie import record as jobs
from photomat_sandbox.kie import suno_forms
from photomat_sandbox.kie.record import encoded, milliseconds
from photomat_sandbox.kie.settings import Settings
from photomat_sandbox.kie.tasks import Family, State, Task
from photomat_sandbox.kie.world import Notice

CREATE_FAILED: Final = 2
GENERATION_FAILED: Final = 3
REFUSED_AT_ONCE: Final = frozenset({"400", "422"})
LAG_S: Final = 2.0
RUNWAY_STATES: Final[Mapping[State, str]] = {"waiting": "wait"}
GPT4O_STATUS: Final[Mapping[State, str]] = {"success": "SUCCESS", "fail": "GENERATE_FAILED"}


def callback_body(notice: Notice, settings: Settings) -> dict[str, Any]:
    """Write a callback in the words of the task's family."""
    task, state = notice.task, notice.state
    if task.order.family == "jobs":
        return jobs.callback_body(task, state, added_defaults=settings.added_defaults)
    if task.order.family == "suno":
        return suno_forms.callback_body(task, state)
    return CALLBACKS[task.order.family](task)


def record(task: Task, settings: Settings, *, now: float) -> dict[str, Any]:
    """Show a task of an old family as its query does."""
    lags = settings.lagging_flag and task.completed_at is not None and now < task.completed_at + LAG_S
    if task.order.family == "suno":
        return suno_forms.record(task)
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
    film = {"videoId": task.task_id, "taskId": task.task_id, "videoUrl": _first(task), "imageUrl": _still(task)}
    return {
        "taskId": task.task_id,
        "parentTaskId": str(order.given.get("taskId") or ""),
        "generateParam": dict(order.given),
        "state": RUNWAY_STATES.get(task.state, task.state),
        "generateTime": milliseconds(task.completed_at),
        "videoInfo": film if done else None,
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
