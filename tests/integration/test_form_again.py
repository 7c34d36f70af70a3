"""An order made again, or bought late: its files and earlier results are looked at before anybody pays."""

from support.conversation import Chat
from support.forms import PHOTO, form, labels, made_before, order, presses
from support.media_bytes import film

GONE = "DELETE FROM input_files"


async def buys(chat: Chat) -> int:
    """Buy what is on the card; gives the job."""
    await chat.taps("✅ Создать")
    return int(await chat.pool.fetchval("SELECT max(job_id) FROM generation_jobs"))


async def a_film_to_edit(chat: Chat) -> None:
    await chat.sends(film(seconds=4), kind="video", name="a.mp4")
    await chat.says("сделай ночь")


async def test_a_photo_that_is_gone_is_asked_for_anew_before_the_card(database: str) -> None:
    async with form(database, "pixverse-v6/image-to-video") as chat:
        await chat.sends(PHOTO)
        await chat.says("улыбается")
        job_id = await buys(chat)
        await chat.pool.execute(GONE)
        asked = await presses(chat, f"j:{job_id}:again")
        assert "Больше недоступно: Фото" in asked
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == 1, "there is no card yet"
        await chat.sends(PHOTO)
        assert "Цена" in await chat.taps("✅ Готово")
        found = await order(chat)
        assert (found["prompt"], len(found["image_urls"])) == ("улыбается", 1)


async def test_a_photo_that_nobody_needed_is_asked_for_anew_too_and_may_be_left_out(database: str) -> None:
    async with form(database, "wan/2-7-image") as chat:
        await chat.sends(PHOTO, caption="в стиле акварели")
        job_id = await buys(chat)
        await chat.pool.execute(GONE)
        assert "Больше недоступно" in await presses(chat, f"j:{job_id}:again")
        assert "Цена" in await chat.taps("⏭ Пропустить")
        assert await order(chat) == {"prompt": "в стиле акварели", "aspect_ratio": "4:3"}, (
            "the format of the photo stays"
        )


async def test_nothing_is_bought_with_a_photo_that_is_gone(database: str) -> None:
    async with form(database, "wan/2-7-image") as chat:
        await chat.sends(PHOTO, caption="в стиле акварели")
        await chat.pool.execute(GONE)
        await chat.taps("✅ Создать")
        assert "Больше недоступно" in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 0
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Формат")
        await chat.taps("16:9")
        assert "Больше недоступно" in chat.newest, "a change of something else asks for it anew"
        assert "⏭ Пропустить" in labels(chat)
        await chat.sends(PHOTO)
        await chat.taps("✅ Готово")
        await chat.taps("✅ Создать")
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 1


async def test_a_film_that_is_longer_than_today_s_limit_is_refused_before_paying(database: str) -> None:
    async with form(database, "wan/2-7-videoedit") as chat:
        await a_film_to_edit(chat)
        await chat.pool.execute("UPDATE input_files SET seconds = 30")
        await chat.taps("✅ Создать")
        assert "до 10 с" in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 0


async def test_an_order_again_with_a_film_beyond_today_s_limit_asks_for_another(database: str) -> None:
    async with form(database, "wan/2-7-videoedit") as chat:
        await a_film_to_edit(chat)
        job_id = await buys(chat)
        await chat.pool.execute("UPDATE input_files SET seconds = 30")
        assert "до 10 с" in await presses(chat, f"j:{job_id}:again")
        assert "Цена" in await chat.sends(film(seconds=4), kind="video", name="a.mp4")


async def test_a_result_that_is_gone_is_chosen_anew(database: str) -> None:
    async with form(database, "kling-2.6/text-to-video") as chat:
        earlier = await made_before(chat, "ai-music-api/separate-vocals", prompt="песня")
        job_id = await made_before(chat, "ai-music-api/generate-midi-from-audio", prompt="ноты")
        await chat.pool.execute(
            "UPDATE generation_jobs SET inputs = $2 WHERE job_id = $1", job_id, {"task_id": {"job": earlier}}
        )
        assert "Цена" in await presses(chat, f"j:{job_id}:again")
        await chat.pool.execute("UPDATE generation_jobs SET external_task_id = NULL WHERE job_id = $1", earlier)
        await chat.taps("✅ Создать")
        assert "Больше недоступно" in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 2
