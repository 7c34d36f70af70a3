"""/gift: money for a friend, behind a link. It leaves the giver in a transaction of its own, once per update."""

from aiogram import Bot, F, Router
from aiogram.filters import Command, CommandObject, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot import rewards_view, views
from photomat.bot.buttons import GiftBackButton, RewardAction, RewardButton
from photomat.bot.handlers.invite import link_to
from photomat.bot.menu import home_page
from photomat.bot.screen import Tap, send
from photomat.bot.states import Typing
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.db.pool import transaction
from photomat.kernel.errors import NotEnough, Rejected
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money, read_minor
from photomat.rewards import gifts
from photomat.rewards.gifts import Gift, State

log = get_logger()


async def by_command(message: Message, command: CommandObject, bot: Bot, visit: Visit) -> None:
    """Give the sum behind the command, or ask for one."""
    await visit.forget_form()
    visit = await visit.as_user()
    if command.args:
        await _answer(message, bot, visit, command.args)
        return
    await send(message, await _ask(visit))


async def by_button(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Ask for a sum."""
    await tap.answer()
    await visit.forget_form()
    await tap.open(await _ask(await visit.as_user()))


async def by_text(message: Message, bot: Bot, visit: Visit) -> None:
    """Give the sum that was asked for; one that does not fit is asked for again."""
    await _answer(message, bot, await visit.as_user(), message.text or "")


async def take_back(_query: CallbackQuery, callback_data: GiftBackButton, tap: Tap, visit: Visit) -> None:
    """Take a gift back that nobody has opened."""
    owed = (await visit.balance()).owed
    async with transaction(visit.shop.pool) as tx:
        gift = await gifts.return_gift(tx, gift_id=callback_data.gift_id, giver_id=visit.user_id)
    if gift is None:
        await tap.answer(visit.say("tap-not-yours"), alert=True)
    elif gift.state is State.TAKEN:
        await tap.answer(visit.say("gift-gone"), alert=True)
    else:
        balance = await visit.balance()
        await tap.answer(rewards_view.gift_returned(visit.say, gift, owed_before=owed, owed=balance.owed))
        await tap.replace(await home_page(visit))


async def _answer(message: Message, bot: Bot, visit: Visit, written: str) -> None:
    gift = await _given(visit, written)
    if isinstance(gift, View):
        await visit.state.set_state(Typing.gift)
        await send(message, gift)
        return
    await visit.state.clear()
    link = await link_to(bot, f"gift_{gift.code}")
    await send(message, rewards_view.gift_page(visit.say, gift, link=link))


async def _given(visit: Visit, written: str) -> Gift | View:
    """The gift, or why there is none."""
    say = visit.say
    try:
        amount = Money(read_minor(written), visit.shop.rates.currency)
        async with transaction(visit.shop.pool) as tx:
            gift = await gifts.give(tx, giver_id=visit.user_id, amount=amount, origin=visit.unit.origin)
    except ValueError:
        return views.hint(say, "gift-not-a-sum")
    except NotEnough as refusal:
        return View(text=say("gift-not-enough", available=refusal.facts["available"]), rows=[[views.to_home(say)]])
    except Rejected as refusal:
        return View(text=say(refusal.text_key, **refusal.facts), rows=[[views.to_home(say)]])
    log.info("GIFT_MADE", gift_id=gift.gift_id, user_id=visit.user_id, amount=gift.amount.minor)
    return gift


async def _ask(visit: Visit) -> View:
    """Wait for a sum, from who has one to give."""
    balance = await visit.balance()
    if balance.available.minor:
        await visit.state.set_state(Typing.gift)
    async with transaction(visit.shop.pool) as tx:
        waiting = await gifts.open_gifts(tx, giver_id=visit.user_id)
    return rewards_view.ask_gift(visit.say, available=balance.available, waiting=waiting)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="gift")
    routes.message.register(by_command, Command("gift"))
    routes.message.register(by_text, StateFilter(Typing.gift), F.text, ~F.text.startswith("/"))
    routes.callback_query.register(by_button, RewardButton.filter(F.action == RewardAction.GIFT))
    routes.callback_query.register(take_back, GiftBackButton.filter())
    return routes
