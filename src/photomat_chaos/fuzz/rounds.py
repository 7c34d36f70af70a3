"""The fuzz: so many hostile callbacks, webhooks and answers, in rounds; after each round everything must end, and end well.

A case is its seed and its number: 4 of 10 are callbacks, 3 webhooks, 3 answers of Kie. Rounds are written down as they end, so
a run that was stopped goes on after the last one, and a shard takes every n-th.
"""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from photomat import __version__
from photomat.bot.worker import Unreadable
from photomat_chaos.fuzz.answers import AnswerFuzzer
from photomat_chaos.fuzz.endpoints import FIRST_UPDATE, EndpointFuzzer
from photomat_chaos.fuzz.environment import FuzzEnvironment, open_environment
from photomat_chaos.fuzz.verdict import (
    PARKED,
    LogErrors,
    endings,
    jobs_ended,
    lanes_empty,
    let_time_pass,
    memory_mb,
    wrongs_of,
)

ROUND: Final = 5000
MAX_MEMORY_MB: Final = 500
MAX_SAVED_CHARS: Final = 20_000
CALLBACK_PLACES: Final = frozenset({0, 3, 5, 8})
WEBHOOK_PLACES: Final = frozenset({1, 4, 7})
"""Where in each ten numbers the callbacks and the webhooks stand; answers stand at the others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offence:
    """A broken rule; `number` is -1 where no single case can be named."""

    number: int
    sentence: str
    sent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundReport:
    version: str
    seed: int
    size: int
    number: int
    cases: int
    seconds: float
    figures: dict[str, int]
    memory_mb: tuple[int, int]
    offences: tuple[Offence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fire:
    doors: EndpointFuzzer
    answers: AnswerFuzzer
    log: LogErrors


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzPlan:
    """Which cases; `shard` of `shards`, counted from 1."""

    seed: int = 1
    count: int = 200_000
    shard: int = 1
    shards: int = 1
    round_size: int = ROUND

    def rounds(self) -> list[tuple[int, range]]:
        starts = range(0, self.count, self.round_size)
        every = [(place, range(start, min(self.count, start + self.round_size))) for place, start in enumerate(starts)]
        return [one for one in every if one[0] % self.shards == self.shard - 1]


def read_notes(notes: Path, plan: FuzzPlan) -> list[RoundReport]:
    """The reports of an earlier run of these cases by this version."""
    if not notes.exists():
        return []
    lines = [json.loads(line) for line in notes.read_text(encoding="utf-8").splitlines()]
    reports = [_report(line) for line in lines]
    ours = (__version__, plan.seed, plan.round_size)
    return [report for report in reports if (report.version, report.seed, report.size) == ours]


def _report(line: dict[str, Any]) -> RoundReport:
    offences = tuple(Offence(**offence) for offence in line["offences"])
    return RoundReport(**line | {"memory_mb": tuple(line["memory_mb"]), "offences": offences})


async def run(plan: FuzzPlan, folder: Path, *, notes: Path, tell: Callable[[RoundReport], None]) -> list[RoundReport]:
    """Run the rounds that are not in the notes yet."""
    known = {report.number: report for report in read_notes(notes, plan)}
    left = [one for one in plan.rounds() if one[0] not in known]
    for report in (known[number] for number, _ in plan.rounds() if number in known):
        tell(report)
    if left:
        async with open_environment(folder) as environment:
            fire = _Fire(
                doors=EndpointFuzzer(environment=environment, seed=plan.seed),
                answers=AnswerFuzzer(environment=environment, seed=plan.seed),
                log=LogErrors(environment.instances),
            )
            for number, cases in left:
                known[number] = await _round(plan, number, cases, fire)
                _note(notes, known[number])
                tell(known[number])
    return [known[number] for number, _ in plan.rounds()]


def _note(notes: Path, report: RoundReport) -> None:
    with notes.open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(report), ensure_ascii=False) + "\n")


async def _round(plan: FuzzPlan, number: int, cases: range, fire: _Fire) -> RoundReport:
    environment, doors, answers, began = fire.doors.environment, fire.doors, fire.answers, time.monotonic()
    stood = await _endings(environment)
    for counter in (doors.statuses, answers.outcomes):
        counter.clear()
    for offences_before in (doors.offences, answers.offences):
        offences_before.clear()
    this = await doors.prepare(number)
    async with asyncio.TaskGroup() as group:
        group.create_task(doors.fire(this, _at(cases, CALLBACK_PLACES), _at(cases, WEBHOOK_PLACES)))
        group.create_task(answers.fire([case for case in cases if case % 10 not in CALLBACK_PLACES | WEBHOOK_PLACES]))
    offences = [
        Offence(number=-1, sentence=sentence, sent="") for sentence in await _bring_to_an_end(environment, answers)
    ]
    offences += [_offence(*each) for each in (*doors.offences, *answers.offences)]
    parked, parked_offences = await _parked(environment, cases)
    offences += parked_offences
    offences += [Offence(number=-1, sentence=f"{times} × {what}", sent="") for what, times in fire.log.new().items()]
    return RoundReport(
        version=__version__,
        seed=plan.seed,
        size=plan.round_size,
        number=number,
        cases=len(cases),
        seconds=round(time.monotonic() - began, 1),
        figures=dict(
            doors.statuses
            + answers.outcomes
            + Counter({"updates refused as unreadable": parked})
            + (await _endings(environment) - stood)
        ),
        memory_mb=_memory(environment),
        offences=tuple(offences),
    )


async def _endings(environment: FuzzEnvironment) -> Counter[str]:
    return await endings(environment.open_pool, "processes'") + await endings(environment.program.pool, "followed")


def _at(cases: range, places: Iterable[int]) -> list[int]:
    wanted = frozenset(places)
    return [case for case in cases if case % 10 in wanted]


async def _bring_to_an_end(environment: FuzzEnvironment, answers: AnswerFuzzer) -> list[str]:
    """Wait until updates are handled and every job has timed out; return what is wrong then."""
    found = [] if await lanes_empty(environment.open_pool) else ["a lane is stuck"]
    for pool in (environment.open_pool, environment.program.pool):
        await let_time_pass(pool)
    await answers.run_out()
    found += [] if await jobs_ended(environment.open_pool) else ["a job of the processes is stuck"]
    found += [] if await jobs_ended(environment.program.pool) else ["a job is stuck"]
    found += await wrongs_of(environment.open_pool, "open") + await wrongs_of(environment.program.pool, "own")
    found += [f"a result was fetched from a forbidden address: {said!r}" for said in environment.trap.sprung]
    environment.trap.sprung.clear()
    found += [f"{each.url} has ended" for each in environment.instances if not each.alive]
    most = _memory(environment)[0]
    return found if most <= MAX_MEMORY_MB else [*found, f"a process holds {most} MB"]


async def _parked(environment: FuzzEnvironment, cases: range) -> tuple[int, list[Offence]]:
    """Count the unreadable updates that were parked; parking a readable one is an offence."""
    rows = await environment.open_pool.fetch(PARKED)
    own = [row for row in rows if row["update_id"] - FIRST_UPDATE in cases]
    bad = [row for row in own if not row["error"].startswith(Unreadable.__name__)]
    sentences = [
        Offence(
            number=row["update_id"] - FIRST_UPDATE,
            sentence=f"an update was parked: {row['error']}",
            sent=json.dumps(row["body"])[:MAX_SAVED_CHARS],
        )
        for row in bad
    ]
    return len(own) - len(bad), sentences


def _offence(number: int, sentence: str, sent: bytes) -> Offence:
    return Offence(number=number, sentence=sentence, sent=sent.decode("latin-1")[:MAX_SAVED_CHARS])


def _memory(environment: FuzzEnvironment) -> tuple[int, int]:
    found = [memory_mb(each) for each in environment.instances if each.alive]
    return max((now for now, _ in found), default=0), max((most for _, most in found), default=0)


def offences_of(reports: Sequence[RoundReport]) -> list[Offence]:
    return [offence for report in reports for offence in report.offences]


def figures_of(reports: Sequence[RoundReport]) -> Counter[str]:
    total: Counter[str] = Counter()
    for report in reports:
        total.update(report.figures)
    return total
