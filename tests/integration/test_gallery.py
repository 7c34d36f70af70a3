"""/history is a gallery: one order a page with its picture, in one message; by kind, by heart, by words."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from photomat.db.pool import transaction
from photomat.jobs.actions import cancel_by_operator, hide_result, mark_favourite
from photomat.jobs.gallery import (
    LOOKED_THROUGH,
    GalleryFilter,
    GalleryQuery,
    newer_page,
    older_page,
    page_at,
    place_of,
)
from photomat.jobs.history import earlier_files
from photomat.jobs.settle import Failure, Success
from photomat.kernel.ids import JobId, UserId
from support.forms import order, presses
from support.history import Archive, archive
from support.jobs import a_running_job, a_user, money_of, settle_now
from support.media_bytes import mp3
from support.telegram_media import picture, video

FILTERS = ["Все", "🖼", "🎬", "🎵", "❤️", "🔎"]


async def delivered(past: Archive, prompt: str, *colors: str) -> JobId:
    job_id = await past.done_job(*colors, prompt=prompt)
    await past.deliver()
    return job_id


async def with_bytes(past: Archive, prompt: str, name: str, data: bytes, mime: str) -> JobId:
    """A delivered job whose only output has these bytes."""
    job_id = await past.done_job(prompt=prompt)
    url = past.files.add(name, data, mime)
    await past.chat.pool.execute("UPDATE job_outputs SET url = $2 WHERE job_id = $1", job_id, url)
    await past.deliver()
    return job_id


def newest(past: Archive) -> dict[str, Any]:
    return past.chat.screen()[-1]


def words_of(past: Archive) -> str:
    message = newest(past)
    return str(message["caption"] or message["text"]).replace("\u00a0", " ")


def rows(past: Archive) -> list[list[str]]:
    return [[button["text"] for button in row] for row in newest(past)["inline_keyboard"]]


def place(past: Archive) -> list[str]:
    """The row that turns pages."""
    return next(row for row in rows(past) if any("/" in label and row[0] != "‹" for label in row))


async def test_the_newest_result_is_there_with_its_picture_price_and_local_time(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await delivered(past, "первый кот")
        await delivered(past, "кот <b> & пёс", "green")
        await past.chat.says("/history")
        message = newest(past)
        assert message["kind"] == "photo"
        assert [each for each in ("Z-Image", "0,64 ₽", "кот <b> & пёс") if each not in words_of(past)] == []
        assert [each["date_time_format"] for each in message["entities"] if each["type"] == "date_time"] == ["dt"]
        assert rows(past) == [
            ["🎬 Оживить", "✨ Улучшить", "🎨 Изменить"],
            ["✂️ Убрать фон", "🔀 Вариант"],
            ["🤍", "📎", "🔁", "🗑", "ℹ️", "🆘"],
            ["1/2", "▶"],
            ["·Все·", *FILTERS[1:]],
        ]


async def test_pages_are_turned_in_one_message_and_new_orders_do_not_shift_them(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        for number, color in enumerate(("red", "green", "blue")):
            await delivered(past, f"кот {number}", color)
        await past.chat.says("/history")
        gallery = newest(past)["message_id"]
        assert ("кот 2" in words_of(past), place(past)) == (True, ["1/3", "▶"])
        await past.chat.taps("▶", message_id=gallery)
        assert ("кот 1" in words_of(past), place(past)) == (True, ["◀", "2/3", "▶"])
        await past.done_job(prompt="кот 3")
        await past.chat.taps("▶", message_id=gallery)
        shown = past.chat.telegram.world.messages[gallery]
        assert "кот 0" in shown.text
        await past.chat.taps("◀", message_id=gallery)
        assert "кот 1" in past.chat.telegram.world.messages[gallery].text
        assert past.chat.calls("sendPhoto") == 0, "media are never sent, only edited in"


async def test_a_tap_handled_again_shows_the_same_page(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        for number in range(4):
            await delivered(past, f"кот {number}")
        await past.chat.says("/history")
        message_id, data = past.chat.button("▶")
        for _ in range(2):
            past.chat.telegram.taps(past.chat.person, message_id, data)
            await past.chat.handle_all()
        assert place(past) == ["◀", "2/4", "▶"]


async def test_several_outputs_of_one_order_are_turned_within_its_page_and_used_from_there(
    database: str, tmp_path: Path
) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await delivered(past, "коты", "red", "green", "blue")
        await past.chat.says("/history")
        await past.chat.taps("›")
        assert ["‹", "2/3", "›"] in rows(past)
        await past.chat.taps("✨ Улучшить")
        file = (await order(past.chat))["image"]["file"]
        row = await past.chat.pool.fetchrow("SELECT job_id, position FROM input_files WHERE file_id = $1", file)
        assert tuple(row or ()) == (job_id, 1)


async def test_kinds_are_told_by_bytes_and_nothing_of_a_kind_is_said_in_a_word(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await with_bytes(past, "море", "sea.mp4", video(), "video/mp4")
        await with_bytes(past, "песня", "song.mp3", mp3(), "audio/mpeg")
        await delivered(past, "кот")
        await past.chat.says("/history")
        gallery = newest(past)["message_id"]
        await presses(past.chat, "g:video:0:top:0")
        assert ("море" in words_of(past), newest(past)["kind"], place(past)) == (True, "video", ["1/1"])
        await presses(past.chat, "g:audio:0:top:0")
        assert ("песня" in words_of(past), newest(past)["kind"]) == (True, "audio")
        await presses(past.chat, "g:fav:0:top:0")
        assert past.chat.answers[-1] == "Здесь пока пусто"
        assert newest(past)["message_id"] == gallery


async def test_a_heart_is_kept_and_found_again(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await delivered(past, "любимый")
        await delivered(past, "прочее")
        await past.chat.says("/history")
        await past.chat.taps("▶", message_id=newest(past)["message_id"])
        await past.chat.taps("🤍", message_id=newest(past)["message_id"])
        assert rows(past)[-3][0] == "❤️"
        await presses(past.chat, "g:fav:0:top:0")
        assert ("любимый" in words_of(past), place(past)) == (True, ["1/1"])
        assert "·❤️·" in rows(past)[-1]


async def test_words_are_searched_in_ones_own_prompts_and_wildcards_are_letters(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await delivered(past, "Кот в скафандре на 100% Луне")
        await delivered(past, "пёс_на_траве")
        await past.chat.says("/history")
        assert "Какие слова" in await past.chat.taps("🔎", message_id=newest(past)["message_id"])
        assert "Ничего не нашлось" in await past.chat.says("к%т")
        assert str(LOOKED_THROUGH) in past.chat.newest
        await past.chat.says("СКАФАНДРЕ кот")
        assert ("Луне" in words_of(past), place(past)) == (True, ["1/1"])
        job_id = await past.chat.pool.fetchval("SELECT min(job_id) FROM generation_jobs")
        await presses(past.chat, f"g:find:{job_id}:at:0")
        assert "Луне" in words_of(past)
        await past.chat.says("/start")
        await presses(past.chat, "g:find:0:top:0")
        assert past.chat.answers[-1].startswith("Этот поиск уже закрыт")


async def test_what_has_no_picture_is_a_page_in_words_and_says_what_became_of_the_money(
    database: str, tmp_path: Path
) -> None:
    async with archive(database, tmp_path) as past:
        pool, user = past.chat.pool, past.user
        failed = await a_running_job(pool, user, task_id="t-1", message_id=await past.card())
        await settle_now(pool, failed, Failure(code="kie-422", reason="flagged words"))
        offered = await a_running_job(pool, user, task_id="t-3", message_id=await past.card())
        async with transaction(pool) as tx:
            await cancel_by_operator(tx, offered)
        await settle_now(pool, offered, Success(urls=(past.files.add("o.png", picture(), "image/png"),)))
        await past.done_job()
        await past.new_job()
        await past.chat.says("/history")
        seen = [words_of(past)]
        tools = [rows(past)[0]]
        for _ in range(3):
            await past.chat.taps("▶", message_id=newest(past)["message_id"])
            seen.append(words_of(past))
            tools.append(rows(past)[0])
        for text, part in zip(
            seen,
            (
                "⏳ делается, 0,64 ₽ отложены",
                "ещё не дошло до вас",
                "🎉 отменено, но результат есть",
                "❌ не удалось: модель отказалась от запроса. 0,64 ₽ вернулись на баланс",
            ),
            strict=True,
        ):
            assert part in text
        assert "flagged words" not in seen[-1]
        assert tools == [
            ["🔁", "ℹ️", "🆘"],
            ["🤍", "🔁", "🗑", "ℹ️", "🆘"],
            ["🔁", "🗑", "ℹ️", "🆘"],
            ["🔁", "🗑", "ℹ️", "🆘"],
        ]
        assert past.media() == [], "nothing that was not paid for, or has not reached its card, is shown here"


async def test_a_text_and_a_picture_take_turns_and_leave_one_gallery(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.text_job({"text": "слово за словом"})
        await past.deliver()
        await delivered(past, "кот")
        before = len(past.chat.screen())
        await past.chat.says("/history")
        for label, part in (("▶", "слово за словом"), ("◀", "кот"), ("▶", "слово за словом")):
            await past.chat.taps(label, message_id=newest(past)["message_id"])
            assert part in words_of(past)
        assert len(past.chat.screen()) == before + 2, "what was asked, and one gallery"


async def test_hidden_is_asked_once_and_gone_from_everywhere_but_the_books(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await delivered(past, "старый кот")
        job_id = await delivered(past, "новый кот")
        before = await money_of(past.chat.pool, past.user)
        await past.chat.says("/history")
        gallery = newest(past)["message_id"]
        await past.chat.taps("🗑", message_id=gallery)
        assert "Удалить из истории?" in words_of(past)
        await past.chat.taps("Оставить", message_id=gallery)
        assert place(past) == ["1/2", "▶"]
        await past.chat.taps("🗑", message_id=gallery)
        await past.chat.taps("🗑 Удалить", message_id=gallery)
        assert ("старый кот" in words_of(past), place(past)) == (True, ["1/1"])
        files = await earlier_files(past.chat.pool, user_id=past.user, kind="image")
        assert job_id not in [each.job_id for each in files]
        assert await money_of(past.chat.pool, past.user) == before
        assert await past.chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 2
        await past.chat.taps("🗑", message_id=gallery)
        assert "Заказов пока нет" in await past.chat.taps("🗑 Удалить", message_id=gallery)
        assert gallery not in [each["message_id"] for each in past.chat.screen()]


async def test_a_running_order_cannot_be_hidden_nor_somebody_elses(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        done = await past.done_job()
        running = await past.new_job()
        stranger = await a_user(past.chat.pool, user_id=42)
        async with transaction(past.chat.pool) as tx:
            assert not await hide_result(tx, job_id=running, user_id=past.user)
            assert not await hide_result(tx, job_id=done, user_id=stranger)
            assert not await mark_favourite(tx, job_id=done, user_id=stranger, is_favourite=True)
            assert not await mark_favourite(tx, job_id=running, user_id=past.user, is_favourite=True)
        for step in ("hide", "like"):
            await presses(past.chat, f"g:all:{running}:{step}:0")
            assert past.chat.answers[-1] == "Это не ваш заказ"


async def test_without_telegrams_file_our_copy_is_shown_and_at_last_words(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await delivered(past, "кот")
        past.files.files.clear()
        await past.chat.pool.execute("UPDATE job_outputs SET file_id = 'gone'")
        await past.chat.says("/history")
        assert newest(past)["kind"] == "photo"
        shutil.rmtree(tmp_path)
        await past.chat.pool.execute("UPDATE job_outputs SET url = url || '?'")
        await past.chat.says("/history")
        assert newest(past)["kind"] == "text"
        assert "не удалось показать" in words_of(past)


async def test_a_gallery_that_was_deleted_is_sent_anew(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await delivered(past, "кот 0")
        await delivered(past, "кот 1")
        await past.chat.says("/history")
        gone = "Bad Request: message to edit not found"
        past.chat.telegram.faults.arm(
            world="telegram", method="editMessageMedia", action="error", status=400, code=400, text=gone
        )
        await past.chat.taps("▶")
        assert ("кот 0" in words_of(past), newest(past)["kind"]) == (True, "photo")


async def test_buttons_of_the_list_before_still_open_the_history(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await delivered(past, "кот")
        await past.chat.says("/help")
        await presses(past.chat, "h:3")
        assert "кот" in words_of(past)


async def test_an_earlier_result_is_chosen_by_its_picture(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await delivered(past, "красный", "red")
        chosen = await delivered(past, "зелёный", "green")
        await delivered(past, "синий", "blue")
        await past.chat.says("/help")
        await presses(past.chat, "n:recraft/crisp-upscale")
        await past.chat.taps("🗂 Из моих результатов")
        assert ("синий" in words_of(past), newest(past)["kind"]) == (True, "photo")
        await past.chat.taps("▶", message_id=newest(past)["message_id"])
        assert "зелёный" in words_of(past)
        thumbnail = newest(past)["message_id"]
        await past.chat.taps("✅ Выбрать", message_id=thumbnail)
        file = (await order(past.chat))["image"]["file"]
        assert await past.chat.pool.fetchval("SELECT job_id FROM input_files WHERE file_id = $1", file) == chosen
        assert thumbnail not in [each["message_id"] for each in past.chat.screen()], "no thumbnail is left behind"


@pytest.mark.parametrize("only", list(GalleryFilter))
async def test_a_gap_is_looked_over_up_to_the_bound_in_both_directions(
    database: str, tmp_path: Path, only: GalleryFilter
) -> None:
    async with archive(database, tmp_path) as past:
        first = await delivered(past, "слон")
        for number in range(3):
            await delivered(past, f"кот {number}")
        last = await delivered(past, "слон")
        pool = past.chat.pool
        await pool.execute("UPDATE job_outputs SET mime = 'video/mp4' WHERE job_id = ANY($1)", [first, last])
        async with transaction(pool) as tx:
            for job_id in (first, last):
                await mark_favourite(tx, job_id=job_id, user_id=past.user, is_favourite=True)
        query = GalleryQuery(user_id=UserId(past.user), only=only, words="слон")
        newest_page = await older_page(pool, query)
        if only is GalleryFilter.AUDIO:
            assert newest_page is None
            return
        assert newest_page is not None
        expected = {GalleryFilter.ALL: last, GalleryFilter.IMAGE: JobId(last - 1)}.get(only, last)
        assert newest_page.job_id == expected
        older = await older_page(pool, query, than=newest_page.job_id)
        assert older is not None
        back = await newer_page(pool, query, than=older.job_id)
        assert back is not None
        assert back.job_id == newest_page.job_id
        at = await page_at(pool, query, newest_page.job_id)
        assert at is not None
        counts = {GalleryFilter.ALL: 5, GalleryFilter.IMAGE: 3}
        found = await place_of(pool, query, newest_page.job_id)
        assert (at.job_id, found.number, found.count, found.is_all) == (
            newest_page.job_id, 1, counts.get(only, 2), True,
        )  # fmt: skip
