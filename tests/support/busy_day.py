"""A busy shop in a few seconds: 90 days of history with a busy today, and something in every state an operator can meet.

`fill_busy_day(connection, jobs=n)` writes n jobs of n / 20 users with all that belongs to them, set by set (`busy_day.sql`),
and leaves the audit green. The newest jobs are on their way; after them come a few of each kind of trouble: stopped, uncertain
submits, overdue, undelivered, parked, gifts. Some users never order and some never pay, so that funnels and cohorts have
something to tell. The tables must be empty. `BusyDay` names what tests look for.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from photomat.audit.proofs import seal_days
from photomat.catalog.load import load_catalog
from photomat.catalog.model import USUAL_S
from photomat.catalog.price_list import cheapest, least_facts
from photomat.catalog.pricing import Rates, quote
from photomat.db.pool import Connection
from support.shop import RATES

SQL: Final = Path(__file__).with_suffix(".sql")
FIRST_USER: Final = 5_000_000
DAYS: Final = 90
MODELS: Final = 24
TODAY_SHARE: Final = 0.03
"""This share of all jobs was bought in the last twelve hours."""

NUMBERED: Final = {
    "drafts": "draft_id",
    "generation_jobs": "job_id",
    "topups": "topup_id",
    "receipts": "receipt_id",
    "payments": "payment_id",
    "promo_uses": "use_id",
    "gifts": "gift_id",
    "ledger_transactions": "transaction_id",
}
"""Tables whose numbers were written here: the next row of the program comes after them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BusyDay:
    """What was written, and one of each that a test may look for."""

    jobs: int
    users: int
    by_story: dict[str, int]
    """The id of a job by its state: done, failed, canceled, gift, running, pending, stopped, uncertain, overdue, parked, …"""
    a_user: int
    a_payment: int
    a_receipt: int
    a_fiscal_receipt: int
    a_model: str


async def fill_busy_day(connection: Connection, *, jobs: int = 2_000, users: int | None = None) -> BusyDay:
    """Fill an empty database of one bot; the connection must not be in a transaction."""
    count = max(40, jobs // 20) if users is None else users
    await connection.execute("SET statement_timeout = 0")
    await connection.execute("SET session_replication_role = replica")
    await _models(connection)
    facts = await _facts(connection, jobs=jobs, users=count)
    await connection.execute(_with(SQL.read_text(encoding="utf-8"), facts), timeout=600)
    stories = await connection.fetch("SELECT story, max(i) AS i FROM busy_jobs GROUP BY story", timeout=600)
    for table, number in NUMBERED.items():
        await connection.execute(
            f"SELECT setval(pg_get_serial_sequence('{table}', '{number}'), max({number})) FROM {table}"  # noqa: S608  our own names
        )
    await connection.execute("DISCARD TEMPORARY")
    await connection.execute("RESET session_replication_role")
    async with connection.transaction():
        await seal_days(connection)
    await connection.execute("RESET statement_timeout")
    await connection.execute("VACUUM ANALYZE", timeout=600)
    return await _found(connection, {row["story"]: row["i"] for row in stories}, jobs=jobs, users=count)


async def _models(connection: Connection) -> None:
    await connection.execute(
        """
        CREATE TEMPORARY TABLE busy_models (rank int, model text, kind text, title text, inputs jsonb, quote jsonb,
                                            price bigint, credits numeric, cost bigint, seconds int)
        """
    )
    await connection.executemany(
        "INSERT INTO busy_models VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", [*_sold(RATES)]
    )


def _sold(rates: Rates) -> list[tuple[Any, ...]]:
    """Models of every kind at their real prices, the best-selling first."""
    priced = []
    for model in load_catalog().sellable:
        order = json.loads(json.dumps(dict(cheapest(model).order), default=str))
        made = quote(model, order, rates, measured=least_facts(model))
        if 50 <= made.price.minor <= 8_000:
            priced.append((model, order, made))
    first = [each for each in priced if each[0].id == "z-image"]
    rest = [each for each in priced if each[0].id != "z-image"]
    return [
        (
            rank,
            model.id,
            model.kind,
            model.title_in("ru"),
            order | ({"prompt": "кот в шляпе, акварель"} if model.input("prompt") else {}),
            made.as_json(),
            made.price.minor,
            made.credits,
            made.cost.minor,
            USUAL_S[model.pace],
        )
        for rank, (model, order, made) in enumerate([*first, *rest[:: max(1, len(rest) // MODELS)]][:MODELS], start=1)
    ]


async def _facts(connection: Connection, *, jobs: int, users: int) -> dict[str, str]:
    row = await connection.fetchrow("SELECT photomat_now() AS now, bot_id FROM installation")
    assert row is not None, "whose database is it?"
    return {
        "$models": str(await connection.fetchval("SELECT count(*) FROM busy_models")),
        "$early": str(int(jobs * (1 - TODAY_SHARE))),
        "$updates": str(max(100, jobs // 5)),
        "$jobs": str(jobs),
        "$users": str(users),
        "$live": str(max(6, min(40, jobs // 200))),
        "$first": str(FIRST_USER),
        "$days": str(DAYS),
        "$now": f"'{row['now'].isoformat()}'::timestamptz",
        "$bot": str(row["bot_id"]),
    }


def _with(sql: str, facts: dict[str, str]) -> str:
    for name, value in facts.items():
        sql = sql.replace(name, value)
    return sql


async def _found(connection: Connection, by_story: dict[str, int], *, jobs: int, users: int) -> BusyDay:
    owner = await connection.fetchval(
        "SELECT user_id FROM generation_jobs WHERE status = 'done' GROUP BY user_id ORDER BY count(*) DESC LIMIT 1"
    )
    return BusyDay(
        jobs=jobs,
        users=users,
        by_story=by_story,
        a_user=owner,
        a_payment=await connection.fetchval("SELECT max(payment_id) FROM payments WHERE provider = 'stars'"),
        a_receipt=await connection.fetchval("SELECT max(receipt_id) FROM receipts WHERE state = 'waiting'"),
        a_fiscal_receipt=await connection.fetchval("SELECT max(fiscal_id) FROM fiscal_receipts WHERE kind = 'income'"),
        a_model="z-image",
    )
