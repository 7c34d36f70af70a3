"""Duties of the ACTIVE instance: started when it becomes ACTIVE, ended when it no longer is. Each is safe with two ACTIVEs."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Final

from photomat.kernel.clock import backoff_s, sleep_until_set
from photomat.kernel.crashes import report_crash
from photomat.kernel.error_report import describe
from photomat.kernel.logs import get_logger
from photomat.kernel.metrics import DUTY_ERRORS

Duty = Callable[[asyncio.Event], Coroutine[Any, Any, None]]
RESTART_MOST_S: Final = 30.0
log = get_logger()


def every(seconds: float, name: str, do: Callable[[], Awaitable[object]]) -> Duty:
    """A periodic duty; errors are logged and the next round follows."""

    async def run(stop: asyncio.Event) -> None:
        while True:
            try:
                await do()
            except Exception as error:  # noqa: BLE001  the top of a loop
                DUTY_ERRORS.labels(duty=name).inc()
                log.error("DUTY_ERROR", duty=name, error=describe(error))
                report_crash(error, "DUTY_ERROR")
            if await sleep_until_set(stop, seconds):
                return

    return run


def until_it_works(name: str, do: Callable[[], Awaitable[object]]) -> Duty:
    """A duty done once, retried until it succeeds."""

    async def run(stop: asyncio.Event) -> None:
        attempt = 0
        while not stop.is_set():
            try:
                await do()
            except Exception as error:  # noqa: BLE001  the top of a loop
                DUTY_ERRORS.labels(duty=name).inc()
                log.error("DUTY_ERROR", duty=name, error=describe(error))
                report_crash(error, "DUTY_ERROR")
                await sleep_until_set(stop, backoff_s(attempt, most_s=RESTART_MOST_S))
                attempt += 1
            else:
                return

    return run


async def run_while_active(
    duties: Sequence[Duty], *, passive: Callable[[], Coroutine[Any, Any, object]], stop: asyncio.Event, drain_s: float
) -> None:
    """Run all duties until the instance is no longer ACTIVE or stops; then they have `drain_s` to finish."""
    over = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(duty(over)) for duty in duties]
        ends = [group.create_task(passive()), group.create_task(stop.wait())]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        over.set()
        _, late = await asyncio.wait(running, timeout=drain_s)
        for task in (*late, *ends):
            task.cancel()


async def first_of(*waits: Callable[[], Coroutine[Any, Any, object]]) -> None:
    """Wait for the first; the others are canceled."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(wait()) for wait in waits]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
