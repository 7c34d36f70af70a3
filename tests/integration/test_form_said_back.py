"""Nothing somebody does meets silence or a wrong sentence: /cancel, stale buttons, words for files, second pages."""

from support.conversation import conversation
from support.forms import PHOTO, RICH, form, labels, made_before, opens, order, picks, presses

EDIT = "grok-imagine-image-2-0/image-edit"
EXTEND = "ai-music-api/extend"
WAV = "ai-music-api/convert-to-wav-format"
VIDEO = "kling-2.6/text-to-video"


async def test_cancel_while_one_answer_is_changed_goes_back_to_the_card(database: str) -> None:
    async with form(database, VIDEO) as chat:
        await chat.says("поезд")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Описание")
        assert "Цена" in await chat.says("/cancel")
        assert "✅ Создать" in " ".join(labels(chat))
        assert "✖️ Отмена" in await chat.says("/cancel"), "and it is said how a card is put away"
        await chat.taps("✖️ Отмена")
        assert "Прерывать нечего" in await chat.says("/cancel")


async def test_a_button_of_an_older_question_says_where_the_open_one_is(database: str) -> None:
    async with form(database, "z-image") as chat:
        await chat.says("кот")
        stale = chat.button("1:1")
        await opens(chat, VIDEO)
        chat.telegram.taps(chat.person, *stale)
        await chat.handle_all()
        assert "Сейчас открыт другой" in chat.answers[-1]
        await chat.says("/cancel")
        chat.telegram.taps(chat.person, *stale)
        await chat.handle_all()
        assert "уже закрыт" in chat.answers[-1]
        assert "не вам" not in chat.answers[-1]


async def test_changing_another_card_says_that_the_form_at_hand_is_closed(database: str) -> None:
    async with form(database, VIDEO) as chat:
        await chat.says("поезд")
        card = chat.screen()[-1]["message_id"]
        await opens(chat, "z-image")
        await chat.says("кот")
        await chat.taps("✏️ Изменить", message_id=card)
        await chat.taps("✏️ Описание", message_id=card)
        assert "который вы заполняли (Z-Image), закрыт" in chat.answers[-1]


async def test_words_where_only_files_are_waited_for_are_not_dropped_silently(database: str) -> None:
    async with form(database, "nano-banana-2") as chat:
        await chat.says("комикс")
        await chat.taps("✏️ Изменить")
        await chat.taps("➕ Фото-образцы")
        await chat.sends(PHOTO)
        assert "Жду файлы" in await chat.says("и сделай ярче")
        await chat.taps("✅ Готово")
        assert len((await order(chat))["image_input"]) == 1


async def test_a_photo_beyond_the_limit_is_one_too_many_and_not_a_missing_text(database: str) -> None:
    async with form(database, EDIT) as chat:
        for _ in range(5):
            await chat.sends(PHOTO)
        assert "Уже взято 5" in await chat.sends(PHOTO)
        await chat.says("сделай ярче")
        assert len((await order(chat))["image_urls"]) == 5


async def test_a_question_for_a_recording_does_not_ask_for_a_photo(database: str) -> None:
    async with form(database, "elevenlabs/audio-isolation") as chat:
        assert "голосовым" in chat.newest
        assert "фотографией" not in chat.newest


async def test_two_tracks_of_one_song_are_told_apart_and_so_is_the_order(database: str) -> None:
    async with form(database, WAV) as chat:
        job_id = await made_before(chat, "ai-music-api/generate", prompt="песня о море", tracks=["Море", "Море"])
        await opens(chat, WAV)
        await chat.taps(picks(chat)[0])
        first, second = picks(chat)[-2:]
        assert first.endswith("трек 1")
        assert second.endswith("трек 2")
        await chat.taps(second)
        assert f"заказ № {job_id}, трек 2" in chat.newest
        await chat.says("/history")
        assert f"заказ № {job_id}" in await chat.taps("ℹ️")


async def test_an_order_without_words_leaves_no_empty_line_in_the_history(database: str) -> None:
    async with conversation(database, welcome=RICH) as chat:
        await chat.says("/start")
        await made_before(chat, WAV, prompt="")
        assert "\n\n" not in (await chat.says("/history")).strip()
        assert chat.newest.startswith("🗂")


async def test_more_than_a_page_of_results_can_be_turned(database: str) -> None:
    async with form(database, "grok-imagine/extend") as chat:
        for number in range(12):
            await made_before(chat, "grok-imagine/text-to-video", prompt=f"щенок {number:02}")
        await opens(chat, "grok-imagine/extend")
        assert len(picks(chat)) == 10
        await chat.taps("▶️")
        assert [label[-8:] for label in picks(chat)] == ["щенок 01", "щенок 00"]
        await chat.taps("◀️")
        assert "щенок 11" in picks(chat)[0]


async def test_more_than_a_page_of_what_a_search_found_can_be_turned(database: str) -> None:
    async with conversation(database, welcome=RICH) as chat:
        await chat.says("/start")
        first = await chat.says("/search видео")
        shown = labels(chat)
        assert "Страница 1 из" in first
        assert "Страница 2 из" in await chat.taps("▶️")
        assert not {label for label in shown if "₽" in label} & set(labels(chat))
        await chat.says("/start")
        await presses(chat, "sp:1")
        assert "больше не работает" in chat.answers[-1]


async def test_what_is_made_is_called_by_its_kind(database: str) -> None:
    async with form(database, VIDEO) as chat:
        await chat.says("поезд")
        await chat.taps("✅ Создать")
        assert chat.answers[-1] == "Принято, видео уже делается"


async def test_the_line_editor_shows_what_a_line_has_and_the_card_how_many_lines_more(database: str) -> None:
    async with form(database, "elevenlabs/text-to-dialogue-v3") as chat:
        await chat.says("Раз | Xavier\nДва\nТри\nЧетыре\nПять")
        assert "Сейчас: Xavier" in await chat.taps("🎛 Настроить каждую строку")
        assert "и ещё 2" in await chat.taps("✅ Готово")


async def test_a_length_is_said_with_its_unit_behind_it(database: str) -> None:
    async with form(database, VIDEO) as chat:
        assert "Длительность: 5 с" in await chat.says("поезд")
        await chat.taps("✏️ Изменить")
        assert "✏️ Длительность: 5 с" in labels(chat)
