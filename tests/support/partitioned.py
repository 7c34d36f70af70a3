"""The layout of docs/scale.md for many bots: every table of customers hash-partitioned by bot, with `bot_id` in its keys.

A distributed PostgreSQL (Citus and its kin) asks the same of a schema as PostgreSQL's own partitioning does: every primary key,
unique constraint and unique index contains the column it is sharded by, and foreign keys between sharded tables too. So the
schema is changed here as the plan says, statements are changed as the plan says (`as_planned`), and the core suite
must pass on it: `make core POSTGRES=partitioned`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from photomat.db.connection import SyncedConnection
from photomat.db.pool import Connection, connect

PER_SHOP: Final = frozenset({
    *("controls", "setting_values", "watches", "operators", "operator_journal", "incidents", "incident_notices", "bot_profile"),
    *("model_prices", "model_settings", "templates", "examples", "content_rules", "assortment_version", "promo_codes"),
    *("broadcasts", "audit_runs", "sealed_days", "kie_readings", "stars_readings", "stars_listed", "comparisons"),
    *("fiscal_comparisons", "fiscal_start", "audit_slices", "console_links", "console_sessions", "console_tries"),
})  # fmt: skip
"""Rows of one shop: what it sells, pauses, sends and who operates it. The layout leaves them as they are, the same on every
node, which is right for one shop with many bots; with a shop per bot they need `bot_id` as the tables of customers do.
"""

REFERENCE: Final = PER_SHOP | {
    *("installation", "instances", "schema_migrations", "clock_shift", "budgets", "backups", "restores"),
}
"""Tables that are not partitioned: small, the same on every node (Citus: reference tables)."""

RANGED: Final = frozenset({"job_events", "callbacks"})
"""History that is partitioned already, by ranges of jobs. PostgreSQL can nest partitions and a distributed one keeps the ranges
inside its shards; here these tables stay as they are.
"""

LEFT_OUT: Final = {
    "test_the_strangers_are_searched_by_index": "a plan names the indexes of the partitions",
    "test_the_report_is_answered_by_its_index": "a plan names the indexes of the partitions",
    "test_the_committed_schema_is_what_the_migrations_make": "the schema is changed",
    "test_a_copy_stays_when_telegram_keeps_the_file_for_another_bot": "a database of many bots is given to none",
    "test_a_shop_that_moves_to_another_bot_is_restored_and_waits_for_its_adoption": "likewise",
    "test_restored": "commands in processes of their own send their statements unchanged",
}
"""Tests and files of the core suite that are skipped on this layout, and why."""

PARTS: Final = 2
WHOSE: Final = """
    CREATE FUNCTION photomat_bot() RETURNS bigint LANGUAGE sql STABLE
        AS 'SELECT coalesce((SELECT bot_id FROM installation), 0)'
"""
"""The bot of a row that does not name it. With many bots in one database, it is that of the program's session."""

TABLES: Final = """
    SELECT c.relname::text AS name,
           EXISTS (SELECT FROM pg_attribute a
                    WHERE a.attrelid = c.oid AND a.attname = 'bot_id' AND NOT a.attisdropped) AS has_bot
      FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND NOT c.relispartition ORDER BY 1
"""
CONSTRAINTS: Final = """
    SELECT conrelid::regclass::text AS owner, conname::text AS name, contype::text AS kind, pg_get_constraintdef(c.oid) AS text,
           nullif(confrelid, 0)::regclass::text AS other, condeferrable,
           array(SELECT attname::text FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey)) AS columns
      FROM pg_constraint c
     WHERE connamespace = current_schema()::regnamespace AND contype IN ('p', 'u', 'f', 'x') AND conparentid = 0 ORDER BY 1, 2
"""
INDEXES: Final = """
    SELECT indrelid::regclass::text AS owner, indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS text,
           indisunique
      FROM pg_index JOIN pg_class c ON c.oid = indrelid
     WHERE c.relnamespace = current_schema()::regnamespace
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid) ORDER BY 1, 2
"""
TRIGGERS: Final = """
    SELECT tgrelid::regclass::text AS owner, pg_get_triggerdef(t.oid) AS text
      FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
     WHERE NOT tgisinternal AND c.relnamespace = current_schema()::regnamespace ORDER BY tgname
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SchemaToShard:
    """The tables to be sharded, with what belongs to them and what refers to them."""

    tables: dict[str, bool]
    constraints: list[Any]
    indexes: list[Any]
    triggers: list[Any]

    def unique_keys(self) -> list[Any]:
        """Primary keys and unique constraints of the sharded tables."""
        return [one for one in self.constraints if one["kind"] in {"p", "u"} and one["owner"] in self.tables]

    def unique_indexes(self) -> list[Any]:
        return [one for one in self.indexes if one["indisunique"] and one["owner"] in self.tables]

    def foreign_keys(self) -> list[Any]:
        """Those between two sharded tables."""
        return [
            one for one in self.constraints if one["kind"] == "f" and {one["owner"], one["other"]} <= self.tables.keys()
        ]


async def read_schema(connection: Connection) -> SchemaToShard:
    tables = {row["name"]: row["has_bot"] for row in await connection.fetch(TABLES) if row["name"] not in REFERENCE}
    return SchemaToShard(
        tables=tables,
        constraints=await connection.fetch(CONSTRAINTS),
        indexes=await connection.fetch(INDEXES),
        triggers=await connection.fetch(TRIGGERS),
    )


async def partition(dsn: str) -> None:
    """Change the schema of a migrated database without customers."""
    connection = await connect(dsn, name="partitioned layout")
    try:
        async with connection.transaction():
            schema = await read_schema(connection)
            await connection.execute(WHOSE)
            for statement in _statements(schema):
                await connection.execute(statement)
    finally:
        await connection.close(timeout=60)


def _statements(schema: SchemaToShard) -> Iterable[str]:
    sharded = schema.tables
    foreign = [
        one for one in schema.constraints if one["kind"] == "f" and {one["owner"], one["other"]} & sharded.keys()
    ]
    for one in foreign:
        yield f"ALTER TABLE {one['owner']} DROP CONSTRAINT {one['name']}"
    for table, has_bot in sharded.items():
        yield from _made_anew(table, has_bot=has_bot)
    for one in schema.unique_keys():
        yield f"ALTER TABLE {one['owner']} ADD CONSTRAINT {one['name']} {with_bot(one['text'])}"
    for one in (one for one in schema.indexes if one["owner"] in sharded):
        yield with_bot(one["text"], after=" USING ") if one["indisunique"] else one["text"]
    for one in (one for one in foreign if one["owner"] in sharded):
        text = with_bot(with_bot(one["text"]), after=" REFERENCES ") if one["other"] in sharded else one["text"]
        yield f"ALTER TABLE {one['owner']} ADD CONSTRAINT {one['name']} {text}"
    yield from (one["text"] for one in schema.triggers if one["owner"] in sharded)


def _made_anew(table: str, *, has_bot: bool) -> Iterable[str]:
    """The same columns and checks, partitioned; keys, indexes and triggers come later, under their old names."""
    if not has_bot:
        yield f"ALTER TABLE {table} ADD COLUMN bot_id bigint NOT NULL DEFAULT photomat_bot()"
    yield f"ALTER TABLE {table} RENAME TO {table}_before"
    kept = "INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING IDENTITY"
    yield f"CREATE TABLE {table} (LIKE {table}_before {kept}) PARTITION BY HASH (bot_id)"
    yield f"DROP TABLE {table}_before"
    for part in range(PARTS):
        yield (
            f"CREATE TABLE {table}_of_bots_{part} PARTITION OF {table} FOR VALUES WITH (MODULUS {PARTS}, REMAINDER {part})"
        )


def with_bot(text: str, *, after: str = "") -> str:
    """The first list in parentheses after these words gets `bot_id` at its end, unless it is there."""
    start = text.index("(", text.index(after) if after else 0)
    end = _closing(text, start)
    inside = text[start + 1 : end]
    return text if re.search(r"\bbot_id\b", inside) else f"{text[:start]}({inside}, bot_id){text[end + 1 :]}"


def _closing(text: str, start: int) -> int:
    depth = 0
    for place in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if depth == 0:
            return place
    raise ValueError(f"no end of the parenthesis in {text}")


TARGET: Final = re.compile(r"\bINSERT\s+INTO\s+(\w+)|\bON\s+CONFLICT\s*\(", re.IGNORECASE)


def as_planned(query: str) -> str:
    """The statement with `bot_id` in the ON CONFLICT list of every insert into a sharded table, and without `xmax`.

    A partitioned table has no system columns to return; PostgreSQL 18 returns the old row instead.
    """
    tables = {found.start(): found[1] for found in TARGET.finditer(query) if found[1]}
    for found in reversed([found for found in TARGET.finditer(query) if not found[1]]):
        table = next((tables[place] for place in reversed(tables) if place < found.start()), "")
        if table and table not in REFERENCE | RANGED:
            query = query[: found.start()] + with_bot(query[found.start() :])
    return query.replace("xmax = 0", "old IS NULL")


def change_statements() -> None:
    """From now on every connection of this process sends its statements as the plan changes them."""
    prepare, execute = SyncedConnection._get_statement, SyncedConnection.execute  # noqa: SLF001  the one place all pass

    async def prepare_changed(self: SyncedConnection, query: str, *arguments: Any, **options: Any) -> Any:
        return await prepare(self, as_planned(query), *arguments, **options)

    async def execute_changed(self: SyncedConnection, query: str, *arguments: Any, **options: Any) -> str:
        return await execute(self, as_planned(query), *arguments, **options)

    SyncedConnection._get_statement = prepare_changed  # type: ignore[method-assign]  # noqa: SLF001
    SyncedConnection.execute = execute_changed  # type: ignore[method-assign]
