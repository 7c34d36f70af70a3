"""What a customer sees on the way to a picture, over a simulated Telegram."""

import pytest

from photomat.db.pool import transaction
from photomat.db.rows import require_row
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.wallet.ledger import credit
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.stars import StarBill
from support.conversation import Chat, conversation

SPACE = "\N{NO-BREAK SPACE}"


async def jobs(chat: Chat) -> int:
    return int(await chat.pool.fetchval("SELECT count(*) FROM generation_jobs"))


async def test_from_start_to_an_accepted_order(database: str) -> None:
    async with conversation(database) as chat:
        greeting = await chat.says("/start")
        assert "Анна" in greeting
        assert f"10{SPACE}₽" in greeting
        await chat.taps("🖼 Создать картинку")
        assert chat.button(f"Z-Image · 0,64{SPACE}₽")
        assert "1000" in await chat.taps("Z-Image")
        await chat.says("кот & <космонавт>")
        card = await chat.taps("1:1")
        assert "кот & <космонавт>" in card
        assert f"0,64{SPACE}₽" in card
        card_id, _ = chat.button(f"✅ Создать · 0,64{SPACE}₽")
        await chat.taps("✅ Создать")
        assert chat.answers[-1].startswith("Принято")
        made = await require_row(chat.pool, "SELECT model, inputs, price, card_message_id FROM generation_jobs")
        assert tuple(made) == ("z-image", {"prompt": "кот & <космонавт>", "aspect_ratio": "1:1"}, 64, card_id)
        assert f"9,36{SPACE}₽" in await chat.says("/balance")


async def test_every_tap_is_answered_exactly_once(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        await chat.taps("✏️ Изменить")
        await chat.taps("◀️ Назад")
        await chat.taps("✅ Создать")
        assert len(chat.answers) == chat.calls("answerCallbackQuery") == 6


async def test_a_double_tap_makes_one_job_and_says_so(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        card_id, data = chat.button("✅ Создать")
        chat.telegram.taps(chat.person, card_id, data)
        chat.telegram.taps(chat.person, card_id, data)
        await chat.handle_all()
        assert await jobs(chat) == 1
        assert chat.answers[-2].startswith("Принято")
        assert "уже принят" in chat.answers[-1]


async def test_a_prompt_that_is_too_long_is_told_the_limit_and_by_how_much(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        await chat.taps("Z-Image")
        refusal = await chat.says("я" * 1023)
        assert "1000" in refusal
        assert "на 23 больше" in refusal
        assert "Выберите формат" in await chat.says("я" * 1000)


async def test_a_picture_where_words_are_expected_is_told_what_is_expected(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        await chat.taps("Z-Image")
        await person_acts.send_file(chat.telegram.world, chat.person, b"%PDF-1.4", kind="document", name="a.pdf")
        await chat.handle_all()
        assert "нужен текст" in chat.newest
        assert "Выберите формат" in await chat.says("кот")
        assert "кнопкой" in await chat.says("квадратный")
        assert "Цена" in await chat.says("1:1")


async def test_not_enough_money_says_what_is_missing_and_keeps_the_draft(database: str) -> None:
    async with conversation(database, welcome=50) as chat:
        await chat.orders_a_cat()
        assert f"Не хватает 0,14{SPACE}₽" in chat.newest
        await chat.taps("✅ Создать")
        for figure in ("0,14", "0,64", "0,50"):
            assert f"{figure}{SPACE}₽" in chat.answers[-1]
        assert await jobs(chat) == 0
        async with transaction(chat.pool) as tx:
            user_id = UserId(chat.person.user_id)
            await credit(tx, user_id=user_id, amount=Money(14, "RUB"), reference="bonus:1", reason="operator")
        await chat.taps("✅ Создать")
        assert await jobs(chat) == 1


async def test_a_changed_prompt_is_bought_and_the_old_card_is_shown_anew(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        old_card, old_data = chat.button("✅ Создать")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Описание")
        await chat.says("пёс-водолаз")
        assert "пёс-водолаз" in chat.newest
        chat.telegram.taps(chat.person, old_card, old_data)
        await chat.handle_all()
        assert await jobs(chat) == 0
        assert "обновлённую" in chat.answers[-1]
        await chat.taps("✅ Создать", message_id=old_card)
        inputs = await chat.pool.fetchval("SELECT inputs FROM generation_jobs")
        assert inputs == {"prompt": "пёс-водолаз", "aspect_ratio": "1:1"}


async def test_leaving_a_change_goes_back_to_the_card(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Формат")
        await chat.taps("◀️ К заказу")
        assert "кот-космонавт" in chat.newest
        await chat.taps("✅ Создать")
        assert await jobs(chat) == 1


async def test_a_bought_card_can_neither_be_changed_nor_put_away(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        card_id, _ = chat.button("✏️ Изменить")
        await chat.taps("✅ Создать")
        before = chat.newest
        await chat.taps("✏️ Изменить", message_id=card_id)
        await chat.taps("✖️ Отмена", message_id=card_id)
        assert chat.newest == before
        assert all("уже запущен" in answer for answer in chat.answers[-2:])


async def test_a_canceled_draft_cannot_be_bought_any_more(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        card_id, data = chat.button("✅ Создать")
        await chat.taps("✖️ Отмена")
        assert "отменён" in chat.newest
        chat.telegram.taps(chat.person, card_id, data)
        await chat.handle_all()
        assert "устарел" in chat.answers[-1]
        assert await jobs(chat) == 0


@pytest.mark.parametrize(
    "data",
    [
        "o:1:1:0",
        "x:1",
        "d:create:99:1",
        "e:99:0",
        "n:no-such",
        "j:99:cancel",
        "выдумка",
        f"j:{2**63}:cancel",
        f"d:create:{2**63}:1",
        f"j:1:page:{2**31}",
    ],
)
async def test_a_stale_button_is_answered_with_what_to_do(database: str, data: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        greeting = chat.screen()[-1]["message_id"]
        chat.telegram.taps(chat.person, greeting, data)
        await chat.handle_all()
        assert len(chat.answers) == 1
        assert chat.answers[0]


async def test_the_button_of_an_answered_question_is_stale(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        message_id, _ = chat.button("✅ Создать")
        chat.telegram.taps(chat.person, message_id, "o:1:1:0")
        await chat.handle_all()
        assert "закрыт" in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == 1


async def test_nothing_said_outside_a_form_meets_silence(database: str) -> None:
    async with conversation(database) as chat:
        assert "кота" in await chat.says("нарисуй кота")
        assert chat.button("✅ Создать")
        assert "/help" in await chat.says("/imagine кот")
        await person_acts.send_file(chat.telegram.world, chat.person, b"%PDF-1.4", kind="document", name="a.pdf")
        await chat.handle_all()
        assert "не умею" in chat.newest


async def test_cancel_leaves_the_form(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        await chat.taps("Z-Image")
        assert "прервано" in await chat.says("/cancel")
        assert "Баланс" in await chat.says("кот"), "an order of its own"
        assert "ждёт на карточке" in await chat.says("/cancel")


async def test_english_from_the_button_on(database: str) -> None:
    async with conversation(database) as chat:
        assert "Здравствуйте" in await chat.says("/start")
        await chat.taps("➕ Ещё")
        await chat.taps("🌐")
        assert "Main menu" in await chat.taps("🇬🇧 English")
        assert "Available" in await chat.says("/balance")
        await chat.taps("🖼 Create a picture")
        await chat.taps("Z-Image")
        await chat.says("a cat")
        await chat.taps("16:9")
        await chat.taps("✅ Create")
        assert await chat.pool.fetchval("SELECT language FROM generation_jobs") == "en"


@pytest.mark.parametrize(
    ("reported", "hello"), [("ru", "Здравствуйте"), ("uk", "Здравствуйте"), ("en", "Hello"), ("pt-br", "Hello")]
)
async def test_a_new_user_is_greeted_in_the_language_telegram_reports(database: str, reported: str, hello: str) -> None:
    async with conversation(database, language_code=reported) as chat:
        assert hello in await chat.says("/start")


async def test_history_repeats_an_order_on_a_new_card(database: str) -> None:
    async with conversation(database) as chat:
        assert "пока нет" in await chat.says("/history")
        await chat.orders_a_cat()
        await chat.taps("✅ Создать")
        assert "Z-Image" in await chat.says("/history")
        history_id = chat.screen()[-1]["message_id"]
        await chat.taps("🔁")
        assert chat.screen()[-1]["message_id"] > history_id
        await chat.taps("✅ Создать")
        assert await jobs(chat) == 2


async def test_a_name_is_shown_as_written_and_never_as_markup(database: str) -> None:
    async with conversation(database, first_name="<b>Ann & Co</b>") as chat:
        assert "<b>Ann & Co</b>" in await chat.says("/start")


async def test_blocking_is_noted_and_returning_arms_the_cards_again(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        await chat.taps("✅ Создать")
        await chat.pool.execute("UPDATE generation_jobs SET undeliverable_at = photomat_now()")
        person_acts.set_blocked(chat.telegram.world, chat.person, blocked=True)
        await chat.handle_all()
        assert await chat.pool.fetchval("SELECT blocked_at IS NOT NULL FROM users")
        person_acts.set_blocked(chat.telegram.world, chat.person, blocked=False)
        await chat.handle_all()
        assert await chat.pool.fetchval("SELECT blocked_at IS NULL FROM users")
        assert await chat.pool.fetchval("SELECT undeliverable_at IS NULL FROM generation_jobs")


async def test_a_checkout_is_refused_at_once_with_a_reason(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        bill = StarBill(title="Пополнение", description="?", amount=5, payload="x")
        person_acts.pay_bill(chat.telegram.world, chat.person, bill)
        await chat.handle_all()
        events = chat.telegram.transcript.since(0)
        assert any("счёт мне не знаком" in event.summary for event in events)
        assert await chat.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 0


async def test_a_job_is_canceled_from_its_own_card_once_and_only_there(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        card_id, _ = chat.button("✅ Создать")
        await chat.taps("✅ Создать")
        job_id = await chat.pool.fetchval("SELECT job_id FROM generation_jobs")
        await chat.says("/start")
        greeting_id = chat.screen()[-1]["message_id"]
        for message_id, expected in ((greeting_id, "не ваш"), (card_id, "Отменено"), (card_id, "отменять нечего")):
            chat.telegram.taps(chat.person, message_id, f"j:{job_id}:cancel")
            await chat.handle_all()
            assert expected in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT status FROM generation_jobs") == "canceled"
        assert f"10{SPACE}₽" in await chat.says("/balance")


@pytest.mark.parametrize(
    ("button", "expected"), [("page:1", "недоступна"), ("accept", "больше нет"), ("noop", "ничего")]
)
async def test_other_buttons_of_a_job_say_why_nothing_happens(database: str, button: str, expected: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        card_id, _ = chat.button("✅ Создать")
        await chat.taps("✅ Создать")
        job_id = await chat.pool.fetchval("SELECT job_id FROM generation_jobs")
        chat.telegram.taps(chat.person, card_id, f"j:{job_id}:{button}")
        await chat.handle_all()
        assert expected in chat.answers[-1]


async def test_the_card_of_a_bought_job_is_never_edited_by_the_conversation(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        card_id, _ = chat.button("✅ Создать")
        await chat.taps("✅ Создать")
        before = chat.telegram.world.messages[card_id].text
        chat.telegram.taps(chat.person, card_id, "m:home")
        await chat.handle_all()
        assert chat.telegram.world.messages[card_id].text == before
        assert "Главное меню" in chat.newest


async def test_a_prompt_full_of_quotes_gets_its_card(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        await chat.taps("Z-Image")
        await chat.says('"' * 999)
        await chat.taps("1:1")
        assert "Цена" in chat.newest
