"""What an operator reads about jobs: lists, margins, and the report of one job with its money, callbacks and timeline.

Reads only. Prompts, URLs of files and bodies of callbacks stay in the database.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from photomat.catalog.formula import plain
from photomat.catalog.pricing import Quote, quote_from_json
from photomat.cluster.instances import alive_instances
from photomat.db.pool import Pool, transaction
from photomat.db.rows import require_row
from photomat.inbox.lanes import TapUpdate, taps_on
from photomat.jobs.claims import CREATES
from photomat.jobs.explain import Surroundings, facts_of, why_not_delivered
from photomat.jobs.store import MAY_BE_SUBMITTED, find_job_by_task_id
from photomat.jobs.timeline import JobEvent, events_of
from photomat.kernel.ids import BotId, JobId, MessageId, ReceivedId, UserId
from photomat.kernel.money import Money
from photomat.kie.state_parser import parse_kie_state
from photomat.texts.sentence import Sentence
from photomat.wallet.ledger import JobHold, holds_of_job
from photomat.work import budget
from photomat.work.controls import Pause, read_pauses

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
MAX_DIGITS: Final = 19
"""A longer number is no job's."""
STUCK_AFTER: Final = timedelta(minutes=2)
"""Due work is claimed within a second: after this long something is wrong."""


class JobFilter(StrEnum):
    ALL = "all"
    UNDELIVERED = "undelivered"
    STUCK = "stuck"


CHOSEN: Final[Mapping[JobFilter, str]] = {
    JobFilter.ALL: "SELECT job_id FROM generation_jobs ORDER BY job_id DESC LIMIT $1",
    JobFilter.UNDELIVERED: """
        SELECT job_id FROM generation_jobs WHERE status = 'done' AND delivered_at IS NULL ORDER BY job_id DESC LIMIT $1
    """,
    JobFilter.STUCK: f"""
        SELECT job_id FROM generation_jobs
         WHERE settled_at IS NULL
           AND (stopped_at IS NOT NULL OR overdue_at IS NOT NULL OR coalesce(due_at, submit_at) IS NULL
                OR status = 'submitting' AND external_task_id IS NULL AND intent_at < photomat_now() - $2::interval)
        UNION ALL SELECT job_id FROM generation_jobs
         WHERE (due_at < photomat_now() - $2::interval OR submit_at < photomat_now() - $2::interval)
           AND coalesce(leased_until < photomat_now(), true)
           AND (status <> 'pending' OR {MAY_BE_SUBMITTED})
        UNION ALL SELECT job_id FROM generation_jobs WHERE parked_at IS NOT NULL AND card_shown < card_wanted
        UNION ALL SELECT job_id FROM generation_jobs
         WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
           AND deliver_at < photomat_now() - $2::interval
           AND coalesce(delivering_at < photomat_now() - $3::interval, true)
    """,  # noqa: S608  a constant of ours
}
"""The jobs of a filter, each condition found by an index: lists are read under load."""


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
    return [as_plain(job) | {"why": why_not_delivered(facts_of(job), around).plain} for job in jobs]


async def waiting_orphans(pool: Pool, *, limit: int) -> list[dict[str, Any]]:
    rows = await pool.fetch(
        """
        SELECT orphan_id, task_id, received_at, shouted_at, error FROM orphan_callbacks
         WHERE processed_at IS NULL ORDER BY orphan_id LIMIT $1
        """,
        limit,
    )
    return [as_plain(dict(row)) for row in rows]


async def read_surroundings(pool: Pool, *, delivery_lease: timedelta, given_up_after: timedelta) -> Surroundings:
    pauses = await read_pauses(pool)
    return Surroundings(
        alive=await alive_instances(pool),
        delivery_lease=delivery_lease,
        timeout=given_up_after,
        submits_blocked=_paused(pauses.provider) or await budget.blocked_because(pool, CREATES),
        paused_models={each.model: why for each in pauses.by_name.values() if each.model and (why := _paused(each))},
    )


def _paused(pause: Pause | None) -> Sentence | None:
    return None if pause is None else Sentence("controls-paused-by", operator=pause.paused_by, reason=pause.reason)


def as_plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value.isoformat() if isinstance(value, datetime) else value for key, value in row.items()}


async def margins(pool: Pool, *, since: timedelta) -> list[Margin]:
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


def price_breakdown(row: Mapping[str, Any], *, refunded: int = 0) -> list[Sentence]:
    """The price of a job's row, its cost and its margin, a sentence each; `refunded` minor units were given back later."""
    price = Money(row["price"], row["currency"])
    quote = quote_from_json(row["quote"])
    lines = [
        Sentence("price-alone", price=price)
        if quote is None
        else Sentence("price-made-of", price=price, made=_made_of(quote))
    ]
    if row["cost"] is None:
        unsaid = Sentence("price-cost-unknown") if quote is None else Sentence("price-cost-expected", cost=quote.cost)
        return [*lines, unsaid]
    cost = Money(row["cost"], row["currency"])
    lines.append(Sentence("price-cost", cost=cost, credits=plain(Decimal(row["credits_consumed"]))))
    if quote is not None and quote.cost != cost:
        lines.append(Sentence("price-expected", cost=quote.cost))
    if row["settled_at"] is not None:
        kept = row["price"] if row["status"] == "done" and not row["gift"] else 0
        lines.append(Sentence("price-margin", margin=Money(kept - refunded - cost.minor, price.currency)))
    return lines


def _made_of(quote: Quote) -> Sentence:
    """`0.8 credits × $0.005 × 80 × markup 2.0, up to a step of 1`."""
    if quote.paid_by is not None:
        made = _made_of(quote.without_voucher())
        return Sentence("price-by-code", code=quote.paid_by.code, price=quote.paid_by.price, made=made)
    made = _by_rule(quote)
    if quote.percent is not None:
        made = Sentence("price-less", made=made, percent=plain(quote.percent))
    if quote.raised:
        made = Sentence("price-raised", made=made)
    if quote.step == 1:
        return made
    return Sentence("price-stepped", made=made, step=Money(quote.step, quote.price.currency))


def _by_rule(quote: Quote) -> Sentence:
    match quote.rule:
        case "free":
            return Sentence("price-free")
        case "fixed":
            return Sentence("price-fixed")
        case _:
            return Sentence(
                "price-by-formula",
                credits=plain(quote.credits),
                rate=plain(quote.usd_rate),
                markup=plain(quote.markup),
                whose="operator" if quote.rule == "markup" else "ours",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCallback:
    received_at: datetime
    task_id: str
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredOutput:
    """One output; `at_telegram`: Telegram has the file."""

    position: int
    mime: str | None
    size_bytes: int | None
    kept_at: datetime | None
    at_telegram: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JobReport:
    why: Sentence
    row: Mapping[str, Any]
    taps: Sequence[TapUpdate]
    holds: Sequence[JobHold]
    callbacks: Sequence[StoredCallback]
    outputs: Sequence[StoredOutput]
    events: Sequence[JobEvent]


async def find_job(pool: Pool, name: str) -> JobId | None:
    is_number = name.isascii() and name.isdigit() and len(name) < MAX_DIGITS
    job_id = (
        await pool.fetchval("SELECT job_id FROM generation_jobs WHERE job_id = $1", int(name)) if is_number else None
    )
    return await find_job_by_task_id(pool, name) if job_id is None else JobId(job_id)


async def read_job_report(pool: Pool, name: str, around: Surroundings) -> JobReport | None:
    """The report of a job by its own id or its task's; None when there is no such job."""
    job_id = await find_job(pool, name)
    if job_id is None:
        return None
    row = dict(await require_row(pool, f"SELECT {COLUMNS} FROM generation_jobs WHERE job_id = $1", job_id))  # noqa: S608  a constant list of columns
    async with transaction(pool) as tx:
        holds = await holds_of_job(tx, job_id)
    return JobReport(
        why=why_not_delivered(facts_of(row), around),
        row=as_plain(row),
        taps=await _taps(pool, row),
        holds=holds,
        callbacks=await _callbacks(pool, job_id),
        outputs=await _outputs(pool, job_id),
        events=await events_of(pool, job_id),
    )


async def _taps(pool: Pool, row: Mapping[str, Any]) -> list[TapUpdate]:
    """The taps on the card, searched from the update that made its draft."""
    since = await pool.fetchval(
        """
        SELECT substring(origin FROM '^update:[0-9]+:([0-9]+)')::bigint
          FROM drafts JOIN generation_jobs USING (draft_id) WHERE job_id = $1
        """,
        row["job_id"],
    )
    if since is None:
        return []
    return await taps_on(
        pool,
        bot_id=BotId(row["bot_id"]),
        user_id=UserId(row["user_id"]),
        message_id=MessageId(row["card_message_id"]),
        since=ReceivedId(since),
    )


async def _callbacks(pool: Pool, job_id: JobId) -> list[StoredCallback]:
    rows = await pool.fetch(
        "SELECT received_at, task_id, body FROM callbacks WHERE job_id = $1 ORDER BY callback_id", job_id
    )
    return [
        StoredCallback(
            received_at=row["received_at"],
            task_id=row["task_id"],
            state=parse_kie_state(json.loads(row["body"])).state,
        )
        for row in rows
    ]


async def _outputs(pool: Pool, job_id: JobId) -> list[StoredOutput]:
    rows = await pool.fetch(
        """
        SELECT position, mime, size_bytes, kept_at, file_id IS NOT NULL AS at_telegram
          FROM job_outputs WHERE job_id = $1 ORDER BY position
        """,
        job_id,
    )
    return [StoredOutput(**dict(row)) for row in rows]
