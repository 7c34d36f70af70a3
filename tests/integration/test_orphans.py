"""Orphans by the thousand, and in the very moment their task becomes known: all are matched, none twice, none is lost."""

import asyncio
from typing import Any

from photomat.db.pool import Connection, Pool, transaction
from photomat.jobs import store
from photomat.jobs.callback import Effect, KieCallback, update_from_callback
from photomat.jobs.orphans import LOGGED_IN_FULL, MAX_ORPHANS_LOGGED, match_tasks, reconcile_orphans
from photomat.jobs.settle import Success, settle
from photomat.jobs.timeline import events_of
from photomat.kernel.ids import TaskId, UserId
from photomat.operators import actions
from support.callbacks import callback, orphans, take
from support.database import connection_of, pool_of, shift_clock
from support.jobs import (
    LEASE,
    PRICE,
    SUCCESS,
    TIMES,
    TWO,
    URL,
    ToldProvider,
    a_job,
    a_running_job,
    a_user,
    claim_look,
    claim_looks,
    claim_submit,
    row_of,
)
from support.logs import logged
from support.sessions import until_done_or_blocked
from support.steps import looker

MANY = 10_000
HOUR_S = 3600


async def fill_in(pool: Pool, *, waiting: int) -> None:
    """So many orphans whose task nobody knows."""
    await pool.execute(
        "INSERT INTO orphan_callbacks (task_id, payload) SELECT 'stranger-' || n, '{}' FROM generate_series(1, $1) AS n",
        waiting,
    )


async def many_running_jobs(pool: Pool, user: UserId, count: int) -> None:
    """Free jobs as rows, with tasks `t-1` to `t-count`, not due for an hour."""
    await pool.execute(
        """
        INSERT INTO generation_jobs (corr, idempotency_key, bot_id, user_id, chat_id, card_message_id, model, kind, inputs,
                                     language, price, currency, status, external_task_id, intent_at, due_at)
        SELECT '00000000', 'many:' || n, (SELECT bot_id FROM installation), $1, $1, n, 'z-image', 'image', '{}', 'ru',
               0, 'RUB', 'running', 't-' || n,
               photomat_now(), photomat_now() + interval '1 hour'
          FROM generate_series(1, $2) AS n
        """,
        user,
        count,
    )


class CountingPool:
    """A pool that counts what is asked of it."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.asked = 0

    def __getattr__(self, name: str) -> object:
        self.asked += name in {"fetch", "fetchval", "fetchrow", "execute", "acquire"}
        return getattr(self._pool, name)


async def test_ten_thousand_strangers_cost_a_handful_of_round_trips(database: str) -> None:
    async with pool_of(database) as pool:
        await fill_in(pool, waiting=MANY)
        job_id = await a_running_job(pool, await a_user(pool), task_id="stranger-777")
        counting: Any = CountingPool(pool)
        found = await reconcile_orphans(counting)
        assert (found.matched, found.waiting, counting.asked <= 6) == (1, MANY - 1, True)
        assert (await claim_look(pool, job_id)).woken_via == "orphan"


async def test_the_strangers_are_searched_by_index(database: str) -> None:
    async with pool_of(database) as pool:
        await fill_in(pool, waiting=MANY)
        await pool.execute("UPDATE orphan_callbacks SET processed_at = photomat_now() WHERE orphan_id > 50")
        await pool.execute("VACUUM ANALYZE orphan_callbacks")
        plan = await pool.fetch("EXPLAIN SELECT 1 FROM orphan_callbacks WHERE task_id = 'x' AND processed_at IS NULL")
        assert "orphan_callbacks_waiting" in "".join(row[0] for row in plan)


async def test_thousands_that_match_are_matched_in_batches(database: str) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        await many_running_jobs(pool, user, 3000)
        await pool.execute(
            "INSERT INTO orphan_callbacks (task_id, payload) SELECT 't-' || n, '{}' FROM generate_series(1, 3000) AS n"
        )
        counting: Any = CountingPool(pool)
        found = await reconcile_orphans(counting)
        assert (found.matched, found.waiting) == (3000, 0)
        assert counting.asked < 20
        assert await pool.fetchval("SELECT count(*) FROM generation_jobs WHERE woken_via = 'orphan'") == 3000
        assert await pool.fetchval("SELECT count(*) FROM job_events WHERE tag = 'woken'") == 3000


async def test_a_pass_by_hand_tells_all_that_matched_and_how_many_wait(database: str) -> None:
    async with pool_of(database) as pool:
        await fill_in(pool, waiting=1200)
        user = await a_user(pool)
        await many_running_jobs(pool, user, 1100)
        await pool.execute(
            "INSERT INTO orphan_callbacks (task_id, payload) SELECT 't-' || n, '{}' FROM generate_series(1, 1100) AS n"
        )
        done = await actions.reconcile(pool, operator="cli:anna@desk")
        assert (len(done.matched), done.says.plain) == (1100, "1100 matched, 1200 wait.")
        assert done.matched[0].keys() == {"orphan_id", "task_id", "job_id", "status"}


async def test_several_orphans_of_one_task_wake_its_job_once(database: str) -> None:
    async with pool_of(database) as pool:
        await take(pool, *(callback(None, "task-1", n=n) for n in range(3)))
        job_id = await a_running_job(pool, await a_user(pool))
        assert (await reconcile_orphans(pool)).matched == 3
        assert [event.tag for event in await events_of(pool, job_id)].count("woken") == 1


async def test_a_matched_orphan_goes_the_ordinary_way_to_its_result(database: str) -> None:
    async with pool_of(database) as pool:
        await take(pool, callback(None, "task-1"))
        job_id = await a_running_job(pool, await a_user(pool))
        await reconcile_orphans(pool)
        await looker(pool, ToldProvider(readings=[SUCCESS])).look(await claim_look(pool, job_id))
        row = await row_of(pool, job_id)
        assert (row["status"], row["found_via"], row["card_shown"] < row["card_wanted"]) == ("done", "orphan", True)


async def test_an_orphan_stored_while_its_task_is_being_recorded_is_found_by_the_next_pass(database: str) -> None:
    """The create reply is recorded and not committed yet; the callback finds no job. Neither waits for the other."""
    async with pool_of(database) as pool, connection_of(database) as submitting:
        job_id = await a_job(pool, await a_user(pool))
        job = await claim_submit(pool, job_id)
        async with transaction(pool) as tx:
            await store.record_intents(tx, [job], decide_after=[TIMES.overdue_of("image")])
        async with asyncio.timeout(120), submitting.transaction():
            await store.record_tasks(submitting, {job_id: TaskId("t-1")}, look_after=TIMES.poll_first)
            assert await match_tasks(submitting, ["t-1"]) == []
            await take(pool, callback(None, "t-1"))
        assert await orphans(pool) == [("t-1", "no job has this task", False)]
        assert (await reconcile_orphans(pool)).matched == 1
        assert (await claim_look(pool, job_id)).woken_via == "orphan"


async def test_an_orphan_being_stored_while_its_task_is_recorded_the_other_way_round(database: str) -> None:
    """The callback is stored and not committed yet; the create reply finds no orphan."""
    async with pool_of(database) as pool, connection_of(database) as calling:
        job_id = await a_job(pool, await a_user(pool))
        job = await claim_submit(pool, job_id)
        async with asyncio.timeout(120), calling.transaction():
            await update_from_callback(calling, [callback(None, "t-1")])
            async with transaction(pool) as tx:
                await store.record_intents(tx, [job], decide_after=[TIMES.overdue_of("image")])
                await store.record_tasks(tx, {job_id: TaskId("t-1")}, look_after=TIMES.poll_first)
                assert await match_tasks(tx, ["t-1"]) == []
        assert (await reconcile_orphans(pool)).matched == 1
        assert (await claim_look(pool, job_id)).woken_via == "orphan"


async def test_a_pass_that_waited_for_a_job_does_not_wake_what_was_settled_meanwhile(database: str) -> None:
    async with (
        pool_of(database) as pool,
        connection_of(database) as settling,
        connection_of(database) as matching,
        asyncio.TaskGroup() as group,
    ):
        await take(pool, callback(None, "task-1"))
        job_id = await a_running_job(pool, await a_user(pool))
        async with settling.transaction():
            await settle(settling, job_id, Success(urls=(URL,)), price=PRICE, via="poll", fence=None)
            match = group.create_task(match_tasks(matching, ["task-1"]))
            await until_done_or_blocked(pool, match, matching)
        assert [found.status for found in await match] == ["done"]
        row = await row_of(pool, job_id)
        assert (row["due_at"], row["woken_via"]) == (None, None)


async def test_the_same_callbacks_given_to_two_instances_in_another_order_do_not_wait_in_a_circle(
    database: str,
) -> None:
    async with (
        pool_of(database) as pool,
        connection_of(database) as one,
        connection_of(database) as two,
        asyncio.TaskGroup() as group,
    ):
        low, high = sorted((callback(None, "t-1"), callback(None, "t-2")), key=lambda given: given.digest)
        async with one.transaction():
            await update_from_callback(one, [low])
            storing = group.create_task(store_together(two, [high, low]))
            await until_done_or_blocked(pool, storing, two)
            await update_from_callback(one, [high])
        assert [effect.is_new for effect in await storing] == [False, False]


async def store_together(connection: Connection, callbacks: list[KieCallback]) -> list[Effect]:
    async with connection.transaction():
        return await update_from_callback(connection, callbacks)


async def test_passes_callbacks_and_submits_at_once_never_wait_in_a_circle(database: str) -> None:
    async with pool_of(database, size=20) as pool:
        user = await a_user(pool)
        await many_running_jobs(pool, user, 200)
        tasks = [f"t-{n}" for n in range(1, 201)]
        await take(pool, *(callback(None, "x", n=n) for n in range(200)))
        await pool.execute("UPDATE orphan_callbacks SET task_id = 't-' || orphan_id")

        async def call_back_all(order: list[str]) -> None:
            async with transaction(pool) as tx:
                await update_from_callback(tx, [callback(None, task_id) for task_id in order])

        async with asyncio.timeout(120):
            await asyncio.gather(
                *(reconcile_orphans(pool, batch=50) for _ in range(4)),
                *(call_back_all(order) for order in (tasks, tasks[::-1])),
            )
        assert await pool.fetchval("SELECT count(*) FROM orphan_callbacks WHERE processed_at IS NULL") == 0


async def test_a_flood_is_shouted_about_in_few_lines(database: str) -> None:
    async with pool_of(database) as pool:
        await fill_in(pool, waiting=MANY)
        await shift_clock(pool, HOUR_S + 1)
        with logged() as lines:
            await reconcile_orphans(pool)
            await reconcile_orphans(pool)
        shouts = [line for line in lines if line["log_level"] == "error"]
        assert len(shouts) == LOGGED_IN_FULL + 1
        assert shouts[-1]["more"] == MANY - LOGGED_IN_FULL


async def test_a_flood_larger_than_that_is_said_in_several_passes(database: str) -> None:
    async with pool_of(database) as pool:
        await fill_in(pool, waiting=MAX_ORPHANS_LOGGED + 100)
        await shift_clock(pool, HOUR_S + 1)
        said = []
        for _ in range(3):
            with logged() as lines:
                await reconcile_orphans(pool)
            said.append(sum(line.get("more", 1) for line in lines if line["log_level"] == "error"))
        assert said == [MAX_ORPHANS_LOGGED, 100, 0]


async def test_a_pass_looks_at_a_days_orphans_and_an_older_one_is_matched_when_its_task_becomes_known(
    database: str,
) -> None:
    async with pool_of(database) as pool:
        await take(pool, callback(None, "t-1"))
        await shift_clock(pool, 25 * HOUR_S)
        job_id = await a_running_job(pool, await a_user(pool), task_id="t-1")
        assert (await reconcile_orphans(pool)).matched == 0
        async with transaction(pool) as tx:
            assert [match.job_id for match in await match_tasks(tx, ["t-1"])] == [job_id]


async def test_orphans_are_kept(database: str) -> None:
    async with pool_of(database) as pool:
        await take(pool, callback(None, "t-1"))
        await shift_clock(pool, 30 * 24 * HOUR_S)
        assert (await reconcile_orphans(pool)).waiting == 1
        assert await claim_looks(pool, limit=9, lease=LEASE, instance=TWO) == []
