"""A hostile Kie: callbacks and answers of recordInfo and createTask in every family's words, and the server that gives them.

Beside it stands a trap, a server on a private address from which no result may be fetched; it counts who comes anyway.
"""

import asyncio
import gzip
import json
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit

from aiohttp import web

from photomat_chaos.fuzz.payloads import dressed, mutated, nasty
from photomat_chaos.lab.load_balancer import serving

STATES: Final = (
    "waiting",
    "queuing",
    "generating",
    "success",
    "fail",
    "done",
    "SUCCESS",
    "canceled",
    "x",
    "",
    1,
    2,
    None,
)
TRAP_HOSTS: Final = (
    "127.0.0.2",
    "127.2",
    "2130706434",
    "0x7f.0.0.2",
    "0177.0.0.2",
    "127%2E0%2E0%2E2",
    "[::ffff:127.0.0.2]",
    "[::ffff:7f00:2]",
    "[::1]",
    "localhost",
    "a@127.0.0.2",
    "127.0.0.2.",
    "0.0.0.0",  # noqa: S104  nothing is bound
    "169.254.169.254",
    "10.0.0.1",
    "[fe80::1%25lo]",
    "nowhere.invalid",
    "x" * 300 + ".invalid",
)
"""Hosts results must not be fetched from: this machine and its neighbours, spelt in every way, and no host at all."""

BROKEN_URLS: Final = (
    "https://[::1",
    "https://]",
    "https://a:b:c/",
    "https://x:99999/",
    "http://",
    "https:///etc/passwd",
    "https://%zz/",
    "https://a\\b@c/",
    "https://?",
    "https://#",
    "https://a b/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:image/png;base64,AAAA",
    "//nowhere.invalid/x",
    "https://nowhere.invalid/" + "p" * 9000,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KieAnswer:
    """One answer of a hostile Kie. `how` says what becomes of it on the way: whole, cut in the middle, dropped."""

    status: int
    headers: dict[str, str]
    body: bytes
    how: str = "whole"


def hostile_url(chance: random.Random, trap_port: int) -> str:
    """The URL of a result that must not or cannot be fetched."""
    if chance.random() < 0.3:  # noqa: PLR2004  a share
        return chance.choice(BROKEN_URLS)
    scheme = chance.choice(("http", "https"))
    return f"{scheme}://{chance.choice(TRAP_HOSTS)}:{trap_port}/{chance.randrange(10**6)}.png"


def record_data(chance: random.Random, task_id: str, trap_port: int) -> dict[str, Any]:
    """The `data` of a task, as one of Kie's families words it."""
    urls = [hostile_url(chance, trap_port) for _ in range(chance.choice((0, 1, 1, 2, 13)))]
    url = urls[0] if urls else ""
    state = chance.choice(STATES)
    result = chance.choice(
        (
            {"resultUrls": urls},
            {"resultUrls": urls, "firstFrameUrl": url},
            {"resultObject": {"text": "слова", "words": [{"text": "a", "start": 0.1}]}},
            {"code": 200, "data": [{"id": "a1", "audio_url": url}, {"id": "a2", "audio_url": url}]},
            {"urls": urls, "video_url": url, "response": {"resultUrls": urls}},
        )
    )
    times = {"costTime": 14, "completeTime": 1776323928526, "createTime": 1776323915587}
    families: tuple[dict[str, Any], ...] = (
        {
            "taskId": task_id,
            "model": "z-image",
            "state": state,
            "param": '{"input":"{}","callBackUrl":"https://bot.example/kie/callback/1.abc"}',
            "resultJson": chance.choice((json.dumps(result), result, "", None, "{", "[]", '"x"', 7)),
            "failCode": chance.choice((None, "", "400", "501", 422)),
            "failMsg": chance.choice((None, "", "Internal server error")),
            **times,
        },
        {"taskId": task_id, "response": {"taskId": task_id, "resultUrls": urls}, "successFlag": state, **times},
        {"task_id": task_id, "callbackType": "complete", "data": [{"id": "a1", "audio_url": url, "duration": 1.5}]},
        {"taskId": task_id, "response": {"sunoData": [{"id": "a", "audioUrl": url}]}, "status": state},
        {"task_id": task_id, "video_id": "v", "video_url": url, "image_url": url, "state": state},
        {"taskId": task_id, "info": {"result_urls": urls, "resultImageUrl": url}, "successFlag": state},
        {"taskId": task_id, "videoInfo": {"videoUrl": url}, "state": state, "expireFlag": 0, "errorCode": 500},
        {"taskId": task_id, "resultInfoJson": {"resultUrls": [{"resultUrl": url}]}, "successFlag": 1},
    )
    return chance.choice(families)


def callback_body(chance: random.Random, task_id: str, trap_port: int) -> bytes:
    payload: Any = {
        "code": chance.choice((200, 200, 501, 400)),
        "msg": "Playground task completed successfully.",
        "data": record_data(chance, task_id, trap_port),
    }
    if chance.random() < 0.1:  # noqa: PLR2004  the id at the top, as one family has it
        payload["taskId"] = task_id
    return dressed(chance, mutated(chance, payload, chance.choice((0, 0, 1, 1, 2, 5))))


def record_answer(chance: random.Random, task_id: str, trap_port: int) -> KieAnswer:
    data: Any = record_data(chance, task_id, trap_port)
    if chance.random() < 0.08:  # noqa: PLR2004  a share
        data = nasty(chance)
    return _answer(chance, {"code": _code(chance), "msg": "success", "data": data}, trap_port)


def create_answer(chance: random.Random, task_id: str, trap_port: int) -> KieAnswer:
    """A hostile answer of createTask; one in two is a plain yes, so that there are tasks to lie about."""
    if chance.random() < 0.5:  # noqa: PLR2004  one half
        return KieAnswer(status=200, headers={}, body=json.dumps({"code": 200, "data": {"taskId": task_id}}).encode())
    data: Any = chance.choice(
        ({"taskId": task_id, "recordId": task_id}, {"taskId": task_id}, {"taskId": ""}, {}, None, [], task_id)
    )
    if chance.random() < 0.2:  # noqa: PLR2004  a share
        data = {"taskId": nasty(chance)}
    return _answer(chance, {"code": _code(chance), "msg": "success", "data": data}, trap_port)


def _code(chance: random.Random) -> Any:
    if chance.random() < 0.75:  # noqa: PLR2004  else every answer would be a refusal
        return 200
    return chance.choice(
        (0, 400, 401, 402, 404, 405, 408, 422, 429, 433, 455, 500, 501, 505, 550, 999, "200", "x", None)
    )


def _answer(chance: random.Random, envelope: Any, trap_port: int) -> KieAnswer:
    body = dressed(chance, mutated(chance, envelope, chance.choice((0, 0, 0, 1, 1, 3))))
    status = 200 if chance.random() < 0.85 else chance.choice((201, 204, 302, 400, 404, 418, 429, 500, 502, 599))  # noqa: PLR2004
    headers = {"Content-Type": chance.choice(("application/json", "text/html", "application/json;charset=utf-7", "x"))}
    odd = chance.randrange(100)
    if odd < 3:  # noqa: PLR2004  shares of a hundred, here and below
        return KieAnswer(status=status, headers=headers | {"Content-Encoding": "gzip"}, body=body)
    if odd < 6:  # noqa: PLR2004
        return KieAnswer(
            status=status, headers=headers | {"Content-Encoding": "gzip"}, body=gzip.compress(body, 1, mtime=0)
        )
    if odd == 6 and chance.random() < 0.1:  # noqa: PLR2004
        return KieAnswer(status=status, headers=headers | {"Content-Encoding": "gzip"}, body=BOMB)
    if odd < 9:  # noqa: PLR2004
        where = chance.choice((*BROKEN_URLS[:12], f"http://127.0.0.2:{trap_port}/", f"//127.0.0.2:{trap_port}/"))
        return KieAnswer(status=chance.choice((301, 302, 307)), headers={"Location": where}, body=b"")
    how = {9: "cut", 10: "drop", 11: "garbage"}.get(odd, "whole")
    return KieAnswer(status=status, headers=headers, body=body, how=how)


BOMB: Final = gzip.compress(b'{"code":200,"data":"' + b"0" * (48 * 2**20) + b'"}', 6, mtime=0)
"""Fifty kilobytes that become fifty megabytes."""


TRAP_HOST: Final = "127.0.0.2"
NOTHING: Final = KieAnswer(status=500, headers={}, body=b"")


@dataclass(slots=True, kw_only=True)
class HostileKie:
    """`record` and `create` give the answer for a task id and for a job id."""

    url: str = ""
    record: Callable[[str], KieAnswer] = lambda _task_id: NOTHING
    create: Callable[[int], KieAnswer] = lambda _job_id: NOTHING

    async def record_info(self, request: web.Request) -> web.StreamResponse:
        return await _give(request, self.record(request.query.get("taskId", "")))

    async def create_task(self, request: web.Request) -> web.StreamResponse:
        """Answer createTask; the callback URL names the job."""
        order = await request.json()
        token = urlsplit(order.get("callBackUrl", "")).path.rpartition("/")[2]
        return await _give(request, self.create(int(token.partition(".")[0] or 0)))


async def _give(request: web.Request, answer: KieAnswer) -> web.StreamResponse:
    transport = request.transport
    if answer.how == "whole" or transport is None:
        return web.Response(status=answer.status, headers=answer.headers, body=answer.body)
    if answer.how == "garbage":
        transport.write(answer.body or b"\x00")
    if answer.how == "cut":
        transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + answer.body[:1000])
    transport.close()
    return web.Response()


@dataclass(slots=True, kw_only=True)
class Trap:
    port: int = 0
    sprung: list[bytes] = field(default_factory=list)

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Record who connected and their first bytes, unless it is Telegram itself."""
        try:
            async with asyncio.timeout(1):
                said = await reader.read(4096)
        except (TimeoutError, ConnectionError):
            said = b""
        if b"TelegramBot" not in said:
            self.sprung.append(said[:80])
        writer.close()


@asynccontextmanager
async def hostile_kie() -> AsyncIterator[HostileKie]:
    kie = HostileKie()
    app = web.Application()
    app.router.add_get("/api/v1/jobs/recordInfo", kie.record_info)
    app.router.add_post("/api/v1/jobs/createTask", kie.create_task)
    async with serving(app) as url:
        kie.url = url
        yield kie


@asynccontextmanager
async def set_trap() -> AsyncIterator[Trap]:
    trap = Trap()
    server = await asyncio.start_server(trap.meet, TRAP_HOST, 0)
    trap.port = server.sockets[0].getsockname()[1]
    try:
        yield trap
    finally:
        server.close()
