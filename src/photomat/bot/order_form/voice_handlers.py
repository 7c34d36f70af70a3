"""The list of voices turns and is filtered in place; a sample is sent at most once for a tap.

The tap is claimed before its sample leaves: an update that is handled again, after a crash or a lost answer, sends nothing.
Telegram's file id is kept after the first send, so a sample is uploaded once.
"""

from dataclasses import replace
from typing import Final

from aiogram import Router
from aiogram.enums import ParseMode
from aiogram.exceptions import TelegramBadRequest, TelegramNetworkError
from aiogram.types import CallbackQuery, FSInputFile, InlineKeyboardMarkup, Message

from photomat.bot.buttons import HearVoiceButton, VoicesButton
from photomat.bot.context import UpdateContext
from photomat.bot.order_form import voices
from photomat.bot.order_form.flow import asked_view
from photomat.bot.order_form.handlers import answer_closed_question, question_of, reply_to
from photomat.bot.order_form.views import OpenQuestion
from photomat.bot.order_form.voices import Voice, VoiceFilter, is_voice_choice, voices_of
from photomat.bot.transport import Tap
from photomat.kernel.error_report import describe
from photomat.kernel.logs import get_logger
from photomat.templates.examples import ReadyExample, of_voice, record_file_id
from photomat.work import budget
from photomat.work.budget import Budget

TAP_LASTS_S: Final = 3600.0
MAX_HEARD: Final = 20
log = get_logger()


def router() -> Router:
    routes = Router(name="voices")
    routes.callback_query.register(turn_voices, VoicesButton.filter())
    routes.callback_query.register(hear_voice, HearVoiceButton.filter())
    return routes


async def turn_voices(_query: CallbackQuery, callback_data: VoicesButton, tap: Tap, ctx: UpdateContext) -> None:
    question = await question_of(ctx, callback_data)
    current = question.current if question else None
    if question is None or current is None or not is_voice_choice(current, ctx.orders.catalog.voices):
        await answer_closed_question(tap, ctx)
        return
    only = VoiceFilter(sex=callback_data.sex, accent=callback_data.accent)
    await reply_to(tap).show(await asked_view(ctx, question, page=callback_data.page, only=only))


async def hear_voice(_query: CallbackQuery, callback_data: HearVoiceButton, tap: Tap, ctx: UpdateContext) -> None:
    """Send the sample of a voice of the open question, with a button that chooses the voice."""
    question = await question_of(ctx, callback_data)
    options = question.current.options if question and question.current else ()
    if question is None or not isinstance(tap.message, Message) or callback_data.option >= len(options):
        await answer_closed_question(tap, ctx)
        return
    value = options[callback_data.option]
    sample = (await ctx.config.examples()).get(of_voice(value))
    if sample is None or not (sample.file_id or sample.path.is_file()):
        await tap.answer(ctx.say("voice-sample-gone"), alert=True)
        return
    if await budget.take(ctx.pool, Budget(name=f"voice-sample:{ctx.origin}", limit=1, window_s=TAP_LASTS_S)):
        return
    try:
        sent = await _send(tap.message, ctx, question, sample, number=callback_data.option)
    except (TelegramBadRequest, TelegramNetworkError, OSError) as error:
        log.warning("EXAMPLE_NOT_SHOWN", subject=sample.subject, reason=describe(error))
        await tap.answer(ctx.say("voice-sample-failed"), alert=True)
        return
    ctx.save_form(replace(question.form, heard=(*question.form.heard, sent.message_id)[-MAX_HEARD:]))
    _keep_file_id(ctx, sample, sent)


async def _send(
    message: Message, ctx: UpdateContext, question: OpenQuestion, sample: ReadyExample, *, number: int
) -> Message:
    """By the file id Telegram knows; where it takes that no longer, by the file."""
    voice = _voice(ctx, question, number)
    keyboard = InlineKeyboardMarkup(inline_keyboard=[[voices.choose_button(ctx.say, question.form, voice)]])
    caption = voices.sample_caption(ctx.say, voice, drawn=sample.drawn)

    async def send(source: str | FSInputFile) -> Message:
        return await message.answer_audio(
            source, title=voice.name, caption=caption, parse_mode=ParseMode.HTML, reply_markup=keyboard
        )

    file = FSInputFile(sample.path)
    if sample.file_id is None:
        return await send(file)
    try:
        return await send(sample.file_id)
    except TelegramBadRequest:
        if not sample.path.is_file():
            raise
        return await send(file)


def _keep_file_id(ctx: UpdateContext, sample: ReadyExample, sent: Message) -> None:
    if sent.audio is not None and sent.audio.file_id != sample.file_id:
        file_id = sent.audio.file_id
        ctx.on_commit(lambda tx: record_file_id(tx, sample.subject, file_id))


def _voice(ctx: UpdateContext, question: OpenQuestion, number: int) -> Voice:
    known, asked = ctx.orders.catalog.voices, question.current
    found = voices_of(asked, known, samples=frozenset(), language=ctx.language) if asked else ()
    return found[number]
