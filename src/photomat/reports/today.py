"""Today at a glance: sales beside yesterday's at this hour, money in, jobs by state, what is stuck and what needs an operator.

Reads only what is live or of these two days, by indexes: it is asked for every few seconds, by the console and by `/admin`.
A need or something stuck is a kind with its count, its age and the page of the console where it is handled.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo

from photomat.db.pool import Pool
from photomat.db.rows import Row, require_row
from photomat.kernel.money import Money
from photomat.reports.period import Sales, currency_of, sales_of

UNCERTAIN_AFTER: Final = timedelta(minutes=2)
UNDELIVERED_AFTER: Final = timedelta(minutes=2)
WAITING_AFTER: Final = timedelta(minutes=5)
UPDATE_AFTER: Final = timedelta(minutes=1)
REFUND_AFTER: Final = timedelta(minutes=10)
"""What is due is claimed within a second: what waits longer than this is stuck."""
FISCAL_AFTER: Final = timedelta(hours=6)
"""A tax service may be in maintenance for hours."""
LEAST_CREDITS: Final = Decimal(50)
LEAST_DAYS: Final = Decimal(3)
"""Kie's credits are low below either."""
MODELS_SHOWN: Final = 6


class NeedKind(StrEnum):
    """What only an operator can end."""

    RECEIPTS = "receipts"
    TICKETS = "tickets"
    APPEALS = "appeals"
    STOPPED = "stopped"
    UNCERTAIN = "uncertain"
    PARKED = "parked"
    ORPHANS = "orphans"
    DIFFERENCES = "differences"
    FISCAL = "fiscal"
    INCIDENTS = "incidents"
    AUDIT = "audit"
    CREDITS = "credits"


class StuckKind(StrEnum):
    """What should have moved on automatically."""

    OVERDUE = "overdue"
    UNDELIVERED = "undelivered"
    WAITING = "waiting"
    UPDATES = "updates"
    PARKED_UPDATES = "parked-updates"
    REFUNDS = "refunds"
    FISCAL_LATE = "fiscal-late"


PAGES: Final[Mapping[NeedKind | StuckKind, str]] = {
    NeedKind.RECEIPTS: "money/receipts",
    NeedKind.TICKETS: "tickets",
    NeedKind.APPEALS: "moderation?only=appeals",
    NeedKind.STOPPED: "jobs?state=stopped",
    NeedKind.UNCERTAIN: "orphans",
    NeedKind.PARKED: "jobs?state=parked",
    NeedKind.ORPHANS: "orphans",
    NeedKind.DIFFERENCES: "money/differences",
    NeedKind.FISCAL: "money/fiscal?state=blocked",
    NeedKind.INCIDENTS: "health",
    NeedKind.AUDIT: "money/invariants",
    NeedKind.CREDITS: "health",
    StuckKind.OVERDUE: "jobs?state=overdue",
    StuckKind.UNDELIVERED: "jobs?state=undelivered",
    StuckKind.WAITING: "jobs?state=pending",
    StuckKind.UPDATES: "health",
    StuckKind.PARKED_UPDATES: "health",
    StuckKind.REFUNDS: "money/refunds",
    StuckKind.FISCAL_LATE: "money/fiscal",
}
"""Where each is handled, below `/console/`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """So many of a kind, the oldest since then; `first` is the number of the oldest, where it has one."""

    kind: NeedKind | StuckKind
    count: int
    since: datetime | None
    first: int | None = None

    @property
    def page(self) -> str:
        return PAGES[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFigures:
    """One day up to an hour: sales of the jobs that ended, jobs bought, money paid in, and people who came."""

    sales: Sales
    bought: int
    paid_in: Money
    payments: int
    new_users: int
    ordered: int
    """New users who bought a job on that day."""
    paid: int
    """New users who paid on that day."""

    @property
    def conversion_percent(self) -> int | None:
        """Of the people who came, those who paid on the same day."""
        return round(100 * self.paid / self.new_users) if self.new_users else None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyIn:
    """What a provider brought today: credited to wallets, and paid in its own currency."""

    provider: str
    payments: int
    credit: Money
    paid: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsNow:
    """Jobs on their way: waiting for their turn, sent without an answer yet, at Kie, with a card to be shown."""

    pending: int
    submitting: int
    running: int
    delivering: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hour:
    """Revenue of an hour of the day, today and yesterday, in minor units; today's is None for hours to come."""

    hour: int
    today: int | None
    yesterday: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelToday:
    model: str
    done: int
    failed: int
    revenue: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenIncident:
    incident_id: int
    kind: str
    opened_at: datetime
    figures: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class KieCredits:
    """The last reading of Kie's balance; `per_day` is what went in the last week, None when too little is known."""

    balance: Decimal
    read_at: datetime
    per_day: Decimal | None

    @property
    def days(self) -> int | None:
        return int(self.balance / self.per_day) if self.per_day else None

    @property
    def is_low(self) -> bool:
        return self.balance < LEAST_CREDITS or bool(self.per_day and self.balance / self.per_day < LEAST_DAYS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """Everything the first page shows; `before` is yesterday up to the same hour."""

    now: datetime
    today: DayFigures
    before: DayFigures
    hours: tuple[Hour, ...]
    money_in: tuple[MoneyIn, ...]
    jobs: JobsNow
    models: tuple[ModelToday, ...]
    needs: tuple[Waiting, ...]
    stuck: tuple[Waiting, ...]
    incidents: tuple[OpenIncident, ...]
    credits: KieCredits | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bounds:
    """This day and the one before, each from its midnight to this hour."""

    now: datetime
    today: datetime
    yesterday: datetime
    same_hour: datetime


async def read_today(pool: Pool, *, zone: ZoneInfo) -> Today:
    currency = await currency_of(pool)
    at = await _bounds(pool, zone)
    credits_ = await kie_credits(pool)
    incidents = await open_incidents(pool)
    return Today(
        now=at.now,
        today=await _figures(pool, at.today, at.now, currency),
        before=await _figures(pool, at.yesterday, at.same_hour, currency),
        hours=await _hours(pool, at, zone),
        money_in=await _money_in(pool, at, currency),
        jobs=await jobs_now(pool),
        models=await _models(pool, at, currency),
        needs=await needs(pool, incidents=incidents, credits_=credits_),
        stuck=await stuck(pool),
        incidents=incidents,
        credits=credits_,
    )


async def _bounds(pool: Pool, zone: ZoneInfo) -> _Bounds:
    now: datetime = await pool.fetchval("SELECT photomat_now()")
    local = now.astimezone(zone)
    before = local - timedelta(days=1)
    return _Bounds(now=now, today=_midnight(local), yesterday=_midnight(before), same_hour=before)


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


async def _figures(pool: Pool, since: datetime, until: datetime, currency: str) -> DayFigures:
    row = await require_row(
        pool,
        """
        SELECT sold.*, back.*, came.*, bought.*, paid_in.*
          FROM (SELECT count(*) AS jobs, count(*) FILTER (WHERE status = 'done') AS done,
                       count(*) FILTER (WHERE status = 'failed') AS failed,
                       count(*) FILTER (WHERE status = 'canceled') AS canceled, count(*) FILTER (WHERE gift) AS gifts,
                       count(*) FILTER (WHERE cost IS NULL AND status = 'done') AS unknown,
                       coalesce(sum(price) FILTER (WHERE status = 'done' AND NOT gift), 0)::bigint AS revenue,
                       coalesce(sum(cost), 0)::bigint AS cost
                  FROM generation_jobs WHERE settled_at >= $1 AND settled_at < $2) AS sold,
               (SELECT coalesce(-sum(amount), 0)::bigint AS refunds
                  FROM ledger_transactions JOIN entries USING (transaction_id)
                 WHERE reason IN ('refund', 'undelivered') AND booked_at >= $1 AND booked_at < $2
                   AND account = 'income') AS back,
               (SELECT count(*) AS new_users, count(*) FILTER (WHERE ordered) AS ordered, count(*) FILTER (WHERE paid) AS paid
                  FROM (SELECT EXISTS (SELECT FROM generation_jobs AS job
                                        WHERE job.user_id = users.user_id AND job.created_at < $2) AS ordered,
                               EXISTS (SELECT FROM payments
                                        WHERE payments.user_id = users.user_id AND received_at < $2) AS paid
                          FROM users WHERE created_at >= $1 AND created_at < $2) AS people) AS came,
               (SELECT count(*) AS bought FROM generation_jobs WHERE created_at >= $1 AND created_at < $2) AS bought,
               (SELECT count(*) AS payments, coalesce(sum(credit), 0)::bigint AS paid_in
                  FROM payments WHERE received_at >= $1 AND received_at < $2) AS paid_in
        """,
        since,
        until,
    )
    return DayFigures(
        sales=sales_of(row, currency),
        bought=row["bought"],
        paid_in=Money(row["paid_in"], currency),
        payments=row["payments"],
        new_users=row["new_users"],
        ordered=row["ordered"],
        paid=row["paid"],
    )


async def _hours(pool: Pool, at: _Bounds, zone: ZoneInfo) -> tuple[Hour, ...]:
    rows = await pool.fetch(
        """
        SELECT settled_at >= $2 AS is_today, extract(hour FROM settled_at AT TIME ZONE $3)::integer AS hour,
               sum(price)::bigint AS revenue
          FROM generation_jobs
         WHERE settled_at >= $1 AND settled_at < $4 AND status = 'done' AND NOT gift
         GROUP BY 1, 2
        """,
        at.yesterday,
        at.today,
        zone.key,
        at.now,
    )
    sums = {(row["is_today"], row["hour"]): row["revenue"] for row in rows}
    this_hour = at.now.astimezone(zone).hour
    return tuple(
        Hour(
            hour=hour,
            today=sums.get((True, hour), 0) if hour <= this_hour else None,
            yesterday=sums.get((False, hour), 0),
        )
        for hour in range(24)
    )


async def _money_in(pool: Pool, at: _Bounds, currency: str) -> tuple[MoneyIn, ...]:
    rows = await pool.fetch(
        """
        SELECT provider, paid_currency, count(*) AS payments, sum(credit)::bigint AS credit, sum(paid_amount)::bigint AS paid
          FROM payments WHERE received_at >= $1 AND received_at < $2
         GROUP BY provider, paid_currency ORDER BY credit DESC
        """,
        at.today,
        at.now,
    )
    return tuple(
        MoneyIn(
            provider=row["provider"],
            payments=row["payments"],
            credit=Money(row["credit"], currency),
            paid=Money(row["paid"], row["paid_currency"]),
        )
        for row in rows
    )


async def jobs_now(pool: Pool) -> JobsNow:
    row = await require_row(
        pool,
        """
        SELECT count(*) FILTER (WHERE status = 'pending') AS pending,
               count(*) FILTER (WHERE status = 'submitting') AS submitting,
               count(*) FILTER (WHERE status = 'running') AS running,
               (SELECT count(*) FROM generation_jobs
                 WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
                   AND status = 'done') AS delivering
          FROM generation_jobs WHERE settled_at IS NULL
        """,
    )
    return JobsNow(**dict(row))


async def _models(pool: Pool, at: _Bounds, currency: str) -> tuple[ModelToday, ...]:
    rows = await pool.fetch(
        """
        SELECT model, count(*) FILTER (WHERE status = 'done') AS done, count(*) FILTER (WHERE status = 'failed') AS failed,
               coalesce(sum(price) FILTER (WHERE status = 'done' AND NOT gift), 0)::bigint AS revenue
          FROM generation_jobs WHERE settled_at >= $1 AND settled_at < $2
         GROUP BY model ORDER BY revenue DESC, done DESC, model LIMIT $3
        """,
        at.today,
        at.now,
        MODELS_SHOWN,
    )
    return tuple(
        ModelToday(model=row["model"], done=row["done"], failed=row["failed"], revenue=Money(row["revenue"], currency))
        for row in rows
    )


async def needs(pool: Pool, *, incidents: tuple[OpenIncident, ...], credits_: KieCredits | None) -> tuple[Waiting, ...]:
    """What only an operator can end, the most urgent kinds first; kinds of which there is nothing are left out."""
    rows = await pool.fetch(
        """
        SELECT 'receipts' AS kind, count(*), min(created_at) AS since, min(receipt_id) AS first
          FROM receipts WHERE state = 'waiting'
        UNION ALL SELECT 'stopped', count(*), min(stopped_at), min(job_id)
          FROM generation_jobs WHERE stopped_at IS NOT NULL AND settled_at IS NULL
        UNION ALL SELECT 'uncertain', count(*), min(intent_at), min(job_id)
          FROM generation_jobs
         WHERE settled_at IS NULL AND status = 'submitting' AND external_task_id IS NULL
           AND intent_at < photomat_now() - $1::interval
        UNION ALL SELECT 'parked', count(*), min(parked_at), min(job_id)
          FROM generation_jobs WHERE parked_at IS NOT NULL AND card_shown < card_wanted
        UNION ALL SELECT 'orphans', count(*), min(received_at), min(orphan_id) FROM orphan_callbacks WHERE processed_at IS NULL
        UNION ALL SELECT 'differences', count(*), min(opened_at), min(difference_id) FROM differences WHERE resolved_at IS NULL
        UNION ALL SELECT 'tickets', count(*), min(waiting_since), min(ticket_id) FROM tickets WHERE waiting_since IS NOT NULL
        UNION ALL SELECT 'fiscal', count(*), min(created_at), min(fiscal_id) FROM fiscal_receipts WHERE state = 'blocked'
        UNION ALL SELECT 'appeals', count(*), min(appealed_at), min(refusal_id)
          FROM content_refusals WHERE appealed_at IS NOT NULL AND decided_at IS NULL
        UNION ALL SELECT 'audit', jsonb_array_length(violations), at, NULL
          FROM (SELECT violations, at FROM audit_runs ORDER BY at DESC LIMIT 1) AS last
        """,
        UNCERTAIN_AFTER,
    )
    found = _waiting(NeedKind, rows)
    if incidents:
        first = incidents[0]
        found[NeedKind.INCIDENTS] = Waiting(
            kind=NeedKind.INCIDENTS, count=len(incidents), since=first.opened_at, first=first.incident_id
        )
    if credits_ is not None and credits_.is_low:
        found[NeedKind.CREDITS] = Waiting(kind=NeedKind.CREDITS, count=int(credits_.balance), since=credits_.read_at)
    return tuple(found[kind] for kind in NeedKind if kind in found)


async def stuck(pool: Pool) -> tuple[Waiting, ...]:
    """What should have moved on automatically, jobs first; kinds of which there is nothing are left out."""
    rows = await pool.fetch(
        """
        SELECT 'overdue' AS kind, count(*), min(overdue_at) AS since, min(job_id) AS first
          FROM generation_jobs WHERE settled_at IS NULL AND overdue_at IS NOT NULL AND stopped_at IS NULL
        UNION ALL SELECT 'undelivered', count(*), min(settled_at), min(job_id)
          FROM generation_jobs
         WHERE card_shown < card_wanted AND undeliverable_at IS NULL AND parked_at IS NULL
           AND status = 'done' AND delivered_at IS NULL AND settled_at < photomat_now() - $1::interval
        UNION ALL SELECT 'waiting', count(*), min(created_at), min(job_id)
          FROM generation_jobs
         WHERE status = 'pending' AND num_nulls(intent_at, settled_at) = 2
           AND stopped_at IS NULL AND created_at < photomat_now() - $2::interval
        UNION ALL SELECT 'updates', count(*), min(received_at), NULL
          FROM inbox WHERE handled_at IS NULL AND parked_at IS NULL AND received_at < photomat_now() - $3::interval
        UNION ALL SELECT 'parked-updates', count(*), min(parked_at), NULL
          FROM inbox WHERE parked_at > photomat_now() - interval '1 day'
        UNION ALL SELECT 'refunds', count(*), min(created_at), min(refund_id)
          FROM payment_refunds WHERE due_at IS NOT NULL AND created_at < photomat_now() - $4::interval
        UNION ALL SELECT 'fiscal-late', count(*), min(created_at), min(fiscal_id)
          FROM fiscal_receipts WHERE due_at IS NOT NULL AND created_at < photomat_now() - $5::interval
        """,
        UNDELIVERED_AFTER,
        WAITING_AFTER,
        UPDATE_AFTER,
        REFUND_AFTER,
        FISCAL_AFTER,
    )
    found = _waiting(StuckKind, rows)
    return tuple(found[kind] for kind in StuckKind if kind in found)


def _waiting(kinds: type[NeedKind] | type[StuckKind], rows: list[Row]) -> dict[NeedKind | StuckKind, Waiting]:
    return {
        kinds(row["kind"]): Waiting(kind=kinds(row["kind"]), count=row["count"], since=row["since"], first=row["first"])
        for row in rows
        if row["count"]
    }


async def open_incidents(pool: Pool) -> tuple[OpenIncident, ...]:
    rows = await pool.fetch(
        "SELECT incident_id, kind, opened_at, figures FROM incidents WHERE closed_at IS NULL ORDER BY opened_at"
    )
    return tuple(OpenIncident(**dict(row)) for row in rows)


async def kie_credits(pool: Pool) -> KieCredits | None:
    """The balance at Kie and how fast it goes, from the hourly readings; None before the first of them."""
    row = await pool.fetchrow(
        """
        SELECT (array_agg(balance ORDER BY read_at DESC))[1] AS balance, max(read_at) AS read_at,
               CASE WHEN max(read_at) > min(read_at) + interval '6 hours'
                    THEN sum(greatest(before - balance, 0)) * 86400 / extract(epoch FROM max(read_at) - min(read_at))
                    END AS per_day
          FROM (SELECT read_at, balance, lag(balance) OVER (ORDER BY read_at) AS before
                  FROM kie_readings WHERE read_at > photomat_now() - interval '7 days') AS readings
        """
    )
    if row is None or row["balance"] is None:
        return None
    return KieCredits(balance=row["balance"], read_at=row["read_at"], per_day=row["per_day"] or None)
