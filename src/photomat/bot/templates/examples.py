"""The example message above the greeting: one template's picture, ◀ ▶ turn it in place, «Сделать такое же» opens the template.

Telegram's file id is kept after the first send, so a file is uploaded once. Where there is no example, or its file is gone,
nothing is shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from aiogram import Router
from aiogram.enums import ChatType, ParseMode
from aiogram.exceptions import TelegramBadRequest, TelegramNetworkError
from aiogram.types import (
    CallbackQuery,
    FSInputFile,
    InlineKeyboardMarkup,
    InputMediaAudio,
    InputMediaPhoto,
    InputMediaVideo,
    Message,
)

from photomat.bot.buttons import ExampleButton
from photomat.bot.context import UpdateContext
from photomat.bot.templates import views
from photomat.bot.templates.handlers import shown_templates
from photomat.bot.transport import Tap
from photomat.jobs.history import has_ordered
from photomat.kernel.error_report import describe
from photomat.kernel.logs import get_logger
from photomat.telegram.errors import is_not_modified
from photomat.templates.examples import ExampleMedia, ReadyExample, of_template, record_file_id
from photomat.templates.template import Template

ExampleInput: TypeAlias = InputMediaPhoto | InputMediaVideo | InputMediaAudio
INPUT_MEDIA: Final[Mapping[ExampleMedia, type[ExampleInput]]] = {
    "image": InputMediaPhoto,
    "video": InputMediaVideo,
    "audio": InputMediaAudio,
}
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A template with its example, among all that have one."""

    template: Template
    example: ReadyExample
    others: list[Template]


def router() -> Router:
    routes = Router(name="examples")
    routes.callback_query.register(turn_example, ExampleButton.filter())
    return routes


async def send_example(message: Message, ctx: UpdateContext) -> None:
    """Send the first example to a user who has ordered nothing yet; what goes wrong with it costs the example alone.

    It is sent as a text and edited into media: repeated after a crash, it leaves a stray line and no second picture.
    """
    shown = await _find(ctx, None) if message.chat.type == ChatType.PRIVATE else None
    if shown is None or await has_ordered(ctx.pool, ctx.user_id):
        return
    media = _media(ctx, shown)
    line = await message.answer(media.caption or shown.template.id, parse_mode=ParseMode.HTML)
    try:
        edited = await line.edit_media(media, reply_markup=_keyboard(ctx, shown))
    except (TelegramBadRequest, TelegramNetworkError, OSError) as error:
        log.warning("EXAMPLE_NOT_SHOWN", subject=shown.example.subject, reason=describe(error))
        await line.delete()
        return
    if isinstance(edited, Message):
        _keep_file_id(ctx, shown.example, edited)


async def turn_example(_query: CallbackQuery, callback_data: ExampleButton, tap: Tap, ctx: UpdateContext) -> None:
    """Turn the tapped message into another example; for one that is gone, the first."""
    shown = await _find(ctx, callback_data.template)
    if shown is None or not isinstance(tap.message, Message):
        await tap.answer(ctx.say("template-gone"), alert=True)
        return
    await tap.answer()
    try:
        edited = await tap.message.edit_media(_media(ctx, shown), reply_markup=_keyboard(ctx, shown))
    except (TelegramBadRequest, OSError) as error:
        if not (isinstance(error, TelegramBadRequest) and is_not_modified(error)):
            log.warning("EXAMPLE_NOT_SHOWN", subject=shown.example.subject, reason=describe(error))
        return
    if isinstance(edited, Message):
        _keep_file_id(ctx, shown.example, edited)


async def _find(ctx: UpdateContext, template_id: str | None) -> Shown | None:
    """The example of a template, or the first one."""
    ready = await ctx.config.examples()
    if not ready:
        return None
    found = [each for each in await shown_templates(ctx) if of_template(each.id) in ready]
    if not found:
        return None
    template = next((each for each in found if each.id == template_id), found[0])
    return Shown(template=template, example=ready[of_template(template.id)], others=found)


def _media(ctx: UpdateContext, shown: Shown) -> ExampleInput:
    caption = views.example_caption(ctx.say, shown.template, language=ctx.language, drawn=shown.example.drawn)
    kind: type[ExampleInput] = INPUT_MEDIA[shown.example.media]
    return kind(media=_source(shown.example), caption=caption, parse_mode=ParseMode.HTML)


def _source(example: ReadyExample) -> FSInputFile | str:
    return example.file_id or FSInputFile(example.shown_path)


def _keyboard(ctx: UpdateContext, shown: Shown) -> InlineKeyboardMarkup:
    rows = views.example_rows(ctx.say, shown.template, shown.others)
    return InlineKeyboardMarkup(inline_keyboard=rows)


def _keep_file_id(ctx: UpdateContext, example: ReadyExample, sent: Message) -> None:
    file = (sent.photo[-1] if sent.photo else None) or sent.video or sent.audio
    if file is not None and file.file_id != example.file_id:
        file_id = file.file_id
        ctx.on_commit(lambda tx: record_file_id(tx, example.subject, file_id))
