"""Taps and voice messages for the assistant. Nothing here waits for it: a call is queued in the update's commit.

Undoing an improvement needs no assistant: the prompt before it is in the draft.
"""

from datetime import timedelta
from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatType
from aiogram.filters import Filter
from aiogram.types import CallbackQuery, Message

from photomat.assistant.calls import CallKind, is_under_way, transcript_of
from photomat.assistant.chat import can_be_improved
from photomat.assistant.notes import improvement_of
from photomat.assistant.said_order import lacks, takes_kind
from photomat.bot.assistant import views
from photomat.bot.assistant.queue import ask_for_prompt, ask_for_transcript
from photomat.bot.assistant.transcript import on_transcript
from photomat.bot.buttons import AssistAction, AssistButton, TranscriptButton
from photomat.bot.context import UpdateContext
from photomat.bot.order_card.views import show_card
from photomat.bot.transport import Tap, send
from photomat.bot.view import View
from photomat.orders.outcome import DraftOrder

MAX_VOICE_S: Final = 120
FOLLOW_UP: Final = timedelta(minutes=10)
"""How long a card waits for what it lacks."""


class SaysWish(Filter):
    """A voice message that is a wish in words: there is an assistant, and no card waits for a recording."""

    async def __call__(self, _message: Message, ctx: UpdateContext) -> bool:
        if not ctx.config.has_assistant:
            return False
        draft = await ctx.orders.newest_card(ctx.buyer, within=FOLLOW_UP)
        model = await ctx.orders.model(draft.model) if draft is not None else None
        lacking = lacks(model, draft.inputs) if draft is not None and model is not None else None
        return lacking is None or not takes_kind(lacking, "audio")


def router() -> Router:
    routes = Router(name="assistant")
    routes.callback_query.register(improve_prompt, AssistButton.filter(F.action == AssistAction.IMPROVE))
    routes.callback_query.register(undo_improvement, AssistButton.filter(F.action == AssistAction.UNDO))
    routes.callback_query.register(use_transcript, TranscriptButton.filter(F.use))
    routes.callback_query.register(forget_transcript, TranscriptButton.filter(~F.use))
    routes.message.register(hear_voice, F.voice, F.chat.type == ChatType.PRIVATE, SaysWish())
    return routes


async def improve_prompt(_query: CallbackQuery, callback_data: AssistButton, tap: Tap, ctx: UpdateContext) -> None:
    found = await _tapped(tap, ctx, callback_data)
    if found is None:
        return
    if not ctx.config.has_assistant or not can_be_improved(found.model, found.draft.inputs):
        await tap.answer(ctx.say("assistant-failed"), alert=True)
        return
    draft = found.draft
    if await is_under_way(ctx.pool, draft_id=draft.draft_id, kind=CallKind.IMPROVE):
        await tap.answer(ctx.say("assistant-thinking-already"))
        return
    ask_for_prompt(ctx, draft)
    await tap.answer(ctx.say("assistant-thinking"))


async def undo_improvement(_query: CallbackQuery, callback_data: AssistButton, tap: Tap, ctx: UpdateContext) -> None:
    found = await _tapped(tap, ctx, callback_data)
    improvement = improvement_of(found.draft) if found else None
    if found is None or improvement is None:
        await tap.answer()
        return
    await tap.answer()
    inputs = {**found.draft.inputs, improvement.name: improvement.before}
    draft = await ctx.orders.save_draft(
        ctx.buyer, found.model, inputs, origin=ctx.origin, draft_id=found.draft.draft_id
    )
    await show_card(ctx, tap.replace, model=found.model, draft=draft)


async def hear_voice(message: Message, ctx: UpdateContext) -> None:
    """Answer at once, and queue the recording; the answer becomes what was understood."""
    voice = message.voice
    if voice is None or voice.duration > MAX_VOICE_S:
        await send(message, View(text=ctx.say("assistant-voice-long", minutes=MAX_VOICE_S // 60), rows=[]))
        return
    shown_in = await send(message, views.listening(ctx.say))
    ask_for_transcript(ctx, voice.file_id, shown_in=shown_in)


async def use_transcript(query: CallbackQuery, callback_data: TranscriptButton, tap: Tap, ctx: UpdateContext) -> None:
    """Go on as if the words had been written; the message keeps them, without buttons."""
    text = await transcript_of(ctx.pool, call_id=callback_data.call_id, user_id=ctx.user_id)
    if not text:
        await tap.answer(ctx.say("assistant-voice-old"), alert=True)
        return
    await tap.answer()
    await tap.replace(View(text=views.said(ctx.say, text), rows=[]))
    await on_transcript(query, tap, ctx, text)


async def forget_transcript(
    _query: CallbackQuery, callback_data: TranscriptButton, tap: Tap, ctx: UpdateContext
) -> None:
    del callback_data
    await tap.answer()
    await tap.replace(View(text=ctx.say("assistant-forgotten"), rows=[]))


async def _tapped(tap: Tap, ctx: UpdateContext, tapped: AssistButton) -> DraftOrder | None:
    """The draft as its card showed it; otherwise the tap is answered, and an outdated card is shown again."""
    found = await ctx.orders.find(ctx.user_id, tapped.draft_id)
    if found is None or found.draft.is_closed or found.draft.is_bought:
        await tap.answer(
            ctx.say("tap-draft-bought" if found and found.draft.is_bought else "tap-draft-gone"), alert=True
        )
        return None
    if found.draft.revision != tapped.revision:
        await tap.answer(ctx.say("tap-card-renewed"), alert=True)
        await show_card(ctx, tap.replace, model=found.model, draft=found.draft)
        return None
    return found
