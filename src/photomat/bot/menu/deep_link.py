"""A link with a payload for /start: an invitation, a gift or a promo code, then the greeting; or a model.

Any other payload, and every payload in a group, is a plain start. An invitation counts for a user whom this very update
registers, and is noted in the commit that does so.
"""

from functools import partial
from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatType, ParseMode
from aiogram.filters import CommandObject, CommandStart
from aiogram.types import Message

from photomat.bot.context import UpdateContext
from photomat.bot.menu.handlers import NotSold, sold_model, start
from photomat.bot.order_form.flow import open_model
from photomat.bot.rewards import views as rewards_views
from photomat.bot.rewards.handlers import redeem_code
from photomat.bot.transport import send
from photomat.catalog.storefront import model_behind
from photomat.db.pool import Transaction, transaction
from photomat.kernel.logs import get_logger
from photomat.rewards import gifts, referrals

REWARD: Final = r"^(ref|gift|promo)_[\w-]+$"
MODEL: Final = r"^model_[\w-]+$"
log = get_logger()


def router() -> Router:
    """Registered before a plain start."""
    routes = Router(name="deep link")
    for payload, handler in ((REWARD, open_reward_link), (MODEL, open_model_link)):
        linked = CommandStart(deep_link=True, magic=F.args.regexp(payload))
        routes.message.register(handler, linked, F.chat.type == ChatType.PRIVATE)
    return routes


async def open_reward_link(message: Message, command: CommandObject, ctx: UpdateContext) -> None:
    kind, _, code = (command.args or "").partition("_")
    match kind:
        case "ref":
            answer = await _note_inviter(ctx, code)
        case "gift":
            await ctx.register_now()
            answer = await _open_gift(ctx, code)
        case _:
            answer = (await redeem_code(ctx, code)).text
    await message.answer(answer, parse_mode=ParseMode.HTML)
    await start(message, ctx)


async def open_model_link(message: Message, command: CommandObject, ctx: UpdateContext) -> None:
    """Open the model of a link; for one that is not sold or unknown, say so and show the menu."""
    show = partial(send, message)
    found = await sold_model(ctx, model_behind(ctx.orders.catalog, command.args or "") or "")
    if not isinstance(found, NotSold):
        await open_model(ctx, show, found)
    elif found.page is not None:
        await show(found.page)
    else:
        await message.answer(found.why)
        await start(message, ctx)


async def _note_inviter(ctx: UpdateContext, code: str) -> str:
    async with transaction(ctx.pool) as tx:
        inviter = await referrals.inviter_of(tx, code)
    if inviter is None:
        return ctx.say("invite-unknown")
    if inviter == ctx.user_id:
        return ctx.say("invite-own")
    if not ctx.is_new_user:
        return ctx.say("invite-only-new")

    async def note(tx: Transaction) -> None:
        if await referrals.attribute(tx, friend_id=ctx.user_id, code=code) is not None:
            log.info("REFERRAL", inviter_id=inviter, friend_id=ctx.user_id)

    ctx.on_commit(note)
    return rewards_views.friend_greeting(ctx.say, ctx.config.terms)


async def _open_gift(ctx: UpdateContext, code: str) -> str:
    async with transaction(ctx.pool) as tx:
        gift = await gifts.take(tx, code=code, taker_id=ctx.user_id)
    is_mine = gift is not None and gift.taker_id == ctx.user_id
    if gift is not None:
        log.info("GIFT_OPENED", gift_id=gift.gift_id, user_id=ctx.user_id, taken=is_mine)
    is_giver = gift is not None and gift.giver_id == ctx.user_id
    return rewards_views.gift_opened(ctx.say, gift, is_mine=is_mine, is_giver=is_giver)
