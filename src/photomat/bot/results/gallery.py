"""/history: a gallery, one order a page, in one message that is edited in place.

A page is keyed by its job and its filter, both in its buttons, so a tap handled again shows the same page. What is typed to
search for stays in the conversation's data until something else is asked.
"""

from collections.abc import Awaitable, Callable
from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatType
from aiogram.filters import Command, StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import GalleryButton, GalleryStep, HistoryButton, MenuButton, Screen
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Typing
from photomat.bot.menu.views import hint
from photomat.bot.middlewares import AddressedToBot
from photomat.bot.results.gallery_views import GalleryPage, gallery_page, nothing_found
from photomat.bot.transport import Tap, send
from photomat.bot.view import View, to_home
from photomat.db.pool import transaction
from photomat.delivery.next_steps import NextSteps
from photomat.delivery.outputs import outputs_of
from photomat.jobs.actions import hide_result, mark_favourite
from photomat.jobs.gallery import (
    LOOKED_THROUGH,
    GalleryFilter,
    GalleryQuery,
    PastJob,
    newer_page,
    older_page,
    page_at,
    place_of,
)
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import ChatId, JobId, MessageId

WORDS: Final = "history_words"
MAX_WORDS_LENGTH: Final = 200


def router() -> Router:
    routes = Router(name="gallery")
    routes.message.register(show_history, Command("history"))
    words = (F.text, ~F.text.startswith("/"), AddressedToBot())
    routes.message.register(search_by_words, StateFilter(Typing.history), *words)
    routes.callback_query.register(open_history, MenuButton.filter(F.screen == Screen.HISTORY))
    routes.callback_query.register(open_history, HistoryButton.filter())
    routes.callback_query.register(ask_for_words, GalleryButton.filter(F.step == GalleryStep.ASK_WORDS))
    routes.callback_query.register(like_page, GalleryButton.filter(F.step.in_({GalleryStep.LIKE, GalleryStep.UNLIKE})))
    routes.callback_query.register(hide_page, GalleryButton.filter(F.step == GalleryStep.HIDE))
    routes.callback_query.register(turn, GalleryButton.filter())
    return routes


async def show_history(message: Message, ctx: UpdateContext) -> None:
    query = GalleryQuery(user_id=ctx.user_id)
    job = await older_page(ctx.pool, query)
    if job is None:
        await send(message, hint(ctx.say, "history-empty"))
    else:
        await _show(ctx, await _page(ctx, query, job))


async def open_history(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    query = GalleryQuery(user_id=ctx.user_id)
    job = await older_page(ctx.pool, query)
    if job is None:
        await tap.open(hint(ctx.say, "history-empty"))
    else:
        await _replace(tap, ctx, await _page(ctx, query, job))


async def turn(_query: CallbackQuery, callback_data: GalleryButton, tap: Tap, ctx: UpdateContext) -> None:
    """Show the page a button leads to; the tap is answered with a word when there is none."""
    query = _asked(ctx, callback_data.only)
    if query is None:
        await tap.answer(ctx.say("gallery-words-gone"), alert=True)
        return
    job = await STEPS[callback_data.step](ctx, query, JobId(callback_data.job_id))
    if job is None:
        await tap.answer(nothing_found(ctx.say, query.only, words=query.words))
        return
    await tap.answer()
    is_same = job.job_id == callback_data.job_id
    page = await _page(
        ctx,
        query,
        job,
        position=callback_data.position if is_same else 0,
        asks_to_hide=is_same and callback_data.step is GalleryStep.ASK_HIDE,
    )
    await _replace(tap, ctx, page)


async def like_page(_query: CallbackQuery, callback_data: GalleryButton, tap: Tap, ctx: UpdateContext) -> None:
    is_favourite, job_id = callback_data.step is GalleryStep.LIKE, JobId(callback_data.job_id)
    async with transaction(ctx.pool) as tx:
        is_marked = await mark_favourite(tx, job_id=job_id, user_id=ctx.user_id, is_favourite=is_favourite)
    if not is_marked:
        await tap.answer(ctx.say("tap-not-yours"), alert=True)
        return
    await tap.answer(ctx.say("tap-liked" if is_favourite else "tap-unliked"))
    await _show_again(tap, ctx, callback_data)


async def hide_page(_query: CallbackQuery, callback_data: GalleryButton, tap: Tap, ctx: UpdateContext) -> None:
    """Hide a result from the history, and show the next one. Its card in the chat stays, and so does its money."""
    async with transaction(ctx.pool) as tx:
        is_hidden = await hide_result(tx, job_id=JobId(callback_data.job_id), user_id=ctx.user_id)
    if not is_hidden:
        await tap.answer(ctx.say("tap-not-yours"), alert=True)
        return
    await tap.answer(ctx.say("gallery-hidden"))
    await _show_again(tap, ctx, callback_data)


async def _show_again(tap: Tap, ctx: UpdateContext, tapped: GalleryButton) -> None:
    """The page, or the one that took its place; when none is left under its filter, the newest of all."""
    query = _asked(ctx, tapped.only) or GalleryQuery(user_id=ctx.user_id)
    job = await page_at(ctx.pool, query, JobId(tapped.job_id))
    if job is None:
        query = GalleryQuery(user_id=ctx.user_id)
        job = await older_page(ctx.pool, query)
    if job is None:
        await tap.forget_unless(await tap.send(hint(ctx.say, "history-empty")))
        return
    position = tapped.position if job.job_id == tapped.job_id else 0
    await _replace(tap, ctx, await _page(ctx, query, job, position=position))


async def ask_for_words(_query: CallbackQuery, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    ctx.conversation.wait_for(Typing.history, {})
    await tap.send(View(text=ctx.say("gallery-ask-words"), rows=[], expects_text=True))


async def search_by_words(message: Message, ctx: UpdateContext) -> None:
    """Show the newest order with these words; other words may follow at once."""
    words = (message.text or "")[:MAX_WORDS_LENGTH]
    query = GalleryQuery(user_id=ctx.user_id, only=GalleryFilter.WORDS, words=words)
    job = await older_page(ctx.pool, query)
    if job is None:
        text = nothing_found(ctx.say, GalleryFilter.WORDS, words=words)
        bound = ctx.say("gallery-search-bound", count=LOOKED_THROUGH)
        await send(message, View(text=f"{text}\n{bound}", rows=[[to_home(ctx.say)]], expects_text=True))
        return
    ctx.conversation.clear()
    ctx.conversation.store({WORDS: words})
    await _show(ctx, await _page(ctx, query, job))


async def _first(ctx: UpdateContext, query: GalleryQuery, _job_id: JobId) -> PastJob | None:
    return await older_page(ctx.pool, query)


async def _at(ctx: UpdateContext, query: GalleryQuery, job_id: JobId) -> PastJob | None:
    return await page_at(ctx.pool, query, job_id)


async def _older(ctx: UpdateContext, query: GalleryQuery, job_id: JobId) -> PastJob | None:
    return await older_page(ctx.pool, query, than=job_id)


async def _newer(ctx: UpdateContext, query: GalleryQuery, job_id: JobId) -> PastJob | None:
    return await newer_page(ctx.pool, query, than=job_id)


STEPS: Final[dict[GalleryStep, Callable[[UpdateContext, GalleryQuery, JobId], Awaitable[PastJob | None]]]] = {
    GalleryStep.TOP: _first,
    GalleryStep.AT: _at,
    GalleryStep.ASK_HIDE: _at,
    GalleryStep.OLDER: _older,
    GalleryStep.NEWER: _newer,
}


def _asked(ctx: UpdateContext, only: GalleryFilter) -> GalleryQuery | None:
    """What a button's filter means now; None for a search whose words are gone."""
    words = ctx.conversation.data.get(WORDS)
    if only is GalleryFilter.WORDS and not isinstance(words, str):
        return None
    return GalleryQuery(user_id=ctx.user_id, only=only, words=words if isinstance(words, str) else "")


async def _page(
    ctx: UpdateContext, query: GalleryQuery, job: PastJob, *, position: int = 0, asks_to_hide: bool = False
) -> GalleryPage:
    return GalleryPage(
        job=job,
        outputs=await outputs_of(ctx.pool, job.job_id) if job.status is JobStatus.DONE else [],
        position=position,
        place=await place_of(ctx.pool, query, job.job_id),
        only=query.only,
        model=ctx.orders.catalog.models.get(job.model),
        title=(await ctx.orders.titles(ctx.language)).get(job.model, job.model),
        next_steps=NextSteps(storefront=await ctx.orders.storefront()),
        asks_to_hide=asks_to_hide,
    )


async def _show(ctx: UpdateContext, page: GalleryPage, *, instead_of: MessageId | None = None) -> MessageId:
    if ctx.config.pages is None:
        raise RuntimeError("this bot was built without pages of results")
    view = gallery_page(ctx.say, page, language=ctx.language)
    return await ctx.config.pages.show(ChatId(ctx.chat_id), view, language=ctx.language, instead_of=instead_of)


async def _replace(tap: Tap, ctx: UpdateContext, page: GalleryPage) -> None:
    """Turn the tapped message into the page; in a group, where anyone may tap, it is sent again."""
    if tap.message is None:
        return
    is_editable = tap.message.chat.type == ChatType.PRIVATE and not tap.is_on_job_card
    await tap.forget_unless(await _show(ctx, page, instead_of=tap.message_id if is_editable else None))
