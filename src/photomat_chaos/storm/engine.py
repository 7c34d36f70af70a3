"""The storm engine: instances run under load while faults strike them, for as long as planned.

The load and the verdict belong to the workload: `storm.purchases` or `money.workload`. The faults come from the seed; how real
processes react to them does not repeat.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from photomat_chaos.lab.arena import Arena
from photomat_chaos.lab.callbacks import CallbackInjector
from photomat_chaos.lab.history import HistoryViolation
from photomat_chaos.storm.faults import Disruption, FaultInjector
from photomat_chaos.storm.fleet import Fleet

NAMES: Final = ("Анна", "Борис", "Вера", "Глеб", "Дарья", "Егор", "Жанна", "Захар")
REPORT_EVERY_S: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class StormPlan:
    """How long and how many; `old` is the folder of another version's package, deployed in turn with this one."""

    seed: int
    seconds: float
    instances: int = 3
    customers: int = 8
    old: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StormReport:
    """What was done, what was broken, and the stories of the jobs concerned; `explained` are differences made on purpose."""

    plan: StormPlan
    figures: dict[str, int]
    violations: list[HistoryViolation]
    explained: list[str] = field(default_factory=list)
    stories: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Storm:
    """A storm in progress; `headline` says in a few words what the load has done so far."""

    plan: StormPlan
    arena: Arena
    callbacks: CallbackInjector
    headline: Callable[[], str] = str
    done: Counter[str] = field(default_factory=Counter)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    left_s: float = 0.0

    async def run(
        self,
        disruptions: Iterator[Disruption],
        start_load: Callable[[asyncio.TaskGroup], Sequence[asyncio.Task[Any]]],
    ) -> None:
        """Start the instances and the load and let faults strike; what `start_load` returns is cancelled at the end."""
        fleet = Fleet(arena=self.arena, size=self.plan.instances, old=self.plan.old, over=self.over, done=self.done)
        await fleet.set_out()
        async with asyncio.TaskGroup() as group:
            abandoned = start_load(group)
            group.create_task(fleet.keep_up())
            await self._inject(disruptions, FaultInjector(fleet=fleet, callbacks=self.callbacks, group=group))
            for task in abandoned:
                task.cancel()
        await fleet.end()

    async def _inject(self, disruptions: Iterator[Disruption], injector: FaultInjector) -> None:
        clock = asyncio.get_running_loop().time
        end = clock() + self.plan.seconds
        try:
            async with asyncio.timeout_at(end):
                for disruption in disruptions:
                    self.left_s = end - clock()
                    await asyncio.sleep(disruption.after_s)
                    await injector.strike(disruption)
        except TimeoutError:
            if clock() < end:
                raise
        finally:
            self.over.set()


Progress = Callable[[Storm], None]


@asynccontextmanager
async def reporting(storm: Storm, progress: Progress | None) -> AsyncIterator[None]:
    """Report how the storm goes twice a second while the block runs."""
    async with asyncio.TaskGroup() as group:
        task = group.create_task(_keep_reporting(storm, progress))
        yield
        task.cancel()


async def _keep_reporting(storm: Storm, progress: Progress | None) -> None:
    while progress is not None:
        progress(storm)
        await asyncio.sleep(REPORT_EVERY_S)
