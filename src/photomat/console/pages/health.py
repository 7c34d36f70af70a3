"""The state of the installation: instances, queues, Kie, database, incidents; pauses and draining."""

import asyncio
from datetime import timedelta
from html import escape
from typing import Final

from aiohttp import web
from markupsafe import Markup

from photomat.console.lists import csv_response
from photomat.console.page import BASE, Action, ActionContext, Page, PageContext
from photomat.console.pages.incidents import acts_on, page_about
from photomat.operators import controls
from photomat.operators.controls import control_title
from photomat.reports.backlog import PACED, Backlog
from photomat.reports.health import HealthReport, IncidentRow, absorbed_events, read_health, read_incidents
from photomat.texts.load import MissingText, Say
from photomat.work.controls import BOT, KIE, MAX_NOTICE_LENGTH, MODEL
from photomat.work.disk import MIB

HERE: Final = f"{BASE}/health"
CSV_INCIDENTS: Final = 1000
LATE_AFTER: Final = timedelta(seconds=10)
"""Due rows are claimed within a second or two; older ones mean that a loop does not keep up."""
VERY_LATE_AFTER: Final = timedelta(minutes=2)
LOW_DISK: Final = 1024 * MIB
MAX_MINUTES: Final = 365 * 24 * 60


async def show_health(ctx: PageContext) -> web.Response:
    if ctx.wants_csv:
        return await _incidents_as_csv(ctx)
    health = await read_health(ctx.pool, budgets=ctx.config.budgets)
    disk = ctx.config.disk
    titles = await ctx.config.orders.titles(ctx.language)
    return ctx.render(
        "health.html",
        health=health,
        absorbed=absorbed_events(),
        free=await asyncio.to_thread(disk.free_bytes) if disk is not None else None,
        low_disk=LOW_DISK,
        models=sorted(titles.items(), key=lambda one: one[1].casefold()),
        title_of=lambda name: control_title(name).in_(ctx.say),
        kind_of=backlog_kind,
        incident_title=lambda one: incident_title(ctx.say, one),
        incident_body=lambda one: incident_body(ctx.say, one),
        acts_on=acts_on,
        page_about=page_about,
        is_held=lambda loop: is_held_back(health, loop),
        max_notice=MAX_NOTICE_LENGTH,
        max_minutes=MAX_MINUTES,
    )


def incident_title(say: Say, one: IncidentRow) -> str:
    try:
        return say(f"alert-{one.kind}")
    except MissingText:  # a kind of another version
        return one.kind


def incident_body(say: Say, one: IncidentRow) -> Markup:
    """What the message to operators says of it; our own text, its figures escaped."""
    figures = {name: escape(fact) if isinstance(fact, str) else fact for name, fact in one.figures.items()}
    try:
        return Markup(say(f"alert-{one.kind}-now", **figures))  # noqa: S704  a text of ours
    except MissingText:
        return Markup(" ").join(f"{name}={value}" for name, value in one.figures.items())


def backlog_kind(backlog: Backlog) -> str:
    """How a backlog is coloured: by the age of its oldest row, not by its size."""
    if backlog.loop in PACED:
        return "plain"
    if backlog.oldest is None or backlog.oldest < LATE_AFTER:
        return "good"
    return "warn" if backlog.oldest < VERY_LATE_AFTER else "bad"


def is_held_back(health: HealthReport, loop: str) -> bool:
    """Whether a pause is the reason that a loop's backlog grows."""
    return loop in {"submits", "uploads"} and any(one.name != BOT for one in health.pauses)


async def _incidents_as_csv(ctx: PageContext) -> web.Response:
    rows = await read_incidents(ctx.pool, limit=CSV_INCIDENTS)
    header = ("incident", "kind", "open", "opened_at", "closed_at", "lasted_s", "taken_by", "figures")
    return csv_response(
        "incidents.csv",
        header,
        [
            (
                one.incident_id,
                one.kind,
                one.is_open,
                one.opened_at,
                one.closed_at,
                int(one.lasted.total_seconds()),
                one.acknowledged_by or "",
                " ".join(f"{name}={value}" for name, value in one.figures.items()),
            )
            for one in rows
        ],
    )


async def pause(ctx: ActionContext) -> web.Response:
    name = _name(ctx)
    if name is None:
        return await ctx.tell(ctx.say("health-model-unknown"), is_good=False, back=HERE)
    result = await controls.pause(
        ctx.pool,
        name,
        operator=ctx.operator.name,
        reason=ctx.reason,
        notice=ctx.form.get("notice"),
        lasts=_lasts(ctx.form.get("minutes", "")),
    )
    return await ctx.done(result, back=HERE)


async def resume(ctx: ActionContext) -> web.Response:
    name = ctx.form.get("name", "")
    result = await controls.resume(ctx.pool, name, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=HERE)


async def drain(ctx: ActionContext) -> web.Response:
    instance = ctx.form.get("instance", "")
    result = await controls.drain(ctx.pool, instance, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=HERE)


async def undrain(ctx: ActionContext) -> web.Response:
    instance = ctx.form.get("instance", "")
    result = await controls.undrain(ctx.pool, instance, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=HERE)


def _name(ctx: ActionContext) -> str | None:
    match ctx.form.get("what"):
        case "bot":
            return BOT
        case "provider":
            return KIE
        case "model" if ctx.form.get("model", "") in ctx.config.orders.catalog.models:
            return f"{MODEL}{ctx.form['model']}"
        case _:
            return None


def _lasts(minutes: str) -> timedelta | None:
    """How long a pause lasts; a number that is none is refused by the verb."""
    if not minutes.strip():
        return None
    is_number = minutes.isascii() and minutes.isdigit() and int(minutes) <= MAX_MINUTES
    return timedelta(minutes=int(minutes)) if is_number else timedelta(0)


PAGES = [Page("/health", show_health)]
ACTIONS = [
    Action("/health/pause", pause),
    Action("/health/resume", resume),
    Action("/health/drain", drain),
    Action("/health/undrain", undrain),
]
