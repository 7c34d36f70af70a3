"""A broadcast while its instances are killed again and again: nobody gets it twice, and what is unknown was in flight."""

import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from photomat.broadcasts.broadcast import Broadcast, BroadcastCounts, BroadcastState, counts_of
from photomat.broadcasts.content import BroadcastContent
from photomat.db.pool import Pool
from photomat_sandbox.telegram.people import ChatPerson
from support.broadcasts import HELLO, a_started_broadcast, found
from support.database import pool_of
from support.patience import until, until_found
from support.system import System, running_system

FAST: Final = {"TELEGRAM_CALLS_PER_S": "1000"}
IN_HAND: Final = 4
"""How many messages an instance has in hand at once."""
KILLS: Final = 6
FLYING: Final = "SELECT count(*) FROM broadcast_sends WHERE left_by LIKE $1 AND left_at IS NOT NULL AND outcome IS NULL"
LIMIT_S: Final = 1500.0
CUSTOMERS: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """Everyone a broadcast is for: some have blocked the bot, of some of those we know it."""

    people: list[ChatPerson]
    blocked: set[int]
    known: set[int]

    @property
    def reachable(self) -> set[int]:
        return {each.user_id for each in self.people} - self.blocked - self.known


@pytest.mark.parametrize("users", [500, pytest.param(10_000, marks=pytest.mark.prove)])
@pytest.mark.time_limit(LIMIT_S)
async def test_killed_again_and_again_a_broadcast_reaches_everyone_once(
    database: str, tmp_path: Path, users: int
) -> None:
    async with running_system(database, tmp_path, **FAST) as system, pool_of(database, size=3) as pool:
        crowd = await a_crowd(system, pool, users)
        await system.start()
        await system.start()
        begun = time.monotonic()
        made = await a_started_broadcast(pool)
        in_flight = [await kill_one(system, pool, made, users * nth // (KILLS + 2)) for nth in range(KILLS)]
        done = await until_done(system, pool, made)
        took_s = time.monotonic() - begun
    sys.stdout.write(f"{users} users, {KILLS} kills: {done.counts}, in flight {in_flight}, {took_s:.0f} s\n")
    check(system, crowd, done, most_unknown=sum(in_flight))


async def a_crowd(system: System, pool: Pool, users: int) -> Crowd:
    people = [system.telegram.person() for _ in range(users)]
    blocked = {each.user_id for each in people[::50]}
    known = {each.user_id for each in people[1::100]}
    for each in people:
        each.blocked = each.user_id in blocked | known  # without the update that Telegram sends when it happens
    await pool.execute(
        """
        INSERT INTO users (user_id, first_name, blocked_at)
        SELECT id, 'User', CASE WHEN id = ANY ($2) THEN photomat_now() END FROM unnest($1::bigint[]) AS id
        """,
        [each.user_id for each in people],
        sorted(known),
    )
    return Crowd(people=people, blocked=blocked, known=known)


async def kill_one(system: System, pool: Pool, broadcast_id: int, at: int) -> int:
    """Kill the older of two instances once so many messages have ended; give how many it had in flight then."""

    async def has_come_so_far() -> bool | None:
        counts = await counts_of(pool, await found(pool, broadcast_id))
        return True if counts.ended >= at and (counts.flying or not at) else None

    await until_found(has_come_so_far, within_s=LIMIT_S, about=lambda: system.story[-4000:])
    victim = next(each for each in system.instances if each.alive)
    await victim.kill()
    flying = int(await pool.fetchval(FLYING, f"%-{victim.pid}-%"))
    assert flying <= IN_HAND
    await system.start(wait=False)
    return flying


async def until_begun(system: System, pool: Pool, broadcast_id: int) -> None:
    async def has_begun() -> bool | None:
        return (await counts_of(pool, await found(pool, broadcast_id))).sent > 0 or None

    await until_found(has_begun, about=lambda: system.story[-4000:])


async def until_done(system: System, pool: Pool, broadcast_id: int) -> Broadcast:
    async def is_done() -> Broadcast | None:
        one = await found(pool, broadcast_id)
        return one if one.state is BroadcastState.DONE else None

    return await until_found(is_done, within_s=LIMIT_S, about=lambda: system.story[-6000:])


def check(system: System, crowd: Crowd, done: Broadcast, *, most_unknown: int) -> None:
    got = Counter({each.user_id: len(system.telegram.seen(each)) for each in crowd.people})
    counts = done.counts or BroadcastCounts()
    assert max(got.values()) == 1, "somebody got it twice"
    assert {user for user, messages in got.items() if messages} <= crowd.reachable
    assert counts.unknown <= most_unknown
    assert counts.sent <= got.total() <= counts.sent + counts.unknown
    assert counts.blocked <= len(crowd.blocked) <= counts.blocked + counts.unknown
    assert counts.sent + counts.unknown + counts.blocked == counts.recipients == done.recipients
    assert (done.recipients, done.known_blocked) == (len(crowd.people) - len(crowd.known), len(crowd.known))
    assert (counts.refused, counts.waiting, counts.flying) == (0, 0, 0)


async def test_results_are_as_quick_during_a_broadcast_as_without(database: str, tmp_path: Path) -> None:
    """At Telegram's real limit; a customer who waits for a picture does not notice that hundreds are written to."""
    async with running_system(database, tmp_path) as system, pool_of(database, size=3) as pool:
        await system.start()
        await everyone_buys(system)
        alone = await delays(pool)
        await a_crowd(system, pool, 600)
        made = await a_started_broadcast(pool, BroadcastContent(text_ru=HELLO.text_ru))
        await until_begun(system, pool, made)
        await everyone_buys(system)
        counts = await counts_of(pool, await found(pool, made))
        during = (await delays(pool))[len(alone) :]
    sys.stdout.write(f"seconds from a result to its card: alone {alone}, during a broadcast {during}\n")
    assert counts.waiting > 0, "the broadcast was over before the last result"
    assert max(during) < max(*alone, 0.5) + 1.0


async def everyone_buys(system: System) -> None:
    """A few customers, one after the other; each gets a picture."""
    for _ in range(CUSTOMERS):
        customer = system.customer()
        card = await customer.buys()
        await until(lambda at=card, who=customer: _kind(who.message(at)) == "photo", about=lambda: system.story[-4000:])  # type: ignore[misc]  # bound now


def _kind(message: dict[str, Any] | None) -> str:
    return "" if message is None else str(message["kind"])


async def delays(pool: Pool) -> list[float]:
    """How long each result waited to be shown, in the order of purchase."""
    rows = await pool.fetch(
        """
        SELECT extract(epoch FROM delivered_at - settled_at)::float8 AS waited FROM generation_jobs
         WHERE delivered_at IS NOT NULL ORDER BY job_id
        """
    )
    return [round(row["waited"], 2) for row in rows]
