"""Taps and voice messages for the assistant. Nothing here waits for it: a call is queued in the update's commit.

Undoing an improvement needs no assistant: the prompt before it is in the draft.
"""

from typing import Final

from aiogram import F, Router
from aiogram.enums import ChatType
from aiogram.filters import Filter
from aiogram.types import CallbackQuery, Message

from photomat.assistant.calls import CallKind, Wanted, is_under_way, transcript_of, want
from photomat.assistant.chat import can_be_improved
from photomat.assistant.notes import improvement_of
from photomat.bot.assistant import views
from photomat.bot.assistant.transcript import on_transcript
from photomat.bot.buttons import AssistAction, AssistButton, TranscriptButton
from photomat.bot.context import UpdateContext
from photomat.bot.order_card.views import show_card
from photomat.bot.transport import Tap, send
from photomat.bot.view import View
from photomat.kernel.ids import DraftId
from photomat.orders.draft import Draft
from photomat.orders.outcome import DraftOrder

MAX_VOICE_S: Final = 120


class HasAssistant(Filter):
    async def __call__(self, _event: Message, ctx: UpdateContext) -> bool:
        return ctx.config.has_assistant


def router() -> Router:
    routes = Router(name="assistant")
    routes.callback_query.register(improve_prompt, AssistButton.filter(F.action == AssistAction.IMPROVE))
    routes.callback_query.register(undo_improvement, AssistButton.filter(F.action == AssistAction.UNDO))
    routes.callback_query.register(use_transcript, TranscriptButton.filter(F.use))
    routes.callback_query.register(forget_transcript, TranscriptButton.filter(~F.use))
    routes.message.register(hear_voice, F.voice, F.chat.type == ChatType.PRIVATE, HasAssistant())
    return routes


def ask_for_plan(ctx: UpdateContext, draft: Draft, *, words: str) -> None:
    """Have the assistant look at a card that these words made; nothing where there is none."""
    if ctx.config.has_assistant:
        _queue(ctx, CallKind.PLAN, origin=f"plan:{draft.draft_id}:{draft.revision}", draft=draft, words=words)


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
    _queue(ctx, CallKind.IMPROVE, origin=f"improve:{draft.draft_id}:{draft.revision}:{ctx.received_id}", draft=draft)
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
    wanted = Wanted(
        kind=CallKind.TRANSCRIBE,
        origin=ctx.origin,
        bot_id=ctx.bot_id,
        user_id=ctx.user_id,
        chat_id=ctx.chat_id,
        language=ctx.language,
        message_id=shown_in,
        file_id=voice.file_id,
    )
    ctx.on_commit(lambda tx: want(tx, wanted))


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
    """The draft as its card showed it; otherwise the tap is answered, and an outdated card is shown anew."""
    found = await ctx.orders.find(ctx.user_id, tapped.draft_id)
    started = await ctx.orders.job_of_draft(ctx.user_id, DraftId(tapped.draft_id), message_id=tap.message_id)
    if found is None or found.draft.is_closed or started is not None:
        await tap.answer(ctx.say("tap-draft-bought" if started else "tap-draft-gone"), alert=True)
        return None
    if found.draft.revision != tapped.revision:
        await tap.answer(ctx.say("tap-card-renewed"), alert=True)
        await show_card(ctx, tap.replace, model=found.model, draft=found.draft)
        return None
    return found


def _queue(ctx: UpdateContext, kind: CallKind, *, origin: str, draft: Draft, words: str | None = None) -> None:
    wanted = Wanted(
        kind=kind,
        origin=origin,
        bot_id=ctx.bot_id,
        user_id=ctx.user_id,
        chat_id=ctx.chat_id,
        language=ctx.language,
        draft_id=draft.draft_id,
        revision=draft.revision,
        words=words,
    )
    ctx.on_commit(lambda tx: want(tx, wanted))
