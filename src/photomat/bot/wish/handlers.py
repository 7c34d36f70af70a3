"""Say it: a text, a photo, a video or a recording sent while nothing is asked becomes a card with a price.

Only in private chats. The card is a new message, and nothing is bought without a tap. Words sent within ten minutes of the
newest unbought card are taken as a remark about it; a file completes a card that waits for one. Whatever was sent is in the
draft: nothing is asked for twice.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from aiogram import F, Router
from aiogram.enums import ChatType
from aiogram.exceptions import TelegramAPIError
from aiogram.types import Message

from photomat.assistant.follow_up import asks_price, is_aside
from photomat.assistant.plan import Plan, Request
from photomat.assistant.rules import plan
from photomat.assistant.said_order import SaidOrder, lacks, offered_for, start_of, takes_kind, with_remark, with_wish
from photomat.bot.context import UpdateContext
from photomat.bot.menu.search import search_plain_text
from photomat.bot.menu.views import hint
from photomat.bot.order_form.message_answers import accept_attachment, attachment_of, kind_of
from photomat.bot.order_form.wording import refused_in_words
from photomat.bot.transfer import views as transfer_views
from photomat.bot.transport import edit_or_send, send
from photomat.bot.view import View
from photomat.bot.wish import views
from photomat.bot.wish.order import change_order, open_order
from photomat.bot.wish.talk import current_talk
from photomat.catalog.answers import Refused
from photomat.catalog.carry import words_of
from photomat.catalog.input import FileKind, Input
from photomat.catalog.model import Model
from photomat.catalog.order import open_to_customers
from photomat.catalog.storefront import Storefront
from photomat.catalog.wishes import model_for, source_input, wish_served_by, wishes, with_file, with_words
from photomat.orders.draft import Draft
from photomat.orders.service import Talk
from photomat.payments.receipt import waiting_of
from photomat.payments.topup import has_open_transfer

CHANGES: Final = frozenset({"edit", "revideo"})
"""Wishes to change something: with a card on the screen, that card is meant."""
ALBUM: Final = "album"
SLOWED: Final = "slowed_at"
USABLE: Final[frozenset[FileKind]] = frozenset({"image", "video", "audio"})
FILES: Final = F.photo | F.video | F.animation | F.audio | F.voice | F.video_note | F.document
"""Kinds of messages that may start an order."""


def router() -> Router:
    routes = Router(name="wish")
    private = F.chat.type == ChatType.PRIVATE
    routes.message.register(text_said, private, F.text)
    routes.message.register(file_sent, private, FILES)
    return routes


async def text_said(message: Message, ctx: UpdateContext) -> None:
    """Words without an open question: a remark about the newest card, an order of their own, or the name of a model."""
    words = message.text or ""
    if attachment_of(message) is not None:
        await ctx.register_now()
        await _start_from_file(message, ctx, "image")
        return
    storefront, talk = await ctx.orders.storefront(), await current_talk(ctx)
    if talk.newest is not None and await _is_remark(message, ctx, words, talk.newest, storefront):
        return
    found = plan(Request(words=words, language=ctx.language, attached=None), storefront)
    says_what = found is not None and (found.words or found.names_wish)
    named = None if says_what else await search_plain_text(ctx, words)
    is_unsold_name = words.strip().casefold() in storefront.unsold
    if named is not None or found is None or is_unsold_name:
        await send(message, named or await _hint(ctx, words, storefront))
    elif await _may_open(message, ctx, talk):
        order = SaidOrder(model=found.model, inputs=found.inputs)
        await open_order(ctx, partial(send, message), order, said=words)


async def _hint(ctx: UpdateContext, words: str, storefront: Storefront) -> View:
    """What to write; to a user who asks for prices, what the usual wishes cost."""
    if not asks_price(words):
        return hint(ctx.say, "fallback-text")
    served = {each: model_for(wishes()[each], storefront) for each in views.PRICED_WISHES}
    offers = {wish: await ctx.orders.offer(model) for wish, model in served.items() if model is not None}
    return views.prices(ctx.say, {wish: each.usual or each.price for wish, each in offers.items()})


async def _is_remark(message: Message, ctx: UpdateContext, words: str, draft: Draft, storefront: Storefront) -> bool:
    """Change the newest unbought card by these words, if they are about it."""
    model = storefront.get(draft.model)
    if model is None:
        return False
    start = start_of(model, draft.inputs)
    attached = None if start is None or start == "track" else start
    if is_aside(words, about=attached) or _begins_anew(words, ctx, model, draft, storefront):
        return False
    found = plan(Request(words=words, language=ctx.language, attached=attached), storefront)
    is_other = found is not None and _is_another_wish(found, model, draft)
    if found is None or (is_other and attached is None) or (not is_other and not with_words(model, words)):
        return False
    if is_other:
        order, own = with_wish(found, old=model, inputs=draft.inputs), ""
    else:
        order, own = with_remark(found, model, draft.inputs)
    await change_order(ctx, partial(send, message), draft, order, can_be_undone=bool(own))
    await _replace_old(message, ctx, draft)
    return True


def _begins_anew(words: str, ctx: UpdateContext, model: Model, draft: Draft, storefront: Storefront) -> bool:
    """Whether words below the card of a tapped step, whose file came from a result, ask for something that needs no file."""
    found = plan(Request(words=words, language=ctx.language), storefront) if draft.said is None else None
    if found is None or not found.names_wish or not found.words or found.wish.starts_from is not None:
        return False
    current = wish_served_by(model, start_of(model, draft.inputs))
    return current is None or found.wish.category is not current.category


def _is_another_wish(found: Plan, model: Model, draft: Draft) -> bool:
    """Whether the words ask for something else than the card: a song below a picture. "Change it" means the card."""
    current = wish_served_by(model, start_of(model, draft.inputs))
    is_change = current is None or found.wish.category is current.category or found.wish.id in CHANGES
    return found.names_wish and not is_change


async def _replace_old(message: Message, ctx: UpdateContext, draft: Draft) -> None:
    """Turn the card that was shown before into a line; a card that stays as it was only shows the newer one when tapped."""
    if draft.card_message_id is None or message.bot is None:
        return
    try:
        await message.bot.edit_message_text(
            ctx.say("wish-replaced"), chat_id=message.chat.id, message_id=draft.card_message_id
        )
    except TelegramAPIError:
        return


async def _may_open(message: Message, ctx: UpdateContext, talk: Talk) -> bool:
    """Whether one more card may be opened; a user who may not is notified once."""
    if talk.may_open:
        return True
    newest = await ctx.orders.newest_open(ctx.user_id)
    mark = newest.draft_id if newest else 0
    if ctx.conversation.data.get(SLOWED) != mark:
        ctx.conversation.store({**ctx.conversation.data, SLOWED: mark})
        await send(message, views.slow_down(ctx.say))
    return False


async def file_sent(message: Message, ctx: UpdateContext) -> None:
    """A file without an open question: it completes the newest card, joins its album, or starts an order."""
    await ctx.register_now()
    kind = kind_of(message)
    if kind not in USABLE:
        await send(message, hint(ctx.say, "fallback-other"))
        return
    talk = await current_talk(ctx)
    draft = talk.newest
    model = await ctx.orders.model(draft.model) if draft is not None else None
    asked = _taking(message, ctx, model, draft, kind) if draft is not None and model is not None else None
    if draft is not None and model is not None and asked is not None:
        await _add_file(message, ctx, draft, model, asked)
    elif await _may_open(message, ctx, talk):
        if message.voice:
            await send(message, View(text=ctx.say("wish-voice-unheard"), rows=[]))
        await _start_from_file(message, ctx, kind)
    await _hint_at_receipts(message, ctx)


def _taking(message: Message, ctx: UpdateContext, model: Model, draft: Draft, kind: FileKind) -> Input | None:
    """The input of the order on the card that this file belongs to: what it lacks, its album, or what it takes and has not."""
    lacking, source = lacks(model, draft.inputs), source_input(model, kind)
    if lacking is not None and takes_kind(lacking, kind):
        return lacking
    if message.media_group_id is not None and ctx.conversation.data.get(ALBUM) == message.media_group_id:
        return source
    is_free = source is not None and source.place in {"ask", "card"} and not draft.inputs.get(source.name)
    return source if is_free and source in open_to_customers(model, draft.inputs) else None


async def _hint_at_receipts(message: Message, ctx: UpdateContext) -> None:
    """A user with an open transfer may have meant a receipt: explain how to send one."""
    if not ctx.topups.options.takes_transfers or not (message.photo or message.document):
        return
    waiting = await waiting_of(ctx.pool, ctx.user_id)
    if waiting or await has_open_transfer(ctx.pool, ctx.user_id):
        lines = [ctx.say("transfer-stray-file"), *transfer_views.waiting_lines(ctx.say, waiting)]
        await send(message, View(text="\n\n".join(lines), rows=[[transfer_views.start_button(ctx.say)]]))


async def _add_file(message: Message, ctx: UpdateContext, draft: Draft, model: Model, asked: Input) -> None:
    """Put the file into the order; the card moves below it, the rest of an album is added to that card in its place."""
    present = draft.inputs.get(asked.name)
    have = list(present) if isinstance(present, list) else []
    if present and (asked.type != "files" or len(have) >= asked.items_limit):
        await send(message, views.refused_file(ctx.say, ctx.say("form-album-rest")))
        return
    file = await accept_attachment(ctx, message, asked, given=have)
    if file is None or isinstance(file, Refused):
        await _refuse(message, ctx, model, file or Refused("file-lost"))
        return
    inputs = {**draft.inputs, asked.name: [*have, file] if asked.type == "files" else file}
    order = SaidOrder(model=model, inputs=_with_caption(message, model, inputs))
    if message.media_group_id is not None and draft.inputs.get(asked.name):
        await change_order(ctx, partial(edit_or_send, message, sent_before=draft.card_message_id), draft, order)
        return
    ctx.conversation.store({ALBUM: message.media_group_id})
    is_complete = lacks(model, draft.inputs) is None
    await change_order(ctx, partial(send, message), draft, order, can_be_undone=is_complete)
    await _replace_old(message, ctx, draft)


async def _start_from_file(message: Message, ctx: UpdateContext, kind: FileKind) -> None:
    """The order the caption asks for, or the first thing that can be done with such a file; others are a tap away."""
    storefront, caption = await ctx.orders.storefront(), message.caption or ""
    found = plan(Request(words=caption, language=ctx.language, attached=kind), storefront) if caption else None
    tried = [SaidOrder(model=found.model, inputs=found.inputs)] if found is not None else []
    tried += offered_for(kind, storefront, words=caption, language=ctx.language)
    refusals: list[tuple[Model, Refused]] = []
    for model, inputs in ((each.model, each.inputs) for each in tried):
        file = await _accepted_by(message, ctx, model, kind)
        if isinstance(file, Refused):
            refusals.append((model, file))
            continue
        ctx.conversation.store({ALBUM: message.media_group_id})
        await open_order(ctx, partial(send, message), SaidOrder(model=model, inputs={**inputs, **file}), said=caption)
        return
    await _refuse(message, ctx, *refusals[0]) if refusals else await send(message, hint(ctx.say, "fallback-other"))


async def _accepted_by(message: Message, ctx: UpdateContext, model: Model, kind: FileKind) -> dict[str, Any] | Refused:
    """The input of a model that starts from this file, or why it cannot."""
    asked = source_input(model, kind)
    file = await accept_attachment(ctx, message, asked) if asked is not None else None
    if asked is None or file is None:
        return Refused("form-file-kind", {"kind": kind, "formats": ""})
    return file if isinstance(file, Refused) else with_file(asked, file)


async def _refuse(message: Message, ctx: UpdateContext, model: Model, why: Refused) -> None:
    await send(message, views.refused_file(ctx.say, refused_in_words(ctx.say, model, why, ctx.language)))


def _with_caption(message: Message, model: Model, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """The inputs with the words below a file, where the order has none yet."""
    return inputs if words_of(model, inputs) else {**inputs, **with_words(model, message.caption or "")}
