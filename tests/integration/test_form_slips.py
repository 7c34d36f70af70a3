"""What people do by slip while they order: a wrong setting, a second tap, a file sent early; each is told, none is paid for."""

from support.conversation import conversation
from support.forms import PHOTO, RICH, form, labels, made_before, opens, order, presses
from support.media_bytes import opus


async def test_a_length_beyond_its_bounds_after_a_bar_is_refused_and_not_sold_as_words(database: str) -> None:
    async with form(database, "kling-3.0/video") as chat:
        await chat.says("поезд")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Несколько сцен: нет")
        await chat.taps("Да")
        refusal = await chat.says("кот бежит | 20")
        assert "«20»" in refusal
        assert "от 1 до 12" in refusal
        assert "1. кот бежит · 12" in await chat.says("кот бежит | 12")
        await chat.taps("✅ Готово")
        assert (await order(chat))["multi_prompt"] == [{"prompt": "кот бежит", "duration": "12"}]


async def test_a_voice_nobody_has_after_a_bar_is_refused_with_a_few_that_exist(database: str) -> None:
    async with form(database, "elevenlabs/text-to-dialogue-v3") as chat:
        refusal = await chat.says("Норм | Лаура")
        assert "«Лаура», а такого варианта нет" in refusal
        assert refusal.count(",") < 12, "a few examples, not every voice"
        assert "1. Норм · Xavier" in await chat.says("Норм | Xavier")


async def test_a_bar_with_nothing_after_it_is_no_setting(database: str) -> None:
    async with form(database, "elevenlabs/text-to-dialogue-v3") as chat:
        assert "1. Привет" in await chat.says("Привет |")
        await chat.taps("✅ Готово")
        assert [line["text"] for line in (await order(chat))["dialogue"]] == ["Привет"]


async def test_a_second_tap_on_again_makes_no_second_card(database: str) -> None:
    async with conversation(database, welcome=RICH) as chat:
        await chat.says("/start")
        job_id = await made_before(chat, "kling-2.6/text-to-video", prompt="поезд")
        before = await chat.pool.fetchval("SELECT count(*) FROM drafts")
        await presses(chat, f"j:{job_id}:again")
        await presses(chat, f"j:{job_id}:again")
        assert "уже есть ниже" in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == before + 1
        await chat.taps("✖️ Отмена")
        await presses(chat, f"j:{job_id}:again")
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == before + 2, "the first one was put away"


async def test_a_photo_sent_while_words_are_asked_is_told_of_and_counted(database: str) -> None:
    async with form(database, "nano-banana-2") as chat:
        told = await chat.sends(PHOTO)
        assert "Картинка принята, всего: 1" in told
        await chat.sends(PHOTO)
        assert any("всего: 2" in str(message["text"]) for message in chat.screen())
        await chat.says("в стиле комикса")
        assert len((await order(chat))["image_input"]) == 2


async def test_who_wants_to_animate_a_photo_is_asked_for_it_first_and_may_skip_it(database: str) -> None:
    async with conversation(database, welcome=RICH) as chat:
        await chat.says("/start")
        page = await presses(chat, "nl:animate:all:0:kling-3.0/video")
        assert "картинк" in page.casefold()
        assert "⏭ Пропустить" in labels(chat)
        await chat.sends(PHOTO)
        await chat.taps("✅ Готово")
        await chat.says("оживи")
        assert "Цена" in chat.newest
        assert len((await order(chat))["image_urls"]) == 1


async def test_who_picked_the_same_model_to_make_a_video_from_words_is_asked_for_words(database: str) -> None:
    async with conversation(database, welcome=RICH) as chat:
        await chat.says("/start")
        await presses(chat, "nl:video:all:0:kling-3.0/video")
        assert "⏭ Пропустить" not in labels(chat)
        await chat.says("поезд")
        assert "Цена" in chat.newest
        await opens(chat, "kling-3.0/video")
        assert "⏭ Пропустить" not in labels(chat)


async def test_a_photo_beside_an_open_card_goes_into_its_order_or_becomes_one_of_its_own(database: str) -> None:
    async with form(database, "nano-banana-2") as chat:
        await chat.says("комикс")
        await chat.sends(PHOTO)
        assert len((await order(chat))["image_input"]) == 1
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == 1
        await chat.taps("➕ Это отдельный заказ")
        drafts = [row["inputs"] for row in await chat.pool.fetch("SELECT inputs FROM drafts ORDER BY draft_id")]
        assert ["image_input" in each for each in drafts] == [False, True]
        assert ["prompt" in each for each in drafts] == [True, False]


async def test_a_voice_message_nobody_asked_for_is_not_answered_with_pictures(database: str) -> None:
    async with conversation(database, welcome=RICH) as chat:
        await chat.says("/start")
        assert "Suno: кавер" in await chat.sends(opus(), kind="voice")
        assert "напишите их текстом" in chat.screen()[-2]["text"]
        assert not any("Оживить" in each for each in labels(chat))
