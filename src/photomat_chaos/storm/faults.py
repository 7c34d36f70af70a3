"""The faults of a storm: what strikes and when, decided by the seed alone, and how each is carried out.

The same seed plans the same faults; how real processes react does not repeat. A fault that finds no instance running is
skipped; one that lasts is ended by a task of its own.
"""

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import asyncpg

from photomat.kernel.errors import Startup
from photomat_chaos.lab.callbacks import CallbackInjector
from photomat_chaos.storm.fleet import Fleet, Member
from photomat_sandbox.faults import Action
from photomat_sandbox.transcript import World

Kind = Literal[
    "kill",
    "freeze",
    "deploy",
    "clock",
    "terminate",
    "restart",
    "forget_commit",
    "lose_commit",
    "forget_answer",
    "lose_statement",
    "latency",
    "sever",
    "black_hole",
    "burst",
    "forge",
    "fault",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorFault:
    """A fault of a simulator; `times` in a row."""

    world: World
    method: str
    action: Action
    times: int = 1
    delay_s: float = 0.0
    status: int = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Disruption:
    """One thing that happens `after_s` after the one before.

    `pick` chooses whom it meets, `how` which of several ways, `for_s` how long it lasts.
    """

    after_s: float
    kind: Kind
    pick: float
    how: float
    for_s: float
    vendor_fault: VendorFault | None


KINDS: Final[tuple[tuple[Kind, int], ...]] = (
    ("kill", 3),
    ("freeze", 3),
    ("deploy", 4),
    ("clock", 3),
    ("terminate", 3),
    ("restart", 1),
    ("forget_commit", 6),
    ("lose_commit", 3),
    ("forget_answer", 6),
    ("lose_statement", 3),
    ("latency", 2),
    ("sever", 2),
    ("black_hole", 1),
    ("burst", 3),
    ("forge", 4),
    ("fault", 25),
)
"""What can happen, and how often it does beside the rest."""

VENDOR_FAULTS: Final = (
    VendorFault(world="kie", method="createTask", action="drop_after", times=2),
    VendorFault(world="kie", method="createTask", action="drop_after"),
    VendorFault(world="kie", method="createTask", action="drop_before"),
    VendorFault(world="kie", method="createTask", action="error", status=502),
    VendorFault(world="kie", method="createTask", action="too_many"),
    VendorFault(world="kie", method="createTask", action="delay", delay_s=1.5),
    VendorFault(world="kie", method="recordInfo", action="error", status=502),
    VendorFault(world="kie", method="recordInfo", action="too_many", times=2),
    VendorFault(world="kie", method="recordInfo", action="delay", delay_s=2.5),
    VendorFault(world="kie", method="callback", action="duplicate", times=3),
    VendorFault(world="kie", method="callback", action="reorder"),
    VendorFault(world="kie", method="callback", action="drop_after", times=2),
    VendorFault(world="kie", method="callback", action="never", times=2),
    VendorFault(world="kie", method="callback", action="error"),
    VendorFault(world="telegram", method="editMessageMedia", action="drop_after"),
    VendorFault(world="telegram", method="editMessageMedia", action="drop_before"),
    VendorFault(world="telegram", method="editMessageMedia", action="error", status=502),
    VendorFault(world="telegram", method="editMessageMedia", action="too_many"),
    VendorFault(world="telegram", method="editMessageMedia", action="delay", delay_s=2.0),
    VendorFault(world="telegram", method="editMessageText", action="drop_after", times=2),
    VendorFault(world="telegram", method="editMessageText", action="too_many"),
    VendorFault(world="telegram", method="sendMessage.reply", action="drop_after", times=2),
    VendorFault(world="telegram", method="sendMessage.reply", action="drop_after"),
    VendorFault(world="telegram", method="sendMessage.reply", action="drop_before"),
    VendorFault(world="telegram", method="sendMessage", action="drop_after"),
    VendorFault(world="telegram", method="sendMessage", action="error", status=502),
    VendorFault(world="telegram", method="webhook", action="duplicate", times=2),
    VendorFault(world="telegram", method="webhook", action="reorder"),
    VendorFault(world="telegram", method="webhook", action="drop_after", times=2),
)
"""What Telegram and Kie do by themselves on a bad day. A request that takes effect twice is not among them.

A sendMessage that answers a message is a ring. A create that was carried out and never answered is what tempts a program to
order twice, a ring that rang and was never answered to ring twice: both come more often than by chance.
"""

PAUSES_S: Final = (0.2, 1.0)
LASTING_S: Final = (0.5, 6.0)
"""Shorter and longer than the leases of a storm."""


def disruptions(
    seed: int, *, kinds: Sequence[tuple[Kind, int]] = KINDS, vendor_faults: Sequence[VendorFault] = VENDOR_FAULTS
) -> Iterator[Disruption]:
    chance = random.Random(seed)  # noqa: S311  repeatable on purpose
    names, weights = zip(*kinds, strict=True)
    while True:
        kind: Kind = chance.choices(names, weights)[0]
        yield Disruption(
            after_s=chance.uniform(*PAUSES_S),
            kind=kind,
            pick=chance.random(),
            how=chance.random(),
            for_s=chance.uniform(*LASTING_S),
            vendor_fault=chance.choice(vendor_faults) if kind == "fault" else None,
        )


CLOCK_JUMPS_S: Final = (-6 * 3600.0, -3600.0, 3600.0, 6 * 3600.0)
LATENCY_S: Final = 0.15
RESTART_REST_S: Final = 3.0
"""Between two restarts of PostgreSQL, so that something happens in between."""


@dataclass(slots=True, kw_only=True)
class FaultInjector:
    """Carries out the disruptions of a storm; `group` owns the tasks that end lasting ones."""

    fleet: Fleet
    callbacks: CallbackInjector
    group: asyncio.TaskGroup
    _restarting: bool = False

    async def strike(self, disruption: Disruption) -> None:
        if disruption.vendor_fault is not None:
            self._arm(disruption.vendor_fault)
        elif disruption.kind in AT_LARGE:
            await AT_LARGE[disruption.kind](self, disruption)
        elif standing := self.fleet.standing():
            await MEETING[disruption.kind](self, disruption, standing[int(disruption.pick * len(standing))])

    def _arm(self, vendor_fault: VendorFault) -> None:
        self.fleet.arena.faults.arm(
            world=vendor_fault.world,
            method=vendor_fault.method,
            action=vendor_fault.action,
            times=vendor_fault.times,
            delay_s=vendor_fault.delay_s,
            status=vendor_fault.status,
            html=vendor_fault.action == "error" and vendor_fault.method != "callback",
        )
        self._count("faults armed")

    async def terminate(self, disruption: Disruption) -> None:
        try:
            async with self.fleet.arena.sql() as connection:
                rows = await connection.fetch(
                    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                    " ORDER BY pid"
                )
                if rows:
                    pid = rows[int(disruption.pick * len(rows))]["pid"]
                    ended = await connection.fetchval("SELECT pg_terminate_backend($1)", pid)
                    self._count("database sessions terminated", int(ended))
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, Startup):
            return

    async def restart(self, _disruption: Disruption) -> None:
        if not self._restarting:
            self._restarting = True
            self.group.create_task(self._restart())

    async def _restart(self) -> None:
        try:
            await self.fleet.arena.restart_postgres()
            self._count("PostgreSQL restarts")
            await asyncio.sleep(RESTART_REST_S)
        finally:
            self._restarting = False

    async def burst(self, disruption: Disruption) -> None:
        self.group.create_task(self.callbacks.burst(disruption.pick))

    async def forge(self, disruption: Disruption) -> None:
        self.group.create_task(self.callbacks.forge(disruption.pick, disruption.how))

    async def kill(self, _disruption: Disruption, member: Member) -> None:
        await asyncio.to_thread(member.instance.end)
        self._count("instances killed")

    async def freeze(self, disruption: Disruption, member: Member) -> None:
        member.instance.send(signal.SIGSTOP)
        self._count("instances frozen")
        self.group.create_task(_later(disruption.for_s, lambda: member.instance.send(signal.SIGCONT)))

    async def deploy(self, _disruption: Disruption, member: Member) -> None:
        self.group.create_task(self.fleet.deploy(member))

    async def clock(self, disruption: Disruption, member: Member) -> None:
        """Its wall clock jumps by hours, and back after a while."""
        if member.set_clock(CLOCK_JUMPS_S[int(disruption.how * len(CLOCK_JUMPS_S))]):
            self._count("clock jumps")
            self.group.create_task(_later(disruption.for_s, lambda: member.set_clock(0.0)))

    async def order(self, disruption: Disruption, member: Member) -> None:
        if disruption.kind in {"forget_commit", "lose_commit", "forget_answer", "lose_statement"}:
            member.proxy.order(disruption.kind)

    async def latency(self, disruption: Disruption, member: Member) -> None:
        member.proxy.latency_s = LATENCY_S
        self._count("spells of latency")

        def end() -> None:
            member.proxy.latency_s = 0.0

        self.group.create_task(_later(disruption.for_s, end))

    async def sever(self, _disruption: Disruption, member: Member) -> None:
        self._count("connections cut", member.proxy.cut())

    async def black_hole(self, disruption: Disruption, member: Member) -> None:
        """Nothing passes for a while, and no connection is closed."""
        self._count("black holes")
        self.group.create_task(member.proxy.black_hole(disruption.for_s))

    def _count(self, what: str, times: int = 1) -> None:
        self.fleet.done[what] += times


async def _later(seconds: float, act: Callable[[], object]) -> None:
    await asyncio.sleep(seconds)
    act()


AT_LARGE: Final[Mapping[Kind, Callable[[FaultInjector, Disruption], Awaitable[None]]]] = {
    "terminate": FaultInjector.terminate,
    "restart": FaultInjector.restart,
    "burst": FaultInjector.burst,
    "forge": FaultInjector.forge,
}
MEETING: Final[Mapping[Kind, Callable[[FaultInjector, Disruption, Member], Awaitable[None]]]] = {
    "kill": FaultInjector.kill,
    "freeze": FaultInjector.freeze,
    "deploy": FaultInjector.deploy,
    "clock": FaultInjector.clock,
    "forget_commit": FaultInjector.order,
    "lose_commit": FaultInjector.order,
    "forget_answer": FaultInjector.order,
    "lose_statement": FaultInjector.order,
    "latency": FaultInjector.latency,
    "sever": FaultInjector.sever,
    "black_hole": FaultInjector.black_hole,
}
