"""A price an operator sets counts at once, is guarded, is shown before it is paid, and stays with the job it was paid for."""

import asyncio
from datetime import timedelta
from decimal import Decimal
from typing import Any

import asyncpg
import pytest

from photomat.catalog.formula import PriceRow
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.overrides import add_rule, lock_prices, rules_of, stored_rules
from photomat.catalog.pricing import Override, PriceRules, quote
from photomat.db.pool import Pool, transaction
from support.database import pool_of, shift_clock
from support.patience import until_found
from support.prices import ME, Z_IMAGE, clear_price, set_price
from support.shop import RATES

SIZED = Model(
    id="sized",
    title="Sized",
    kind="image",
    inputs=(Input(name="size", type="choice", required=True, options=("1K", "4K"), default="1K"),),
    prices=(PriceRow(credits=Decimal(20), when=(("size", "4K"),)), PriceRow(credits=Decimal(4))),
)


async def rules_now(pool: Pool, model: str = "z-image", *, currency: str = "RUB") -> PriceRules:
    async with transaction(pool) as tx:
        return await rules_of(tx, model, currency=currency)


async def asked(pool: Pool, model: Model = Z_IMAGE, **inputs: str) -> int:
    return quote(model, inputs, RATES, await rules_now(pool, model.id)).price.minor


async def now(pool: Pool) -> Any:
    return await pool.fetchval("SELECT photomat_now()")


async def test_a_rule_counts_at_once_and_the_newest_wins(database: str) -> None:
    async with pool_of(database) as pool:
        assert await asked(pool) == 64
        assert (await set_price(pool, "fixed", "100")).done
        assert await asked(pool) == 100
        assert (await set_price(pool, "markup", "3")).done
        assert await asked(pool) == 96
        assert (await set_price(pool, "discount", "25")).done
        assert await asked(pool) == 72
        assert (await clear_price(pool)).done
        assert await asked(pool) == 64
        assert not (await clear_price(pool)).done


async def test_a_rule_begins_and_ends_by_the_databases_clock_and_the_one_before_comes_back(database: str) -> None:
    async with pool_of(database) as pool:
        await set_price(pool, "fixed", "100")
        begin = await now(pool) + timedelta(hours=1)
        done = await set_price(pool, "fixed", "80", from_at=begin, until=begin + timedelta(hours=1))
        assert done.done
        assert await asked(pool) == 100
        await shift_clock(pool, 3601)
        assert await asked(pool) == 80
        await shift_clock(pool, 2 * 3600 + 1)
        assert await asked(pool) == 100


async def test_below_cost_and_a_jump_are_refused_with_the_numbers_until_confirmed(database: str) -> None:
    async with pool_of(database) as pool:
        below = await set_price(pool, "fixed", "31")
        assert not below.done
        assert "0.31" in below.sentence
        assert "below the cost of 0.32" in below.sentence
        jump = await set_price(pool, "fixed", "193")
        assert not jump.done
        assert "from 0.64" in jump.sentence
        assert "to 1.93" in jump.sentence
        down = await set_price(pool, "markup", "0.6")
        assert not down.done
        assert await asked(pool) == 64
        assert (await set_price(pool, "fixed", "192")).done
        assert (await set_price(pool, "fixed", "31", confirmed=True)).done
        assert await asked(pool) == 31


async def test_a_confirmed_jump_is_no_leave_to_sell_below_cost_later(database: str) -> None:
    async with pool_of(database) as pool:
        assert (await set_price(pool, "fixed", "6400", confirmed=True)).done
        rule = (await rules_now(pool)).rule
        assert rule is not None
        assert not rule.confirmed
        assert not (await set_price(pool, "fixed", "64")).done


async def test_free_needs_a_confirmation_and_so_does_the_end_of_it(database: str) -> None:
    async with pool_of(database) as pool:
        assert not (await set_price(pool, "free")).done
        assert (await set_price(pool, "free", confirmed=True)).done
        assert await asked(pool) == 0
        back = await clear_price(pool)
        assert not back.done
        assert "from 0" in back.sentence
        assert (await clear_price(pool, confirmed=True)).done
        assert await asked(pool) == 64


async def test_the_guard_looks_at_every_row_of_the_price_not_only_at_the_default(database: str) -> None:
    async with pool_of(database) as pool:
        refused = await set_price(pool, "fixed", "700", model=SIZED)
        assert not refused.done
        assert "below the cost of 8" in refused.sentence
        assert "size 4K" in refused.sentence
        assert (await set_price(pool, "fixed", "900", model=SIZED)).done


async def test_an_unconfirmed_discount_never_takes_a_price_below_cost_also_when_the_cost_rises(database: str) -> None:
    async with pool_of(database) as pool:
        assert (await set_price(pool, "discount", "40")).done
        assert await asked(pool) == 39
        standing = await rules_now(pool)
        assert quote(SIZED, {}, RATES, standing).price.minor >= 160


async def test_a_fixed_price_of_another_currency_does_not_stand(database: str) -> None:
    async with pool_of(database) as pool:
        await set_price(pool, "fixed", "100")
        await set_price(pool, "discount", "10")
        standing = await rules_now(pool, currency="USD")
        assert (standing.rule, standing.discount is None) == (None, False)


async def test_every_change_and_every_refusal_is_in_the_journal_with_its_reason(database: str) -> None:
    async with pool_of(database) as pool:
        await set_price(pool, "fixed", "100")
        await set_price(pool, "fixed", "1")
        await clear_price(pool)
        rows = await pool.fetch(
            "SELECT operator, action, reason, done, outcome, reference FROM operator_journal ORDER BY entry_id"
        )
        assert [(row["operator"], row["action"], row["reason"]) for row in rows] == [(ME, "price", "a sale")] * 3
        assert [row["done"] for row in rows] == [True, False, True]
        assert {row["reference"] for row in rows} == {"model:z-image"}
        assert "from 0.64" in rows[0]["outcome"]
        kept = await stored_rules(pool, "z-image")
        assert [(one.override.kind, one.cleared_at is None, one.reason) for one in kept] == [("fixed", False, "a sale")]


async def test_a_change_waits_for_another_and_is_measured_against_it(database: str) -> None:
    """5 ₽ is a jump from 0.64, and none from the 1.92 somebody is setting just now."""
    async with pool_of(database) as pool, asyncio.TaskGroup() as group:
        async with transaction(pool) as tx:
            await lock_prices(tx)
            first = Override(kind="fixed", value=Decimal(192))
            await add_rule(tx, "z-image", first, currency="RUB", from_at=None, operator="a", reason="b")
            second = group.create_task(set_price(pool, "fixed", "500"))
            await until_found(lambda: somebody_waits(pool))
            assert not second.done()
        assert (await second).done
        assert await asked(pool) == 500


async def somebody_waits(pool: Pool) -> object:
    return await pool.fetchval("SELECT 1 FROM pg_locks WHERE NOT granted LIMIT 1")


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        ("kind", "'fixed'"),
        ("kind, amount, currency", "'fixed', 0, 'RUB'"),
        ("kind, percent", "'discount', 100"),
        ("kind, markup", "'markup', 0"),
        ("kind, markup", "'free', 2"),
        ("kind", "'whim'"),
        ("kind, until_at", "'free', photomat_now() - interval '1 day'"),
    ],
)
async def test_the_table_refuses_what_makes_no_sense(database: str, columns: str, values: str) -> None:
    insert = f"INSERT INTO model_prices (model, operator, reason, confirmed, {columns}) VALUES ('m', 'a', 'b', true, {values})"  # noqa: S608  a test's own words
    async with pool_of(database) as pool:
        with pytest.raises(asyncpg.CheckViolationError):
            await pool.execute(insert)
