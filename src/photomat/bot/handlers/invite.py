"""/invite: a link of one's own, with what it promises and what it has brought."""

from aiogram import Bot, F, Router
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot import rewards_view
from photomat.bot.buttons import RewardAction, RewardButton
from photomat.bot.screen import Tap, send
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.db.pool import transaction
from photomat.rewards.referrals import invitations


async def by_command(message: Message, bot: Bot, visit: Visit) -> None:
    """Answer the command."""
    await send(message, await _page(bot, await visit.as_user()))


async def by_button(_query: CallbackQuery, tap: Tap, bot: Bot, visit: Visit) -> None:
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
    return rewards_view.invite_page(visit.say, brought, link=link, terms=visit.shop.terms)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="invite")
    routes.message.register(by_command, Command("invite"))
    routes.callback_query.register(by_button, RewardButton.filter(F.action == RewardAction.INVITE))
    return routes
