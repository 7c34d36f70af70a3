"""The full audit in slices, each checked in short snapshots, so that no night keeps the server from vacuuming.

One statement over all history would for as long as it takes. How each invariant is cut is said in `cuts.py`; the ranges of a
part follow each other from the first key to the last without a gap. Writers go on meanwhile: a statement sees both sides of
what it compares at one instant, and a row that is committed behind the slices is new, so it is checked by day.

Each slice that was checked is stored, and the next one begins where the stored one ends: killed at any point, or run by two
ACTIVE instances, the slices of a night are one chain. `photomat audit` does not use slices: it is the second opinion on them.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

from photomat.audit.cuts import FIGURES_OF, FIRST, LAST, NEXT, SLICED, WHOLE, WIDTHS, Slicing, parts
from photomat.audit.invariant import Invariant
from photomat.audit.run import INVARIANTS, Violation, find_violation, read_figures, violations
from photomat.db.pool import Connection, Pool
from photomat.db.rows import require_row
from photomat.kernel.clock import monotonic
from photomat.work.retention import OldRows

PAUSE_S: Final = 0.02
"""Between two slices, so that other work comes first."""
OLD_SLICES: Final = OldRows(table="audit_slices", age="checked_at")
OFFENDERS_KEPT: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSlice:
    """A slice and what was found in it; `ends` is None for the last one of its part."""

    part: str
    starts: int
    ends: int | None
    seconds: float
    violations: list[Violation]
    figures: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NightPass:
    """A finished pass over all slices; `seconds` from the first slice of the night on, interruptions included."""

    violations: list[Violation]
    figures: Mapping[str, int]
    seconds: float


async def check_the_night(pool: Pool, night: date, *, widths: Mapping[str, int] = WIDTHS) -> NightPass:
    """Check what is not checked yet of this night, and sum up; every slice is stored before the next one begins."""
    for part in parts():
        while (starts := await _resume_at(pool, night, part)) is not None:
            async with pool.acquire() as connection:
                await _store(connection, night, await check_slice(connection, part, starts=starts, widths=widths))
            await asyncio.sleep(PAUSE_S)
    return await _sum_up(pool, night)


async def _resume_at(pool: Pool, night: date, part: str) -> int | None:
    """Where the part goes on; None if its last slice is stored."""
    row = await pool.fetchrow(
        "SELECT ends FROM audit_slices WHERE night = $1 AND part = $2 ORDER BY starts DESC LIMIT 1", night, part
    )
    return FIRST if row is None else row["ends"]


async def violations_in_slices(
    pool: Pool, invariants: Sequence[Invariant], *, widths: Mapping[str, int] = WIDTHS
) -> list[Violation]:
    """Check all history for these invariants, slice by slice; nothing is stored. The pool must not be in a transaction."""
    found: list[Violation] = []
    for part in parts(invariants):
        starts: int | None = FIRST
        while starts is not None:
            async with pool.acquire() as connection:
                ends = await _end_of(connection, part, starts, widths)
                found += await _violations_of(connection, invariants, part, starts, ends)
            starts = ends
            await asyncio.sleep(PAUSE_S)
    return merge(found)


async def check_slice(
    connection: Connection, part: str, *, starts: int, widths: Mapping[str, int] = WIDTHS
) -> CheckedSlice:
    """Check the slice of a part that begins at this key. The connection must not be in a transaction."""
    began = monotonic()
    ends = await _end_of(connection, part, starts, widths)
    found = await _violations_of(connection, INVARIANTS, part, starts, ends)
    figures = {}
    if part in FIGURES_OF:
        bounds = (starts, LAST if ends is None else ends) if part in NEXT else ()
        figures = await read_figures(connection, FIGURES_OF[part], *bounds)
    seconds = round(monotonic() - began, 3)
    return CheckedSlice(part=part, starts=starts, ends=ends, seconds=seconds, violations=found, figures=figures)


async def _end_of(connection: Connection, part: str, starts: int, widths: Mapping[str, int]) -> int | None:
    """Where the slice that begins at this key ends; None for the last one of its part."""
    return await connection.fetchval(NEXT[part], starts, widths[part]) if part in NEXT else None


async def _violations_of(
    connection: Connection, invariants: Sequence[Invariant], part: str, starts: int, ends: int | None
) -> list[Violation]:
    """What a slice breaks of these invariants, as far as they are cut by this part."""
    if part not in NEXT:
        return await violations(connection, [one for one in invariants if part == f"{WHOLE}: {one.name}"])
    found = []
    for one, slicing in _cut_by(part, invariants):
        sql = f"""
            WITH bounds AS (SELECT $1::bigint, $2::bigint), {slicing.scope}
            SELECT * FROM ({one.sql}) AS every WHERE {slicing.only}
        """  # noqa: S608  our own constants
        found.append(await find_violation(connection, one, sql, starts, LAST if ends is None else ends))
    return [violation for violation in found if violation is not None]


def _cut_by(part: str, invariants: Sequence[Invariant]) -> list[tuple[Invariant, Slicing]]:
    return [(one, way) for one in invariants for way in SLICED.get(one.name, ()) if way.part == part]


async def _store(connection: Connection, night: date, checked: CheckedSlice) -> None:
    await connection.execute(
        """
        INSERT INTO audit_slices (night, part, starts, ends, seconds, violations, figures)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT ON CONSTRAINT audit_slices_pkey DO NOTHING
        """,
        night,
        checked.part,
        checked.starts,
        checked.ends,
        checked.seconds,
        [asdict(one) for one in checked.violations],
        dict(checked.figures),
    )


async def _sum_up(pool: Pool, night: date) -> NightPass:
    row = await require_row(
        pool,
        """
        SELECT extract(epoch FROM photomat_now() - min(checked_at - make_interval(secs => seconds)))::float8 AS seconds
          FROM audit_slices WHERE night = $1
        """,
        night,
    )
    stored = await pool.fetch(
        "SELECT violations FROM audit_slices WHERE night = $1 AND violations <> '[]' ORDER BY part, starts", night
    )
    found = [_violation(each) for row in stored for each in row["violations"]]
    return NightPass(
        violations=merge(found), figures=await _sum_of_figures(pool, night), seconds=round(row["seconds"], 3)
    )


async def _sum_of_figures(pool: Pool, night: date) -> dict[str, int]:
    rows = await pool.fetch(
        """
        SELECT name, sum(figure::bigint)::bigint AS figure FROM audit_slices, jsonb_each_text(figures) AS part_of (name, figure)
         WHERE night = $1 GROUP BY name ORDER BY name
        """,
        night,
    )
    return {row["name"]: row["figure"] for row in rows}


def _violation(stored: Mapping[str, Any]) -> Violation:
    return Violation(name=stored["name"], sentence=stored["sentence"], offenders=tuple(stored["offenders"]))


def merge(found: Sequence[Violation]) -> list[Violation]:
    """One violation for each invariant, with the offenders of all its slices."""
    offenders: dict[str, list[str]] = {}
    for one in found:
        known = offenders.setdefault(one.name, [])
        known += [each for each in one.offenders if each not in known][: OFFENDERS_KEPT - len(known)]
    return [
        Violation(name=one.name, sentence=one.sentence, offenders=tuple(offenders[one.name]))
        for one in INVARIANTS
        if one.name in offenders
    ]
