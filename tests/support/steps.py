"""The steps of a job's life as a test takes them: one claim, one submit, one look, with time passing in between."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from photomat.db.pool import Pool, transaction
from photomat.jobs.actions import CancelOutcome, cancel_job
from photomat.jobs.callback import KieCallback, update_from_callback
from photomat.jobs.job import Job
from photomat.jobs.poll import TaskPoller
from photomat.jobs.submit import SendQueue, Submitter
from photomat.kernel.ids import JobId, MessageId
from photomat.kie.client import KieClient
from support.database import shift_clock
from support.jobs import (
    LEASE,
    TIMES,
    TWO,
    ToldProvider,
    Woken,
    claim_look,
    claim_looks,
    claim_submit,
    row_of,
)
from support.kie_sim import KEY, RunningKie

BALANCE = 10_000
OVERDUE_S = TIMES.overdue_of("image").total_seconds()
TIMEOUT_S = TIMES.timeout.total_seconds()


async def _no_references(job: Job) -> Mapping[str, Any]:
    raise AssertionError(f"job {job.job_id} has a reference, for which a test makes its own submitter")


def submitter(pool: Pool, provider: Any, *, woken: Woken | None = None) -> Submitter:
    return Submitter(
        pool=pool,
        provider=provider,
        times=TIMES,
        callback_url=lambda job_id: f"http://127.0.0.1:9/kie/callback/{job_id}.sig",
        wake=woken or Woken(),
        resolve=_no_references,
        stopping=lambda: False,
        send_queue=SendQueue(apart_s=1),
    )


@asynccontextmanager
async def kie_client(base_url: str) -> AsyncIterator[KieClient]:
    kie = KieClient(base_url=base_url, api_key=KEY)
    try:
        yield kie
    finally:
        await kie.close()


async def submit_at(pool: Pool, kie: RunningKie, job_id: JobId) -> None:
    async with kie_client(kie.url) as provider:
        await submitter(pool, provider).submit(await claim_submit(pool, job_id))


def looker(pool: Pool, provider: Any) -> TaskPoller:
    return TaskPoller(pool=pool, provider=provider, times=TIMES, wake=Woken())


async def look(pool: Pool, job_id: JobId, *readings: Any, after_s: float = 0) -> dict[str, Any]:
    """Let time pass, claim, look once; gives the row afterwards."""
    await shift_clock(pool, after_s)
    await looker(pool, ToldProvider(readings=list(readings))).look(await claim_look(pool, job_id))
    return await row_of(pool, job_id)


async def call_back(pool: Pool, job_id: JobId, *, task_id: str = "task-1") -> None:
    payload = {"data": {"taskId": task_id, "state": "success"}}
    async with transaction(pool) as tx:
        await update_from_callback(tx, [KieCallback(job_id=job_id, task_id=task_id, payload=payload, body=b"{}")])


async def nothing_due(pool: Pool) -> bool:
    return not await claim_looks(pool, limit=9, lease=LEASE, instance=TWO)


async def cancel(pool: Pool, job_id: JobId) -> None:
    row = await row_of(pool, job_id)
    async with transaction(pool) as tx:
        answer = await cancel_job(
            tx, job_id=job_id, user_id=row["user_id"], message_id=MessageId(row["card_message_id"])
        )
    assert answer is CancelOutcome.CANCELED
