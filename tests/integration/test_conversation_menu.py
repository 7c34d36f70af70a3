"""From a wish to a model: the menu, its lists and filters, the search, prices; and models that are not sold."""

import pytest

from photomat.catalog.load import load_catalog
from photomat.operators.catalog import ModelSwitch, NewTitle, rename_model, switch_model
from photomat_sandbox.telegram import person_acts
from support.conversation import Chat, conversation
from support.prices import ME, set_price
from support.shop import orders_of

SPACE = "\N{NO-BREAK SPACE}"
CATALOG = load_catalog()


def labels(chat: Chat) -> list[str]:
    return [button["text"] for row in chat.screen()[-1]["inline_keyboard"] or [] for button in row]


def models(chat: Chat) -> list[str]:
    return [label.partition(" · ")[0] for label in labels(chat) if " · " in label]


async def turn(chat: Chat, model: str, wanted: ModelSwitch) -> None:
    answer = await switch_model(chat.pool, CATALOG.get(model), wanted, operator=ME, reason="a test")
    assert answer.done, answer.sentence


async def taps_data(chat: Chat, data: str) -> str:
    chat.telegram.taps(chat.person, chat.screen()[-1]["message_id"], data)
    await chat.handle_all()
    return chat.newest


async def test_from_a_wish_over_pages_and_filters_to_a_model(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        assert labels(chat)[:5] == ["🖼 Создать картинку", "🎨 Фото", "🎬 Видео", "🎵 Музыка", "🗣 Голос"]
        assert labels(chat)[5:8] == ["✨ Идеи", "🗂 История", "➕ Ещё"]
        assert labels(chat)[8:] == ["💰 Баланс", "💳 Пополнить"]
        await chat.taps("🎬 Видео")
        assert "Страница 1 из" in await chat.taps("🎬 Сделать видео")
        first = models(chat)
        assert len(first) == 8
        assert "Страница 2 из" in await chat.taps("▶️")
        assert not set(first) & set(models(chat))
        await chat.taps("◀️")
        assert models(chat) == first
        await chat.taps("🆕 Новые")
        assert "🆕 Новые ✓" in labels(chat)
        assert "Kling 3.0 Omni" in models(chat)
        assert "Kling 3.0" not in models(chat)
        await chat.taps("🆕 Новые ✓")
        assert models(chat) == first
        assert "Kling 3.0" in await chat.taps(f"Kling 3.0 · от 33,60{SPACE}₽")
        assert len(chat.answers) == chat.calls("answerCallbackQuery")


async def test_the_way_back_from_a_model_leads_to_the_page_it_was_picked_from(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🎨 Фото")
        await chat.taps("📸 Оживить фото")
        await chat.taps("▶️")
        page, shown = chat.newest, models(chat)
        await chat.taps(shown[0])
        await chat.taps("💰 Цены")
        await chat.taps("◀️ Назад")
        await chat.taps("◀️ К моделям")
        assert (chat.newest, models(chat)) == (page, shown)
        await chat.says("/search клинг")
        await chat.taps("Kling 3.0 ·")
        assert "Сделать видео" in await chat.taps("◀️ К моделям")


async def test_the_first_page_of_pictures_has_one_z_image_with_its_price(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        assert [label for label in labels(chat) if label.startswith("Z-Image")] == [f"Z-Image · 0,64{SPACE}₽"]
        assert not any("прежний адрес" in label for label in labels(chat))


async def test_everything_is_listed_in_english_too(database: str) -> None:
    async with conversation(database, language_code="en") as chat:
        await chat.says("/start")
        assert "🇬🇧 English" not in labels(chat)
        await chat.taps("🎨 Photo")
        await chat.taps("📸 Animate a photo")
        assert "Page 1 of" in chat.newest
        assert any(label.startswith("Kling 3.0 · from ₽") for label in labels(chat))
        await chat.taps("🏠 Menu")
        await chat.taps("➕ More")
        await chat.taps("📚 All models")
        assert "Page 1 of" in chat.newest


async def test_a_category_of_one_model_opens_it_and_the_way_back_leads_to_the_page_above(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🎨 Фото")
        page = chat.newest
        assert "Убрать фон" in await chat.taps("✂️ Убрать фон")
        assert chat.button("💰 Цены")
        assert await chat.taps("◀️ К моделям") == page
        assert await chat.pool.fetchval("SELECT state FROM conversations") is None, "the question is left"
        await taps_data(chat, "ml:background:all:0")
        assert chat.button("💰 Цены")


async def test_a_group_shows_what_is_sold_and_one_nobody_knows_opens_the_menu(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🗣 Голос")
        assert "📝 Речь в текст" not in labels(chat)
        assert "Главное меню" in await taps_data(chat, "mg:wealth")
        for model in CATALOG.models.values():
            if {"text-to-speech", "avatar"} & {model.category, *model.also}:
                await turn(chat, model.id, "hide")
        await taps_data(chat, "mg:voice")
        assert "Выберите модель" in chat.newest
        await turn(chat, "elevenlabs/audio-isolation", "hide")
        await turn(chat, "ai-music-api/sounds", "hide")
        assert "Главное меню" in await taps_data(chat, "mg:voice")
        assert "🗣 Голос" not in labels(chat)


async def test_words_find_models_by_command_by_button_and_by_chance(database: str) -> None:
    async with conversation(database) as chat:
        assert "нашл" in await chat.says("/search клинг")
        assert all(title.startswith("Kling") for title in models(chat))
        assert "Что ищем" in await chat.says("/search")
        await chat.says("озвучка")
        assert any(title.startswith("ElevenLabs") for title in models(chat))
        assert "ничего не нашлось" in await chat.says("абракадабра")
        assert "📸 Оживить фото" in labels(chat)
        await chat.taps("🔎 Поиск")
        await chat.says("убрать фон")
        assert models(chat) == ["Убрать фон"]
        assert "прервано" in await chat.says("/cancel")
        await chat.says("kling")
        assert all(title.startswith("Kling") for title in models(chat)), "a name alone is looked for"
        assert "рыжий кот на крыше" in await chat.says("рыжий кот на крыше"), "anything else is a wish"


async def test_an_unknown_command_is_no_search(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/search")
        assert "/help" in await chat.says("/imagine кот")
        assert "нашл" in await chat.says("суно")


async def test_what_was_looked_for_is_shown_as_written(database: str) -> None:
    async with conversation(database) as chat:
        assert "<b>кот</b> & " in await chat.says("/search <b>кот</b> & " + "ы" * 3000)


async def test_a_model_kie_no_longer_sells_is_refused_with_what_is_sold_instead(database: str) -> None:
    async with conversation(database) as chat:
        assert "Midjourney больше не продаётся. Вместо неё есть Nano Banana Pro" in await chat.says("/search миджорни")
        await chat.says("/start")
        assert "Вместо неё есть Kling 3.0" in await taps_data(chat, "n:sora-2-text-to-video")
        assert chat.answers[-1] == "Sora 2 больше не продаётся. Вместо неё есть Kling 3.0."
        assert "Kling 3.0" in await chat.taps("Kling 3.0")
        await taps_data(chat, "n:sora-watermark-remover")
        assert "сейчас не продаётся" in chat.answers[-1]


async def test_a_hidden_model_is_gone_from_lists_search_cards_and_old_buttons_at_once(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        card, create = chat.button("✅ Создать")
        await chat.taps("✅ Создать")
        await turn(chat, "z-image", "hide")
        await chat.says("/history")
        assert "Z-Image" in chat.newest
        await chat.taps("🔁")
        assert "Z-Image сейчас не продаётся" in chat.answers[-1]
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        assert "Z-Image" not in models(chat)
        await taps_data(chat, "n:z-image")
        assert "Z-Image сейчас не продаётся" in chat.answers[-1]
        assert "Напишите, что сделать" in await chat.says("z-image")
        chat.telegram.taps(chat.person, card, create)
        await chat.handle_all()
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 1
        await turn(chat, "z-image", "unhide")
        await chat.orders_a_cat()


async def test_a_favourite_comes_first_and_a_new_name_counts_at_once(database: str) -> None:
    async with conversation(database) as chat:
        await turn(chat, "qwen/text-to-image", "feature")
        new = NewTitle(ru="Квен <Новый>", en="Qwen New")
        await rename_model(chat.pool, CATALOG.get("qwen/text-to-image"), new, operator=ME, reason="a test")
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        assert models(chat)[0] == "Квен <Новый>"
        assert "Квен <Новый>" in await chat.taps("Квен <Новый>")
        await chat.says("/search новый квен")
        assert models(chat)[0] == "Квен <Новый>"


async def test_what_is_off_is_sold_on_an_operators_word_and_what_is_free_has_its_filter(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🗣 Голос")
        assert "📝 Речь в текст" not in labels(chat)
        await turn(chat, "elevenlabs/speech-to-text", "sell")
        await chat.says("/start")
        await chat.taps("🗣 Голос")
        assert "ElevenLabs: речь в текст" in await chat.taps("📝 Речь в текст")
        assert (await set_price(chat.pool, "free", confirmed=True)).done
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        await chat.taps("🎁 Бесплатно")
        assert [label for label in labels(chat) if " · " in label] == ["Z-Image · 🎁 бесплатно"]


async def test_prices_lead_back_to_the_question_which_stays_open(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        await chat.taps("Z-Image")
        assert "Любой заказ стоит" in await taps_data(chat, "pt:z-image")
        await chat.taps("◀️ Назад")
        assert "1000" in chat.newest
        await taps_data(chat, "pt:z-image")
        await chat.says("кот")
        assert chat.button("1:1")
        await taps_data(chat, "pt:sora-2-text-to-video")
        assert "больше не продаётся" in chat.answers[-1]


@pytest.mark.parametrize("data", ["ml:wealth:all:0", "ml:picture:all:999999", "ml:picture:best:1"])
async def test_a_list_that_is_not_there_opens_the_nearest_one(database: str, data: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        assert "Выберите модель" in await taps_data(chat, data)


async def test_opening_a_list_leaves_the_question(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        await chat.taps("Z-Image")
        await taps_data(chat, "ml:video:all:0")
        assert "Баланс" in await chat.says("рыжий кот"), "a card of its own"


async def test_a_file_while_something_is_looked_for_is_answered(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("/search")
        await person_acts.send_file(chat.telegram.world, chat.person, b"%PDF-1.4", kind="document", name="a.pdf")
        await chat.handle_all()
        assert "не умею" in chat.newest


async def test_what_needs_a_callback_is_sold_only_where_kie_can_reach_us(database: str) -> None:
    async with conversation(database) as chat:
        assert await orders_of(chat.pool, accepts_callbacks=True).model("suno/generate") is not None
        assert await orders_of(chat.pool).model("suno/generate") is None


async def test_a_link_opens_its_model_or_says_what_is_sold_instead(database: str) -> None:
    async with conversation(database) as chat:
        assert "Z-Image" in await chat.says("/start model_z-image")
        await chat.says("кот")
        await chat.taps("1:1")
        await chat.taps("✅ Создать")
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 1
        assert "Kling 3.0" in await chat.says("/start model_kling-3_0_video")
        assert "Вместо неё есть Kling 3.0" in await chat.says("/start model_sora-2-text-to-video")
        assert "Здравствуйте" in await chat.says("/start model_wealth")
        assert "больше не продаётся" in chat.screen()[-2]["text"]


async def test_who_only_opened_the_menu_is_kept_as_somebody_the_bot_has_met_and_written_once(database: str) -> None:
    """A bot takes over a database only with the users it knows: see `operators/installation.py`."""
    async with conversation(database) as chat:
        await chat.says("/start")
        written = await chat.pool.fetchval("SELECT updated_at FROM conversations")
        assert written is not None
        await chat.taps("🎬 Видео")
        assert await chat.pool.fetchval("SELECT updated_at FROM conversations") == written
