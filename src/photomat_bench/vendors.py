"""Lean Telegram and Kie.ai for load: the answers the vendors give to the calls of a flow, and nothing else.

The simulators of the sandbox check every field and remember every message; under load they would cost more than the product.
These two answer from templates in one process with the driver, whose processor time is measured and shown. What they do not
know they answer as the vendor does: 404 for a method, code 422 for a task.
"""

import asyncio
import io
import itertools
import json
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl, urlsplit

from PIL import Image

from photomat_bench.wire import WireRequest, response

TOKEN: Final = "700700:bench-token"  # noqa: S105  opens nothing but these two
KIE_KEY: Final = "bench-key"
BOT_ID: Final = 700700
BOT: Final = {"id": BOT_ID, "is_bot": True, "first_name": "Photomat", "username": "photomat_bench_bot"}
FIELD: Final = re.compile(rb'name="?([a-z_]+)"?\r\n(?:[^\r\n]+\r\n)*\r\n(.*?)\r\n--', re.DOTALL)
EMPTY_ANSWERS: Final[dict[str, Any]] = {
    "getMe": {**BOT, "can_join_groups": True, "can_read_all_group_messages": False, "supports_inline_queries": False},
    "getWebhookInfo": {"url": "", "has_custom_certificate": False, "pending_update_count": 0},
    "getMyName": {"name": ""},
    "getMyDescription": {"description": ""},
    "getMyShortDescription": {"short_description": ""},
    "getMyCommands": [],
    "getUserProfilePhotos": {"total_count": 0, "photos": []},
    "getStarTransactions": {"transactions": []},
    "getMyStarBalance": {"amount": 0},
    "getUpdates": [],
}
PICTURE_SIDE: Final = 64
LONGEST_FIELD: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramCall:
    """One call about a message, as far as the driver needs it."""

    method: str
    chat_id: int
    message_id: int
    keyboard: str
    text: str
    at: float


@dataclass(slots=True, kw_only=True)
class KieTask:
    prompt: str
    callback_url: str
    result_url: str
    is_ready: bool = False


@dataclass(slots=True, kw_only=True)
class Vendors:
    """Both vendors; `heard` learns of every message call, `finished` of every task that is ready for its callback."""

    heard: Callable[[TelegramCall], None]
    finished: Callable[[str, KieTask], None]
    seconds_at_kie: float
    url: str = ""
    webhook_secret: str = ""
    calls: Counter[str] = field(default_factory=Counter)
    tasks: dict[str, KieTask] = field(default_factory=dict)
    picture: bytes = b""
    seed: int = 0
    _message_ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1_000))
    _task_ids: "itertools.count[int]" = field(default_factory=lambda: itertools.count(1))

    def __post_init__(self) -> None:
        self.picture = self.picture or _picture()

    def answer(self, request: WireRequest) -> bytes:
        path = request.path
        if path.startswith("/bot"):
            return self._telegram(path.rpartition("/")[2], request.body)
        if path == "/api/v1/jobs/createTask":
            return self._create(json.loads(request.body))
        if path == "/api/v1/jobs/recordInfo":
            return self._record(request.query.removeprefix("taskId="))
        if path.startswith("/results/"):
            self.calls["kie result"] += 1
            return response(self.picture, content_type="image/png")
        if path == "/api/v1/chat/credit":
            return _envelope(1_000_000.0)
        return response(b"", status=404)

    def _telegram(self, method: str, body: bytes) -> bytes:
        self.calls[f"telegram {method}"] += 1
        if method == "setWebhook":
            self.webhook_secret = fields_of(body).get("secret_token", "")
        if method in EMPTY_ANSWERS:
            return _ok(EMPTY_ANSWERS[method])
        if method.startswith(("send", "edit")) and method != "sendChatAction":
            return _ok(self._message(method, fields_of(body)))
        if method.startswith(("set", "answer", "delete", "pin", "sendChatAction")):
            return _ok(True)  # noqa: FBT003  Telegram's answer
        return _json({"ok": False, "error_code": 404, "description": "Not Found"}, status=404)

    def _message(self, method: str, given: dict[str, str]) -> dict[str, Any]:
        chat_id = int(given.get("chat_id", "0"))
        message_id = int(given["message_id"]) if "message_id" in given else next(self._message_ids)
        text = given.get("text", "")
        self.heard(
            TelegramCall(
                method=method,
                chat_id=chat_id,
                message_id=message_id,
                keyboard=given.get("reply_markup", ""),
                text=text,
                at=time.perf_counter(),
            )
        )
        chat = {"id": chat_id, "type": "private", "first_name": "Ann"}
        message = {"message_id": message_id, "from": BOT, "chat": chat, "date": int(time.time())}
        if "Media" in method or "Photo" in method:
            return message | {"photo": [_photo(message_id)]}
        return message | {"text": text or "-"}

    def _create(self, sent: dict[str, Any]) -> bytes:
        self.calls["kie createTask"] += 1
        task_id = f"bench{self.seed:07d}{next(self._task_ids):020d}"
        task = KieTask(
            prompt=str(sent["input"].get("prompt", "")),
            callback_url=sent.get("callBackUrl", ""),
            result_url=f"{self.url}/results/{task_id}.png",
        )
        self.tasks[task_id] = task
        asyncio.get_running_loop().call_later(self.seconds_at_kie, self._finish, task_id, task)
        return _envelope({"taskId": task_id, "recordId": task_id})

    def _finish(self, task_id: str, task: KieTask) -> None:
        """Ready from here on, by no clock: a timer may fire a little early, and a record must not contradict its callback."""
        task.is_ready = True
        self.finished(task_id, task)

    def _record(self, task_id: str) -> bytes:
        self.calls["kie recordInfo"] += 1
        task = self.tasks.get(task_id)
        if task is None:
            return _json({"code": 422, "msg": "recordInfo is null", "data": None})
        return _envelope(record(task_id, task, is_ready=task.is_ready))


def record(task_id: str, task: KieTask, *, is_ready: bool) -> dict[str, Any]:
    """`data` of recordInfo and of the callback."""
    now_ms = int(time.time() * 1000)
    return {
        "taskId": task_id,
        "model": "z-image",
        "state": "success" if is_ready else "generating",
        "param": json.dumps({"callBackUrl": task.callback_url, "model": "z-image"}),
        "resultJson": json.dumps({"resultUrls": [task.result_url]}) if is_ready else "",
        "failCode": None,
        "failMsg": None,
        "costTime": 1 if is_ready else None,
        "completeTime": now_ms if is_ready else None,
        "createTime": now_ms - 1000,
        "creditsConsumed": 0.8 if is_ready else None,
    }


def callback_body(task_id: str, task: KieTask) -> bytes:
    data = record(task_id, task, is_ready=True)
    return json.dumps({"code": 200, "msg": "Playground task completed successfully.", "data": data}).encode()


def fields_of(body: bytes) -> dict[str, str]:
    """The fields of a Bot API call: JSON, a form, or a multipart body whose files are passed over."""
    if body.startswith(b"{"):
        return {key: value if isinstance(value, str) else json.dumps(value) for key, value in json.loads(body).items()}
    if not body.startswith(b"--"):
        return dict(parse_qsl(body.decode()))
    return {
        name.decode(): value.decode("utf-8", "replace")
        for name, value in FIELD.findall(body)
        if len(value) < LONGEST_FIELD
    }


def path_of(url: str) -> str:
    return urlsplit(url).path


def _photo(message_id: int) -> dict[str, Any]:
    return {
        "file_id": f"bench-photo-{message_id}",
        "file_unique_id": f"b{message_id}",
        "width": PICTURE_SIDE,
        "height": PICTURE_SIDE,
        "file_size": 9_000,
    }


def _picture() -> bytes:
    stream = io.BytesIO()
    Image.effect_noise((PICTURE_SIDE, PICTURE_SIDE), 80).convert("RGB").save(stream, "PNG")
    return stream.getvalue()


def _json(body: object, *, status: int = 200) -> bytes:
    return response(json.dumps(body).encode(), status=status)


def _ok(result: object) -> bytes:
    return _json({"ok": True, "result": result})


def _envelope(data: object) -> bytes:
    return _json({"code": 200, "msg": "success", "data": data})
