"""A task of the jobs protocol as it stands on the wire, in recordInfo and in callbacks.

The vendor's oddities are kept: `param` is JSON in JSON in JSON with its keys in another order, `resultJson` is a string
and "" before the end, `costTime` counts seconds although the documents say milliseconds.
"""

import json
from collections.abc import Mapping
from typing import Any

from photomat_sandbox.kie.models import table, with_defaults
from photomat_sandbox.kie.objects import result_json
from photomat_sandbox.kie.tasks import State, Task


def record(task: Task, *, added_defaults: bool) -> dict[str, Any]:
    """Give `data` of recordInfo."""
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


def callback_body(task: Task, state: State, *, added_defaults: bool) -> dict[str, Any]:
    """Give the whole body of a callback: the record, `updateTime` and a verdict around it."""
    data = record(task, added_defaults=added_defaults) | {"updateTime": milliseconds(task.created_at)}
    if state == "success":
        return {"code": 200, "msg": "Playground task completed successfully.", "data": data}
    return {"code": 501, "msg": "Playground task failed.", "data": data | {"resultJson": None}}


def cost_time(task: Task) -> int | None:
    """Give the whole seconds a task took, once it has ended."""
    return None if task.completed_at is None else int(task.completed_at - task.created_at)


def milliseconds(at: float | None) -> int | None:
    """Give an instant in the vendor's unit."""
    return None if at is None else int(at * 1000)


def encoded(value: Mapping[str, Any]) -> str:
    """Encode as the vendor does: no blanks, letters of all languages as they are."""
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
