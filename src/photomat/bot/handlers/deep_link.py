"""A link that opens the bot with something behind /start: an invitation, a gift, a promo code, then the greeting; or a model.

Anything else behind /start, and all of it in a group, is a plain start. An invitation counts for somebody who becomes a user by
this very update, and is noted in the commit that makes them one.
"""

from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatType, ParseMode
from aiogram.filters import CommandObject, CommandStart
from aiogram.types import Message

from photomat.bot import rewards_view
from photomat.bot.forms.composing import open_model
from photomat.bot.handlers.promo import redeemed
from photomat.bot.handlers.start import start
from photomat.bot.menu import Gone, model_or_why_not
from photomat.bot.screen import send
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.catalog.storefront import model_behind
from photomat.db.pool import Transaction, transaction
from photomat.kernel.logs import get_logger
from photomat.rewards import gifts, referrals

PAYLOAD: Final = r"^(ref|gift|promo)_[\w-]+$"
TO_A_MODEL: Final = r"^model_[\w-]+$"
log = get_logger()


async def by_link(message: Message, command: CommandObject, visit: Visit) -> None:
    """Do what the link is for, say what came of it, and greet."""
    kind, _, code = (command.args or "").partition("_")
    match kind:
        case "ref":
            said = await _invited(visit, code)
        case "gift":
            visit = await visit.as_user()
            said = await _gift_opened(visit, code)
        case _:
            visit = await visit.as_user()
            said = (await redeemed(visit, code)).text
    await message.answer(said, parse_mode=ParseMode.HTML)
    await start(message, visit)


async def to_a_model(message: Message, command: CommandObject, visit: Visit) -> None:
    """Open the model of a link; one that is not sold, or never was, is said so, and the menu shown."""

    async def show(view: View) -> None:
        await send(message, view)

    found = await model_or_why_not(visit, model_behind(visit.shop.catalog, command.args or "") or "")
    if not isinstance(found, Gone):
        await open_model(visit, show, found)
    elif found.page is not None:
        await show(found.page)
    else:
        await message.answer(found.why)
        await start(message, visit)


async def _invited(visit: Visit, code: str) -> str:
    async with transaction(visit.shop.pool) as tx:
        inviter = await referrals.inviter_of(tx, code)
    if inviter is None:
        return visit.say("invite-unknown")
    if inviter == visit.user_id:
        return visit.say("invite-own")
    if not visit.person.is_new:
        return visit.say("invite-only-new")

    async def note(tx: Transaction) -> None:
        if await referrals.attribute(tx, friend_id=visit.user_id, code=code) is not None:
            log.info("REFERRAL", inviter_id=inviter, friend_id=visit.user_id)

    visit.unit.steps.append(note)
    return rewards_view.invited(visit.say, visit.shop.terms)


async def _gift_opened(visit: Visit, code: str) -> str:
    async with transaction(visit.shop.pool) as tx:
        gift = await gifts.take(tx, code=code, taker_id=visit.user_id)
    is_mine = gift is not None and gift.taker_id == visit.user_id
    if gift is not None:
        log.info("GIFT_OPENED", gift_id=gift.gift_id, user_id=visit.user_id, taken=is_mine)
    is_giver = gift is not None and gift.giver_id == visit.user_id
    return rewards_view.gift_opened(visit.say, gift, is_mine=is_mine, is_giver=is_giver)


def router() -> Router:
    """The ways to get here, asked before a plain start."""
    routes = Router(name="deep link")
    linked = CommandStart(deep_link=True, magic=F.args.regexp(PAYLOAD))
    routes.message.register(by_link, linked, F.chat.type == ChatType.PRIVATE)
    models = CommandStart(deep_link=True, magic=F.args.regexp(TO_A_MODEL))
    routes.message.register(to_a_model, models, F.chat.type == ChatType.PRIVATE)
    return routes
