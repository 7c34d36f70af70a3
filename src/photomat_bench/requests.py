"""Requests per second to one URL: as many as possible, then at half of that for the latencies.

Measured are the product's callbacks, which are answered once they are committed, and a bare aiohttp echo of the same bodies.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from photomat.kernel.ids import JobId
from photomat.kie.signature import sign_job
from photomat_bench.flow_run import PROMPT, percentiles
from photomat_bench.flows import FlowDriver
from photomat_bench.instances import BenchInstance, callback_secret, running_instances, start_echo
from photomat_bench.meters import cpu_s
from photomat_bench.vendors import KieTask, callback_body
from photomat_bench.wire import OK, WireClient, post_request, serving

CONNECTIONS: Final = 64
JOBS_RATE: Final = 20.0
JOBS_S: Final = 3.0

NextRequest = Callable[[], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFigures:
    per_s: float
    cpu_ms: float
    refused: int
    half_ms: dict[str, float]


@dataclass(slots=True, kw_only=True)
class RequestLoad:
    """Sends prepared requests to one instance."""

    url: str
    requests: Iterator[bytes]
    client: WireClient = field(default_factory=WireClient)
    refused: int = 0
    latencies_ms: list[float] = field(default_factory=list)

    async def at_most(self, seconds: float) -> float:
        """Keep all connections busy; return answers per second."""
        begin = time.perf_counter()
        answered = 0

        async def again() -> None:
            nonlocal answered
            while time.perf_counter() < begin + seconds:
                await self._one()
                answered += 1

        async with asyncio.TaskGroup() as group:
            for _ in range(CONNECTIONS):
                group.create_task(again())
        return answered / (time.perf_counter() - begin)

    async def at_rate(self, rate: float, seconds: float) -> None:
        """Send at even instants whether or not earlier requests were answered; latencies count from the instant due."""
        begin = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for number in range(int(rate * seconds)):
                due = begin + number / rate
                wait = due - time.perf_counter()
                if wait > 0:
                    await asyncio.sleep(wait)
                group.create_task(self._timed(due))

    async def _timed(self, due: float) -> None:
        await self._one()
        self.latencies_ms.append((time.perf_counter() - due) * 1000)

    async def _one(self) -> None:
        parts = urlsplit(self.url)
        status, _ = await self.client.post(parts.hostname or "", parts.port or 80, next(self.requests))
        self.refused += status != OK


async def measure_echo(seconds: float, *, folder: Path) -> RequestFigures:
    instance = start_echo(folder)
    try:
        await instance.until_ready()
        tasks = [("task", 1, "")]
        return await _measure(instance, callbacks(tasks, instance.url), seconds)
    finally:
        await asyncio.to_thread(instance.stop)


async def measure_callbacks(seconds: float, *, dsn: str, folder: Path) -> RequestFigures:
    """Callbacks with new bodies for jobs that are over: each is stored, none makes other work."""
    driver = FlowDriver(seconds_at_kie=0.05, prompt=PROMPT)
    async with serving(driver.vendors.answer) as url:
        driver.vendors.url = url
        async with running_instances(1, dsn=dsn, vendors_url=url, folder=folder, settings={}) as instances:
            driver.instances = [instances[0].url]
            await driver.run_at_rate(JOBS_RATE, JOBS_S, seed=1)
            jobs = [_job(task_id, task) for task_id, task in driver.vendors.tasks.items()]
            return await _measure(instances[0], callbacks(jobs, instances[0].url), seconds)


def _job(task_id: str, task: KieTask) -> tuple[str, int, str]:
    """The task, its job and the token of its callback URL."""
    job_id = int(urlsplit(task.callback_url).path.rpartition("/")[2].partition(".")[0])
    return task_id, job_id, sign_job(JobId(job_id), [callback_secret()])


def callbacks(jobs: list[tuple[str, int, str]], url: str) -> Iterator[bytes]:
    """Callbacks of these jobs in turn; every body is another one."""
    host, number = urlsplit(url).netloc, 0
    while True:
        for task_id, _, token in jobs:
            number += 1
            task = KieTask(prompt="", callback_url="", result_url=f"http://127.0.0.1/{number}.png", created=0.0)
            yield post_request(f"/kie/callback/{token}", callback_body(task_id, task), host=host)


async def _measure(instance: BenchInstance, requests: Iterator[bytes], seconds: float) -> RequestFigures:
    load = RequestLoad(url=instance.url, requests=requests)
    await load.at_most(1.0)
    load.refused = 0
    before = cpu_s(instance.pid)
    per_s = await load.at_most(seconds)
    used = cpu_s(instance.pid) - before
    await load.at_rate(per_s / 2, seconds)
    load.client.close()
    return RequestFigures(
        per_s=round(per_s, 1),
        cpu_ms=round(used / (per_s * seconds) * 1000, 4),
        refused=load.refused,
        half_ms=percentiles(load.latencies_ms),
    )
