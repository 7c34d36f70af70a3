"""How a task of the Suno endpoints looks: its chain of statuses, its tracks, and up to three callbacks.

Music is told in stages (`text`, `first`, `complete` or `error`); the tools (wav, midi, lyrics, …) call back once.
"""

from collections.abc import Mapping
from typing import Any, Final

from photomat_sandbox.kie.objects import lyrics, notes, stems
from photomat_sandbox.kie.record import encoded, milliseconds
from photomat_sandbox.kie.results import suno_tracks
from photomat_sandbox.kie.tasks import State, Task

STATUS: Final[Mapping[State, str]] = {
    "waiting": "PENDING",
    "generating": "PENDING",
    "text": "TEXT_SUCCESS",
    "first": "FIRST_SUCCESS",
    "success": "SUCCESS",
    "fail": "GENERATE_AUDIO_FAILED",
}
STAGE: Final[Mapping[State, tuple[str, str]]] = {
    "text": ("text", "Text generation complete."),
    "first": ("first", "First track generated successfully."),
    "success": ("complete", "All generated successfully."),
}
CAMEL_CASE_TOOLS: Final = frozenset({"midi", "cover"})
REFUSED_BY_POLICY: Final = "400"


def record(task: Task) -> dict[str, Any]:
    """Show a task as its query does."""
    shown = {
        "taskId": task.task_id,
        "parentMusicId": "",
        "param": encoded(task.order.sent),
        "response": _response(task),
        "errorCode": int(task.fail_code) if task.fail_code and task.fail_code.isdecimal() else None,
        "errorMessage": task.fail_msg,
        "createTime": milliseconds(task.created_at),
    }
    if task.order.shape in ("music", "lyrics"):
        kind = "GENERATE" if task.order.shape == "music" else "LYRICS"
        return shown | {"status": _status(task), "type": kind, "operationType": task.order.operation}
    return shown | {"successFlag": _status(task), "completeTime": milliseconds(task.completed_at)}


def callback_body(task: Task, state: State) -> dict[str, Any]:
    """Write one of a task's callbacks."""
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
    stage, msg = STAGE[state]
    tracks = suno_tracks(task, snake_case=True, first_only=state == "first")
    if state == "text":
        tracks = [{name: "" if name.endswith("_url") else value for name, value in track.items()} for track in tracks]
    return {"code": 200, "msg": msg, "data": {"callbackType": stage, "task_id": task.task_id, "data": tracks}}


def _status(task: Task) -> str:
    if task.state == "success" and task.callback_given_up:
        return "CALLBACK_EXCEPTION"
    if task.state == "fail" and task.fail_code == REFUSED_BY_POLICY:
        return "SENSITIVE_WORD_ERROR"
    return STATUS[task.state]


def _response(task: Task) -> dict[str, Any] | None:
    """Give what is there by now: music shows its first track before the end, and after a failure behind it."""
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
            return notes(task)
        case "cover":
            return {"images": list(task.results)}
        case _:
            return {"callbackType": "complete", **lyrics(task, field="data")} if snake_case else lyrics(task)
