"""Taps of several users that come together are bought in one transaction, and each gets what it would get alone."""

import asyncio
from collections.abc import Sequence

import pytest

from photomat.catalog.load import load_catalog
from photomat.db.pool import Pool
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import BotId, ChatId, MessageId, UserId
from photomat.kernel.logs import correlated
from photomat.orders.assortment import read_mark
from photomat.orders.draft import Buyer, Draft
from photomat.orders.limits import Limits
from photomat.orders.outcome import (
    AlreadyStarted,
    CardOutdated,
    ContentRefused,
    Created,
    LimitReached,
    NotEnoughMoney,
    NotOnSale,
    PurchaseOutcome,
)
from photomat.orders.service import OrderService
from support.audit import broken
from support.database import pool_of
from support.jobs import CAT, PRICE, a_user, money_of
from support.logs import logged
from support.prices import set_price
from support.shop import content_of, orders_of
from support.updates import BOT_ID

MODEL = load_catalog().get("z-image")
BAD = "порно со школьницей"


def buyer_of(user_id: UserId) -> Buyer:
    return Buyer(user_id=user_id, language="ru", bot_id=BotId(BOT_ID), chat_id=ChatId(user_id))


async def a_draft(orders: OrderService, user_id: UserId, *, prompt: str = "кот", number: int = 1) -> Draft:
    origin = f"{user_id}:{number}"
    return await orders.save_draft(buyer_of(user_id), MODEL, {**CAT, "prompt": prompt}, origin=origin)


async def buys(
    orders: OrderService, draft: Draft, *, user_id: UserId | None = None, revision: int | None = None
) -> PurchaseOutcome:
    buyer, corr = buyer_of(user_id or draft.user_id), f"c0ffee{draft.draft_id:02d}"
    with correlated(corr, update_id=draft.draft_id):
        return await orders.buy(
            buyer,
            draft_id=draft.draft_id,
            revision=revision or draft.revision,
            message_id=MessageId(500 + draft.draft_id),
            corr=corr,
        )


async def customers(pool: Pool, *balances: int) -> list[UserId]:
    return [await a_user(pool, user_id=5_000_001 + n, balance=each) for n, each in enumerate(balances)]


async def commits(pool: Pool) -> int:
    """How many transactions have written; asking is one of them."""
    return int(await pool.fetchval("SELECT pg_current_xact_id()::text::bigint"))


def kinds(outcomes: Sequence[PurchaseOutcome]) -> list[type]:
    return [type(each) for each in outcomes]


async def test_each_gets_a_job_and_a_hold_of_their_own_and_all_share_a_commit(database: str) -> None:
    async with pool_of(database) as pool:
        orders, users = await orders_of(pool).as_of(await read_mark(pool)), await customers(pool, *[1000] * 10)
        drafts = await asyncio.gather(*(a_draft(orders, user) for user in users))
        assert [draft.user_id for draft in drafts] == users, "each caller gets its own draft"
        before = await commits(pool)
        bought = await asyncio.gather(*(buys(orders, draft) for draft in drafts))
        assert await commits(pool) - before <= 2
        rows = await pool.fetch("SELECT job_id, user_id, corr FROM generation_jobs")
        assert {(row["job_id"], row["user_id"], row["corr"]) for row in rows} == {
            (each.job_id, draft.user_id, f"c0ffee{draft.draft_id:02d}")
            for each, draft in zip(bought, drafts, strict=True)
            if isinstance(each, Created)
        }
        assert [await money_of(pool, user) for user in users] == [(1000 - PRICE, PRICE)] * 10
        async with pool.acquire() as session:
            assert await broken(session) == set()


async def test_what_one_is_refused_for_leaves_the_others_alone(database: str) -> None:
    async with pool_of(database) as pool:
        orders = orders_of(pool, limits=Limits(running=1))
        users = await customers(pool, 1000, 1000, PRICE - 1, 1000, 1000, 1000, 1000)
        rich, late, poor, busy, again, stranger, last = [await a_draft(orders, user) for user in users]
        await buys(orders, await a_draft(orders, busy.user_id, number=2))
        await buys(orders, again)
        outcomes = await asyncio.gather(
            buys(orders, rich),
            buys(orders, late, revision=7),
            buys(orders, poor),
            buys(orders, busy),
            buys(orders, again),
            buys(orders, rich, user_id=stranger.user_id),
            buys(orders, last),
        )
        wanted = [Created, CardOutdated, NotEnoughMoney, LimitReached, AlreadyStarted, NotOnSale, Created]
        assert kinds(outcomes) == wanted
        held = [(await money_of(pool, user))[1] for user in users]
        assert held == [PRICE, 0, 0, PRICE, PRICE, 0, PRICE]
        async with pool.acquire() as session:
            assert await broken(session) == set()


async def test_a_purchase_that_fails_fails_alone(database: str) -> None:
    async with pool_of(database) as pool:
        orders, users = orders_of(pool), await customers(pool, 1000, 1000)
        nobody = UserId(6_000_000)
        await pool.execute("INSERT INTO users (user_id) VALUES ($1)", nobody)
        drafts = [await a_draft(orders, user) for user in (*users, nobody)]
        first, second, third = await asyncio.gather(*(buys(orders, each) for each in drafts), return_exceptions=True)
        assert isinstance(first, Created)
        assert isinstance(second, Created)
        assert isinstance(third, Corrupt), "this user has no wallet"


@pytest.mark.parametrize("is_free", [False, True])
async def test_taps_of_one_user_at_once_never_exceed_a_limit(database: str, *, is_free: bool) -> None:
    async with pool_of(database) as pool:
        if is_free:
            assert (await set_price(pool, "free", confirmed=True)).done
        orders = await orders_of(pool, limits=Limits(running=2)).as_of(await read_mark(pool))
        [user] = await customers(pool, 10_000)
        drafts = [await a_draft(orders, user, prompt=f"кот {n}", number=n) for n in range(6)]
        outcomes = await asyncio.gather(*(buys(orders, draft) for draft in drafts))
        assert sorted(each.__name__ for each in kinds(outcomes)) == ["Created"] * 2 + ["LimitReached"] * 4


async def test_what_is_logged_of_one_is_not_of_the_tap_that_happens_to_write_the_batch(database: str) -> None:
    async with pool_of(database) as pool:
        orders, users = orders_of(pool, content=content_of(pool)), await customers(pool, 1000, 1000)
        good, bad = await a_draft(orders, users[0]), await a_draft(orders, users[1], prompt=BAD)
        with logged() as lines:
            outcomes = await asyncio.gather(buys(orders, good), buys(orders, bad))
        assert kinds(outcomes) == [Created, ContentRefused]
        [refused] = [line for line in lines if line["event"] == "CONTENT_REFUSED"]
        assert (refused["corr"], refused.get("update_id")) == (f"c0ffee{bad.draft_id:02d}", None)
        [created] = [line for line in lines if line["event"] == "JOB_CREATED"]
        assert (created["corr"], created["update_id"]) == (f"c0ffee{good.draft_id:02d}", good.draft_id)
