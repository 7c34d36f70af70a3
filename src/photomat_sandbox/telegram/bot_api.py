"""The HTTP face of the Bot API: token, method, body, fault, answer.

A call goes on after its client hangs up, as the real server does; only the answer is lost then.
"""

import asyncio
import json
from typing import Any, Final

from aiohttp import web

from photomat_sandbox.faults import Fault, Faults, hang_up
from photomat_sandbox.telegram.call import Call, Params, read_params
from photomat_sandbox.telegram.errors import ApiError, JsonObject, too_many_requests
from photomat_sandbox.telegram.methods.files import find_download
from photomat_sandbox.telegram.methods.registry import METHODS, NAMES_BY_LOWER
from photomat_sandbox.telegram.world import TelegramWorld

MAX_HOLD_S: Final = 600.0
MAX_REORDER_S: Final = 30.0
LOOK_AGAIN_S: Final = 0.05
QUIET_METHODS: Final = {"getUpdates"}
SHOWN_PARAMS: Final = ("chat_id", "message_id", "text", "caption", "callback_query_id", "offset", "url")
NOT_FOUND: Final = ApiError(404, "Not Found")


class BotApi:
    """Answers `/bot<token>/<method>` and `/file/bot<token>/<path>` for one world."""

    def __init__(self, world: TelegramWorld, faults: Faults) -> None:
        self.world = world
        self.faults = faults
        self._next_answer: dict[str, asyncio.Event] = {}

    async def serve_method(self, request: web.Request) -> web.StreamResponse:
        try:
            self._check_token(request.match_info["token"])
            params = await read_params(request, max_upload_bytes=self.world.limits.upload_bytes)
            name = self._known_name(request.match_info["method"], params)
        except web.HTTPRequestEntityTooLarge:
            return _refused(ApiError(413, "Request Entity Too Large"))
        except ApiError as error:
            return _refused(error)
        specific = f"{name}.reply" if params.text("reply_parameters") else None
        fault = self.faults.take("telegram", name, specific=specific)
        if fault is not None:
            return await self._with_fault(request, name, params, fault)
        return await self._answer(name, params)

    async def serve_file(self, request: web.Request) -> web.StreamResponse:
        try:
            self._check_token(request.match_info["token"])
        except ApiError as error:
            return _refused(error)
        path = request.match_info["path"]
        file = find_download(self.world, path)
        summary = f"file {path} fetched" if file else f"file {path} → 404"
        self.world.transcript.add(world="telegram", kind="request", name="file", summary=summary)
        if file is None:
            return _refused(NOT_FOUND)
        data = await asyncio.to_thread(self.world.files.read, file)
        return web.Response(body=data, content_type="application/octet-stream")

    async def call(self, name: str, params: Params) -> Any:
        """Run one method, without HTTP around it."""
        return await METHODS[name](Call(world=self.world, params=params))

    def _known_name(self, asked: str, params: Params) -> str:
        name = NAMES_BY_LOWER.get(asked.lower())
        if name is None:
            self._note_request(asked, params, "method not found")
            raise ApiError(404, "Not Found: method not found")
        return name

    def _check_token(self, token: str) -> None:
        if token == self.world.token:
            return
        number, colon, secret = token.partition(":")
        well_formed = number.isdigit() and colon and secret
        summary = "a call with a wrong token → 401 Unauthorized"
        self.world.transcript.add(world="telegram", kind="request", name="unauthorized", summary=summary)
        raise ApiError(401, "Unauthorized" if well_formed else "Unauthorized: invalid token specified")

    async def _answer(self, name: str, params: Params) -> web.Response:
        try:
            result = await self.call(name, params)
        except ApiError as error:
            self._note_request(name, params, f"{error.code} {error.description}")
            return _refused(error)
        finally:
            self._next_answer.pop(name, asyncio.Event()).set()
        self._note_request(name, params, "" if name not in QUIET_METHODS else _counted(result))
        return _json({"ok": True, "result": result})

    async def _with_fault(self, request: web.Request, name: str, params: Params, fault: Fault) -> web.StreamResponse:
        self.world.transcript.add(world="telegram", kind="fault", name=name, summary=f"{fault.action} strikes {name}")
        match fault.action:
            case "delay":
                await asyncio.sleep(fault.delay_s)
            case "drop_before":
                return hang_up(request)
            case "drop_after":
                await self._answer(name, params)
                return hang_up(request)
            case "duplicate":
                await self._answer(name, params)
            case "reorder":
                await self._wait_for_another(name)
            case "too_many":
                return _refused(too_many_requests(fault.retry_after))
            case "error":
                return _failure(fault)
            case "never":
                await _hold(request)
                return hang_up(request)
        return await self._answer(name, params)

    async def _wait_for_another(self, name: str) -> None:
        """Wait, with a limit, until another call of this method was answered."""
        try:
            async with asyncio.timeout(MAX_REORDER_S):
                await self._next_answer.setdefault(name, asyncio.Event()).wait()
        except TimeoutError:
            return

    def _note_request(self, name: str, params: Params, outcome: str) -> None:
        if name in QUIET_METHODS and outcome == "no updates":
            return
        words = [f"{key}={params.text(key)}" for key in SHOWN_PARAMS if params.text(key)]
        files = [f"{upload.name} ({len(upload.data)} bytes)" for upload in params.files.values()]
        summary = " ".join([name, *words, *files]) + (f" → {outcome}" if outcome else "")
        detail = {key: value for key, value in params.values.items() if key != "secret_token"}
        self.world.transcript.add(
            world="telegram", kind="request", name=name, summary=summary, detail={**detail, "outcome": outcome}
        )


def _counted(updates: list[JsonObject]) -> str:
    return f"{len(updates)} updates" if updates else "no updates"


def _refused(error: ApiError) -> web.Response:
    answer = _json(error.as_json(), status=error.code)
    if error.parameters and "retry_after" in error.parameters:
        answer.headers["Retry-After"] = str(error.parameters["retry_after"])
    return answer


def _failure(fault: Fault) -> web.Response:
    if fault.html:
        page = f"<html><head><title>{fault.status}</title></head><body><h1>{fault.text}</h1></body></html>"
        return web.Response(text=page, status=fault.status, content_type="text/html")
    return _json({"ok": False, "error_code": fault.code, "description": fault.text}, status=fault.status)


def _json(body: JsonObject, *, status: int = 200) -> web.Response:
    text = json.dumps(body, ensure_ascii=False)
    return web.Response(text=text, status=status, content_type="application/json")


async def _hold(request: web.Request) -> None:
    """Keep the client waiting until it goes away."""
    try:
        async with asyncio.timeout(MAX_HOLD_S):
            while request.transport is not None and not request.transport.is_closing():  # noqa: ASYNC110 - aiohttp shows a lost client by its transport alone
                await asyncio.sleep(LOOK_AGAIN_S)
    except TimeoutError:
        return
