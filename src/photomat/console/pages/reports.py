"""Reports: sales by day and by model, cohorts and retention, the funnel. Charts and tables of a period, each also as CSV."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from aiohttp import web
from markupsafe import Markup

from photomat.console.charts import COLOURS, Point, bars, lines, meter
from photomat.console.lists import csv_response
from photomat.console.page import Action, Page, PageContext
from photomat.console.written import axis_of_money, compact, minor_per_unit, short_money, whole
from photomat.kernel.money import Money
from photomat.reports.people import Cohort, FunnelStep, read_cohorts, read_funnel
from photomat.reports.period import Period, Sales, chosen_period, last_days
from photomat.reports.sales import SalesReport, read_sales

PERIODS: Final = ("7", "30", "90")
USUAL: Final = "30"
WEEKS: Final = ("8", "13", "26")
USUAL_WEEKS: Final = "13"
TOP_MODELS: Final = 5
HEATS: Final = 9
MADE_OF: Final = (6, 3, 2)
"""The colours of cost, refunds and margin."""
OUTCOMES: Final = (1, 4)
OTHERS: Final = 6
FIGURES: Final = ("jobs", "done", "failed", "canceled", "gifts", "revenue", "refunds", "cost", "margin", "cost unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shaded:
    """A cell of a cohort: what it says, and how dark it is from 0 to 9."""

    text: str
    heat: int
    title: str


async def period_of(ctx: PageContext) -> Period:
    """The period of the URL: so many days, or own dates."""
    first, last = ctx.query.day("from"), ctx.query.day("to")
    one = first or last
    if one is not None:
        return await chosen_period(ctx.pool, first=first or one, last=last or one, zone=ctx.config.zone)
    return await last_days(ctx.pool, int(ctx.query.choice("days", PERIODS) or USUAL), zone=ctx.config.zone)


def _render(ctx: PageContext, template: str, period: Period | None, **facts: Any) -> web.Response:
    has_dates = ctx.query.day("from") is not None or ctx.query.day("to") is not None
    return ctx.render(
        template,
        period=period,
        periods=PERIODS,
        days=None if has_dates else ctx.query.choice("days", PERIODS) or USUAL,
        whole=lambda amount: whole(amount, ctx.language),
        **facts,
    )


async def show_sales(ctx: PageContext) -> web.Response:
    report = await read_sales(ctx.pool, await period_of(ctx))
    if ctx.wants_csv:
        header = ("day", *FIGURES, "money in", "payments", "new users")
        rows = [(day.day, *_sums(day.sales), day.paid_in, day.payments, day.new_users) for day in report.days]
        return csv_response("sales-by-day.csv", header, rows)
    return _render(
        ctx,
        "reports.html",
        report.period,
        report=report,
        total=report.total,
        revenue_chart=_revenue_chart(ctx, report),
        margin_chart=_margin_chart(ctx, report),
        jobs_chart=_jobs_chart(ctx, report),
    )


def _sums(sales: Sales) -> tuple[object, ...]:
    counts = (sales.jobs, sales.done, sales.failed, sales.canceled, sales.gifts)
    return (*counts, sales.revenue, sales.refunds, sales.cost, sales.margin, sales.unknown)


def _revenue_chart(ctx: PageContext, report: SalesReport) -> Markup:
    points = [
        Point(label=f"{day.day:%d.%m}", values=(day.sales.revenue.minor, max(day.paid_in.minor, 0)))
        for day in report.days
    ]
    return lines(
        points, title=ctx.say("console-reports-revenue"), unit=minor_per_unit(report.currency), **_written(ctx, report)
    )


def _margin_chart(ctx: PageContext, report: SalesReport) -> Markup:
    """What every day's sales are made of: cost, refunds, and what is left."""
    points = [
        Point(
            label=f"{day.day:%d.%m}",
            values=(day.sales.cost.minor, day.sales.refunds.minor, max(day.sales.margin.minor, 0)),
        )
        for day in report.days
    ]
    return bars(
        points,
        title=ctx.say("console-reports-margin"),
        colours=MADE_OF,
        unit=minor_per_unit(report.currency),
        **_written(ctx, report),
    )


def _written(ctx: PageContext, report: SalesReport) -> dict[str, Callable[[float], str]]:
    return {
        "written": short_money(ctx.language, report.currency),
        "axis": axis_of_money(ctx.language, report.currency),
    }


def _jobs_chart(ctx: PageContext, report: SalesReport) -> Markup:
    points = [Point(label=f"{day.day:%d.%m}", values=(day.sales.done, day.sales.failed)) for day in report.days]
    written = partial(compact, language=ctx.language)
    return bars(points, title=ctx.say("console-reports-jobs"), written=written, colours=OUTCOMES)


async def show_models(ctx: PageContext) -> web.Response:
    report = await read_sales(ctx.pool, await period_of(ctx))
    titles = await ctx.config.orders.titles(ctx.language)
    if ctx.wants_csv and ctx.query.text("by") == "day":
        rows = [(cell.day, cell.model, titles.get(cell.model, cell.model), *_sums(cell.sales)) for cell in report.cells]
        return csv_response("sales-by-model-and-day.csv", ("day", "model", "title", *FIGURES), rows)
    if ctx.wants_csv:
        rows = [(each.model, titles.get(each.model, each.model), *_sums(each.sales)) for each in report.models]
        return csv_response("sales-by-model.csv", ("model", "title", *FIGURES), rows)
    best = [each.model for each in report.models[:TOP_MODELS]]
    return _render(
        ctx,
        "reports_models.html",
        report.period,
        report=report,
        total=report.total,
        titles=titles,
        best=best,
        chart=_models_chart(ctx, report, best),
    )


def _models_chart(ctx: PageContext, report: SalesReport, best: Sequence[str]) -> Markup:
    """Sales of every day by the best models, the last part being all others."""
    revenue = {(cell.day, cell.model): cell.sales.revenue.minor for cell in report.cells}
    points = []
    for day in report.days:
        of_best = [revenue.get((day.day, model), 0) for model in best]
        rest = day.sales.revenue.minor - sum(of_best)
        points.append(Point(label=f"{day.day:%d.%m}", values=(*of_best, rest)))
    colours = (*COLOURS[: len(best)], OTHERS)
    return bars(
        points,
        title=ctx.say("console-reports-models"),
        colours=colours,
        unit=minor_per_unit(report.currency),
        **_written(ctx, report),
    )


async def show_cohorts(ctx: PageContext) -> web.Response:
    weeks = int(ctx.query.choice("weeks", WEEKS) or USUAL_WEEKS)
    cohorts = await read_cohorts(ctx.pool, weeks=weeks, zone=ctx.config.zone)
    what = ctx.query.choice("what", ("payers", "active", "revenue")) or "active"
    if ctx.wants_csv:
        header = ("monday", "people", "week", "active", "payers", "money")
        rows = [
            (cohort.monday, cohort.people, number, week.active, week.payers, week.revenue)
            for cohort in cohorts
            for number, week in enumerate(cohort.weeks)
        ]
        return csv_response("cohorts.csv", header, rows)
    return _render(
        ctx,
        "reports_cohorts.html",
        None,
        cohorts=cohorts,
        cells={cohort.monday: _shaded(ctx, cohort, what, cohorts) for cohort in cohorts},
        weeks=str(weeks),
        choices=WEEKS,
        what=what,
    )


def _shaded(ctx: PageContext, cohort: Cohort, what: str, cohorts: Sequence[Cohort]) -> list[Shaded]:
    most = max((week.revenue.minor for each in cohorts for week in each.weeks), default=0) or 1
    cells = []
    for week in cohort.weeks:
        count = week.payers if what == "payers" else week.active
        share = week.revenue.minor / most if what == "revenue" else count / cohort.people if cohort.people else 0.0
        text = (
            compact(week.revenue.minor / 100, ctx.language)
            if what == "revenue"
            else f"{round(share * 100)}\N{NO-BREAK SPACE}%"
        )
        title = ctx.say(
            "console-reports-cell", active=week.active, payers=week.payers, money=whole(week.revenue, ctx.language)
        )
        heat = min(HEATS, round(max(share, 0) * HEATS + 0.49)) if share > 0 else 0
        cells.append(Shaded(text=text if share > 0 else "·", heat=heat, title=title))
    return cells


async def show_funnel(ctx: PageContext) -> web.Response:
    period = await period_of(ctx)
    funnel = await read_funnel(ctx.pool, period)
    if ctx.wants_csv:
        rows = [
            (step.value, funnel.people[step], funnel.percent(step), funnel.percent_of_before(step))
            for step in FunnelStep
        ]
        return csv_response("funnel.csv", ("step", "people", "% of started", "% of step before"), rows)
    started = funnel.people[FunnelStep.STARTED]
    return _render(
        ctx,
        "reports_funnel.html",
        period,
        funnel=funnel,
        steps=list(FunnelStep),
        meters={step: meter(funnel.people[step] / started if started else 0) for step in FunnelStep},
        per_person=Money(funnel.paid_in.minor // started, funnel.paid_in.currency) if started else None,
    )


PAGES: Final = (
    Page("/reports", show_sales),
    Page("/reports/models", show_models),
    Page("/reports/cohorts", show_cohorts),
    Page("/reports/funnel", show_funnel),
)
ACTIONS: Final[tuple[Action, ...]] = ()
