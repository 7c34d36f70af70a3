"""Lying answers of recordInfo and createTask, each followed to the job it was given for.

The product's own steps run in here on a database of their own: claim, ask the lying Kie over HTTP, settle. A job that got into
trouble, or was stopped, names the very answer that did it.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from photomat.kernel.ids import JobId, UserId
from photomat.work.loop import Loop, LoopStep
from photomat_chaos.fuzz import kie as fuzz_kie
from photomat_chaos.fuzz.environment import WELCOME, FuzzEnvironment, buy, join
from photomat_chaos.fuzz.kie import NOTHING, KieAnswer

USERS: Final = 120
FIRST_USER: Final = 7_500_000
WIDTH: Final = 60
ASK_NOW: Final = """
    UPDATE generation_jobs SET due_at = photomat_now(), leased_until = NULL
     WHERE settled_at IS NULL AND stopped_at IS NULL AND status = ANY($1::text[])
       AND (status <> 'running' OR external_task_id IS NOT NULL)"""
ASKING: Final = """
    SELECT count(*) FROM generation_jobs
     WHERE settled_at IS NULL AND stopped_at IS NULL
       AND (status = 'pending' OR status = 'running' AND external_task_id IS NOT NULL)"""
IN_TROUBLE: Final = "SELECT job_id, last_error FROM generation_jobs WHERE troubles > 0 OR stopped_at IS NOT NULL"


@dataclass(slots=True, kw_only=True)
class AnswerFuzzer:
    """Gives numbered answers to jobs and checks the outcome."""

    environment: FuzzEnvironment
    seed: int
    outcomes: Counter[str] = field(default_factory=Counter)
    offences: list[tuple[int, str, bytes]] = field(default_factory=list)
    _given: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    _waiting: list[int] = field(default_factory=list)
    _bought: int = 0
    _users: list[UserId] = field(default_factory=list)

    async def fire(self, numbers: Sequence[int]) -> None:
        self._waiting = list(reversed(numbers))
        self.environment.kie.record, self.environment.kie.create = self._record, self._create
        stalled = 0
        while self._waiting and stalled < 5:  # noqa: PLR2004  no step asks any more, which is a violation
            before = len(self._waiting)
            await self._refill()
            await self._step("submits", ["pending"])
            await self._step("looks", ["running"])
            await self._blame()
            stalled = stalled + 1 if len(self._waiting) == before else 0
        if self._waiting:
            self.offences.append((self._waiting[-1], f"{len(self._waiting)} answers were never asked for", b""))

    async def run_out(self) -> None:
        """Let Kie go silent, so that every job that waits reaches its timeout."""
        self.environment.kie.record = lambda _task_id: NOTHING
        self.environment.kie.create = lambda _job_id: NOTHING
        for name in ("submits", "looks", "looks", "keeps"):
            await self._until_idle(name)
        await self._blame()

    async def _refill(self) -> None:
        pool, bot_id = self.environment.program.pool, self.environment.program.bot_id
        live = await pool.fetchval(ASKING)
        if not self._users:
            self._users = [await join(pool, FIRST_USER + place, WELCOME) for place in range(USERS)]
        while live < WIDTH * 2:
            self._bought += 1
            origin = f"fuzz answers {self.seed} {self._waiting[-1] if self._waiting else 0} {self._bought}"
            live += await buy(pool, bot_id, self._users[self._bought % USERS], origin=origin) is not None

    async def _step(self, name: str, statuses: list[str]) -> None:
        await self.environment.program.pool.execute(ASK_NOW, statuses)
        await Loop(self._wide(name), wake=asyncio.Event()).run_once()

    async def _until_idle(self, name: str) -> None:
        loop = Loop(self._wide(name), wake=asyncio.Event())
        while await loop.run_once():
            pass

    def _wide(self, name: str) -> LoopStep[Any]:
        step = next(step for step in self.environment.program.instance_steps() if step.name == name)
        return LoopStep(name=step.name, claim=step.claim, do=step.do, width=WIDTH)

    def _record(self, task_id: str) -> KieAnswer:
        tail = task_id.removeprefix("task-")
        return self._next(int(tail) if tail.isdecimal() and tail.isascii() else 0, task_id, is_create=False)

    def _create(self, job_id: int) -> KieAnswer:
        return self._next(job_id, f"task-{job_id}", is_create=True)

    def _next(self, job_id: int, task_id: str, *, is_create: bool) -> KieAnswer:
        if not self._waiting:
            return NOTHING
        number = self._waiting.pop()
        chance = random.Random(f"{self.seed}:{number}")  # noqa: S311  repeatable on purpose
        answer = (
            fuzz_kie.create_answer(chance, task_id, self.environment.trap.port)
            if is_create
            else fuzz_kie.record_answer(chance, task_id, self.environment.trap.port)
        )
        self._given[job_id] = (number, answer.body)
        self.outcomes["answer create" if is_create else "answer record"] += 1
        return answer

    async def _blame(self) -> None:
        """Report the last answer of each job that failed internally, once."""
        for row in await self.environment.program.pool.fetch(IN_TROUBLE):
            number, body = self._given.pop(JobId(row["job_id"]), (-1, b""))
            if number >= 0:
                self.offences.append((number, f"an answer got a job into trouble: {row['last_error']}", body))
