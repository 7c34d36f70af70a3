"""/promo, /invite and /gift, by command, button and deep link.

A code is used, and a gift made, in a transaction of its own, once per update.
"""

from aiogram import Bot, F, Router
from aiogram.filters import Command, CommandObject, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import GiftBackButton, RewardAction, RewardButton
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Typing
from photomat.bot.menu.handlers import home_page
from photomat.bot.menu.views import hint
from photomat.bot.rewards import views
from photomat.bot.transport import Tap, send
from photomat.bot.view import View, to_home
from photomat.db.pool import transaction
from photomat.kernel.errors import NotEnough, Rejected
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money, read_minor
from photomat.rewards import gifts
from photomat.rewards.gifts import Gift, GiftState
from photomat.rewards.promo import CodeRefused, use_code
from photomat.rewards.referrals import invitations

log = get_logger()


def router() -> Router:
    routes = Router(name="rewards")
    routes.message.register(promo_by_command, Command("promo"))
    routes.message.register(promo_by_text, StateFilter(Typing.promo), F.text, ~F.text.startswith("/"))
    routes.message.register(invite_by_command, Command("invite"))
    routes.message.register(gift_by_command, Command("gift"))
    routes.message.register(gift_by_text, StateFilter(Typing.gift), F.text, ~F.text.startswith("/"))
    routes.callback_query.register(promo_by_button, RewardButton.filter(F.action == RewardAction.PROMO))
    routes.callback_query.register(invite_by_button, RewardButton.filter(F.action == RewardAction.INVITE))
    routes.callback_query.register(gift_by_button, RewardButton.filter(F.action == RewardAction.GIFT))
    routes.callback_query.register(take_back, GiftBackButton.filter())
    return routes


async def promo_by_command(message: Message, command: CommandObject, ctx: UpdateContext) -> None:
    ctx.drop_form()
    if command.args:
        await _redeem(message, ctx, command.args)
        return
    ctx.conversation.wait_for(Typing.promo)
    await send(message, views.ask_promo(ctx.say))


async def promo_by_button(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    ctx.drop_form()
    ctx.conversation.wait_for(Typing.promo)
    await tap.open(views.ask_promo(ctx.say))


async def promo_by_text(message: Message, ctx: UpdateContext) -> None:
    await _redeem(message, ctx, message.text or "")


async def _redeem(message: Message, ctx: UpdateContext, written: str) -> None:
    """Use a code; after a wrong one the question stays open, so that the right one may follow."""
    view = await redeem_code(ctx, written)
    if view.expects_text:
        ctx.conversation.wait_for(Typing.promo)
    else:
        ctx.conversation.clear()
    await send(message, view)


async def redeem_code(ctx: UpdateContext, written: str) -> View:
    await ctx.register_now()
    async with transaction(ctx.pool) as tx:
        outcome = await use_code(tx, user_id=ctx.user_id, written=written, origin=ctx.origin)
    if isinstance(outcome, CodeRefused):
        log.info("PROMO_REFUSED", user_id=ctx.user_id, why=outcome.why)
        return views.promo_refused(ctx.say, written, outcome)
    log.info("PROMO_USED", user_id=ctx.user_id, code=outcome.code.code, kind=outcome.code.kind)
    return views.promo_used(ctx.say, outcome.code)


async def invite_by_command(message: Message, bot: Bot, ctx: UpdateContext) -> None:
    await send(message, await _invitations(bot, ctx))


async def invite_by_button(_query: CallbackQuery, tap: Tap, bot: Bot, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.open(await _invitations(bot, ctx))


async def link_to(bot: Bot, payload: str) -> str:
    """The URL that opens the bot with this payload for /start."""
    me = await bot.me()
    return f"https://t.me/{me.username}?start={payload}"


async def _invitations(bot: Bot, ctx: UpdateContext) -> View:
    await ctx.register_now()
    async with transaction(ctx.pool) as tx:
        invited = await invitations(tx, user_id=ctx.user_id, currency=ctx.orders.rates.currency)
    link = await link_to(bot, f"ref_{invited.code}")
    return views.invite_page(ctx.say, invited, link=link, terms=ctx.config.terms)


async def gift_by_command(message: Message, command: CommandObject, bot: Bot, ctx: UpdateContext) -> None:
    ctx.drop_form()
    if command.args:
        await _give(message, bot, ctx, command.args)
        return
    await send(message, await _ask_sum(ctx))


async def gift_by_button(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    ctx.drop_form()
    await tap.open(await _ask_sum(ctx))


async def gift_by_text(message: Message, bot: Bot, ctx: UpdateContext) -> None:
    """Give the sum that was asked for; one that does not fit is asked for again."""
    await _give(message, bot, ctx, message.text or "")


async def take_back(_query: CallbackQuery, callback_data: GiftBackButton, tap: Tap, ctx: UpdateContext) -> None:
    owed = (await ctx.balance()).owed
    async with transaction(ctx.pool) as tx:
        gift = await gifts.return_gift(tx, gift_id=callback_data.gift_id, giver_id=ctx.user_id)
    if gift is None:
        await tap.answer(ctx.say("tap-not-yours"), alert=True)
    elif gift.state is GiftState.TAKEN:
        await tap.answer(ctx.say("gift-gone"), alert=True)
    else:
        balance = await ctx.balance()
        await tap.answer(views.gift_returned(ctx.say, gift, owed_before=owed, owed=balance.owed))
        await tap.replace(await home_page(ctx))


async def _give(message: Message, bot: Bot, ctx: UpdateContext, written: str) -> None:
    await ctx.register_now()
    gift = await _given(ctx, written)
    if isinstance(gift, View):
        ctx.conversation.wait_for(Typing.gift)
        await send(message, gift)
        return
    ctx.conversation.clear()
    link = await link_to(bot, f"gift_{gift.code}")
    await send(message, views.gift_page(ctx.say, gift, link=link))


async def _given(ctx: UpdateContext, written: str) -> Gift | View:
    """The gift, or the page that says why there is none."""
    say = ctx.say
    try:
        amount = Money(read_minor(written), ctx.orders.rates.currency)
        async with transaction(ctx.pool) as tx:
            gift = await gifts.give(tx, giver_id=ctx.user_id, amount=amount, origin=ctx.origin)
    except ValueError:
        return hint(say, "gift-not-a-sum")
    except NotEnough as refusal:
        return View(text=say("gift-not-enough", available=refusal.available), rows=[[to_home(say)]])
    except Rejected as refusal:
        return View(text=say(refusal.text_key, **refusal.facts), rows=[[to_home(say)]])
    log.info("GIFT_MADE", gift_id=gift.gift_id, user_id=ctx.user_id, amount=gift.amount.minor)
    return gift


async def _ask_sum(ctx: UpdateContext) -> View:
    """Wait for a sum, where there is something to give."""
    await ctx.register_now()
    balance = await ctx.balance()
    if balance.available.minor:
        ctx.conversation.wait_for(Typing.gift)
    async with transaction(ctx.pool) as tx:
        waiting = await gifts.open_gifts(tx, giver_id=ctx.user_id)
    return views.ask_gift(ctx.say, available=balance.available, waiting=waiting)
