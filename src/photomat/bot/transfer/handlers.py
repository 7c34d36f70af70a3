"""A manual transfer: the sum, the bank details with a code, the receipt. Nothing here credits anything; an operator does.

A receipt is stored in a transaction of its own, by the update that brought it, before the user reads that it waits: killed in
between, the update is handled again and finds it. A decision is announced by a notice.

A receipt is recognised by its bytes, not by its name and declared type. They are read once, by chunks; a file that cannot be
read to its end in time goes without its hash.
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from typing import Final

from aiogram import Bot, F, Router
from aiogram.filters import Command, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import (
    ReceiptAction,
    ReceiptButton,
    TransferAction,
    TransferButton,
    TransferReceiptButton,
    TransferSumButton,
)
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Transferring
from photomat.bot.menu.views import hint
from photomat.bot.middlewares import FOR_BANNED, AddressedToBot
from photomat.bot.topup.methods import refusal_text, topup_request
from photomat.bot.transfer import views
from photomat.bot.transport import Tap, send
from photomat.bot.view import Show, View, to_home
from photomat.catalog.answers import Refused
from photomat.db.pool import transaction
from photomat.kernel.ids import ChatId
from photomat.kernel.money import Money, read_minor
from photomat.kernel.text import storable
from photomat.media.sniff import HEAD_BYTES
from photomat.payments import transfers
from photomat.payments.receipt import Receipt, ReceiptFile, ReceiptState, find_receipt, sent_for
from photomat.payments.service import TooManyReceipts
from photomat.payments.topup import Topup, close_topup, find_topup
from photomat.telegram.files import BotFiles, NotGiven, TooBig

DRAFT, TOPUP = "transfer_draft", "transfer_topup"
MAX_RECEIPT_BYTES: Final = 20 * 2**20
READ_TIMEOUT_S: Final = 10
CONNECT_TIMEOUT_S: Final = 15.0
"""Longer, so that what was read until then is still checked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedFile:
    is_receipt: bool
    sha256: str | None


def commands_router() -> Router:
    """Registered before the general handler of /cancel."""
    routes = Router(name="transfer-commands")
    routes.message.register(leave_by_command, Command("cancel"), StateFilter(Transferring))
    return routes


def router() -> Router:
    routes = Router(name="transfer")
    routes.message.register(sum_by_text, StateFilter(Transferring.naming_sum), AddressedToBot())
    routes.message.register(take_receipt, StateFilter(Transferring.sending_receipt), AddressedToBot(), flags=FOR_BANNED)
    routes.callback_query.register(open_transfer, TransferButton.filter(F.action == TransferAction.START))
    routes.callback_query.register(leave_by_tap, TransferButton.filter(F.action == TransferAction.LEAVE))
    routes.callback_query.register(sum_by_tap, TransferSumButton.filter())
    routes.callback_query.register(expect_receipt, TransferReceiptButton.filter())
    routes.callback_query.register(show_state, ReceiptButton.filter(F.action == ReceiptAction.STATE))
    return routes


async def open_transfer(_query: CallbackQuery, callback_data: TransferButton, tap: Tap, ctx: UpdateContext) -> None:
    if not ctx.topups.options.takes_transfers:
        await tap.answer(ctx.say("transfer-closed"), alert=True)
        return
    refusal = await ctx.topups.refusal(ctx.user_id, "transfer")
    if refusal is not None:
        await tap.answer(refusal_text(ctx.say, refusal), alert=True)
        return
    await tap.answer()
    ctx.conversation.wait_for(Transferring.naming_sum, {DRAFT: callback_data.draft_id})
    await tap.open(views.ask_sum(ctx.say, ctx.topups.options, bonus=await ctx.topups.waiting_bonus(ctx.user_id)))


async def sum_by_tap(_query: CallbackQuery, callback_data: TransferSumButton, tap: Tap, ctx: UpdateContext) -> None:
    """Take an offered sum, while the sum is being asked for."""
    if not ctx.topups.options.takes_transfers or ctx.conversation.state != Transferring.naming_sum.state:
        await tap.answer(ctx.say("tap-question-closed"), alert=True)
        return
    await tap.answer()
    await _start_transfer(ctx, callback_data.minor, show=tap.open)


async def sum_by_text(message: Message, ctx: UpdateContext) -> None:
    if not ctx.topups.options.takes_transfers:
        ctx.conversation.clear()
        await send(message, hint(ctx.say, "transfer-closed"))
        return
    try:
        minor = read_minor((message.text or "").strip().removesuffix("₽"))
    except ValueError:
        minor = 0
    await _start_transfer(ctx, minor, show=partial(send, message))


async def expect_receipt(
    _query: CallbackQuery, callback_data: TransferReceiptButton, tap: Tap, ctx: UpdateContext
) -> None:
    """Wait for the receipt of this transfer, again where the conversation went elsewhere meanwhile."""
    topup = await _own_topup(ctx, callback_data.topup_id)
    if topup is None:
        await tap.answer(ctx.say("tap-question-closed"), alert=True)
        return
    sent = await sent_for(ctx.pool, topup.topup_id)
    if sent is not None:
        await tap.answer(ctx.say(f"transfer-toast-{sent.state}"), alert=True)
        return
    await tap.answer()
    _wait_for_receipt(ctx, topup)
    await tap.send(views.expects_receipt(ctx.say, topup))


async def take_receipt(message: Message, ctx: UpdateContext, bot: Bot) -> None:
    """Take a receipt: a photo or a document that is a picture or a PDF by its bytes."""
    topup = await _own_topup(ctx, int(ctx.conversation.data.get(TOPUP, 0)))
    if topup is None:
        ctx.conversation.clear()
        await send(message, hint(ctx.say, "transfer-lost"))
        return
    file = await _receipt_file(bot, message)
    if isinstance(file, Refused):
        await send(message, views.refused_file(ctx.say, file))
        return
    receipt = await _submit(ctx, topup, file, note=message.caption or "")
    ctx.conversation.clear()
    if receipt is None:
        await send(message, View(text=refusal_text(ctx.say, TooManyReceipts()), rows=[[to_home(ctx.say)]]))
    elif receipt.state is ReceiptState.WAITING:
        await send(message, views.receipt_page(ctx.say, receipt))


async def show_state(_query: CallbackQuery, callback_data: ReceiptButton, tap: Tap, ctx: UpdateContext) -> None:
    receipt = await find_receipt(ctx.pool, callback_data.receipt_id)
    if receipt is None or receipt.user_id != ctx.user_id:
        await tap.answer(ctx.say("receipt-not-yours"), alert=True)
        return
    await tap.answer(ctx.say(f"transfer-toast-{receipt.state}"))
    await tap.replace(views.receipt_page(ctx.say, receipt))


async def leave_by_tap(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.open(await _left(ctx))


async def leave_by_command(message: Message, ctx: UpdateContext) -> None:
    await send(message, await _left(ctx))


async def _start_transfer(ctx: UpdateContext, minor: int, *, show: Show) -> None:
    options = ctx.topups.options
    amount = Money(minor, options.currency)
    if not options.allows(amount):
        text = ctx.say("transfer-bad-sum", least=options.least, most=options.most)
        await show(View(text=text, rows=[], expects_text=True))
        return
    draft_id = int(ctx.conversation.data.get(DRAFT, 0))
    topup = await ctx.topups.start(await topup_request(ctx, draft_id), "transfer", amount)
    _wait_for_receipt(ctx, topup)
    await show(views.bank_details(ctx.say, topup, options.transfer_details))


def _wait_for_receipt(ctx: UpdateContext, topup: Topup) -> None:
    ctx.conversation.wait_for(Transferring.sending_receipt, {TOPUP: topup.topup_id})


async def _own_topup(ctx: UpdateContext, topup_id: int) -> Topup | None:
    async with transaction(ctx.pool) as tx:
        topup = await find_topup(tx, topup_id)
    return topup if topup is not None and topup.user_id == ctx.user_id and topup.method == "transfer" else None


async def _receipt_file(bot: Bot, message: Message) -> ReceiptFile | Refused:
    """The photo, in its largest size, or the document of a message; or why it is no receipt."""
    file = message.photo[-1] if message.photo else message.document
    if file is None:
        return Refused(key="transfer-expects-file", facts={})
    if (file.file_size or 0) > MAX_RECEIPT_BYTES:
        return Refused(key="transfer-file-too-big", facts={})
    content = await read_content(bot, file.file_id)
    if content is None:
        return Refused(key="transfer-file-unreadable", facts={})
    if not content.is_receipt:
        return Refused(key="transfer-file-of-wrong-kind", facts={})
    return ReceiptFile(
        kind="photo" if message.photo else "document",
        file_id=file.file_id,
        unique_id=file.file_unique_id,
        sha256=content.sha256,
    )


async def read_content(bot: Bot, file_id: str) -> ScannedFile | None:
    """Fetch the file and check its bytes; None when Telegram does not give it out."""
    try:
        async with BotFiles(bot, within_s=CONNECT_TIMEOUT_S).opened(file_id) as chunks:
            return await _read(chunks)
    except NotGiven:
        return None
    except TooBig:
        return ScannedFile(is_receipt=False, sha256=None)


async def _read(chunks: AsyncIterator[bytes]) -> ScannedFile:
    head, digest, is_complete = b"", hashlib.sha256(), True
    try:
        async with asyncio.timeout(READ_TIMEOUT_S):
            async for chunk in chunks:
                head += chunk[: max(0, HEAD_BYTES - len(head))]
                digest.update(chunk)
    except TimeoutError:
        if not head:
            raise
        is_complete = False
    return ScannedFile(is_receipt=transfers.is_receipt(head), sha256=digest.hexdigest() if is_complete else None)


async def _submit(ctx: UpdateContext, topup: Topup, file: ReceiptFile, *, note: str) -> Receipt | None:
    async with transaction(ctx.pool) as tx:
        return await transfers.submit_receipt(
            tx,
            origin=ctx.origin,
            topup=topup,
            bot_id=ctx.bot_id,
            file=file,
            note=storable(note),
            details=ctx.topups.options.transfer_details,
            operators=[ChatId(operator) for operator in ctx.config.operators],
        )


async def _left(ctx: UpdateContext) -> View:
    topup_id = int(ctx.conversation.data.get(TOPUP, 0))
    if topup_id:
        async with transaction(ctx.pool) as tx:
            await close_topup(tx, topup_id=topup_id, user_id=ctx.user_id)
    if ctx.conversation.state in Transferring:
        ctx.conversation.clear()
    return views.left(ctx.say)
