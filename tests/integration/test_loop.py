"""Loops claim what they can start, survive trouble, drain when told to stop; the pulse wakes whoever has work."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from photomat.app.flow import DUE
from photomat.operators.settings import VALUES_BY_NAME
from photomat.work import due_poller, duties
from photomat.work.due_poller import DuePoller, Wakes, WatchedValue
from photomat.work.duties import every, first_of, run_while_active, until_it_works
from photomat.work.loop import Loop, LoopStep
from support.database import pool_of, shift_clock
from support.jobs import a_done_job, a_running_job, a_user
from support.logs import logged
from support.telegram_sim import until


@dataclass(slots=True, kw_only=True)
class Work:
    """Items to be claimed, and what became of them; `gate` holds the work up while it is cleared."""

    due: list[int] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)
    done: list[int] = field(default_factory=list)
    most_at_once: int = 0
    claim_fails: int = 0
    bad: frozenset[int] = frozenset()
    gate: asyncio.Event = field(default_factory=asyncio.Event)

    async def claim(self, limit: int) -> list[int]:
        self.asked.append(limit)
        if self.claim_fails:
            self.claim_fails -= 1
            raise OSError("the database is gone")
        claimed, self.due = self.due[:limit], self.due[limit:]
        return claimed

    async def do(self, item: int) -> None:
        self.begun.append(item)
        self.most_at_once = max(self.most_at_once, len(self.begun) - len(self.done))
        await self.gate.wait()
        self.done.append(item)
        if item in self.bad:
            raise ValueError(f"item {item} is bad")


@asynccontextmanager
async def looping(work: Work, *, width: int) -> AsyncIterator[tuple[asyncio.Event, asyncio.Event]]:
    """Run a loop over the work; gives its wake-up and its stop, and stops it at the end."""
    wake, stop = asyncio.Event(), asyncio.Event()
    loop = Loop(LoopStep(name="test", claim=work.claim, do=work.do, width=width), wake=wake)
    async with asyncio.TaskGroup() as group:
        group.create_task(loop.run(stop))
        try:
            yield wake, stop
        finally:
            work.gate.set()
            stop.set()


async def test_a_loop_that_is_stopped_while_it_rests_claims_nothing_more_and_ends() -> None:
    claims, wake, stop = list[int](), asyncio.Event(), asyncio.Event()

    async def claim(_limit: int) -> list[int]:
        await asyncio.sleep(0.02)
        claims.append(1)
        wake.set()
        return []

    loop = Loop(LoopStep(name="test", claim=claim, do=Work().do, width=1), wake=wake)
    async with asyncio.timeout(20), asyncio.TaskGroup() as group:
        group.create_task(loop.run(stop))
        await until(lambda: len(claims) == 1)
        stop.set()
    assert len(claims) == 1


async def test_between_claims_a_loop_rests_as_long_as_they_take_so_that_more_is_claimed_at_once() -> None:
    clock, claims = asyncio.get_running_loop().time, list[tuple[float, float]]()
    wake, stop = asyncio.Event(), asyncio.Event()

    async def claim(_limit: int) -> list[int]:
        began = clock()
        await asyncio.sleep(0.02)
        claims.append((began, clock()))
        wake.set()
        return []

    loop = Loop(LoopStep(name="test", claim=claim, do=Work().do, width=1), wake=wake)
    async with asyncio.TaskGroup() as group:
        group.create_task(loop.run(stop))
        await until(lambda: len(claims) >= 4)
        stop.set()
    rests = [later[0] - earlier[1] for earlier, later in pairwise(claims[:4])]
    assert min(rests) >= 0.02


async def test_a_loop_claims_no_more_than_it_can_start() -> None:
    work = Work(due=list(range(10)))
    async with looping(work, width=3):
        await until(lambda: len(work.begun) == 3)
        assert len(work.due) == 7, "a claim that waits in memory is a lease running out"
        work.gate.set()
        await until(lambda: len(work.done) == 10)
    assert work.most_at_once == 3
    assert max(work.asked) == 3
    assert 0 not in work.asked


async def test_a_place_that_becomes_free_is_filled_at_once() -> None:
    work = Work(due=[1, 2])
    async with looping(work, width=1):
        await until(lambda: work.begun == [1])
        work.gate.set()
        await until(lambda: work.done == [1, 2])


async def test_a_wake_up_starts_the_next_claim_and_one_that_came_early_is_not_lost() -> None:
    work = Work()
    work.gate.set()
    async with looping(work, width=2) as (wake, _):
        await until(lambda: work.asked == [2])
        work.due.append(1)
        wake.set()
        await until(lambda: work.done == [1])


async def test_a_stop_claims_nothing_more_and_finishes_what_is_held() -> None:
    work = Work(due=[1, 2, 3, 4])
    async with looping(work, width=2) as (_, stop):
        await until(lambda: len(work.begun) == 2)
        stop.set()
        await asyncio.sleep(0)
        work.gate.set()
    assert sorted(work.done) == [1, 2]
    assert work.due == [3, 4]


async def test_a_bad_item_ends_neither_its_neighbours_nor_the_loop() -> None:
    work = Work(due=[1, 2, 3], bad=frozenset({2}))
    work.gate.set()
    with logged() as lines:
        async with looping(work, width=1) as (wake, _):
            await until(lambda: len(work.done) == 3)
            work.due.append(4)
            wake.set()
            await until(lambda: work.done[-1] == 4)
    (error,) = [line for line in lines if line["event"] == "STEP_ERROR"]
    assert error["step"] == "test"
    assert error["error"].startswith("ValueError at "), "type and line; the message might quote somebody"


async def test_a_loop_outlives_a_claim_that_fails() -> None:
    work = Work(due=[1], claim_fails=1)
    work.gate.set()
    with logged() as lines:
        async with looping(work, width=1):
            await until(lambda: work.done == [1])
    assert [line["loop"] for line in lines if line["event"] == "LOOP_ERROR"] == ["test"]


async def test_run_once_does_what_is_due_and_says_how_many() -> None:
    work = Work(due=[1, 2, 3])
    work.gate.set()
    loop = Loop(LoopStep(name="test", claim=work.claim, do=work.do, width=2), wake=asyncio.Event())
    assert [await loop.run_once() for _ in range(3)] == [2, 1, 0]


# Pulse


async def test_one_question_wakes_those_who_have_work_and_nobody_else(database: str) -> None:
    async with pool_of(database) as pool:
        wakes = Wakes(DUE)
        poll = DuePoller(pool, wakes, DUE).poll_once

        async def woken() -> set[str]:
            for name in wakes.names():
                wakes.event(name).clear()
            await poll()
            return {name for name in wakes.names() if wakes.event(name).is_set()}

        assert await woken() == set()
        user = await a_user(pool)
        running = await a_running_job(pool, user)
        assert await woken() == {"deliveries"}
        await pool.execute("UPDATE generation_jobs SET card_shown = card_wanted WHERE job_id = $1", running)
        assert await woken() == set()
        await shift_clock(pool, 3)
        assert await woken() == {"looks"}
        await a_done_job(pool, user)
        await pool.execute("UPDATE generation_jobs SET ring_due_at = photomat_now(), due_at = NULL")
        assert await woken() == {"deliveries", "rings"}


async def test_other_values_are_read_with_the_same_question(database: str) -> None:
    async with pool_of(database) as pool:
        told: list[Any] = []
        await pool.execute("INSERT INTO setting_values (name, value, operator) VALUES ('MARKUP', '3', 'anna')")
        watched = {
            "settings": WatchedValue(select=VALUES_BY_NAME, tell=told.append),
            "nothing": WatchedValue(select="SELECT 1 WHERE false", tell=told.append),
        }
        await DuePoller(pool, Wakes(DUE), DUE, watched=watched).poll_once()
        assert told == [{"MARKUP": "3"}, None]


async def test_the_pulse_beats_on_through_trouble_and_says_it_once(database: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(due_poller, "EVERY_S", 0.01)
    async with pool_of(database) as pool, asyncio.TaskGroup() as group:
        wakes, stop = Wakes(["a"]), asyncio.Event()
        with logged() as lines:
            await pool.execute("CREATE TABLE work_due (n int)")
            await pool.execute("ALTER TABLE work_due RENAME TO gone")
            group.create_task(DuePoller(pool, wakes, {"a": "SELECT 1 FROM work_due"}).run(stop))
            await until(lambda: lines)
            await pool.execute("ALTER TABLE gone RENAME TO work_due")
            await pool.execute("INSERT INTO work_due VALUES (1)")
            await until(lambda: wakes.event("a").is_set())
            stop.set()
        assert [line["event"] for line in lines] == ["DATABASE_DOWN", "DATABASE_BACK"]


async def test_a_wake_up_reaches_this_process_and_the_others() -> None:
    wakes = Wakes(["looks", "rings"])
    told: list[str] = []
    wakes.notify_others = told.append
    wakes.everywhere("looks")
    wakes.here("rings", "nobody")
    assert (told, wakes.event("looks").is_set(), wakes.event("rings").is_set()) == (["looks"], True, True)


# Duties


async def test_a_duty_is_done_again_after_trouble() -> None:
    passes: list[int] = []

    async def do() -> None:
        passes.append(1)
        if len(passes) == 1:
            raise OSError("once")

    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        with logged() as lines:
            group.create_task(_run(every(0.001, "orphans", do), stop))
            await until(lambda: len(passes) >= 3)
            stop.set()
    assert [line["duty"] for line in lines if line["event"] == "DUTY_ERROR"] == ["orphans"]


async def test_a_duty_done_once_is_tried_until_it_works(monkeypatch: Any) -> None:
    monkeypatch.setattr(duties, "RESTART_MOST_S", 0.001)
    passes: list[int] = []

    async def do() -> None:
        passes.append(1)
        if len(passes) < 3:
            raise OSError("not yet")

    await until_it_works("webhook", do)(asyncio.Event())
    assert len(passes) == 3


async def test_duties_run_while_active_and_end_when_it_is_over() -> None:
    passive, stop = asyncio.Event(), asyncio.Event()
    seen: list[str] = []

    async def patient(over: asyncio.Event) -> None:
        seen.append("begun")
        await over.wait()
        seen.append("ended")

    async def stubborn(_over: asyncio.Event) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            seen.append("let go")

    async with asyncio.TaskGroup() as group:
        group.create_task(_run_duties([patient, stubborn], passive, stop))
        await until(lambda: "begun" in seen)
        passive.set()
    assert seen == ["begun", "ended", "let go"]


async def _run_duties(all_duties: list[Any], passive: asyncio.Event, stop: asyncio.Event) -> None:
    await run_while_active(all_duties, passive=passive.wait, stop=stop, drain_s=0.05)


async def _run(duty: duties.Duty, stop: asyncio.Event) -> None:
    await duty(stop)


async def test_the_first_of_several_waits_lets_the_others_go() -> None:
    now, never = asyncio.Event(), asyncio.Event()
    now.set()
    async with asyncio.timeout(120):
        await first_of(now.wait, never.wait)
