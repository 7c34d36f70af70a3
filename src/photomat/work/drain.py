"""Draining one instance: it claims nothing more and finishes what it holds; the process goes on and answers HTTP.

The wish is a column of the instance's row, read with each heartbeat. A drained instance claims again when the wish is
withdrawn; a restarted one is another instance and never drained.
"""

import asyncio
from dataclasses import replace
from typing import TypeVar

from photomat.work.loop import LoopStep

Item = TypeVar("Item")


class DrainState:
    """Whether this instance is to claim nothing, and how much its loops hold."""

    def __init__(self) -> None:
        self._wanted = asyncio.Event()
        self._held = 0

    @property
    def wanted(self) -> bool:
        return self._wanted.is_set()

    @property
    def is_idle(self) -> bool:
        return self._held == 0

    def set(self, *, wanted: bool) -> None:
        if wanted:
            self._wanted.set()
        else:
            self._wanted.clear()

    def guarded(self, step: LoopStep[Item]) -> LoopStep[Item]:
        """The step, claiming nothing while draining; its claims and its work are counted."""

        async def claim(limit: int) -> list[Item]:
            if self.wanted:
                return []
            self._held += 1
            try:
                claimed = await step.claim(limit)
                self._held += len(claimed)
            finally:
                self._held -= 1
            return claimed

        async def do(item: Item) -> None:
            try:
                await step.do(item)
            finally:
                self._held -= 1

        return replace(step, claim=claim, do=do)
