"""The ring: at most once, as a reply to the card, put back only when it surely never left."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from photomat.jobs.settle import Failure
from photomat.kernel.ids import JobId
from support.database import connection_of, shift_clock
from support.delivery import Desk, delivery_desk
from support.jobs import a_running_job, row_of, seconds_until, settle_now
from support.sessions import as_pool
from support.telegram_media import picture


async def a_shown_result(desk: Desk) -> JobId:
    job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
    await desk.deliver()
    return job_id


async def ring_all(desk: Desk) -> int:
    rings = await desk.completions.claim(9)
    for ring in rings:
        await desk.completions.deliver(ring)
    return len(rings)


def rings_seen(desk: Desk) -> list[str]:
    return [message["text"] for message in desk.seen() if message["reply_to"] is not None]


async def test_a_result_rings_once_as_a_reply_to_its_card(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_shown_result(desk)
        assert await ring_all(desk) == 1
        card, ring = desk.seen()
        assert (ring["text"], ring["reply_to"]) == ("✅ Генерация завершена", card["message_id"])
        row = await row_of(desk.pool, job_id)
        assert (row["ring_due_at"], row["rung_at"] is not None) == (None, True)
        await shift_clock(desk.pool, 3600)
        assert await ring_all(desk) == 0


async def test_a_ring_is_recorded_before_it_is_sent(database: str, tmp_path: Path) -> None:
    """Whoever dies in between loses a ring, which is harmless; nobody rings twice."""
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_shown_result(desk)
        (ring,) = await desk.completions.claim(9)
        assert (await row_of(desk.pool, job_id))["rung_at"] == ring.rung_at
        await shift_clock(desk.pool, 86_400)
        assert await desk.completions.claim(9) == []
        assert rings_seen(desk) == []


async def test_a_ring_being_claimed_is_passed_over_and_neither_waited_for_nor_rung_twice(
    database: str, tmp_path: Path
) -> None:
    async with delivery_desk(database, tmp_path) as desk, connection_of(database) as other:
        jobs = [await a_shown_result(desk) for _ in range(2)]
        async with asyncio.timeout(120), other.transaction():
            first = await replace(desk.completions, pool=as_pool(other)).claim(1)
            second = await desk.completions.claim(9)
        assert [[ring.job_id for ring in claimed] for claimed in (first, second)] == [[jobs[0]], [jobs[1]]]


@pytest.mark.parametrize("action", ["drop_after", "drop_before"])
async def test_a_ring_whose_answer_was_lost_is_not_repeated(database: str, tmp_path: Path, action: str) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await a_shown_result(desk)
        desk.telegram.faults.arm(world="telegram", method="sendMessage", action=action)  # type: ignore[arg-type]  # one of two literals
        assert await ring_all(desk) == 1
        await shift_clock(desk.pool, 3600)
        assert await ring_all(desk) == 0
        assert len(rings_seen(desk)) == (1 if action == "drop_after" else 0)


async def test_a_ring_refused_with_429_rings_later_and_once(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_shown_result(desk)
        desk.telegram.faults.arm(world="telegram", method="sendMessage", action="too_many", retry_after=20)
        await ring_all(desk)
        assert 15 < (await seconds_until(desk.pool, job_id, "ring_due_at") or 0) <= 20
        assert await ring_all(desk) == 0
        await shift_clock(desk.pool, 21)
        assert await ring_all(desk) == 1
        assert len(rings_seen(desk)) == 1


async def test_a_ring_without_budget_waits_and_rings_once(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await a_shown_result(desk)
        await desk.spend_chat_budget(20)
        await ring_all(desk)
        assert rings_seen(desk) == []
        await shift_clock(desk.pool, 25)
        await ring_all(desk)
        assert len(rings_seen(desk)) == 1


async def test_a_ring_put_back_late_does_not_ring_again_after_a_newer_one(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_shown_result(desk)
        (old,) = await desk.completions.claim(9)
        await desk.pool.execute("UPDATE generation_jobs SET rung_at = photomat_now() + interval '1 s'")
        before = await row_of(desk.pool, job_id)
        desk.telegram.faults.arm(world="telegram", method="sendMessage", action="too_many", retry_after=1)
        await desk.completions.deliver(old)
        assert await row_of(desk.pool, job_id) == before


async def test_a_person_who_is_gone_is_not_rung_again(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await a_shown_result(desk)
        desk.telegram.blocks(desk.person)
        assert await ring_all(desk) == 1
        desk.telegram.blocks(desk.person, blocked=False)
        await shift_clock(desk.pool, 3600)
        assert await ring_all(desk) == 0


async def test_a_ring_rings_even_when_the_card_was_deleted_meanwhile(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        await a_shown_result(desk)
        desk.telegram.deletes(desk.person, desk.seen()[0]["message_id"], for_both=True)
        await ring_all(desk)
        assert [message["text"] for message in desk.seen()] == ["✅ Генерация завершена"]


async def test_sad_news_ring_too_and_progress_does_not(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await a_running_job(desk.pool, desk.user, message_id=await desk.card())
        await desk.deliver()
        assert await ring_all(desk) == 0
        await settle_now(desk.pool, job_id, Failure(code="kie-500"))
        await desk.deliver()
        assert await ring_all(desk) == 1
        assert [text[0] for text in rings_seen(desk)] == ["❌"]
