"""How much each loop has to do, and how long the oldest of it has been due; and how long the steps of a job take.

A backlog is read in the order of its age and cut at `MOST`, so a long one costs no more than a short one. The same conditions
wake the loops (`app/flow.py:DUE`); a test compares the names.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from photomat.db.pool import Pool

MOST: Final = 1000
NEWEST: Final = 500
"""Steps are measured on so many of the newest callbacks and results."""

BACKLOGS: Final[Mapping[str, str]] = {
    "updates": """
        SELECT due_at FROM lanes
         WHERE pending > 0 AND (leased_until IS NULL OR leased_until <= photomat_now()) AND NOT starts_with(lane, 'p')""",
    "pre-checkout": """
        SELECT due_at FROM lanes
         WHERE pending > 0 AND (leased_until IS NULL OR leased_until <= photomat_now()) AND starts_with(lane, 'p')""",
    "uploads": """
        SELECT least(due_at, submit_at) AS due_at FROM generation_jobs
         WHERE status = 'pending' AND needs_files AND (leased_until IS NULL OR leased_until <= photomat_now())""",
    "submits": """
        SELECT least(due_at, submit_at) AS due_at FROM generation_jobs
         WHERE status = 'pending' AND NOT needs_files AND (leased_until IS NULL OR leased_until <= photomat_now())""",
    "looks": """
        SELECT due_at FROM generation_jobs
         WHERE status <> 'pending' AND (leased_until IS NULL OR leased_until <= photomat_now())""",
    "deliveries": """
        SELECT deliver_at AS due_at FROM generation_jobs
         WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL""",
    "rings": "SELECT ring_due_at AS due_at FROM generation_jobs",
    "sends": "SELECT due_at FROM result_sends",
    "keeps": "SELECT keep_at AS due_at FROM job_outputs",
    "assistant": "SELECT due_at FROM assistant_calls",
    "invoices": "SELECT look_at AS due_at FROM provider_invoices",
    "refunds": "SELECT due_at FROM payment_refunds",
    "rewards": """
        SELECT due_at FROM referrals UNION ALL SELECT due_at FROM referral_shares UNION ALL SELECT due_at FROM gifts""",
    "fiscal": "SELECT due_at FROM fiscal_receipts",
    "receipts": "SELECT due_at FROM receipts",
    "notices": "SELECT due_at FROM notices",
    "exports": "SELECT due_at FROM export_requests",
    "forgets": "SELECT due_at FROM forget_requests",
    "audiences": "SELECT due_at FROM broadcasts",
    "broadcasts": """
        SELECT send.due_at FROM broadcasts JOIN broadcast_sends AS send USING (broadcast_id)
         WHERE state = 'sending' AND filled_at IS NOT NULL""",
    "previews": "SELECT preview_due_at AS due_at FROM broadcasts",
    "watches": "SELECT due_at FROM watches",
    "alerts": "SELECT due_at FROM incident_notices",
}
"""When the rows of each loop are due, in the order of a job's life; what is not due is cut off below."""
PACED: Final = frozenset({"broadcasts"})
"""Rows that wait on purpose: their age says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """`count` rows are due, `MOST` at most; `oldest` and `p99` are how long they have been."""

    loop: str
    count: int
    oldest: timedelta | None
    p99: timedelta | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTime:
    """How long a step took for the newest jobs; `step` names its text."""

    step: str
    count: int
    p50: timedelta | None
    p99: timedelta | None


async def read_backlogs(pool: Pool) -> list[Backlog]:
    rows = await pool.fetch(
        " UNION ALL ".join(
            f"""
            SELECT '{loop}' AS loop, count(*) AS count, (SELECT photomat_now()) - min(due_at) AS oldest,
                   (SELECT photomat_now()) - percentile_disc(0.01) WITHIN GROUP (ORDER BY due_at) AS p99
              FROM (SELECT due_at FROM ({rows}) AS row
                     WHERE due_at <= (SELECT photomat_now()) ORDER BY due_at LIMIT {MOST}) AS due"""  # noqa: S608  constants of ours
            for loop, rows in BACKLOGS.items()
        )
    )
    return [Backlog(**dict(row)) for row in rows]


async def read_step_times(pool: Pool) -> list[StepTime]:
    """From the task to its callback, from the callback to the outcome, from the outcome to the card; of the last day."""
    rows = await pool.fetch(
        """
        WITH heard AS MATERIALIZED (
            SELECT job_id, min(received_at) AS received_at
              FROM (SELECT job_id, received_at FROM callbacks
                     WHERE received_at > photomat_now() - interval '1 day' AND job_id IS NOT NULL
                     ORDER BY received_at DESC LIMIT $1) AS newest
             GROUP BY job_id
        ), called AS MATERIALIZED (
            SELECT received_at, submitted_at, settled_at FROM heard JOIN generation_jobs USING (job_id)
        ), settled AS MATERIALIZED (
            SELECT settled_at, delivered_at FROM generation_jobs
             WHERE settled_at > photomat_now() - interval '1 day' AND status = 'done'
             ORDER BY settled_at DESC LIMIT $1
        ), steps AS (
            SELECT 1 AS place, 'callback' AS step, received_at - submitted_at AS took FROM called
            UNION ALL SELECT 2, 'settle', settled_at - received_at FROM called
            UNION ALL SELECT 3, 'show', delivered_at - settled_at FROM settled
        )
        SELECT step, count(took) AS count, percentile_disc(0.5) WITHIN GROUP (ORDER BY took) AS p50,
               percentile_disc(0.99) WITHIN GROUP (ORDER BY took) AS p99
          FROM steps WHERE took >= interval '0' GROUP BY place, step ORDER BY place
        """,
        NEWEST,
    )
    return [StepTime(**dict(row)) for row in rows]
