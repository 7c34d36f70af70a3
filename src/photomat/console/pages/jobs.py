"""The jobs: what stands where, a list that is searched by anything a customer or a log may name, and acts on many at once.

An act on many jobs is shown first: how many, which, how much money. The form of that page holds the very jobs it showed.
"""

from typing import Final

from aiohttp import web

from photomat.console.lists import CSV_ROWS, PAGE_SIZE, csv_response, in_turns
from photomat.console.page import BASE, MAX_ID, Action, ActionContext, Page, PageContext
from photomat.jobs.actions import JobVerb
from photomat.jobs.explain import Surroundings
from photomat.jobs.listing import read_surroundings
from photomat.kernel.ids import JobId, UserId
from photomat.operators.access import Role
from photomat.operators.bulk import MAX_JOBS, act_on_all
from photomat.reports.jobs import (
    ENDED,
    LIVE,
    TROUBLES,
    JobLine,
    JobPage,
    JobQuery,
    JobState,
    count_states,
    list_jobs,
    matching_ids,
    plan_bulk,
    sum_up,
)

TONES: Final = {
    "done": "good",
    "failed": "bad",
    "stopped": "bad",
    "parked": "bad",
    "undelivered": "warn",
    "stuck": "warn",
    "overdue": "warn",
    "uncertain": "warn",
    "running": "info",
    "submitting": "info",
    "gift": "info",
}
"""The colour of a state."""
FILTERS: Final = ("state", "q", "model", "user", "from", "to")


async def surroundings(ctx: PageContext) -> Surroundings:
    return await read_surroundings(
        ctx.pool, delivery_lease=ctx.config.delivery_lease, given_up_after=ctx.config.given_up_after
    )


async def show_jobs(ctx: PageContext) -> web.Response:
    query, around = query_of(ctx), await surroundings(ctx)
    if ctx.wants_csv:
        return await _csv(ctx, await list_jobs(ctx.pool, query, around=around, limit=CSV_ROWS))
    page = await list_jobs(ctx.pool, query, around=around, limit=PAGE_SIZE)
    counts = await count_states(ctx.pool, around)
    groups = [[(state, counts[state]) for state in group] for group in (LIVE, TROUBLES, (*ENDED, JobState.GIFT))]
    return ctx.render(
        "jobs.html",
        page=page,
        groups=groups,
        state=query.state,
        tones=TONES,
        titles=await ctx.config.orders.titles(ctx.language),
        filters={name: ctx.query.text(name) or "" for name in FILTERS},
        is_filtered=any(ctx.query.text(name) for name in FILTERS),
        verbs=list(JobVerb),
        most=MAX_JOBS,
    )


def query_of(ctx: PageContext) -> JobQuery:
    state = ctx.query.choice("state", list(JobState))
    user = ctx.query.number("user")
    before = ctx.query.number("before")
    return JobQuery(
        state=None if state is None else JobState(state),
        model=ctx.query.text("model"),
        user_id=None if user is None else UserId(user),
        name=ctx.query.text("q"),
        since=ctx.start_of_day("from"),
        until=ctx.start_of_day("to", days=1),
        before=None if before is None else JobId(before),
    )


async def _csv(ctx: PageContext, page: JobPage) -> web.Response:
    header = ("job", "created", "status", "model", "user", "price", "task", "corr", "settled", "delivered", "why")
    return csv_response("jobs.csv", header, await in_turns(page.lines, lambda line: _cells(ctx, line)))


def _cells(ctx: PageContext, line: JobLine) -> tuple[object, ...]:
    return (
        line.job_id,
        line.created_at,
        line.status,
        line.model,
        line.user_id,
        line.price,
        line.task_id,
        line.corr,
        line.settled_at,
        line.delivered_at,
        line.why.in_(ctx.say),
    )


async def show_bulk(ctx: PageContext) -> web.Response:
    """The dry run: what the act would do to the chosen jobs, or to all that match the filters."""
    written = ctx.query.choice("verb", list(JobVerb))
    if written is None:
        raise web.HTTPSeeOther(f"{BASE}/jobs")
    verb = JobVerb(written)
    chosen = _numbers(",".join(ctx.request.query.getall("job", [])))
    if ctx.query.text("all") == "yes":
        chosen = await matching_ids(ctx.pool, query_of(ctx), around=await surroundings(ctx), limit=MAX_JOBS)
    plan = await plan_bulk(ctx.pool, verb, chosen)
    return ctx.render(
        "jobs_bulk.html",
        verb=verb,
        plan=plan,
        acting=[job for job in plan if job.would_act],
        refused=[job for job in plan if not job.would_act],
        sums=sum_up(plan),
        is_cut=len(chosen) >= MAX_JOBS,
        most=MAX_JOBS,
        tones=TONES,
        titles=await ctx.config.orders.titles(ctx.language),
    )


async def act_in_bulk(ctx: ActionContext) -> web.Response:
    written = ctx.form.get("verb", "")
    if written not in list(JobVerb):
        raise web.HTTPNotFound
    jobs = _numbers(ctx.form.get("jobs", ""))
    result = await act_on_all(ctx.pool, JobVerb(written), jobs, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result.as_action, back=f"{BASE}/jobs")


def _numbers(written: str) -> list[JobId]:
    """Numbers apart by commas, each once; what is none is left out."""
    found = (each.strip() for each in written.split(","))
    jobs = (JobId(int(each)) for each in found if each.isascii() and each.isdigit() and len(each) <= len(str(MAX_ID)))
    return [job for job in dict.fromkeys(jobs) if job <= MAX_ID][:MAX_JOBS]


PAGES: Final = (Page("/jobs", show_jobs), Page("/jobs/bulk", show_bulk, role=Role.OPERATOR))
ACTIONS: Final = (Action("/jobs/bulk", act_in_bulk),)
