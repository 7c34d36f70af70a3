"""The landing page: what happened today beside yesterday at this hour, what is stuck, and what needs the operator."""

from dataclasses import dataclass
from typing import Final

from aiohttp import web

from photomat.console.charts import Point, compared
from photomat.console.page import Action, Page, PageContext
from photomat.console.written import age, axis_of_money, minor_per_unit, short_money, whole
from photomat.kernel.money import Money
from photomat.reports.today import NeedKind, Today, read_today

URGENT: Final = {NeedKind.STOPPED, NeedKind.AUDIT, NeedKind.INCIDENTS, NeedKind.CREDITS}
"""Shown in red."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """How a figure differs from the same hour yesterday; `kind` is `up`, `down` or empty."""

    text: str
    kind: str


async def show_today(ctx: PageContext) -> web.Response:
    today = await read_today(ctx.pool, zone=ctx.config.zone)
    return ctx.render(
        "today.html",
        today=today,
        urgent=URGENT,
        titles=await ctx.config.orders.titles(ctx.language),
        hours=_chart(ctx, today),
        deltas=_deltas(ctx, today),
        whole=lambda amount: whole(amount, ctx.language),
        age=lambda lasted: age(lasted, ctx.say),
    )


def _deltas(ctx: PageContext, today: Today) -> dict[str, Delta]:
    now, before = today.today, today.before
    return {
        "revenue": _money_delta(ctx, now.sales.revenue, before.sales.revenue),
        "margin": _money_delta(ctx, now.sales.margin, before.sales.margin),
        "paid_in": _money_delta(ctx, now.paid_in, before.paid_in),
        "bought": _delta(ctx, now.bought, before.bought, str(before.bought)),
        "new_users": _delta(ctx, now.new_users, before.new_users, str(before.new_users)),
    }


def _money_delta(ctx: PageContext, now: Money, before: Money) -> Delta:
    return _delta(ctx, now.minor, before.minor, whole(before, ctx.language))


def _delta(ctx: PageContext, now: int, before: int, was: str) -> Delta:
    if before <= 0:
        return Delta(text=ctx.say("console-today-was", was=was), kind="")
    percent = round(100 * (now - before) / before)
    kind = "up" if percent > 0 else "down" if percent < 0 else ""
    return Delta(
        text=ctx.say("console-today-delta", percent=f"{percent:+d}".replace("-", "−").replace("+0", "0"), was=was),
        kind=kind,
    )


def _chart(ctx: PageContext, today: Today) -> str:
    points = [Point(label=f"{hour.hour:02d}", values=(hour.today or 0, hour.yesterday)) for hour in today.hours]
    currency = today.today.paid_in.currency
    return compared(
        points,
        title=ctx.say("console-today-by-hour"),
        written=short_money(ctx.language, currency),
        axis=axis_of_money(ctx.language, currency),
        unit=minor_per_unit(currency),
    )


PAGES: Final = (Page("/today", show_today),)
ACTIONS: Final[tuple[Action, ...]] = ()
