"""Money: how the books stand, the ledger, what the last audit proved, differences from providers' lists."""

from datetime import date, datetime, time, timedelta
from typing import Final

from aiohttp import web

from photomat.audit.differences import list_differences
from photomat.console.lists import CSV_ROWS, PAGE_SIZE, csv_response
from photomat.console.page import Action, ActionContext, Page, PageContext
from photomat.console.written import age, whole
from photomat.operators.audit import prove_now
from photomat.operators.money import own_difference, resolve_difference
from photomat.reports.money import REASONS, LedgerFilter, LedgerRow, last_proof, list_ledger, read_books, read_holds
from photomat.reports.today import NeedKind, needs

DIFFERENCES_SHOWN: Final = 200
COUNTED: Final = {
    NeedKind.RECEIPTS: "receipts",
    NeedKind.DIFFERENCES: "differences",
    NeedKind.FISCAL: "fiscal",
    NeedKind.AUDIT: "invariants",
}


async def tabs_of(ctx: PageContext) -> dict[str, int]:
    """What waits on each page about money."""
    waiting = await needs(ctx.pool, incidents=(), credits_=None)
    return {
        COUNTED[each.kind]: each.count for each in waiting if isinstance(each.kind, NeedKind) and each.kind in COUNTED
    }


async def show_money(ctx: PageContext) -> web.Response:
    return ctx.render(
        "money.html",
        counts=await tabs_of(ctx),
        books=await read_books(ctx.pool),
        holds=await read_holds(ctx.pool),
        proof=await last_proof(ctx.pool),
        newest=await list_ledger(ctx.pool, LedgerFilter(), limit=10),
        now=ctx.operator.now,
        whole=lambda amount: whole(amount, ctx.language),
        age=lambda lasted: age(lasted, ctx.say),
    )


async def show_ledger(ctx: PageContext) -> web.Response:
    only = _ledger_filter(ctx)
    if ctx.wants_csv:
        rows = await list_ledger(ctx.pool, only, limit=CSV_ROWS)
        header = ("transaction", "time", "reason", "reference", "job", "line", "account", "user", "amount", "currency")
        return csv_response("ledger.csv", header, [line for row in rows for line in _lines(row)])
    rows = await list_ledger(ctx.pool, only, limit=PAGE_SIZE + 1)
    return ctx.render(
        "money_ledger.html",
        counts=await tabs_of(ctx),
        rows=rows[:PAGE_SIZE],
        next_before=rows[PAGE_SIZE - 1].transaction_id if len(rows) > PAGE_SIZE else None,
        reasons=REASONS,
    )


def _ledger_filter(ctx: PageContext) -> LedgerFilter:
    since, until = ctx.query.day("since"), ctx.query.day("until")
    return LedgerFilter(
        reason=ctx.query.choice("reason", REASONS),
        user_id=ctx.query.number("user"),
        reference=ctx.query.text("reference"),
        since=_midnight(ctx, since),
        until=_midnight(ctx, until + timedelta(days=1)) if until and until < date.max else None,
        before=ctx.query.number("before"),
    )


def _midnight(ctx: PageContext, day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), ctx.config.zone)


def _lines(row: LedgerRow) -> list[tuple[object, ...]]:
    return [
        (
            row.transaction_id,
            row.booked_at,
            row.reason,
            row.reference,
            row.job_id,
            entry.line,
            entry.account,
            entry.user_id,
            entry.amount,
            entry.amount.currency,
        )
        for entry in row.entries
    ]


async def show_invariants(ctx: PageContext) -> web.Response:
    proof = await last_proof(ctx.pool)
    if ctx.wants_csv:
        each = [] if proof is None else proof.invariants
        rows = [(one.name, one.sentence, one.count, " | ".join(one.offenders)) for one in each]
        return csv_response("invariants.csv", ("name", "sentence", "broken", "offenders"), rows)
    return ctx.render(
        "money_invariants.html",
        counts=await tabs_of(ctx),
        proof=proof,
        now=ctx.operator.now,
        age=lambda lasted: age(lasted, ctx.say),
    )


async def run_audit(ctx: ActionContext) -> web.Response:
    result = await prove_now(ctx.pool, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back="/console/money/invariants")


async def show_differences(ctx: PageContext) -> web.Response:
    found = await list_differences(ctx.pool, limit=DIFFERENCES_SHOWN)
    if ctx.wants_csv:
        header = ("id", "kind", "reference", "expected", "found", "opened", "owner", "resolved", "resolution")
        rows = [
            (
                each.difference_id,
                each.kind,
                each.reference,
                each.expected,
                each.found,
                each.opened_at,
                each.owner,
                each.resolved_at,
                each.resolution,
            )
            for each in found
        ]
        return csv_response("differences.csv", header, rows)
    return ctx.render("money_differences.html", counts=await tabs_of(ctx), differences=found)


async def take_difference(ctx: ActionContext) -> web.Response:
    who = ctx.operator.name
    result = await own_difference(ctx.pool, ctx.id("difference_id"), owner=who, operator=who, reason=ctx.reason or None)
    return await ctx.done(result, back="/console/money/differences")


async def end_difference(ctx: ActionContext) -> web.Response:
    result = await resolve_difference(ctx.pool, ctx.id("difference_id"), operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back="/console/money/differences")


PAGES: Final = (
    Page("/money", show_money),
    Page("/money/ledger", show_ledger),
    Page("/money/invariants", show_invariants),
    Page("/money/differences", show_differences),
)
ACTIONS: Final = (
    Action("/money/audit", run_audit),
    Action("/money/differences/{difference_id}/own", take_difference),
    Action("/money/differences/{difference_id}/resolve", end_difference),
)
