"""Lists for the operator: jobs, stuck jobs, waiting orphans; and the price, cost and margin of jobs.

Reads only. Prompts and URLs of files stay in the database. The quote was frozen at purchase; cost and margin are known where
Kie reported the credits it took.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from photomat.catalog.formula import plain
from photomat.catalog.pricing import Quote, quote_from_json
from photomat.cluster.instances import alive_instances
from photomat.db.pool import Pool
from photomat.jobs.claims import CREATES
from photomat.jobs.explain import Surroundings, facts_of, why_not_delivered
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.work import budget

COLUMNS: Final = """
    job_id, corr, bot_id, user_id, chat_id, card_message_id, model, kind, status, price, currency, quote,
    credits_consumed, cost, external_task_id, gift,
    fail_code, fail_reason, last_error, attempts, found_via, woken_via, cardinality(result_urls) AS outputs,
    created_at, intent_at, submitted_at, overdue_at, empty_since, offered_at, settled_at, stopped_at,
    coalesce(due_at, submit_at) AS due_at, leased_by,
    leased_until, card_wanted, card_shown, deliver_at, delivering_at, delivering_by, delivery_fence, delivery_attempts,
    delivery_error, delivery_failing_since, delivered_at, undeliverable_at, parked_at, ring_kind, ring_due_at, rung_at,
    photomat_now() AS now"""
"""Everything an operator may see of a job's row."""
STUCK_AFTER: Final = timedelta(minutes=2)
"""Due work is claimed within a second: after this long something is wrong."""


class JobFilter(StrEnum):
    ALL = "all"
    UNDELIVERED = "undelivered"
    STUCK = "stuck"


CHOSEN: Final[Mapping[JobFilter, str]] = {
    JobFilter.ALL: "SELECT job_id FROM generation_jobs ORDER BY job_id DESC LIMIT $1",
    JobFilter.UNDELIVERED: "SELECT job_id FROM generation_jobs WHERE status = 'done' AND delivered_at IS NULL",
    JobFilter.STUCK: """
        SELECT job_id FROM generation_jobs
         WHERE settled_at IS NULL
           AND (stopped_at IS NOT NULL OR overdue_at IS NOT NULL OR coalesce(due_at, submit_at) IS NULL
                OR status = 'submitting' AND external_task_id IS NULL AND intent_at < photomat_now() - $2::interval)
        UNION ALL SELECT job_id FROM generation_jobs
         WHERE (due_at < photomat_now() - $2::interval OR submit_at < photomat_now() - $2::interval)
           AND coalesce(leased_until < photomat_now(), true)
        UNION ALL SELECT job_id FROM generation_jobs WHERE parked_at IS NOT NULL AND card_shown < card_wanted
        UNION ALL SELECT job_id FROM generation_jobs
         WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
           AND deliver_at < photomat_now() - $2::interval
           AND coalesce(delivering_at < photomat_now() - $3::interval, true)
    """,
}
"""The jobs of a filter, each condition found by an index: lists are read under load."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnQuote:
    """The price of a user's own job; `quote` is None for jobs sold before quotes were stored."""

    model: str
    price: Money
    quote: Quote | None
    corr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """The earnings of a model. `unknown` counts the jobs whose cost Kie did not report: they are in no sum of costs.

    `income` is what was charged and `cost` what Kie took, also for failed jobs and gifts; `margin` covers jobs of known cost.
    """

    model: str
    currency: str
    jobs: int
    done: int
    unknown: int
    income: int
    cost: int
    margin: int


async def list_jobs(pool: Pool, *, limit: int, only: JobFilter, around: Surroundings) -> list[dict[str, Any]]:
    """The newest jobs of a filter, each with the sentence why it is not delivered."""
    spans = (STUCK_AFTER, around.delivery_lease) if only is JobFilter.STUCK else ()
    rows = await pool.fetch(
        f"""
        WITH chosen AS MATERIALIZED ({CHOSEN[only]})
        SELECT {COLUMNS} FROM generation_jobs
         WHERE job_id IN (SELECT DISTINCT job_id FROM chosen ORDER BY job_id DESC LIMIT $1)
         ORDER BY job_id DESC LIMIT $1
        """,  # noqa: S608  constants of ours
        limit,
        *spans,
    )
    jobs = [dict(row) for row in rows]
    return [as_plain(job) | {"why": why_not_delivered(facts_of(job), around)} for job in jobs]


async def waiting_orphans(pool: Pool, *, limit: int) -> list[dict[str, Any]]:
    """Callbacks without a job, oldest first."""
    rows = await pool.fetch(
        """
        SELECT orphan_id, task_id, received_at, shouted_at, error FROM orphan_callbacks
         WHERE processed_at IS NULL ORDER BY orphan_id LIMIT $1
        """,
        limit,
    )
    return [as_plain(dict(row)) for row in rows]


async def read_surroundings(pool: Pool, *, delivery_lease: timedelta, given_up_after: timedelta) -> Surroundings:
    """The live instances, and the settings a sentence needs."""
    return Surroundings(
        alive=await alive_instances(pool),
        delivery_lease=delivery_lease,
        timeout=given_up_after,
        submits_blocked=await budget.blocked_because(pool, CREATES),
    )


def as_plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row for JSON: timestamps as text."""
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items()}


async def quote_of_own_job(pool: Pool, *, job_id: JobId, user_id: UserId) -> OwnQuote | None:
    row = await pool.fetchrow(
        "SELECT model, price, currency, quote, corr FROM generation_jobs WHERE job_id = $1 AND user_id = $2",
        job_id,
        user_id,
    )
    if row is None:
        return None
    price = Money(row["price"], row["currency"])
    return OwnQuote(model=row["model"], price=price, quote=quote_from_json(row["quote"]), corr=row["corr"])


async def margins(pool: Pool, *, since: timedelta) -> list[Margin]:
    """The earnings of each model over the jobs settled since then, the largest income first."""
    rows = await pool.fetch(
        """
        SELECT model, currency, count(*) AS jobs, count(*) FILTER (WHERE status = 'done') AS done,
               count(*) FILTER (WHERE cost IS NULL) AS unknown,
               coalesce(sum(price) FILTER (WHERE status = 'done' AND NOT gift), 0)::bigint AS income,
               coalesce(sum(cost), 0)::bigint AS cost,
               coalesce(sum(CASE WHEN status = 'done' AND NOT gift THEN price ELSE 0 END - cost), 0)::bigint AS margin
          FROM generation_jobs
         WHERE settled_at > photomat_now() - $1::interval
         GROUP BY model, currency ORDER BY income DESC, model
        """,
        since,
    )
    return [Margin(**dict(row)) for row in rows]


def price_breakdown(row: Mapping[str, Any]) -> list[str]:
    """The price of a job's row, its cost and its margin, a sentence each."""
    price = Money(row["price"], row["currency"])
    quote = quote_from_json(row["quote"])
    lines = [f"price {price}" if quote is None else f"price {price} = {_made_of(quote)}"]
    if row["cost"] is None:
        expected = "unknown" if quote is None else f"{quote.cost} expected by the catalogue"
        return [*lines, f"cost {expected}; Kie has not said what it took"]
    cost = Money(row["cost"], row["currency"])
    lines.append(f"cost {cost}: Kie took {plain(Decimal(row['credits_consumed']))} credits")
    if quote is not None and quote.cost != cost:
        lines.append(f"the catalogue expected {quote.cost}")
    if row["settled_at"] is not None:
        kept = row["price"] if row["status"] == "done" and not row["gift"] else 0
        lines.append(f"margin {Money(kept - cost.minor, price.currency)}")
    return lines


def _made_of(quote: Quote) -> str:
    """`0.8 credits × $0.005 × 80 × markup 2.0, up to a step of 1`."""
    if quote.paid_by is not None:
        return f"paid by promo code {quote.paid_by.code} instead of {quote.paid_by.price} = {_made_of(quote.without_voucher())}"
    match quote.rule:
        case "free":
            made = "free"
        case "fixed":
            made = "fixed by an operator"
        case _:
            of_rule = " (an operator's)" if quote.rule == "markup" else ""
            made = f"{plain(quote.credits)} credits × $0.005 × {plain(quote.usd_rate)} × markup {plain(quote.markup)}{of_rule}"
    if quote.percent is not None:
        made += f", less {plain(quote.percent)} %"
    if quote.raised:
        made += ", raised to cost"
    return made if quote.step == 1 else f"{made}, up to a step of {Money(quote.step, quote.price.currency)}"
