"""/privacy, /export and /forget: what is held about a user, all of it as a file, and its end.

What is done is decided by `privacy`: here it is asked for and answered. An export is committed before the answer is sent:
killed in between, the update is handled again and finds it. Forgetting begins with the commit of the tap that confirmed it.
"""

from functools import partial

from aiogram import F, Router
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import PrivacyAction, PrivacyButton
from photomat.bot.context import PrivacyOptions, UpdateContext
from photomat.bot.middlewares import FOR_BANNED
from photomat.bot.privacy import views
from photomat.bot.transport import Tap, send
from photomat.bot.view import Show
from photomat.db.pool import Transaction, transaction
from photomat.messages.notices import notify
from photomat.privacy.export_sender import ask_for_export
from photomat.privacy.forget import ask_to_forget, what_blocks
from photomat.users.consent import Consent, consent_in_force, withdraw_consent
from photomat.users.user import lock_user


def router() -> Router:
    routes = Router(name="privacy")
    routes.message.register(show_privacy, Command("privacy"), flags=FOR_BANNED)
    routes.message.register(export, Command("export"), flags=FOR_BANNED)
    routes.message.register(ask_before_forgetting, Command("forget"), flags=FOR_BANNED)
    for action, handler in (
        (PrivacyAction.PAGE, open_privacy),
        (PrivacyAction.EXPORT, export_by_button),
        (PrivacyAction.FORGET, open_forget),
        (PrivacyAction.CONFIRM, forget),
        (PrivacyAction.WITHDRAW, withdraw),
    ):
        routes.callback_query.register(handler, PrivacyButton.filter(F.action == action), flags=FOR_BANNED)
    return routes


async def show_privacy(message: Message, ctx: UpdateContext) -> None:
    await send(message, views.privacy_page(ctx, _options(ctx), await _consent(ctx)))


async def open_privacy(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.open(views.privacy_page(ctx, _options(ctx), await _consent(ctx)))


async def export(message: Message, ctx: UpdateContext) -> None:
    await _export(ctx, partial(send, message))


async def export_by_button(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await _export(ctx, tap.send)


async def _export(ctx: UpdateContext, show: Show) -> None:
    """Queue it: the file is built and sent by a loop."""
    await ctx.register_now()
    async with transaction(ctx.pool) as tx:
        await lock_user(tx, ctx.user_id)
        asked = await ask_for_export(
            tx, user_id=ctx.user_id, chat_id=ctx.chat_id, language=ctx.language, origin=ctx.origin
        )
    await show(views.export_queued(ctx.say) if asked.wait is None else views.export_wait(ctx.say, asked.wait))


async def ask_before_forgetting(message: Message, ctx: UpdateContext) -> None:
    await _ask(ctx, partial(send, message))


async def open_forget(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await _ask(ctx, tap.open)


async def _ask(ctx: UpdateContext, show: Show) -> None:
    async with transaction(ctx.pool) as tx:
        blocked = await what_blocks(tx, _options(ctx).personal, ctx.user_id)
    if blocked:
        await show(views.forget_blocked(ctx.say, blocked))
        return
    balance = await ctx.balance()
    await show(views.forget_page(ctx.say, balance=balance.available, owed=balance.owed))


async def forget(_query: CallbackQuery, callback_data: PrivacyButton, tap: Tap, ctx: UpdateContext) -> None:
    """Begin with the commit of this tap, if the balance is still the one that the page named and nothing stands against it."""
    balance = await ctx.balance()
    async with transaction(ctx.pool) as tx:
        blocked = await what_blocks(tx, _options(ctx).personal, ctx.user_id)
    if blocked or balance.available.minor != callback_data.shown:
        await tap.answer(None if blocked else ctx.say("forget-balance-changed"), alert=not blocked)
        await _ask(ctx, tap.open)
        return
    ctx.conversation.clear()
    ctx.on_commit(lambda tx: _begin(tx, ctx))
    await tap.answer(ctx.say("forget-tap-begun"))
    await tap.open(views.forget_begun(ctx.say))


async def _begin(tx: Transaction, ctx: UpdateContext) -> None:
    """What has come up since the page was shown is said in a message."""
    answer = await ask_to_forget(tx, _options(ctx).personal, ctx.user_id, by="user")
    if answer.refused:
        await notify(tx, key=f"forget:{ctx.origin}", chat_id=ctx.chat_id, text_key=answer.refused[0])


async def withdraw(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    ctx.on_commit(lambda tx: withdraw_consent(tx, ctx.user_id, by=ctx.origin))
    await tap.open(views.withdrawn(ctx.say))


async def _consent(ctx: UpdateContext) -> Consent | None:
    document = ctx.orders.consent
    if document is None:
        return None
    async with transaction(ctx.pool) as tx:
        return await consent_in_force(tx, ctx.user_id, document)


def _options(ctx: UpdateContext) -> PrivacyOptions:
    if ctx.config.privacy is None:
        raise RuntimeError("the bot was wired without its privacy options")
    return ctx.config.privacy
