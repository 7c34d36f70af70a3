"""Telegram refuses the media of a card for a reason nobody planned for: the customer gets a text with a link in the end."""

from pathlib import Path

from photomat.alerts.incident import IncidentKind
from photomat.db.pool import transaction
from photomat.delivery.coordinator import MAX_REFUSALS
from photomat.delivery.lock import rearm_job
from support.alerts import ANNA, tower_on
from support.database import shift_clock
from support.delivery import Desk, delivery_desk
from support.jobs import row_of
from support.logs import logged
from support.telegram_media import picture

UNPLANNED = "Bad Request: MEDIA_SURPRISE"


async def tried(desk: Desk, times: int) -> None:
    for _ in range(times):
        assert await desk.deliver() == 1
        await shift_clock(desk.pool, 1000)


async def test_after_as_many_tries_the_card_is_a_text_with_the_link(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        url = desk.files.add("cat.png", picture(), "image/png")
        job_id = await desk.done_job(url)
        desk.refuse("editMessageMedia", UNPLANNED, times=99)
        await tried(desk, MAX_REFUSALS - 1)
        assert not await desk.delivered(job_id)
        with logged() as lines:
            await tried(desk, 1)
        assert await desk.delivered(job_id)
        (message,) = desk.seen()
        assert "не удалось показать" in message["text"]
        assert [entity["url"] for entity in message["entities"] if entity["type"] == "text_link"] == [url]
        row = await row_of(desk.pool, job_id)
        assert (row["parked_at"], row["media_refused_at"] is not None) == (None, True)
        (refused,) = [line for line in lines if line["event"] == "DELIVER_MEDIA_REFUSED"]
        assert (refused["log_level"], refused["error"]) == ("error", UNPLANNED)
        assert [line["level"] for line in lines if line["event"] == "DELIVER_OK"] == ["text"]
        assert await desk.deliver() == 0, "nothing is tried for ever"


async def test_media_that_is_taken_before_that_is_shown_as_media(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", UNPLANNED, times=MAX_REFUSALS - 1)
        await tried(desk, MAX_REFUSALS)
        assert await desk.delivered(job_id)
        assert desk.kinds() == ["photo"]
        assert (await row_of(desk.pool, job_id))["media_refused_at"] is None


async def test_the_operator_is_alerted_once_and_can_show_the_media_later(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        tower = tower_on(desk.pool, IncidentKind.REFUSED_MEDIA)
        await tower.turns()
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", UNPLANNED, times=99)
        await tried(desk, MAX_REFUSALS)
        await tower.goes_round(20)
        await tower.tells()
        assert tower.told(ANNA) == ["🔴 <b>Telegram не принимает результаты</b>"]
        assert f"photomat jobs redeliver {job_id}" in tower.messenger.sent[0][1]
        desk.telegram.faults.clear()
        async with transaction(desk.pool) as tx:
            assert await rearm_job(tx, job_id)
        await desk.deliver()
        assert desk.kinds() == ["photo"]
