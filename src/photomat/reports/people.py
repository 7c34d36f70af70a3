"""People over time: cohorts by the week of the first /start, and the funnel from /start to the second purchase.

Money is attributed to the person who paid it, in the week it was paid, less what went back; arrivals alone bring nothing. A
*card* is a draft or a job: drafts that were not bought are deleted after KEEP_DRAFTS_DAYS, so older periods show fewer cards. A
second purchase is a second payment.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from photomat.db.pool import Pool
from photomat.db.rows import require_row
from photomat.kernel.money import Money
from photomat.reports.period import Period, currency_of, today_in

MOST_WEEKS: Final = 26
WEEK: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class CohortWeek:
    """One week in the life of a cohort: who bought a job, who paid, and how much."""

    active: int
    payers: int
    revenue: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Cohort:
    """The people whose first /start fell into the week that begins on this Monday; their first week is `weeks[0]`."""

    monday: date
    people: int
    payers: int
    """Those who have ever paid."""
    weeks: tuple[CohortWeek, ...]
    currency: str

    @property
    def revenue(self) -> Money:
        return Money(sum(week.revenue.minor for week in self.weeks), self.currency)


class FunnelStep(StrEnum):
    STARTED = "started"
    CARD = "card"
    ORDER = "order"
    PAYMENT = "payment"
    SECOND = "second"


@dataclass(frozen=True, slots=True, kw_only=True)
class Funnel:
    """How far the people got who came in a period, and what they have paid since."""

    people: Mapping[FunnelStep, int]
    paid_in: Money

    def percent(self, step: FunnelStep) -> int | None:
        """Of all who started."""
        started = self.people[FunnelStep.STARTED]
        return round(100 * self.people[step] / started) if started else None

    def percent_of_before(self, step: FunnelStep) -> int | None:
        """Of those who reached the step before."""
        steps = list(FunnelStep)
        before = self.people[steps[max(steps.index(step) - 1, 0)]]
        return round(100 * self.people[step] / before) if before else None


@dataclass(frozen=True, slots=True)
class _Seen:
    active: int = 0
    payers: int = 0
    revenue: int = 0


async def read_cohorts(pool: Pool, *, weeks: int, zone: ZoneInfo) -> tuple[Cohort, ...]:
    """The cohorts of the last weeks, the newest first, each with every week until now."""
    today = await today_in(pool, zone)
    this_monday = today - timedelta(days=today.weekday())
    first = this_monday - WEEK * (min(weeks, MOST_WEEKS) - 1)
    since = datetime.combine(first, time(), zone)
    currency = await currency_of(pool)
    people = await _arrivals(pool, since, zone)
    mondays = [first + WEEK * number for number in range((this_monday - first).days // 7 + 1)]
    seen = await _activity(pool, mondays, zone)
    return tuple(
        Cohort(
            monday=monday,
            people=people.get(monday, (0, 0))[0],
            payers=people.get(monday, (0, 0))[1],
            weeks=_weeks(mondays[index:], monday, seen, currency),
            currency=currency,
        )
        for index, monday in reversed([*enumerate(mondays)])
    )


def _weeks(
    mondays: Sequence[date], cohort: date, seen: Mapping[tuple[date, date], _Seen], currency: str
) -> tuple[CohortWeek, ...]:
    found = [seen.get((cohort, monday), _Seen()) for monday in mondays]
    return tuple(
        CohortWeek(active=each.active, payers=each.payers, revenue=Money(each.revenue, currency)) for each in found
    )


async def _arrivals(pool: Pool, since: datetime, zone: ZoneInfo) -> Mapping[date, tuple[int, int]]:
    """How many came in each week, and how many of them have paid."""
    rows = await pool.fetch(
        """
        SELECT date_trunc('week', created_at AT TIME ZONE $2)::date AS monday, count(*) AS people,
               count(*) FILTER (WHERE EXISTS (SELECT FROM payments WHERE payments.user_id = users.user_id)) AS payers
          FROM users WHERE created_at >= $1 GROUP BY 1
        """,
        since,
        zone.key,
    )
    return {row["monday"]: (row["people"], row["payers"]) for row in rows}


async def _activity(pool: Pool, mondays: Sequence[date], zone: ZoneInfo) -> Mapping[tuple[date, date], _Seen]:
    """What the people of each cohort did in each week."""
    starts = [datetime.combine(monday, time(), zone) for monday in [*mondays, mondays[-1] + WEEK]]
    rows = await pool.fetch(
        """
        WITH people AS MATERIALIZED (
            SELECT user_id, date_trunc('week', created_at AT TIME ZONE $4)::date AS cohort
              FROM users WHERE created_at >= ($2::timestamptz[])[1]),
        weeks AS (SELECT * FROM unnest($1::date[], $2::timestamptz[], $3::timestamptz[]) AS weeks (monday, since, until)),
        acts AS (
            SELECT monday, user_id, true AS bought, false AS paid, 0::bigint AS money
              FROM weeks, LATERAL (SELECT DISTINCT user_id FROM generation_jobs
                                    WHERE created_at >= since AND created_at < until) AS buyers
            UNION ALL
            SELECT monday, user_id, false, true, credit
              FROM weeks, LATERAL (SELECT user_id, sum(credit)::bigint AS credit FROM payments
                                    WHERE received_at >= since AND received_at < until GROUP BY user_id) AS payers
            UNION ALL
            SELECT monday, user_id, false, false, -back.amount
              FROM weeks JOIN payments ON received_at >= since AND received_at < until
              JOIN payment_refunds AS back USING (payment_id) WHERE back.state = 'done')
        SELECT cohort, monday, count(*) FILTER (WHERE bought) AS active, count(*) FILTER (WHERE paid) AS payers,
               sum(money)::bigint AS revenue
          FROM acts JOIN people USING (user_id)
         GROUP BY cohort, monday
        """,
        mondays,
        starts[:-1],
        starts[1:],
        zone.key,
    )
    return {
        (row["cohort"], row["monday"]): _Seen(active=row["active"], payers=row["payers"], revenue=row["revenue"])
        for row in rows
    }


async def read_funnel(pool: Pool, period: Period) -> Funnel:
    """How far the people got whose first /start was in the period."""
    row = await require_row(
        pool,
        """
        SELECT count(*) AS started, count(*) FILTER (WHERE has_card OR has_job) AS card,
               count(*) FILTER (WHERE has_job) AS "order",
               count(*) FILTER (WHERE paid >= 1) AS payment, count(*) FILTER (WHERE paid >= 2) AS second,
               coalesce(sum(credit), 0)::bigint AS paid_in
          FROM (SELECT EXISTS (SELECT FROM drafts WHERE drafts.user_id = users.user_id) AS has_card,
                       EXISTS (SELECT FROM generation_jobs AS job WHERE job.user_id = users.user_id) AS has_job,
                       coalesce(theirs.paid, 0) AS paid, theirs.credit
                  FROM users
                  LEFT JOIN (SELECT user_id, count(*) AS paid, sum(credit - coalesce(gone, 0)) AS credit
                               FROM payments
                               LEFT JOIN (SELECT payment_id, sum(amount) AS gone FROM payment_refunds
                                           WHERE state = 'done' GROUP BY payment_id) AS back USING (payment_id)
                              WHERE received_at >= $1
                              GROUP BY user_id) AS theirs USING (user_id)
                 WHERE created_at >= $1 AND created_at < $2) AS people
        """,
        period.since,
        period.until,
    )
    return Funnel(
        people={step: row[step.value] for step in FunnelStep},
        paid_in=Money(row["paid_in"], await currency_of(pool)),
    )
