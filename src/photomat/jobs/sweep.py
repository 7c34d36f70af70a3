"""Why a stuck job gets unstuck: the ACTIVE instance frees the claims of the dead, and re-arms what nobody would touch again.

Claims would run out by themselves after LEASE_S; this only hurries. A job or a card that is due never again should not exist at
all: one that does comes from a mistake of ours or from a hand in the database, and is said aloud. Each rescue repeats its
reasons in its own WHERE: it never trusts what it read before. An intent is never freed: its status is no longer `pending`, so
what is re-armed there is the look, not the submit. Parked, stopped and undeliverable jobs wait for a person and stay.
"""

from datetime import timedelta
from typing import Final

from photomat.cluster.instances import DEAD_AFTER
from photomat.db.pool import Pool, Transaction, transaction
from photomat.jobs import timeline
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId
from photomat.kernel.logs import get_logger

LATELY: Final = timedelta(days=7)
"""Cards that say they show a result which was never marked as delivered are searched for among jobs settled since then."""

JOBS_NAMED: Final = 20
log = get_logger()


async def free_claims_of_the_dead(pool: Pool) -> int:
    """Free submit and look claims of instances that have not been seen for a while; say how many."""
    rows = await pool.fetch(
        """
        UPDATE generation_jobs SET leased_until = NULL
         WHERE (due_at IS NOT NULL OR submit_at IS NOT NULL) AND leased_until > photomat_now()
           AND leased_by NOT IN (SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $1::interval)
        RETURNING job_id
        """,
        DEAD_AFTER,
    )
    return len(rows)


async def rearm_the_forgotten(pool: Pool) -> int:
    """Make due what nobody would ever touch again by itself: submits and looks, cards, results; say how many."""
    async with transaction(pool) as tx:
        swept = {
            "jobs": await _rearm_steps(tx),
            "cards": await _rearm_cards(tx),
            "results": await _show_results_again(tx),
        }
        for what, jobs in swept.items():
            await timeline.record_all(tx, {job: {"by": "sweep", "what": what} for job in jobs}, Tag.REARMED)
    for what, jobs in swept.items():
        if jobs:
            log.error("SWEPT", what=what, count=len(jobs), jobs=",".join(map(str, jobs[:JOBS_NAMED])))
    return sum(map(len, swept.values()))


async def _rearm_steps(tx: Transaction) -> list[JobId]:
    """Live jobs without a next step."""
    rows = await tx.fetch(
        """
        WITH forgotten AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE settled_at IS NULL AND stopped_at IS NULL AND coalesce(due_at, submit_at, 'infinity') = 'infinity'
               AND (leased_until IS NULL OR leased_until <= photomat_now())
             ORDER BY job_id FOR UPDATE SKIP LOCKED)
        UPDATE generation_jobs AS job SET due_at = photomat_now(), leased_until = NULL
          FROM forgotten
         WHERE job.job_id = forgotten.job_id
           AND settled_at IS NULL AND stopped_at IS NULL AND coalesce(due_at, submit_at, 'infinity') = 'infinity'
        RETURNING job.job_id
        """
    )
    return [JobId(row["job_id"]) for row in rows]


async def _rearm_cards(tx: Transaction) -> list[JobId]:
    """Cards with news to show and no time to show them at."""
    rows = await tx.fetch(
        """
        WITH forgotten AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL AND deliver_at = 'infinity'
             ORDER BY job_id FOR UPDATE SKIP LOCKED)
        UPDATE generation_jobs AS job SET deliver_at = photomat_now()
          FROM forgotten
         WHERE job.job_id = forgotten.job_id
           AND card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL AND deliver_at = 'infinity'
        RETURNING job.job_id
        """
    )
    return [JobId(row["job_id"]) for row in rows]


async def _show_results_again(tx: Transaction) -> list[JobId]:
    """Results that count as shown and were never marked as delivered; rendered again they show the same picture, still one."""
    rows = await tx.fetch(
        """
        WITH forgotten AS MATERIALIZED (
            SELECT job_id FROM generation_jobs
             WHERE settled_at > photomat_now() - $1::interval
               AND status = 'done' AND delivered_at IS NULL AND card_shown = card_wanted
               AND undeliverable_at IS NULL AND parked_at IS NULL AND delivering_at IS NULL
             ORDER BY job_id FOR UPDATE SKIP LOCKED)
        UPDATE generation_jobs AS job SET card_wanted = card_wanted + 1, deliver_at = photomat_now()
          FROM forgotten
         WHERE job.job_id = forgotten.job_id AND status = 'done' AND delivered_at IS NULL AND card_shown = card_wanted
           AND undeliverable_at IS NULL AND parked_at IS NULL AND delivering_at IS NULL
        RETURNING job.job_id
        """,
        LATELY,
    )
    return [JobId(row["job_id"]) for row in rows]
