"""Timelines and callbacks in partitions: made ahead, dropped whole, unique across them, and safe beside version 0.4.0."""

from datetime import timedelta

import pytest

from photomat.alerts import rules
from photomat.alerts.incident import ProbeContext
from photomat.db.migrate import migrate, read_migrations
from photomat.db.pool import Pool, transaction
from photomat.jobs import timeline
from photomat.jobs.callback import update_from_callback
from photomat.jobs.partitions import CALLBACKS, EVENTS, LEAST_JOBS, TABLES, PartitionedRows, keep_ranges_ahead
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId
from support.alerts import ToldAccount
from support.callbacks import callback
from support.database import connection_of, pool_of, shift_clock
from support.jobs import a_done_job, a_running_job, a_user
from support.long_history import fill

BEFORE_PARTITIONS = 52
DAY_S = 86_400.0
KEPT = timedelta(days=30)
BY_CTID = """
    DELETE FROM {table}
     WHERE ctid = ANY (ARRAY(SELECT old.ctid FROM {table} AS old ORDER BY old.{age} LIMIT $1 FOR UPDATE SKIP LOCKED))
"""
"""How version 0.4.0 deletes old rows."""
COUNTS = """
    SELECT (SELECT count(*) FROM job_events), (SELECT count(*) FROM callbacks), (SELECT max(event_id) FROM job_events)
"""
AGAIN = """
    INSERT INTO callbacks (job_id, task_id, digest, body) SELECT job_id, task_id, digest, body FROM callbacks
        ON CONFLICT ON CONSTRAINT callbacks_once DO NOTHING
"""


async def next_job_is(pool: Pool, number: int) -> None:
    await pool.execute("SELECT setval(pg_get_serial_sequence('generation_jobs', 'job_id'), $1, false)", number)


async def pruned(pool: Pool, table: PartitionedRows) -> None:
    while (await table.delete(pool, KEPT, 1000)).more:
        pass


async def names(pool: Pool, table: PartitionedRows) -> list[str]:
    return [part.name for part in await table.partitions(pool)]


async def where(pool: Pool, table: str, job_id: int | None) -> set[str]:
    rows = await pool.fetch(
        f"SELECT tableoid::regclass::text AS name FROM {table} WHERE job_id IS NOT DISTINCT FROM $1",  # noqa: S608  ours
        job_id,
    )
    return {row["name"] for row in rows}


async def a_settled_job_with_history(pool: Pool, number: int) -> JobId:
    await next_job_is(pool, number)
    job_id = await a_done_job(pool, await a_user(pool, user_id=number))
    async with transaction(pool) as tx:
        await timeline.record(tx, job_id, Tag.SHOWN)
        await update_from_callback(tx, [callback(job_id, "another-task")])
    return job_id


async def a_live_job_with_history(pool: Pool) -> JobId:
    job_id = await a_running_job(pool, await a_user(pool, user_id=99), task_id="task-live")
    async with transaction(pool) as tx:
        await timeline.record(tx, job_id, Tag.SUBMITTED)
    return job_id


async def test_the_tables_of_the_version_before_become_the_past_with_all_their_rows(empty_database: str) -> None:
    await migrate(empty_database, read_migrations()[:BEFORE_PARTITIONS])
    async with connection_of(empty_database) as connection, pool_of(empty_database) as pool:
        await fill(connection, jobs=300)
        await connection.execute("INSERT INTO callbacks (task_id, digest, body) VALUES ('t', 'd', 'b')")
        before = await connection.fetchrow(COUNTS)
        assert before is not None
        await migrate(empty_database)
        assert await connection.fetchrow(COUNTS) == before
        assert await where(pool, "callbacks", 0) == await where(pool, "callbacks", 7) == {"callbacks_past"}
        assert await connection.execute(AGAIN) == "INSERT 0 0"
        newest = await connection.fetchval(
            "INSERT INTO job_events (job_id, tag) VALUES (300000, 'x') RETURNING event_id"
        )
        assert newest == before[2] + 1


async def test_a_callback_is_accepted_once_wherever_it_lies(database: str) -> None:
    async with pool_of(database) as pool:
        for number in (7, 2 * LEAST_JOBS, 900 * LEAST_JOBS, None):
            heard = callback(number, "task-of-nobody")
            async with transaction(pool) as tx:
                assert [effect.is_new for effect in await update_from_callback(tx, [heard])] == [True]
            async with transaction(pool) as tx:
                assert [effect.is_new for effect in await update_from_callback(tx, [heard])] == [False]
            assert len(await where(pool, "callbacks", number)) == 1
        assert await pool.fetchval("SELECT count(*) FROM callbacks") == 4


async def test_version_0_4_0_deletes_nothing_by_the_places_of_rows(database: str) -> None:
    async with pool_of(database) as pool:
        await a_settled_job_with_history(pool, 5)
        await a_settled_job_with_history(pool, 2 * LEAST_JOBS)
        for table in TABLES:
            rows = await pool.fetchval(f"SELECT count(*) FROM {table.table}")  # noqa: S608  ours
            async with transaction(pool) as tx:
                await tx.execute("SELECT set_config('photomat.pruning', 'on', true)")
                await tx.execute(BY_CTID.format(table=table.table, age=table.age), 1)
            assert await pool.fetchval(f"SELECT count(*) FROM {table.table}") == rows > 1  # noqa: S608  ours


async def test_ranges_are_made_ahead_and_take_back_what_had_none(database: str) -> None:
    async with pool_of(database) as pool:
        assert await keep_ranges_ahead(pool) == []
        far = 10 * LEAST_JOBS + 5
        job_id = await a_settled_job_with_history(pool, far)
        context = ProbeContext(pool=pool, account=ToldAccount())
        assert await rules.ranges_short(context) == {"tables": "job_events, callbacks", "left": 0}
        assert await where(pool, "job_events", job_id) == {"job_events_default"}
        made = await keep_ranges_ahead(pool)
        assert (made[0], made[-1]) == (f"job_events_from_{4 * LEAST_JOBS}", f"callbacks_from_{12 * LEAST_JOBS}")
        assert await where(pool, "job_events", job_id) == {f"job_events_from_{4 * LEAST_JOBS}"}
        assert await where(pool, "callbacks", job_id) == {f"callbacks_from_{4 * LEAST_JOBS}"}
        assert await rules.ranges_short(context) is None
        assert await keep_ranges_ahead(pool) == []
        with pytest.raises(Exception, match="only ever added to"):
            await pool.execute(f"DELETE FROM {made[0]}")  # noqa: S608  ours


async def test_an_old_range_goes_as_a_whole_and_what_must_stay_stays(database: str) -> None:
    async with pool_of(database) as pool:
        old = await a_settled_job_with_history(pool, 2 * LEAST_JOBS)
        live = await a_live_job_with_history(pool)
        unread = await a_settled_job_with_history(pool, 2 * LEAST_JOBS + 9)
        await pool.execute("UPDATE generation_jobs SET fail_code = 'empty' WHERE job_id = $1", unread)
        await a_settled_job_with_history(pool, 3 * LEAST_JOBS)
        gone = [f"{table.table}_from_{2 * LEAST_JOBS}" for table in TABLES]
        assert [await table.old_partitions(pool, KEPT) for table in TABLES] == [[], []]
        await shift_clock(pool, 33 * DAY_S)
        for table, name in zip(TABLES, gone, strict=True):
            assert [part.name for part in await table.old_partitions(pool, KEPT)] == [f"{table.table}_past", name]
            await pruned(pool, table)
            assert name not in await names(pool, table)
            assert await pool.fetchval("SELECT to_regclass($1)", name) is None
        assert await where(pool, "job_events", old) == await where(pool, "callbacks", old) == set()
        assert await where(pool, "job_events", live) == {"job_events_default"}
        assert await where(pool, "callbacks", unread) == {"callbacks_default"}


async def test_killed_between_detaching_and_dropping_the_next_pass_goes_on(database: str) -> None:
    async with pool_of(database) as pool:
        await a_settled_job_with_history(pool, 2 * LEAST_JOBS)
        live = await a_live_job_with_history(pool)
        name = f"{EVENTS.table}_from_{2 * LEAST_JOBS}"
        await pool.execute(f"ALTER TABLE job_events DETACH PARTITION {name}")
        await EVENTS.delete(pool, KEPT, 1000)
        assert await pool.fetchval("SELECT to_regclass($1)", name) is None
        assert await where(pool, "job_events", live) == {"job_events_default"}


async def test_a_reader_who_stays_delays_a_drop_and_blocks_nobody(database: str) -> None:
    async with pool_of(database) as pool, connection_of(database) as reader:
        await a_settled_job_with_history(pool, 2 * LEAST_JOBS)
        await a_settled_job_with_history(pool, 3 * LEAST_JOBS)
        await shift_clock(pool, 33 * DAY_S)
        async with reader.transaction():
            await reader.fetchval("SELECT count(*) FROM callbacks")
            await pruned(pool, CALLBACKS)
            assert f"callbacks_from_{2 * LEAST_JOBS}" in await names(pool, CALLBACKS)
        await pruned(pool, CALLBACKS)
        assert f"callbacks_from_{2 * LEAST_JOBS}" not in await names(pool, CALLBACKS)
