"""The plan of docs/scale.md for many bots: what it lists is what the schema and the source hold, and its layout can be made."""

import os
from pathlib import Path

import asyncpg
import pytest

from support.database import SharedPostgres, connection_of, create_database, drop_database
from support.long_history import fill
from support.partitioned import PARTS, REFERENCE, as_planned, partition, read_schema
from support.postgres_versions import LAYOUT
from support.shard_plan import by_customer, plan_text
from support.updates import BOT_ID

DOCUMENT = Path(__file__).parents[2] / "docs" / "scale.md"
BEGIN, END = "<!-- generated: shard plan -->\n", "<!-- end of the shard plan -->"

BUDGET = "INSERT INTO budgets (name) VALUES (1) ON CONFLICT (name) DO NOTHING"
MAX_JOB_BYTES = 12_000
SIZES = """
    SELECT coalesce(parent.relname, c.relname)::text AS name, sum(greatest(c.reltuples, 0))::bigint AS count,
           sum(pg_table_size(c.oid))::bigint AS table_bytes, sum(pg_indexes_size(c.oid))::bigint AS index_bytes
      FROM pg_class c
      LEFT JOIN pg_inherits i ON i.inhrelid = c.oid LEFT JOIN pg_class parent ON parent.oid = i.inhparent
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' GROUP BY 1 ORDER BY 3 DESC
"""

pytestmark = pytest.mark.skipif(LAYOUT == "partitioned", reason="the schema of this run is changed already")


async def test_the_document_lists_the_keys_and_statements_that_must_change(database: str) -> None:
    async with connection_of(database) as connection:
        wanted = plan_text(await read_schema(connection))
    before, _, rest = DOCUMENT.read_text(encoding="utf-8").partition(BEGIN)
    listed, _, after = rest.partition(END)
    if os.environ.get("SHARD_PLAN"):
        DOCUMENT.write_text(f"{before}{BEGIN}{wanted}\n{END}{after}", encoding="utf-8")
        return
    assert listed == f"{wanted}\n", "write it anew: SHARD_PLAN=1 .venv/bin/pytest tests/integration/test_shard_plan.py"


async def test_tables_that_are_not_partitioned_exist(database: str) -> None:
    async with connection_of(database) as connection:
        rows = await connection.fetch("SELECT relname::text AS name FROM pg_class WHERE relkind IN ('r', 'p')")
    assert {row["name"] for row in rows} >= REFERENCE


async def test_statements_by_customer_are_found(database: str) -> None:
    async with connection_of(database) as connection:
        customer = by_customer(await read_schema(connection))
    for statement in (
        "UPDATE wallets SET held = held + $1 WHERE user_id = $2",
        "SELECT FROM holds JOIN wallets USING (user_id)",
        "SELECT FROM gifts JOIN users u ON u.user_id = taker_id",
        "SELECT sum(price) FROM generation_jobs j GROUP BY status, j.user_id",
    ):
        assert customer.search(statement), statement
    for statement in ("INSERT INTO users (user_id) VALUES ($1)", "SELECT user_id FROM drafts WHERE draft_id = $1"):
        assert not customer.search(statement), statement


async def test_on_the_layout_by_bot_a_key_holds_for_one_bot(postgres: SharedPostgres) -> None:
    """The whole core suite runs on it in `make prove`; here: the layout can be made, and two bots do not collide."""
    dsn = await create_database(postgres.dsn, template=postgres.template)
    await partition(dsn)
    async with connection_of(dsn) as connection:
        add = "INSERT INTO users (bot_id, user_id, first_name) VALUES ($1, 42, 'Anna')"
        await connection.execute(add, BOT_ID)
        await connection.execute(add, BOT_ID + 1)
        with pytest.raises(asyncpg.UniqueViolationError):
            await connection.execute(add, BOT_ID)
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            await connection.execute(
                "INSERT INTO wallets (bot_id, user_id, currency) VALUES ($1, 42, 'RUB')", BOT_ID + 2
            )
        status = await connection.execute(as_planned(f"{add} ON CONFLICT (user_id) DO NOTHING"), BOT_ID)
        assert status == "INSERT 0 0"
        for other in range(2, 18):
            await connection.execute(add, BOT_ID + other)
        assert await connection.fetchval("SELECT count(DISTINCT tableoid) FROM users") == PARTS
        open_wallet = "INSERT INTO wallets (bot_id, user_id, currency) VALUES ($1, 42, 'RUB')"
        await connection.execute(open_wallet, BOT_ID)
        await connection.execute(open_wallet, BOT_ID + 1)
        found = await connection.fetchval("SELECT count(*) FROM wallets WHERE user_id = 42")
        assert found == 2, "Telegram's id alone is not one customer's wallet: such statements must name the bot"
    await drop_database(postgres.dsn, dsn)


@pytest.mark.parametrize(
    ("statement", "changed"),
    [
        (
            "INSERT INTO users (user_id) VALUES (1) ON CONFLICT (user_id) DO NOTHING",
            "INSERT INTO users (user_id) VALUES (1) ON CONFLICT (user_id, bot_id) DO NOTHING",
        ),
        (BUDGET, BUDGET),
        (
            "INSERT INTO budgets ON CONFLICT (name) DO NOTHING; INSERT INTO drafts ON CONFLICT (origin) DO NOTHING",
            "INSERT INTO budgets ON CONFLICT (name) DO NOTHING; INSERT INTO drafts ON CONFLICT (origin, bot_id) DO NOTHING",
        ),
        ("SELECT 1", "SELECT 1"),
    ],
)
def test_a_statement_is_changed_where_the_plan_says(statement: str, changed: str) -> None:
    assert as_planned(statement) == changed


@pytest.mark.prove
async def test_a_job_takes_so_many_bytes(postgres: SharedPostgres, capsys: pytest.CaptureFixture[str]) -> None:
    """The table of docs/scale.md, printed; a job that becomes twice as large is noticed."""
    jobs = 20_000
    dsn = await create_database(postgres.dsn, template=postgres.template)
    async with connection_of(dsn) as connection:
        await connection.execute("SET statement_timeout = 0")
        await fill(connection, jobs=jobs)
        rows = await connection.fetch(SIZES)
    with capsys.disabled():
        for row in rows[:16]:
            sizes = f"{row['table_bytes'] / jobs:8.0f} {row['index_bytes'] / jobs:8.0f}"
            print(f"{row['name']:24} {row['count'] / jobs:6.2f} {sizes}")  # noqa: T201  the table
    await drop_database(postgres.dsn, dsn)
    assert sum(row["table_bytes"] + row["index_bytes"] for row in rows) / jobs < MAX_JOB_BYTES
