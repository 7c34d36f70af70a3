"""«📎 Оригиналы»: every output as the file it is, once a tap, never doubled, never from what Telegram has made of it."""

from pathlib import Path

from support.database import shift_clock
from support.history import Archive, archive
from support.jobs import row_of
from support.telegram_media import picture, video

ORIGINAL, ORIGINALS, AS_FILE = "📎 Оригинал", "📎 Оригиналы", "📎 Файлом"


async def send_everything(past: Archive) -> None:
    for _ in range(4):
        await past.send_all()
        await shift_clock(past.chat.pool, 1.2)


async def test_a_picture_comes_as_the_bytes_kie_made_and_the_card_stays_a_picture(
    database: str, tmp_path: Path
) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job()
        await past.deliver()
        await past.chat.taps(ORIGINAL)
        assert past.chat.answers[-1] == "Отправляю без сжатия, это бесплатно"
        await past.send_all()
        card, original = past.media()
        assert (card["kind"], original["kind"]) == ("photo", "document")
        world = past.chat.telegram.world
        media = world.messages[original["message_id"]].media
        assert media is not None
        assert world.files.read(world.files.files[media.number]) == picture("red")
        assert media.file_name.endswith(".png")
        assert "без сжатия" in original["caption"]
        assert await past.chat.pool.fetchval("SELECT media FROM job_outputs") == "photo", "history still sends a photo"
        await past.chat.pool.execute("UPDATE generation_jobs SET card_wanted = card_wanted + 1")
        await past.deliver()
        assert past.media()[0]["kind"] == "photo"


async def test_a_gif_and_a_film_stay_the_files_they_are(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job("red", "green")
        gif, film = picture("red", form="GIF"), video()
        past.files.files.update({"red.png": (gif, "image/gif"), "green.png": (film, "video/mp4")})
        await past.deliver()
        await past.chat.taps(ORIGINALS)
        await send_everything(past)
        assert [message["kind"] for message in past.media()] == ["animation", "document", "document"]
        rows = await past.chat.pool.fetch("SELECT position, as_file, outcome FROM result_sends ORDER BY send_id")
        assert [tuple(row) for row in rows] == [(0, True, "sent"), (1, True, "sent")]
        assert (await row_of(past.chat.pool, job_id))["card_message_id"] == past.media()[0]["message_id"]


async def test_a_second_tap_within_a_minute_is_answered_and_sends_nothing_more(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job()
        await past.deliver()
        for _ in range(3):
            await past.chat.taps(ORIGINAL)
            await past.send_all()
        assert past.chat.answers[-1].startswith("Уже отправляю")
        assert len(past.media()) == 2
        await past.chat.says("/history")
        await past.chat.taps("Не пришло? Прислать ещё раз")
        assert past.chat.answers[-1] == "Отправляю ещё раз, это бесплатно", "what did not arrive is another matter"


async def test_an_unknown_outcome_is_never_repeated_by_itself(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job()
        await past.deliver()
        await past.chat.taps(ORIGINAL)
        past.chat.telegram.faults.arm(world="telegram", method="sendDocument", action="drop_after")
        await past.send_all()
        await shift_clock(past.chat.pool, 3600)
        assert await past.send_all() == 0
        assert len(past.media()) == 2


async def test_without_any_copy_the_way_to_the_file_is_sent(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job()
        await past.deliver()
        await past.chat.pool.execute("UPDATE job_outputs SET kept_as = NULL")
        past.files.files.clear()
        await past.chat.taps(ORIGINAL)
        await past.send_all()
        assert len(past.media()) == 1, "Telegram's own small copy is not passed off as the original"
        assert "Скачать по ссылке" in past.chat.newest


async def test_a_long_text_is_cut_on_the_card_and_comes_whole_as_a_file(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        spoken = "Слово за словом. " * 1000
        await past.text_job({"text": spoken})
        await past.deliver()
        assert "весь текст придёт кнопкой" in past.chat.newest
        await past.chat.taps(AS_FILE)
        await past.send_all()
        (document,) = past.media()
        world = past.chat.telegram.world
        media = world.messages[document["message_id"]].media
        assert media is not None
        assert world.files.read(world.files.files[media.number]).decode() == spoken.strip()
        assert media.file_name.endswith(".txt")


async def test_an_original_that_is_no_longer_stored_comes_as_telegram_keeps_it_and_says_so(
    database: str, tmp_path: Path
) -> None:
    """Retention deletes our copy, Kie deletes its own: what the card shows is what is left."""
    async with archive(database, tmp_path) as past:
        await past.done_job()
        await past.deliver()
        await past.chat.pool.execute("UPDATE job_outputs SET kept_as = NULL, kept_at = NULL WHERE file_id IS NOT NULL")
        past.files.files.clear()
        await shift_clock(past.chat.pool, 91 * 86400)
        await past.chat.taps(ORIGINAL)
        await past.send_all()
        card, once_more = past.media()
        assert (card["kind"], once_more["kind"]) == ("photo", "photo")
        assert "Оригинал больше не хранится" in once_more["caption"]
        assert "без сжатия" not in once_more["caption"]
