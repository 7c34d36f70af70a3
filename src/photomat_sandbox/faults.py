"""Faults on request: which armed fault applies to which call, and how it is carried out on an HTTP request.

The actions mean:

- `delay`: wait `delay_s`, then go on as usual;
- `drop_before`: close the connection, nothing was done;
- `drop_after`: do it, then close the connection without an answer;
- `duplicate`: callbacks and webhooks go out twice; a request takes effect twice;
- `reorder`: hold this callback or webhook back until the next of its kind has gone out;
- `error`: answer with `status`, `code` and `text` (`html`: a gateway's page instead of JSON);
- `too_many`: refuse with 429 and `retry_after`;
- `never`: a callback is never sent, a request never answered, a task never ends.

`error` and `too_many` are answered in the vendor's own format, by its router. Telegram updates have faults named
`update.<kind>`, applied before polling or webhook can see them; see `telegram/updates.py`.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Container
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final, Literal, get_args

from aiohttp import web

from photomat_sandbox.transcript import World

Action = Literal["delay", "drop_before", "drop_after", "duplicate", "reorder", "error", "too_many", "never"]
ACTIONS: Final[tuple[str, ...]] = get_args(Action)
WORLDS: Final[tuple[str, ...]] = get_args(World)
FOR_EVER: Final = -1
MAX_DELAY_S: Final = 3600
GATEWAY_PAGE: Final = "<html><head><title>{status}</title></head><body><h1>{status} {text}</h1></body></html>"
HANG_UP_CHECK_S: Final = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One armed fault; `times` and `skip` are what is left of them."""

    fault_id: int
    world: World
    method: str
    action: Action
    times: int = 1
    delay_s: float = 0.0
    status: int = 500
    code: int = 500
    text: str = "Internal Server Error"
    retry_after: int = 1
    html: bool = False
    skip: int = 0


class Faults:
    """The armed faults, oldest first; the oldest that matches applies."""

    def __init__(self) -> None:
        self._armed: dict[int, Fault] = {}
        self._last_id = 0

    def arm(
        self,
        *,
        world: World,
        method: str,
        action: Action,
        times: int = 1,
        delay_s: float = 0.0,
        status: int = 500,
        code: int = 500,
        text: str = "Internal Server Error",
        retry_after: int = 1,
        html: bool = False,
        skip: int = 0,
    ) -> Fault:
        """Arm one fault; a ValueError explains invalid arguments."""
        fault = Fault(
            fault_id=self._last_id + 1,
            world=world,
            method=method,
            action=action,
            times=times,
            delay_s=delay_s,
            status=status,
            code=code,
            text=text,
            retry_after=retry_after,
            html=html,
            skip=skip,
        )
        _validate(fault)
        self._last_id = fault.fault_id
        self._armed[fault.fault_id] = fault
        return fault

    def take(self, world: World, name: str, *, specific: str | None = None) -> Fault | None:
        """Return the fault that applies to this call, if any, and count it down.

        Every matching fault that still skips counts this call as skipped. `specific` is a narrower name of the call, matched
        literally: `sendMessage.reply` is a sendMessage that replies to a message.
        """
        return self._next_match(lambda fault: fault.world == world and _fits(fault, name, specific))

    def take_exact(self, world: World, names: Container[str], *, actions: Container[str]) -> Fault | None:
        """Return the fault armed for exactly one of these names, with one of these actions."""
        return self._next_match(
            lambda fault: fault.world == world and fault.method in names and fault.action in actions
        )

    def pending(self) -> list[Fault]:
        return list(self._armed.values())

    def disarm(self, fault_id: int) -> None:
        """Remove one fault; an unknown id is no error."""
        self._armed.pop(fault_id, None)

    def clear(self) -> None:
        self._armed.clear()

    def _next_match(self, fits: Callable[[Fault], bool]) -> Fault | None:
        matched: Fault | None = None
        for fault in [fault for fault in self._armed.values() if fits(fault)]:
            if fault.skip > 0:
                self._armed[fault.fault_id] = replace(fault, skip=fault.skip - 1)
            elif matched is None:
                matched = fault
                self._count_down(fault)
        return matched

    def _count_down(self, fault: Fault) -> None:
        if fault.times == FOR_EVER:
            return
        if fault.times == 1:
            del self._armed[fault.fault_id]
        else:
            self._armed[fault.fault_id] = replace(fault, times=fault.times - 1)


def _fits(fault: Fault, name: str, specific: str | None) -> bool:
    return fnmatchcase(name, fault.method) or fault.method == specific


def _validate(fault: Fault) -> None:
    problems = {
        f"world must be one of {', '.join(WORLDS)}": fault.world not in WORLDS,
        f"action must be one of {', '.join(ACTIONS)}": fault.action not in ACTIONS,
        "method must be a name or a pattern such as createTask or *": not fault.method,
        "times must be 1 or more, or -1 for ever": fault.times != FOR_EVER and fault.times < 1,
        f"delay_s must be between 0 and {MAX_DELAY_S}": not 0 <= fault.delay_s <= MAX_DELAY_S,
        "status must be an HTTP status from 200 to 599": not 200 <= fault.status <= 599,  # noqa: PLR2004 - the range is the message
        "skip and retry_after must not be negative": min(fault.skip, fault.retry_after) < 0,
    }
    for sentence, broken in problems.items():
        if broken:
            raise ValueError(sentence)


async def apply_fault(
    request: web.Request,
    fault: Fault,
    act: Callable[[web.Request], Awaitable[web.Response]],
    *,
    closing: asyncio.Event,
) -> web.StreamResponse:
    """Carry out a fault: two answer instead of the route, the others wrap it."""
    match fault.action:
        case "never":
            return await _hold_connection(request, closing)
        case "drop_before":
            return hang_up(request)
    if fault.action == "delay":
        await asyncio.sleep(fault.delay_s)
    response = await act(request)
    if fault.action == "duplicate":
        await act(request)
    return hang_up(request) if fault.action == "drop_after" else response


def gateway_page(fault: Fault) -> web.Response:
    """Build the error page of a gateway in front of the vendor."""
    page = GATEWAY_PAGE.format(status=fault.status, text=fault.text)
    return web.Response(text=page, status=fault.status, content_type="text/html")


async def _hold_connection(request: web.Request, closing: asyncio.Event) -> web.Response:
    """Hold the connection without an answer until the client goes away or the simulator stops."""
    while request.transport is not None and not request.transport.is_closing() and not closing.is_set():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(HANG_UP_CHECK_S):
                await closing.wait()
    return hang_up(request)


def hang_up(request: web.Request) -> web.Response:
    """Close the connection; the returned response never reaches the client."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
