"""`photomat chaos promote`: customers buy, the primary is killed with SIGKILL, its replica is promoted, they go on buying.

With synchronous replication the instances name both servers in DATABASE_URL and go on by themselves: nothing may be lost and
nothing doubled. With asynchronous replication the replica is behind, so the instances are stopped, and what may have happened
twice is stopped before they start again (`photomat restore promoted`): nothing may be doubled, and what is lost is counted.
"""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from photomat.db.migrate import migrate
from photomat.db.pool import Pool, connect_pool
from photomat.kernel.ids import BotId
from photomat.operators import restores
from photomat_chaos.lab import history, rest
from photomat_chaos.lab.arena import SETTINGS, TOKEN, WEBHOOK_KEY, Arena, open_worlds, until_true
from photomat_chaos.lab.callbacks import open_callback_injector
from photomat_chaos.lab.customers import ChatCustomer
from photomat_chaos.lab.evidence import Observations, stories_of
from photomat_chaos.lab.fork_server import fork_server
from photomat_chaos.lab.history import Evidence, HistoryViolation
from photomat_chaos.lab.replica import Pair, Replication, open_pair

NAMES: Final = ("Анна", "Борис", "Вера", "Глеб", "Дарья", "Егор")
PROMPTS: Final = (
    "кот-космонавт",
    "утро в горах",
    "робот пьёт чай",
    "маяк [fail]",
    "лиса на льду",
    "четыре ветра [many]",
)
LIMIT_S: Final = 120.0
LAG_S: Final = 3.0
"""How far behind the asynchronous replica is when the primary dies."""

LOSSES: Final = {
    "purchases whose result the customer has": r"shows a result that was not ordered",
    "purchases that were at Kie": r"was asked for job \d+, which does not exist",
    "purchases whose completion message was sent": r"was rung for message \d+, which is no card",
    "results of jobs that were settled already": r"\d+ is (failed|canceled) and its card shows a result",
    "callbacks answered 200": r"were answered 200 and only \d+ left something behind",
}
"""What an asynchronous replica may lose, by the words of the history checker."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionPlan:
    """`seconds` of load before the primary dies and as many after; it is promoted `notice_s` after its death."""

    seed: int
    seconds: float
    replication: Replication = "sync"
    instances: int = 2
    customers: int = 6
    notice_s: float = 1.0


@dataclass(slots=True, kw_only=True)
class Times:
    """When what happened, in seconds after the primary's death; None: it did not."""

    promoted: float | None = None
    bought: float | None = None
    delivered: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromotionReport:
    plan: PromotionPlan
    times: Times
    figures: dict[str, int]
    lost: dict[str, int]
    violations: list[HistoryViolation]
    stories: dict[int, str] = field(default_factory=dict)


Tell = Callable[[str], None]


@dataclass(slots=True, kw_only=True)
class Promotion:
    """A promotion in progress."""

    plan: PromotionPlan
    arena: Arena
    pair: Pair
    tell: Tell
    times: Times = field(default_factory=Times)
    customers: list[ChatCustomer] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def run(self) -> None:
        """Load, death, promotion, load."""
        self.customers = [self._customer(number) for number in range(self.plan.customers)]
        await self.arena.start_ready(self.plan.instances)
        async with asyncio.TaskGroup() as group:
            for customer in self.customers:
                group.create_task(customer.buy_until(self.over))
            group.create_task(self.arena.keep_harvesting(self.over))
            self.tell("customers buy")
            await asyncio.sleep(self.plan.seconds)
            await (self._fail_over() if self.plan.replication == "sync" else self._fail_over_late())
            self.tell("customers buy from the new primary")
            await asyncio.sleep(self.plan.seconds)
            self.over.set()

    async def _fail_over(self) -> None:
        await self.pair.kill_primary()
        died_at, death = await self.pair.now(), asyncio.get_running_loop().time()
        self.tell("the primary is dead")
        await asyncio.sleep(self.plan.notice_s)
        await self.pair.promote()
        self.times.promoted = asyncio.get_running_loop().time() - death
        await self._watch(died_at)

    async def _fail_over_late(self) -> None:
        """As docs/operations/failover.md has it for a replica that may be behind."""
        await self.pair.fall_behind()
        behind_since = await self.pair.now()
        await asyncio.sleep(LAG_S)
        await self.pair.kill_primary()
        died_at, death = await self.pair.now(), asyncio.get_running_loop().time()
        self.tell("the primary is dead")
        await self.arena.end_all()
        await asyncio.sleep(self.plan.notice_s)
        await self.pair.promote()
        self.times.promoted = asyncio.get_running_loop().time() - death
        await self._declare(behind_since)
        await self.arena.start_ready(self.plan.instances)
        await self._resume()
        await self._watch(died_at)

    async def _declare(self, behind_since: datetime) -> None:
        async with _pool(self.pair) as pool:
            await restores.pause_promoted(pool, operator="lab", snapshot_at=behind_since, reason="the primary died")

    async def _resume(self) -> None:
        async with _pool(self.pair) as pool:

            async def resumed() -> bool:
                return (await restores.resume_restored(pool, operator="lab", reason="checked")).done

            await until_true(resumed, within_s=LIMIT_S)

    async def _watch(self, died_at: datetime) -> None:
        """Find the first purchase and the first delivered result after the death."""
        self.tell("waiting for the next delivery")
        async with _pool(self.pair) as pool:

            async def seen() -> bool:
                row = await pool.fetchrow(
                    """
                    SELECT extract(epoch FROM min(created_at) FILTER (WHERE created_at > $1) - $1)::float8 AS bought,
                           extract(epoch FROM min(delivered_at) FILTER (WHERE delivered_at > $1) - $1)::float8 AS delivered
                      FROM generation_jobs
                    """,
                    died_at,
                )
                self.times.bought, self.times.delivered = (row["bought"], row["delivered"]) if row else (None, None)
                return None not in {self.times.bought, self.times.delivered}

            await until_true(seen, within_s=LIMIT_S)

    def _customer(self, number: int) -> ChatCustomer:
        telegram = self.arena.telegram
        person = telegram.add_person(first_name=NAMES[number % len(NAMES)], started=True)
        chance = random.Random(f"{self.plan.seed}:{number}")  # noqa: S311  repeatable on purpose
        return ChatCustomer(world=telegram, person=person, chance=chance, prompts=PROMPTS)

    async def observe(self) -> Observations:
        """Ask every customer's balance, at rest."""
        said = await asyncio.gather(*(customer.asks_balance() for customer in self.customers))
        await rest.come_to_rest(self.arena, step_s=rest.SHORT_STEP_S)
        balances = {customer.person.user_id: minor for customer, minor in zip(self.customers, said, strict=True)}
        return Observations(
            credit=int(SETTINGS["WELCOME_CREDIT"]),
            balances={user_id: -1 if minor is None else minor for user_id, minor in balances.items()},
        )


async def run_promotion(plan: PromotionPlan, folder: Path, *, tell: Tell = lambda _said: None) -> PromotionReport:
    """Run one promotion in an empty folder, from the first instance to the verdict."""
    await asyncio.to_thread(fork_server)
    async with (
        open_pair(folder, plan.replication) as pair,
        open_worlds(folder, pair.dsn, webhook_key=WEBHOOK_KEY) as arena,
        open_callback_injector(arena) as callbacks,
    ):
        await migrate(pair.dsn)
        promotion = Promotion(plan=plan, arena=arena, pair=pair, tell=tell)
        await promotion.run()
        tell("coming to rest")
        await rest.bring_to_rest(arena, step_s=rest.SHORT_STEP_S)
        await rest.hours_later(arena, callbacks)
        evidence = await rest.evidence_of(arena, await promotion.observe())
        violations, lost = _sort_out(plan, promotion.times, history.violations(evidence))
        stories = await stories_of(arena, violations)
    return PromotionReport(
        plan=plan,
        times=promotion.times,
        figures=_figures(promotion, evidence),
        lost=lost,
        violations=violations,
        stories=stories,
    )


def _sort_out(
    plan: PromotionPlan, times: Times, found: list[HistoryViolation]
) -> tuple[list[HistoryViolation], dict[str, int]]:
    """What is wrong, and what was lost as it must be expected of an asynchronous replica."""
    lost: dict[str, int] = {}
    wrong: list[HistoryViolation] = []
    for violation in found:
        kind = next((name for name, words in LOSSES.items() if re.search(words, violation.sentence)), None)
        if kind is None or plan.replication == "sync":
            wrong.append(violation)
        else:
            lost[kind] = lost.get(kind, 0) + 1
    if times.delivered is None:
        wrong.append(HistoryViolation(check="the shop goes on", sentence=f"nothing was delivered within {LIMIT_S:g} s"))
    return wrong, lost


def _figures(promotion: Promotion, evidence: Evidence) -> dict[str, int]:
    return {
        "taps on Create": sum(customer.bought for customer in promotion.customers),
        "jobs bought": len(evidence.jobs),
        "jobs done": sum(job.status == "done" for job in evidence.jobs),
        "jobs failed and refunded": sum(job.status == "failed" for job in evidence.jobs),
        "tasks at Kie": len(evidence.orders),
        "callbacks answered 200": len(evidence.answered_200),
        "updates handled": len(evidence.lanes),
    }


@asynccontextmanager
async def _pool(pair: Pair) -> AsyncIterator[Pool]:
    pool = await connect_pool(pair.replica.dsn, name="lab", size=2, bot_id=BotId(int(TOKEN.partition(":")[0])))
    try:
        yield pool
    finally:
        await pool.close()
