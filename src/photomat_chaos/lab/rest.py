"""Bring the system to rest after the faults, and collect the evidence.

What waits only for time (a backoff, a timeout, the last edit after two minutes) gets it: the database's clock is moved on.
"""

import asyncio
from dataclasses import replace
from typing import Final

from photomat.db.pool import Connection
from photomat_chaos.lab.arena import Arena, until_true
from photomat_chaos.lab.callbacks import CallbackInjector
from photomat_chaos.lab.evidence import Observations, gather
from photomat_chaos.lab.history import Evidence

LIMIT_S: Final = 90.0
STEP_S: Final = 5.0
SHORT_STEP_S: Final = 2.0
PAST_EVERY_WAIT_S: Final = 400.0
"""More than the give-up time of a job in here, the longest wait of a delivery, and the two minutes before a last edit."""

HOURS_LATE_S: Final = 5 * 3600.0

BUSY: Final = """
    SELECT EXISTS (SELECT FROM generation_jobs
                    WHERE settled_at IS NULL OR ring_due_at IS NOT NULL OR delivering_at IS NOT NULL
                       OR card_shown < card_wanted)
        OR EXISTS (SELECT FROM result_sends WHERE due_at IS NOT NULL)
        OR EXISTS (SELECT FROM lanes WHERE pending > 0)"""

ONLY_LAST_EDITS: Final = """
    SELECT NOT EXISTS (SELECT FROM generation_jobs
                        WHERE settled_at IS NULL OR ring_due_at IS NOT NULL OR delivering_at IS NOT NULL
                           OR card_shown < card_wanted AND deliver_at <= photomat_now() + interval '5 seconds')
        AND NOT EXISTS (SELECT FROM result_sends WHERE due_at <= photomat_now() + interval '5 seconds')
        AND NOT EXISTS (SELECT FROM lanes WHERE pending > 0)"""
"""Whether everything has ended but for cards that are to be rendered again in a while."""


async def bring_to_rest(arena: Arena, *, instances: int = 2, step_s: float = STEP_S) -> int:
    """End every instance, start fresh ones without faults, wait for rest; return how often the clock was moved.

    Where there is no rest within the limit the evidence will say what is missing.
    """
    arena.faults.clear()
    await arena.end_all()
    await arena.start_ready(instances)
    return await come_to_rest(arena, step_s=step_s)


async def come_to_rest(arena: Arena, *, step_s: float = STEP_S) -> int:
    """Wait until nothing is left to do, moving the clock on while something is; return how often."""
    moved = 0
    async with arena.sql() as connection:

        async def waits_for_time_only() -> bool:
            return bool(await connection.fetchval(ONLY_LAST_EDITS)) and not arena.telegram.updates.pending

        deadline = asyncio.get_running_loop().time() + LIMIT_S
        while asyncio.get_running_loop().time() < deadline:
            quiet = await until_true(waits_for_time_only, within_s=step_s)
            if quiet and not await connection.fetchval(BUSY):
                break
            await move_clock(connection, PAST_EVERY_WAIT_S)
            moved += 1
    return moved


async def hours_later(arena: Arena, callbacks: CallbackInjector) -> int:
    """Move the database's clock on by hours, then send every callback of Kie again."""
    async with arena.sql() as connection:
        await move_clock(connection, HOURS_LATE_S)
    await callbacks.deliver_late()
    return await come_to_rest(arena, step_s=SHORT_STEP_S)


async def move_clock(connection: Connection, seconds: float) -> None:
    """Move the database's clock on."""
    await connection.execute("UPDATE clock_shift SET shift = shift + make_interval(secs => $1)", seconds)


async def evidence_of(arena: Arena, seen: Observations | None = None) -> Evidence:
    arena.harvest()
    complete = replace(seen or Observations(), answered_200=frozenset(arena.notes.answered_200))
    async with arena.sql() as connection:
        return await gather(connection, telegram=arena.telegram, kie=arena.kie, seen=complete)
