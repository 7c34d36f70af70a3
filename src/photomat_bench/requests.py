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
from photomat_bench.flow_run import AUDIT_LIMIT_S, PROMPT, percentiles
from photomat_bench.flows import FlowDriver
from photomat_bench.instances import AUDITED, BenchInstance, callback_secret, running_instances, start_echo
from photomat_bench.meters import cpu_s, family_cpu_s
from photomat_bench.vendors import KieTask, callback_body
from photomat_bench.wire import OK, WireClient, post_request, serving

CONNECTIONS: Final = 192
"""So many that some requests come in while others are committed; 64 all wait for the same commit, and the server for them."""
WARM_UP_S: Final = 2.0
JOBS_RATE: Final = 4.0
JOBS_S: Final = 3.0

NextRequest = Callable[[], bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestFigures:
    per_s: float
    cpu_ms: float
    postgres_cpu_ms: float
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
        """Send at even instants over the same connections; latencies count from the instant due, waiting for one included.

        No connection is opened under way: a burst of new ones overflows the listen queue, and costs seconds that say nothing.
        """
        begin = time.perf_counter()
        instants = (begin + number / rate for number in range(int(rate * seconds)))

        async def again() -> None:
            for due in instants:
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
                await self._one()
                self.latencies_ms.append((time.perf_counter() - due) * 1000)

        async with asyncio.TaskGroup() as group:
            for _ in range(CONNECTIONS):
                group.create_task(again())

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


async def measure_callbacks(seconds: float, *, dsn: str, postgres_pid: int, folder: Path) -> RequestFigures:
    """Callbacks with new bodies for jobs that are over: each is stored, none makes other work."""
    driver = FlowDriver(seconds_at_kie=0.05, prompt=PROMPT)
    async with serving(driver.vendors.answer) as url:
        driver.vendors.url = url
        async with running_instances(1, dsn=dsn, vendors_url=url, folder=folder, settings={}) as instances:
            driver.instances = [instances[0].url]
            await instances[0].until_logged(AUDITED, within_s=AUDIT_LIMIT_S)
            await driver.run_at_rate(JOBS_RATE, JOBS_S, seed=1)
            jobs = [_job(task_id, task) for task_id, task in driver.vendors.tasks.items()]
            if not jobs:
                raise RuntimeError("no job was made in time")
            made = callbacks(jobs, instances[0].url)
            return await _measure(instances[0], made, seconds, postgres_pid=postgres_pid)


def _job(task_id: str, task: KieTask) -> tuple[str, int, str]:
    """The task, its job and the token of its callback URL."""
    job_id = int(urlsplit(task.callback_url).path.rpartition("/")[2].partition(".")[0])
    return task_id, job_id, sign_job(JobId(job_id), [callback_secret()])


def callbacks(jobs: list[tuple[str, int, str]], url: str) -> Iterator[bytes]:
    """Callbacks of these jobs, of which there is one at least, in turn; every body is another one."""
    host, number = urlsplit(url).netloc, 0
    while True:
        for task_id, _, token in jobs:
            number += 1
            task = KieTask(prompt="", callback_url="", result_url=f"http://127.0.0.1/{number}.png")
            yield post_request(f"/kie/callback/{token}", callback_body(task_id, task), host=host)


async def _measure(
    instance: BenchInstance, requests: Iterator[bytes], seconds: float, *, postgres_pid: int | None = None
) -> RequestFigures:
    load = RequestLoad(url=instance.url, requests=requests)
    await load.at_most(WARM_UP_S)
    load.refused = 0
    before = _used_s(instance.pid, postgres_pid)
    per_s = await load.at_most(seconds)
    used, by_postgres = (
        (now - then) / (per_s * seconds) for now, then in zip(_used_s(instance.pid, postgres_pid), before, strict=True)
    )
    await load.at_rate(per_s / 2, seconds)
    load.client.close()
    if load.refused:
        raise RuntimeError(f"{load.refused} requests were refused")
    return RequestFigures(
        per_s=round(per_s, 1),
        cpu_ms=round(used * 1000, 4),
        postgres_cpu_ms=round(by_postgres * 1000, 4),
        half_ms=percentiles(load.latencies_ms),
    )


def _used_s(pid: int, postgres_pid: int | None) -> tuple[float, float]:
    return cpu_s(pid), 0.0 if postgres_pid is None else family_cpu_s(postgres_pid)
