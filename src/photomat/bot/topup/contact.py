"""Where fiscal receipts go: the answer to the question before a payment, and the page of the balance that changes it.

A sum that was chosen before the question is paid right after the answer.
"""

from functools import partial
from typing import cast

from aiogram import Bot, F, Router
from aiogram.filters import StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import ContactAction, FiscalContactButton
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Paying
from photomat.bot.middlewares import AddressedToBot
from photomat.bot.topup import contact_views as views
from photomat.bot.topup.invoice import show_provider_invoice
from photomat.bot.topup.methods import methods_view
from photomat.bot.transport import Tap, send
from photomat.fiscal.contacts import ContactRefused
from photomat.kernel.money import Money
from photomat.payments.options import PaymentMethod


def router() -> Router:
    routes = Router(name="fiscal contact")
    for action, handler in (
        (ContactAction.SHOW, show_contact),
        (ContactAction.CHANGE, ask_contact),
        (ContactAction.DELETE, delete_contact),
    ):
        routes.callback_query.register(handler, FiscalContactButton.filter(F.action == action))
    return routes


def answers_router() -> Router:
    """Registered after all commands: they are not contacts."""
    routes = Router(name="fiscal contact answer")
    routes.message.register(take_contact, StateFilter(Paying.naming_contact), AddressedToBot(), ~F.text.startswith("/"))
    return routes


async def show_contact(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.open(views.contact_page(ctx.say, await ctx.topups.receipt_contact(ctx.user_id)))


async def ask_contact(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    ctx.conversation.wait_for(Paying.naming_contact, {})
    await tap.open(views.change_question(ctx.say, email_only=ctx.topups.email_only))


async def delete_contact(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    if not await ctx.topups.delete_contact(ctx.user_id):
        await tap.answer(ctx.say("fiscal-contact-needed"), alert=True)
        return
    await tap.answer(ctx.say("fiscal-contact-deleted"))
    await tap.open(views.contact_page(ctx.say, None))


async def take_contact(message: Message, bot: Bot, ctx: UpdateContext) -> None:
    try:
        contact = ctx.topups.read_contact(_typed(message))
    except ContactRefused as refused:
        await send(message, views.contact_again(ctx.say, refused.why, email_only=ctx.topups.email_only))
        return
    await ctx.topups.save_contact(ctx.user_id, contact)
    data = ctx.conversation.data
    ctx.conversation.clear()
    if data.get("amount"):
        amount = Money(int(data["amount"]), ctx.topups.options.currency)
        method = cast("PaymentMethod", str(data.get("way")))
        await _go_on_paying(message, bot, ctx, method, amount, draft_id=int(data.get("paying_for") or 0))
    else:
        await send(message, views.contact_page(ctx.say, contact, is_new=True))


async def _go_on_paying(
    message: Message, bot: Bot, ctx: UpdateContext, method: PaymentMethod, amount: Money, *, draft_id: int
) -> None:
    """Show the invoice of the sum that was chosen before the question, if it can still be paid so."""
    if method not in ctx.topups.providers or not ctx.topups.options.allows(amount):
        await send(message, await methods_view(ctx, draft_id=draft_id))
        return
    await show_provider_invoice(ctx, bot, partial(send, message), method, amount, draft_id=draft_id)


def _typed(message: Message) -> str:
    """What was typed, or the number of the sender's own card in Telegram."""
    card = message.contact
    if card is not None and message.from_user is not None and card.user_id == message.from_user.id:
        return f"+{card.phone_number.removeprefix('+')}"
    return message.text or ""
