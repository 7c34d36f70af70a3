"""Writes that share a commit: one bad item harms nobody else, and each caller gets its own answer."""

import asyncio
from collections.abc import Sequence
from functools import partial

import asyncpg

from photomat.bot.context import HandledUpdate, commit_updates
from photomat.db.pool import Pool, transaction
from photomat.inbox.lanes import claim_lanes
from photomat.inbox.receive import receive
from photomat.inbox.update import Claimed
from photomat.jobs import store
from photomat.kernel.errors import OutcomeUnknown
from photomat.kernel.ids import BotId, InstanceId, JobId, TaskId
from photomat.work.batch_writer import BatchWriter
from support.database import pool_of
from support.jobs import TIMES, ToldProvider, a_job, a_user, claim_submit, row_of
from support.patience import until
from support.steps import submitter
from support.updates import BOT_ID, text_update

BOT = BotId(BOT_ID)


class Written:
    """Batches as they were written; the number 0 cannot be."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.permits = asyncio.Semaphore(0)

    async def write(self, numbers: Sequence[int]) -> list[str]:
        self.batches.append(list(numbers))
        await self.permits.acquire()
        if 0 in numbers:
            raise asyncpg.UniqueViolationError("zero")
        if -1 in numbers:
            raise ConnectionResetError
        return [str(number) for number in numbers]


async def test_what_comes_while_a_batch_is_written_is_the_next_batch_and_a_bad_item_fails_alone() -> None:
    written = Written()
    together = BatchWriter(written.write)
    async with asyncio.TaskGroup() as group:
        callers = [await _writing(group, together), *_callers(group, together, 2, 0, 3)]
        for _ in range(9):
            await asyncio.sleep(0)
            written.permits.release()
    assert [await caller for caller in callers] == ["1", "2", "UniqueViolationError", "3"]
    assert written.batches == [[1], [2, 0, 3], [2], [0], [3]]


async def test_without_a_database_a_batch_is_not_tried_one_by_one() -> None:
    written = Written()
    together = BatchWriter(written.write)
    async with asyncio.TaskGroup() as group:
        callers = [await _writing(group, together), *_callers(group, together, 2, -1, 3)]
        for _ in range(9):
            await asyncio.sleep(0)
            written.permits.release()
    assert [await caller for caller in callers] == ["1", *["ConnectionResetError"] * 3]
    assert written.batches == [[1], [2, -1, 3]]


async def test_the_others_of_a_batch_whose_writer_is_canceled_hear_that_the_outcome_is_unknown() -> None:
    written = Written()
    together = BatchWriter(written.write)
    async with asyncio.TaskGroup() as group:
        first = await _writing(group, together)
        second, third = _callers(group, together, 2, 3)
        await asyncio.sleep(0)
        written.permits.release()
        await first
        await until(lambda: len(written.batches) == 2)
        second.cancel()
    assert await third == OutcomeUnknown.__name__


async def test_canceled_while_a_bad_batch_is_written_one_by_one_the_rest_hear_that_the_outcome_is_unknown() -> None:
    written = Written()
    together = BatchWriter(written.write)
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        await _writing(group, together)
        second, third, fourth = _callers(group, together, 2, 0, 4)
        await asyncio.sleep(0)
        for _ in range(2):
            written.permits.release()
        await until(lambda: written.batches == [[1], [2, 0, 4], [2]])
        second.cancel()
        assert [await third, await fourth] == [OutcomeUnknown.__name__] * 2
    written.permits.release()
    assert await together.add(5) == "5"


async def test_a_caller_who_was_to_write_the_next_batch_and_is_canceled_passes_it_on() -> None:
    written = Written()
    together = BatchWriter(written.write)

    async def write_and_cancel_the_next() -> None:
        await together.add(1)
        second.cancel()  # chosen to write, and not yet running

    async with asyncio.TaskGroup() as group:
        group.create_task(write_and_cancel_the_next())
        await until(lambda: written.batches == [[1]])
        second, third = _callers(group, together, 2, 3)
        await asyncio.sleep(0)
        for _ in range(2):
            written.permits.release()
        assert await third == "3"
    assert second.cancelled()
    assert written.batches == [[1], [2, 3]]
    written.permits.release()
    assert await together.add(4) == "4"


async def test_a_caller_who_waits_for_no_answer_any_more_is_written_with_the_others() -> None:
    written = Written()
    together = BatchWriter(written.write)
    async with asyncio.TaskGroup() as group:
        await _writing(group, together)
        second, _ = _callers(group, together, 2, 3)
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.sleep(0)
        for _ in range(2):
            written.permits.release()
    assert written.batches == [[1], [2, 3]]


async def test_what_comes_in_one_turn_of_the_loop_is_one_batch_also_if_its_writer_is_canceled_then() -> None:
    written = Written()
    together = BatchWriter(written.write)
    async with asyncio.timeout(60), asyncio.TaskGroup() as group:
        first, second, third = _callers(group, together, 1, 2, 3)
        await asyncio.sleep(0)
        first.cancel()
        for _ in range(2):
            written.permits.release()
        assert [await second, await third] == ["2", "3"]
    assert written.batches == [[1, 2, 3]]
    assert await together.add(4) == "4"


async def _writing(group: asyncio.TaskGroup, together: BatchWriter[int, str]) -> asyncio.Task[str]:
    """A caller of the item 1, which is being written."""
    (first,) = _callers(group, together, 1)
    for _ in range(2):
        await asyncio.sleep(0)
    return first


def _callers(group: asyncio.TaskGroup, together: BatchWriter[int, str], *numbers: int) -> list[asyncio.Task[str]]:
    return [group.create_task(_outcome(together, number)) for number in numbers]


async def _outcome(together: BatchWriter[int, str], number: int) -> str:
    try:
        return await together.add(number)
    except Exception as error:  # noqa: BLE001  told apart by its name
        return type(error).__name__


async def test_updates_posted_at_once_are_stored_together_and_one_that_cannot_be_harms_none(database: str) -> None:
    async with pool_of(database) as pool:

        async def store_all(updates: Sequence[dict[str, object]]) -> list[bool]:
            new = await receive(pool, bot_id=BOT, updates=updates)
            return [update["update_id"] in new for update in updates]

        together = BatchWriter(store_all)
        bad = {"update_id": 3, "message": {"weight": float("nan")}}
        updates = [text_update(1, user_id=1), text_update(2, user_id=2), bad, text_update(4, user_id=2)]
        stored = await asyncio.gather(*map(together.add, [*updates, updates[1]]), return_exceptions=True)
        assert [isinstance(each, Exception) or each for each in stored] == [True, True, True, True, False]
        assert isinstance(stored[2], asyncpg.DataError)
        rows = await pool.fetch(
            "SELECT update_id, pending FROM inbox JOIN lanes USING (bot_id, lane) ORDER BY update_id"
        )
        assert [tuple(row) for row in rows] == [(1, 1), (2, 2), (4, 2)]


async def test_of_updates_committed_together_only_the_one_whose_lane_was_lost_is_left(database: str) -> None:
    async with pool_of(database) as pool:
        await receive(pool, bot_id=BOT, updates=[text_update(each, user_id=each) for each in (1, 2, 3)])
        claims = await _claim(pool, "one", limit=9)
        assert [claimed.update_id for claimed in claims] == [1, 2, 3]
        await pool.execute("UPDATE lanes SET leased_until = photomat_now() WHERE lane = 'u2'")
        (taken_over,) = await _claim(pool, "two", limit=9)
        together = BatchWriter(partial(commit_updates, pool))
        done = await asyncio.gather(*(together.add(HandledUpdate(claimed=each, ctx=None)) for each in claims))
        assert done == [0, None, 0]
        assert taken_over.fence == claims[1].fence + 1
        handled = await pool.fetch("SELECT update_id FROM inbox WHERE handled_at IS NOT NULL ORDER BY update_id")
        assert [row["update_id"] for row in handled] == [1, 3]


async def _claim(pool: Pool, instance: str, *, limit: int) -> list[Claimed]:
    return await claim_lanes(
        pool, bot_id=BOT, instance=InstanceId(instance), lease_s=30, pre_checkout=False, limit=limit
    )


async def test_two_instances_claim_each_lane_once(database: str) -> None:
    async with pool_of(database) as pool:
        await receive(pool, bot_id=BOT, updates=[text_update(each, user_id=each) for each in range(1, 41)])
        claims = await asyncio.gather(*(_claim(pool, f"i{number}", limit=5) for number in range(8)))
        lanes = [claimed.lane for each in claims for claimed in each]
        assert len(lanes) == len(set(lanes))
        rest = await _claim(pool, "last", limit=99)
        assert len(lanes) + len(rest) == 40


async def test_of_intents_committed_together_the_canceled_job_is_left_out(database: str) -> None:
    async with pool_of(database) as pool:
        jobs = [await claim_submit(pool, await a_job(pool, await a_user(pool, user_id=user))) for user in (1, 2)]
        await pool.execute("UPDATE generation_jobs SET fence = fence + 1 WHERE job_id = $1", jobs[0].job_id)
        async with transaction(pool) as tx:
            ours = await store.record_intents(tx, jobs, decide_after=[TIMES.overdue_of("image")] * 2)
        assert ours == {jobs[1].job_id}
        assert [(await row_of(pool, job.job_id))["status"] for job in jobs] == ["pending", "submitting"]


async def test_of_replies_stored_together_one_with_a_task_of_another_job_becomes_unknown_alone(database: str) -> None:
    async with pool_of(database) as pool:
        jobs = [await claim_submit(pool, await a_job(pool, await a_user(pool, user_id=user))) for user in (1, 2, 3)]
        submits = submitter(pool, ToldProvider(creates=[TaskId("t-1"), TaskId("t-1"), TaskId("t-3")]))
        await asyncio.gather(*map(submits.submit, jobs))
        found = {job.job_id: await _status(pool, job.job_id) for job in jobs}
        assert sorted(found.values(), key=str) == sorted(
            [("running", "t-1"), ("running", "t-3"), ("submitting", None)], key=str
        )


async def _status(pool: Pool, job_id: JobId) -> tuple[str, str | None]:
    row = await row_of(pool, job_id)
    return row["status"], row["external_task_id"]


async def test_a_request_that_was_not_sent_is_taken_back_with_its_intent(database: str) -> None:
    """The program stops between the intent and its turn: nothing left, so the job is due again instead of unknown."""
    async with pool_of(database) as pool:
        job = await claim_submit(pool, await a_job(pool, await a_user(pool)))
        provider, submits = ToldProvider(creates=[]), submitter(pool, ToldProvider(creates=[]))
        answers = iter([False, False, True])  # asked before it is prepared, before the intent, and when its turn comes
        submits.stopping = lambda: next(answers)
        await submits.submit(job)
        row = await row_of(pool, job.job_id)
        assert (row["status"], row["intent_at"], provider.created) == ("pending", None, [])
        assert (await claim_submit(pool, job.job_id)).job_id == job.job_id


async def test_after_a_slow_batch_what_comes_soon_is_written_together() -> None:
    batches: list[list[int]] = []

    async def write(numbers: Sequence[int]) -> list[None]:
        batches.append(list(numbers))
        await asyncio.sleep(0.05)
        return [None for _ in numbers]

    together = BatchWriter(write)
    await together.add(1)
    async with asyncio.TaskGroup() as group:
        for number in (2, 3, 4):
            group.create_task(together.add(number))
            await asyncio.sleep(0)
    assert batches == [[1], [2, 3, 4]]


async def test_what_is_canceled_while_the_writer_rests_and_nobody_else_waits_is_not_written_later() -> None:
    batches: list[list[int]] = []

    async def write(numbers: Sequence[int]) -> list[None]:
        batches.append(list(numbers))
        await asyncio.sleep(0.05)
        return [None for _ in numbers]

    together = BatchWriter(write)
    await together.add(1)
    async with asyncio.TaskGroup() as group:
        resting = group.create_task(together.add(2))
        await asyncio.sleep(0)
        resting.cancel()
    await together.add(3)
    assert batches == [[1], [3]]
