"""Telegram Stars: the invoice of a package, its pre-checkout query, the payment, the refund.

A payment is booked in its update's own commit, with a notice: the same
update again books and shows nothing twice. Telegram waits ten seconds for the answer to a pre-checkout query, and shows the
user the reason of a refusal; where the update is not handled in time, `checkout_guard` answers.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Final

from aiogram import Bot, F, Router
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import CallbackQuery, Message, PreCheckoutQuery, RefundedPayment, SuccessfulPayment

from photomat.bot.buttons import PayButton, PayStep
from photomat.bot.context import UpdateContext
from photomat.bot.middlewares import FOR_BANNED
from photomat.bot.pause import bot_pause
from photomat.bot.price_views import span
from photomat.bot.topup import views
from photomat.bot.topup.methods import answer_method_closed, note_invoice, refusal_text, stars_link, topup_request
from photomat.bot.transport import Tap
from photomat.kernel.errors import Rejected
from photomat.kernel.ids import UserId
from photomat.kernel.logs import get_logger
from photomat.payments.stars import (
    Checkout,
    StarPayment,
    check_checkout,
    could_be_stars,
    receive_stars,
    report_impossible_payment,
    take_back_stars,
)
from photomat.texts.pauses import pause_words

ANSWER_TIMEOUT_S: Final = 5
log = get_logger()


def router() -> Router:
    """Registered before a form takes a payment for an answer."""
    routes = Router(name="stars")
    routes.callback_query.register(
        show_stars_invoice, PayButton.filter((F.step == PayStep.INVOICE) & (F.way == "stars"))
    )
    routes.pre_checkout_query.register(answer_checkout)
    routes.message.register(book_stars, F.successful_payment | F.refunded_payment, flags=FOR_BANNED)
    return routes


async def show_stars_invoice(
    _query: CallbackQuery, callback_data: PayButton, bot: Bot, tap: Tap, ctx: UpdateContext
) -> None:
    say, draft_id = ctx.say, callback_data.draft_id
    package = ctx.topups.options.package(callback_data.amount)
    if package is None:
        await answer_method_closed(tap, ctx, draft_id)
        return
    await tap.answer()
    refusal = await ctx.topups.refusal(ctx.user_id, "stars")
    if refusal is not None:
        await tap.open(views.refused(say, refusal_text(say, refusal), draft_id=draft_id))
        return
    topup = await ctx.topups.start_in_stars(await topup_request(ctx, draft_id), package)
    stars, credit = package.stars, package.credit
    title, description = say("pay-title", credit=credit), say("pay-description", credit=credit)
    link = await stars_link(bot, topup, title=title, description=description)
    log.info("BILL", provider="stars", topup_id=topup.topup_id, stars=stars, user_id=ctx.user_id)
    shown = await tap.open(views.stars_invoice(say, stars=stars, credit=credit, link=link, draft_id=draft_id))
    note_invoice(ctx, shown, topup)


async def answer_checkout(query: PreCheckoutQuery, ctx: UpdateContext) -> None:
    """Answer within Telegram's ten seconds; a query too old to be answered has ended unpaid."""
    refusal = await _refusal(query, ctx)
    log.info("CHECKOUT", user_id=ctx.user_id, stars=query.total_amount, refused=refusal is not None)
    try:
        await query.answer(ok=refusal is None, error_message=refusal, request_timeout=ANSWER_TIMEOUT_S)
    except TelegramBadRequest as error:
        log.warning("CHECKOUT_LATE", user_id=ctx.user_id, error=error.message)


async def _refusal(query: PreCheckoutQuery, ctx: UpdateContext) -> str | None:
    pause = await bot_pause(ctx)
    if pause is not None:
        return ctx.say("controls-checkout", why=pause_words(ctx.say, pause))
    asked = Checkout(
        user_id=ctx.user_id,
        payload=query.invoice_payload,
        amount=query.total_amount,
        currency=query.currency,
        has_blocked_us=ctx.user.is_blocked,
    )
    try:
        await check_checkout(ctx.pool, asked, ctx.topups.options)
    except Rejected as refused:
        facts = {
            name: span(ctx.say, fact) if isinstance(fact, timedelta) else fact for name, fact in refused.facts.items()
        }
        return ctx.say(refused.text_key, **facts)
    return None


async def book_stars(message: Message, ctx: UpdateContext) -> None:
    """Book a payment or a refund together with its update; an impossible amount is reported to the operators instead."""
    reported, user_id = message.successful_payment or message.refunded_payment, ctx.user_id
    if reported is None:
        return
    if not could_be_stars(reported.total_amount, reported.currency):
        charge_id, amount = reported.telegram_payment_charge_id, f"{reported.total_amount} {reported.currency}"
        log.error("STARS_NONSENSE", user_id=user_id, charge_id=charge_id, told=amount)
        ctx.on_commit(lambda tx: report_impossible_payment(tx, charge_id=charge_id, user_id=user_id, reported=amount))
        return
    payment = _star_payment(message, reported, user_id)
    book = receive_stars if isinstance(reported, SuccessfulPayment) else take_back_stars
    ctx.on_commit(lambda tx: book(tx, payment, ctx.topups.options))


def _star_payment(message: Message, reported: SuccessfulPayment | RefundedPayment, user_id: UserId) -> StarPayment:
    payment = StarPayment(
        charge_id=reported.telegram_payment_charge_id,
        user_id=user_id,
        stars=reported.total_amount,
        payload=reported.invoice_payload,
        paid_at=message.date,
        via="update",
    )
    if isinstance(reported, RefundedPayment):
        return payment
    until = reported.subscription_expiration_date
    return replace(
        payment,
        is_subscription=bool(reported.is_recurring) or until is not None,
        until=None if until is None else datetime.fromtimestamp(until, tz=UTC),
        is_first=bool(reported.is_first_recurring),
    )
