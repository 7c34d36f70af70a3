"""A storm: customers buy while instances are killed and frozen, sessions cut, answers lost; then a calm, and the verdict.

The decisions come from the seed (`weather`); how real processes meet them is theirs. It ends by itself: after its minutes come
fresh instances that have a bounded time to bring everything to rest.
"""

import asyncio
import random
import signal
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import asyncpg

from photomat_chaos import calm, history, processes
from photomat_chaos.arena import Arena, open_arena
from photomat_chaos.customers import Customer
from photomat_chaos.history import Evidence, Violation
from photomat_chaos.weather import Blow, blows

NAMES: Final = ("Анна", "Борис", "Вера", "Глеб", "Дарья", "Егор", "Жанна", "Захар")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How hard it blows."""

    seed: int
    seconds: float
    instances: int = 2
    customers: int = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was done, what came of it, what was broken."""

    plan: Plan
    figures: dict[str, int]
    violations: list[Violation]


@dataclass(slots=True, kw_only=True)
class Storm:
    """A storm while it blows."""

    plan: Plan
    arena: Arena
    done: Counter[str] = field(default_factory=Counter)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def blow(self) -> None:
        """Let everything happen at once for as long as planned."""
        await self.arena.start_ready(self.plan.instances)
        customers = [self._customer(number) for number in range(self.plan.customers)]
        async with asyncio.TaskGroup() as group:
            for customer in customers:
                group.create_task(customer.buy_until(self.over))
            group.create_task(self.arena.keep_harvesting(self.over))
            group.create_task(self._rage(group))
        self.done["taps on Create"] = sum(customer.bought for customer in customers)

    def _customer(self, number: int) -> Customer:
        name = NAMES[number % len(NAMES)]
        person = self.arena.telegram.add_person(first_name=name, started=True)
        chance = random.Random(f"{self.plan.seed}:{number}")  # noqa: S311  repeatable on purpose
        return Customer(world=self.arena.telegram, person=person, chance=chance)

    async def _rage(self, group: asyncio.TaskGroup) -> None:
        try:
            async with asyncio.timeout(self.plan.seconds):
                for blow in blows(self.plan.seed):
                    await asyncio.sleep(blow.after_s)
                    await self._strike(blow, group)
        except TimeoutError:
            self.over.set()

    async def _strike(self, blow: Blow, group: asyncio.TaskGroup) -> None:
        standing = [instance for instance in self.arena.door.instances if instance.ready and not instance.frozen]
        match blow.kind:
            case "fault" if blow.trouble is not None:
                trouble = blow.trouble
                self.arena.faults.arm(
                    world=trouble.world,
                    method=trouble.method,
                    action=trouble.action,
                    times=trouble.times,
                    delay_s=trouble.delay_s,
                    status=trouble.status,
                    html=trouble.action == "error" and trouble.method != "callback",
                )
                self.done["faults armed"] += 1
            case "cut":
                self.done["database sessions cut"] += await self._cut(blow.pick)
            case _ if standing:
                await self._meet(blow, standing[int(blow.pick * len(standing))], group)

    async def _meet(self, blow: Blow, instance: processes.Instance, group: asyncio.TaskGroup) -> None:
        match blow.kind:
            case "freeze":
                instance.send(signal.SIGSTOP)
                self.done["instances frozen"] += 1
                group.create_task(self._thaw(instance, blow.for_s))
            case "stop":
                instance.send(signal.SIGTERM)
                self.arena.start()
                self.done["instances replaced in order"] += 1
            case _:
                await asyncio.to_thread(instance.end)
                self.arena.start()
                self.done["instances killed"] += 1

    async def _thaw(self, instance: processes.Instance, after_s: float) -> None:
        await asyncio.sleep(after_s)
        instance.send(signal.SIGCONT)

    async def _cut(self, pick: float) -> int:
        """End one session of the program, whichever it is."""
        try:
            async with self.arena.sql() as connection:
                rows = await connection.fetch(
                    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                    " ORDER BY pid"
                )
                if not rows:
                    return 0
                pid = rows[int(pick * len(rows))]["pid"]
                return int(await connection.fetchval("SELECT pg_terminate_backend($1)", pid))
        except (OSError, asyncpg.PostgresError):
            return 0


async def rage(plan: Plan, folder: Path) -> Report:
    """One storm in an empty folder, from the first instance to the verdict."""
    async with open_arena(folder) as arena:
        storm = Storm(plan=plan, arena=arena)
        await storm.blow()
        storm.done["times the clock was moved on"] = await calm.bring_to_rest(arena)
        evidence = await calm.evidence_of(arena)
    return Report(plan=plan, figures=_figures(storm, evidence), violations=history.violations(evidence))


def _figures(storm: Storm, evidence: Evidence) -> dict[str, int]:
    statuses = Counter(job.status for job in evidence.jobs)
    events = Counter((event.world, event.kind) for event in storm.arena.events)
    return {
        **storm.done,
        "faults that struck": events["kie", "fault"] + events["telegram", "fault"],
        "jobs bought": len(evidence.jobs),
        "jobs done": statuses["done"],
        "of them gifts": sum(job.gift for job in evidence.jobs),
        "jobs failed and refunded": statuses["failed"],
        "jobs canceled": statuses["canceled"],
        "tasks at Kie": len(evidence.orders),
        "callbacks sent": events["kie", "callback"],
        "callbacks answered 200": len(evidence.answered_200),
        "updates handled": len(evidence.lanes),
        "calls to Telegram": events["telegram", "request"],
    }
