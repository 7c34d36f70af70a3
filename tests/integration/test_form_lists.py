"""Questions that are answered with lines: typed at once, or filled in field by field."""

from support.forms import PHOTO, form, labels, order
from support.media_bytes import film


async def test_a_dialogue_is_typed_line_by_line_and_each_line_may_get_its_voice(database: str) -> None:
    async with form(database, "elevenlabs/text-to-dialogue-v3") as chat:
        assert "Всего до 5000 символов" in chat.newest
        await chat.says("Привет!\nXavier: И тебе привет")
        assert "1. Привет!" in chat.newest
        assert "2. И тебе привет · Xavier" in chat.newest
        await chat.taps("🎛 Настроить каждую строку")
        assert "Привет!" in chat.newest
        await chat.says("Arabella")
        assert "И тебе привет" in chat.newest
        await chat.taps("⏭ Пропустить")
        assert "1. Привет! · Arabella" in chat.newest
        await chat.says("Пока")
        assert "3. Пока" in chat.newest
        await chat.taps("🗑 Убрать последнее")
        assert "3. Пока" not in chat.newest
        assert "Цена" in await chat.taps("✅ Готово")
        lines = (await order(chat))["dialogue"]
        assert [line["text"] for line in lines] == ["Привет!", "И тебе привет"]
        assert len({line["voice"] for line in lines}) == 2


async def test_a_dialogue_that_is_too_long_in_all_is_refused(database: str) -> None:
    async with form(database, "elevenlabs/text-to-dialogue-v3") as chat:
        await chat.says("я" * 3000)
        refusal = await chat.says("я" * 2500)
        assert "5000" in refusal
        assert "на 500 больше" in refusal
        await chat.taps("✅ Готово")
        assert len((await order(chat))["dialogue"]) == 1


async def test_shots_have_their_lengths_and_their_number_is_bounded(database: str) -> None:
    async with form(database, "kling-3.0/video") as chat:
        await chat.says("поезд")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Несколько сцен: нет")
        assert "сцены по порядку" in await chat.taps("Да"), "what the switch needs is asked for at once"
        assert "до 5" in await chat.says("\n".join("abcdef"))
        await chat.says("Лес | 5 с\nВокзал")
        await chat.taps("🎛 Настроить каждую строку")
        await chat.taps("4")
        await chat.taps("⏭ Пропустить")
        await chat.taps("✅ Готово")
        found = await order(chat)
        assert found["multi_prompt"] == [{"prompt": "Лес", "duration": "4"}, {"prompt": "Вокзал", "duration": "3"}]
        assert found["multi_shots"] == "true"


async def test_heroes_are_filled_in_field_by_field(database: str) -> None:
    async with form(database, "kling-3.0/video") as chat:
        await chat.says("поезд")
        await chat.taps("✏️ Изменить")
        await chat.taps("➕ Герои")
        await chat.says("Анна")
        await chat.says("рыжая девушка")
        await chat.sends(PHOTO)
        assert "принято 1 из 4" in chat.newest
        assert "✅ Готово" not in labels(chat), "a hero is shown on two photos at least"
        await chat.sends(PHOTO)
        await chat.taps("✅ Готово")
        await chat.taps("⏭ Пропустить")
        assert "1. Анна · рыжая девушка · 2 картинки" in str([each["text"] for each in chat.screen()])
        await chat.taps("➕ Ещё")
        await chat.says("Борис")
        await chat.taps("◀️ Назад")
        assert "№ 2" in chat.newest, "only the line at hand begins anew"
        await chat.says("Вера")
        await chat.says("певица")
        await chat.sends(PHOTO)
        await chat.sends(PHOTO)
        await chat.taps("✅ Готово")
        await chat.taps("✅ Готово")
        heroes = (await order(chat))["kling_elements"]
        assert [hero["name"] for hero in heroes] == ["Анна", "Вера"]
        assert [*heroes[0]["element_input_urls"][0]] == ["file"]


async def test_a_clip_with_its_bounds(database: str) -> None:
    async with form(database, "gemini-omni-video") as chat:
        await chat.says("дождь")
        await chat.taps("✏️ Изменить")
        await chat.taps("➕ Видео")
        await chat.sends(film(seconds=8), kind="video", name="a.mp4")
        await chat.says("2")
        assert "от 0 до 30" in await chat.says("31")
        await chat.says("6,5")
        clip = (await order(chat))["video_list"][0]
        assert (clip["start"], clip["ends"]) == ("2", "6.5")


async def test_colours_are_typed_with_their_shares(database: str) -> None:
    async with form(database, "wan/2-7-image") as chat:
        await chat.says("кот")
        await chat.taps("✏️ Изменить")
        await chat.taps("⚙️ Ещё настройки")
        question = await chat.taps("➕ Цвета")
        assert "От 3 до 10" in question
        assert "Не хватает: Доля" in await chat.says("#FF8800")
        await chat.says("#FF8800 40%\n#0000FF, 30%")
        await chat.taps("✅ Готово")
        assert "хотя бы 3" in chat.answers[-1]
        assert "Цвета" in await chat.says("#00FF00 | 30%")
        assert (await order(chat))["color_palette"] == [
            {"hex": "#FF8800", "ratio": "40%"},
            {"hex": "#0000FF", "ratio": "30%"},
            {"hex": "#00FF00", "ratio": "30%"},
        ]


async def test_a_text_to_be_read_has_a_default_voice_and_a_second_speaker_can_be_added(database: str) -> None:
    async with form(database, "google/gemini-3-8-flash-tts") as chat:
        await chat.says("Здравствуйте!")
        assert "Цена" in await chat.taps("✅ Готово")
        assert await order(chat) == {"dialogue_turns": [{"text": "Здравствуйте!", "speaker_id": "Speaker 1"}]}
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Голоса: ")
        await chat.taps("⏭ Пропустить")
        await chat.says("Puck")
        await chat.taps("✅ Готово")
        speakers = (await order(chat))["speakers"]
        assert speakers == [{"speaker_id": "Speaker 1", "voice_name": "Puck"}]


async def test_a_dialogue_without_a_limit_of_its_own_ends_all_the_same(database: str) -> None:
    async with form(database, "google/gemini-3-8-flash-tts") as chat:
        for _ in range(5):
            await chat.says("я" * 4000)
        assert "20000" in await chat.says("я" * 4000)
        size = await chat.pool.fetchval("SELECT max(length(data::text)) FROM conversations")
        assert size < 25_000


async def test_lines_beyond_the_hundredth_are_refused(database: str) -> None:
    async with form(database, "google/gemini-3-8-flash-tts") as chat:
        assert "можно до 100" in await chat.says("\n".join(["я"] * 101))
        assert "Больше не нужно" in await chat.says("\n".join(["я"] * 100))
