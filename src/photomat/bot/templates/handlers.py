"""Ideas: choose one, answer one question for each of its slots, get the card of the order.

The answers so far are in the conversation's data with the number of the update that began them, so that a button of an older
question is known as stale. Nothing is bought here: the card is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from aiogram import Router
from aiogram.filters import StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot.buttons import IdeasButton, SlotButton, SlotResultButton, TemplateButton
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Filling
from photomat.bot.middlewares import AddressedToBot
from photomat.bot.order_form.flow import reorder
from photomat.bot.order_form.message_answers import accept_attachment, accept_own_result, attachment_of, expected
from photomat.bot.order_form.wording import refused_in_words
from photomat.bot.templates import views
from photomat.bot.templates.views import OpenSlot
from photomat.bot.transport import Tap, send
from photomat.bot.view import Show
from photomat.catalog.answers import Refused
from photomat.catalog.model import Model
from photomat.jobs.history import EarlierResult, earlier_files
from photomat.kernel.ids import JobId
from photomat.templates.template import Slot, Template, check_text, file_input

TEMPLATE, FILLED, FORM_ID = "template", "filled", "filled_id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """A template being filled in: the model that is sold for it, and the answers so far."""

    template: Template
    model: Model
    form_id: int
    filled: Mapping[str, Any]

    @property
    def open_slot(self) -> OpenSlot | None:
        slot = self.template.next_slot(self.filled)
        if slot is None:
            return None
        return OpenSlot(template=self.template, slot=slot, form_id=self.form_id, answered=len(self.filled))


def router() -> Router:
    routes = Router(name="templates")
    routes.callback_query.register(open_ideas, IdeasButton.filter())
    routes.callback_query.register(start_template, TemplateButton.filter())
    routes.callback_query.register(answer_by_example, SlotButton.filter())
    routes.callback_query.register(answer_by_result, SlotResultButton.filter())
    return routes


def answers_router() -> Router:
    """Registered after all commands."""
    routes = Router(name="template answers")
    routes.message.register(answer_by_message, StateFilter(Filling.slot), AddressedToBot())
    return routes


async def open_ideas(_query: CallbackQuery, callback_data: IdeasButton, tap: Tap, ctx: UpdateContext) -> None:
    await tap.answer()
    shown = await shown_templates(ctx)
    page = views.ideas_page(ctx.say, shown, group=callback_data.group, page=callback_data.page, language=ctx.language)
    await tap.open(page)


async def shown_templates(ctx: UpdateContext) -> list[Template]:
    return await ctx.config.templates.shown(await ctx.orders.storefront())


async def start_template(_query: CallbackQuery, callback_data: TemplateButton, tap: Tap, ctx: UpdateContext) -> None:
    """Ask the first question; below an example it is a new message, because the example stays."""
    fill = await _begin(ctx, callback_data.template)
    if fill is None:
        await tap.answer(ctx.say("template-gone"), alert=True)
        return
    await tap.answer()
    is_example = isinstance(tap.message, Message) and tap.message.text is None
    await _go_on(ctx, tap.send if is_example else tap.open, fill)


async def begin_template(ctx: UpdateContext, show: Show, template_id: str) -> bool:
    """Ask the first question of a template; False if customers do not see it."""
    fill = await _begin(ctx, template_id)
    if fill is None:
        return False
    await _go_on(ctx, show, fill)
    return True


async def answer_by_example(_query: CallbackQuery, callback_data: SlotButton, tap: Tap, ctx: UpdateContext) -> None:
    fill, asked = await _asked(ctx, callback_data)
    given = asked.slot.examples_in(ctx.language) if asked else ()
    if fill is None or asked is None or callback_data.option >= len(given):
        await tap.answer(ctx.say("tap-question-closed"), alert=True)
        return
    await tap.answer()
    await _go_on(ctx, tap.replace, _with(fill, asked.slot, given[callback_data.option]))


async def answer_by_result(
    _query: CallbackQuery, callback_data: SlotResultButton, tap: Tap, ctx: UpdateContext
) -> None:
    """Take an earlier result of the user's own for the file of a slot."""
    fill, asked = await _asked(ctx, callback_data)
    file = file_input(fill.model, asked.slot) if fill and asked else None
    if fill is None or asked is None or file is None:
        await tap.answer(ctx.say("tap-question-closed"), alert=True)
        return
    found = await accept_own_result(ctx, JobId(callback_data.job_id), callback_data.output, file)
    if isinstance(found, Refused):
        await tap.answer(refused_in_words(ctx.say, fill.model, found, ctx.language), alert=True)
        return
    await tap.answer()
    await _go_on(ctx, tap.replace, _with(fill, asked.slot, found))


async def answer_by_message(message: Message, ctx: UpdateContext) -> None:
    """Take a message as the answer to the open slot; a file goes to the slot that waits for one, whichever is asked."""
    fill = await _stored(ctx)
    asked = fill.open_slot if fill else None
    if fill is None or asked is None:
        ctx.conversation.clear()
        await message.answer(ctx.say("template-gone"))
        return
    answered = await _answered(message, ctx, fill, asked.slot)
    if isinstance(answered, Refused):
        words = refused_in_words(ctx.say, fill.model, answered, ctx.language)
        await send(message, views.refused(asked, words))
    else:
        await _go_on(ctx, partial(send, message), answered)


async def _answered(message: Message, ctx: UpdateContext, fill: Fill, slot: Slot) -> Fill | Refused:
    """The answers with those this message gives: its file, its words."""
    waiting = next((each for each in _open_slots(fill) if each.kind != "text"), None)
    file = file_input(fill.model, waiting) if waiting else None
    brings_file = message.text is None or slot.kind != "text"
    if waiting is not None and file is not None and brings_file and attachment_of(message) is not None:
        found = await accept_attachment(ctx, message, file)
        if isinstance(found, Refused):
            return found
        fill = _with(fill, waiting, found)
        words = (message.caption or "").strip()
        after = fill.open_slot
        takes_words = (
            words and after is not None and after.slot.kind == "text" and check_text(after.slot, words) is None
        )
        return _with(fill, after.slot, words) if takes_words and after else fill
    if slot.kind != "text":
        asked = file_input(fill.model, slot)
        return expected(asked, ctx.language) if asked else Refused(key="form-expects-text", facts={})
    words = (message.text or message.caption or "").strip()
    return check_text(slot, words) or _with(fill, slot, words)


async def _go_on(ctx: UpdateContext, show: Show, fill: Fill) -> None:
    """Ask for the next slot; when all are filled, show the card of the order."""
    asked = fill.open_slot
    if asked is None:
        ctx.conversation.clear()
        await reorder(ctx, show, fill.model, fill.template.order(fill.model, fill.filled, language=ctx.language))
        return
    stored = {TEMPLATE: fill.template.id, FILLED: dict(fill.filled), FORM_ID: fill.form_id}
    ctx.conversation.wait_for(Filling.slot, stored)
    await show(views.slot_question(ctx.say, asked, await _results(ctx, asked.slot), language=ctx.language))


async def _results(ctx: UpdateContext, slot: Slot) -> list[EarlierResult]:
    return [] if slot.kind == "text" else await earlier_files(ctx.pool, user_id=ctx.user_id, kind=slot.kind)


async def _begin(ctx: UpdateContext, template_id: str) -> Fill | None:
    return await _fill(ctx, template_id, form_id=ctx.received_id, filled={})


async def _stored(ctx: UpdateContext) -> Fill | None:
    data = ctx.conversation.data
    template_id, form_id, filled = data.get(TEMPLATE), data.get(FORM_ID), data.get(FILLED)
    if not isinstance(template_id, str) or not isinstance(form_id, int) or not isinstance(filled, dict):
        return None
    return await _fill(ctx, template_id, form_id=form_id, filled=filled)


async def _fill(ctx: UpdateContext, template_id: str, *, form_id: int, filled: Mapping[str, Any]) -> Fill | None:
    storefront = await ctx.orders.storefront()
    shown = await ctx.config.templates.shown(storefront)
    template = next((each for each in shown if each.id == template_id), None)
    model = template.model_on(storefront) if template else None
    return Fill(template=template, model=model, form_id=form_id, filled=filled) if template and model else None


async def _asked(ctx: UpdateContext, tapped: SlotButton | SlotResultButton) -> tuple[Fill | None, OpenSlot | None]:
    """The template that is being filled in and its open slot, if the button belongs to that."""
    fill = await _stored(ctx) if ctx.conversation.state == Filling.slot.state else None
    asked = fill.open_slot if fill else None
    is_its_own = asked is not None and (asked.form_id, asked.number) == (tapped.form_id, tapped.slot)
    return (fill, asked) if is_its_own else (None, None)


def _with(fill: Fill, slot: Slot, value: Any) -> Fill:
    return Fill(
        template=fill.template, model=fill.model, form_id=fill.form_id, filled={**fill.filled, slot.name: value}
    )


def _open_slots(fill: Fill) -> list[Slot]:
    return [each for each in fill.template.slots if each.name not in fill.filled]
