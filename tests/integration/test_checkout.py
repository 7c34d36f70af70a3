"""Before anything is paid Telegram asks, and is answered in time: yes, no with a reason, and no when nobody can know."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from photomat.bot.checkout_guard import ANSWER_WITHIN_S, ASK_WITHIN_S, PATIENCE_S, CheckoutGuard
from photomat.bot.updates import Poller
from photomat.inbox.receive import is_handled
from photomat.kernel.ids import BotId, UserId
from photomat.kernel.money import Money
from photomat.payments.stars import invoice_payload
from photomat.payments.topup import open_topup
from photomat.texts.load import load_texts
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.stars import StarBill
from support.conversation import Chat, conversation
from support.database import pool_of, shift_clock
from support.money import rub
from support.paying import declines, link_on_screen, pays_the_bill, shop_options
from support.telegram_sim import running_telegram, until

DAY_S = 86_400
TELEGRAM_WAITS_S = 10


async def a_bill(chat: Chat, label: str = "⭐ 50") -> str:
    await chat.says("/topup")
    await chat.taps("⭐ Telegram Stars")
    await chat.taps(label)
    return link_on_screen(chat)


async def test_a_bill_is_payable_for_a_day_and_then_declined_with_a_reason(database: str) -> None:
    async with conversation(database, options=shop_options()) as chat:
        first, link = await a_bill(chat), await a_bill(chat)
        async with chat.pool.acquire() as connection:
            await shift_clock(connection, DAY_S - 60)
            assert await pays_the_bill(chat, link=first) is not None
            await shift_clock(connection, 60)
        assert await pays_the_bill(chat, link=link) is None
        assert declines(chat.telegram) == ["Счёт устарел, ничего не списано. Откройте /topup, новый займёт секунду."]


@pytest.mark.parametrize(
    "bill",
    [
        StarBill(title="?", description="?", amount=50, payload="somebody-else's"),
        StarBill(title="?", description="?", amount=50, payload="t:00000000-0000-0000-0000-000000000001"),
        StarBill(title="?", description="?", amount=50, payload="t:1"),
    ],
    ids=["a foreign payload", "no such offer", "a bare number"],
)
async def test_what_is_no_offer_of_ours_is_declined(database: str, bill: StarBill) -> None:
    async with conversation(database, options=shop_options()) as chat:
        await a_bill(chat)
        person_acts.pay_bill(chat.telegram.world, chat.person, bill)
        await chat.handle_all()
        assert chat.telegram.world.stars.charges == []
        assert "не знаком" in declines(chat.telegram)[0]


async def test_another_sum_than_was_offered_is_declined(database: str) -> None:
    async with conversation(database, options=shop_options()) as chat:
        await a_bill(chat)
        payload = "t:" + await chat.pool.fetchval("SELECT token::text FROM topups")
        bill = StarBill(title="?", description="?", amount=1, payload=payload)
        person_acts.pay_bill(chat.telegram.world, chat.person, bill)
        await chat.handle_all()
        assert chat.telegram.world.stars.charges == []
        assert "не знаком" in declines(chat.telegram)[0]


async def test_a_way_switched_off_meanwhile_is_declined(database: str) -> None:
    async with conversation(database, options=shop_options(packages=())) as chat:
        await chat.says("/start")
        topup = await open_topup(
            chat.pool,
            origin="test",
            bot_id=BotId(chat.bot.id),
            user_id=UserId(chat.person.user_id),
            method="stars",
            asked=Money(50, "XTR"),
            credit=rub(5200),
        )
        bill = StarBill(title="?", description="?", amount=50, payload=invoice_payload(topup))
        person_acts.pay_bill(chat.telegram.world, chat.person, bill)
        await chat.handle_all()
        assert chat.telegram.world.stars.charges == []
        assert "выключен" in declines(chat.telegram)[0]


async def test_who_has_stopped_the_bot_is_not_charged(database: str) -> None:
    async with conversation(database, options=shop_options()) as chat:
        link = await a_bill(chat)
        await chat.pool.execute("UPDATE users SET blocked_at = photomat_now()")
        assert await pays_the_bill(chat, link=link) is None
        assert "остановили бота" in declines(chat.telegram)[0]


def guard_of(chat: Chat, **options: Any) -> CheckoutGuard:
    async def handled(update_id: int) -> bool:
        return await is_handled(chat.pool, bot_id=BotId(chat.bot.id), update_id=update_id)

    return CheckoutGuard(bot=chat.bot, texts=load_texts(), is_handled=handled, **options)


@asynccontextmanager
async def on_guard(guard: CheckoutGuard) -> AsyncIterator[None]:
    stop = asyncio.Event()
    async with asyncio.TaskGroup() as group:
        group.create_task(guard.run(stop))
        yield
        stop.set()


def a_query(language: str = "ru") -> dict[str, Any]:
    sender = {"id": 7, "is_bot": False, "first_name": "Anna", "language_code": language}
    query = {"id": "q-1", "from": sender, "currency": "XTR", "total_amount": 50, "invoice_payload": "t:1"}
    return {"update_id": 1, "pre_checkout_query": query}


async def test_what_cannot_be_stored_is_declined_at_once_without_any_database() -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:

        async def never(_update_id: int) -> bool:
            raise AssertionError("nobody asks a database that is away")

        async def store() -> None:
            raise ConnectionRefusedError("no database")

        anna = telegram.person("Анна")
        query_id = person_acts.pay_bill(
            telegram.world, anna, StarBill(title="?", description="?", amount=50, payload="t:1")
        )
        update = a_query()
        update["pre_checkout_query"]["id"] = query_id
        guard = CheckoutGuard(bot=bot, texts=load_texts(), is_handled=never)
        with pytest.raises(ConnectionRefusedError):
            await guard.store_guarded([update], store)
        assert telegram.world.stars.charges == []
        assert declines(telegram) == [load_texts().say("ru", "checkout-trouble")]


def test_our_limits_together_are_shorter_than_telegrams() -> None:
    assert PATIENCE_S + ASK_WITHIN_S + ANSWER_WITHIN_S < TELEGRAM_WAITS_S


async def test_what_was_stored_and_is_not_answered_in_time_is_declined(database: str) -> None:
    async with conversation(database, options=shop_options()) as chat:
        link, world = await a_bill(chat), chat.telegram.world
        guard = guard_of(chat, patience_s=0.2)
        async with on_guard(guard):
            query_id = person_acts.pay_bill(world, chat.person, world.bills[link])
            updates = await chat.bot.get_updates(allowed_updates=["pre_checkout_query"])
            raw = [{"update_id": one.update_id, "pre_checkout_query": {"id": query_id}} for one in updates]

            async def stored() -> bool:
                await chat.fetch()
                return True

            assert await guard.store_guarded(raw, stored)
            await until(lambda: chat.calls("answerPreCheckoutQuery") == 1)
        await chat.handle_all()
        assert world.stars.charges == [], "the second answer, a yes, came too late and changes nothing"


async def test_what_was_answered_in_time_is_left_alone(database: str) -> None:
    async with conversation(database, options=shop_options()) as chat:
        link, world = await a_bill(chat), chat.telegram.world
        guard = guard_of(chat, patience_s=0.2)
        query_id = person_acts.pay_bill(world, chat.person, world.bills[link])
        updates = await chat.bot.get_updates(allowed_updates=["pre_checkout_query"])
        raw = {"update_id": updates[0].update_id, "pre_checkout_query": {"id": query_id}}
        await chat.handle_all()
        watched = guard._read(raw)  # noqa: SLF001  what the guard makes of an update
        assert watched is not None
        await guard.decline_when_due(watched)
        assert chat.calls("answerPreCheckoutQuery") == 1
        assert len(world.stars.charges) == 1


async def test_long_polling_declines_what_it_cannot_store_and_asks_for_it_again(database: str) -> None:
    async with conversation(database, options=shop_options()) as chat:
        link, world = await a_bill(chat), chat.telegram.world
        async with pool_of(database) as closed:
            closed.terminate()
        guard = guard_of(chat)
        poller = Poller(pool=closed, bot=chat.bot, wake=lambda _name: None, wait_s=0, guard=guard)
        person_acts.pay_bill(world, chat.person, world.bills[link])
        with pytest.raises(asyncpg.InterfaceError):
            await poller.run_once()
        assert declines(chat.telegram) == [load_texts().say("ru", "checkout-trouble")]
        await chat.handle_all()
        assert world.stars.charges == [], "stored and answered later, which changes nothing"
        assert await pays_the_bill(chat, link=link) is not None
