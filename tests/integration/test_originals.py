"""«📎 Оригиналы»: every output as the file it is, once a tap, never doubled, never from what Telegram has made of it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from photomat.db.rows import require_row
from photomat.kernel.ids import ChatId, MessageId
from photomat.telegram.client import TelegramMessenger
from photomat.telegram.port import Media
from support.database import shift_clock
from support.history import Archive, archive
from support.jobs import row_of
from support.telegram_media import picture, video

ORIGINAL, ORIGINALS, AS_FILE = "📎 Оригинал", "📎 Файлы", "📎 Файлом"


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
        rows = await past.chat.pool.fetch("SELECT position, album, as_file, outcome FROM result_sends ORDER BY send_id")
        assert [tuple(row) for row in rows] == [(0, [0, 1], True, "sent")]
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
        await past.chat.taps("ℹ️")
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


def albums(past: Archive) -> list[list[str]]:
    """The names of the documents on the screen, by the album they came in."""
    world = past.chat.telegram.world
    documents = [world.messages[each["message_id"]] for each in past.media() if each["kind"] == "document"]
    grouped = groupby(documents, key=lambda each: each.media_group_id)
    return [[each.media.file_name for each in album if each.media] for _, album in grouped]


async def test_several_originals_come_as_one_album_in_order_with_one_caption(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job("red", "green", "blue", "white")
        await past.deliver()
        await past.chat.taps(ORIGINALS)
        assert await past.send_all() == 1
        assert albums(past) == [[f"photomat-{job_id}-{number}.png" for number in (1, 2, 3, 4)]]
        captions = [bool(each["caption"]) for each in past.media()[1:]]
        assert captions == [False, False, False, True]
        assert past.chat.calls("sendMediaGroup") == 1
        first = past.media()[1]["message_id"]
        assert await past.chat.pool.fetchval("SELECT message_id FROM result_sends") == first


async def test_more_than_ten_come_as_several_albums(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        colors = "red green blue white black yellow orange purple pink brown gray cyan magenta"
        await past.done_job(*colors.split())
        await past.deliver()
        await past.chat.taps(ORIGINALS)
        await past.send_all()
        await shift_clock(past.chat.pool, 20)
        await past.send_all()
        assert [len(album) for album in albums(past)] == [10, 3]
        assert await past.send_all() == 0


async def test_an_album_of_unknown_outcome_is_never_repeated_by_itself(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job("red", "green")
        await past.deliver()
        await past.chat.taps(ORIGINALS)
        past.chat.telegram.faults.arm(world="telegram", method="sendMediaGroup", action="drop_after")
        await past.send_all()
        await shift_clock(past.chat.pool, 3600)
        assert await past.send_all() == 0
        assert [len(album) for album in albums(past)] == [2]
        assert await past.chat.pool.fetchval("SELECT outcome FROM result_sends") is None


async def test_an_album_that_never_left_is_tried_again(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job("red", "green")
        await past.deliver()
        await past.chat.taps(ORIGINALS)
        past.chat.telegram.faults.arm(world="telegram", method="sendMediaGroup", action="too_many", retry_after=3)
        await past.send_all()
        assert albums(past) == []
        await shift_clock(past.chat.pool, 4)
        await past.send_all()
        assert [len(album) for album in albums(past)] == [2]


async def test_an_album_is_recorded_as_having_left_before_it_leaves(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job("red", "green")
        await past.deliver()
        await past.chat.taps(ORIGINALS)
        recorded: list[tuple[bool, bool]] = []

        class Witness(TelegramMessenger):
            async def send_album(self, chat_id: ChatId, items: Sequence[Media], caption: str) -> MessageId:
                row = await require_row(past.chat.pool, "SELECT due_at, left_at, outcome FROM result_sends")
                recorded.append((row["due_at"] is None and row["left_at"] is not None, row["outcome"] is None))
                return await super().send_album(chat_id, items, caption)

        past.resender = replace(past.resender, messenger=Witness(past.chat.bot))
        await past.send_all()
        assert recorded == [(True, True)]


async def test_an_album_that_telegram_refuses_comes_as_links_in_one_text(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job("red", "green")
        await past.deliver()
        await past.chat.taps(ORIGINALS)
        past.chat.telegram.faults.arm(
            world="telegram", method="sendMediaGroup", action="error", status=400, code=400, text="Bad Request: wrong"
        )
        await past.send_all()
        assert "№ 1, № 2" in past.chat.newest
        assert albums(past) == []
        assert await past.chat.pool.fetchval("SELECT outcome FROM result_sends") == "sent"


async def test_a_file_that_cannot_be_had_is_a_link_below_the_others(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job("red", "green", "blue")
        await past.deliver()
        del past.files.files["green.png"]
        await past.chat.taps(ORIGINALS)
        await past.send_all()
        assert [len(album) for album in albums(past)] == [2]
        assert "по ссылкам: № 2" in past.media()[-1]["caption"]


async def test_rows_of_the_version_before_are_sent_one_by_one(database: str, tmp_path: Path) -> None:
    """Asked for before an update: one row a file, none of which names an album."""
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job("red", "green")
        await past.deliver()
        for position in (0, 1):
            await past.chat.pool.execute(
                """
                INSERT INTO result_sends (job_id, chat_id, origin, language, as_file, position, due_at)
                VALUES ($1, $2, 'update:1:1', 'ru', true, $3, photomat_now())
                """,
                job_id,
                past.user,
                position,
            )
        await past.send_all()
        assert [message["kind"] for message in past.media()] == ["photo", "document", "document"]
