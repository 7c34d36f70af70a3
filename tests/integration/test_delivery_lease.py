"""A long upload keeps its lease alive, a lost lock stops it, and nothing of it outlives the edit."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

from photomat.db.pool import Pool
from photomat.db.rows import require_row
from photomat.delivery import lock
from photomat.delivery.coordinator import Coordinator
from photomat.delivery.lock import try_acquire_delivery_lock
from photomat.delivery.render import LockedCard
from photomat.kernel.ids import InstanceId, JobId
from support.delivery import Desk, delivery_desk
from support.jobs import TWO, lock_card, lock_cards, row_of
from support.logs import logged
from support.patience import until_found
from support.telegram_media import picture
from support.telegram_sim import until

SHORT = timedelta(seconds=2)
"""As short as the crash lab sets it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowDesk:
    """A desk whose file server does not answer until it is told to, and whose locks last two seconds."""

    desk: Desk
    coordinator: Coordinator
    job_id: JobId
    card: LockedCard

    async def while_it_is_fetched(self, then: Callable[[], Awaitable[None]]) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self.coordinator.deliver_result_atomic(self.card))
            await until(lambda: self.desk.files.asked)
            await then()
            self.desk.files.pause.set()


async def slow(desk: Desk) -> SlowDesk:
    desk.files.pause.clear()
    job_id = await desk.done_job(desk.files.add("film.png", picture(), "image/png"))
    card = await lock_card(desk.pool, job_id)
    return SlowDesk(desk=desk, coordinator=replace(desk.coordinator, lease=SHORT), job_id=job_id, card=card)


async def renewals(pool: Pool, job_id: JobId, *, more_than: timedelta) -> None:
    """Wait until the lock has been renewed so long after it was taken."""

    async def renewed() -> bool | None:
        row = await require_row(
            pool,
            "SELECT delivering_at - (SELECT max(at) FROM job_events WHERE job_id = $1 AND tag = 'locked') AS age"
            "  FROM generation_jobs WHERE job_id = $1",
            job_id,
        )
        return True if row["age"] > more_than else None

    await until_found(renewed, about=lambda: "the lock was not renewed")


async def test_an_upload_longer_than_the_lease_keeps_the_lock(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        held = await slow(desk)

        async def outlive_the_lease() -> None:
            await renewals(desk.pool, held.job_id, more_than=SHORT)
            assert await steal(desk, lease=SHORT) == [], "longer than a lease, and still nobody else's"

        await held.while_it_is_fetched(outlive_the_lease)
        assert await desk.delivered(held.job_id)
        assert (await row_of(desk.pool, held.job_id))["delivery_fence"] == held.card.fence


async def steal(desk: Desk, *, lease: timedelta) -> list[LockedCard]:
    """Another instance takes what it may."""
    return await try_acquire_delivery_lock(desk.pool, limit=10, lease=lease, instance=InstanceId("thief"))


async def test_whoever_lost_the_lock_is_stopped_in_the_middle_and_writes_nothing(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        held = await slow(desk)
        with logged() as lines:
            async with asyncio.TaskGroup() as group:
                working = group.create_task(held.coordinator.deliver_result_atomic(held.card))
                await until(lambda: desk.files.asked)
                (owner,) = await steal(desk, lease=timedelta(0))
                await asyncio.wait_for(working, timeout=120)
        assert desk.kinds() == ["text"], "the file server never answered: the edit was ended, not waited for"
        assert [line["fence"] for line in lines if line["event"] == "DELIVER_LOCK_SKIP"] == [held.card.fence]
        row = await row_of(desk.pool, held.job_id)
        assert (row["delivery_fence"], row["delivering_by"], row["delivery_error"]) == (owner.fence, "thief", None)


async def test_nothing_is_renewed_after_the_edit_nor_for_a_short_one(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        card = await lock_card(desk.pool, job_id)
        await desk.coordinator.deliver_result_atomic(card)
        assert not [task for task in asyncio.all_tasks() if getattr(task.get_coro(), "__name__", "") == "_renew"]
        assert await desk.delivered(job_id)
        assert not await lock.renew(desk.pool, card), "the lock was given back"


async def test_a_zombie_cannot_renew(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        zombie = await lock_card(desk.pool, job_id)
        await steal(desk, lease=timedelta(0))
        before = await row_of(desk.pool, job_id)
        assert not await lock.renew(desk.pool, zombie)
        assert await row_of(desk.pool, job_id) == before
        assert await lock_cards(desk.pool, instance=TWO) == []
