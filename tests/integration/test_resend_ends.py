"""A result asked for again ends: sent once into a chat that can be reached, or refused after a while, never tried for ever."""

import shutil
from pathlib import Path

from photomat.db.pool import transaction
from photomat.delivery.resend import MAX_TRIES, ResendAnswer, ask_again
from photomat.kernel.ids import ChatId, JobId, UserId
from support.database import shift_clock
from support.history import Archive, archive
from support.jobs import row_of

A_GROUP = -1_000_777
CANNOT_SAVE = "Bad Request: PHOTO_SAVE_FILE_INVALID"
OUTCOME = "SELECT outcome FROM result_sends"


async def asks(past: Archive, job_id: JobId, *, chat_id: int | None = None, origin: str = "update:1:1") -> ResendAnswer:
    chat = ChatId(chat_id or past.user)
    async with transaction(past.chat.pool) as tx:
        return await ask_again(tx, job_id=job_id, user_id=UserId(past.user), chat_id=chat, origin=origin, language="ru")


async def shown_and_asked_for(past: Archive) -> JobId:
    job_id = await past.done_job()
    await past.deliver()
    assert await asks(past, job_id) is ResendAnswer.SENDING
    return job_id


async def test_a_result_of_a_group_that_is_lost_is_sent_to_its_owner_and_the_card_waits(
    database: str, tmp_path: Path
) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job("red", "green")
        await past.chat.pool.execute(
            "UPDATE generation_jobs SET chat_id = $1, undeliverable_at = photomat_now()", A_GROUP
        )
        assert await asks(past, job_id) is ResendAnswer.SENDING
        assert await asks(past, job_id) is ResendAnswer.SENDING, "the same tap again asks for nothing more"
        for _ in range(3):
            await past.send_all()
            await shift_clock(past.chat.pool, 2)
        assert len(past.media()) == 2
        assert await past.deliver() == 0, "nobody tries the group before the bot is back in it"
        assert (await row_of(past.chat.pool, job_id))["undeliverable_at"] is not None


async def test_asked_for_in_the_very_chat_of_the_card_the_card_is_shown(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job()
        await past.chat.pool.execute("UPDATE generation_jobs SET undeliverable_at = photomat_now()")
        assert await asks(past, job_id) is ResendAnswer.SHOWING
        assert (await past.send_all(), await past.deliver(), len(past.media())) == (0, 1, 1)


async def test_what_telegram_cannot_take_is_refused_after_a_few_tries_later_each_time(
    database: str, tmp_path: Path
) -> None:
    async with archive(database, tmp_path) as past:
        await shown_and_asked_for(past)
        past.chat.telegram.faults.arm(
            world="telegram", method="sendPhoto", action="error", status=400, code=400, text=CANNOT_SAVE, times=1000
        )
        waits: list[float] = []
        for _ in range(MAX_TRIES):
            assert await past.send_all() == 1
            wait = await past.chat.pool.fetchval("SELECT extract(epoch FROM due_at - photomat_now()) FROM result_sends")
            waits.append(float(wait or 0))
            await past.chat.pool.execute("UPDATE result_sends SET due_at = photomat_now() WHERE due_at IS NOT NULL")
        assert await past.send_all() == 0
        assert await past.chat.pool.fetchval(OUTCOME) == "refused"
        assert waits[:3] == sorted(waits[:3])
        assert waits[2] > 10


async def test_waiting_for_the_pace_of_a_chat_is_no_failure(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await shown_and_asked_for(past)
        past.chat.telegram.faults.arm(
            world="telegram", method="sendPhoto", action="too_many", retry_after=3, times=MAX_TRIES + 4
        )
        for _ in range(MAX_TRIES + 4):
            assert await past.send_all() == 1
            await shift_clock(past.chat.pool, 4)
        assert await past.send_all() == 1
        assert (await past.chat.pool.fetchval(OUTCOME), len(past.media())) == ("sent", 2)


async def test_what_was_asked_for_more_than_an_hour_ago_is_not_sent_any_more(database: str, tmp_path: Path) -> None:
    """Nobody was there to send it, or another version was: days later it would surprise its customer."""
    async with archive(database, tmp_path) as past:
        await shown_and_asked_for(past)
        await shift_clock(past.chat.pool, 3601)
        assert await past.send_all() == 1
        assert (await past.chat.pool.fetchval(OUTCOME), len(past.media())) == ("refused", 1)


async def test_whoever_comes_late_puts_back_nothing_that_another_has_taken(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await shown_and_asked_for(past)
        (late,) = await past.resender.claim(1)
        past.chat.telegram.faults.arm(world="telegram", method="sendPhoto", action="too_many", retry_after=3, times=2)
        await past.resender.deliver(late)
        await shift_clock(past.chat.pool, 4)
        (_ours,) = await past.resender.claim(1)
        await past.resender.deliver(late)
        await shift_clock(past.chat.pool, 600)
        assert await past.send_all() == 0, "it is in somebody else's hands"


async def test_a_copy_that_is_gone_from_the_disk_comes_as_a_link(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await shown_and_asked_for(past)
        await past.chat.pool.execute("UPDATE job_outputs SET file_id = NULL")
        past.chat.telegram.faults.arm(
            world="telegram", method="sendPhoto", action="error", status=400, code=400, text="Bad Request: MEDIA_EMPTY"
        )
        past.files.files.clear()
        shutil.rmtree(tmp_path)
        await past.send_all()
        assert (await past.chat.pool.fetchval(OUTCOME), len(past.media())) == ("sent", 1)
        assert "Скачать по ссылке" in past.chat.newest
