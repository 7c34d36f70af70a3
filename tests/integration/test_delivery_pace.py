"""A card that was edited just now waits a second for its next view of the progress; a result does not wait."""

from pathlib import Path

from photomat.jobs.settle import Success
from support.database import shift_clock
from support.delivery import Desk, delivery_desk
from support.jobs import a_job, is_submitted, lock_card, settle_now
from support.telegram_media import picture


def edits_of(desk: Desk) -> list[str]:
    """The methods by which cards were edited, in their order."""
    return [
        event.name
        for event in desk.telegram.transcript.since(0)
        if event.kind == "request" and event.name.startswith("edit")
    ]


async def test_between_accepted_and_running_lies_a_second(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_job(desk.pool, desk.user, message_id=await desk.card())
        assert await desk.deliver() == 1
        (accepted,) = desk.seen()
        await is_submitted(desk.pool, job_id)
        assert await desk.deliver() == 0
        await shift_clock(desk.pool, 1)
        assert await desk.deliver() == 1
        (running,) = desk.seen()
        assert running["text"] != accepted["text"]


async def test_a_result_within_that_second_is_shown_at_once(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_job(desk.pool, desk.user, message_id=await desk.card())
        await desk.deliver()
        await is_submitted(desk.pool, job_id)
        await settle_now(desk.pool, job_id, Success(urls=(desk.files.add("cat.png", picture(), "image/png"),)))
        assert await desk.deliver() == 1
        assert desk.kinds() == ["photo"]
        assert edits_of(desk) == ["editMessageText", "editMessageMedia"]


async def test_a_task_accepted_while_its_card_is_edited_waits_as_well(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_job(desk.pool, desk.user, message_id=await desk.card())
        card = await lock_card(desk.pool, job_id)
        await is_submitted(desk.pool, job_id)
        desk.woken.names.clear()
        await desk.coordinator.deliver_result_atomic(card)
        assert "deliveries" not in desk.woken.names
        assert await desk.deliver() == 0
        await shift_clock(desk.pool, 1)
        assert await desk.deliver() == 1


async def test_a_card_that_was_not_edited_yet_shows_at_once_that_the_job_runs(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_job(desk.pool, desk.user, message_id=await desk.card())
        await is_submitted(desk.pool, job_id)
        assert await desk.deliver() == 1
        assert await desk.deliver() == 0
        assert edits_of(desk) == ["editMessageText"]
