"""Days as an operator counts them: a period of whole days in their time zone, and the sums of money every report speaks of.

*Revenue* is what jobs were charged when they were settled, *refunds* what was given back of charges, *cost* what Kie took, also
for failed jobs and gifts, *margin* revenue less refunds less cost. *Money in* is what was paid into wallets: it is not revenue
yet. A job whose cost Kie did not report is in no sum of costs; `unknown` counts them.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from photomat.db.pool import Pool
from photomat.db.rows import Row
from photomat.kernel.money import Money

LONGEST: Final = timedelta(days=366)
"""No report reads more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Days from the first to the last, both included, as `zone` counts them."""

    first: date
    last: date
    zone: ZoneInfo

    @property
    def since(self) -> datetime:
        return datetime.combine(self.first, time(), self.zone)

    @property
    def until(self) -> datetime:
        """The first moment after it."""
        return datetime.combine(self.last + timedelta(days=1), time(), self.zone)

    @property
    def days(self) -> int:
        return (self.last - self.first).days + 1


async def last_days(pool: Pool, days: int, *, zone: ZoneInfo) -> Period:
    """Today and the days before it, so many in all."""
    today = await today_in(pool, zone)
    return Period(first=today - timedelta(days=days - 1), last=today, zone=zone)


async def chosen_period(pool: Pool, *, first: date, last: date, zone: ZoneInfo) -> Period:
    """The days an operator asks for: put in order, none of them in the future, no more than a report may read."""
    today = await today_in(pool, zone)
    begin, end = min(first, last, today), min(max(first, last), today)
    return Period(first=max(begin, end - LONGEST + timedelta(days=1)), last=end, zone=zone)


async def today_in(pool: Pool, zone: ZoneInfo) -> date:
    now: datetime = await pool.fetchval("SELECT photomat_now()")
    return now.astimezone(zone).date()


async def currency_of(pool: Pool) -> str:
    """The currency of this shop; every sum of a report is in it."""
    found: str | None = await pool.fetchval("SELECT currency FROM installation")
    return found or "RUB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sales:
    """What jobs brought and cost in some time; see the module for the words."""

    jobs: int
    done: int
    failed: int
    canceled: int
    gifts: int
    unknown: int
    revenue: Money
    refunds: Money
    cost: Money

    @property
    def margin(self) -> Money:
        return Money(self.revenue.minor - self.refunds.minor - self.cost.minor, self.revenue.currency)

    @property
    def margin_percent(self) -> int | None:
        """Of what was kept of the revenue; None where there is none."""
        kept = self.revenue.minor - self.refunds.minor
        return round(100 * self.margin.minor / kept) if kept > 0 else None

    @property
    def failure_percent(self) -> int | None:
        """Of jobs that Kie finished, those that failed."""
        ended = self.done + self.failed
        return round(100 * self.failed / ended) if ended else None


def sales_of(row: Row, currency: str) -> Sales:
    """Sales from a row whose columns have the names of the fields."""
    return Sales(
        jobs=row["jobs"],
        done=row["done"],
        failed=row["failed"],
        canceled=row["canceled"],
        gifts=row["gifts"],
        unknown=row["unknown"],
        revenue=Money(row["revenue"], currency),
        refunds=Money(row["refunds"], currency),
        cost=Money(row["cost"], currency),
    )
