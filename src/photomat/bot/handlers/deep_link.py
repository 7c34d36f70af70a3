"""A link that opens the bot with something behind /start: an invitation, a gift, a promo code. Then the usual greeting.

Anything else behind /start, and all of it in a group, is a plain start. An invitation counts for somebody who becomes a user by
this very update, and is noted in the commit that makes them one.
"""

from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatType, ParseMode
from aiogram.filters import CommandObject, CommandStart
from aiogram.types import Message

from photomat.bot import rewards_view
from photomat.bot.handlers.promo import redeemed
from photomat.bot.handlers.start import start
from photomat.bot.visit import Visit
from photomat.db.pool import Transaction, transaction
from photomat.kernel.logs import get_logger
from photomat.rewards import gifts, referrals

PAYLOAD: Final = r"^(ref|gift|promo)_[\w-]+$"
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
    return routes
