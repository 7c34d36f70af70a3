"""Chat models: `POST /{model}/v1/chat/completions`, one request, one answer; no task and no callback.

As the vendor does: HTTP 200 also for refusals, with `code` and `msg` instead of `choices`; an answer that is not asked for with
`"stream": false` is an event stream; only `image_url` parts are seen (https or a data URL; audio and video by their MIME type),
`video_url`, `audio_url` and other parts are dropped without a word. What is answered is decided by `chat_answers.py`.

Control, for tests: `POST /sandbox/chat` with `{"answers": [...]}` queues the answers of the next calls; `GET /sandbox/chat`
shows what is queued and the latest calls (`{"answers": [...], "calls": [...]}`); `DELETE /sandbox/chat` forgets both.
The fields of an answer:

- `content`: the exact content of the message, a text; an object or a list is written as JSON. The usual usage and price follow;
- `usage` (an object), `credits_consumed` (a number, or null to leave it out) and `finish_reason` replace the usual ones;
- `code` and `msg`: a refusal, HTTP 200 `{"code": ..., "msg": ...}`, nothing is charged;
- `body`: the whole HTTP body as a text, for malformed answers, with `status` (200) and `content_type` ("" for none);
- `delay_s`: wait before answering; alone it delays the usual answer;
- `times`: for how many calls (1); -1 for all that follow.

Unknown models, missing keys and invalid bodies are refused before a queued answer is used. Dropped connections and gateway
errors are faults (`POST /sandbox/faults`) of the method `chat`. `POST /sandbox/settings` has `maintenance` and `chat_formats`,
the response formats that are accepted (some of the vendor's models refuse json_schema).
"""

import asyncio
import base64
import binascii
import json
import secrets
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final
from urllib.parse import unquote

from aiohttp import hdrs, web

from photomat_sandbox.control import read_object, refusal
from photomat_sandbox.faults import FOR_EVER, MAX_DELAY_S
from photomat_sandbox.kie.chat_answers import ChatQuestion, answer_to
from photomat_sandbox.kie.models import UNKNOWN_MODEL, KieRefusal
from photomat_sandbox.kie.routing import KieReply, KieRouter, base_url_of, body_of
from photomat_sandbox.kie.world import KieWorld
from photomat_sandbox.transcript import Json

MODELS: Final = frozenset(
    {
        *("gemini-2.5-flash", "gemini-2.5-pro", "gemini-3-flash", "gemini-3-pro"),
        *("gemini-3-5-flash-openai", "gemini-3-8-flash-openai"),
    }
)
ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool"})
SEEN: Final = ("image/", "audio/", "video/")
ATTACHMENT_TOKENS: Final = {"image": 258, "audio": 320, "video": 1290}
BYTES_A_TOKEN: Final = 4096
"""Larger attachments cost a little more."""
LETTERS_A_TOKEN: Final = 4
CREDITS_A_TOKEN: Final = (0.00006, 0.0005)
"""Of the prompt and of the answer; examples, as all prices here."""
MAX_SCRIPTED: Final = 1000
SHOWN_CALLS: Final = 100
MAINTAINED: Final = "The server is currently being maintained, please try again later"


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedAnswer:
    """An answer queued by a test; the module's docstring says what the fields mean."""

    content: Any = None
    usage: dict[str, Any] | None = None
    credits_consumed: float | None = -1
    finish_reason: str = "stop"
    code: int = 0
    msg: str = ""
    body: str | None = None
    status: int = 200
    content_type: str = "application/json"
    delay_s: float = 0.0
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    mime: str
    content: bytes
    """Empty for a file of another host, which is not fetched."""

    @property
    def tokens(self) -> int:
        return ATTACHMENT_TOKENS[self.mime.partition("/")[0]] + len(self.content) // BYTES_A_TOKEN


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    model: str
    texts: Sequence[tuple[str, str]]
    """Role and text of every message."""
    attachments: Sequence[Attachment]
    response_format: Mapping[str, Any]
    max_tokens: int | None
    streams: bool

    @property
    def prompt_tokens(self) -> int:
        letters = sum(len(text) for _, text in self.texts)
        return 4 + letters // LETTERS_A_TOKEN + sum(one.tokens for one in self.attachments)

    def question(self) -> ChatQuestion:
        formatted = self.response_format.get("type") in ("json_object", "json_schema")
        schema = (self.response_format.get("json_schema") or {}).get("schema")
        return ChatQuestion(
            system="\n".join(text for role, text in self.texts if role in ("system", "developer")),
            words=next((text for role, text in reversed(self.texts) if role == "user"), ""),
            audio=next((one.content for one in self.attachments if one.mime.startswith("audio/")), None),
            wants_json=formatted,
            schema=schema,
        )


@dataclass(slots=True, kw_only=True)
class ChatModelRoutes:
    world: KieWorld
    script: deque[ScriptedAnswer] = field(default_factory=deque)
    calls: deque[dict[str, Json]] = field(default_factory=lambda: deque(maxlen=SHOWN_CALLS))

    def add_routes(self, app: web.Application, router: KieRouter) -> None:
        app.router.add_post("/{model}/v1/chat/completions", router.route("chat", self.complete))
        app.router.add_get("/sandbox/chat", self.show_script)
        app.router.add_post("/sandbox/chat", self.queue_answers)
        app.router.add_delete("/sandbox/chat", self.forget)

    async def complete(self, request: web.Request) -> KieReply:
        asked = read_request(request.match_info["model"], await body_of(request), self._uploads(request))
        if asked.response_format.get("type", "text") not in self.world.settings.chat_formats.split(","):
            raise KieRefusal(422, f"response_format {asked.response_format['type']} is not supported by this model")
        if self.world.settings.maintenance:
            raise KieRefusal(500, MAINTAINED)
        self.calls.append(_shown(asked))
        scripted = self._next_scripted()
        await asyncio.sleep(scripted.delay_s)
        if scripted.body is not None:
            return _raw(scripted)
        if scripted.code:
            raise KieRefusal(scripted.code, scripted.msg)
        return self._answer(asked, scripted)

    def _answer(self, asked: ChatRequest, scripted: ScriptedAnswer) -> KieReply:
        content, finish = _content(asked, scripted)
        usage = scripted.usage or _usage(asked, content)
        price = _price(usage) if scripted.credits_consumed == -1 else scripted.credits_consumed
        self.world.take_credits(price or 0)
        message = {"role": "assistant", "content": content}
        answer: dict[str, Any] = {
            "id": f"chatcmpl-{secrets.token_hex(12)}",
            "object": "chat.completion",
            "created": int(self.world.clock()),
            "model": asked.model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
            "usage": usage,
        }
        if price is not None:
            answer["credits_consumed"] = price
        summary = f"chat {asked.model} → {len(content)} characters, {price or 0:g} credits"
        response = _streamed(answer) if asked.streams else web.json_response(answer)
        return KieReply(response=response, summary=summary, detail={"model": asked.model, "credits": price})

    def _next_scripted(self) -> ScriptedAnswer:
        if not self.script:
            return ScriptedAnswer()
        first = self.script[0]
        if first.times == 1:
            self.script.popleft()
        elif first.times != FOR_EVER:
            self.script[0] = replace(first, times=first.times - 1)
        return first

    def _uploads(self, request: web.Request) -> "UploadReader":
        return UploadReader(world=self.world, base_url=base_url_of(request, self.world))

    async def show_script(self, _request: web.Request) -> web.Response:
        return web.json_response({"answers": [asdict(one) for one in self.script], "calls": list(self.calls)})

    async def queue_answers(self, request: web.Request) -> web.Response:
        rows = (await read_object(request)).get("answers")
        if not isinstance(rows, list) or len(rows) + len(self.script) > MAX_SCRIPTED:
            raise refusal(f"answers must be a list of at most {MAX_SCRIPTED} objects")
        self.script.extend([_scripted(row) for row in rows])
        return await self.show_script(request)

    async def forget(self, request: web.Request) -> web.Response:
        self.script.clear()
        self.calls.clear()
        return await self.show_script(request)


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadReader:
    """Finds attachments that were uploaded to this Kie.ai before."""

    world: KieWorld
    base_url: str

    def find(self, url: str) -> Attachment | None:
        """Return an uploaded file; None for a URL of another host, a refusal for a file that is gone."""
        if not url.startswith(f"{self.base_url}/files/"):
            return None
        upload = self.world.live_upload(unquote(url.removeprefix(f"{self.base_url}/files/")))
        if upload is None:
            raise KieRefusal(422, "The file of image_url could not be fetched")
        return _seen(upload.mime, upload.content)


def read_request(model: str, body: Mapping[str, Any], uploads: UploadReader) -> ChatRequest:
    """Check a request as the vendor does; refuse what it would refuse."""
    if model not in MODELS:
        raise KieRefusal(422, UNKNOWN_MODEL)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise KieRefusal(422, "messages is required")
    texts, attachments = [], []
    for message in messages:
        text, files = _read_message(message, uploads)
        texts.append((str(message["role"]), text))
        attachments += files
    if not any(role == "user" for role, _ in texts):
        raise KieRefusal(422, "messages must contain a user message")
    return ChatRequest(
        model=model,
        texts=texts,
        attachments=attachments,
        response_format=_response_format(body.get("response_format")),
        max_tokens=_max_tokens(body.get("max_tokens")),
        streams=body.get("stream") is not False,
    )


def _read_message(message: Any, uploads: UploadReader) -> tuple[str, list[Attachment]]:
    if not isinstance(message, dict) or message.get("role") not in ROLES:
        raise KieRefusal(422, f"messages.role must be one of {', '.join(sorted(ROLES))}")
    content = message.get("content")
    if isinstance(content, str):
        return content, []
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        raise KieRefusal(422, "messages.content must be a string or an array of parts")
    texts = [part["text"] for part in content if part.get("type") == "text" and isinstance(part.get("text"), str)]
    files = [_attachment(part.get("image_url"), uploads) for part in content if part.get("type") == "image_url"]
    return "\n".join(texts), files


def _attachment(value: Any, uploads: UploadReader) -> Attachment:
    url = value.get("url") if isinstance(value, dict) else None
    if not isinstance(url, str):
        raise KieRefusal(422, "image_url.url is required")
    if url.startswith("data:"):
        return _from_data_url(url)
    found = uploads.find(url)
    if found is None and not url.startswith("https://"):
        raise KieRefusal(422, "image_url.url must be an https or a data URL")
    return found or Attachment(mime="image/*", content=b"")


def _from_data_url(url: str) -> Attachment:
    head, _, text = url.removeprefix("data:").partition(",")
    mime, _, coding = head.partition(";")
    try:
        content = base64.b64decode(text, validate=True) if coding.endswith("base64") else b""
    except binascii.Error:
        content = b""
    if not content:
        raise KieRefusal(422, "image_url.url is not a valid base64 data URL")
    return _seen(mime, content)


def _seen(mime: str, content: bytes) -> Attachment:
    if not mime.startswith(SEEN):
        raise KieRefusal(422, f"image_url does not support {mime or 'files without a MIME type'}")
    return Attachment(mime=mime, content=content)


def _response_format(value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict) or value.get("type") not in ("text", "json_object", "json_schema"):
        raise KieRefusal(422, "response_format.type must be text, json_object or json_schema")
    if value["type"] == "json_schema":
        about = value.get("json_schema")
        if not isinstance(about, dict) or not about.get("name") or not isinstance(about.get("schema"), dict):
            raise KieRefusal(422, "response_format.json_schema needs name and schema")
    return value


def _max_tokens(value: Any) -> int | None:
    if value is not None and (type(value) is not int or value < 1):
        raise KieRefusal(422, "max_tokens must be a positive integer")
    return value


def _content(asked: ChatRequest, scripted: ScriptedAnswer) -> tuple[str, str]:
    """Return the text of the answer and why it ends; `max_tokens` truncates it."""
    given = scripted.content
    if given is None:
        content = answer_to(asked.question())
    else:
        content = given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)
    limit = (asked.max_tokens or len(content)) * LETTERS_A_TOKEN
    return (content[:limit], "length") if len(content) > limit else (content, scripted.finish_reason)


def _usage(asked: ChatRequest, content: str) -> dict[str, Any]:
    answered = -(-len(content) // LETTERS_A_TOKEN)
    asking = asked.prompt_tokens
    return {"prompt_tokens": asking, "completion_tokens": answered, "total_tokens": asking + answered}


def _price(usage: Mapping[str, Any]) -> float:
    tokens = (usage.get("prompt_tokens", 0), usage.get("completion_tokens", 0))
    counted = (count if type(count) is int else 0 for count in tokens)
    return round(sum(count * rate for count, rate in zip(counted, CREDITS_A_TOKEN, strict=True)), 4)


def _streamed(answer: Mapping[str, Any]) -> web.Response:
    """Write the answer as an event stream, in one piece."""
    (choice,) = answer["choices"]
    chunk = {**answer, "object": "chat.completion.chunk"}
    chunk["choices"] = [{"index": 0, "delta": choice["message"], "finish_reason": choice["finish_reason"]}]
    text = f"data: {json.dumps(chunk, ensure_ascii=False)}\n\ndata: [DONE]\n\n"
    return web.Response(text=text, content_type="text/event-stream")


def _raw(scripted: ScriptedAnswer) -> KieReply:
    response = web.Response(body=(scripted.body or "").encode(), status=scripted.status)
    response.headers[hdrs.CONTENT_TYPE] = scripted.content_type
    return KieReply(response=response, summary=f"chat → a queued body, HTTP {scripted.status}")


def _scripted(row: Any) -> ScriptedAnswer:
    try:
        answer = ScriptedAnswer(**row)
        counts, waits = answer.times == FOR_EVER or answer.times >= 1, 0 <= answer.delay_s <= MAX_DELAY_S
    except TypeError as error:
        raise refusal(f"an answer is an object with the fields {', '.join(ScriptedAnswer.__slots__)}") from error
    if not counts:
        raise refusal("times must be 1 or more, or -1 for ever")
    if not waits:
        raise refusal(f"delay_s must be between 0 and {MAX_DELAY_S}")
    return answer


def _shown(asked: ChatRequest) -> dict[str, Json]:
    return {
        "model": asked.model,
        "messages": [{"role": role, "text": text} for role, text in asked.texts],
        "attachments": [one.mime for one in asked.attachments],
        "response_format": str(asked.response_format.get("type", "text")),
        "max_tokens": asked.max_tokens,
        "stream": asked.streams,
    }
