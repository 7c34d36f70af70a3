"""What each blow does to the arena. A blow that finds nobody to meet passes by; whatever lasts is ended by its own task."""

import asyncio
import signal
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

import asyncpg

from photomat.kernel.errors import Startup
from photomat_chaos.storm.fleet import Fleet, Member
from photomat_chaos.storm.post import Post
from photomat_chaos.storm.weather import Blow, Kind, Trouble

CLOCK_JUMPS_S: Final = (-6 * 3600.0, -3600.0, 3600.0, 6 * 3600.0)
LATENCY_S: Final = 0.15
RESTART_REST_S: Final = 3.0
"""Between two restarts of PostgreSQL, so that something happens in between."""


@dataclass(slots=True, kw_only=True)
class Strikes:
    """Carries out the blows of a storm; `group` owns what lasts longer than a blow."""

    fleet: Fleet
    post: Post
    group: asyncio.TaskGroup
    _restarting: bool = False

    async def strike(self, blow: Blow) -> None:
        """Do it."""
        if blow.trouble is not None:
            self._arm(blow.trouble)
        elif blow.kind in AT_LARGE:
            await AT_LARGE[blow.kind](self, blow)
        elif standing := self.fleet.standing():
            await MEETING[blow.kind](self, blow, standing[int(blow.pick * len(standing))])

    def _arm(self, trouble: Trouble) -> None:
        self.fleet.arena.faults.arm(
            world=trouble.world,
            method=trouble.method,
            action=trouble.action,
            times=trouble.times,
            delay_s=trouble.delay_s,
            status=trouble.status,
            html=trouble.action == "error" and trouble.method != "callback",
        )
        self._count("faults armed")

    async def terminate(self, blow: Blow) -> None:
        """End one session at the server, whichever it is."""
        try:
            async with self.fleet.arena.sql() as connection:
                rows = await connection.fetch(
                    "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
                    " ORDER BY pid"
                )
                if rows:
                    pid = rows[int(blow.pick * len(rows))]["pid"]
                    ended = await connection.fetchval("SELECT pg_terminate_backend($1)", pid)
                    self._count("database sessions terminated", int(ended))
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, Startup):
            return

    async def restart(self, _blow: Blow) -> None:
        """PostgreSQL dies and comes back."""
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

    async def burst(self, blow: Blow) -> None:
        """One callback fifty times."""
        self.group.create_task(self.post.burst(blow.pick))

    async def forge(self, blow: Blow) -> None:
        """One callback Kie never sent."""
        self.group.create_task(self.post.forge(blow.pick, blow.how))

    async def kill(self, _blow: Blow, member: Member) -> None:
        """It is gone at once; its host starts another."""
        await asyncio.to_thread(member.instance.end)
        self._count("instances killed")

    async def freeze(self, blow: Blow, member: Member) -> None:
        """It stands still for a while, and does not know it when it goes on."""
        member.instance.send(signal.SIGSTOP)
        self._count("instances frozen")
        self.group.create_task(_later(blow.for_s, lambda: member.instance.send(signal.SIGCONT)))

    async def deploy(self, _blow: Blow, member: Member) -> None:
        """It is replaced in order."""
        self.group.create_task(self.fleet.deploy(member))

    async def clock(self, blow: Blow, member: Member) -> None:
        """Its wall clock jumps by hours, and back after a while."""
        if member.set_clock(CLOCK_JUMPS_S[int(blow.how * len(CLOCK_JUMPS_S))]):
            self._count("clock jumps")
            self.group.create_task(_later(blow.for_s, lambda: member.set_clock(0.0)))

    async def order(self, blow: Blow, member: Member) -> None:
        """Its proxy does it at the next chance."""
        if blow.kind in {"forget_commit", "lose_commit", "forget_answer"}:
            member.proxy.order(blow.kind)

    async def latency(self, blow: Blow, member: Member) -> None:
        """Its database is far away for a while."""
        member.proxy.latency_s = LATENCY_S
        self._count("spells of latency")

        def end() -> None:
            member.proxy.latency_s = 0.0

        self.group.create_task(_later(blow.for_s, end))

    async def sever(self, _blow: Blow, member: Member) -> None:
        """All its connections end."""
        self._count("connections cut", member.proxy.cut())

    async def black_hole(self, blow: Blow, member: Member) -> None:
        """Nothing passes for a while, and nobody is told."""
        self._count("black holes")
        self.group.create_task(member.proxy.black_hole(blow.for_s))

    def _count(self, what: str, times: int = 1) -> None:
        self.fleet.done[what] += times


async def _later(seconds: float, act: Callable[[], object]) -> None:
    await asyncio.sleep(seconds)
    act()


AT_LARGE: Final[Mapping[Kind, Callable[[Strikes, Blow], Awaitable[None]]]] = {
    "terminate": Strikes.terminate,
    "restart": Strikes.restart,
    "burst": Strikes.burst,
    "forge": Strikes.forge,
}
MEETING: Final[Mapping[Kind, Callable[[Strikes, Blow, Member], Awaitable[None]]]] = {
    "kill": Strikes.kill,
    "freeze": Strikes.freeze,
    "deploy": Strikes.deploy,
    "clock": Strikes.clock,
    "forget_commit": Strikes.order,
    "lose_commit": Strikes.order,
    "forget_answer": Strikes.order,
    "latency": Strikes.latency,
    "sever": Strikes.sever,
    "black_hole": Strikes.black_hole,
}
