"""Taps of several users that come together are bought in one transaction, and each gets what it would get alone."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from photomat.catalog.load import load_catalog
from photomat.db.pool import Pool
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import BotId, ChatId, JobId, MessageId, UserId
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
from photomat.orders.writer import MAX_ALONE
from support.audit import broken
from support.database import connection_of, pool_of
from support.jobs import CAT, PRICE, a_user, money_of
from support.logs import logged
from support.patience import until_found
from support.prices import set_price
from support.rewards import a_code, uses
from support.sessions import waiting_for
from support.shop import content_of, orders_of, usual_policy
from support.updates import BOT_ID

MODEL = load_catalog().get("z-image")
BAD = "порно со школьницей"


def buyer_of(user_id: UserId) -> Buyer:
    return Buyer(user_id=user_id, language="ru", bot_id=BotId(BOT_ID), chat_id=ChatId(user_id))


async def a_draft(orders: OrderService, user_id: UserId, *, prompt: str = "кот", number: int = 1) -> Draft:
    origin = f"{user_id}:{number}"
    return await orders.save_draft(buyer_of(user_id), MODEL, {**CAT, "prompt": prompt}, origin=origin)


async def buys(
    orders: OrderService,
    draft: Draft,
    *,
    user_id: UserId | None = None,
    revision: int | None = None,
    by_voucher: bool = False,
) -> PurchaseOutcome:
    buyer, corr = buyer_of(user_id or draft.user_id), f"c0ffee{draft.draft_id:02d}"
    with correlated(corr, update_id=draft.draft_id):
        return await orders.buy(
            buyer,
            draft_id=draft.draft_id,
            revision=revision or draft.revision,
            message_id=MessageId(500 + draft.draft_id),
            corr=corr,
            by_voucher=by_voucher,
        )


async def customers(pool: Pool, *balances: int) -> list[UserId]:
    return [await a_user(pool, user_id=5_000_001 + n, balance=each) for n, each in enumerate(balances)]


async def a_shop(pool: Pool, **settings: Any) -> OrderService:
    """Orders with all that a purchase reads before its transaction, so that taps at once come together."""
    orders = await orders_of(pool, **settings).as_of(await read_mark(pool))
    if orders.content is not None:
        await orders.content.rules()
    return orders


class Writes:
    """How many transactions wrote something since the last time this was asked."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._last = 0

    async def since(self) -> int:
        last, now = self._last, await self._pool.fetchval("SELECT pg_current_xact_id()::text::bigint")
        self._last = now
        return int(now) - last - 1


async def without_wallet(pool: Pool) -> UserId:
    user_id = UserId(6_000_000)
    await pool.execute("INSERT INTO users (user_id) VALUES ($1)", user_id)
    return user_id


def job_of(outcome: PurchaseOutcome) -> JobId:
    assert isinstance(outcome, Created), outcome
    return outcome.job_id


def kinds(outcomes: Sequence[PurchaseOutcome | BaseException]) -> list[type]:
    return [type(each) for each in outcomes]


async def test_each_gets_a_job_and_a_hold_of_their_own_and_all_share_a_commit(database: str) -> None:
    async with pool_of(database) as pool:
        orders, users, writes = await a_shop(pool), await customers(pool, *[1000] * 10), Writes(pool)
        drafts = await asyncio.gather(*(a_draft(orders, user) for user in users))
        assert [draft.user_id for draft in drafts] == users, "each caller gets its own draft"
        await writes.since()
        bought = await asyncio.gather(*(buys(orders, draft) for draft in drafts))
        assert await writes.since() == 1
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
        orders, writes = await a_shop(pool, limits=Limits(running=1)), Writes(pool)
        users = await customers(pool, 1000, 1000, PRICE - 1, 1000, 1000, 1000, 1000)
        rich, late, poor, busy, again, stranger, last = [await a_draft(orders, user) for user in users]
        await buys(orders, await a_draft(orders, busy.user_id, number=2))
        await buys(orders, again)
        await writes.since()
        outcomes = await asyncio.gather(
            buys(orders, rich),
            buys(orders, late, revision=7),
            buys(orders, poor),
            buys(orders, busy),
            buys(orders, again),
            buys(orders, rich, user_id=stranger.user_id),
            buys(orders, last),
        )
        assert await writes.since() == 1
        wanted = [Created, CardOutdated, NotEnoughMoney, LimitReached, AlreadyStarted, NotOnSale, Created]
        assert kinds(outcomes) == wanted
        held = [(await money_of(pool, user))[1] for user in users]
        assert held == [PRICE, 0, 0, PRICE, PRICE, 0, PRICE]
        async with pool.acquire() as session:
            assert await broken(session) == set()


async def test_a_voucher_pays_for_its_user_and_money_for_the_others(database: str) -> None:
    async with pool_of(database) as pool:
        orders, users, writes = await a_shop(pool), await customers(pool, 0, 1000, 0), Writes(pool)
        await a_code(pool, "FREE", kind="free", amount=1000, generations=1)
        await uses(pool, users[0], "FREE")
        given, paid, without = [await a_draft(orders, user) for user in users]
        await writes.since()
        outcomes = await asyncio.gather(
            buys(orders, given, by_voucher=True), buys(orders, paid), buys(orders, without, by_voucher=True)
        )
        assert await writes.since() == 1
        assert kinds(outcomes) == [Created, Created, CardOutdated]
        assert await pool.fetchval("SELECT job_id FROM pass_uses") == job_of(outcomes[0])
        assert [(await money_of(pool, user))[1] for user in users] == [0, PRICE, 0]


async def test_a_purchase_that_fails_fails_alone(database: str) -> None:
    async with pool_of(database) as pool:
        orders, users = await a_shop(pool), await customers(pool, 1000, 1000)
        drafts = [await a_draft(orders, user) for user in (*users, await without_wallet(pool))]
        first, second, third = await asyncio.gather(*(buys(orders, each) for each in drafts), return_exceptions=True)
        assert isinstance(first, Created)
        assert isinstance(second, Created)
        assert isinstance(third, Corrupt), "this user has no wallet"


async def test_one_whose_row_is_locked_keeps_nobody_waiting(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as other:
        orders, users = await a_shop(pool), await customers(pool, 1000, 1000, 1000)
        drafts = [await a_draft(orders, user) for user in users]
        async with asyncio.TaskGroup() as tasks:
            async with other.transaction():
                await other.execute("SELECT FROM users WHERE user_id = $1 FOR UPDATE", users[0])
                waiting, second, third = [tasks.create_task(buys(orders, each)) for each in drafts]
                assert kinds([await second, await third]) == [Created, Created]
                assert not waiting.done()
            assert kinds([await waiting]) == [Created]


async def test_one_that_was_alone_in_its_batch_and_waits_keeps_nobody_waiting(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as other:
        orders, users = await a_shop(pool), await customers(pool, 1000, 1000, 1000)
        drafts = [await a_draft(orders, user) for user in users]
        async with asyncio.TaskGroup() as tasks:
            async with other.transaction():
                await other.execute("SELECT FROM drafts WHERE user_id = $1 FOR UPDATE", users[0])
                waiting = tasks.create_task(buys(orders, drafts[0]))
                await until_found(lambda: waiting_for(other))
                assert kinds(await asyncio.gather(*(buys(orders, each) for each in drafts[1:]))) == [Created, Created]
                assert not waiting.done()
            assert kinds([await waiting]) == [Created]


async def test_those_that_wait_for_locks_leave_connections_for_everything_else(database: str) -> None:
    async with pool_of(database, size=MAX_ALONE + 1) as pool, connection_of(database) as other:
        orders, users = await a_shop(pool), await customers(pool, *[1000] * (MAX_ALONE + 3))
        drafts = [await a_draft(orders, user) for user in users]
        async with asyncio.TaskGroup() as tasks:
            async with other.transaction():
                await other.execute("SELECT FROM users FOR UPDATE")
                waiting = [tasks.create_task(buys(orders, each)) for each in drafts]
                await until_found(lambda: waiting_for(other, processes=MAX_ALONE))
                async with asyncio.timeout(10):
                    assert await pool.fetchval("SELECT 1") == 1
            assert kinds(await asyncio.gather(*waiting)) == [Created] * len(users)


async def test_one_that_waited_is_judged_by_the_prices_after_the_wait(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as other:
        orders, [user] = await a_shop(pool), await customers(pool, 1000)
        draft = await a_draft(orders, user)
        async with asyncio.TaskGroup() as tasks:
            async with other.transaction():
                await other.execute("SELECT FROM users FOR UPDATE")
                waiting = tasks.create_task(buys(orders, draft))
                await until_found(lambda: waiting_for(other))
                assert (await set_price(pool, "free", confirmed=True)).done
            assert kinds([await waiting]) == [CardOutdated]
        assert await money_of(pool, user) == (1000, 0)


async def test_wallets_are_locked_in_the_order_of_their_users(database: str) -> None:
    """As every transaction locks them: then no two wait for each other."""
    async with pool_of(database) as pool, connection_of(database) as other:
        orders, users = await a_shop(pool), await customers(pool, 1000, 1000, 1000)
        drafts = [await a_draft(orders, user) for user in users]
        async with other.transaction():
            await other.execute("SELECT FROM wallets WHERE user_id = $1 FOR UPDATE", users[0])
            bought = asyncio.gather(*(buys(orders, each) for each in reversed(drafts)))
            await until_found(lambda: waiting_for(other))
            await other.execute("SELECT FROM wallets WHERE user_id > $1 FOR UPDATE NOWAIT", users[0])
        assert kinds(await bought) == [Created] * 3


async def test_a_ban_in_a_batch_locks_no_wallet_out_of_order(database: str) -> None:
    """A ban cancels what its user has queued, which locks their wallet: beside another purchase that could deadlock."""
    async with pool_of(database) as pool, connection_of(database) as other:
        orders = await a_shop(pool, content=content_of(pool, replace(usual_policy(), limit=1)))
        anna, boris = await customers(pool, 1000, 1000)
        assert kinds([await buys(orders, await a_draft(orders, boris, number=2))]) == [Created]
        good, bad = await a_draft(orders, anna), await a_draft(orders, boris, prompt=BAD)
        with logged() as lines:
            async with other.transaction():
                await other.execute("SELECT FROM wallets WHERE user_id = $1 FOR UPDATE", anna)
                bought = asyncio.gather(buys(orders, good), buys(orders, bad))
                await until_found(lambda: waiting_for(other))
                await other.execute("SELECT FROM wallets WHERE user_id = $1 FOR UPDATE", boris)
            outcomes = await bought
        assert kinds(outcomes) == [Created, ContentRefused]
        assert [line["user_id"] for line in lines if line["event"] == "CONTENT_BAN"] == [boris]
        assert [await money_of(pool, user) for user in (anna, boris)] == [(1000 - PRICE, PRICE), (1000, 0)]


async def test_of_two_taps_on_one_card_one_buys_and_the_other_is_told_so(database: str) -> None:
    async with pool_of(database) as pool:
        orders, users = await a_shop(pool), await customers(pool, 1000, 1000)
        twice, once = [await a_draft(orders, user) for user in users]
        outcomes = await asyncio.gather(buys(orders, twice), buys(orders, twice), buys(orders, once))
        assert kinds(outcomes) == [Created, AlreadyStarted, Created]
        assert [await money_of(pool, user) for user in users] == [(1000 - PRICE, PRICE)] * 2


@pytest.mark.parametrize("is_free", [False, True])
async def test_taps_of_one_user_at_once_never_exceed_a_limit(database: str, *, is_free: bool) -> None:
    async with pool_of(database) as pool:
        if is_free:
            assert (await set_price(pool, "free", confirmed=True)).done
        limits = Limits(free_a_day=2) if is_free else Limits(running=2)
        orders = await a_shop(pool, limits=limits)
        [user] = await customers(pool, 10_000)
        drafts = [await a_draft(orders, user, prompt=f"кот {n}", number=n) for n in range(6)]
        outcomes = await asyncio.gather(*(buys(orders, draft) for draft in drafts))
        assert sorted(each.__name__ for each in kinds(outcomes)) == ["Created"] * 2 + ["LimitReached"] * 4


async def test_what_is_logged_of_one_is_not_of_the_tap_that_happens_to_write_the_batch(database: str) -> None:
    """The batch fails for the one without a wallet, and the tap that writes it buys them one by one."""
    async with pool_of(database) as pool:
        orders, users = await a_shop(pool, content=content_of(pool)), await customers(pool, 1000, 1000)
        good, bad = await a_draft(orders, users[0]), await a_draft(orders, users[1], prompt=BAD)
        broken_one = await a_draft(orders, await without_wallet(pool))
        with logged() as lines:
            outcomes = await asyncio.gather(
                *(buys(orders, each) for each in (good, broken_one, bad)), return_exceptions=True
            )
        assert kinds(outcomes) == [Created, Corrupt, ContentRefused]
        [refused] = [line for line in lines if line["event"] == "CONTENT_REFUSED"]
        assert (refused["corr"], refused["update_id"]) == (f"c0ffee{bad.draft_id:02d}", bad.draft_id)
        [created] = [line for line in lines if line["event"] == "JOB_CREATED"]
        assert (created["corr"], created["update_id"]) == (f"c0ffee{good.draft_id:02d}", good.draft_id)
