"""A provider's invoice for a chosen sum, or why there is none; before the first with a fiscal receipt its contact is asked."""

from aiogram import Bot
from aiogram.exceptions import ClientDecodeError, TelegramAPIError

from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Paying
from photomat.bot.topup import contact_views, views
from photomat.bot.topup.methods import note_invoice, refusal_text, topup_request
from photomat.bot.view import Show
from photomat.fiscal.contacts import Contact
from photomat.kernel.money import Money
from photomat.payments.options import PaymentMethod
from photomat.providers.port import Invoice


async def show_provider_invoice(
    ctx: UpdateContext, bot: Bot, show: Show, method: PaymentMethod, amount: Money, *, draft_id: int
) -> None:
    refusal = await ctx.topups.refusal(ctx.user_id, method)
    if refusal is not None:
        await show(views.refused(ctx.say, refusal_text(ctx.say, refusal), draft_id=draft_id))
        return
    sends_receipt = ctx.topups.sends_receipts(method)
    contact = await ctx.topups.receipt_contact(ctx.user_id) if sends_receipt else None
    if sends_receipt and contact is None:
        await _ask_contact(ctx, show, method, amount, draft_id=draft_id)
    else:
        await _make_invoice(ctx, bot, show, method, amount, contact=contact, draft_id=draft_id)


async def _ask_contact(ctx: UpdateContext, show: Show, method: PaymentMethod, amount: Money, *, draft_id: int) -> None:
    """Ask where the receipt goes, and keep the sum: the answer goes on with it."""
    data = {"way": method, "paying_for": draft_id, "amount": amount.minor}
    ctx.conversation.wait_for(Paying.naming_contact, data)
    email_only = ctx.topups.email_only
    await show(
        contact_views.contact_question(ctx.say, email_only=email_only, amount=amount, method=method, draft_id=draft_id)
    )


async def _make_invoice(
    ctx: UpdateContext,
    bot: Bot,
    show: Show,
    method: PaymentMethod,
    amount: Money,
    *,
    contact: Contact | None,
    draft_id: int,
) -> None:
    say, return_url = ctx.say, await _chat_url(bot)
    topup = await ctx.topups.start(await topup_request(ctx, draft_id), method, amount)
    description = say("pay-title", credit=amount)
    made = await ctx.topups.create_invoice(topup, description=description, return_url=return_url)
    if not isinstance(made, Invoice):
        await show(views.provider_trouble(say, made, method=method, draft_id=draft_id))
        return
    shown = await show(views.provider_invoice(say, topup, url=made.pay_url, contact=contact, draft_id=draft_id))
    note_invoice(ctx, shown, topup)


async def _chat_url(bot: Bot) -> str | None:
    """Where a provider sends the payer back to; None when Telegram does not say our username."""
    try:
        me = await bot.me()
    except (TelegramAPIError, ClientDecodeError):
        return None
    return f"https://t.me/{me.username}" if me.username else None
