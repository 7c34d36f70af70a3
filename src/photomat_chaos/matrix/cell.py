"""One cell of the matrix: a customer buys, the instance is struck at a failpoint, and the job must still end well.

    kill   it dies there; a fresh instance goes on
    stop   it freezes there; a second instance goes on, every lease runs out; then the first wakes up beside it
    cut    every connection of it is dropped there; it must recover on its own

A job can go six ways (`WAYS`). Leases are counted by the database's clock, so that is moved on instead of waiting, and the
session that holds the ACTIVE lock of a frozen process is ended at once, as PostgreSQL does after a while.
"""

import asyncio
import random
import re
import signal
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Literal

from photomat.db.pool import Connection
from photomat_chaos.lab import history, rest
from photomat_chaos.lab.arena import Arena, until, until_true
from photomat_chaos.lab.customers import ChatCustomer
from photomat_chaos.lab.processes import Instance
from photomat_chaos.storm.faults import VendorFault
from photomat_sandbox.faults import FOR_EVER

PLAIN: Final = ("кот-космонавт",)
QUICK_POLLS: Final = "0.2"
RARE_POLLS: Final = "20"
POLLS_WITH_THE_CALLBACK: Final = "0.8"
LATE_S: Final = 1.5
"""Past the poll that finds the result, and past its delivery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way a job can go; `callbacks` is how many Kie sends for it, `poll_first_s` when the first poll is due."""

    poll_first_s: str
    callbacks: int = 1
    faults: tuple[VendorFault, ...] = ()
    prompts: tuple[str, ...] = PLAIN

    def prepare(self, arena: Arena) -> None:
        for fault in self.faults:
            arena.faults.arm(
                world=fault.world,
                method=fault.method,
                action=fault.action,
                times=fault.times,
                delay_s=fault.delay_s,
            )


WAYS: Final[Mapping[str, Way]] = {
    "callback first": Way(poll_first_s=RARE_POLLS),
    "poll first": Way(
        poll_first_s=QUICK_POLLS,
        callbacks=0,
        faults=(VendorFault(world="kie", method="callback", action="never", times=FOR_EVER),),
    ),
    "both at once": Way(
        poll_first_s=POLLS_WITH_THE_CALLBACK,
        callbacks=2,
        faults=(VendorFault(world="kie", method="callback", action="duplicate", times=9),),
    ),
    "late callback": Way(
        poll_first_s=QUICK_POLLS,
        faults=(VendorFault(world="kie", method="callback", action="delay", delay_s=LATE_S, times=9),),
    ),
    "lost create answer": Way(
        poll_first_s=QUICK_POLLS, faults=(VendorFault(world="kie", method="createTask", action="drop_after"),)
    ),
    "failed task": Way(poll_first_s=QUICK_POLLS, prompts=("маяк [fail]",)),
}


Action = Literal["kill", "stop", "cut"]
ACTIONS: Final[Mapping[Action, str]] = {
    "kill": "killed with SIGKILL",
    "stop": "frozen past every lease, then woken",
    "cut": "every connection dropped",
}
STRIKE_LIMIT_S: Final = 60.0
READY_LIMIT_S: Final = 20.0
PAST_THE_LEASES_S: Final = 4.0
"""More than any lease in the arena."""

REST_STEP_S: Final = 3.0
HELD_S: Final = 2.5
"""So long the second may work alone; it cannot come through while the frozen one is inside a transaction."""

AFTERMATH_S: Final = 0.5
"""A ring is recorded before it is sent: what is through in the books may still have a last call to make."""

BESIDE_S: Final = 1.0
"""So long the woken one runs on beside the second, at least."""

TAPS_ONCE: Final = "no blow"
"""A seed whose customer does not tap twice, so that the last tap is the one that buys."""

PASSED: Final = re.compile(r"\[FAILPOINT\].* name=(\S+)")
RUNG: Final = "SELECT EXISTS (SELECT FROM generation_jobs WHERE rung_at IS NOT NULL)"
END_THE_ACTIVE_LOCK: Final = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'photomat active lock'"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    action: Action
    failpoint: str
    way: str

    @property
    def name(self) -> str:
        return f"{self.action}-{self.failpoint}-{self.way}".replace(" ", "-")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The outcome of one cell; `struck` says whether the process reached the failpoint, `nth` at which pass."""

    place: Place
    struck: bool
    nth: int = 0
    broken: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def sign(self) -> str:
        """For the table: ✓ survived, · never passed, ✗ broken."""
        return "✗" if self.broken else "✓" if self.struck else "·"


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchedPurchase:
    """One customer's purchase in an arena of its own, observed over a connection of the lab."""

    arena: Arena
    way: Way
    connection: Connection

    async def is_through(self) -> bool:
        """Whether a job was bought and has ended, and all callbacks of Kie have arrived."""
        self.arena.harvest()
        if self.arena.notes.counts["kie", "callback"] < self.way.callbacks:
            return False
        return bool(await self.connection.fetchval(RUNG)) and not await self.connection.fetchval(rest.BUSY)

    async def buy(self, *, seed: str) -> None:
        """Let a customer buy once."""
        person = self.arena.telegram.add_person(first_name="Анна", started=True)
        chance = random.Random(seed)  # noqa: S311  repeatable on purpose
        customer = ChatCustomer(world=self.arena.telegram, person=person, chance=chance, prompts=self.way.prompts)
        await customer.buy_until(asyncio.Event(), times=1)

    async def until_struck(self, first: Instance) -> bool:
        """Wait for the failpoint; False when the job ended without reaching it."""

        async def struck_or_through() -> bool:
            return _is_struck(first) or await self.is_through()

        if not await until_true(struck_or_through, within_s=STRIKE_LIMIT_S):
            raise TimeoutError("the first instance was neither struck nor came through")
        if not _is_struck(first):
            await asyncio.sleep(AFTERMATH_S)
        return _is_struck(first)

    async def go_on(self, first: Instance, action: Action) -> None:
        """Start the instance that takes over, if one is to."""
        if action == "cut":
            return
        second = self.arena.start(POLL_FIRST_S=self.way.poll_first_s)
        if action == "stop":
            await self.connection.execute(END_THE_ACTIVE_LOCK)
        await rest.move_clock(self.connection, PAST_THE_LEASES_S)
        if action == "stop":
            await self._beside_the_frozen(first, second)

    async def _beside_the_frozen(self, first: Instance, second: Instance) -> None:
        """The load balancer leaves the frozen instance out, as a health check would, until it runs again."""
        await until(lambda: second.ready, within_s=READY_LIMIT_S, what="the second instance")
        self.arena.balancer.only = second
        await until_true(self.is_through, within_s=HELD_S)
        first.send(signal.SIGCONT)
        self.arena.balancer.only = None
        await asyncio.sleep(BESIDE_S)


@asynccontextmanager
async def purchase(arena: Arena, way: Way) -> AsyncIterator[WatchedPurchase]:
    way.prepare(arena)
    async with arena.sql() as connection:
        yield WatchedPurchase(arena=arena, way=way, connection=connection)


async def play(arena: Arena, place: Place, *, nth: int, seed: int) -> tuple[bool, tuple[str, ...]]:
    """Run one purchase with its failpoint at the n-th pass; return whether it was struck, and what was broken."""
    async with purchase(arena, WAYS[place.way]) as bought:
        first = arena.start(FAILPOINT=f"{place.action}@{place.failpoint}:{nth}", POLL_FIRST_S=bought.way.poll_first_s)
        async with asyncio.TaskGroup() as group:
            group.create_task(bought.buy(seed=f"{seed}:{place.name}"))
            struck = await bought.until_struck(first)
            if struck:
                await bought.go_on(first, place.action)
    arena.faults.clear()
    await rest.come_to_rest(arena, step_s=REST_STEP_S)
    found = history.violations(await rest.evidence_of(arena))
    return struck, tuple(f"{each.check}: {each.sentence}" for each in found)


async def passes_of(arena: Arena, way: Way) -> Counter[str]:
    """How often a purchase passes each failpoint on this way without a fault."""
    async with purchase(arena, way) as bought:
        only = arena.start(FAILPOINT="tell", POLL_FIRST_S=way.poll_first_s)
        await bought.buy(seed=TAPS_ONCE)
        if not await until_true(bought.is_through, within_s=STRIKE_LIMIT_S):
            raise TimeoutError(f"a purchase without any fault did not come through:\n{only.log[-2000:]}")
        await asyncio.sleep(AFTERMATH_S)
    return Counter(PASSED.findall(only.log))


def _is_struck(instance: Instance) -> bool:
    return not instance.alive or instance.stopped or PASSED.search(instance.log) is not None
