"""Payments, their refunds, receipts to approve, promo codes: pages below money, and the forms that decide."""

from datetime import date, datetime, time, timedelta
from typing import Final, cast

from aiohttp import web

from photomat.console.lists import CSV_ROWS, PAGE_SIZE, csv_response
from photomat.console.page import Action, ActionContext, Page, PageContext
from photomat.console.pages.money import tabs_of
from photomat.console.telegram_file import telegram_file
from photomat.console.written import age
from photomat.operators.access import Role
from photomat.operators.money import (
    NO_WAY_BACK,
    approve_receipt,
    create_promo,
    decline_receipt,
    refund_payment,
    stop_promo,
)
from photomat.payments.payment import list_payments as listed_payments
from photomat.payments.receipt import ReceiptState, find_receipt, transfer_code
from photomat.payments.receipt_notices import REASONS as USUAL_REASONS
from photomat.payments.transfers import RECEIPT_TYPES
from photomat.reports.fiscal import FiscalFilter, list_fiscal
from photomat.reports.money import LedgerFilter, list_ledger, list_payments, list_receipts, list_refunds
from photomat.rewards.promo import CodeKind, PromoCode, list_codes, normalize_code

PROVIDERS: Final = ("stars", "yookassa", "cryptopay", "transfer")
REFUND_STATES: Final = ("wanted", "done", "refused")
CODE_KINDS: Final = ("sum", "percent", "free")
CODES_SHOWN: Final = 500
MOST_FILE_BYTES: Final = 10 * 2**20
RECEIPTS: Final = "/console/money/receipts"


async def show_payments(ctx: PageContext) -> web.Response:
    wanted = CSV_ROWS if ctx.wants_csv else PAGE_SIZE + 1
    rows = await list_payments(
        ctx.pool,
        provider=ctx.query.choice("provider", PROVIDERS),
        user_id=ctx.query.number("user"),
        refunded=ctx.query.text("refunded") == "yes",
        before=ctx.query.number("before"),
        limit=wanted,
    )
    if ctx.wants_csv:
        header = (
            "payment",
            "time",
            "provider",
            "external id",
            "user",
            "paid",
            "paid in",
            "credited",
            "refunded",
            "refund",
        )
        return csv_response(
            "payments.csv",
            header,
            [
                (
                    row.payment_id,
                    row.received_at,
                    row.provider,
                    row.external_id,
                    row.user_id,
                    row.paid,
                    row.paid.currency,
                    row.credit,
                    row.refunded,
                    row.refund_state,
                )
                for row in rows
            ],
        )
    return ctx.render(
        "money_payments.html",
        counts=await tabs_of(ctx),
        rows=rows[:PAGE_SIZE],
        next_before=rows[PAGE_SIZE - 1].payment_id if len(rows) > PAGE_SIZE else None,
        providers=PROVIDERS,
    )


async def show_payment(ctx: PageContext) -> web.Response:
    found = await listed_payments(ctx.pool, payment_id=ctx.id("payment_id"))
    if not found:
        raise web.HTTPNotFound
    payment = found[0].payment
    return ctx.render(
        "money_payment.html",
        counts=await tabs_of(ctx),
        payment=payment,
        refunds=found[0].refunds,
        left=payment.credit.minor - sum(one.amount.minor for one in found[0].refunds if one.state != "refused"),
        by_hand=payment.provider in NO_WAY_BACK,
        booked=await list_ledger(ctx.pool, LedgerFilter(reference=payment.reference), limit=1),
        fiscal=await list_fiscal(ctx.pool, FiscalFilter(payment_id=payment.payment_id), limit=PAGE_SIZE),
    )


async def give_back_payment(ctx: ActionContext) -> web.Response:
    payment_id = ctx.id("payment_id")
    result = await refund_payment(
        ctx.pool,
        payment_id,
        owing=ctx.form.get("owing") == "yes",
        by_hand=ctx.form.get("by_hand") == "yes",
        operator=ctx.operator.name,
        reason=ctx.reason,
    )
    return await ctx.done(result, back=f"/console/money/payments/{payment_id}")


async def show_refunds(ctx: PageContext) -> web.Response:
    wanted = CSV_ROWS if ctx.wants_csv else PAGE_SIZE + 1
    state = ctx.query.choice("state", REFUND_STATES)
    rows = await list_refunds(ctx.pool, state=state, before=ctx.query.number("before"), limit=wanted)
    if ctx.wants_csv:
        header = (
            "refund",
            "payment",
            "provider",
            "user",
            "amount",
            "paid",
            "state",
            "asked by",
            "asked",
            "ended",
            "tries",
            "error",
        )
        return csv_response(
            "refunds.csv",
            header,
            [
                (
                    row.refund_id,
                    row.payment_id,
                    row.provider,
                    row.user_id,
                    row.amount,
                    row.paid,
                    row.state,
                    row.asked_by,
                    row.created_at,
                    row.closed_at,
                    row.attempts,
                    row.error,
                )
                for row in rows
            ],
        )
    return ctx.render(
        "money_refunds.html",
        counts=await tabs_of(ctx),
        rows=rows[:PAGE_SIZE],
        next_before=rows[PAGE_SIZE - 1].refund_id if len(rows) > PAGE_SIZE else None,
        states=REFUND_STATES,
        state=state,
    )


async def show_receipts(ctx: PageContext) -> web.Response:
    state = ctx.query.choice("state", [each.value for each in ReceiptState]) or ReceiptState.WAITING.value
    wanted = CSV_ROWS if ctx.wants_csv else PAGE_SIZE + 1
    rows = await list_receipts(ctx.pool, state=state, before=ctx.query.number("before"), limit=wanted)
    if ctx.wants_csv:
        header = ("receipt", "time", "user", "amount", "note", "state", "decided", "by", "credited", "reason")
        return csv_response(
            "receipts.csv",
            header,
            [
                (
                    row.receipt_id,
                    row.created_at,
                    row.user_id,
                    row.amount,
                    row.note,
                    row.state,
                    row.decided_at,
                    row.decided_by,
                    row.credited,
                    row.reason,
                )
                for row in rows
            ],
        )
    return ctx.render(
        "money_receipts.html",
        counts=await tabs_of(ctx),
        rows=rows[:PAGE_SIZE],
        next_before=rows[PAGE_SIZE - 1].receipt_id if len(rows) > PAGE_SIZE else None,
        states=[each.value for each in ReceiptState],
        state=state,
        code=transfer_code,
        usual_reasons=USUAL_REASONS,
        now=ctx.operator.now,
        age=lambda lasted: age(lasted, ctx.say),
    )


async def show_receipt_file(ctx: PageContext) -> web.StreamResponse:
    """The picture a customer sent, read from Telegram through this session; nothing is stored."""
    receipt = await find_receipt(ctx.pool, ctx.id("receipt_id"))
    if receipt is None:
        raise web.HTTPNotFound
    return await telegram_file(
        ctx,
        receipt.file.file_id,
        name=f"receipt-{receipt.receipt_id}",
        shown=RECEIPT_TYPES,
        most_bytes=MOST_FILE_BYTES,
    )


async def credit_receipt(ctx: ActionContext) -> web.Response:
    written = ctx.form.get("sum", "").strip()
    minor = ctx.minor("sum")
    if written and minor is None:
        return await ctx.tell(ctx.say("console-money-bad-sum"), is_good=False, back=RECEIPTS)
    result = await approve_receipt(
        ctx.pool,
        ctx.id("receipt_id"),
        operator=ctx.operator.name,
        most=ctx.config.most_credited,
        minor=minor,
        reason=ctx.reason,
        anyway=ctx.is_confirmed,
    )
    return await ctx.tell(result.says.in_(ctx.say), is_good=result.done, back=RECEIPTS)


async def refuse_receipt(ctx: ActionContext) -> web.Response:
    """Decline; one of the usual reasons is stored by its name, so that the customer reads it in their language."""
    usual = {ctx.say("receipt-reason", reason=each): each for each in USUAL_REASONS}
    result = await decline_receipt(
        ctx.pool,
        ctx.id("receipt_id"),
        operator=ctx.operator.name,
        reason=usual.get(ctx.reason, ctx.reason),
    )
    return await ctx.tell(result.says.in_(ctx.say), is_good=result.done, back=RECEIPTS)


async def show_promo(ctx: PageContext) -> web.Response:
    codes = await list_codes(ctx.pool, limit=CODES_SHOWN)
    if ctx.wants_csv:
        header = (
            "code",
            "kind",
            "sum",
            "percent",
            "generations",
            "used",
            "of",
            "until",
            "stopped",
            "by",
            "why",
            "made",
        )
        rows = [
            (
                each.promo.code,
                each.promo.kind,
                each.promo.money,
                each.promo.percent,
                each.promo.generations,
                each.used,
                each.promo.most_uses,
                each.promo.expires_at,
                each.stopped_at,
                each.operator,
                each.reason,
                each.created_at,
            )
            for each in codes
        ]
        return csv_response("promo.csv", header, rows)
    return ctx.render(
        "money_promo.html", counts=await tabs_of(ctx), codes=codes, kinds=CODE_KINDS, now=ctx.operator.now
    )


async def add_promo(ctx: ActionContext) -> web.Response:
    promo = _promo(ctx)
    back = "/console/money/promo"
    if promo is None:
        return await ctx.tell(ctx.say("console-money-promo-unclear"), is_good=False, back=back)
    result = await create_promo(ctx.pool, promo, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=back)


def _promo(ctx: ActionContext) -> PromoCode | None:
    """The code of a form; None if a number that its kind needs is missing or out of range."""
    kind, minor = ctx.form.get("kind", ""), ctx.minor("sum")
    percent, generations = _count(ctx, "percent", most=100), _count(ctx, "generations", most=1000)
    needed: dict[str, object] = {"sum": minor, "percent": percent, "free": generations and minor}
    if not needed.get(kind):
        return None
    return PromoCode(
        code=normalize_code(ctx.form.get("code", "")) or ctx.form.get("code", ""),
        kind=cast("CodeKind", kind),
        currency=ctx.config.orders.rates.currency,
        amount=minor,
        percent=percent if kind == "percent" else None,
        generations=generations if kind == "free" else None,
        most_uses=_count(ctx, "uses", most=10**9),
        per_user=_count(ctx, "per_user", most=10**6) or 1,
        only_new=ctx.form.get("only_new") == "yes",
        expires_at=_end_of_day(ctx, ctx.form.get("until", "")),
    )


def _end_of_day(ctx: ActionContext, written: str) -> datetime | None:
    try:
        return datetime.combine(date.fromisoformat(written) + timedelta(days=1), time(), ctx.config.zone)
    except (ValueError, OverflowError):
        return None


def _count(ctx: ActionContext, name: str, *, most: int) -> int | None:
    written = ctx.form.get(name, "").strip()
    found = int(written) if written.isascii() and written.isdigit() and len(written) <= len(str(most)) else 0
    return found if 0 < found <= most else None


async def end_promo(ctx: ActionContext) -> web.Response:
    result = await stop_promo(ctx.pool, ctx.request.match_info["code"], operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back="/console/money/promo")


PAGES: Final = (
    Page("/money/payments", show_payments),
    Page("/money/payments/{payment_id}", show_payment),
    Page("/money/refunds", show_refunds),
    Page("/money/receipts", show_receipts),
    Page("/money/receipts/{receipt_id}/file", show_receipt_file, role=Role.OPERATOR),
    Page("/money/promo", show_promo),
)
ACTIONS: Final = (
    Action("/money/payments/{payment_id}/refund", give_back_payment),
    Action("/money/receipts/{receipt_id}/approve", credit_receipt),
    Action("/money/receipts/{receipt_id}/decline", refuse_receipt),
    Action("/money/promo", add_promo),
    Action("/money/promo/{code}/stop", end_promo),
)
