"""What is left on the screen after something ended says that it ended, and each page leads on to where one came from."""

from dataclasses import replace

from photomat.bot.buttons import TransferReceiptButton
from photomat.db.pool import transaction
from photomat.jobs.settle import Failure
from photomat.kernel.ids import JobId, UserId
from photomat.payments.invoices import InvoicePoller
from photomat.wallet import refunds
from support.conversation import Chat, conversation
from support.database import shift_clock
from support.jobs import settle_now
from support.money import rub
from support.paying import labels, pays_the_bill, seen, shop_options, tell_all
from support.payments import ScriptedProvider
from support.rewards import a_code
from support.transfers import receipt_picture, transfer_shop


async def a_bill(chat: Chat) -> None:
    await chat.says("/topup")
    await chat.taps("💳 Карта")
    await chat.taps("500")


async def test_a_bill_that_is_over_shows_so_and_cannot_be_pressed_again(database: str) -> None:
    provider = ScriptedProvider()
    async with conversation(database, options=shop_options(), providers={"yookassa": provider}) as chat:
        await a_bill(chat)
        provider.says("bill-1", token=provider.asked[0].token, state="paid", paid=rub(50_000))
        looker = InvoicePoller(pool=chat.pool, providers={provider.name: provider})
        await chat.taps("🔄 Проверить")
        for bill in await looker.claim(9):
            await looker.poll(bill)
        await chat.taps("🔄 Проверить")
        assert "счёт оплачен" in seen(chat)
        assert labels(chat)[-2:] == ["💰 Баланс", "🏠 Меню"]
        await a_bill(chat)
        await chat.pool.execute("UPDATE provider_invoices SET state = 'canceled' WHERE topup_id = 2")
        await chat.taps("🔄 Проверить")
        assert "отменён или просрочен" in seen(chat)
        assert "🔄 Проверить оплату" not in labels(chat)


async def test_a_bill_its_provider_does_not_know_is_no_longer_waited_for(database: str) -> None:
    async with conversation(database, options=shop_options(), providers={"yookassa": ScriptedProvider()}) as chat:
        await a_bill(chat)
        await chat.pool.execute("UPDATE provider_invoices SET state = 'unknown'")
        await chat.taps("🔄 Проверить")
        assert "отменён или просрочен" in chat.answers[-1]


async def test_a_declined_receipt_is_sent_again_for_the_same_transfer(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        await shop.settles()
        await shop.peter.taps("❌ Отклонить")
        await shop.peter.taps("Чек не читается")
        await shop.settles()
        await shop.anna.taps("🏦 Прислать чек ещё раз")
        assert "Жду чек на 500 ₽" in shop.anna.newest
        assert "на проверке" in await shop.anna.sends(receipt_picture("red"))
        first, second = await shop.pool.fetch("SELECT topup_id FROM receipts ORDER BY receipt_id")
        assert first == second
        again = TransferReceiptButton(topup_id=first["topup_id"]).pack()
        assert repr(again) in str(await shop.pool.fetch("SELECT buttons FROM notices"))


async def test_a_gift_taken_back_by_who_owes_says_what_went_into_the_debt(database: str) -> None:
    async with conversation(database, welcome=10_000) as chat:
        await chat.says("/gift 50")
        async with transaction(chat.pool) as tx:
            user_id = UserId(chat.person.user_id)
            await refunds.take_back(tx, user_id=user_id, amount=rub(8000), reference="back:1", reason="referral")
        await chat.taps("↩️ Забрать 50")
        assert chat.answers[-1].replace("\u00a0", " ") == "50 ₽ вернулись: 30 ₽ ушли в счёт долга, 20 ₽ на балансе"


async def test_a_free_order_that_failed_gives_the_free_generation_back(database: str) -> None:
    async with conversation(database, welcome=0) as chat:
        await a_code(chat.pool, "FREE", kind="free", amount=10_000, generations=1)
        await chat.says("/promo free")
        await chat.orders_a_cat()
        await chat.taps("🎟 Потратить подарок")
        await settle_now(chat.pool, JobId(1), Failure(code="422"))
        await chat.says("/history")
        assert "бесплатная генерация снова ваша" in seen(chat)
        assert "0 ₽ вернулись" not in seen(chat)


async def test_the_subscription_leads_back_to_the_order_it_was_opened_from(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await chat.orders_a_cat()
        await chat.taps("💳 Пополнить")
        await chat.taps("⭐ Подписка")
        await chat.taps("⭐ Оформить")
        await chat.taps("⬅️ Назад")
        await chat.taps("💳 Пополнить", message_id=chat.screen()[-1]["message_id"])
        assert "На ваш заказ не хватает" in seen(chat)
        await chat.taps("⭐ Подписка")
        await chat.taps("⭐ Оформить")
        await pays_the_bill(chat)
        assert await chat.pool.fetchval("SELECT draft_id FROM topups ORDER BY topup_id DESC LIMIT 1") == 1


async def test_the_card_of_an_order_that_ran_elsewhere_becomes_one_sentence(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await chat.orders_a_cat()
        card = chat.screen()[-1]["message_id"]
        await chat.taps("💳 Пополнить")
        await chat.taps("⭐ Telegram Stars")
        await chat.taps("⭐ 100")
        await pays_the_bill(chat)
        await tell_all(chat)
        await chat.taps("✅ Создать", message_id=chat.screen()[-1]["message_id"])
        await chat.taps("✅ Создать", message_id=card)
        left = next(one for one in chat.screen() if one["message_id"] == card)
        assert "уже запущен" in left["text"]
        assert "Не хватает" not in left["text"]
        assert "✅" not in str(left["inline_keyboard"])


async def test_operators_and_nobody_else_are_told_of_receipts(database: str) -> None:
    async with transfer_shop(database) as shop:
        assert "/receipts" in await shop.peter.says("/help")
        assert "/receipts" not in await shop.anna.says("/help")


async def test_the_list_of_receipts_counts_once_when_it_shows_all(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        assert await shop.peter.says("/receipts") == "Ждут решения: 1."


async def test_a_sum_that_does_not_do_leaves_a_way_back(database: str) -> None:
    async with conversation(database, options=shop_options(), providers={"yookassa": ScriptedProvider()}) as chat:
        await chat.says("/topup")
        await chat.taps("💳 Карта")
        await chat.taps("✍️ Своя сумма")
        assert "/cancel" in await chat.says("1")
        await chat.taps("⬅️ Назад", message_id=chat.screen()[-1]["message_id"])
        assert "На сколько пополнить" in seen(chat)


async def test_a_transfer_that_was_left_offers_to_begin_again(database: str) -> None:
    async with transfer_shop(database) as shop:
        await shop.anna.names()
        await shop.anna.says("/cancel")
        assert [one["text"] for row in shop.anna.screen()[-1]["inline_keyboard"] for one in row] == [
            "🏦 Перевод",
            "💳 Пополнить",
            "🏠 Меню",
        ]


async def test_who_has_nothing_is_not_asked_how_much_to_give(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        assert "дарить нечего" in await chat.says("/gift")
        assert "💳 Пополнить" in labels(chat)
        assert "Напишите, что сделать" in await chat.says("12")


async def test_a_gift_opened_again_by_who_has_it_is_no_second_gift(database: str) -> None:
    async with conversation(database, welcome=10_000) as chat:
        await chat.says("/gift 40")
        code = await chat.pool.fetchval("SELECT code FROM gifts")
        boris = replace(chat, person=chat.telegram.person("Борис"))
        await boris.says(f"/start gift_{code}")
        assert "Вам подарили" in str(boris.screen()[-2]["text"])
        await shift_clock(chat.pool, 10)
        await boris.says(f"/start gift_{code}")
        assert "уже у вас" in str(boris.screen()[-2]["text"])
