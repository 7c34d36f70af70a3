"""Advance a form: store an answer, ask the next question, or save the draft and show its card."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from photomat.bot.buttons import ListButton
from photomat.bot.context import UpdateContext
from photomat.bot.order_card.views import show_card
from photomat.bot.order_form import views
from photomat.bot.order_form.form import (
    VARIANT,
    Form,
    answer_of,
    ask_again,
    can_take_more,
    field_named,
    files_so_far,
    is_typed,
    new_form,
    next_question,
    take,
    with_field,
)
from photomat.bot.order_form.views import About, OpenQuestion, Sources
from photomat.bot.order_form.voices import ALL_VOICES, VoiceFilter, VoicePage, is_voice_choice, voices_of
from photomat.bot.order_form.wording import refused_in_words
from photomat.bot.view import Show, View
from photomat.catalog.answers import Refused
from photomat.catalog.input import FileKind, Input
from photomat.catalog.model import Model
from photomat.catalog.order import still_valid
from photomat.catalog.reference import JobRef, reference
from photomat.catalog.storefront import menu_category
from photomat.catalog.words import VoiceFacts
from photomat.jobs.history import SHOWN, EarlierResult, earlier_tasks, earlier_tracks
from photomat.kernel.ids import ChatId, JobId
from photomat.templates.examples import of_voice


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How the customer is answered: `show` the next view, or `refuse` their answer with the reason."""

    show: Show
    show_refusal: Show

    async def refuse(self, question: OpenQuestion, refused: Refused) -> None:
        await self.show_refusal(views.refusal(question, refused))


async def open_model(
    ctx: UpdateContext,
    show: Show,
    model: Model,
    inputs: Mapping[str, Any] | None = None,
    *,
    came_from: str | None = None,
) -> None:
    """Ask the first question of a model, which is its page; an order that needs none gets its card at once."""
    valid = still_valid(model, inputs or {})
    form = new_form(model, form_id=ctx.received_id, inputs=valid, starts_from=_starts_from(came_from))
    await _ask_or_finish(ctx, Reply(show=show, show_refusal=show), model, replace(form, came_from=came_from))


async def reorder(ctx: UpdateContext, show: Show, model: Model, inputs: Mapping[str, Any]) -> None:
    """A new card with the inputs of an earlier order; what is gone, or fits today's catalogue no longer, is asked for again."""
    if await ctx.orders.objections(ctx.user_id, model, inputs):
        await open_model(ctx, show, model, inputs)
        return
    draft = await ctx.orders.save_draft(ctx.buyer, model, inputs, origin=ctx.origin)
    await show_card(ctx, show, model=model, draft=draft)


async def open_question(ctx: UpdateContext) -> OpenQuestion | None:
    """The question a conversation waits for; None when there is none, or the catalogue has it no longer."""
    form = ctx.form
    model = await ctx.orders.model(form.model) if form else None
    if form is None or model is None:
        return None
    asked = model.input(form.asking)
    is_known = asked is not None or (form.asking == VARIANT and bool(model.one_of))
    is_field_known = form.field is None or (asked is not None and field_named(asked, form.field) is not None)
    return _question(ctx, model, form) if is_known and is_field_known else None


def _question(ctx: UpdateContext, model: Model, form: Form) -> OpenQuestion:
    return OpenQuestion(say=ctx.say, language=ctx.language, model=model, form=form, server=ctx.server)


async def ask(ctx: UpdateContext, show: Show, model: Model, form: Form, *, why: str = "") -> None:
    """Wait for the answer to the form's open question, and ask it, with the reason why it is asked again."""
    ctx.save_form(form)
    view = await asked_view(ctx, _question(ctx, model, form))
    shown_in = await show(replace(view, text=f"{why}\n\n{view.text}") if why else view)
    ctx.save_form(replace(form, asked_in=shown_in))


async def asked_view(
    ctx: UpdateContext, question: OpenQuestion, *, page: int = 0, only: VoiceFilter = ALL_VOICES
) -> View:
    """The open question; the first of a form is the model's page, and one that has files already counts them."""
    form, asked, current = question.form, question.input, question.current
    if asked is not None and files_so_far(form, asked):
        return views.counter(question)
    model, about = question.model, None
    if form.is_first:
        about = About(offer=await ctx.orders.offer(model), usual_s=await ctx.config.usual_times.of(model.id))
    sources = await _sources(ctx, question, current, page) if current and current.type in {"task", "track"} else None
    voices = (
        await _voices(ctx, current, page, only) if current and is_voice_choice(current, _known_voices(ctx)) else None
    )
    return views.question_view(question, page=page, about=about, sources=sources, voices=voices)


async def accept(ctx: UpdateContext, reply: Reply, question: OpenQuestion, value: Any) -> None:
    """Take a complete answer and go on, or say why the order is then invalid."""
    form, model = question.form, question.model
    inputs = {**form.inputs, form.asking: value} if form.asking != VARIANT else form.inputs
    measured = await ctx.orders.measured(ctx.user_id, model, inputs)
    taken = take(model, form, value, measured=measured)
    if isinstance(taken, Refused):
        await reply.refuse(question, taken)
    else:
        await go_on(ctx, reply, model, taken)


async def accept_part(ctx: UpdateContext, reply: Reply, question: OpenQuestion, asked: Input, value: Any) -> None:
    """Take the value of the open field of a line, or say why the lines are then invalid."""
    filled = with_field(question.form, asked, value)
    if isinstance(filled, Refused):
        await reply.refuse(question, filled)
    else:
        await go_on_with_lines(ctx, reply, question, asked, filled)


async def go_on_with_lines(ctx: UpdateContext, reply: Reply, question: OpenQuestion, asked: Input, form: Form) -> None:
    """Ask for the next field or line; a list that is filled in field by field and full is an answer."""
    is_full = form.field is None and not is_typed(asked) and not can_take_more(form, asked)
    if is_full:
        await accept_gathered(ctx, reply, replace(question, form=form), asked)
    else:
        await ask(ctx, reply.show, question.model, form)


async def accept_gathered(ctx: UpdateContext, reply: Reply, question: OpenQuestion, asked: Input) -> None:
    """Take all files or lines so far as the answer, or say what is missing."""
    answer = answer_of(question.form, asked)
    if isinstance(answer, Refused):
        await reply.refuse(question, answer)
    else:
        await accept(ctx, reply, question, answer)


async def go_on(ctx: UpdateContext, reply: Reply, model: Model, form: Form) -> None:
    """Ask the next question; when nothing is left to ask, check the answers and show the card."""
    following = next_question(model, form)
    if following is not None:
        await ask(ctx, reply.show, model, following)
    else:
        await _ask_or_finish(ctx, reply, model, form)


async def _ask_or_finish(ctx: UpdateContext, reply: Reply, model: Model, form: Form) -> None:
    """Ask again for inputs that do not fit, then for what is left to ask; when there is nothing, show the card."""
    unfit = await ctx.orders.unfit_inputs(ctx.user_id, model, form.inputs)
    form = ask_again(model, form, unfit) if unfit else form
    following = next_question(model, form)
    if following is not None:
        reasons = [refused_in_words(ctx.say, model, each, ctx.language) for each in unfit.values()]
        await ask(ctx, reply.show, model, following, why="\n".join(reasons))
    else:
        await _finish(ctx, reply, model, form)


async def _finish(ctx: UpdateContext, reply: Reply, model: Model, form: Form) -> None:
    refused = await ctx.orders.objections(ctx.user_id, model, form.inputs)
    if refused:
        await reply.refuse(_question(ctx, model, form), refused[0])
        return
    inputs = form.inputs if form.is_change else await ctx.orders.completed(ctx.user_id, model, form.inputs)
    draft = await ctx.orders.save_draft(ctx.buyer, model, inputs, origin=ctx.origin, draft_id=form.draft_id)
    ctx.drop_form()
    await show_card(ctx, reply.show, model=model, draft=draft)


async def matching_results(
    ctx: UpdateContext, question: OpenQuestion, current: Input, *, job_id: JobId | None = None, page: int = 0
) -> list[EarlierResult]:
    """The user's earlier results that answer the question; a track comes from the job that was chosen before."""
    models = [each.id for each in ctx.orders.catalog.sources(question.model, current)]
    if current.type == "task":
        return await earlier_tasks(ctx.pool, user_id=ctx.user_id, models=models, job_id=job_id, skip=page * SHOWN)
    job_id = job_id or _chosen_job(question)
    return await earlier_tracks(ctx.pool, user_id=ctx.user_id, models=models, job_id=job_id, skip=page * SHOWN)


async def _sources(ctx: UpdateContext, question: OpenQuestion, current: Input, page: int) -> Sources:
    makers = [await ctx.orders.model(each.id) for each in ctx.orders.catalog.sources(question.model, current)]
    made = await matching_results(ctx, question, current, page=page)
    return Sources(made=made, models=[each for each in makers if each is not None], page=page)


async def _voices(ctx: UpdateContext, current: Input, page: int, only: VoiceFilter) -> VoicePage | None:
    """The list of voices; in a group, where samples would disturb, None: voices are options like any other there."""
    if ctx.chat_id != ChatId(ctx.user_id):
        return None
    samples = await ctx.config.examples()
    heard = frozenset(each for each in current.options if of_voice(each) in samples)
    return VoicePage(
        voices=voices_of(current, _known_voices(ctx), samples=heard, language=ctx.language), only=only, page=page
    )


def _known_voices(ctx: UpdateContext) -> Mapping[str, VoiceFacts]:
    return ctx.orders.catalog.voices


def _starts_from(came_from: str | None) -> FileKind | None:
    """The kind of file that the models of this list start from."""
    category = menu_category(ListButton.unpack(came_from).category) if came_from else None
    return category.starts_from if category else None


def _chosen_job(question: OpenQuestion) -> JobId | None:
    tasks = [question.form.inputs.get(each.name) for each in question.model.inputs if each.type == "task"]
    found = [ref for ref in map(reference, tasks) if isinstance(ref, JobRef)]
    return JobId(found[0].job_id) if found else None
