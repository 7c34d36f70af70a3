"""Control routes every simulator shares: the transcript to read, the faults to arm.

`register` adds these routes under `/sandbox/`; they speak plain JSON and are no part of any vendor's API.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any, Final, TypeVar

from aiohttp import web

from photomat_sandbox.faults import Fault, Faults
from photomat_sandbox.transcript import Transcript, World

MAX_WAIT_S: Final = 25.0
Number = TypeVar("Number", int, float)
FIELD_TYPES: Final[Mapping[str, type]] = {
    field.name: type(field.default) if isinstance(field.default, bool | int | float | str) else str
    for field in fields(Fault)
    if field.name != "fault_id"
}


def register(app: web.Application, transcript: Transcript, faults: Faults, world: World) -> None:
    async def read_transcript(request: web.Request) -> web.Response:
        since = _number(request.query.get("since", "0"), int)
        wait_s = min(_number(request.query.get("wait", "0"), float), MAX_WAIT_S)
        events = await transcript.wait(since, wait_s) if wait_s > 0 else transcript.since(since)
        last = events[-1].n if events else max(since, transcript.last)
        return web.json_response({"events": [event.as_json() for event in events], "last": last})

    async def list_faults(_request: web.Request) -> web.Response:
        return web.json_response({"faults": [asdict(fault) for fault in faults.pending()]})

    async def arm_fault(request: web.Request) -> web.Response:
        wanted = _checked_fields({"world": world, **await read_object(request)})
        try:
            fault = faults.arm(**wanted)
        except (TypeError, ValueError) as error:
            raise refusal(str(error)) from error
        transcript.add(world=fault.world, kind="fault", name=fault.method, summary=_armed_sentence(fault))
        return web.json_response(asdict(fault))

    async def clear_faults(_request: web.Request) -> web.Response:
        faults.clear()
        return web.json_response({"faults": []})

    async def disarm_fault(request: web.Request) -> web.Response:
        faults.disarm(_number(request.match_info["fault_id"], int))
        return await list_faults(request)

    app.router.add_get("/sandbox/transcript", read_transcript)
    app.router.add_get("/sandbox/faults", list_faults)
    app.router.add_post("/sandbox/faults", arm_fault)
    app.router.add_delete("/sandbox/faults", clear_faults)
    app.router.add_delete("/sandbox/faults/{fault_id}", disarm_fault)


async def read_object(request: web.Request) -> dict[str, Any]:
    """Read a request body that must be a JSON object; an empty body counts as an empty object."""
    raw = await request.read()
    try:
        body = json.loads(raw) if raw.strip() else {}
    except ValueError as error:
        raise refusal("the body is not JSON") from error
    if not isinstance(body, dict):
        raise refusal("the body must be a JSON object")
    return body


def refusal(sentence: str) -> web.HTTPBadRequest:
    """Build the answer to an invalid control request: HTTP 400 with one sentence."""
    return web.HTTPBadRequest(text=json.dumps({"error": sentence}), content_type="application/json")


def _checked_fields(body: dict[str, Any]) -> dict[str, Any]:
    for name, value in body.items():
        if name not in FIELD_TYPES:
            raise refusal(f"{name} is not a field of a fault; the fields are {', '.join(FIELD_TYPES)}")
        wanted = FIELD_TYPES[name]
        allowed = (int, float) if wanted is float else (wanted,)
        if type(value) not in allowed:
            raise refusal(f"{name} must be of type {wanted.__name__}")
    return body


def _number(text: str, kind: Callable[[str], Number]) -> Number:
    try:
        return kind(text)
    except ValueError as error:
        raise refusal(f"{text!r} is not a number") from error


def _armed_sentence(fault: Fault) -> str:
    often = "for ever" if fault.times < 0 else f"{fault.times}x"
    after = f" after {fault.skip} that pass" if fault.skip else ""
    return f"armed: {fault.action} on {fault.method}, {often}{after}"
