"""Forget how a user's results were delivered, and delete our copies of them.

Files are deleted by the numbers of the jobs, so it can be repeated after a crash, also when the rows name them no more.
"""

import asyncio
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from photomat.db.pool import Pool, Transaction
from photomat.delivery.outputs import store_owner
from photomat.kernel.ids import JobId, UserId
from photomat.storage.places import ResultPlaces
from photomat.storage.store import PARTS, FileStore

JOBS_AT_ONCE: Final = 500


async def forget_deliveries(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Make no card and no completion message of a forgotten user due, ever again."""
    return len(
        await tx.fetch(
            """
            UPDATE generation_jobs
               SET card_shown = card_wanted, delivery_error = NULL, parked_at = NULL, undeliverable_at = NULL,
                   ring_due_at = NULL, delivery_fence = delivery_fence + 1
             WHERE job_id = ANY (ARRAY(
                   SELECT job_id FROM generation_jobs
                    WHERE user_id = $1 AND settled_at IS NOT NULL
                      AND (card_shown < card_wanted OR delivery_error IS NOT NULL OR parked_at IS NOT NULL
                           OR undeliverable_at IS NOT NULL OR ring_due_at IS NOT NULL)
                    ORDER BY job_id LIMIT $2 FOR UPDATE))
            RETURNING job_id
            """,
            user_id,
            limit,
        )
    )


async def forget_sends(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Delete the records of results that were asked for again."""
    return len(
        await tx.fetch(
            """
            DELETE FROM result_sends
             WHERE send_id = ANY (ARRAY(SELECT send_id FROM result_sends JOIN generation_jobs USING (job_id)
                                         WHERE user_id = $1 LIMIT $2))
            RETURNING send_id
            """,
            user_id,
            limit,
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiesOfUser:
    """Our copies of one user's results, wherever they lie."""

    places: ResultPlaces

    async def delete(self, pool: Pool, user_id: UserId) -> None:
        """Raises Transient when a store does not answer; what is deleted already stays so."""
        after, owner = JobId(0), await store_owner(pool)
        while jobs := await _jobs_after(pool, user_id, after):
            for store in await self._stores(pool, jobs):
                if await self.places.is_foreign(store, owner=owner):
                    continue
                if store.folder is not None:
                    await asyncio.to_thread(_unlink, store.folder, jobs)
                else:
                    await _delete_objects(store, jobs)
            after = jobs[-1]

    async def _stores(self, pool: Pool, jobs: list[JobId]) -> list[FileStore]:
        rows = await pool.fetch("SELECT DISTINCT kept_in FROM job_outputs WHERE job_id = ANY($1)", jobs)
        found = [store for row in rows for store in self.places.candidates(row["kept_in"])]
        return list(dict.fromkeys([self.places.current, self.places.folder, *found]))


def _unlink(folder: Path, jobs: list[JobId]) -> None:
    for job_id in jobs:
        with suppress(FileNotFoundError):
            shutil.rmtree(folder / str(job_id))
    wanted = {str(job_id) for job_id in jobs}
    for part in (folder / PARTS).glob("*"):
        if part.name.partition(".")[0] in wanted:
            part.unlink(missing_ok=True)


async def _delete_objects(store: FileStore, jobs: list[JobId]) -> None:
    for job_id in jobs:
        async for page in store.listed(below=str(job_id)):
            await store.delete([file.name for file in page])


async def _jobs_after(pool: Pool, user_id: UserId, after: JobId) -> list[JobId]:
    rows = await pool.fetch(
        "SELECT job_id FROM generation_jobs WHERE user_id = $1 AND job_id > $2 ORDER BY job_id LIMIT $3",
        user_id,
        after,
        JOBS_AT_ONCE,
    )
    return [JobId(row["job_id"]) for row in rows]
