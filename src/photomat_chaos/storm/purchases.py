"""The workload of `photomat chaos storm`: customers buy while everything around the program breaks.

Afterwards fresh instances have a bounded time to bring everything to rest, hours pass, late callbacks arrive, and the history
of every job is checked.
"""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from photomat_chaos.lab import history, rest
from photomat_chaos.lab.arena import SETTINGS, open_arena
from photomat_chaos.lab.callbacks import open_callback_injector
from photomat_chaos.lab.customers import ChatCustomer
from photomat_chaos.lab.evidence import Observations, stories_of
from photomat_chaos.lab.history import Evidence
from photomat_chaos.storm.engine import NAMES, Progress, Storm, StormPlan, StormReport, reporting
from photomat_chaos.storm.faults import disruptions

SHORT_LIVES: Final = {"LEASE_S": "3", "JOB_OVERDUE_S": "8", "JOB_TIMEOUT_S": "30"}
"""So that take-overs, timeouts, late cancellations and gifts happen during the storm."""


async def run_storm(plan: StormPlan, folder: Path, *, progress: Progress | None = None) -> StormReport:
    """Run one storm in an empty folder, from the first instance to the verdict."""
    async with open_arena(folder, settings=SHORT_LIVES) as arena, open_callback_injector(arena) as callbacks:
        storm = Storm(plan=plan, arena=arena, callbacks=callbacks)
        purchases = Purchases(storm=storm)
        storm.headline = purchases.headline
        async with reporting(storm, progress):
            await purchases.run()
            observed = await purchases.settle()
        evidence = await rest.evidence_of(arena, observed)
        violations = history.violations(evidence)
        stories = await stories_of(arena, violations)
    return StormReport(plan=plan, figures=_figures(purchases, evidence), violations=violations, stories=stories)


@dataclass(slots=True, kw_only=True)
class Purchases:
    storm: Storm
    customers: list[ChatCustomer] = field(default_factory=list)

    async def run(self) -> None:
        storm = self.storm
        self.customers = [self._customer(number) for number in range(storm.plan.customers)]
        await storm.run(disruptions(storm.plan.seed), self._start)

    async def settle(self) -> Observations:
        """Bring everything to rest, let hours pass, ask every customer's balance."""
        arena, done = self.storm.arena, self.storm.done
        for customer in self.customers:
            customer.return_to_the_bot()
        moved = await rest.bring_to_rest(arena, step_s=rest.SHORT_STEP_S)
        moved += await rest.hours_later(arena, self.storm.callbacks)
        done["times the clock was moved on"] = moved
        said = await asyncio.gather(*(customer.asks_balance() for customer in self.customers))
        balances = {customer.person.user_id: minor for customer, minor in zip(self.customers, said, strict=True)}
        await rest.come_to_rest(arena, step_s=rest.SHORT_STEP_S)
        return Observations(
            credit=int(SETTINGS["WELCOME_CREDIT"]),
            balances={user_id: -1 if minor is None else minor for user_id, minor in balances.items()},
            deleted=frozenset().union(*(customer.deleted for customer in self.customers)),
            forged=tuple(self.storm.callbacks.forged),
            old_version_parks=self.storm.plan.old is not None,
        )

    @property
    def bought(self) -> int:
        """Taps on [Create] so far."""
        return sum(customer.bought for customer in self.customers)

    def headline(self) -> str:
        done = self.storm.done
        return (
            f"{self.bought} bought, {done['instances killed']} killed,"
            f" {done['PostgreSQL restarts']} restarts of PostgreSQL"
        )

    def _start(self, group: asyncio.TaskGroup) -> list[asyncio.Task[None]]:
        for customer in self.customers:
            group.create_task(customer.buy_until(self.storm.over))
        group.create_task(self.storm.arena.keep_harvesting(self.storm.over))
        return []

    def _customer(self, number: int) -> ChatCustomer:
        telegram = self.storm.arena.telegram
        person = telegram.add_person(first_name=NAMES[number % len(NAMES)], started=True)
        chance = random.Random(f"{self.storm.plan.seed}:{number}")  # noqa: S311  repeatable on purpose
        return ChatCustomer(world=telegram, person=person, chance=chance, is_lively=True)


def _figures(purchases: Purchases, evidence: Evidence) -> dict[str, int]:
    storm = purchases.storm
    statuses = Counter(job.status for job in evidence.jobs)
    counts = storm.arena.notes.counts
    return {
        **dict(sorted((storm.done + storm.callbacks.done).items())),
        "of them refused": sum(forged.status != history.OK for forged in evidence.forged),
        "faults that struck": counts["kie", "fault"] + counts["telegram", "fault"],
        "cards deleted": len(evidence.deleted),
        "taps on Create": purchases.bought,
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
