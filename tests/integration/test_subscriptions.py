"""A subscription in Stars: bought once, renewed, canceled, taken up again; each month is a payment of its own."""

from datetime import UTC, datetime, timedelta
from typing import Any

from photomat.app.settings import Settings
from photomat.app.terms import payment_options_of
from photomat.db.pool import transaction
from photomat.db.rows import require_row
from photomat.kernel.ids import UserId
from photomat.payments.options import plan_of
from photomat.payments.stars import StarPayment, receive_stars
from photomat_sandbox.telegram import payments as sandbox
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.stars import StarSubscription
from support.conversation import Chat, conversation
from support.database import shift_clock
from support.money import rub
from support.paying import (
    STAR_WORTH,
    available,
    declines,
    labels,
    link_on_screen,
    payments_of,
    pays_the_bill,
    reader,
    seen,
    shop_options,
    tell_all,
)

A_MONTH = (300, 40_000, "subscription", "update")
MONTH_S = 2_592_000
BEGAN = datetime(2026, 3, 1, tzinfo=UTC)


async def subscribes(chat: Chat) -> StarSubscription:
    await chat.says("/topup")
    await chat.taps("⭐ Подписка")
    await chat.taps("⭐ Оформить")
    charge = await pays_the_bill(chat)
    assert charge is not None
    return chat.telegram.world.stars.subscriptions[charge.charge_id]


async def page(chat: Chat) -> str:
    await chat.says("/topup")
    await chat.taps("⭐ Подписка")
    return seen(chat)


async def test_each_month_is_a_payment_and_what_it_gives_does_not_expire(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await chat.says("/topup")
        text = await chat.taps("⭐ Подписка")
        assert "не сгорают" in text
        await chat.taps("⭐ Оформить")
        assert labels(chat)[0] == "⭐ Подписаться за 300"
        charge = await pays_the_bill(chat)
        assert charge is not None
        await tell_all(chat)
        until = await chat.pool.fetchval("SELECT expires_at FROM subscriptions")
        assert seen(chat) == f"💰 Зачислено 400 ₽: ⭐ подписка оплачена до {until:%d.%m.%Y}. Доступно: 400 ₽."
        assert "✅ Оплачена до" in await page(chat)
        sandbox.renew(chat.telegram.world, chat.telegram.world.stars.subscriptions[charge.charge_id])
        await chat.handle_all()
        assert await payments_of(chat) == [A_MONTH, A_MONTH]
        assert await available(chat) == 80_000
        months = await chat.pool.fetchval("SELECT expires_at - created_at > interval '59 days' FROM subscriptions")
        assert months, "the second month moves the end"


async def test_a_subscription_gives_more_than_the_same_stars_paid_once_every_month(database: str) -> None:
    plan = plan_of(300, star_worth=STAR_WORTH, currency="RUB", percent=10)
    assert (plan.credit, plan.percent) == (rub(34_320), 10)
    async with conversation(database, options=shop_options(plan=plan), welcome=0) as chat:
        assert "+10 % к каждому платежу" in await page(chat)
        subscription = await subscribes(chat)
        sandbox.renew(chat.telegram.world, subscription)
        await chat.handle_all()
        assert await payments_of(chat) == [(300, 34_320, "subscription", "update")] * 2
        assert await available(chat) == 2 * 34_320


def test_the_advantage_of_a_subscription_is_a_setting_and_a_credit_of_its_own_overrides_it() -> None:
    terms: dict[str, Any] = {"star_usd": "0.013", "usd_rate": "80", "subscription_stars": 300, "_env_file": None}
    usual, none, own = (
        payment_options_of(Settings(**{**terms, **changes})).plan
        for changes in ({}, {"subscription_bonus": 0}, {"subscription_credit": 40_000})
    )
    assert usual is not None
    assert none is not None
    assert own is not None
    assert [(plan.credit.minor, plan.percent) for plan in (usual, none, own)] == [
        (34_320, 10),
        (31_200, 0),
        (40_000, 28),
    ]


async def test_a_subscriber_is_not_sold_a_second_one(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await chat.says("/topup")
        await chat.taps("⭐ Подписка")
        await chat.taps("⭐ Оформить")
        stale = link_on_screen(chat)
        await subscribes(chat)
        assert "✅ Оплачена до" in await page(chat)
        assert await pays_the_bill(chat, link=stale) is None
        assert "уже есть" in declines(chat.telegram)[-1]


async def test_cancel_ends_it_with_the_paid_month_and_resume_says_how(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        subscription = await subscribes(chat)
        await page(chat)
        await chat.taps("⏹ Отменить")
        assert subscription.canceled
        assert "больше ничего не спишется" in chat.answers[-1]
        assert "⏹ Отменена. Оплачена до" in seen(chat)
        await chat.taps("▶️ Возобновить")
        assert not subscription.bot_canceled
        assert "включите её в Telegram" in chat.answers[-1]
        sandbox.resume(chat.telegram.world, subscription)
        await chat.handle_all()
        assert "✅ Оплачена до" in await page(chat)


async def subscribes_twice_at_once(chat: Chat) -> list[StarSubscription]:
    """Two bills are opened, and both are paid before the bot has heard of either."""
    for _ in range(2):
        await chat.says("/topup")
        await chat.taps("⭐ Подписка")
        await chat.taps("⭐ Оформить")
    world = chat.telegram.world
    for bill in list(world.bills.values()):
        person_acts.pay_bill(world, chat.person, bill)
    await chat.handle_all()
    await chat.handle_all()
    return list(world.stars.subscriptions.values())


async def test_whoever_paid_two_subscriptions_at_once_ends_both_by_one_cancel(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        first, second = await subscribes_twice_at_once(chat)
        open_ones = await chat.pool.fetch("SELECT kind, reference FROM differences WHERE resolved_at IS NULL")
        assert [row["kind"] for row in open_ones] == ["two-subscriptions"]
        assert await available(chat) == 80_000
        await page(chat)
        await chat.taps("⏹ Отменить")
        assert (first.canceled, second.canceled) == (True, True)
        assert "больше ничего не спишется" in seen(chat)
        states = await chat.pool.fetch("SELECT state FROM subscriptions")
        assert [row["state"] for row in states] == ["canceled", "canceled"]


async def test_where_one_of_two_goes_on_the_page_shows_that_one(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        _, second = await subscribes_twice_at_once(chat)
        sandbox.cancel(chat.telegram.world, second)
        await chat.handle_all()
        assert "✅ Оплачена до" in await page(chat)


async def test_what_the_user_and_an_empty_purse_do_at_telegram_is_shown(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        subscription = await subscribes(chat)
        sandbox.fail_renewal(chat.telegram.world, subscription)
        await chat.handle_all()
        await tell_all(chat)
        assert "Подписка не продлилась" in seen(chat)
        assert "не хватило звёзд" in await page(chat)
        sandbox.renew(chat.telegram.world, subscription)
        await chat.handle_all()
        assert "✅ Оплачена до" in await page(chat)
        sandbox.cancel(chat.telegram.world, subscription)
        await chat.handle_all()
        assert "⏹ Отменена" in await page(chat)


async def test_what_is_over_can_be_bought_again(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        subscription = await subscribes(chat)
        sandbox.cancel(chat.telegram.world, subscription)
        await chat.handle_all()
        async with chat.pool.acquire() as connection:
            await shift_clock(connection, MONTH_S + 60)
        await reader(chat).read_once()
        assert await chat.pool.fetchval("SELECT state FROM subscriptions") == "ended"
        assert "300 звёзд в месяц, и каждый месяц" in await page(chat)


async def test_months_told_out_of_order_are_one_subscription(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await chat.says("/topup")
        await chat.taps("⭐ Подписка")
        await chat.taps("⭐ Оформить")
        for charge_id, days in (("second", 60), ("first", 30)):
            async with transaction(chat.pool) as tx:
                await receive_stars(tx, a_month(chat, charge_id, days=days), shop_options())
        row = await require_row(chat.pool, "SELECT charge_id, expires_at, count(*) OVER () AS count FROM subscriptions")
        assert (row["charge_id"], row["expires_at"], row["count"]) == ("first", BEGAN + timedelta(days=60), 1)


async def test_months_whose_updates_were_lost_are_found_in_telegrams_list(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        subscription = await subscribes(chat)
        chat.telegram.faults.arm(world="telegram", method="update.successful_payment", action="never")
        sandbox.renew(chat.telegram.world, subscription)
        await chat.handle_all()
        assert await payments_of(chat) == [A_MONTH]
        assert await reader(chat).read_once() == 1
        assert await payments_of(chat) == [A_MONTH, (300, 40_000, "subscription", "reconcile")]
        assert await chat.pool.fetchval("SELECT count(*) FROM subscriptions") == 1


def a_month(chat: Chat, charge_id: str, *, days: int) -> StarPayment:
    return StarPayment(
        charge_id=charge_id,
        user_id=UserId(chat.person.user_id),
        stars=300,
        payload="t:1",
        paid_at=BEGAN + timedelta(days=days - 30),
        via="update",
        is_subscription=True,
        until=BEGAN + timedelta(days=days),
        is_first=charge_id == "first",
    )
