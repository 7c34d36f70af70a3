"""An open question is left by opening another page: what is typed later is no answer to it, and moves no money."""

import pytest

from photomat.kernel.ids import UserId
from support.conversation import conversation
from support.jobs import money_of
from support.paying import shop_options
from support.payments import ScriptedProvider
from support.rewards import a_code
from support.transfers import receipt_picture, transfer_shop

PAGES = ("🏠 Меню", "/balance", "/history", "/help", "/statement", "/invite", "/lang")


@pytest.mark.parametrize("page", PAGES)
async def test_a_number_typed_on_another_page_is_no_gift(database: str, page: str) -> None:
    async with conversation(database, welcome=10_000) as chat:
        await chat.says("/gift")
        await (chat.says(page) if page.startswith("/") else chat.taps(page))
        assert "Напишите, что сделать" in await chat.says("12")
        assert (await money_of(chat.pool, UserId(chat.person.user_id)))[0] == 10_000


@pytest.mark.parametrize("page", ["💰 Баланс", "💳 Пополнить", "🗂 История", "ℹ️ Помощь", "🌐", "🖼 Создать картинку"])
async def test_every_place_of_an_older_menu_leaves_the_question_for_a_code(database: str, page: str) -> None:
    async with conversation(database) as chat:
        await a_code(chat.pool, "HELLO")
        await chat.says("/start")
        await chat.says("/promo")
        await chat.taps(page)
        assert "Напишите, что сделать" in await chat.says("привет")
        assert await chat.pool.fetchval("SELECT count(*) FROM promo_tries") == 0


async def test_the_menu_leaves_the_question_for_the_sum_of_a_bill(database: str) -> None:
    provider = ScriptedProvider()
    async with conversation(database, options=shop_options(), providers={"yookassa": provider}) as chat:
        await chat.says("/start")
        menu = chat.screen()[-1]["message_id"]
        await chat.says("/topup")
        await chat.taps("💳 Карта")
        await chat.taps("✍️ Своя сумма")
        await chat.taps("ℹ️ Помощь", message_id=menu)
        assert "Напишите, что сделать" in await chat.says("500")
        assert provider.asked == []


async def test_an_operator_who_went_elsewhere_decides_nothing_by_typing(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        await shop.settles()
        await shop.peter.taps("❌ Отклонить")
        await shop.peter.says("/balance")
        await shop.peter.says("привет")
        assert await shop.pool.fetchval("SELECT state FROM receipts") == "waiting"


async def test_a_receipt_is_still_waited_for_after_a_look_at_the_menu(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.says("/start")
        menu = shop.anna.screen()[-1]["message_id"]
        await shop.anna.names()
        await shop.anna.taps("💰 Баланс", message_id=menu)
        assert "на проверке" in await shop.anna.sends(receipt_picture())
