"""What a customer sees of prices and limits: why it costs that, a new price before paying, and until when they must wait."""

from datetime import timedelta

from photomat.kernel.ids import UserId
from photomat.orders.limits import Limits
from support.conversation import Chat, conversation
from support.jobs import money_of
from support.prices import clear_price, set_price

FREE = Limits(free_a_day=1)


async def order(chat: Chat) -> None:
    await chat.taps("🖼 Создать картинку")
    await chat.taps("Z-Image")
    await chat.says("кот-космонавт")
    await chat.taps("1:1")


async def test_why_is_answered_on_the_card_and_leads_back_to_it(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        page = await chat.taps("❓ Цена")
        assert "0,64\N{NO-BREAK SPACE}₽ за одну генерацию" in page
        assert "Итого" in page
        assert "0,32" not in page
        assert "Цена: " in await chat.taps("◀️ Назад")
        await chat.taps("✅ Создать")
        assert chat.answers[-1].startswith("Принято")


async def test_a_price_that_changes_is_on_the_card_before_anybody_pays_it(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        assert (await set_price(chat.pool, "fixed", "90")).done
        renewed = await chat.taps("✅ Создать · 0,64")
        assert chat.answers[-1].startswith("Условия изменились")
        assert "0,90" in renewed
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 0
        await chat.taps("✅ Создать · 0,90")
        assert await chat.pool.fetchval("SELECT quote ->> 'rule' FROM generation_jobs WHERE price = 90") == "fixed"


async def test_asking_why_after_a_change_shows_the_new_price_on_the_card(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        await set_price(chat.pool, "discount", "25")
        assert "0,48" in await chat.taps("❓ Цена")
        assert chat.answers[-1].startswith("Условия изменились")
        assert "Скидка 25 %" in await chat.taps("❓ Цена")


async def test_the_list_shows_the_price_an_operator_set(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await set_price(chat.pool, "fixed", "100")
        await chat.taps("🖼 Создать картинку")
        assert chat.button("Z-Image · 1\N{NO-BREAK SPACE}₽")
        await clear_price(chat.pool)
        await chat.taps("🏠 Меню")
        await chat.taps("🖼 Создать картинку")
        assert chat.button("Z-Image · 0,64\N{NO-BREAK SPACE}₽")


async def test_a_free_model_is_free_as_often_as_the_quota_says_and_tells_until_when(database: str) -> None:
    async with conversation(database, welcome=0, limits=FREE) as chat:
        await set_price(chat.pool, "free", confirmed=True)
        await chat.orders_a_cat()
        assert "бесплатна: 1 раз за 24 часа" in await chat.taps("❓ Цена")
        await chat.taps("◀️ Назад")
        await chat.taps("✅ Создать")
        assert chat.answers[-1].startswith("Принято")
        await chat.says("/start")
        await order(chat)
        await chat.taps("✅ Создать")
        assert chat.answers[-1].startswith("Бесплатно можно 1 раз в сутки")
        assert chat.answers[-1].endswith(("Снова можно через 24 ч 0 мин.", "Снова можно через 23 ч 59 мин."))
        assert await money_of(chat.pool, UserId(chat.person.user_id)) == (0, 0)


async def test_a_pause_between_orders_is_told_in_seconds(database: str) -> None:
    async with conversation(database, limits=Limits(pause=timedelta(seconds=40))) as chat:
        await chat.orders_a_cat()
        await chat.taps("✅ Создать")
        await chat.says("/start")
        await order(chat)
        await chat.taps("✅ Создать")
        assert chat.answers[-1].startswith("Между заказами нужна пауза 40 с. Снова можно через")
        assert chat.answers[-1].endswith(" с.")


async def test_a_job_tells_why_it_cost_that_also_after_the_price_has_changed(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        card, _ = chat.button("✅ Создать")
        await chat.taps("✅ Создать")
        await set_price(chat.pool, "fixed", "100")
        job_id = await chat.pool.fetchval("SELECT job_id FROM generation_jobs")
        chat.telegram.taps(chat.person, card, f"j:{job_id}:why")
        await chat.handle_all()
        assert "Почему 0,64" in chat.newest
        assert "за одну генерацию" in chat.newest
