"""Fiscal receipts: the list, one with the others of its payment, and what an operator decides about it."""

from typing import Final

from aiohttp import web

from photomat.console.lists import CSV_ROWS, PAGE_SIZE, csv_response
from photomat.console.page import Action, ActionContext, Page, PageContext
from photomat.console.pages.money import tabs_of
from photomat.fiscal.receipt import FiscalReceipt, find_fiscal
from photomat.operators.fiscal import drop_fiscal, issue_fiscal, retry_fiscal, settle_fiscal
from photomat.reports.fiscal import ISSUERS, KINDS, STATES, FiscalFilter, count_open_fiscal, list_fiscal

HEADER: Final = (
    "fiscal receipt",
    "time",
    "kind",
    "round",
    "payment",
    "refund",
    "provider",
    "user",
    "amount",
    "state",
    "issuer",
    "reference",
    "number",
    "url",
    "sends",
    "error",
    "ended",
)


async def show_fiscal_list(ctx: PageContext) -> web.Response:
    only = FiscalFilter(
        state=ctx.query.choice("state", STATES),
        issuer=ctx.query.choice("issuer", ISSUERS),
        kind=ctx.query.choice("kind", KINDS),
        user_id=ctx.query.number("user"),
    )
    wanted = CSV_ROWS if ctx.wants_csv else PAGE_SIZE + 1
    rows = await list_fiscal(ctx.pool, only, limit=wanted, before=ctx.query.number("before"))
    if ctx.wants_csv:
        return csv_response("fiscal.csv", HEADER, [_line(row) for row in rows])
    return ctx.render(
        "money_fiscal.html",
        counts=await tabs_of(ctx),
        rows=rows[:PAGE_SIZE],
        next_before=rows[PAGE_SIZE - 1].fiscal_id if len(rows) > PAGE_SIZE else None,
        waiting=await count_open_fiscal(ctx.pool),
        only=only,
        states=STATES,
        issuers=ISSUERS,
        kinds=KINDS,
    )


async def show_fiscal(ctx: PageContext) -> web.Response:
    one = await find_fiscal(ctx.pool, ctx.id("fiscal_id"))
    if one is None:
        raise web.HTTPNotFound
    return ctx.render(
        "money_fiscal_one.html",
        counts=await tabs_of(ctx),
        one=one,
        others=await list_fiscal(ctx.pool, FiscalFilter(payment_id=one.payment_id), limit=PAGE_SIZE),
    )


async def try_fiscal(ctx: ActionContext) -> web.Response:
    fiscal_id = ctx.id("fiscal_id")
    result = await retry_fiscal(ctx.pool, fiscal_id, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=_page(fiscal_id))


async def order_fiscal(ctx: ActionContext) -> web.Response:
    fiscal_id = ctx.id("fiscal_id")
    result = await issue_fiscal(ctx.pool, fiscal_id, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=_page(fiscal_id))


async def settle_fiscal_by_hand(ctx: ActionContext) -> web.Response:
    fiscal_id = ctx.id("fiscal_id")
    result = await settle_fiscal(
        ctx.pool,
        fiscal_id,
        number=ctx.form.get("number", "").strip() or None,
        url=ctx.form.get("url", "").strip() or None,
        operator=ctx.operator.name,
        reason=ctx.reason,
    )
    return await ctx.done(result, back=_page(fiscal_id))


async def call_fiscal_off(ctx: ActionContext) -> web.Response:
    fiscal_id = ctx.id("fiscal_id")
    result = await drop_fiscal(ctx.pool, fiscal_id, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=_page(fiscal_id))


def _page(fiscal_id: int) -> str:
    return f"/console/money/fiscal/{fiscal_id}"


def _line(row: FiscalReceipt) -> tuple[object, ...]:
    return (
        row.fiscal_id,
        row.created_at,
        row.kind,
        row.round,
        row.payment_id,
        row.refund_id,
        row.provider,
        row.user_id,
        row.amount,
        row.state,
        row.issuer,
        row.reference,
        row.external_id,
        row.url,
        row.sends,
        row.error,
        row.closed_at,
    )


PAGES: Final = (
    Page("/money/fiscal", show_fiscal_list),
    Page("/money/fiscal/{fiscal_id}", show_fiscal),
)
ACTIONS: Final = (
    Action("/money/fiscal/{fiscal_id}/retry", try_fiscal),
    Action("/money/fiscal/{fiscal_id}/issue", order_fiscal),
    Action("/money/fiscal/{fiscal_id}/settle", settle_fiscal_by_hand),
    Action("/money/fiscal/{fiscal_id}/drop", call_fiscal_off),
)
