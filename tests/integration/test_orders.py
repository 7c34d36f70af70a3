"""Buying without the chat: `orders` alone turns a wish into a paid job, and says what came of every attempt."""

import json
import subprocess
import sys
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from photomat.catalog.load import load_catalog
from photomat.db.pool import Pool
from photomat.kernel.ids import BotId, ChatId, MessageId, UserId
from photomat.orders.draft import Buyer, Draft
from photomat.orders.limits import Limits
from photomat.orders.outcome import (
    AlreadyStarted,
    CardOutdated,
    Created,
    DraftGone,
    LimitKind,
    LimitReached,
    NotEnoughMoney,
    NotOnSale,
    OrderRefused,
    PurchaseOutcome,
)
from photomat.orders.service import OrderService
from support.database import pool_of
from support.jobs import CAT, PRICE, a_user, money_of, row_of
from support.money import rub
from support.shop import RATES, orders_of
from support.updates import BOT_ID

ALONE = Path(__file__).parents[1] / "support" / "buying_alone.py"
MODEL = load_catalog().get("z-image")
CARD = MessageId(501)


def buyer_of(user_id: UserId) -> Buyer:
    return Buyer(user_id=user_id, language="ru", bot_id=BotId(BOT_ID), chat_id=ChatId(user_id))


async def a_draft(orders: OrderService, user_id: UserId, *, origin: str = "a test") -> Draft:
    return await orders.save_draft(buyer_of(user_id), MODEL, CAT, origin=origin)


async def buys(orders: OrderService, draft: Draft, *, card: MessageId = CARD) -> PurchaseOutcome:
    return await orders.buy(
        buyer_of(draft.user_id), draft_id=draft.draft_id, revision=draft.revision, message_id=card, corr="c0ffee00"
    )


async def jobs(pool: Pool) -> int:
    return int(await pool.fetchval("SELECT count(*) FROM generation_jobs"))


async def test_a_process_without_aiogram_buys_a_picture(database: str) -> None:
    async with pool_of(database) as pool:
        user_id = await a_user(pool, balance=1000)
        command = [sys.executable, str(ALONE), database, str(BOT_ID), str(user_id)]
        done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: ASYNC221  it works alone
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout.splitlines()[-1])
        assert "aiogram" not in said["imported"]
        assert said["quoted"] == said["draft"] == PRICE
        assert said["second_tap_finds"] == said["job_id"]
        row = await row_of(pool, said["job_id"])
        assert (row["status"], row["price"], row["inputs"], row["title"]) == ("pending", PRICE, CAT, "Z-Image")
        assert await money_of(pool, user_id) == (1000 - PRICE, PRICE)


async def test_a_second_tap_finds_the_same_job_on_any_card_and_whatever_is_sold_by_then(database: str) -> None:
    async with pool_of(database) as pool:
        orders = orders_of(pool)
        draft = await a_draft(orders, await a_user(pool))
        created = await buys(orders, draft)
        assert isinstance(created, Created)
        again, elsewhere = await buys(orders, draft), await buys(orders, draft, card=MessageId(502))
        nothing_sold = replace(orders, catalog=replace(orders.catalog, models={}))
        for found, this_card in ((again, True), (elsewhere, False), (await buys(nothing_sold, draft), True)):
            assert isinstance(found, AlreadyStarted)
            assert (found.job_id, found.this_card) == (created.job_id, this_card)
        assert await jobs(pool) == 1


async def test_a_wallet_that_does_not_cover_the_price_buys_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        orders, user_id = orders_of(pool), await a_user(pool, balance=PRICE - 1)
        draft = await a_draft(orders, user_id)
        outcome = await buys(orders, draft)
        assert isinstance(outcome, NotEnoughMoney)
        assert (outcome.price, outcome.available, outcome.order.draft) == (rub(PRICE), rub(PRICE - 1), draft)
        assert (await jobs(pool), await money_of(pool, user_id)) == (0, (PRICE - 1, 0))


async def test_a_limit_that_is_reached_is_named(database: str) -> None:
    async with pool_of(database) as pool:
        orders, user_id = orders_of(pool, limits=Limits(running=1)), await a_user(pool)
        assert isinstance(await buys(orders, await a_draft(orders, user_id, origin="first")), Created)
        outcome = await buys(orders, await a_draft(orders, user_id, origin="second"))
        assert outcome == LimitReached(why=LimitKind.RUNNING, limit=1)
        assert await jobs(pool) == 1


async def test_a_price_that_changed_is_shown_before_it_is_paid(database: str) -> None:
    async with pool_of(database) as pool:
        user_id = await a_user(pool)
        draft = await a_draft(orders_of(pool), user_id)
        dearer = orders_of(pool, rates=replace(RATES, markup=Decimal(4)))
        outcome = await buys(dearer, draft)
        assert isinstance(outcome, CardOutdated)
        shown = outcome.draft
        assert (shown.price, shown.revision) == (rub(2 * PRICE), draft.revision + 1)
        assert await jobs(pool) == 0
        assert isinstance(await buys(dearer, shown), Created)
        assert await money_of(pool, user_id) == (10_000 - 2 * PRICE, 2 * PRICE)


async def test_an_older_card_a_canceled_draft_and_another_users_draft_buy_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        orders, user_id = orders_of(pool), await a_user(pool)
        draft = await a_draft(orders, user_id)
        reopened = await orders.reopen(user_id, draft.draft_id, origin="changing it")
        assert reopened is not None
        assert isinstance(await buys(orders, draft), CardOutdated)
        stranger = await a_user(pool, user_id=5_000_002)
        assert isinstance(await buys(orders, replace(reopened.draft, user_id=stranger)), NotOnSale)
        assert await orders.cancel(user_id, draft.draft_id)
        assert isinstance(await buys(orders, reopened.draft), DraftGone)
        assert await jobs(pool) == 0


async def test_what_no_longer_fits_the_catalogue_is_refused_with_its_reason(database: str) -> None:
    async with pool_of(database) as pool:
        orders, user_id = orders_of(pool), await a_user(pool)
        draft = await orders.save_draft(buyer_of(user_id), MODEL, {**CAT, "aspect_ratio": "100:1"}, origin="a test")
        outcome = await buys(orders, draft)
        assert isinstance(outcome, OrderRefused)
        assert outcome.model.id == MODEL.id
        assert await jobs(pool) == 0
