"""What Kie answered to createTask is stored, whatever the database does at that very moment."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import pytest

from photomat.db.pool import Pool
from photomat.jobs.timeline import events_of
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.ids import JobId, TaskId
from photomat.kie.port import Busy, TaskRefused
from photomat_chaos.lab.proxy import Proxy, open_proxy
from support.database import pool_of
from support.jobs import PRICE, ToldProvider, a_job, a_user, claim_submit, money_of, row_of
from support.logs import logged
from support.patience import until
from support.steps import BALANCE, submitter

OUTAGE_S = 1.5
HANG_S = 300.0


class Interrupting(ToldProvider):
    """Kie answers, and before the answer can be stored something happens to the database."""

    before_the_answer: Callable[[], Awaitable[None]]

    async def create_task(self, **order: Any) -> TaskId:
        await self.before_the_answer()
        return await ToldProvider.create_task(self, **order)


async def events(pool: Pool, job_id: JobId) -> list[str]:
    return [event.tag for event in await events_of(pool, job_id)]


async def out_of_reach(proxy: Proxy, seconds: float) -> None:
    """Every connection ends, and every new one, for so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while True:
                proxy.cut()
                await asyncio.sleep(0.01)


@pytest.mark.parametrize("order", ["lose_statement", "forget_answer"])
async def test_a_task_id_is_stored_once_although_its_first_commit_fails_or_its_answer_is_lost(
    database: str, order: Any
) -> None:
    async with pool_of(database) as pool, open_proxy(database) as proxy, pool_of(proxy.dsn) as cut_off:
        job_id = await a_job(pool, await a_user(pool))
        provider = Interrupting(creates=[TaskId("t-1")])

        async def interrupt() -> None:
            proxy.order(order)

        provider.before_the_answer = interrupt
        with logged() as lines:
            await submitter(cut_off, provider).submit(await claim_submit(pool, job_id))
        job = await row_of(pool, job_id)
        assert (proxy.struck[order], len(provider.created)) == (1, 1)
        assert (job["status"], job["external_task_id"], job["leased_until"]) == ("running", "t-1", None)
        assert (await events(pool, job_id)).count("submitted") == 1
        assert job["card_wanted"] == 2
        tags = [line["event"] for line in lines]
        assert (tags.count("ANSWER_NOT_STORED"), tags.count("JOB_SUBMITTED")) == (1, 1)
        assert "SUBMIT_UNKNOWN" not in tags


@pytest.mark.parametrize(
    ("answer", "status", "held"),
    [
        (TaskId("t-1"), "running", PRICE),
        (Busy("Kie is busy: code 429"), "pending", PRICE),
        (Transient("Kie could not be reached"), "pending", PRICE),
        (TaskRefused("422", "flagged"), "failed", 0),
        (OutcomeUnknown("no answer"), "submitting", PRICE),
    ],
    ids=["task", "busy", "never left", "refused", "unknown"],
)
async def test_no_answer_of_kie_is_forgotten_while_the_database_is_out_of_reach(
    database: str, answer: TaskId | Exception, status: str, held: int
) -> None:
    async with pool_of(database) as pool, open_proxy(database) as proxy, pool_of(proxy.dsn) as cut_off:
        user = await a_user(pool)
        job_id = await a_job(pool, user)
        provider = Interrupting(creates=[answer])
        async with asyncio.TaskGroup() as group:

            async def interrupt() -> None:
                group.create_task(out_of_reach(proxy, OUTAGE_S))
                await asyncio.sleep(0.05)

            provider.before_the_answer = interrupt
            await submitter(cut_off, provider).submit(await claim_submit(pool, job_id))
        job = await row_of(pool, job_id)
        assert (job["status"], job["leased_until"], len(provider.created)) == (status, None, 1)
        assert await money_of(pool, user) == (BALANCE - held, held)


async def test_a_task_id_that_belongs_to_another_job_leaves_the_outcome_unknown_and_blocks_nothing(
    database: str,
) -> None:
    async with pool_of(database) as pool:
        user = await a_user(pool)
        for _ in range(2):
            job_id = await a_job(pool, user)
            provider = ToldProvider(creates=[TaskId("t-1")])
            async with asyncio.timeout(120):
                await submitter(pool, provider).submit(await claim_submit(pool, job_id))
        job = await row_of(pool, job_id)
        assert (job["status"], job["external_task_id"], job["leased_until"]) == ("submitting", None, None)


async def test_a_process_that_must_end_first_logs_the_id_of_the_task(database: str) -> None:
    async with pool_of(database) as pool, open_proxy(database) as proxy, pool_of(proxy.dsn) as cut_off:
        job_id = await a_job(pool, await a_user(pool))
        provider = Interrupting(creates=[TaskId("t-1")])
        outages: list[asyncio.Task[None]] = []
        async with asyncio.TaskGroup() as group:

            async def interrupt() -> None:
                outages.append(group.create_task(out_of_reach(proxy, HANG_S)))
                await asyncio.sleep(0.05)

            provider.before_the_answer = interrupt
            with logged() as lines:
                submitting = group.create_task(submitter(cut_off, provider).submit(await claim_submit(pool, job_id)))
                await until(lambda: any(line["event"] == "ANSWER_NOT_STORED" for line in lines))
                submitting.cancel()
                await asyncio.wait([submitting])
            outages[0].cancel()
        assert [line["task_id"] for line in lines if line["event"] == "ANSWER_LOST"] == ["t-1"]
        assert (await row_of(pool, job_id))["status"] == "submitting"
