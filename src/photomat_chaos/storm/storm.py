"""A storm: customers buy while everything around the program breaks; then a calm, hours that pass, and the verdict.

The decisions come from the seed (`weather`); how real processes meet them is theirs. It ends by itself: after its minutes come
fresh instances that have a bounded time to bring everything to rest.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from photomat_chaos.lab import calm, history, testimony
from photomat_chaos.lab.arena import SETTINGS, Arena, open_arena
from photomat_chaos.lab.customers import Customer
from photomat_chaos.lab.evidence import Seen
from photomat_chaos.lab.facts import Evidence
from photomat_chaos.lab.history import Violation
from photomat_chaos.storm.fleet import Fleet
from photomat_chaos.storm.post import Post, open_post
from photomat_chaos.storm.strikes import Strikes
from photomat_chaos.storm.weather import blows

NAMES: Final = ("Анна", "Борис", "Вера", "Глеб", "Дарья", "Егор", "Жанна", "Захар")
SHORT_LIVES: Final = {"LEASE_S": "3", "JOB_OVERDUE_S": "8", "JOB_TIMEOUT_S": "30"}
"""So that what is taken over, given up, canceled late and given away happens while it blows."""

TELL_EVERY_S: Final = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How hard it blows; `old` is the folder of another version's package, for deploys there and back."""

    seed: int
    seconds: float
    instances: int = 3
    customers: int = 8
    old: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What was done, what came of it, what was broken, and the stories of the jobs it was broken for."""

    plan: Plan
    figures: dict[str, int]
    violations: list[Violation]
    stories: dict[int, str]


@dataclass(slots=True, kw_only=True)
class Storm:
    """A storm while it blows."""

    plan: Plan
    arena: Arena
    post: Post
    done: Counter[str] = field(default_factory=Counter)
    customers: list[Customer] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    left_s: float = 0.0

    async def blow(self) -> None:
        """Let everything happen at once for as long as planned."""
        fleet = Fleet(arena=self.arena, size=self.plan.instances, old=self.plan.old, over=self.over, done=self.done)
        self.customers = [self._customer(number) for number in range(self.plan.customers)]
        await fleet.set_out()
        async with asyncio.TaskGroup() as group:
            for customer in self.customers:
                group.create_task(customer.buy_until(self.over))
            group.create_task(self.arena.keep_harvesting(self.over))
            group.create_task(fleet.keep_up())
            group.create_task(self._rage(Strikes(fleet=fleet, post=self.post, group=group)))
        await fleet.end()

    @property
    def bought(self) -> int:
        """Taps on [Create] so far."""
        return sum(customer.bought for customer in self.customers)

    def _customer(self, number: int) -> Customer:
        name = NAMES[number % len(NAMES)]
        person = self.arena.telegram.add_person(first_name=name, started=True)
        chance = random.Random(f"{self.plan.seed}:{number}")  # noqa: S311  repeatable on purpose
        return Customer(world=self.arena.telegram, person=person, chance=chance, is_lively=True)

    async def _rage(self, strikes: Strikes) -> None:
        clock = asyncio.get_running_loop().time
        end = clock() + self.plan.seconds
        try:
            async with asyncio.timeout_at(end):
                for blow in blows(self.plan.seed):
                    self.left_s = end - clock()
                    await asyncio.sleep(blow.after_s)
                    await strikes.strike(blow)
        except TimeoutError:
            if clock() < end:
                raise
        finally:
            self.over.set()

    async def calm_down(self) -> Seen:
        """Bring everything to rest, let hours pass, ask everybody's balance."""
        for customer in self.customers:
            customer.return_to_the_bot()
        moved = await calm.bring_to_rest(self.arena, step_s=calm.SHORT_STEP_S)
        moved += await calm.hours_later(self.arena, self.post)
        self.done["times the clock was moved on"] = moved
        said = await asyncio.gather(*(customer.asks_balance() for customer in self.customers))
        balances = {customer.person.user_id: minor for customer, minor in zip(self.customers, said, strict=True)}
        await calm.come_to_rest(self.arena, step_s=calm.SHORT_STEP_S)
        return Seen(
            credit=int(SETTINGS["WELCOME_CREDIT"]),
            balances={user_id: -1 if minor is None else minor for user_id, minor in balances.items()},
            deleted=frozenset().union(*(customer.deleted for customer in self.customers)),
            forged=tuple(self.post.forged),
            old_version_parks=self.plan.old is not None,
        )


async def rage(plan: Plan, folder: Path, *, tell: Callable[[Storm], None] | None = None) -> Report:
    """One storm in an empty folder, from the first instance to the verdict; `tell` hears how it goes, twice a second."""
    async with open_arena(folder, settings=SHORT_LIVES) as arena, open_post(arena) as post:
        storm = Storm(plan=plan, arena=arena, post=post)
        async with asyncio.TaskGroup() as group:
            telling = group.create_task(_keep_telling(storm, tell))
            await storm.blow()
            seen = await storm.calm_down()
            telling.cancel()
        evidence = await calm.evidence_of(arena, seen)
        violations = history.violations(evidence)
        stories = await testimony.stories_of(arena, violations)
    return Report(plan=plan, figures=_figures(storm, evidence), violations=violations, stories=stories)


async def _keep_telling(storm: Storm, tell: Callable[[Storm], None] | None) -> None:
    while tell is not None:
        tell(storm)
        await asyncio.sleep(TELL_EVERY_S)


def _figures(storm: Storm, evidence: Evidence) -> dict[str, int]:
    statuses = Counter(job.status for job in evidence.jobs)
    counts = storm.arena.notes.counts
    return {
        **dict(sorted((storm.done + storm.post.done).items())),
        "of them refused": sum(forged.status != history.OK for forged in evidence.forged),
        "faults that struck": counts["kie", "fault"] + counts["telegram", "fault"],
        "cards deleted": len(evidence.deleted),
        "taps on Create": storm.bought,
        "jobs bought": len(evidence.jobs),
        "jobs done": statuses["done"],
        "of them gifts": sum(job.gift for job in evidence.jobs),
        "jobs failed and refunded": statuses["failed"],
        "jobs canceled": statuses["canceled"],
        "results asked for again": len(evidence.sent_again),
        "tasks at Kie": len(evidence.orders),
        "callbacks sent by Kie": counts["kie", "callback"],
        "different callbacks answered 200": len(evidence.answered_200),
        "updates handled": len(evidence.lanes),
        "updates put aside": len(evidence.parked),
        "calls to Telegram": counts["telegram", "request"],
    }
