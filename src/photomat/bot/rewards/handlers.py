"""/promo: a code typed after the command, or after a button. Used in a transaction of its own, once per update.

/invite: a link of one's own, with what it promises and what it has brought.

/gift: money for a friend, behind a link. It leaves the giver in a transaction of its own, once per update.
"""

from aiogram import Bot, F, Router
from aiogram.filters import Command, CommandObject, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot import pages
from photomat.bot.buttons import GiftBackButton, RewardAction, RewardButton
from photomat.bot.context import Visit
from photomat.bot.conversation import Typing
from photomat.bot.menu.handlers import home_page
from photomat.bot.pages import View
from photomat.bot.rewards import views
from photomat.bot.transport import Tap, send
from photomat.db.pool import transaction
from photomat.kernel.errors import NotEnough, Rejected
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money, read_minor
from photomat.rewards import gifts
from photomat.rewards.gifts import Gift, GiftState
from photomat.rewards.promo import CodeRefused, use_code
from photomat.rewards.referrals import invitations

log = get_logger()


async def promo_by_command(message: Message, command: CommandObject, visit: Visit) -> None:
    """Use the code behind the command, or ask for one."""
    await visit.forget_form()
    if command.args:
        await send(message, await redeemed(await visit.as_user(), command.args))
        return
    await visit.state.set_state(Typing.promo)
    await send(message, views.ask_promo(visit.say))


async def promo_by_button(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Ask for a code."""
    await tap.answer()
    await visit.forget_form()
    await visit.state.set_state(Typing.promo)
    await tap.open(views.ask_promo(visit.say))


async def promo_by_text(message: Message, visit: Visit) -> None:
    """Use the code that was asked for."""
    await visit.state.clear()
    await send(message, await redeemed(await visit.as_user(), message.text or ""))


async def redeemed(visit: Visit, written: str) -> View:
    """Use a code; what came of it."""
    async with transaction(visit.shop.pool) as tx:
        outcome = await use_code(tx, user_id=visit.user_id, written=written, origin=visit.unit.origin)
    if isinstance(outcome, CodeRefused):
        log.info("PROMO_REFUSED", user_id=visit.user_id, why=outcome.why)
        return views.promo_refused(visit.say, written, outcome)
    log.info("PROMO_USED", user_id=visit.user_id, code=outcome.code.code, kind=outcome.code.kind)
    return views.promo_used(visit.say, outcome.code)


def promo_router() -> Router:
    """The ways to get here."""
    routes = Router(name="promo")
    routes.message.register(promo_by_command, Command("promo"))
    routes.message.register(promo_by_text, StateFilter(Typing.promo), F.text, ~F.text.startswith("/"))
    routes.callback_query.register(promo_by_button, RewardButton.filter(F.action == RewardAction.PROMO))
    return routes


async def invite_by_command(message: Message, bot: Bot, visit: Visit) -> None:
    """Answer the command."""
    await send(message, await _page(bot, await visit.as_user()))


async def invite_by_button(_query: CallbackQuery, tap: Tap, bot: Bot, visit: Visit) -> None:
    """Open it from the wallet."""
    await tap.answer()
    await tap.open(await _page(bot, await visit.as_user()))


async def link_to(bot: Bot, payload: str) -> str:
    """The address that opens the bot with these words behind /start."""
    me = await bot.me()
    return f"https://t.me/{me.username}?start={payload}"


async def _page(bot: Bot, visit: Visit) -> View:
    async with transaction(visit.shop.pool) as tx:
        brought = await invitations(tx, user_id=visit.user_id, currency=visit.shop.rates.currency)
    link = await link_to(bot, f"ref_{brought.code}")
    return views.invite_page(visit.say, brought, link=link, terms=visit.shop.terms)


def invite_router() -> Router:
    """The ways to get here."""
    routes = Router(name="invite")
    routes.message.register(invite_by_command, Command("invite"))
    routes.callback_query.register(invite_by_button, RewardButton.filter(F.action == RewardAction.INVITE))
    return routes


async def gift_by_command(message: Message, command: CommandObject, bot: Bot, visit: Visit) -> None:
    """Give the sum behind the command, or ask for one."""
    await visit.forget_form()
    visit = await visit.as_user()
    if command.args:
        await _answer(message, bot, visit, command.args)
        return
    await send(message, await _ask(visit))


async def gift_by_button(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Ask for a sum."""
    await tap.answer()
    await visit.forget_form()
    await tap.open(await _ask(await visit.as_user()))


async def gift_by_text(message: Message, bot: Bot, visit: Visit) -> None:
    """Give the sum that was asked for; one that does not fit is asked for again."""
    await _answer(message, bot, await visit.as_user(), message.text or "")


async def take_back(_query: CallbackQuery, callback_data: GiftBackButton, tap: Tap, visit: Visit) -> None:
    """Take a gift back that nobody has opened."""
    owed = (await visit.balance()).owed
    async with transaction(visit.shop.pool) as tx:
        gift = await gifts.return_gift(tx, gift_id=callback_data.gift_id, giver_id=visit.user_id)
    if gift is None:
        await tap.answer(visit.say("tap-not-yours"), alert=True)
    elif gift.state is GiftState.TAKEN:
        await tap.answer(visit.say("gift-gone"), alert=True)
    else:
        balance = await visit.balance()
        await tap.answer(views.gift_returned(visit.say, gift, owed_before=owed, owed=balance.owed))
        await tap.replace(await home_page(visit))


async def _answer(message: Message, bot: Bot, visit: Visit, written: str) -> None:
    gift = await _given(visit, written)
    if isinstance(gift, View):
        await visit.state.set_state(Typing.gift)
        await send(message, gift)
        return
    await visit.state.clear()
    link = await link_to(bot, f"gift_{gift.code}")
    await send(message, views.gift_page(visit.say, gift, link=link))


async def _given(visit: Visit, written: str) -> Gift | View:
    """The gift, or why there is none."""
    say = visit.say
    try:
        amount = Money(read_minor(written), visit.shop.rates.currency)
        async with transaction(visit.shop.pool) as tx:
            gift = await gifts.give(tx, giver_id=visit.user_id, amount=amount, origin=visit.unit.origin)
    except ValueError:
        return pages.hint(say, "gift-not-a-sum")
    except NotEnough as refusal:
        return View(text=say("gift-not-enough", available=refusal.facts["available"]), rows=[[pages.to_home(say)]])
    except Rejected as refusal:
        return View(text=say(refusal.text_key, **refusal.facts), rows=[[pages.to_home(say)]])
    log.info("GIFT_MADE", gift_id=gift.gift_id, user_id=visit.user_id, amount=gift.amount.minor)
    return gift


async def _ask(visit: Visit) -> View:
    """Wait for a sum, from who has one to give."""
    balance = await visit.balance()
    if balance.available.minor:
        await visit.state.set_state(Typing.gift)
    async with transaction(visit.shop.pool) as tx:
        waiting = await gifts.open_gifts(tx, giver_id=visit.user_id)
    return views.ask_gift(visit.say, available=balance.available, waiting=waiting)


def gift_router() -> Router:
    """The ways to get here."""
    routes = Router(name="gift")
    routes.message.register(gift_by_command, Command("gift"))
    routes.message.register(gift_by_text, StateFilter(Typing.gift), F.text, ~F.text.startswith("/"))
    routes.callback_query.register(gift_by_button, RewardButton.filter(F.action == RewardAction.GIFT))
    routes.callback_query.register(take_back, GiftBackButton.filter())
    return routes
