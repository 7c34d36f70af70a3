"""A manual transfer: the sum, the requisites with a code, the receipt. Nothing here credits anything; an operator does.

A receipt is recognised by its bytes. It is stored in a transaction of its own, by the update that brought it, before the user
reads that it waits: killed in between, the update is handled again and finds it. A decision is announced by a notice.

The file of a receipt: what came with a message, and what its bytes really are. Its name and declared type say nothing.

The bytes are read once, by chunks, for their first ones and their fingerprint; what cannot be read to its end in time goes
without the fingerprint, and a file server that fails is asked again (`telegram/files.py`).
"""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
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
from photomat.bot.middlewares import SpokenToUs
from photomat.bot.order_card.views import Show
from photomat.bot.topup.ways import draft_of, limit_reached
from photomat.bot.transfer import views
from photomat.bot.transport import Tap, send
from photomat.bot.view import View, to_home
from photomat.catalog.answers import Refused
from photomat.db.pool import transaction
from photomat.kernel.ids import ChatId
from photomat.kernel.money import Money, read_minor
from photomat.kernel.text import storable
from photomat.media.sniff import HEAD_BYTES, sniff
from photomat.messages.notices import FileKind
from photomat.payments import transfers
from photomat.payments.options import PaymentOptions
from photomat.payments.topup import Topup, close_topup, find_topup, open_topup
from photomat.payments.transfers import Receipt, ReceiptFile, ReceiptState
from photomat.telegram.files import MOST_BYTES, BotFiles, NotGiven, TooBig

__all__ = ["MOST_BYTES", "Attached", "Content", "attached_to", "read_content"]
READ_TIMEOUT_S: Final = 10
PATIENCE_S: Final = 15.0
"""For the connection itself: longer, so that what was read until then is looked at."""
TAKEN: Final = frozenset(
    {"image/jpeg", "image/png", "image/webp", "image/heic", "image/heif", "image/avif", "application/pdf"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A photo or a document of a message."""

    kind: FileKind
    file_id: str
    unique_id: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What the bytes say."""

    is_receipt: bool
    sha256: str | None


def attached_to(message: Message) -> Attached | None:
    """The photo, in its largest size, or the document; None for anything else."""
    file = message.photo[-1] if message.photo else message.document
    if file is None:
        return None
    return Attached(
        kind="photo" if message.photo else "document",
        file_id=file.file_id,
        unique_id=file.file_unique_id,
        size_bytes=file.file_size or 0,
    )


async def read_content(bot: Bot, file_id: str) -> Content | None:
    """Fetch the file and look at its bytes; None when Telegram does not give it out."""
    try:
        async with BotFiles(bot, within_s=PATIENCE_S).opened(file_id) as chunks:
            return await _read(chunks)
    except NotGiven:
        return None
    except TooBig:
        return Content(is_receipt=False, sha256=None)


async def _read(chunks: AsyncIterator[bytes]) -> Content:
    head, digest, whole = b"", hashlib.sha256(), True
    try:
        async with asyncio.timeout(READ_TIMEOUT_S):
            async for chunk in chunks:
                head += chunk[: max(0, HEAD_BYTES - len(head))]
                digest.update(chunk)
    except TimeoutError:
        if not head:
            raise
        whole = False
    return Content(is_receipt=sniff(head).mime in TAKEN, sha256=digest.hexdigest() if whole else None)


DRAFT, TOPUP = "transfer_draft", "transfer_topup"


async def start(_query: CallbackQuery, callback_data: TransferButton, tap: Tap, ctx: UpdateContext) -> None:
    """Ask for the sum, unless there is a reason not to."""
    offers = _open_offers(ctx)
    refusal = ctx.say("transfer-closed") if offers is None else await _why_not(ctx)
    if offers is None or refusal:
        await tap.answer(refusal, alert=True)
        return
    await tap.answer()
    ctx.conversation.wait_for(Transferring.naming_sum, {DRAFT: callback_data.draft_id})
    await tap.open(views.ask_sum(ctx.say, offers))


async def sum_by_tap(_query: CallbackQuery, callback_data: TransferSumButton, tap: Tap, ctx: UpdateContext) -> None:
    """Take an offered sum, while the sum is being asked for."""
    offers = _open_offers(ctx)
    if offers is None or ctx.conversation.state != Transferring.naming_sum.state:
        await tap.answer(ctx.say("tap-question-closed"), alert=True)
        return
    await tap.answer()
    await _offer(ctx, offers, callback_data.minor, show=tap.open)


async def sum_by_text(message: Message, ctx: UpdateContext) -> None:
    """Take a typed sum, or say what is expected."""

    async def show(view: View) -> None:
        await send(message, view)

    offers = _open_offers(ctx)
    if offers is None:
        ctx.conversation.clear()
        await show(hint(ctx.say, "transfer-closed"))
        return
    try:
        minor = read_minor((message.text or "").strip().removesuffix("₽"))
    except ValueError:
        minor = 0
    await _offer(ctx, offers, minor, show=show)


async def expect_receipt(
    _query: CallbackQuery, callback_data: TransferReceiptButton, tap: Tap, ctx: UpdateContext
) -> None:
    """Wait for the receipt of this transfer, again where the conversation went elsewhere meanwhile."""
    topup = await _own_topup(ctx, callback_data.topup_id)
    if topup is None:
        await tap.answer(ctx.say("tap-question-closed"), alert=True)
        return
    sent = await transfers.sent_for(ctx.pool, topup.topup_id)
    if sent is not None:
        await tap.answer(ctx.say(f"transfer-toast-{sent.state}"), alert=True)
        return
    await tap.answer()
    await _wait_for_receipt(ctx, topup)
    await tap.send(views.expects_receipt(ctx.say, topup))


async def take_receipt(message: Message, ctx: UpdateContext, bot: Bot) -> None:
    """Take a receipt: a photo or a document that is a picture or a PDF by its bytes."""
    data = ctx.conversation.data
    topup = await _own_topup(ctx, int(data.get(TOPUP, 0)))
    if topup is None:
        ctx.conversation.clear()
        await send(message, hint(ctx.say, "transfer-lost"))
        return
    attached = attached_to(message)
    file = Refused(key="transfer-expects-file", facts={}) if attached is None else await _checked(bot, attached)
    if isinstance(file, Refused):
        await send(message, views.refused_file(ctx.say, file))
        return
    receipt = await _submit(ctx, topup, file, note=message.caption or "")
    ctx.conversation.clear()
    if receipt is None:
        limit = transfers.MOST_WAITING
        await send(message, View(text=ctx.say("transfer-too-many", limit=limit), rows=[[to_home(ctx.say)]]))
    elif receipt.state is ReceiptState.WAITING:
        await send(message, views.receipt_page(ctx.say, receipt))


async def show_state(_query: CallbackQuery, callback_data: ReceiptButton, tap: Tap, ctx: UpdateContext) -> None:
    """Say where a receipt stands."""
    receipt = await transfers.find_receipt(ctx.pool, callback_data.receipt_id)
    if receipt is None or receipt.user_id != ctx.user_id:
        await tap.answer(ctx.say("receipt-not-yours"), alert=True)
        return
    await tap.answer(ctx.say(f"transfer-toast-{receipt.state}"))
    await tap.replace(views.receipt_page(ctx.say, receipt))


async def leave_by_tap(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    await tap.open(await _left(ctx))


async def leave_by_command(message: Message, ctx: UpdateContext) -> None:
    """/cancel during a transfer."""
    await send(message, await _left(ctx))


def _open_offers(ctx: UpdateContext) -> PaymentOptions | None:
    offers = ctx.config.offers
    return offers if offers is not None and offers.transfer_details.strip() else None


async def _why_not(ctx: UpdateContext) -> str:
    if await transfers.count_waiting(ctx.pool, ctx.user_id) >= transfers.MOST_WAITING:
        return ctx.say("transfer-too-many", limit=transfers.MOST_WAITING)
    return await limit_reached(ctx) or ""


async def _offer(ctx: UpdateContext, offers: PaymentOptions, minor: int, *, show: Show) -> None:
    amount = Money(minor, offers.currency)
    if not offers.least <= amount <= offers.most:
        text = ctx.say("transfer-bad-sum", least=offers.least, most=offers.most)
        await show(View(text=text, rows=[], expects_text=True))
        return
    data = ctx.conversation.data
    topup = await open_topup(
        ctx.pool,
        origin=ctx.origin,
        bot_id=ctx.bot_id,
        user_id=ctx.user_id,
        way="transfer",
        asked=amount,
        credit=amount,
        draft_id=draft_of(int(data.get(DRAFT, 0))),
    )
    await _wait_for_receipt(ctx, topup)
    await show(views.requisites(ctx.say, topup, offers.transfer_details))


async def _wait_for_receipt(ctx: UpdateContext, topup: Topup) -> None:
    ctx.conversation.wait_for(Transferring.sending_receipt, {TOPUP: topup.topup_id})


async def _own_topup(ctx: UpdateContext, topup_id: int) -> Topup | None:
    async with transaction(ctx.pool) as tx:
        topup = await find_topup(tx, topup_id)
    return topup if topup is not None and topup.user_id == ctx.user_id and topup.way == "transfer" else None


async def _checked(bot: Bot, attached: Attached) -> ReceiptFile | Refused:
    """The file, or why it is no receipt."""
    if attached.size_bytes > MOST_BYTES:
        return Refused(key="transfer-file-too-big", facts={})
    content = await read_content(bot, attached.file_id)
    if content is None:
        return Refused(key="transfer-file-unreadable", facts={})
    if not content.is_receipt:
        return Refused(key="transfer-file-of-wrong-kind", facts={})
    return ReceiptFile(
        kind=attached.kind, file_id=attached.file_id, unique_id=attached.unique_id, sha256=content.sha256
    )


async def _submit(ctx: UpdateContext, topup: Topup, file: ReceiptFile, *, note: str) -> Receipt | None:
    async with transaction(ctx.pool) as tx:
        return await transfers.submit_receipt(
            tx,
            origin=ctx.origin,
            topup=topup,
            bot_id=ctx.bot_id,
            file=file,
            note=storable(note),
            details=ctx.config.offers.transfer_details if ctx.config.offers else "",
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


def transfer_commands_router() -> Router:
    """Registered before the general handler of /cancel."""
    routes = Router(name="transfer-commands")
    routes.message.register(leave_by_command, Command("cancel"), StateFilter(Transferring))
    return routes


def transfer_router() -> Router:
    routes = Router(name="transfer")
    routes.message.register(sum_by_text, StateFilter(Transferring.naming_sum), SpokenToUs())
    routes.message.register(take_receipt, StateFilter(Transferring.sending_receipt), SpokenToUs())
    routes.callback_query.register(start, TransferButton.filter(F.action == TransferAction.START))
    routes.callback_query.register(leave_by_tap, TransferButton.filter(F.action == TransferAction.LEAVE))
    routes.callback_query.register(sum_by_tap, TransferSumButton.filter())
    routes.callback_query.register(expect_receipt, TransferReceiptButton.filter())
    routes.callback_query.register(show_state, ReceiptButton.filter(F.action == ReceiptAction.STATE))
    return routes
