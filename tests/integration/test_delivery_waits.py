"""Who waits, and who does not: the reserve is kept for results, a chat's limit is that chat's, and a database may be away."""

from datetime import timedelta
from pathlib import Path

import asyncpg
import pytest

from photomat.delivery.coordinator import MAX_REFUSALS
from photomat.delivery.lock import try_acquire_delivery_lock
from photomat.delivery.sender import Sender
from photomat.kernel.ids import JobId
from photomat.telegram.pacing import CHAT_LIMIT, PROGRESS_RESERVE
from support.database import shift_clock
from support.delivery import Desk, delivery_desk
from support.jobs import TWO, a_done_job, a_running_job, a_user, lock_card, row_of, seconds_until
from support.telegram_media import picture


async def result_of_somebody_else(desk: Desk) -> JobId:
    """A result that is due in another chat."""
    ada = desk.telegram.person("Ада")
    user = await a_user(desk.pool, user_id=ada.user_id)
    return await a_done_job(desk.pool, user, urls=[desk.files.add("ada.png", picture(), "image/png")])


async def test_progress_that_must_leave_the_reserve_puts_off_no_result(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        progress = await lock_card(
            desk.pool, await a_running_job(desk.pool, desk.user, message_id=await desk.card("идёт"))
        )
        result = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.spend_chat_budget(CHAT_LIMIT - PROGRESS_RESERVE + 2)
        await desk.coordinator.deliver_result_atomic(progress)
        assert (await seconds_until(desk.pool, progress.job_id, "deliver_at") or 0) > 0, "progress waits"
        await desk.deliver()
        assert await desk.delivered(result)


async def test_a_429_for_progress_lets_its_whole_chat_wait_and_no_other(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        progress = await lock_card(
            desk.pool, await a_running_job(desk.pool, desk.user, message_id=await desk.card("идёт"))
        )
        result = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        other = await result_of_somebody_else(desk)
        desk.telegram.faults.arm(world="telegram", method="editMessageText", action="too_many", retry_after=30)
        await desk.coordinator.deliver_result_atomic(progress)
        waits = [await seconds_until(desk.pool, job_id, "deliver_at") or 0 for job_id in (progress.job_id, result)]
        assert min(waits) > 25
        assert (await seconds_until(desk.pool, other, "deliver_at") or 0) <= 0


async def test_whoever_lost_the_lock_puts_off_nobody(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        zombie = await lock_card(desk.pool, await desk.done_job(desk.files.add("cat.png", picture(), "image/png")))
        await try_acquire_delivery_lock(desk.pool, limit=1, lease=timedelta(0), instance=TWO)
        waiting = await desk.done_job(desk.files.add("dog.png", picture("blue"), "image/png"))
        desk.telegram.faults.arm(world="telegram", method="editMessageMedia", action="too_many", retry_after=30)
        before = await row_of(desk.pool, waiting)
        await desk.coordinator.deliver_result_atomic(zombie)
        assert await row_of(desk.pool, waiting) == before


@pytest.mark.parametrize(
    "trouble",
    [
        asyncpg.ConnectionDoesNotExistError("connection was closed in the middle of operation"),
        asyncpg.CannotConnectNowError("the database system is starting up"),
        ConnectionRefusedError("nobody listens"),
    ],
    ids=["cut off", "starting", "refused"],
)
async def test_a_database_that_is_away_condemns_no_result(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))

        async def is_cut_off(*_args: object, **_kwargs: object) -> str:
            raise trouble

        with monkeypatch.context() as patch:
            patch.setattr(Sender, "show", is_cut_off)
            for _ in range(2 * MAX_REFUSALS):
                assert await desk.deliver() == 1
                row = await row_of(desk.pool, job_id)
                assert (row["parked_at"], row["delivery_attempts"], row["delivering_at"]) == (None, 0, None)
                await shift_clock(desk.pool, 3600)
        await desk.deliver()
        assert await desk.delivered(job_id)
