"""How PostgreSQL runs the statements a program really sends: recorded from its pool, explained, judged by what they read.

A recurring statement may cost what is due, never what was ever stored: it scans no whole table that grows with history, and
looks at a bounded number of rows.
"""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from asyncpg.prepared_stmt import PreparedStatement

from photomat.db.pool import BoundedPool, Connection

GROWN_ROWS: Final = 1_500
"""A table with more rows than this is one that grows; smaller ones may be read from end to end."""

PLANNED_FOR_ARGUMENTS: Final = ("WITH offenders",)
"""The nightly audit has its statements planned for their own arguments; all others share one plan for any."""

READS: Final = ("select", "with", "update", "delete", "insert")


@dataclass(slots=True)
class Recording:
    """Every different statement, with the arguments it was sent with first."""

    statements: dict[str, tuple[Any, ...]] = field(default_factory=dict)

    def note(self, query: Any) -> None:
        """Remember a statement; called by asyncpg after each."""
        expected = len({*re.findall(r"\$\d+", query.query)})
        if query.query.strip().lower().startswith(READS) and len(query.args or ()) == expected:
            self.statements.setdefault(query.query, tuple(query.args or ()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One statement: whole tables it reads, how many rows it looks at, pages and milliseconds."""

    sql: str
    whole_tables: tuple[str, ...]
    rows: int
    pages: int
    ms: float


@asynccontextmanager
async def recorded(pool: BoundedPool) -> AsyncIterator[Recording]:
    """Record what goes through every connection of a pool."""
    recording = Recording()
    async with AsyncExitStack() as stack:
        held = [await stack.enter_async_context(pool.acquire()) for _ in range(pool.get_max_size())]
        for connection in held:
            connection.add_query_logger(recording.note)
    yield recording


async def judge(connection: Connection, recording: Recording) -> list[Judged]:
    """Run every recorded statement once more, in a transaction that is rolled back, and say what it reads."""
    await connection.execute("SET random_page_cost = 1.1")  # the tables are small here: an index must not look dear
    return await judge_for(connection, recording, growing=await _grown(connection))


async def judge_for(connection: Connection, recording: Recording, *, growing: AbstractSet[str]) -> list[Judged]:
    """The same for these tables, whether they have grown or not."""
    await connection.execute("SET photomat.pruning = 'on'")  # as retention says in the transaction that deletes events
    return [await _judged(connection, sql, args, growing) for sql, args in recording.statements.items()]


async def _grown(connection: Connection) -> set[str]:
    return {
        row["relname"]
        for row in await connection.fetch(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples > $1",
            GROWN_ROWS,
        )
    }


async def _judged(connection: Connection, sql: str, args: tuple[Any, ...], grown: AbstractSet[str]) -> Judged:
    transaction = connection.transaction()
    await transaction.start()
    try:
        if sql.startswith(PLANNED_FOR_ARGUMENTS):
            await connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        prepared = await connection.prepare(sql)
        run = f"EXECUTE {prepared.get_name()} {await _literals(connection, prepared, args)}"
        explained = await connection.fetchval(f"EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) {run}")
    finally:
        await transaction.rollback()
    found = (json.loads(explained) if isinstance(explained, str) else explained)[0]
    plan = found["Plan"]
    scans = [node for node in _nodes(plan) if "Relation Name" in node and node["Node Type"].endswith("Scan")]
    return Judged(
        sql=sql,
        whole_tables=tuple(
            sorted({node["Relation Name"] for node in scans if _is_whole(node) and node["Relation Name"] in grown})
        ),
        rows=sum(_looked_at(node) for node in scans),
        pages=plan.get("Shared Hit Blocks", 0) + plan.get("Shared Read Blocks", 0),
        ms=found["Execution Time"],
    )


async def _literals(connection: Connection, prepared: PreparedStatement, args: tuple[Any, ...]) -> str:
    """The arguments of a statement whose plan is made without them, as the program's sessions make it."""
    types = [kind.name for kind in prepared.get_parameters()]
    if not types:
        return ""
    quoted = ", ".join(f"quote_nullable(${place}::{kind}::text)" for place, kind in enumerate(types, 1))
    literals = await connection.fetchval(f"SELECT concat_ws(', ', {quoted})", *args)
    return f"({literals})"


def _is_whole(node: Mapping[str, Any]) -> bool:
    """Whether a scan reads a table from end to end."""
    return bool(node["Node Type"] == "Seq Scan" and node["Actual Loops"] > 0)


def _looked_at(node: Mapping[str, Any]) -> int:
    per_loop = (
        node["Actual Rows"] + node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    )
    return int(per_loop * node["Actual Loops"])


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)
