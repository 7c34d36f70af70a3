"""Whatever Telegram refuses, nothing is lost, nobody is condemned too early, and one picture is shown."""

from dataclasses import replace
from pathlib import Path

import pytest

from photomat.db.pool import transaction
from photomat.delivery.coordinator import MAX_REFUSALS, TRIES_BEFORE_TEXT
from photomat.delivery.lock import rearm_user
from photomat.jobs.settle import Failure, Success
from support.database import shift_clock
from support.delivery import delivery_desk
from support.jobs import a_running_job, row_of, seconds_until, settle_now
from support.logs import logged
from support.telegram_media import picture


async def test_a_deleted_card_gets_a_slot_and_the_result_is_shown_there_once(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        (card,) = desk.seen()
        desk.telegram.deletes(desk.person, card["message_id"], for_both=True)
        await desk.deliver()
        (message,) = desk.seen()
        assert message["kind"] == "photo"
        row = await row_of(desk.pool, job_id)
        assert row["card_message_id"] == message["message_id"]
        assert row["delivered_at"] is not None


async def test_a_slot_whose_picture_did_not_land_is_used_again(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.telegram.deletes(desk.person, desk.seen()[0]["message_id"], for_both=True)
        desk.telegram.faults.arm(world="telegram", method="editMessageMedia", action="too_many", retry_after=5, skip=1)
        await desk.deliver()
        assert desk.kinds() == ["text"]
        await shift_clock(desk.pool, 10)
        await desk.deliver()
        assert desk.kinds() == ["photo"]


async def test_somebody_who_blocked_the_bot_gets_the_result_when_they_return(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.telegram.deletes(desk.person, desk.seen()[0]["message_id"], for_both=True)
        desk.telegram.blocks(desk.person)
        await desk.deliver()
        row = await row_of(desk.pool, job_id)
        assert (row["undeliverable_at"] is not None, row["delivered_at"], row["delivering_at"]) == (True, None, None)
        await shift_clock(desk.pool, 86_400)
        assert await desk.deliver() == 0
        desk.telegram.blocks(desk.person, blocked=False)
        async with transaction(desk.pool) as tx:
            await rearm_user(tx, user_id=desk.user)
        assert await desk.deliver() == 1
        assert await desk.delivered(job_id)
        assert [message["kind"] for message in desk.seen() if message["from"] == "bot"] == ["photo"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        (403, "Forbidden: bot was blocked by the user"),
        (403, "Forbidden: user is deactivated"),
        (400, "Bad Request: chat not found"),
    ],
    ids=["blocked", "deactivated", "no chat"],
)
async def test_a_person_who_cannot_be_reached_makes_the_card_undeliverable(
    database: str, tmp_path: Path, code: int, text: str
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", text, code=code)
        await desk.deliver()
        row = await row_of(desk.pool, job_id)
        assert (row["undeliverable_at"] is not None, row["delivered_at"]) == (True, None)


async def test_a_429_is_waited_out_by_every_instance(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        other = await desk.done_job(desk.files.add("dog.png", picture("green"), "image/png"))
        desk.telegram.faults.arm(world="telegram", method="editMessageMedia", action="too_many", retry_after=30)
        await desk.deliver()
        calls = len(desk.calls("editMessageMedia"))
        for one in (job_id, other):
            assert not await desk.delivered(one)
            assert 20 < (await seconds_until(desk.pool, one, "deliver_at") or 0) <= 30
        await shift_clock(desk.pool, 31)
        await desk.deliver()
        assert len(desk.calls("editMessageMedia")) == calls + 2
        assert desk.kinds() == ["photo", "photo"]


async def test_a_bad_token_condemns_nothing(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Unauthorized", code=401)
        with logged() as lines:
            await desk.deliver()
        row = await row_of(desk.pool, job_id)
        assert (row["parked_at"], row["undeliverable_at"], row["delivering_at"]) == (None, None, None)
        assert "BOT_UNAUTHORIZED" in {line["event"] for line in lines if line["log_level"] == "error"}
        await shift_clock(desk.pool, 61)
        await desk.deliver()
        assert await desk.delivered(job_id)


async def test_refusals_nobody_planned_for_are_parked_where_even_a_text_is_refused(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Bad Request: BUTTON_DATA_INVALID", times=99)
        desk.refuse("editMessageText", "Bad Request: BUTTON_DATA_INVALID", times=99)
        for _ in range(MAX_REFUSALS):
            assert await desk.deliver() == 1
            await shift_clock(desk.pool, 1000)
        row = await row_of(desk.pool, job_id)
        assert (row["parked_at"] is not None, row["delivered_at"]) == (True, None)
        assert "BUTTON_DATA_INVALID" in row["delivery_error"]
        assert await desk.deliver() == 0


async def test_an_error_of_telegrams_own_is_tried_again(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Internal Server Error: restart", code=500)
        desk.telegram.faults.arm(
            world="telegram", method="editMessageMedia", action="error", status=502, text="Bad Gateway", html=True
        )
        for _ in range(3):
            await desk.deliver()
            await shift_clock(desk.pool, 10)
        assert await desk.delivered(job_id)
        assert desk.kinds() == ["photo"]


async def test_a_failure_is_shown_with_its_reason_and_a_way_on(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_running_job(desk.pool, desk.user, message_id=await desk.card())
        await settle_now(desk.pool, job_id, Failure(code="kie-422", reason="flagged words"))
        await desk.deliver()
        (message,) = desk.seen()
        assert message["text"].startswith("❌")
        assert "flagged words" not in message["text"]
        assert [data for _, data in desk.buttons(message)] == [f"j:{job_id}:again", f"j:{job_id}:sos"]
        row = await row_of(desk.pool, job_id)
        assert (row["delivered_at"], row["ring_kind"]) == (None, "failed")


async def test_an_address_too_long_for_a_link_still_ends_in_an_honest_card(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(f"{desk.files.url}/gone.png?signature={'x' * 6000}")
        for _ in range(TRIES_BEFORE_TEXT):
            await desk.deliver()
            await shift_clock(desk.pool, 60)
        assert await desk.delivered(job_id)
        assert "не удалось показать" in desk.seen()[0]["text"]


async def test_a_fault_of_ours_gives_the_lock_back_and_calls_the_operator_in_the_end(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))

        def no_model(_model: str) -> None:
            raise LookupError("a bug")

        desk.coordinator = replace(desk.coordinator, model_of=no_model)
        for _ in range(MAX_REFUSALS):
            await desk.deliver()
            row = await row_of(desk.pool, job_id)
            assert (row["delivering_at"], row["delivery_error"][:11]) == (None, "LookupError")
            await shift_clock(desk.pool, 1000)
        assert row["parked_at"] is not None


async def test_put_off_progress_does_not_count_against_the_result(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_running_job(desk.pool, desk.user, message_id=await desk.card())
        desk.telegram.faults.arm(world="telegram", method="editMessageText", action="too_many", retry_after=1, times=5)
        for _ in range(5):
            await desk.deliver()
            await shift_clock(desk.pool, 30)
        url = desk.files.add("cat.png", picture(), "image/png")
        await settle_now(desk.pool, job_id, Success(urls=(url,)), via="callback")
        with logged() as lines:
            await desk.deliver()
        assert [line["via"] for line in lines if line["event"] == "DELIVER_OK"] == ["callback"]
        assert "DELIVERY_RETRY" not in {line["event"] for line in lines}


async def test_after_progress_of_unknown_outcome_the_result_is_rendered_once_more(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_running_job(desk.pool, desk.user, message_id=await desk.card())
        desk.telegram.faults.arm(world="telegram", method="editMessageText", action="drop_after")
        await desk.deliver()
        url = desk.files.add("cat.png", picture(), "image/png")
        await settle_now(desk.pool, job_id, Success(urls=(url,)))
        await desk.deliver()
        row = await row_of(desk.pool, job_id)
        assert (row["delivered_at"] is not None, row["card_wanted"] - row["card_shown"]) == (True, 1)
        await shift_clock(desk.pool, 130)
        assert await desk.deliver() == 1
        row = await row_of(desk.pool, job_id)
        assert row["card_wanted"] == row["card_shown"], "once more, not for ever"
        assert desk.kinds() == ["photo"]


async def test_doubt_about_progress_outlives_later_progress(database: str, tmp_path: Path) -> None:
    """An edit of unknown outcome may land late; what comes between does not make it certain."""
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_running_job(desk.pool, desk.user, message_id=await desk.card())
        desk.telegram.faults.arm(world="telegram", method="editMessageText", action="drop_after")
        await desk.deliver()
        await shift_clock(desk.pool, 30)
        await desk.deliver()
        assert (await row_of(desk.pool, job_id))["card_doubtful"]
        await settle_now(desk.pool, job_id, Failure(code="kie-500"))
        await desk.deliver()
        row = await row_of(desk.pool, job_id)
        assert (row["card_wanted"] - row["card_shown"], row["card_doubtful"]) == (1, False), "rendered once more, once"


async def test_a_copy_that_is_not_on_this_disk_does_not_keep_the_last_resort_back(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.pool.execute(
            "UPDATE job_outputs SET kept_as = '9/0.png', mime = 'image/png', size_bytes = 100, keep_at = NULL"
        )
        desk.files.files.clear()
        desk.refuse("editMessageMedia", "Bad Request: failed to get HTTP URL content", times=TRIES_BEFORE_TEXT)
        for _ in range(TRIES_BEFORE_TEXT):
            await desk.deliver()
            await shift_clock(desk.pool, 3700)
        (message,) = desk.seen()
        assert await desk.delivered(job_id)
        assert "Скачать по ссылке" in message["text"]
