"""Sales of a period by day and by model, and how models behave: one scan of an index, added up in three ways.

Refunds stand on the day they were booked and beside the model of the job they are for. The words are those of `period.py`.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from photomat.db.pool import Pool
from photomat.kernel.money import Money
from photomat.reports.period import Period, Sales, currency_of, sales_of

JUDGED_FOR: Final = timedelta(days=30)
"""A model is judged by its last days."""
MEASURED: Final = 200
"""So many of its newest results tell how long a model takes."""
_SUMS: Final = """count(*) AS jobs, count(*) FILTER (WHERE status = 'done') AS done,
    count(*) FILTER (WHERE status = 'failed') AS failed, count(*) FILTER (WHERE status = 'canceled') AS canceled,
    count(*) FILTER (WHERE gift) AS gifts, count(*) FILTER (WHERE cost IS NULL AND status = 'done') AS unknown,
    coalesce(sum(price) FILTER (WHERE status = 'done' AND NOT gift), 0)::bigint AS revenue, 0::bigint AS refunds,
    coalesce(sum(cost), 0)::bigint AS cost"""
_ALL: Final = "model, jobs, done, failed, canceled, gifts, unknown, revenue, refunds, cost"


@dataclass(frozen=True, slots=True, kw_only=True)
class DaySales:
    """A day of the shop; `paid_in` is what came into wallets, less payments that went back."""

    day: date
    sales: Sales
    paid_in: Money
    payments: int
    new_users: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSales:
    model: str
    sales: Sales


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one model sold on one day."""

    day: date
    model: str
    sales: Sales


@dataclass(frozen=True, slots=True, kw_only=True)
class SalesReport:
    """A period: every model on every day it was used, the days without a gap, and the models, best first."""

    period: Period
    currency: str
    cells: tuple[Cell, ...]
    days: tuple[DaySales, ...]

    @property
    def total(self) -> Sales:
        return added((cell.sales for cell in self.cells), self.currency)

    @property
    def paid_in(self) -> Money:
        return Money(sum(day.paid_in.minor for day in self.days), self.currency)

    @property
    def new_users(self) -> int:
        return sum(day.new_users for day in self.days)

    @property
    def models(self) -> tuple[ModelSales, ...]:
        by_model: dict[str, list[Sales]] = defaultdict(list)
        for cell in self.cells:
            by_model[cell.model].append(cell.sales)
        found = [
            ModelSales(model=model, sales=added(theirs, self.currency)) for model, theirs in sorted(by_model.items())
        ]
        return tuple(sorted(found, key=lambda each: (-each.sales.revenue.minor, -each.sales.jobs)))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFigures:
    """How a model has done lately; durations are from the tap to the result, in seconds, None without a result."""

    sales: Sales
    median_s: float | None
    p90_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Flow:
    """What came in on a day beside sales."""

    paid_in: int = 0
    payments: int = 0
    new_users: int = 0


async def read_sales(pool: Pool, period: Period) -> SalesReport:
    currency = await currency_of(pool)
    days = [period.first + timedelta(days=number) for number in range(period.days)]
    midnights = [datetime.combine(day, time(), period.zone) for day in [*days, period.last + timedelta(days=1)]]
    rows = await pool.fetch(
        f"""
        SELECT day, sold.*
          FROM unnest($1::date[], $2::timestamptz[], $3::timestamptz[]) AS days (day, since, until),
               LATERAL (SELECT model, {_SUMS}
                          FROM generation_jobs WHERE settled_at >= since AND settled_at < until GROUP BY model) AS sold
        """,  # noqa: S608  our own constant
        days,
        midnights[:-1],
        midnights[1:],
    )
    found = {(row["day"], row["model"]): sales_of(row, currency) for row in rows}
    for key, given_back in (await _refunds(pool, period)).items():
        found[key] = replace(found.get(key) or added([], currency), refunds=Money(given_back, currency))
    cells = tuple(Cell(day=day, model=model, sales=sales) for (day, model), sales in sorted(found.items()))
    return SalesReport(
        period=period, currency=currency, cells=cells, days=_days(period, cells, await _flows(pool, period), currency)
    )


async def _refunds(pool: Pool, period: Period) -> Mapping[tuple[date, str], int]:
    rows = await pool.fetch(
        """
        SELECT (booked_at AT TIME ZONE $3)::date AS day, model, -sum(amount)::bigint AS refunds
          FROM ledger_transactions AS booked JOIN entries USING (transaction_id)
          JOIN generation_jobs AS job ON job.job_id = booked.job_id
         WHERE reason IN ('refund', 'undelivered') AND booked_at >= $1 AND booked_at < $2 AND account = 'income'
         GROUP BY 1, 2
        """,
        period.since,
        period.until,
        period.zone.key,
    )
    return {(row["day"], row["model"]): row["refunds"] for row in rows}


async def _flows(pool: Pool, period: Period) -> Mapping[date, _Flow]:
    rows = await pool.fetch(
        """
        SELECT day, sum(paid_in)::bigint AS paid_in, sum(payments)::integer AS payments, sum(new_users)::integer AS new_users
          FROM (SELECT (received_at AT TIME ZONE $3)::date AS day, sum(credit) AS paid_in, count(*) AS payments, 0 AS new_users
                  FROM payments WHERE received_at >= $1 AND received_at < $2 GROUP BY 1
                UNION ALL
                SELECT (closed_at AT TIME ZONE $3)::date, -sum(amount), 0, 0
                  FROM payment_refunds WHERE closed_at >= $1 AND closed_at < $2 AND state = 'done' GROUP BY 1
                UNION ALL
                SELECT (created_at AT TIME ZONE $3)::date, 0, 0, count(*)
                  FROM users WHERE created_at >= $1 AND created_at < $2 GROUP BY 1) AS flows
         GROUP BY day
        """,
        period.since,
        period.until,
        period.zone.key,
    )
    return {
        row["day"]: _Flow(paid_in=row["paid_in"], payments=row["payments"], new_users=row["new_users"]) for row in rows
    }


def _days(period: Period, cells: Iterable[Cell], flows: Mapping[date, _Flow], currency: str) -> tuple[DaySales, ...]:
    by_day: dict[date, list[Sales]] = defaultdict(list)
    for cell in cells:
        by_day[cell.day].append(cell.sales)
    made = []
    for number in range(period.days):
        day = period.first + timedelta(days=number)
        flow = flows.get(day, _Flow())
        made.append(
            DaySales(
                day=day,
                sales=added(by_day[day], currency),
                paid_in=Money(flow.paid_in, currency),
                payments=flow.payments,
                new_users=flow.new_users,
            )
        )
    return tuple(made)


def added(each: Iterable[Sales], currency: str) -> Sales:
    them = list(each)
    return Sales(
        jobs=sum(one.jobs for one in them),
        done=sum(one.done for one in them),
        failed=sum(one.failed for one in them),
        canceled=sum(one.canceled for one in them),
        gifts=sum(one.gifts for one in them),
        unknown=sum(one.unknown for one in them),
        revenue=Money(sum(one.revenue.minor for one in them), currency),
        refunds=Money(sum(one.refunds.minor for one in them), currency),
        cost=Money(sum(one.cost.minor for one in them), currency),
    )


async def model_figures(
    pool: Pool, *, lately: timedelta = JUDGED_FOR, model: str | None = None
) -> Mapping[str, ModelFigures]:
    """Every model that was used lately, by its id, or one; the durations are of its newest results."""
    rows = await pool.fetch(
        f"""
        WITH used AS MATERIALIZED (
            SELECT model, {_SUMS} FROM generation_jobs
             WHERE settled_at > photomat_now() - $1::interval AND ($2::text IS NULL OR model = $2) GROUP BY model)
        SELECT used.*, percentile_cont(0.5) WITHIN GROUP (ORDER BY took) AS median_s,
               percentile_cont(0.9) WITHIN GROUP (ORDER BY took) AS p90_s
          FROM used
          LEFT JOIN LATERAL (SELECT extract(epoch FROM settled_at - created_at)::float8 AS took FROM generation_jobs AS job
                              WHERE job.model = used.model AND status = 'done'
                                AND settled_at > photomat_now() - $1::interval
                              ORDER BY settled_at DESC LIMIT $3) AS newest ON true
         GROUP BY {_ALL}
        """,  # noqa: S608  our own constants
        lately,
        model,
        MEASURED,
    )
    currency = await currency_of(pool)
    return {
        row["model"]: ModelFigures(sales=sales_of(row, currency), median_s=row["median_s"], p90_s=row["p90_s"])
        for row in rows
    }


async def done_by_day(pool: Pool, model: str, *, since: datetime, zone: ZoneInfo) -> Mapping[date, int]:
    """How often a model was finished on each day."""
    rows = await pool.fetch(
        """
        SELECT (settled_at AT TIME ZONE $3)::date AS day, count(*) AS done
          FROM generation_jobs WHERE model = $1 AND status = 'done' AND settled_at >= $2 GROUP BY 1
        """,
        model,
        since,
        zone.key,
    )
    return {row["day"]: row["done"] for row in rows}
