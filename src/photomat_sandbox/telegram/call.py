"""One call of the Bot API: its parameters, from any kind of body, are text until a method asks for their type."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from photomat_sandbox.telegram.errors import ApiError, JsonObject, bad_request
from photomat_sandbox.telegram.file_on_disk import Content, content_of
from photomat_sandbox.telegram.world import TelegramWorld


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadedFile:
    name: str
    data: Content


@dataclass(frozen=True, slots=True)
class Params:
    values: Mapping[str, str]
    files: Mapping[str, UploadedFile] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        return self.values.get(name, default)

    def flag(self, name: str) -> bool:
        return self.text(name).strip().lower() in {"true", "yes", "1"}

    def number(self, name: str, default: int = 0) -> int:
        """Return a value as an integer; what is no integer counts as missing, as on the real server."""
        try:
            return int(self.text(name).strip())
        except ValueError:
            return default

    def parsed(self, name: str, what: str) -> Any:
        raw = self.text(name)
        if not raw:
            return None
        try:
            return json.loads(raw)
        except ValueError as error:
            raise bad_request(f"can't parse {what} JSON object") from error

    def mapping(self, name: str, what: str) -> JsonObject | None:
        value = self.parsed(name, what)
        if value is not None and not isinstance(value, dict):
            raise bad_request(f"object expected as {what}")
        return value

    def items(self, name: str, what: str) -> list[Any] | None:
        value = self.parsed(name, what)
        if value is not None and not isinstance(value, list):
            raise bad_request(f"expected an Array of {what}")
        return value

    def numbers(self, name: str, what: str, *, at_most: int) -> list[int]:
        """Return a JSON array of one to `at_most` integers."""
        values = self.items(name, what) or []
        if not values:
            raise bad_request(f"{what} are not specified")
        if len(values) > at_most:
            raise bad_request(f"too many {what} specified")
        if not all(isinstance(value, int) for value in values):
            raise bad_request(f"{what} must be Integers")
        return values


def params_of_json(body: Mapping[str, Any]) -> Params:
    """Use the members of a JSON object as parameters."""
    return Params({name: _as_text(value) for name, value in body.items() if value is not None})


async def read_params(request: web.Request, *, max_upload_bytes: int) -> Params:
    """Read the query and a JSON, form or multipart body."""
    values: dict[str, str] = dict(request.query)
    if request.method == "GET" or not request.can_read_body:
        return Params(values)
    if request.content_type == "application/json":
        return Params({**values, **(await _json_body(request)).values})
    form = await request.post()
    files = {}
    for name, value in form.items():
        if isinstance(value, web.FileField):
            files[name] = UploadedFile(name=value.filename, data=_bounded(content_of(value.file), max_upload_bytes))
        elif isinstance(value, bytes | bytearray):
            files[name] = UploadedFile(name=name, data=_bounded(bytes(value), max_upload_bytes))
        else:
            values[name] = value
    return Params(values, files)


async def _json_body(request: web.Request) -> Params:
    try:
        body = json.loads(await request.read() or b"{}")
    except ValueError as error:
        raise bad_request("can't parse request body as JSON") from error
    if not isinstance(body, dict):
        raise bad_request("object expected as request body")
    return params_of_json(body)


def _bounded(data: Content, most: int) -> Content:
    if len(data) > most:
        raise ApiError(413, "Request Entity Too Large")
    return data


def _as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    world: TelegramWorld
    params: Params


Method = Callable[[Call], Awaitable[Any]]
