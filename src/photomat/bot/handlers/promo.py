"""/promo: a code typed after the command, or after a button. Used in a transaction of its own, once per update."""

from aiogram import F, Router
from aiogram.filters import Command, CommandObject, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot import rewards_view
from photomat.bot.buttons import RewardAction, RewardButton
from photomat.bot.screen import Tap, send
from photomat.bot.states import Typing
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.db.pool import transaction
from photomat.kernel.logs import get_logger
from photomat.rewards.promo import CodeRefused, use_code

log = get_logger()


async def by_command(message: Message, command: CommandObject, visit: Visit) -> None:
    """Use the code behind the command, or ask for one."""
    await visit.forget_form()
    if command.args:
        await send(message, await redeemed(await visit.as_user(), command.args))
        return
    await visit.state.set_state(Typing.promo)
    await send(message, rewards_view.ask_promo(visit.say))


async def by_button(_query: CallbackQuery, tap: Tap, visit: Visit) -> None:
    """Ask for a code."""
    await tap.answer()
    await visit.forget_form()
    await visit.state.set_state(Typing.promo)
    await tap.open(rewards_view.ask_promo(visit.say))


async def by_text(message: Message, visit: Visit) -> None:
    """Use the code that was asked for."""
    await visit.state.clear()
    await send(message, await redeemed(await visit.as_user(), message.text or ""))


async def redeemed(visit: Visit, written: str) -> View:
    """Use a code; what came of it."""
    async with transaction(visit.shop.pool) as tx:
        outcome = await use_code(tx, user_id=visit.user_id, written=written, origin=visit.unit.origin)
    if isinstance(outcome, CodeRefused):
        log.info("PROMO_REFUSED", user_id=visit.user_id, why=outcome.why)
        return rewards_view.promo_refused(visit.say, written, outcome)
    log.info("PROMO_USED", user_id=visit.user_id, code=outcome.code.code, kind=outcome.code.kind)
    return rewards_view.promo_used(visit.say, outcome.code)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="promo")
    routes.message.register(by_command, Command("promo"))
    routes.message.register(by_text, StateFilter(Typing.promo), F.text, ~F.text.startswith("/"))
    routes.callback_query.register(by_button, RewardButton.filter(F.action == RewardAction.PROMO))
    return routes
