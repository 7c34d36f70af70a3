"""A job stopped by our own error: its card says sorry, the money is safe, the operator knows."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from photomat.db.pool import Pool, transaction
from photomat.jobs import outcome_store as store
from photomat.jobs.job import Job
from photomat.kernel.errors import Corrupt
from photomat.kernel.logs import get_logger

log = get_logger()


@asynccontextmanager
async def stopping_at_corruption(pool: Pool, job: Job, wake: Callable[[str], None]) -> AsyncIterator[None]:
    """Stop the job when a rule of our own turns out broken inside; the hold stays until an operator decides."""
    try:
        yield
    except Corrupt as error:
        async with transaction(pool) as tx:
            stopped = await store.write_stopped(tx, job, error=str(error))
        log.error("JOB_STOPPED", error=str(error), stopped=stopped)
        wake("deliveries")
