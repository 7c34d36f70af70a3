"""Why a stuck job gets unstuck soon: the claims of a dead instance are freed by the ACTIVE one.

Without this they would run out by themselves after LEASE_S. The rescue repeats its reasons in its own WHERE: it never trusts
what it read before. An intent is never freed: its status is no longer `pending`.
"""

from photomat.cluster.instances import DEAD_AFTER
from photomat.db.pool import Pool


async def free_claims_of_the_dead(pool: Pool) -> int:
    """Free submit and look claims of instances that have not been seen for a while; say how many."""
    rows = await pool.fetch(
        """
        UPDATE generation_jobs SET leased_until = NULL
         WHERE due_at IS NOT NULL AND leased_until > photomat_now()
           AND leased_by NOT IN (SELECT instance_id FROM instances WHERE seen_at > photomat_now() - $1::interval)
        RETURNING job_id
        """,
        DEAD_AFTER,
    )
    return len(rows)
