"""The pages of `/admin`: read what they show, hand it to the views."""

from collections.abc import Sequence

from photomat.alerts.response import lock_incident
from photomat.alerts.rules import jobs_of
from photomat.bot.admin import job_views, views
from photomat.bot.admin.buttons import JobList
from photomat.bot.context import UpdateContext
from photomat.bot.view import View
from photomat.db.pool import transaction
from photomat.jobs.explain import Surroundings
from photomat.jobs.listing import JobFilter, list_jobs, read_job_report, read_surroundings
from photomat.kernel.ids import JobId, UserId
from photomat.reports.brief import read_job_money, read_jobs, read_state, read_user
from photomat.reports.needs import read_needs

LISTED = 8
FILTERS = {JobList.STUCK: JobFilter.STUCK, JobList.UNDELIVERED: JobFilter.UNDELIVERED}


async def menu(ctx: UpdateContext) -> View:
    return views.menu(ctx.say, await read_needs(ctx.pool))


async def today(ctx: UpdateContext) -> View:
    return views.today(ctx.say)


async def needs(ctx: UpdateContext) -> View:
    return views.needs(ctx.say, await read_needs(ctx.pool))


async def state(ctx: UpdateContext) -> View:
    return views.state(ctx.say, await read_state(ctx.pool))


async def jobs(ctx: UpdateContext, only: JobList) -> View:
    found = await list_jobs(ctx.pool, limit=LISTED, only=FILTERS[only], around=await around(ctx))
    return await _listed(ctx, [JobId(each["job_id"]) for each in found])


async def jobs_of_incident(ctx: UpdateContext, incident_id: int) -> View:
    """What an incident is about now: the one job, or a list of the oldest."""
    async with transaction(ctx.pool) as tx:
        incident = await lock_incident(tx, incident_id)
        found = [] if incident is None else await jobs_of(tx, incident.kind, limit=LISTED)
    return await job(ctx, found[0]) if len(found) == 1 else await _listed(ctx, found)


async def _listed(ctx: UpdateContext, found: Sequence[JobId]) -> View:
    return views.jobs(
        ctx.say,
        await read_jobs(ctx.pool, found),
        titles=await ctx.orders.titles(ctx.language),
        zone=ctx.config.admin.zone,
    )


async def job(ctx: UpdateContext, job_id: JobId) -> View:
    report = await read_job_report(ctx.pool, str(job_id), await around(ctx))
    if report is None:
        return views.nothing(ctx.say)
    user_id = UserId(report.row["user_id"])
    return job_views.job(
        ctx.say,
        report,
        money=await read_job_money(ctx.pool, job_id),
        user=await read_user(ctx.pool, user_id),
        title=(await ctx.orders.titles(ctx.language)).get(report.row["model"], report.row["model"]),
        zone=ctx.config.admin.zone,
    )


async def user(ctx: UpdateContext, user_id: UserId) -> View:
    found = await read_user(ctx.pool, user_id)
    if found is None:
        return views.nothing(ctx.say)
    return views.user(ctx.say, found, titles=await ctx.orders.titles(ctx.language), zone=ctx.config.admin.zone)


async def around(ctx: UpdateContext) -> Surroundings:
    return await read_surroundings(
        ctx.pool, delivery_lease=ctx.config.admin.delivery_lease, given_up_after=ctx.config.times.timeout
    )
