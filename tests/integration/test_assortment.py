"""What operators change counts at once, on every instance: the next card shows it and no tap gets past it."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from photomat.catalog.storefront import Offer
from photomat.kernel.ids import MessageId
from photomat.operators.catalog import switch_model
from photomat.operators.controls import pause, resume
from photomat.orders.assortment import AssortmentMark, read_mark
from photomat.orders.draft import Draft
from photomat.orders.outcome import CardOutdated, Created, ModelPaused, NotOnSale, PurchaseOutcome
from photomat.orders.service import OrderService
from support.conversation import conversation
from support.database import pool_of, shift_clock
from support.jobs import a_user, buyer_of
from support.prices import ME, Z_IMAGE, set_price
from support.shop import RATES, orders_of

CAT = {"prompt": "кот", "aspect_ratio": "1:1"}
USUAL = 64


async def draft_of(orders: OrderService, user: Any) -> Draft:
    return await orders.save_draft(buyer_of(user), Z_IMAGE, CAT, origin="a card")


async def tap(orders: OrderService, draft: Draft) -> PurchaseOutcome:
    return await orders.buy(
        buyer_of(draft.user_id),
        draft_id=draft.draft_id,
        revision=draft.revision,
        message_id=MessageId(7),
        corr="c0ffee00",
    )


async def price(orders: OrderService, user: Any) -> int:
    return (await orders.quote(user, Z_IMAGE, CAT)).price.minor


async def offer(orders: OrderService, *, with_paused: bool = True) -> Offer | None:
    """Z-Image in a list."""
    return next((each for each in await orders.offers(with_paused=with_paused) if each.model.id == Z_IMAGE.id), None)


async def test_the_lists_of_another_instance_show_a_new_price_and_a_pause_at_once(database: str) -> None:
    async with pool_of(database) as pool, pool_of(database) as operators:
        orders = orders_of(pool)
        before = await offer(orders)
        assert before is not None
        assert (before.price.minor, before.is_paused) == (USUAL, False)
        await set_price(operators, "fixed", "100")
        await pause(operators, "model:z-image", operator=ME, reason="a test")
        after = await offer(orders)
        assert after is not None
        assert (after.price.minor, after.is_paused) == (100, True)
        assert await offer(orders, with_paused=False) is None


async def test_lists_show_prices_at_the_rate_of_today(database: str) -> None:
    async with pool_of(database) as pool:
        orders = orders_of(pool)
        twice = replace(orders, rates=replace(RATES, markup=2 * RATES.markup))
        prices = [found.price.minor for each in (orders, twice) if (found := await offer(each)) is not None]
        assert prices == [USUAL, 2 * USUAL]


async def test_another_instance_shows_a_new_price_at_once(database: str) -> None:
    async with pool_of(database) as pool, pool_of(database) as operators:
        user, orders = await a_user(pool), orders_of(pool)
        assert await price(orders, user) == USUAL
        await set_price(operators, "fixed", "100")
        assert await price(orders, user) == 100


@pytest.mark.parametrize("change", ["price", "pause", "hidden"])
async def test_what_changes_between_the_update_and_its_purchase_is_seen_by_the_purchase(
    database: str, change: str
) -> None:
    """The tap was claimed, and its update has read what is sold; then an operator commits, then it buys."""
    async with pool_of(database) as pool, pool_of(database) as operators:
        user, orders = await a_user(pool), orders_of(pool)
        draft = await draft_of(orders, user)
        in_update = await orders.as_of(await read_mark(pool))
        match change:
            case "price":
                await set_price(operators, "fixed", "100")
                expected: type = CardOutdated
            case "pause":
                await pause(operators, "model:z-image", operator=ME, reason="a test")
                expected = ModelPaused
            case _:
                await switch_model(operators, Z_IMAGE, "hide", operator=ME, reason="a test")
                expected = NotOnSale
        outcome = await tap(in_update, draft)
        assert isinstance(outcome, expected), outcome
        if isinstance(outcome, CardOutdated):
            assert outcome.draft.price.minor == 100
        assert await pool.fetchval("SELECT count(*) FROM generation_jobs") == 0


async def test_a_tap_buys_after_a_change_that_does_not_concern_it(database: str) -> None:
    async with pool_of(database) as pool:
        user, orders = await a_user(pool), orders_of(pool)
        draft = await draft_of(orders, user)
        in_update = await orders.as_of(await read_mark(pool))
        await pause(pool, "model:grok-imagine/text-to-image", operator=ME, reason="a test")
        assert isinstance(await tap(in_update, draft), Created)


async def test_a_rule_begins_and_ends_by_itself_for_cards_and_purchases(database: str) -> None:
    async with pool_of(database) as pool:
        user, orders = await a_user(pool), orders_of(pool)
        now = await pool.fetchval("SELECT photomat_now()")
        hour = timedelta(hours=1)
        await set_price(pool, "fixed", "100", from_at=now + hour, until=now + 2 * hour)
        draft = await draft_of(orders, user)
        in_update = await orders.as_of(await read_mark(pool))
        assert await price(orders, user) == USUAL
        await shift_clock(pool, 3700)
        assert await price(orders, user) == 100
        assert isinstance(await tap(in_update, draft), CardOutdated), "no row changed, but the rule has begun"
        await shift_clock(pool, 3600)
        assert await price(orders, user) == USUAL


async def test_a_pause_that_ends_by_itself_ends_for_orders_too(database: str) -> None:
    async with pool_of(database) as pool:
        orders = orders_of(pool)
        await pause(pool, "model:z-image", operator=ME, reason="a test", lasts=timedelta(minutes=5))
        assert (await orders.storefront()).get("z-image") is None
        assert await orders.model("z-image") is not None, "a paused model keeps its card"
        await shift_clock(pool, 301)
        assert (await orders.storefront()).get("z-image") is not None
        assert (await orders.pauses()).by_name == {}


async def test_the_next_update_sees_a_pause_that_was_committed_elsewhere(database: str) -> None:
    async with conversation(database) as chat, pool_of(database) as operators:
        assert "кот" in await chat.says("кот в шляпе")
        await pause(operators, "bot", operator=ME, reason="a test", notice="Вернёмся в полдень")
        assert "Вернёмся в полдень" in await chat.says("собака в шляпе")
        await resume(operators, "bot", operator=ME, reason="a test")
        assert "собака" in await chat.says("собака в шляпе")


async def test_each_change_replaces_the_mark_and_one_that_is_rolled_back_does_not(database: str) -> None:
    async with pool_of(database) as pool:
        marks = [await read_mark(pool)]
        for statement in (
            "INSERT INTO model_settings (model, hidden) VALUES ('z-image', true)",
            "UPDATE model_settings SET hidden = false",
            "DELETE FROM model_settings",
            "INSERT INTO model_prices (model, operator, reason, confirmed, kind) VALUES ('m', 'a', 'b', true, 'free')",
            "UPDATE model_prices SET cleared_at = photomat_now()",
            "INSERT INTO controls (name, paused_by, reason) VALUES ('bot', 'a', 'b')",
            "DELETE FROM controls",
        ):
            await pool.execute(statement)
            marks.append(await read_mark(pool))
        assert len({each.version for each in marks}) == len(marks)
        async with pool.acquire() as session:
            undone = session.transaction()
            await undone.start()
            await session.execute("INSERT INTO model_settings (model, hidden) VALUES ('z-image', true)")
            await undone.rollback()
        assert (await read_mark(pool)).version == marks[-1].version


async def test_what_is_known_is_not_read_again(database: str) -> None:
    async with pool_of(database) as pool:
        orders = orders_of(pool)
        mark = await read_mark(pool)
        known = await orders.as_of(mark)
        later = AssortmentMark(version=mark.version, at=mark.at + timedelta(days=1))
        assert (await orders.as_of(later)).assortment is known.assortment
