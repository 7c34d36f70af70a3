"""What becomes of a job when we ourselves fail: tried again a few times, then stopped.

A stopped job's card says sorry, the money is safe, the operator knows. A broken rule of our own (`Corrupt`) stops it at once.
A database that is away is not the job's fault: it is tried again, however often, and not counted.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from photomat.db.away import database_is_away
from photomat.db.pool import Pool, transaction
from photomat.jobs import outcome_store, store, timeline
from photomat.jobs.job import Job
from photomat.jobs.timeline import Tag
from photomat.kernel.errors import Corrupt
from photomat.kernel.logs import get_logger
from photomat.kernel.retry import backoff_s
from photomat.kernel.trouble import describe

MOST_TROUBLES: Final = 6
log = get_logger()


@asynccontextmanager
async def bearing_trouble(pool: Pool, job: Job, wake: Callable[[str], None]) -> AsyncIterator[None]:
    """Whatever goes wrong inside, the job is not left to itself."""
    try:
        yield
    except Corrupt as error:
        await _stop(pool, job, wake, str(error))
    except Exception as error:  # noqa: BLE001  nobody knows what it was, and the customer must not wait for ever
        counted = not database_is_away(error)
        after = timedelta(seconds=backoff_s(job.troubles, first_s=2, most_s=60))
        async with transaction(pool) as tx:
            troubles = await store.record_trouble(tx, job, after=after, error=describe(error), counted=counted)
        log.error("JOB_TROUBLE", error=describe(error), troubles=troubles, counted=counted)
        if counted and troubles is not None and troubles >= MOST_TROUBLES:
            await _stop(pool, job, wake, describe(error))


async def _stop(pool: Pool, job: Job, wake: Callable[[str], None], error: str) -> None:
    async with transaction(pool) as tx:
        stopped = await outcome_store.write_stopped(tx, job, error=error)
        if stopped:
            await timeline.record(tx, job.job_id, Tag.STOPPED, error=error)
    log.error("JOB_STOPPED", error=error, stopped=stopped)
    wake("deliveries")
