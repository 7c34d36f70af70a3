"""What needs a person now, as counts: each is one statement over an index of what is open."""

from dataclasses import dataclass, fields
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool
from photomat.db.rows import require_row

UNSEEN_AFTER: Final = timedelta(minutes=2)
"""A result is shown within seconds: after this long something is wrong."""
ORPHAN_AFTER: Final = timedelta(minutes=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """Stopped jobs, results not shown, receipts, orphan callbacks, incidents and differences that are open."""

    stopped: int
    unseen: int
    receipts: int
    orphans: int
    incidents: int
    differences: int

    @property
    def total(self) -> int:
        return sum(getattr(self, each.name) for each in fields(self))


async def read_needs(pool: Pool) -> Needs:
    row = await require_row(
        pool,
        """
        SELECT (SELECT count(*) FROM generation_jobs
                 WHERE stopped_at IS NOT NULL AND settled_at IS NULL) AS stopped,
               (SELECT count(*) FROM generation_jobs
                 WHERE card_shown < card_wanted AND undeliverable_at IS NULL
                   AND (parked_at IS NOT NULL OR status = 'done' AND delivered_at IS NULL
                        AND settled_at <= photomat_now() - $1::interval)) AS unseen,
               (SELECT count(*) FROM receipts WHERE state = 'waiting') AS receipts,
               (SELECT count(*) FROM orphan_callbacks
                 WHERE processed_at IS NULL AND received_at <= photomat_now() - $2::interval) AS orphans,
               (SELECT count(*) FROM incidents WHERE closed_at IS NULL) AS incidents,
               (SELECT count(*) FROM differences WHERE resolved_at IS NULL) AS differences
        """,
        UNSEEN_AFTER,
        ORPHAN_AFTER,
    )
    return Needs(**dict(row))
