"""Callbacks are stored together, wake their jobs, and nothing of what cannot be placed is lost."""

import asyncio
import json

from photomat.db.pool import transaction
from photomat.jobs.callback import CallbackInbox, update_from_callback
from photomat.jobs.timeline import events_of
from support.callbacks import callback, orphans, take
from support.database import connection_of, pool_of
from support.jobs import (
    Woken,
    a_done_job,
    a_running_job,
    a_user,
    row_of,
)
from support.logs import logged


async def test_two_hundred_callbacks_at_once_share_a_few_transactions(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        woken = Woken()
        inbox = CallbackInbox(pool, woken)
        strangers = [callback(None, f"stranger-{n}") for n in range(199)]
        await asyncio.gather(*(inbox.store(one) for one in [*strangers, callback(job_id, "task-1")]))
        assert await pool.fetchval("SELECT count(*) FROM callbacks") == 200
        assert await pool.fetchval("SELECT count(DISTINCT xmin::text) FROM callbacks") <= 5
        assert len(await orphans(pool)) == 199
        assert (await row_of(pool, job_id))["woken_via"] == "callback"
        assert 1 <= len(woken.names) <= 5
        assert set(woken.names) == {"looks"}


async def test_one_poisonous_callback_spoils_no_other(database: str) -> None:
    async with pool_of(database) as pool:
        inbox = CallbackInbox(pool, Woken())
        good = [callback(None, f"good-{n}") for n in range(20)]
        bad = callback(None, "bad\x00id")
        given = [*good[:10], bad, *good[10:]]
        answers = await asyncio.gather(*(inbox.store(one) for one in given), return_exceptions=True)
        assert [isinstance(answer, Exception) for answer in answers] == [one is bad for one in given]
        assert await pool.fetchval("SELECT count(*) FROM callbacks") == 20
        await inbox.store(callback(None, "afterwards"))


async def test_a_callback_is_committed_when_store_returns(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as other:
        inbox = CallbackInbox(pool, Woken())

        async def store_and_look(n: int) -> int:
            await inbox.store(callback(None, f"t-{n}"))
            return int(await pool.fetchval("SELECT count(*) FROM callbacks WHERE task_id = $1", f"t-{n}"))

        assert await asyncio.gather(*(store_and_look(n) for n in range(30))) == [1] * 30
        assert await other.fetchval("SELECT count(*) FROM callbacks") == 30


async def test_a_caller_who_goes_away_takes_nobody_elses_callback_along(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as blocker, asyncio.TaskGroup() as group:
        inbox = CallbackInbox(pool, Woken())
        async with blocker.transaction():
            await blocker.execute("LOCK TABLE callbacks IN ACCESS EXCLUSIVE MODE")
            first = group.create_task(inbox.store(callback(None, "first")))
            await asyncio.sleep(0)
            others = [group.create_task(_outcome(inbox, f"other-{n}")) for n in range(3)]
            await asyncio.sleep(0)
            first.cancel()
            await asyncio.wait([first])
        async with asyncio.timeout(120):
            answers = [await other for other in others]
        stored = {row["task_id"] for row in await pool.fetch("SELECT task_id FROM callbacks")}
        for n, answered_well in enumerate(answers):
            assert answered_well == (f"other-{n}" in stored)
        await inbox.store(callback(None, "later"))


async def _outcome(inbox: CallbackInbox, task_id: str) -> bool:
    """Whether the caller would be answered 200."""
    try:
        await inbox.store(callback(None, task_id))
    except Exception:  # noqa: BLE001  any: the door answers 503 then
        return False
    return True


async def test_without_a_database_nobody_is_told_it_was_stored(database: str) -> None:
    async with pool_of(database) as pool:
        inbox = CallbackInbox(pool, Woken())
        await pool.execute("ALTER TABLE callbacks RENAME TO callbacks_gone")
        answers = await asyncio.gather(*(_outcome(inbox, f"t-{n}") for n in range(5)))
        await pool.execute("ALTER TABLE callbacks_gone RENAME TO callbacks")
        assert answers == [False] * 5
        assert await _outcome(inbox, "t-9")


async def test_the_same_callback_again_is_stored_once_and_said_to_be_a_duplicate(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        one = callback(job_id, "task-1")
        with logged() as lines:
            await take(pool, one, one)
        assert await pool.fetchval("SELECT count(*) FROM callbacks") == 1
        assert [line["event"] for line in lines].count("CALLBACK_RECEIVED") == 2
        assert [line["event"] for line in lines].count("CALLBACK_DUPLICATE") == 1


async def test_twins_in_one_batch_are_one_callback_and_one_duplicate(database: str) -> None:
    async with pool_of(database) as pool:
        inbox = CallbackInbox(pool, Woken())
        with logged() as lines:
            await asyncio.gather(*(inbox.store(callback(None, "twin")) for _ in range(4)))
        assert await pool.fetchval("SELECT count(*) FROM callbacks") == 1
        assert len(await orphans(pool)) == 1
        assert [line["event"] for line in lines].count("CALLBACK_DUPLICATE") == 3


async def test_a_callback_for_a_finished_job_wakes_nobody(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        await pool.execute("UPDATE generation_jobs SET delivering_at = photomat_now() WHERE job_id = $1", job_id)
        before = await row_of(pool, job_id)
        woken = Woken()
        with logged() as lines:
            await CallbackInbox(pool, woken).store(callback(job_id, before["external_task_id"]))
        assert await row_of(pool, job_id) == before
        assert woken.names == []
        skips = [line for line in lines if line["event"] == "DELIVER_LOCK_SKIP"]
        assert [(line["via"], line["corr"], line["job_id"]) for line in skips] == [("callback", before["corr"], job_id)]


async def test_the_log_tells_what_kie_said_but_neither_prompts_nor_addresses(database: str) -> None:
    async with pool_of(database) as pool:
        job_id = await a_running_job(pool, await a_user(pool))
        result = json.dumps({"resultUrls": ["https://files.example/secret.png"]})
        with logged() as lines:
            await take(pool, callback(job_id, "task-1", resultJson=result))
        (parsed,) = [line for line in lines if line["event"] == "CALLBACK_PARSED"]
        assert (parsed["state"], parsed["urls"], parsed["error"]) == ("success", 1, "none")
        assert "secret" not in str(lines)


async def test_a_batch_of_all_kinds_does_for_each_what_it_would_do_alone(database: str) -> None:
    """One statement for those whose job has their task, a transaction for the others; twins count once."""
    async with pool_of(database) as pool:
        user = await a_user(pool)
        first, second = await a_running_job(pool, user, task_id="t-1"), await a_running_job(pool, user, task_id="t-2")
        over = await a_done_job(pool, user)
        over_task = (await row_of(pool, over))["external_task_id"]
        given = [
            callback(first, "t-1"),
            callback(None, "stranger"),
            callback(first, "t-1"),
            callback(second, "t-1"),
            callback(None, "t-2"),
            callback(over, over_task),
        ]
        async with transaction(pool) as tx:
            effects = await update_from_callback(tx, given)
        assert [effect.callback for effect in effects] == given
        assert [effect.is_new for effect in effects] == [True, True, False, True, True, True]
        assert [effect.is_woken for effect in effects] == [True, False, True, False, True, False]
        assert await orphans(pool) == [
            ("stranger", "no job has this task", False),
            ("t-1", f"job {second} has another task", False),
        ]
        async with transaction(pool) as tx:
            assert not any(effect.is_new for effect in await update_from_callback(tx, given))
        told = [await events_of(pool, job_id) for job_id in (first, second, over)]
        woken = [[event.detail for event in events if event.tag == "woken"] for events in told]
        assert woken == [[{"via": "callback", "task_id": "t-1"}], [{"via": "callback", "task_id": "t-2"}], []]
