"""Plain words and files without a form: what a person says becomes a priced card, and nothing is bought without a tap."""

from pathlib import Path
from typing import Any

from photomat.db.pool import Pool
from support import media_bytes as made
from support.conversation import Chat, conversation
from support.database import shift_clock

CREATE = "✅ Создать"


def labels(chat: Chat) -> list[str]:
    """The buttons of the newest message."""
    return [button["text"] for row in chat.screen()[-1]["inline_keyboard"] or [] for button in row]


async def drafts(pool: Pool) -> list[dict[str, Any]]:
    return [dict(row) for row in await pool.fetch("SELECT * FROM drafts ORDER BY draft_id")]


async def jobs(pool: Pool) -> int:
    return int(await pool.fetchval("SELECT count(*) FROM generation_jobs"))


def photo() -> bytes:
    return made.image("JPEG", width=1280, height=720)


async def test_one_message_and_one_tap_buy_a_picture(database: str) -> None:
    async with conversation(database) as chat:
        card = await chat.says("кот-космонавт на луне")
        assert "кот-космонавт на луне" in card
        assert await jobs(chat.pool) == 0, "nothing is bought without a tap"
        await chat.taps(CREATE)
        assert await jobs(chat.pool) == 1


async def test_the_same_words_can_become_a_video_or_a_song_on_the_same_card(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("кот-космонавт на луне")
        before = len(chat.screen())
        await chat.taps("🎬 Видео")
        assert "кот-космонавт на луне" in chat.newest
        assert any(each.startswith("🖼 Картинка") for each in labels(chat))
        await chat.taps("🎵 Песня")
        assert len(chat.screen()) == before, "one living card"
        assert any(each.startswith(CREATE) for each in labels(chat))
        assert len(await drafts(chat.pool)) == 1


async def test_another_model_keeps_the_words(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("рыжий кот в очках")
        await chat.taps("🔁 Другая модель")
        await chat.taps("Ideogram 3")
        assert "Ideogram 3" in chat.newest
        assert "рыжий кот в очках" in chat.newest
        (draft,) = await drafts(chat.pool)
        assert draft["model"] == "ideogram/v3-text-to-image"


async def test_words_after_the_card_change_it_and_its_old_buttons_are_gone(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("рыжий кот в шляпе")
        old = chat.screen()[-1]["message_id"]
        card = await chat.says("а лучше собака")
        assert "собака" in card
        assert "рыжий кот" not in card
        (draft,) = await drafts(chat.pool)
        assert draft["revision"] == 2
        assert not next(each for each in chat.screen() if each["message_id"] == old)["inline_keyboard"]


async def test_words_meant_as_another_order_can_be_set_apart(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("рыжий кот в шляпе")
        await chat.says("дом у моря")
        await chat.taps("➕ Это отдельный заказ")
        first, second = await drafts(chat.pool)
        assert first["inputs"]["prompt"] == "рыжий кот в шляпе"
        assert second["inputs"]["prompt"] == "дом у моря"
        assert sum(CREATE in str(each["inline_keyboard"]) for each in chat.screen()) == 2


async def test_a_remark_adds_to_the_order_and_sets_its_format(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("рыжий кот")
        await chat.says("добавь очки")
        (draft,) = await drafts(chat.pool)
        assert draft["inputs"]["prompt"] == "рыжий кот, добавь очки"
        await chat.says("вертикально")
        (draft,) = await drafts(chat.pool)
        assert draft["inputs"] == {"prompt": "рыжий кот, добавь очки", "aspect_ratio": "9:16"}


async def test_a_song_asked_for_below_a_picture_is_an_order_of_its_own(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("рыжий кот")
        await chat.says("песня про море")
        picture, song = await drafts(chat.pool)
        assert picture["revision"] == 1
        assert song["model"] == "ai-music-api/generate"


async def test_after_ten_minutes_words_are_an_order_of_their_own(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("рыжий кот")
        await shift_clock(chat.pool, 660)
        await chat.says("дом у моря")
        assert [each["revision"] for each in await drafts(chat.pool)] == [1, 1]


async def test_a_bought_card_is_not_changed_by_words(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("рыжий кот")
        await chat.taps(CREATE)
        await chat.says("дом у моря")
        assert [each["inputs"]["prompt"] for each in await drafts(chat.pool)] == ["рыжий кот", "дом у моря"]


async def test_a_photo_offers_what_can_be_done_with_it_and_is_never_asked_for_again(
    database: str, tmp_path: Path
) -> None:
    async with conversation(database, welcome=100_000, results=tmp_path) as chat:
        await chat.sends(photo())
        offered = labels(chat)
        assert [any(name in each for each in offered) for name in ("Оживить", "Улучшить", "Убрать фон")] == [True] * 3
        assert not any(each.startswith(CREATE) for each in offered), "an edit without words cannot be bought"
        assert "❓ Цена" not in offered, "nor is its price final"
        assert "что изменить на фото" in chat.newest
        await chat.taps("🎬 Оживить")
        await chat.taps(CREATE)
        assert await jobs(chat.pool) == 1
        assert await chat.pool.fetchval("SELECT model FROM generation_jobs") == "pixverse-v6/image-to-video"


async def test_words_after_a_photo_say_what_to_change(database: str, tmp_path: Path) -> None:
    async with conversation(database, welcome=100_000, results=tmp_path) as chat:
        await chat.sends(photo())
        await chat.says("сделай его рыжим")
        (draft,) = await drafts(chat.pool)
        assert draft["inputs"]["prompt"] == "сделай его рыжим"
        assert draft["inputs"]["image_input"] == [{"file": 1}]
        assert any(each.startswith(CREATE) for each in labels(chat))


async def test_another_wish_in_words_below_a_photo_takes_the_photo_along(database: str, tmp_path: Path) -> None:
    async with conversation(database, welcome=100_000, results=tmp_path) as chat:
        await chat.sends(photo())
        await chat.says("сделай видео, где он бежит по полю")
        (draft,) = await drafts(chat.pool)
        assert draft["model"] == "pixverse-v6/image-to-video"
        assert draft["inputs"]["image_urls"] == [{"file": 1}]
        assert "бежит по полю" in draft["inputs"]["prompt"]


async def test_only_models_that_ask_for_nothing_more_are_other_models(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("песня про море")
        assert not any("Другая модель" in each for each in labels(chat)), "the others continue a song there already is"


async def test_the_caption_of_a_photo_is_its_order(database: str, tmp_path: Path) -> None:
    async with conversation(database, welcome=100_000, results=tmp_path) as chat:
        card = await chat.sends(photo(), caption="надень на него шляпу")
        assert "надень на него шляпу" in card
        await chat.taps(CREATE)
        assert await jobs(chat.pool) == 1


async def test_a_wish_for_a_photo_waits_for_the_photo(database: str, tmp_path: Path) -> None:
    async with conversation(database, welcome=100_000, results=tmp_path) as chat:
        card = await chat.says("оживи фото")
        assert "Пришлите фото" in card
        await chat.sends(photo())
        (draft,) = await drafts(chat.pool)
        assert draft["model"] == "pixverse-v6/image-to-video"
        assert any(each.startswith(CREATE) for each in labels(chat))


async def test_a_recording_and_a_video_start_orders_too(database: str, tmp_path: Path) -> None:
    async with conversation(database, welcome=100_000, results=tmp_path) as chat:
        await chat.sends(made.mp3(frames=400), kind="audio", name="song.mp3")
        await chat.sends(made.film(seconds=5), kind="video", name="clip.mp4")
        assert [each["model"] for each in await drafts(chat.pool)] == [
            "ai-music-api/upload-and-cover-audio",
            "wan/2-7-videoedit",
        ]


async def test_a_stale_wish_button_shows_the_card_as_it_is_now(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("рыжий кот")
        message_id, data = chat.button("🎬 Видео")
        await chat.taps("🎵 Песня")
        chat.telegram.taps(chat.person, message_id, data)
        await chat.handle_all()
        (draft,) = await drafts(chat.pool)
        assert draft["model"] == "ai-music-api/generate"


async def test_cards_are_limited_and_the_user_is_told_once(database: str) -> None:
    async with conversation(database) as chat:
        for number in range(15):
            await chat.says(f"песня про {number} морей")
            await chat.pool.execute("UPDATE drafts SET changed_at = changed_at - interval '1 hour'")
        assert len(await drafts(chat.pool)) == 12
        assert sum("Слишком быстро" in str(each["text"]) for each in chat.screen()) == 1


async def test_a_greeting_is_no_order(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("привет")
        assert await drafts(chat.pool) == []


async def test_after_start_words_are_an_order_of_their_own(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("озвучь: доброе утро")
        await chat.says("/start")
        await chat.says("рыжая лиса в снегу")
        voice, picture = await drafts(chat.pool)
        assert (voice["revision"], picture["model"]) == (1, "z-image")


async def test_after_cancel_words_are_an_order_of_their_own(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("рыжий кот")
        await chat.says("/cancel")
        await chat.says("дом у моря")
        assert [each["inputs"]["prompt"] for each in await drafts(chat.pool)] == ["рыжий кот", "дом у моря"]


async def test_a_card_changed_by_a_button_after_start_is_talked_about_again(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("рыжий кот")
        card = chat.screen()[-1]["message_id"]
        await chat.says("/start")
        await chat.taps("16:9", message_id=card)
        await chat.says("добавь очки")
        (draft,) = await drafts(chat.pool)
        assert draft["inputs"] == {"prompt": "рыжий кот, добавь очки", "aspect_ratio": "16:9"}


async def test_a_question_below_a_card_with_a_file_is_not_written_into_the_order(database: str, tmp_path: Path) -> None:
    async with conversation(database, welcome=100_000, results=tmp_path) as chat:
        await chat.sends(photo(), caption="надень на него шляпу")
        for said in ("сколько стоит?", "спасибо", "как пополнить баланс?", "где моя картинка?"):
            assert "Напишите, что сделать" in await chat.says(said), said
        (draft,) = await drafts(chat.pool)
        assert (draft["revision"], draft["inputs"]["prompt"]) == (1, "надень на него шляпу")
        await chat.says("верни ему цвет")
        (draft,) = await drafts(chat.pool)
        assert draft["inputs"]["prompt"] == "верни ему цвет"


async def test_photos_sent_together_are_one_order(database: str, tmp_path: Path) -> None:
    async with conversation(database, welcome=100_000, results=tmp_path) as chat:
        await chat.sends(photo(), caption="соедини их на одном фото", album="7")
        await chat.sends(photo(), album="7")
        (draft,) = await drafts(chat.pool)
        assert draft["inputs"]["prompt"] == "соедини их на одном фото"
        assert len(draft["inputs"]["image_input"]) == 2
        assert sum(CREATE in str(each["inline_keyboard"]) for each in chat.screen()) == 1


async def test_a_photo_without_words_first_offers_what_to_do(database: str, tmp_path: Path) -> None:
    async with conversation(database, welcome=100_000, results=tmp_path) as chat:
        await chat.sends(photo())
        assert labels(chat)[0].startswith("🎬 Оживить")
        await chat.says("надень на него шляпу")
        assert labels(chat)[0].startswith(CREATE)
        assert "✓ 1K" in labels(chat)


async def test_who_asks_what_it_costs_is_told(database: str) -> None:
    async with conversation(database) as chat:
        told = await chat.says("сколько стоит?")
        for name in ("🖼 Картинка — 0,64", "🎬 Видео — ", "🎵 Песня — 9,60"):
            assert name in told
        assert await drafts(chat.pool) == []


async def test_the_list_of_picture_models_says_that_words_are_enough_and_they_are(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("озвучь: доброе утро")
        await chat.says("/help")
        await chat.taps("🏠 Меню")
        assert "Просто напишите, что нарисовать" in await chat.taps("🖼 Создать картинку")
        await chat.says("рыжая лиса в снегу")
        voice, picture = await drafts(chat.pool)
        assert (voice["revision"], picture["model"]) == (1, "z-image")


async def test_both_parts_of_a_text_that_telegram_split_are_kept(database: str) -> None:
    async with conversation(database) as chat:
        await chat.says("кот " * 1023)
        await chat.says("на луне среди звёзд")
        (draft,) = await drafts(chat.pool)
        assert draft["inputs"]["prompt"].startswith("кот кот")
        assert draft["inputs"]["prompt"].endswith("на луне среди звёзд")
