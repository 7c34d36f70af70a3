"""The timeline of a job tells what happened, when and by whom, in the very transactions that made it happen."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import asyncpg
import pytest

from photomat.db.pool import Pool, connect_pool, transaction
from photomat.delivery import lock
from photomat.delivery.completion import CompletionNotifier
from photomat.delivery.coordinator import MAX_REFUSALS
from photomat.delivery.lock import rearm_user
from photomat.inbox.receive import receive
from photomat.jobs.actions import accept_offer
from photomat.jobs.explain import Surroundings
from photomat.jobs.listing import JobFilter, list_jobs, read_job_report
from photomat.jobs.settle import Failure, Settled, Success, settle
from photomat.jobs.timeline import JobEvent, Tag, events_of
from photomat.kernel.errors import OutcomeUnknown
from photomat.kernel.ids import BotId, InstanceId, JobId, MessageId, TaskId
from photomat.kie.port import Busy
from photomat.texts.load import load_texts
from support.database import pool_of, shift_clock
from support.delivery import delivery_desk
from support.jobs import (
    BOT,
    PRICE,
    RUNNING,
    SUCCESS,
    TWO,
    URL,
    ToldProvider,
    a_done_job,
    a_job,
    a_running_job,
    a_user,
    claim_submit,
    lock_card,
    row_of,
    settle_now,
)
from support.steps import OVERDUE_S, call_back, cancel, look, submitter
from support.telegram_media import picture

AROUND = Surroundings(alive=frozenset(), delivery_lease=timedelta(minutes=5), timeout=timedelta(days=1))


async def tags(pool: Pool, job_id: JobId) -> list[str]:
    return [event.tag for event in await events_of(pool, job_id)]


async def last(pool: Pool, job_id: JobId) -> tuple[str, Mapping[str, Any]]:
    event: JobEvent = (await events_of(pool, job_id))[-1]
    return event.tag, event.detail


async def submit(pool: Pool, job_id: JobId, answer: TaskId | Exception) -> None:
    await submitter(pool, ToldProvider(creates=[answer])).submit(await claim_submit(pool, job_id))


async def test_a_bought_job_tells_its_life_from_the_tap_to_the_ring(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool))
        await submit(pool, job_id, TaskId("t-1"))
        await call_back(pool, job_id, task_id="t-1")
        await look(pool, job_id, SUCCESS)
        card = await lock_card(pool, job_id)
        async with transaction(pool) as tx:
            assert await lock.mark_delivered(tx, card, ring_kind="done", repeat_later=False)
        await CompletionNotifier(pool=pool, messenger=cast("Any", None), texts=load_texts()).claim(9)
        assert await tags(pool, job_id) == ["created", "intent", "submitted", "woken", "settled", "locked", "rung"]
        by_tag = {event.tag: event.detail for event in await events_of(pool, job_id)}
        assert by_tag["created"] == {"model": "z-image", "price": PRICE}
        assert by_tag["submitted"] == {"task_id": "t-1", "status": "running"}
        assert by_tag["woken"] == {"via": "callback", "task_id": "t-1"}
        assert by_tag["settled"] == {"money": "charged", "via": "callback"}
        assert by_tag["locked"] == {"fence": 1, "attempt": 1}


async def test_a_row_bears_the_name_of_the_instance_that_wrote_it(database: str) -> None:
    pool = await connect_pool(database, name="vm-77-abcd", size=1, bot_id=BOT)
    try:
        job_id = await a_done_job(pool, await a_user(pool))
        await lock_card(pool, job_id, instance=InstanceId("vm-78-ffff"))
        who = [(event.tag, event.instance) for event in await events_of(pool, job_id)]
        own = [(tag, "vm-77-abcd") for tag in ("created", "intent", "submitted", "settled")]
        assert who == [*own, ("locked", "vm-78-ffff")]
    finally:
        await pool.close()


async def test_an_unknown_submit_and_one_put_back_are_told_with_their_errors(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        unknown = await a_job(pool, user)
        await submit(pool, unknown, OutcomeUnknown("no answer"))
        assert await tags(pool, unknown) == ["created", "intent", "unknown"]
        assert await last(pool, unknown) == ("unknown", {"error": "no answer"})
        busy = await a_job(pool, user)
        await submit(pool, busy, Busy("full", retry_after_s=7))
        assert await last(pool, busy) == ("put back", {"error": "full", "wait_s": 7})


async def test_overdue_failed_and_canceled_are_told(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await look(pool, job_id, RUNNING, after_s=OVERDUE_S + 1)
        assert (await last(pool, job_id))[0] == "overdue"
        await cancel(pool, job_id)
        assert await last(pool, job_id) == ("canceled", {"by": "customer"})
        failed = await a_running_job(pool, user, task_id="t-2")
        await settle_now(pool, failed, Failure(code="kie-422", reason="flagged"))
        assert await last(pool, failed) == (
            "settled",
            {"money": "released", "via": "poll", "code": "kie-422", "reason": "flagged"},
        )


async def test_an_offer_and_its_taking_are_told_and_a_second_settle_is_not(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_running_job(pool, user)
        await look(pool, job_id, RUNNING, after_s=OVERDUE_S + 1)
        await cancel(pool, job_id)
        assert await settle_now(pool, job_id, Success(urls=(URL,))) is Settled.OFFERED
        assert (await last(pool, job_id))[1]["money"] == "offered"
        row = await row_of(pool, job_id)
        async with transaction(pool) as tx:
            assert await accept_offer(tx, job_id=job_id, user_id=user, message_id=MessageId(row["card_message_id"]))
        assert await last(pool, job_id) == ("accepted", {"price": PRICE})
        before = await tags(pool, job_id)
        assert await settle_now(pool, job_id, Success(urls=(URL,))) is Settled.NOTHING
        assert await tags(pool, job_id) == before


async def test_a_repeated_callback_wakes_again_and_is_told_once(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        for _ in range(5):
            await call_back(pool, job_id)
        assert (await tags(pool, job_id)).count("woken") == 1


async def test_a_take_over_is_told_and_a_zombie_tells_nothing(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        zombie = await lock_card(desk.pool, job_id)
        await shift_clock(desk.pool, 301)
        await lock_card(desk.pool, job_id, instance=TWO)
        assert await last(desk.pool, job_id) == ("locked", {"fence": 2, "attempt": 2, "taken_over": True})
        before = await tags(desk.pool, job_id)
        await desk.coordinator.deliver_result_atomic(zombie)
        assert await tags(desk.pool, job_id) == before


async def test_a_refusal_and_then_a_picture_are_told(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Bad Gateway", code=502)
        await desk.deliver()
        tag, detail = await last(desk.pool, job_id)
        assert (tag, detail["fence"], "retry_s" in detail) == ("released", 1, True)
        await shift_clock(desk.pool, 60)
        await desk.deliver()
        tag, detail = await last(desk.pool, job_id)
        assert (tag, detail["fence"], detail["status"]) == ("shown", 2, "done")


async def test_a_customer_who_blocked_the_bot_is_told(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessageMedia", "Forbidden: bot was blocked by the user", code=403)
        await desk.deliver()
        assert await last(desk.pool, job_id) == ("undeliverable", {"fence": 1})


async def test_a_parked_card_is_told(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        desk.refuse("editMessage*", "Bad Request: never seen", times=-1)
        for _ in range(MAX_REFUSALS):
            await desk.deliver()
            await shift_clock(desk.pool, 700)
        tag, detail = await last(desk.pool, job_id)
        assert (tag, detail["fence"]) == ("parked", MAX_REFUSALS)
        assert "never seen" in detail["error"]


async def test_who_returns_is_told(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        job_id = await a_done_job(pool, user)
        async with transaction(pool) as tx:
            await lock.mark_undeliverable(tx, await lock_card(pool, job_id), error="blocked")
        async with transaction(pool) as tx:
            assert await rearm_user(tx, user_id=user) == 1
        assert await last(pool, job_id) == ("rearmed", {"by": "return"})


@pytest.mark.parametrize("statement", ["UPDATE job_events SET tag = 'x'", "DELETE FROM job_events"])
async def test_the_timeline_is_only_added_to(database: str, statement: str) -> None:
    async with pool_of(database) as pool:
        await a_job(pool, await a_user(pool))
        with pytest.raises(asyncpg.RestrictViolationError, match="only ever added to"):
            await pool.execute(statement)


async def test_what_is_rolled_back_is_not_told(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        before = await tags(pool, job_id)
        with pytest.raises(RuntimeError):
            await _settle_and_fail(pool, job_id)
        assert await tags(pool, job_id) == before


async def _settle_and_fail(pool: Pool, job_id: JobId) -> None:
    async with transaction(pool) as tx:
        await settle(tx, job_id, Failure(code="x"), price=PRICE, via="poll", fence=None)
        raise RuntimeError


async def test_the_story_holds_money_callbacks_outputs_and_the_sentence(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        await call_back(pool, job_id)
        await look(pool, job_id, SUCCESS)
        story = await read_job_report(pool, "task-1", AROUND)
        assert story is not None
        assert story.row["job_id"] == job_id
        assert "the card has been due" in story.why.plain
        assert [(hold.amount.minor, hold.closed_as) for hold in story.holds] == [(PRICE, "charge")]
        assert [(heard.task_id, heard.state) for heard in story.callbacks] == [("task-1", "running")]
        assert [(kept.position, kept.at_telegram) for kept in story.outputs] == [(0, False)]
        assert [event.tag for event in story.events][-1] == Tag.SETTLED
        assert await read_job_report(pool, "nobody", AROUND) is None


async def test_the_story_begins_with_the_tap_that_was_stored(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_job(pool, await a_user(pool), message_id=77)
        row = await row_of(pool, job_id)
        tap = {"callback_query": {"id": "1", "from": {"id": row["user_id"]}, "message": {"message_id": 77}}}
        other = {"callback_query": {"id": "2", "from": {"id": row["user_id"]}, "message": {"message_id": 78}}}
        updates = [{"update_id": 901} | other, {"update_id": 902} | tap]
        await receive(pool, bot_id=BotId(row["bot_id"]), updates=updates)
        story = await read_job_report(pool, str(job_id), AROUND)
        assert story is not None
        assert [(one.update_id, one.handled_at) for one in story.taps] == [(902, None)]


async def test_what_is_stuck_is_listed_and_what_moves_is_not(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        moving = await a_running_job(pool, user, task_id="t-moving")
        unknown = await a_job(pool, user)
        await submit(pool, unknown, OutcomeUnknown("no answer"))
        parked = await a_done_job(pool, user)
        async with transaction(pool) as tx:
            await lock.park(tx, await lock_card(pool, parked), error="never seen")
        listed = await list_jobs(pool, limit=9, only=JobFilter.STUCK, around=AROUND)
        assert [job["job_id"] for job in listed] == [parked]
        await shift_clock(pool, 121)
        await look(pool, moving, RUNNING)
        await pool.execute("UPDATE generation_jobs SET card_shown = card_wanted WHERE job_id = $1", moving)
        listed = await list_jobs(pool, limit=9, only=JobFilter.STUCK, around=AROUND)
        assert [job["job_id"] for job in listed] == [parked, unknown]
        assert "the outcome is unknown" in listed[1]["why"]
        await shift_clock(pool, 300)
        assert moving in [job["job_id"] for job in await list_jobs(pool, limit=9, only=JobFilter.STUCK, around=AROUND)]
