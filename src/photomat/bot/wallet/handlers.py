"""/balance and /statement: what is available, held, owed and awaited; the user's own transactions, with details."""

from dataclasses import replace
from typing import Final

from aiogram import F, Router
from aiogram.filters import Command
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import MenuButton, Screen, StatementButton, TransactionButton
from photomat.bot.context import UpdateContext
from photomat.bot.transfer.views import waiting_sum
from photomat.bot.transport import Tap, send
from photomat.bot.view import View
from photomat.bot.wallet.views import StatementPage, balance_page, details_page, statement_page
from photomat.db.pool import transaction
from photomat.payments.receipt import waiting_of
from photomat.payments.statement import StatementLine, line_details, newer_page, open_holds, statement

SHOWN: Final = 8
SPEECH: Final = frozenset({"text-to-speech", "audio-isolation"})


def router() -> Router:
    routes = Router(name="wallet")
    routes.message.register(show_balance, Command("balance"))
    routes.message.register(show_statement, Command("statement"))
    routes.callback_query.register(open_balance, MenuButton.filter(F.screen == Screen.BALANCE))
    routes.callback_query.register(turn_statement_page, StatementButton.filter())
    routes.callback_query.register(explain_transaction, TransactionButton.filter())
    return routes


async def show_balance(message: Message, ctx: UpdateContext) -> None:
    await send(message, await _page(ctx))


async def open_balance(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.open(await _page(ctx))


async def _page(ctx: UpdateContext) -> View:
    balance = await ctx.balance()
    async with transaction(ctx.pool) as tx:
        holds = await open_holds(tx, user_id=ctx.user_id)
    receipts = waiting_sum(ctx.say, await waiting_of(ctx.pool, ctx.user_id))
    page = balance_page(ctx.say, balance, orders=len(holds), has_receipts=ctx.topups.sends_receipts("yookassa"))
    return replace(page, text=f"{page.text}\n{receipts}") if receipts else page


async def show_statement(message: Message, ctx: UpdateContext) -> None:
    await send(message, await _statement_page(ctx, before=0))


async def turn_statement_page(
    _query: CallbackQuery, callback_data: StatementButton, tap: Tap, ctx: UpdateContext
) -> None:
    await tap.answer()
    await tap.open(await _statement_page(ctx, before=callback_data.before))


async def explain_transaction(
    _query: CallbackQuery, callback_data: TransactionButton, tap: Tap, ctx: UpdateContext
) -> None:
    """Show one transaction in detail; another user's is refused in the same words as one that does not exist."""
    async with transaction(ctx.pool) as tx:
        details = await line_details(tx, user_id=ctx.user_id, move_id=callback_data.move_id)
    if details is None:
        await tap.answer(ctx.say("wallet-not-your-move"), alert=True)
        return
    await tap.answer()
    titles = await ctx.orders.titles(ctx.language)
    details = replace(details, move=_with_voice(ctx, details.move))
    await tap.open(details_page(ctx.say, details, titles, before=callback_data.before))


async def _statement_page(ctx: UpdateContext, *, before: int) -> View:
    user_id, balance = ctx.user_id, await ctx.balance()
    async with transaction(ctx.pool) as tx:
        holds = await open_holds(tx, user_id=user_id)
        moves = await statement(tx, user_id=user_id, limit=SHOWN + 1, before=before or None)
        newer = await newer_page(tx, user_id=user_id, before=before, limit=SHOWN) or 0 if before else None
    shown = [_with_voice(ctx, move) for move in moves[:SHOWN]]
    page = StatementPage(
        before=before, moves=shown, newer=newer, older=shown[-1].move_id if len(moves) > SHOWN else None
    )
    titles = await ctx.orders.titles(ctx.language)
    return statement_page(ctx.say, balance, holds, page, titles)


def _with_voice(ctx: UpdateContext, move: StatementLine) -> StatementLine:
    """Speech is an audio like a song; its line has a sign of its own."""
    model = ctx.orders.catalog.models.get(move.model or "")
    return replace(move, kind="voice") if model is not None and model.category in SPEECH else move
