"""Settings that change without a restart, those that need one, and the people who may use the console.

Everyone who is signed in sees them; owners change them. Secrets are shown as set or not set.
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from aiohttp import web

from photomat.console.lists import csv_response
from photomat.console.page import BASE, Action, ActionContext, Page, PageContext
from photomat.kernel.money import Money
from photomat.operators.access import Role, add_operator, end_session, list_operators, list_sessions, remove_operator
from photomat.operators.settings import ShownSetting, change_setting, reset_setting, shown_settings

HERE: Final = f"{BASE}/settings"
PEOPLE: Final = f"{HERE}?tab=people"
TABS: Final = ("values", "start", "people")
CHANGED: Final = "changed"
BROWSERS: Final = ("YaBrowser", "Edg", "OPR", "Firefox", "Chrome", "Safari")
SYSTEMS: Final = ("iPhone", "iPad", "Android", "Windows", "Mac OS", "Linux")
"""In the order to look: most browsers also name others."""
ROLES: Final = {role.word: role for role in (Role.OPERATOR, Role.VIEWER)}


async def show_settings(ctx: PageContext) -> web.Response:
    tab = ctx.query.choice("tab", TABS) or TABS[0]
    if tab == "people":
        return await _show_people(ctx)
    found = await shown_settings(ctx.pool, ctx.config.settings)
    changed = [each for each in found if each.source == "page"]
    only = ctx.query.choice("only", (CHANGED,))
    shown = changed if only == CHANGED else found
    if ctx.wants_csv:
        return _as_csv(shown)
    groups = [(group, list(each)) for group, each in groupby(shown, key=lambda one: one.spec.group)]
    return ctx.render(
        "settings.html",
        tab=tab,
        only=only or "",
        groups=groups,
        counts=(len(found), len(changed)),
        at_start=ctx.config.settings.at_start,
        currency=ctx.config.orders.rates.currency,
        money=Money,
    )


def _as_csv(found: Sequence[ShownSetting]) -> web.Response:
    header = ("setting", "value", "source", "default", "changed_at", "operator")
    rows = [
        (
            each.spec.name,
            each.value,
            each.source,
            each.spec.default,
            each.stored.changed_at if each.stored else None,
            each.stored.operator if each.stored else None,
        )
        for each in found
    ]
    return csv_response("settings.csv", header, rows)


async def _show_people(ctx: PageContext) -> web.Response:
    return ctx.render(
        "settings_people.html",
        tab="people",
        owners=sorted(ctx.config.owners.telegram_ids),
        has_password=bool(ctx.config.owners.password),
        people=await list_operators(ctx.pool),
        sessions=await list_sessions(ctx.pool) if ctx.may("owner") else (),
        roles=tuple(ROLES),
        device=device_of,
    )


def device_of(user_agent: str) -> str:
    """Browser and system, as far as they can be recognized."""
    words = [next((name for name in names if name in user_agent), "") for names in (BROWSERS, SYSTEMS)]
    return " · ".join(word for word in words if word) or "–"


async def change(ctx: ActionContext) -> web.Response:
    name = _name(ctx)
    result = await change_setting(
        ctx.pool,
        ctx.config.settings,
        name,
        ctx.form.get("value", "").replace("\r\n", "\n"),
        operator=ctx.operator.name,
        reason=ctx.reason,
        confirmed=ctx.is_confirmed,
    )
    return await ctx.done(result, back=_back(ctx, name))


async def reset(ctx: ActionContext) -> web.Response:
    name = _name(ctx)
    result = await reset_setting(
        ctx.pool,
        ctx.config.settings,
        name,
        operator=ctx.operator.name,
        reason=ctx.reason,
        confirmed=ctx.is_confirmed,
    )
    return await ctx.done(result, back=_back(ctx, name))


async def add_person(ctx: ActionContext) -> web.Response:
    written = ctx.form.get("telegram_id", "").strip()
    result = await add_operator(
        ctx.pool,
        int(written) if written.isascii() and written.isdigit() and len(written) < 17 else 0,  # noqa: PLR2004  fits a bigint
        ctx.form.get("name", ""),
        ROLES.get(ctx.form.get("role", ""), Role.OWNER),
        operator=ctx.operator.name,
        reason=ctx.reason,
    )
    return await ctx.done(result, back=PEOPLE)


async def remove_person(ctx: ActionContext) -> web.Response:
    result = await remove_operator(ctx.pool, ctx.id("telegram_id"), operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=PEOPLE)


async def end(ctx: ActionContext) -> web.Response:
    result = await end_session(ctx.pool, ctx.id("session_id"), operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=PEOPLE)


def _name(ctx: ActionContext) -> str:
    """The setting of the path, live or not; 404 for anything else."""
    name, rules = ctx.request.match_info["name"], ctx.config.settings
    if name not in rules.specs and name not in {each.name for each in rules.at_start}:
        raise web.HTTPNotFound
    return name


def _back(ctx: ActionContext, name: str) -> str:
    """The setting that was changed, in the list of settings."""
    return f"{HERE}#{name}" if name in ctx.config.settings.specs else HERE


PAGES: Final = (Page("/settings", show_settings),)
ACTIONS: Final = (
    Action("/settings/values/{name}", change, role=Role.OWNER),
    Action("/settings/values/{name}/reset", reset, role=Role.OWNER),
    Action("/settings/operators", add_person, role=Role.OWNER),
    Action("/settings/operators/{telegram_id}/remove", remove_person, role=Role.OWNER),
    Action("/settings/sessions/{session_id}/end", end, role=Role.OWNER),
)
