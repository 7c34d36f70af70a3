"""Questions that are answered with files: one, several, an album, an earlier result; and what people send together."""

from pathlib import Path

from photomat.db.rows import require_row
from support.conversation import Chat
from support.forms import PHOTO, form, labels, made_before, opens, order, sends_album
from support.media_bytes import film, image, mp3

SMALL = image("PNG", width=32, height=32)
EDIT = "grok-imagine-image-2-0/image-edit"
"""Takes one to five photos, then a description if there is one."""


def bot_messages(chat: Chat) -> int:
    return sum(message["from"] == "bot" for message in chat.screen())


async def test_one_photo_answers_and_the_next_question_comes(database: str) -> None:
    async with form(database, "pixverse-v6/image-to-video") as chat:
        assert "jpg, png, webp" in chat.newest
        assert "До 20 МБ" in chat.newest
        assert "До 2 файлов" in chat.newest
        await chat.sends(PHOTO)
        assert "принято 1 из 2" in chat.newest
        await chat.taps("✅ Готово")
        assert "Опишите" in chat.newest
        await chat.says("улыбается")
        found = await order(chat)
        assert (found["prompt"], [*found["image_urls"][0]]) == ("улыбается", ["file"])
        assert "Фото: 1 картинка" in chat.newest


async def test_the_counter_is_edited_in_place_and_the_last_file_answers(database: str) -> None:
    async with form(database, EDIT) as chat:
        await chat.sends(PHOTO)
        counter, before = chat.screen()[-1]["message_id"], bot_messages(chat)
        for number in (2, 3, 4):
            await chat.sends(PHOTO)
            text = next(message["text"] for message in chat.screen() if message["message_id"] == counter)
            assert f"принято {number} из 5" in text
        assert bot_messages(chat) == before, "counting sends nothing new"
        await chat.sends(PHOTO)
        assert "Опишите" in chat.newest, "five are all it takes"
        await chat.taps("⏭ Пропустить")
        assert len((await order(chat))["image_urls"]) == 5


async def test_an_album_with_words_fills_both(database: str) -> None:
    async with form(database, EDIT) as chat:
        await sends_album(chat, [PHOTO, PHOTO, PHOTO], caption="сделай закат")
        assert "принято 3 из 5" in chat.newest
        card = await chat.taps("✅ Готово")
        assert "сделай закат" in card
        found = await order(chat)
        assert (found["prompt"], len(found["image_urls"])) == ("сделай закат", 3)


async def test_of_an_album_that_is_too_large_the_rest_is_left_and_that_is_said_once(database: str) -> None:
    async with form(database, EDIT) as chat:
        await sends_album(chat, [PHOTO] * 8)
        said = [message["text"] for message in chat.screen() if message["from"] == "bot"]
        assert sum("Остальные файлы альбома" in (text or "") for text in said) == 1
        assert "Цена" in await chat.says("сделай закат")
        assert len((await order(chat))["image_urls"]) == 5


async def test_words_after_enough_photos_mean_that_these_are_all(database: str) -> None:
    async with form(database, EDIT) as chat:
        await chat.sends(PHOTO)
        assert "Цена" in await chat.says("сделай закат")
        assert (await order(chat))["prompt"] == "сделай закат"


async def test_a_photo_with_words_at_the_first_question_fills_both(database: str) -> None:
    async with form(database, "wan/2-7-image") as chat:
        card = await chat.sends(PHOTO, caption="в стиле акварели")
        assert "в стиле акварели" in card
        found = await order(chat)
        assert (found["prompt"], len(found["input_urls"])) == ("в стиле акварели", 1)


async def test_a_photo_without_words_is_kept_and_the_words_are_asked_for(database: str) -> None:
    async with form(database, "wan/2-7-image") as chat:
        assert "Опишите" in await chat.sends(PHOTO)
        await chat.says("в стиле акварели")
        assert len((await order(chat))["input_urls"]) == 1


async def test_a_file_of_the_wrong_kind_or_length_is_told_what_fits(database: str) -> None:
    async with form(database, "wan/2-7-videoedit") as chat:
        assert "нужно видео" in await chat.sends(PHOTO)
        assert "нужно видео" in await chat.says("вот моё видео")
        assert "хотя бы 2 с" in await chat.sends(film(seconds=1), kind="video", name="a.mp4")
        assert "до 10 с" in await chat.sends(film(seconds=30), kind="video", name="a.mp4")
        assert "шаг 2 из 2" in await chat.sends(film(seconds=4), kind="video", name="a.mp4")


async def test_a_file_is_changed_and_removed_on_the_card(database: str) -> None:
    async with form(database, "wan/2-7-text-to-video") as chat:
        await chat.says("поезд")
        await chat.taps("✏️ Изменить")
        await chat.taps("➕ Запись")
        assert "🗂 Из моих результатов" in labels(chat)
        assert "Запись: 1 запись" in await chat.sends(mp3(), kind="audio", name="a.mp3")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Запись")
        await chat.taps("🗑 Убрать значение")
        assert await order(chat) == {"prompt": "поезд"}


async def test_files_that_are_too_many_together_are_refused(database: str) -> None:
    async with form(database, "wan/2-7-r2v") as chat:
        await chat.taps("Фото-образцы")
        for _ in range(5):
            await chat.sends(PHOTO)
        await chat.says("танцуют")
        await chat.taps("✏️ Изменить")
        await chat.taps("➕ Видео-образцы")
        await chat.sends(film(seconds=4), kind="video", name="a.mp4")
        await chat.taps("✅ Готово")
        assert "Слишком много" in chat.answers[-1]
        assert "reference_video" not in await order(chat)


async def test_an_earlier_result_is_taken_as_a_file(database: str, tmp_path: Path) -> None:
    async with form(database, EDIT, results=tmp_path) as chat:
        job_id = await made_before(chat, "z-image", prompt="кот-космонавт")
        kept = tmp_path / str(job_id) / "0.jpg"
        kept.parent.mkdir()
        kept.write_bytes(PHOTO)
        await chat.pool.execute(
            "UPDATE job_outputs SET mime = 'image/jpeg', kept_as = $1, kept_at = photomat_now(), keep_at = NULL",
            f"{job_id}/0.jpg",
        )
        await opens(chat, EDIT)
        await chat.taps("🗂 Из моих результатов")
        assert "кот-космонавт" in chat.screen()[-1]["caption"]
        await chat.taps("◀️ К вопросу")
        assert "Пришлите" in chat.newest
        await chat.taps("🗂 Из моих результатов")
        await chat.taps("✅ Выбрать")
        assert "принято 1 из 5" in chat.newest
        await chat.taps("✅ Готово")
        await chat.taps("⏭ Пропустить")
        file_id = (await order(chat))["image_urls"][0]["file"]
        row = await require_row(chat.pool, "SELECT source, job_id FROM input_files WHERE file_id = $1", file_id)
        assert tuple(row) == ("output", job_id)


async def test_nobody_has_results_before_the_first(database: str) -> None:
    async with form(database, EDIT) as chat:
        assert "пока нет" in await chat.taps("🗂 Из моих результатов")
        await chat.taps("◀️ К вопросу")
        assert "◀️ К моделям" in labels(chat)
        await chat.sends(PHOTO)
        await chat.taps("🗂 Из моих результатов")
        assert "принято 1 из 5" in await chat.taps("◀️ К вопросу"), "what was sent is still there"
        await chat.sends(SMALL)
        await chat.taps("✅ Готово")
        await chat.taps("⏭ Пропустить")
        assert len((await order(chat))["image_urls"]) == 2


async def test_an_order_with_files_is_repeated_with_them(database: str) -> None:
    async with form(database, EDIT) as chat:
        await chat.sends(PHOTO)
        await chat.says("сделай закат")
        await chat.taps("✅ Создать")
        before = await order(chat)
        job_id = await chat.pool.fetchval("SELECT job_id FROM generation_jobs")
        chat.telegram.taps(chat.person, chat.screen()[-1]["message_id"], f"j:{job_id}:again")
        await chat.handle_all()
        assert "сделай закат" in chat.newest
        assert await order(chat) == before
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == 2


async def test_which_way_to_order_is_chosen_by_what_is_sent(database: str) -> None:
    async with form(database, "wan/3-0-video") as chat:
        assert {"Описание", "Первый кадр", "Фото-образцы", "Видео-образцы"} <= set(labels(chat))
        await chat.sends(PHOTO)
        await chat.says("снег идёт")
        found = await order(chat)
        assert {"prompt", "first_frame_url"} <= set(found)
        await opens(chat, "wan/3-0-video")
        assert "Цена" in await chat.says("поезд в лесу")
        assert (await order(chat)) == {"prompt": "поезд в лесу"}


async def test_photos_without_a_limit_of_their_own_are_fourteen_at_most(database: str) -> None:
    async with form(database, "seedream/5-flash-image-to-image") as chat:
        assert "До 14 файлов" in chat.newest
        await sends_album(chat, [PHOTO] * 16)
        await chat.says("сделай закат")
        assert len((await order(chat))["image_urls"]) == 14


async def test_a_photo_that_is_checked_shows_that_something_happens_once_an_album(database: str) -> None:
    async with form(database, EDIT) as chat:
        await sends_album(chat, [PHOTO, PHOTO, PHOTO])
        actions = [event.detail for event in chat.telegram.transcript.since(0) if event.name == "sendChatAction"]
        assert len(actions) == 1
        assert "upload_photo" in str(actions[0])


async def test_a_photo_is_accepted_although_telegram_refuses_to_show_that_it_is_checked(database: str) -> None:
    async with form(database, EDIT) as chat:
        chat.telegram.faults.arm(
            world="telegram", method="sendChatAction", action="error", status=500, code=500, text="no"
        )
        await chat.sends(PHOTO)
        assert any("sendChatAction" in str(event) for event in chat.telegram.transcript.since(0)), "it was tried"
        assert "принято 1 из 5" in chat.newest
