"""Telegram Stars: the invoice of a package, its pre-checkout query, the payment, the refund.

An invoice is a link; making it twice is harmless. A payment is booked in its update's own commit, with a notice: the same
update again books and shows nothing twice. Telegram waits ten seconds for the answer to a pre-checkout query, and shows the
user the reason of a refusal; where the update is not handled in time, `checkout_guard` answers.
"""

from datetime import UTC, datetime
from typing import Final

from aiogram import Bot, F, Router
from aiogram.exceptions import TelegramBadRequest
from aiogram.types import CallbackQuery, LabeledPrice, Message, PreCheckoutQuery, RefundedPayment, SuccessfulPayment

from photomat.bot.buttons import PayButton, PayStep
from photomat.bot.context import UpdateContext
from photomat.bot.topup import views
from photomat.bot.topup.ways import draft_of, in_words, limit_reached, ways_view
from photomat.bot.transport import Tap
from photomat.db.pool import Transaction
from photomat.kernel.errors import Corrupt, Rejected
from photomat.kernel.ids import UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.payments.options import STARS_CURRENCY, PaymentOptions
from photomat.payments.stars import (
    Checkout,
    StarPayment,
    check_checkout,
    could_be_stars,
    payload_of,
    receive_stars,
    report_impossible_payment,
    take_back_stars,
)
from photomat.payments.topup import open_topup

CALL_TIMEOUT_S: Final = 10
log = get_logger()
ANSWER_TIMEOUT_S: Final = 5


async def make_bill(_query: CallbackQuery, callback_data: PayButton, bot: Bot, tap: Tap, ctx: UpdateContext) -> None:
    say, offers, draft_id = ctx.say, ctx.config.offers, callback_data.draft_id
    package = next((one for one in offers.packages if one.stars == callback_data.amount), None) if offers else None
    if package is None:
        await tap.answer(say("pay-way-closed"), alert=True)
        await tap.open(await ways_view(ctx, draft_id=draft_id))
        return
    await tap.answer()
    refusal = await limit_reached(ctx)
    if refusal is not None:
        await tap.open(views.refused(say, refusal, draft_id=draft_id))
        return
    await ctx.register_now()
    topup = await open_topup(
        ctx.pool,
        origin=ctx.origin,
        bot_id=ctx.bot_id,
        user_id=ctx.user_id,
        way="stars",
        asked=Money(package.stars, STARS_CURRENCY),
        credit=package.credit,
        draft_id=draft_of(draft_id),
    )
    title = say("pay-title", credit=package.credit)
    link = await bot.create_invoice_link(
        title=title,
        description=say("pay-description", credit=package.credit),
        payload=payload_of(topup),
        currency=STARS_CURRENCY,
        prices=[LabeledPrice(label=title, amount=package.stars)],
        request_timeout=CALL_TIMEOUT_S,
    )
    log.info("BILL", provider="stars", topup_id=topup.topup_id, stars=package.stars, user_id=ctx.user_id)
    await tap.open(views.stars_bill(say, stars=package.stars, credit=package.credit, link=link, draft_id=draft_id))


async def payment_arrived(message: Message, ctx: UpdateContext) -> None:
    """Book a payment together with its update."""
    payment, offers = message.successful_payment, _offers(ctx)
    if payment is None:
        return
    if not could_be_stars(payment.total_amount, payment.currency):
        _note_nonsense(ctx, payment)
        return
    arrived = _arrived(message, payment, ctx.user_id)

    async def write(tx: Transaction) -> None:
        await receive_stars(tx, arrived, offers)

    ctx.on_commit(write)


async def refund_arrived(message: Message, ctx: UpdateContext) -> None:
    """Book a refund together with its update."""
    refund, offers = message.refunded_payment, _offers(ctx)
    if refund is None:
        return
    if not could_be_stars(refund.total_amount, refund.currency):
        _note_nonsense(ctx, refund)
        return
    refunded = _refunded(message, refund, ctx.user_id)

    async def write(tx: Transaction) -> None:
        await take_back_stars(tx, refunded, offers)

    ctx.on_commit(write)


def _note_nonsense(ctx: UpdateContext, reported: SuccessfulPayment | RefundedPayment) -> None:
    """Telegram never sends such an amount: book nothing and report it to the operators."""
    charge_id, sum_ = reported.telegram_payment_charge_id, f"{reported.total_amount} {reported.currency}"
    log.error("STARS_NONSENSE", user_id=ctx.user_id, charge_id=charge_id, told=sum_)

    async def write(tx: Transaction) -> None:
        await report_impossible_payment(tx, charge_id=charge_id, user_id=ctx.user_id, reported=sum_)

    ctx.on_commit(write)


def _offers(ctx: UpdateContext) -> PaymentOptions:
    if ctx.config.offers is None:
        raise Corrupt("money arrived, but no payment options are configured")
    return ctx.config.offers


def _arrived(message: Message, payment: SuccessfulPayment, user_id: UserId) -> StarPayment:
    until = payment.subscription_expiration_date
    return StarPayment(
        charge_id=payment.telegram_payment_charge_id,
        user_id=user_id,
        stars=payment.total_amount,
        payload=payment.invoice_payload,
        paid_at=message.date,
        via="update",
        is_subscription=bool(payment.is_recurring) or until is not None,
        until=None if until is None else datetime.fromtimestamp(until, tz=UTC),
        is_first=bool(payment.is_first_recurring),
    )


def _refunded(message: Message, refund: RefundedPayment, user_id: UserId) -> StarPayment:
    return StarPayment(
        charge_id=refund.telegram_payment_charge_id,
        user_id=user_id,
        stars=refund.total_amount,
        payload=refund.invoice_payload,
        paid_at=message.date,
        via="update",
    )


def stars_router() -> Router:
    """Registered before a form takes a payment for an answer."""
    routes = Router(name="stars")
    routes.message.register(payment_arrived, F.successful_payment)
    routes.message.register(refund_arrived, F.refunded_payment)
    routes.callback_query.register(make_bill, PayButton.filter((F.step == PayStep.BILL) & (F.way == "stars")))
    return routes


async def answer_checkout(query: PreCheckoutQuery, ctx: UpdateContext) -> None:
    """Answer within Telegram's ten seconds; a query too old to be answered has ended unpaid."""
    refusal = await _refusal(query, ctx)
    log.info("CHECKOUT", user_id=ctx.user_id, stars=query.total_amount, refused=refusal is not None)
    try:
        await query.answer(ok=refusal is None, error_message=refusal, request_timeout=ANSWER_TIMEOUT_S)
    except TelegramBadRequest as error:
        log.warning("CHECKOUT_LATE", user_id=ctx.user_id, error=error.message)


async def _refusal(query: PreCheckoutQuery, ctx: UpdateContext) -> str | None:
    if ctx.config.offers is None:
        return ctx.say("checkout-closed")
    asked = Checkout(
        user_id=ctx.user_id,
        payload=query.invoice_payload,
        amount=query.total_amount,
        currency=query.currency,
        has_blocked_us=ctx.user.is_blocked,
    )
    try:
        await check_checkout(ctx.pool, asked, ctx.config.offers)
    except Rejected as refused:
        return ctx.say(refused.text_key, **in_words(ctx.say, refused.facts))
    return None


def checkout_router() -> Router:
    routes = Router(name="checkout")
    routes.pre_checkout_query.register(answer_checkout)
    return routes
