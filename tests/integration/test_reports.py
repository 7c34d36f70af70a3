"""What the reports add up to, held against the books: every sum has a second source."""

from datetime import timedelta
from zoneinfo import ZoneInfo

from photomat.audit.run import INVARIANTS, examine
from photomat.db.pool import Pool
from photomat.db.rows import require_row
from photomat.reports.catalogue import ModelState, list_models
from photomat.reports.money import LedgerFilter, list_ledger, read_books, read_holds
from photomat.reports.people import FunnelStep, read_cohorts, read_funnel
from photomat.reports.period import Period, chosen_period, last_days
from photomat.reports.sales import model_figures, read_sales
from photomat.reports.today import NeedKind, StuckKind, read_today
from photomat.texts.load import load_texts
from support.busy_day import BusyDay, fill_busy_day
from support.database import connection_of, pool_of, shift_clock
from support.shop import orders_of

MOSCOW = ZoneInfo("Europe/Moscow")
LOS_ANGELES = ZoneInfo("America/Los_Angeles")
DAY_S = 86_400
JOBS = 2_000
HISTORY_DAYS = 100


async def busy(database: str) -> BusyDay:
    async with connection_of(database) as connection:
        return await fill_busy_day(connection, jobs=JOBS)


async def books_of(database: str) -> dict[str, int]:
    async with connection_of(database) as connection:
        return dict((await examine(connection)).figures)


async def all_of_it(pool: Pool, zone: ZoneInfo = MOSCOW) -> Period:
    return await last_days(pool, HISTORY_DAYS, zone=zone)


async def test_sales_of_all_days_are_the_income_of_the_books(database: str) -> None:
    await busy(database)
    books = await books_of(database)
    async with pool_of(database) as pool:
        for zone in (MOSCOW, LOS_ANGELES):
            report = await read_sales(pool, await all_of_it(pool, zone))
            assert report.total.revenue.minor - report.total.refunds.minor == books["income: RUB"]
            assert report.paid_in.minor == books["came in by payments, RUB"] - books["went back to payers, RUB"]
            assert sum(each.sales.revenue.minor for each in report.models) == report.total.revenue.minor
            assert sum(day.sales.revenue.minor for day in report.days) == report.total.revenue.minor
            assert len(report.days) == HISTORY_DAYS


async def test_a_day_is_the_operators_day(database: str) -> None:
    await busy(database)
    async with pool_of(database) as pool:
        here, there = [await read_sales(pool, await all_of_it(pool, zone)) for zone in (MOSCOW, LOS_ANGELES)]
        assert here.total == there.total
        assert [day.sales for day in here.days] != [day.sales for day in there.days]
        one = await chosen_period(pool, first=here.days[-3].day, last=here.days[-3].day, zone=MOSCOW)
        assert (await read_sales(pool, one)).days == (here.days[-3],)


async def at_noon(database: str, zone: ZoneInfo) -> None:
    """Put the clock to the next noon: at midnight a day has no figures yet."""
    async with connection_of(database) as connection:
        now = (await require_row(connection, "SELECT photomat_now() AS now"))["now"].astimezone(zone)
        noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
        await shift_clock(connection, (noon - now).total_seconds() % DAY_S)


async def test_tomorrow_todays_figures_are_those_of_yesterday_at_the_same_hour(database: str) -> None:
    await at_noon(database, MOSCOW)
    day = await busy(database)
    async with pool_of(database) as pool:
        today = await read_today(pool, zone=MOSCOW)
        assert today.today.bought > today.before.bought > 0
        waiting = {each.kind: each for each in (*today.needs, *today.stuck)}
        assert waiting[NeedKind.RECEIPTS].count == 5
        assert waiting[NeedKind.STOPPED].first == day.by_story["stopped"] - 1
        assert waiting[NeedKind.UNCERTAIN].count == waiting[StuckKind.OVERDUE].count == 3
        assert waiting[NeedKind.RECEIPTS].page == "money/receipts"
        assert sum(each.credit.minor for each in today.money_in) == today.today.paid_in.minor
        assert sum(hour.today or 0 for hour in today.hours) == today.today.sales.revenue.minor
        await shift_clock(pool, DAY_S)
        tomorrow = await read_today(pool, zone=MOSCOW)
        await shift_clock(pool, -DAY_S)
        assert tomorrow.before.sales == today.today.sales
        assert tomorrow.before.new_users == today.today.new_users
        assert tomorrow.today.sales.jobs == 0


async def test_cohorts_bring_what_was_paid_and_the_funnel_only_narrows(database: str) -> None:
    day = await busy(database)
    books = await books_of(database)
    kept = books["came in by payments, RUB"] - books["went back to payers, RUB"]
    async with pool_of(database) as pool:
        cohorts = await read_cohorts(pool, weeks=26, zone=MOSCOW)
        assert sum(cohort.people for cohort in cohorts) == day.users
        assert sum(cohort.revenue.minor for cohort in cohorts) == kept
        assert all(week.active <= cohort.people for cohort in cohorts for week in cohort.weeks)
        assert [len(cohort.weeks) for cohort in cohorts] == list(range(1, 27))
        funnel = await read_funnel(pool, await all_of_it(pool))
        people = [funnel.people[step] for step in FunnelStep]
        assert people == sorted(people, reverse=True)
        assert people[0] == day.users
        assert people[2] < people[0], "some never order"
        assert funnel.paid_in.minor == kept
        assert funnel.percent(FunnelStep.PAYMENT) == round(100 * people[3] / people[0])


async def test_the_ledger_is_paged_by_key_and_filtered(database: str) -> None:
    day = await busy(database)
    async with pool_of(database) as pool:
        first = await list_ledger(pool, LedgerFilter(), limit=40)
        rest = await list_ledger(pool, LedgerFilter(before=first[-1].transaction_id), limit=40)
        numbers = [row.transaction_id for row in (*first, *rest)]
        assert numbers == sorted(set(numbers), reverse=True)
        assert all(sum(entry.amount.minor for entry in row.entries) == 0 for row in first)
        theirs = await list_ledger(pool, LedgerFilter(user_id=day.a_user, reason="charge"), limit=500)
        assert theirs
        assert {row.user_id for row in theirs} == {day.a_user}
        job = day.by_story["done"]
        (charge,) = await list_ledger(pool, LedgerFilter(reference=f"job:{job}"), limit=5)
        assert (charge.job_id, charge.net.minor < 0) == (job, True)
        since = first[0].booked_at - timedelta(hours=2)
        lately = await list_ledger(pool, LedgerFilter(since=since), limit=2_000)
        assert min(row.booked_at for row in lately) >= since
        before = await list_ledger(pool, LedgerFilter(until=since), limit=1)
        assert before[0].transaction_id == min(row.transaction_id for row in lately) - 1


async def test_holds_by_age_are_what_the_wallets_hold(database: str) -> None:
    await busy(database)
    async with pool_of(database) as pool:
        holds, books = await read_holds(pool), await read_books(pool)
        assert holds.total == books.held
        assert sum(age.total.minor for age in holds.ages) == books.held.minor
        await shift_clock(pool, 2 * DAY_S)
        later = await read_holds(pool)
        await shift_clock(pool, -2 * DAY_S)
        assert {age.age for age in later.ages if age.count} == {"older"}


def test_every_rule_of_the_books_is_said_in_both_languages() -> None:
    for language in ("ru", "en"):
        say = load_texts().speaker(language)
        assert all(say(f"console-money-rule-{rule.name}") for rule in INVARIANTS)
    assert [say(f"console-money-rule-{rule.name}") for rule in INVARIANTS] == [rule.sentence for rule in INVARIANTS]


async def test_a_model_is_judged_by_its_own_jobs(database: str) -> None:
    day = await busy(database)
    async with pool_of(database) as pool:
        figures = (await model_figures(pool))[day.a_model]
        jobs, done = await require_row(
            pool,
            """
            SELECT count(*), count(*) FILTER (WHERE status = 'done') FROM generation_jobs
             WHERE model = $1 AND settled_at > photomat_now() - interval '30 days'
            """,
            day.a_model,
        )
        assert (figures.sales.jobs, figures.sales.done) == (jobs, done)
        assert figures.median_s is not None
        assert figures.p90_s is not None
        assert 0 < figures.median_s < figures.p90_s
        rows = {row.model.id: row for row in await list_models(orders_of(pool), paused={day.a_model})}
        assert rows[day.a_model].state is ModelState.PAUSED
        assert rows[day.a_model].margin_percent == 50
        assert sum(row.state is ModelState.HIDDEN for row in rows.values()) == 1
