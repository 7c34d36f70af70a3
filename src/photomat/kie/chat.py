"""Kie's chat models: one request, one answer. Foreign errors are translated here.

Kie answers refusals with HTTP 200 and a `code` instead of `choices`, and a success may lack its Content-Type. Each request is
sent once: a time-out, a server error or an unreadable answer leaves open whether it was charged (`OutcomeUnknown`).

Not every model takes every `response_format`. A refused request is not repeated in another format, because that could be paid
twice: the next request of this process uses the next plainer one. The instructions name the form of the answer anyway.
"""

import base64
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

import aiohttp

from photomat.kernel.calls import kie_call
from photomat.kernel.errors import OutcomeUnknown, PhotomatError
from photomat.kernel.http import HttpClient
from photomat.kernel.text import storable
from photomat.kie.port import Busy, ChatAnswer, ChatRefused, ChatRequest, Paused
from photomat.kie.protocol import (
    BUSY_CODES,
    CLIENT_ERROR_FROM,
    PAUSED_CODES,
    QUEUE_FULL,
    REFUSED_CODES,
    Envelope,
    decode,
)

CONNECT_S: Final = 4
FORMATS: Final = ("json_schema", "json_object", "text")
FORMAT_REFUSED: Final = frozenset({400, 422})
MAX_BODY_BYTES: Final = 2**18
MAX_CHARACTERS: Final = 20_000
MAX_TOKENS: Final = 10**8
MAX_CREDITS: Final = Decimal(10_000)


class KieChatModel:
    """One chat model; `model` is part of the path."""

    def __init__(self, *, base_url: str, api_key: str, model: str) -> None:
        self._url = f"{base_url}/{model}/v1/chat/completions"
        self._http = HttpClient(name="Kie", headers={"Authorization": f"Bearer {api_key}"})
        self._formats = list(FORMATS)

    async def complete(self, request: ChatRequest) -> ChatAnswer:
        with kie_call("chat"):
            return await self._complete(request)

    async def _complete(self, request: ChatRequest) -> ChatAnswer:
        within = aiohttp.ClientTimeout(total=request.within_s, connect=CONNECT_S, sock_connect=CONNECT_S)
        answered = await self._http.post(self._url, self._body(request), within=within)
        found = _decoded(answered.body) if answered.status < CLIENT_ERROR_FROM else None
        if found is not None and "choices" in found:
            return _answer(found)
        envelope = decode(answered.body, answered.status)
        if envelope is not None and envelope.code in FORMAT_REFUSED and len(self._formats) > 1:
            del self._formats[0]
        raise _trouble(envelope)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        parts: list[dict[str, Any]] = [{"type": "text", "text": request.text}]
        if request.file is not None:
            parts.append({"type": "image_url", "image_url": {"url": data_url(request.file.mime, request.file.content)}})
        return {
            "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": parts}],
            "stream": False,
            "max_tokens": request.max_tokens,
            **self._response_format(request),
        }

    def _response_format(self, request: ChatRequest) -> dict[str, Any]:
        match self._formats[0]:
            case "json_schema":
                schema = {"name": request.name, "strict": True, "schema": request.schema}
                return {"response_format": {"type": "json_schema", "json_schema": schema}}
            case "json_object":
                return {"response_format": {"type": "json_object"}}
            case _:
                return {}


def data_url(mime: str, content: bytes) -> str:
    return f"data:{mime};base64,{base64.b64encode(content).decode()}"


def _decoded(body: bytes) -> Mapping[str, Any] | None:
    if len(body) > MAX_BODY_BYTES:
        return None
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _answer(found: Mapping[str, Any]) -> ChatAnswer:
    text = _text(found["choices"])
    if text is None:
        raise OutcomeUnknown("a chat model answered without a text")
    usage = found.get("usage")
    tokens = usage if isinstance(usage, Mapping) else {}
    return ChatAnswer(
        text=text,
        prompt_tokens=_count(tokens.get("prompt_tokens")),
        completion_tokens=_count(tokens.get("completion_tokens")),
        credits=_credits(found.get("credits_consumed")),
    )


def _text(choices: Any) -> str | None:
    match choices:
        case [{"message": {"content": str(content)}}, *_]:
            return str(storable(content[:MAX_CHARACTERS]))
        case _:
            return None


def _count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= MAX_TOKENS else None


def _credits(value: Any) -> Decimal | None:
    if type(value) not in {int, float}:
        return None
    number = Decimal(str(value))
    return number if number.is_finite() and 0 <= number <= MAX_CREDITS else None


def _trouble(envelope: Envelope | None) -> PhotomatError:
    code = None if envelope is None else envelope.code
    if code in BUSY_CODES or code == QUEUE_FULL:
        return Busy(f"Kie's chat model is busy: code {code}")
    if code is not None and code in PAUSED_CODES:
        return Paused(f"Kie refuses every chat request: {code}", code=code)
    if code is not None and code in REFUSED_CODES:
        return ChatRefused(code)
    return OutcomeUnknown(f"Kie's chat model gave no usable answer: code {code}")
