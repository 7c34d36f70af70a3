"""The instances of a storm, each with its own database proxy and clock, kept at their number as a host would.

An instance that ends is replaced. With an old version one of the first runs it, and deploys alternate between both versions.
"""

import asyncio
import signal
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from photomat_chaos.lab.arena import Arena, until
from photomat_chaos.lab.processes import RUNNING, Instance
from photomat_chaos.lab.proxy import Proxy, open_proxy

LOOK_EVERY_S: Final = 0.25
START_LIMIT_S: Final = 120.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Member:
    """One instance with its proxy; `clock` is the file with the error of its wall clock."""

    instance: Instance
    proxy: Proxy
    clock: Path | None
    closing: AsyncExitStack

    @property
    def stands(self) -> bool:
        return self.instance.ready and not self.instance.frozen

    def set_clock(self, seconds: float) -> bool:
        """Set the clock's error; False where the version does not support it."""
        if self.clock is None:
            return False
        draft = self.clock.with_suffix(".draft")
        draft.write_text(str(seconds), encoding="ascii")
        draft.replace(self.clock)
        return True


@dataclass(slots=True, kw_only=True)
class Fleet:
    """The running instances. `old` is the folder of another version's package."""

    arena: Arena
    size: int
    old: Path | None
    over: asyncio.Event
    done: Counter[str]
    members: list[Member] = field(default_factory=list)
    _deploys_old: bool = True
    _deploying: bool = False
    _born: int = 0

    async def set_out(self) -> None:
        """Start them all and wait until they are ready."""
        for number in range(self.size):
            await self.launch(old=number == 1)
        await until(lambda: len(self.standing()) == self.size, within_s=START_LIMIT_S, what="the instances to start")

    async def launch(self, *, old: bool = False) -> Member:
        self._born += 1
        program = self.old if old else None
        clock = None if program else self.arena.folder / f"clock-{self._born}"
        closing = AsyncExitStack()
        proxy = await closing.enter_async_context(open_proxy(self.arena.dsn))
        addresses = {"DATABASE_URL": proxy.dsn, "DIRECT_DATABASE_URL": proxy.dsn}
        instance = self.arena.launch(addresses, program=program, clock=clock)
        member = Member(instance=instance, proxy=proxy, clock=clock, closing=closing)
        self.members.append(member)
        self.done["instances started"] += 1
        self.done["of them of the old version"] += program is not None
        return member

    async def deploy(self, leaving: Member) -> None:
        """Replace one in order, by the other version where there is one: first the new one works, then the old one goes.

        One deploy at a time; whatever comes meanwhile passes by.
        """
        if self._deploying:
            return
        self._deploying = True
        try:
            old = self._deploys_old and self.old is not None
            self._deploys_old = not self._deploys_old
            newcomer = (await self.launch(old=old)).instance
            await until(
                lambda: newcomer.ready or not newcomer.alive or self.over.is_set(),
                within_s=START_LIMIT_S,
                what="a deploy",
            )
            leaving.instance.send(signal.SIGTERM)
            self.done[f"deploys of the {'old' if old else 'new'} version"] += 1
        finally:
            self._deploying = False

    def standing(self) -> list[Member]:
        return [member for member in self.members if member.stands]

    async def keep_up(self) -> None:
        """Replace instances that have ended, until the storm is over."""
        while not self.over.is_set():
            await self.bury()
            while len(self.members) < self.size:
                await self.launch()
            await asyncio.sleep(LOOK_EVERY_S)

    async def bury(self) -> None:
        """Forget instances that have ended, and close their proxies."""
        for member in [member for member in self.members if not member.instance.alive]:
            self.members.remove(member)
            if RUNNING not in member.instance.log:
                self.done["instances that gave up at their start"] += 1
            await self._close(member)

    async def end(self) -> None:
        await self.arena.end_all()
        for member in self.members:
            await self._close(member)
        self.members.clear()

    async def _close(self, member: Member) -> None:
        self.done.update({f"proxy: {what}": count for what, count in member.proxy.struck.items()})
        await member.closing.aclose()
