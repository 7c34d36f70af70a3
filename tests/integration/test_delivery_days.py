"""What cannot be shown is tried for days, later each time, and is then the operator's; never because of a bad token."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from photomat.db.pool import transaction
from photomat.delivery.coordinator import GIVE_UP_AFTER, MAX_REFUSALS, MAX_RETRY_S
from photomat.delivery.lock import rearm_job
from photomat.jobs.listing import JobFilter, list_jobs, read_surroundings
from photomat.jobs.settle import Success
from photomat.kernel.ids import JobId
from support.database import shift_clock
from support.delivery import Desk, delivery_desk
from support.jobs import DELIVERY_LEASE, a_running_job, row_of, seconds_until, settle_now
from support.logs import logged
from support.telegram_media import picture

DAY_S = 86_400
TROUBLES = {
    "an error of Telegram's own": (500, "Internal Server Error"),
    "a photo it cannot save": (400, "Bad Request: PHOTO_SAVE_FILE_INVALID"),
    "an older edit that never ends": (400, "Bad Request: canceled by new edit message request"),
}


async def tries(desk: Desk, job_id: JobId, *, days: float) -> list[float]:
    """Deliver whenever it is due, for so long; the waits between the tries."""
    waits: list[float] = []
    while sum(waits) < days * DAY_S and (await row_of(desk.pool, job_id))["parked_at"] is None:
        assert await desk.deliver() == 1
        wait = await seconds_until(desk.pool, job_id, "deliver_at") or 0
        waits.append(wait)
        await shift_clock(desk.pool, max(wait, 0) + 0.1)
    return waits


@pytest.mark.parametrize(("code", "words"), TROUBLES.values(), ids=list(TROUBLES))
async def test_it_is_tried_later_each_time_and_parked_after_days(
    database: str, tmp_path: Path, code: int, words: str
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", words, code=code, times=-1)
        with logged() as lines:
            waits = await tries(desk, job_id, days=4)
        assert abs(sum(waits) - GIVE_UP_AFTER.total_seconds()) < 2 * MAX_RETRY_S
        assert len(waits) < 1200, "not every few seconds for days"
        assert max(waits) <= MAX_RETRY_S * 1.25
        assert [line["log_level"] for line in lines if line["event"] == "DELIVERY_PARKED"] == ["error"]
        row = await row_of(desk.pool, job_id)
        assert (row["delivered_at"], row["delivering_at"], row["parked_at"] is not None) == (None, None, True)
        (listed,) = await undelivered(desk)
        assert "the card could not be shown for 3 days, it has been parked" in listed["why"]


async def undelivered(desk: Desk) -> list[dict[str, Any]]:
    around = await read_surroundings(desk.pool, delivery_lease=DELIVERY_LEASE, given_up_after=timedelta(days=1))
    return await list_jobs(desk.pool, limit=10, only=JobFilter.UNDELIVERED, around=around)


async def test_what_was_parked_is_shown_when_the_operator_redelivers_and_gets_its_days_anew(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Internal Server Error", code=500, times=-1)
        await tries(desk, job_id, days=4)
        async with transaction(desk.pool) as tx:
            assert await rearm_job(tx, job_id)
        assert await desk.deliver() == 1
        assert (await row_of(desk.pool, job_id))["parked_at"] is None, "one more failure is not days of it"
        desk.telegram.faults.clear()
        await shift_clock(desk.pool, 10)
        assert await desk.deliver() == 1
        assert await desk.delivered(job_id)


async def test_a_week_of_a_bad_token_condemns_nothing(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Internal Server Error", code=500)
        await desk.deliver()
        for _ in range(7):
            await shift_clock(desk.pool, DAY_S)
            desk.refuse("editMessageMedia", "Unauthorized", code=401)
            assert await desk.deliver() == 1
        desk.refuse("editMessageMedia", "Internal Server Error", code=500)
        await shift_clock(desk.pool, DAY_S)
        await desk.deliver()
        assert (await row_of(desk.pool, job_id))["parked_at"] is None
        await shift_clock(desk.pool, 10)
        await desk.deliver()
        assert await desk.delivered(job_id)


async def test_an_instance_that_was_off_for_a_week_parks_nothing_at_its_first_failure(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await shift_clock(desk.pool, 7 * DAY_S)
        desk.refuse("editMessageMedia", "Internal Server Error", code=500)
        await desk.deliver()
        assert (await row_of(desk.pool, job_id))["parked_at"] is None


async def test_refused_progress_never_keeps_a_result_back(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_running_job(desk.pool, desk.user, message_id=await desk.card())
        desk.refuse("editMessageText", "Bad Request: BUTTON_DATA_INVALID", times=-1)
        for _ in range(MAX_REFUSALS + 2):
            await desk.deliver()
            await shift_clock(desk.pool, 2 * MAX_RETRY_S)
        assert (await row_of(desk.pool, job_id))["parked_at"] is None
        url = desk.files.add("cat.png", picture(), "image/png")
        await settle_now(desk.pool, job_id, Success(urls=(url,)))
        await desk.deliver()
        assert await desk.delivered(job_id)
