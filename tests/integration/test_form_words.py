"""Questions that are answered with words and buttons: texts, choices, numbers, switches, and the steps beside an answer."""

import pytest

from photomat.catalog.load import load_catalog
from support.conversation import conversation
from support.forms import RICH, form, labels, opens, order, presses, voices

SPACE = "\N{NO-BREAK SPACE}"


async def test_the_first_question_is_the_page_of_the_model(database: str) -> None:
    async with form(database, "kling-3.0/video") as chat:
        page = chat.newest
        for part in ("Kling 3.0", "Видео до 15 секунд", "Поезд идёт", "Обычно", "от ", "2500 символов"):
            assert part in page
        assert {"💰 Цены", "◀️ К моделям", "✖️ Отмена"} <= set(labels(chat))
        card = await chat.says("кот едет на поезде")
        assert "кот едет на поезде" in card, "a prompt alone is enough for a card"
        assert await order(chat) == {"prompt": "кот едет на поезде"}
        await chat.taps("✅ Создать")
        assert await chat.pool.fetchval("SELECT model FROM generation_jobs") == "kling-3.0/video"


async def test_the_page_in_english(database: str) -> None:
    async with conversation(database, welcome=RICH, language_code="en") as chat:
        page = await opens(chat, "kling-3.0/video")
        assert "Up to 2500 characters." in page
        assert "A train crosses a snowy forest" in page
        card = await chat.says("a cat on a train")
        assert "Format: 16:9" in card
        await chat.taps("✏️ Change")
        await chat.taps("✏️ Sound")
        assert "Now" not in chat.newest
        assert "By default: no" in chat.newest
        assert "Sound: yes" in await chat.taps("Yes")


async def test_a_choice_of_many_is_turned_through_and_may_be_typed_by_its_name(database: str) -> None:
    async with form(database, "elevenlabs/text-to-speech-turbo-2-5") as chat:
        await chat.says("Привет!")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Голос")
        first = voices(chat)
        assert "Страница 1 из" in chat.newest
        await chat.taps("Следующие ➡️")
        assert "Страница 2 из" in chat.newest
        assert len(first) == len(voices(chat)) == 6
        assert not set(first) & set(voices(chat))
        assert "Нет такого варианта" in await chat.says("нет такого")
        assert "Голос: Xavier — " in await chat.says("xavier")
        assert (await order(chat))["voice"]


async def test_a_number_knows_its_bounds_and_what_is_meant(database: str) -> None:
    async with form(database, "wan/2-7-text-to-video") as chat:
        await chat.says("поезд")
        await chat.taps("✏️ Изменить")
        question = await chat.taps("✏️ Длительность")
        assert "От 2 до 15." in question
        assert {"2", "5", "15"} <= set(labels(chat))
        assert "от 2 до 15" in await chat.says("16")
        assert "от 2 до 15" in await chat.says("долго")
        assert "с шагом 1" in await chat.says("2,5")
        await chat.says("7 секунд")
        assert (await order(chat))["duration"] == "7"
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Длительность")
        await chat.taps("15")
        assert (await order(chat))["duration"] == "15"


@pytest.mark.parametrize(("typed", "kept"), [("Да", "true"), ("выкл", "false")])
async def test_a_switch_may_be_typed(database: str, typed: str, kept: str) -> None:
    async with form(database, "kling-2.6/text-to-video") as chat:
        await chat.says("поезд")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Звук")
        assert "да или нет" in await chat.says("наверное")
        await chat.says(typed)
        assert (await order(chat))["sound"] == kept


async def test_the_price_follows_what_is_changed(database: str) -> None:
    async with form(database, "kling-2.6/text-to-video") as chat:
        assert f"Цена: 44{SPACE}₽" in await chat.says("поезд")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Длительность")
        assert f"Цена: 88{SPACE}₽" in await chat.taps("10")
        assert chat.button(f"✅ Создать · 88{SPACE}₽")


async def test_skip_back_and_straight_to_the_order(database: str) -> None:
    async with form(database, "z-image") as chat:
        await chat.says("кот")
        assert "⏭ Пропустить" in labels(chat)
        assert "шаг 1 из 2" in await chat.taps("◀️ Назад")
        assert "Опишите" in chat.newest
        await chat.says("пёс")
        assert "пёс" in await chat.taps("⏭ Пропустить")
        assert await order(chat) == {"prompt": "пёс"}
        assert "Формат: 1:1" in chat.newest, "what holds without an answer is shown"


async def test_a_value_that_is_not_needed_can_be_removed_on_the_card(database: str) -> None:
    async with form(database, "wan/2-7-text-to-video") as chat:
        await chat.says("поезд")
        await chat.taps("✏️ Изменить")
        await chat.taps("⚙️ Ещё настройки")
        await chat.taps("➕ Чего избегать")
        assert "Чего избегать: дым" in await chat.says("дым")
        await chat.taps("✏️ Изменить")
        await chat.taps("⚙️ Ещё настройки")
        await chat.taps("✏️ Чего избегать")
        assert "Сейчас: дым" in chat.newest
        assert "дым" not in await chat.taps("🗑 Убрать значение")
        assert await order(chat) == {"prompt": "поезд"}


async def test_what_must_be_there_cannot_be_removed(database: str) -> None:
    async with form(database, "wan/2-7-text-to-video") as chat:
        await chat.says("поезд")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Описание")
        assert "🗑 Убрать значение" not in labels(chat)


async def test_what_does_not_go_together_is_said_and_the_card_stays(database: str) -> None:
    async with form(database, "wan/2-7-image") as chat:
        await chat.says("кот")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Сколько картинок")
        await chat.taps("5")
        assert chat.answers[-1] == (
            "Так не получится: больше 4 картинок — только серией; сначала включите «Серия картинок»."
        )
        assert "Так не получится" in await chat.says("6")
        await chat.taps("◀️ К заказу")
        assert chat.button("✅ Создать")
        assert await order(chat) == {"prompt": "кот"}


async def test_a_card_that_is_being_changed_cannot_be_bought_as_it_was(database: str) -> None:
    async with form(database, "kling-2.6/text-to-video") as chat:
        await chat.says("поезд")
        card, create = chat.button("✅ Создать")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Звук")
        chat.telegram.taps(chat.person, card, create)
        await chat.handle_all()
        assert "обновлённую" in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 0


@pytest.mark.parametrize("data", ["q:1:0:skip", "q:1:0:done", "op:1:0:1", "pj:1:0:1:0", "q:1:0:res", "o:1:9:0"])
async def test_a_button_of_another_form_is_answered_and_does_nothing(database: str, data: str) -> None:
    async with form(database, "z-image") as chat:
        before = chat.newest
        await presses(chat, data)
        assert "закрыт" in chat.answers[-1]
        assert chat.newest == before


async def test_a_button_of_an_answered_question_of_the_same_form_is_stale(database: str) -> None:
    async with form(database, "z-image") as chat:
        await chat.says("кот")
        question, square = chat.button("1:1")
        await chat.taps("◀️ Назад")
        chat.telegram.taps(chat.person, question, square)
        await chat.handle_all()
        assert "закрыт" in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == 0


async def test_a_model_that_is_no_longer_sold_ends_its_form(database: str) -> None:
    async with form(database, "z-image") as chat:
        await chat.pool.execute("INSERT INTO model_settings (model, hidden) VALUES ('z-image', true)")
        assert "больше не продаётся" in await chat.says("кот")
        assert "Баланс" in await chat.says("кот"), "and the conversation is free again: a card"


async def test_a_question_the_catalogue_no_longer_has_ends_its_form(database: str) -> None:
    async with form(database, "z-image") as chat:
        await chat.pool.execute("UPDATE conversations SET data = jsonb_set(data, '{asking}', '\"style\"')")
        assert "/start" in await chat.says("кот")
        assert await chat.pool.fetchval("SELECT state FROM conversations") is None


async def test_a_card_the_catalogue_no_longer_bears_is_not_sold_but_can_be_mended(database: str) -> None:
    async with form(database, "z-image") as chat:
        await chat.says("кот")
        await chat.taps("1:1")
        await chat.pool.execute('UPDATE drafts SET inputs = inputs || \'{"aspect_ratio": "5:7"}\'::jsonb')
        await chat.taps("✅ Создать")
        assert "Нет такого варианта" in chat.answers[-1]
        await chat.taps("❓ Цена")
        assert "устарел" in chat.answers[-1]
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Формат")
        await chat.taps("4:3")
        await chat.taps("✅ Создать")
        assert await chat.pool.fetchval("SELECT inputs FROM generation_jobs") == {
            "prompt": "кот",
            "aspect_ratio": "4:3",
        }


async def test_an_order_is_repeated_with_what_the_catalogue_still_takes(database: str) -> None:
    async with form(database, "z-image") as chat:
        await chat.says("кот")
        await chat.taps("1:1")
        await chat.taps("✅ Создать")
        await chat.pool.execute('UPDATE generation_jobs SET inputs = inputs || \'{"aspect_ratio": "5:7"}\'::jsonb')
        await chat.says("/history")
        await chat.taps("🔁")
        assert "Выберите формат" in chat.newest, "a format that is gone is asked for anew"
        assert "кот" in await chat.taps("16:9")
        assert await order(chat) == {"prompt": "кот", "aspect_ratio": "16:9"}


async def test_a_text_that_may_be_longer_than_a_message_is_told_that_one_message_is_taken(database: str) -> None:
    async with form(database, "nano-banana-2") as chat:
        assert "До 4096 символов, одним сообщением" in chat.newest
        assert "20000" not in chat.newest
        await chat.says("я" * 4096)
        assert len((await order(chat))["prompt"]) == 4096


async def test_the_example_of_a_model_can_be_taken_as_the_answer(database: str) -> None:
    async with form(database, "z-image") as chat:
        await chat.taps("💡 Взять пример")
        await chat.taps("1:1")
        example = load_catalog().models["z-image"].example_prompt
        assert example is not None
        assert (await order(chat))["prompt"] == example.ru
