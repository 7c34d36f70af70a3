"""The pages of `/admin`: read what they show, hand it to the views."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape

from aiogram.types import InlineKeyboardButton

from photomat.alerts.buttons import keyboard_of
from photomat.alerts.response import lock_incident, read_notice
from photomat.alerts.rules import jobs_of
from photomat.alerts.sender import message_of
from photomat.bot.admin import job_views, today_views, views
from photomat.bot.admin.buttons import JobList
from photomat.bot.context import UpdateContext
from photomat.bot.support.views import desk_list
from photomat.bot.view import View
from photomat.db.pool import transaction
from photomat.jobs.explain import Surroundings
from photomat.jobs.listing import JobFilter, list_jobs, read_job_report, read_surroundings
from photomat.kernel.ids import JobId, UserId
from photomat.operators.controls import pause_in_words
from photomat.reports.brief import read_job_money, read_jobs, read_state, read_user
from photomat.reports.health import active_pauses
from photomat.reports.today import Waiting, kie_credits, open_incidents, read_today, stuck
from photomat.reports.today import needs as read_needs
from photomat.support.ticket import TicketFilter, count_waiting, list_tickets
from photomat.work.controls import Pause

LISTED = 8
FILTERS = {JobList.STUCK: JobFilter.STUCK, JobList.UNDELIVERED: JobFilter.UNDELIVERED}


async def menu(ctx: UpdateContext) -> View:
    pauses = await active_pauses(ctx.pool)
    return _under(ctx, pauses, views.menu(ctx.say, needs=len(await _needs(ctx)), is_paused=bool(pauses)))


async def today(ctx: UpdateContext) -> View:
    pauses, found = await active_pauses(ctx.pool), await read_today(ctx.pool, zone=ctx.config.admin.zone)
    return _under(ctx, pauses, today_views.today(ctx.say, found, is_paused=bool(pauses)))


async def needs(ctx: UpdateContext) -> View:
    pauses, waits = await active_pauses(ctx.pool), [*await _needs(ctx), *await stuck(ctx.pool)]
    return _under(ctx, pauses, today_views.needs(ctx.say, waits, is_paused=bool(pauses)))


def _under(ctx: UpdateContext, pauses: Sequence[Pause], view: View) -> View:
    """The page below what is paused now."""
    lines = [escape(pause_in_words(ctx.say, each, zone=ctx.config.admin.zone)) for each in pauses]
    return views.with_note("\n".join(lines), view) if lines else view


async def _needs(ctx: UpdateContext) -> tuple[Waiting, ...]:
    incidents, credits_ = await open_incidents(ctx.pool), await kie_credits(ctx.pool)
    return await read_needs(ctx.pool, incidents=incidents, credits_=credits_)


async def incidents(ctx: UpdateContext) -> View:
    return today_views.incidents(ctx.say, await open_incidents(ctx.pool), zone=ctx.config.admin.zone)


async def incident(ctx: UpdateContext, incident_id: int) -> View:
    """The alert again, as it would be sent now."""
    notice = await read_notice(ctx.pool, incident_id, chat_id=ctx.chat_id, language=ctx.language)
    if notice is None:
        return views.nothing(ctx.say)
    url = ctx.config.admin.public_url
    keyboard = keyboard_of(ctx.say, notice, console_url=None if url is None else f"{url}/console")
    rows = [
        [InlineKeyboardButton(text=each.text, callback_data=each.data, url=each.url) for each in row]
        for row in keyboard
    ]
    return View(text=message_of(ctx.config.texts, notice), rows=[*rows, views.to_menu(ctx.say)])


async def tickets(ctx: UpdateContext) -> View:
    waiting = await list_tickets(ctx.pool, only=TicketFilter.WAITING, limit=LISTED)
    view = desk_list(ctx.say, waiting, count=await count_waiting(ctx.pool))
    return replace(view, rows=[*view.rows, views.to_menu(ctx.say)])


async def state(ctx: UpdateContext) -> View:
    return _under(ctx, await active_pauses(ctx.pool), views.state(ctx.say, await read_state(ctx.pool)))


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
