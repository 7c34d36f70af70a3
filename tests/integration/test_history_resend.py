"""«Не пришло? Прислать ещё раз»: free, once a tap, never doubled, from whatever copy there is."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from photomat.db.pool import transaction
from photomat.db.rows import require_row
from photomat.delivery.resend import ResendAnswer, ask_again
from photomat.jobs.settle import Failure
from photomat.kernel.ids import ChatId, JobId, UserId
from photomat.telegram.client import TelegramMessenger
from photomat.telegram.port import Keyboard, Media, Sent
from photomat_sandbox.faults import Action
from support.database import shift_clock
from support.history import RESEND, Archive, archive
from support.jobs import a_running_job, a_user, money_of, row_of, settle_now


async def asks(past: Archive, job_id: JobId, *, origin: str = "update:1:1", user: int | None = None) -> ResendAnswer:
    async with transaction(past.chat.pool) as tx:
        return await ask_again(
            tx,
            job_id=job_id,
            user_id=UserId(user or past.user),
            chat_id=ChatId(past.user),
            origin=origin,
            language="ru",
        )


async def test_a_shown_result_is_sent_once_more_free_and_from_telegrams_own_file(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job()
        await past.deliver()
        before = await money_of(past.chat.pool, past.user)
        await past.chat.taps("ℹ️")
        past.files.files.clear()
        shutil.rmtree(tmp_path)
        await past.chat.taps(RESEND)
        assert past.chat.answers[-1] == "Отправляю ещё раз, это бесплатно"
        assert await past.send_all() == 1
        card, again = past.media()
        assert (again["kind"], again["media"]["file_unique_id"]) == ("photo", card["media"]["file_unique_id"])
        assert "ещё раз, бесплатно" in again["caption"]
        assert "кот-космонавт" in again["caption"]
        assert await money_of(past.chat.pool, past.user) == before
        row = await require_row(past.chat.pool, "SELECT * FROM result_sends")
        assert (row["job_id"], row["outcome"], row["message_id"]) == (job_id, "sent", again["message_id"])


async def test_a_result_of_the_bot_before_is_sent_again_from_our_copy(database: str, tmp_path: Path) -> None:
    """After the shop was given to another bot, file ids of the bot before are of no use."""
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job()
        await past.deliver()
        past.files.files.clear()
        await past.chat.pool.execute("UPDATE generation_jobs SET bot_id = bot_id + 1")
        await past.chat.pool.execute("UPDATE job_outputs SET file_id = 'of the bot before'")
        await asks(past, job_id)
        assert await past.send_all() == 1
        assert [message["kind"] for message in past.media()] == ["photo", "photo"]
        assert await past.chat.pool.fetchval("SELECT outcome FROM result_sends") == "sent"
        assert "of the bot before" not in str(past.chat.telegram.transcript.since(0))
        assert await past.chat.pool.fetchval("SELECT file_id FROM job_outputs") == "of the bot before"


async def test_the_same_tap_handled_again_sends_nothing_more(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job()
        await past.deliver()
        assert await asks(past, job_id) is ResendAnswer.SENDING
        await past.send_all()
        await shift_clock(past.chat.pool, 3600)
        assert await asks(past, job_id) is ResendAnswer.SENDING, "the same answer, an hour later too"
        assert await past.send_all() == 0
        assert len(past.media()) == 2


async def test_a_second_tap_waits_a_minute_and_is_answered(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job()
        await past.deliver()
        await past.chat.taps("ℹ️")
        for _ in range(3):
            await past.chat.taps(RESEND)
            await past.send_all()
        assert len(past.media()) == 2
        assert past.chat.answers[-1].startswith("Уже отправляю")
        await shift_clock(past.chat.pool, 61)
        await past.chat.taps(RESEND)
        await past.send_all()
        assert len(past.media()) == 3


@pytest.mark.parametrize("action", ["drop_after", "drop_before", "error"])
async def test_a_send_of_unknown_outcome_is_never_repeated_by_itself(
    database: str, tmp_path: Path, action: Action
) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job()
        await past.deliver()
        await asks(past, job_id)
        past.chat.telegram.faults.arm(world="telegram", method="sendPhoto", action=action)
        await past.send_all()
        seen = len(past.media())
        await shift_clock(past.chat.pool, 3600)
        assert await past.send_all() == 0
        assert len(past.media()) == seen == (2 if action == "drop_after" else 1)
        assert (await past.chat.pool.fetchval("SELECT outcome FROM result_sends")) is None


async def test_what_surely_never_left_is_sent_later_once(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job()
        await past.deliver()
        await asks(past, job_id)
        past.chat.telegram.faults.arm(world="telegram", method="sendPhoto", action="too_many", retry_after=7)
        await past.send_all()
        assert await past.send_all() == 0
        await shift_clock(past.chat.pool, 8)
        assert await past.send_all() == 1
        assert len(past.media()) == 2


async def test_it_is_recorded_as_having_left_before_it_leaves(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job()
        await past.deliver()
        await asks(past, job_id)
        recorded: list[tuple[bool, bool]] = []

        class Witness(TelegramMessenger):
            """Looks into the database, over a session of its own, when the file is about to leave."""

            async def send_media(self, chat_id: ChatId, media: Media, caption: str, *, keyboard: Keyboard = ()) -> Sent:
                row = await require_row(past.chat.pool, "SELECT due_at, left_at, outcome FROM result_sends")
                recorded.append((row["due_at"] is None and row["left_at"] is not None, row["outcome"] is None))
                return await super().send_media(chat_id, media, caption, keyboard=keyboard)

        past.resender = replace(past.resender, messenger=Witness(past.chat.bot))
        await past.send_all()
        assert recorded == [(True, True)]
        assert len(past.media()) == 2


async def test_every_output_comes_in_order_each_with_its_own_intent(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job("red", "green", "blue")
        await past.deliver()
        await asks(past, job_id)
        for _ in range(4):
            await past.send_all()
            await shift_clock(past.chat.pool, 1.2)
        assert [f" · {n}/3" in message["caption"] for n, message in enumerate(past.media()[1:], start=1)] == [True] * 3
        outcomes = await past.chat.pool.fetch("SELECT position, outcome FROM result_sends ORDER BY send_id")
        assert [tuple(row) for row in outcomes] == [(0, "sent"), (1, "sent"), (2, "sent")]


async def test_without_telegrams_file_our_own_copy_is_sent_and_at_last_a_link(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job()
        await past.deliver()
        await past.chat.pool.execute("UPDATE job_outputs SET file_id = 'gone'")
        past.files.files.clear()
        await asks(past, job_id)
        await past.send_all()
        assert len(past.media()) == 2
        await past.chat.pool.execute("UPDATE job_outputs SET file_id = NULL, kept_as = NULL")
        await shift_clock(past.chat.pool, 61)
        await asks(past, job_id, origin="update:1:2")
        past.chat.telegram.faults.arm(
            world="telegram", method="sendPhoto", action="error", status=400, code=400, text="Bad Request: MEDIA_EMPTY"
        )
        await past.send_all()
        assert "не удалось показать" in past.chat.newest
        assert len(past.media()) == 2


async def test_a_result_never_shown_gets_its_card_armed_again_and_is_not_doubled(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job()
        await past.chat.pool.execute("UPDATE generation_jobs SET parked_at = photomat_now()")
        assert await past.deliver() == 0
        assert "ещё не дошло до вас" in await past.chat.says("/history")
        await past.chat.taps("ℹ️")
        await past.chat.taps(RESEND)
        assert past.chat.answers[-1].startswith("Показываю результат на карточке")
        assert (await past.send_all(), await past.deliver()) == (0, 1)
        assert len(past.media()) == 1
        assert (await row_of(past.chat.pool, job_id))["delivered_at"] is not None


async def test_somebody_elses_job_or_one_without_a_result_is_refused_in_words(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        done = await past.done_job()
        await past.deliver()
        failed = await a_running_job(past.chat.pool, past.user, task_id="t-failed")
        await settle_now(past.chat.pool, failed, Failure(code="kie-422"))
        assert await asks(past, failed) is ResendAnswer.NO_RESULT
        stranger = await a_user(past.chat.pool, user_id=42)
        assert await asks(past, done, user=stranger) is ResendAnswer.NOT_YOURS
        assert await past.send_all() == 0


async def test_blocked_meanwhile_nothing_is_sent_and_nobody_tries_for_ever(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        job_id = await past.done_job()
        await past.deliver()
        await asks(past, job_id)
        past.chat.telegram.blocks(past.chat.person)
        await past.send_all()
        await shift_clock(past.chat.pool, 3600)
        assert await past.send_all() == 0
        assert await past.chat.pool.fetchval("SELECT outcome FROM result_sends") == "refused"
