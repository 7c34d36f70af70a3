"""Going on with a form: an answer is taken, the next question asked, the last one becomes a draft with its card."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from photomat.bot.buttons import ListButton
from photomat.bot.context import UpdateContext
from photomat.bot.order_card.views import Show, show_card
from photomat.bot.order_form import form as order_form_form
from photomat.bot.order_form import views
from photomat.bot.order_form.form import WAY, Form, ask_again, is_typed, new_form, next_question, still_good, take
from photomat.bot.order_form.views import About, Asking, Sources
from photomat.bot.order_form.wording import refused_in_words
from photomat.bot.view import View
from photomat.catalog.answers import Refused
from photomat.catalog.input import FileKind, Input
from photomat.catalog.model import Model
from photomat.catalog.reference import JobRef, reference
from photomat.catalog.storefront import menu_category
from photomat.jobs.history import SHOWN, EarlierResult, earlier_tasks, earlier_tracks, usual_seconds
from photomat.kernel.ids import JobId

Refuse: TypeAlias = Callable[[View], Awaitable[object]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How the customer is answered: by the next view, or by why their answer does not fit."""

    show: Show
    refuse: Refuse


async def open_model(
    ctx: UpdateContext,
    show: Show,
    model: Model,
    inputs: Mapping[str, Any] | None = None,
    *,
    came_from: str | None = None,
) -> None:
    """Ask the first question of a model, which is its page; an order that needs none gets its card at once."""
    kept = still_good(model, inputs or {})
    form = new_form(model, form_id=ctx.received_id, inputs=kept, starts_from=_starts_from(came_from))
    await _ask_or_finish(ctx, Reply(show=show, refuse=show), model, replace(form, came_from=came_from))


async def reorder(ctx: UpdateContext, show: Show, model: Model, inputs: Mapping[str, Any]) -> None:
    """A new card with the inputs of an earlier order; what is gone, or fits today's catalogue no longer, is asked for anew."""
    if await ctx.orders.objections(ctx.user_id, model, inputs):
        await open_model(ctx, show, model, inputs)
        return
    draft = await ctx.orders.save_draft(ctx.buyer, model, inputs, origin=ctx.origin)
    await show_card(ctx, show, model=model, draft=draft)


async def open_asking(ctx: UpdateContext) -> Asking | None:
    """The question a conversation waits for; None when there is none, or the catalogue has it no longer."""
    form = ctx.form
    model = await ctx.orders.model(form.model) if form else None
    if form is None or model is None:
        return None
    asked = model.input(form.asking)
    is_known = asked is not None or (form.asking == WAY and bool(model.one_of))
    is_field_known = form.field is None or (
        asked is not None and order_form_form.field_named(asked, form.field) is not None
    )
    asking = Asking(say=ctx.say, language=ctx.language, model=model, form=form)
    return asking if is_known and is_field_known else None


async def ask(ctx: UpdateContext, show: Show, model: Model, form: Form, *, why: str = "") -> None:
    """Wait for the answer to the form's open question, and ask it, with the reason why it is asked again."""
    ctx.keep_form(form)
    asking = Asking(say=ctx.say, language=ctx.language, model=model, form=form)
    view = await asked_view(ctx, asking)
    await show(replace(view, text=f"{why}\n\n{view.text}") if why else view)


async def asked_view(ctx: UpdateContext, asking: Asking, *, page: int = 0) -> View:
    """The open question; the first of a form is the model's page, and one that has files already counts them."""
    form, asked, wanted = asking.form, asking.asked, asking.target
    if asked is not None and order_form_form.files_so_far(form, asked):
        return views.counter(asking)
    about = await _about(ctx, asking.model) if form.is_first else None
    sources = await _sources(ctx, asking, wanted, page) if wanted and wanted.type in {"task", "track"} else None
    return views.question(asking, page=page, about=about, sources=sources)


async def accept(ctx: UpdateContext, reply: Reply, asking: Asking, value: Any) -> None:
    """Take a complete answer and go on, or say why the order is then invalid."""
    form, model = asking.form, asking.model
    inputs = {**form.inputs, form.asking: value} if form.asking != WAY else form.inputs
    measured = await ctx.orders.measured(ctx.user_id, model, inputs)
    taken = take(model, form, value, measured=measured)
    if isinstance(taken, Refused):
        await reply.refuse(views.refusal(asking, taken))
    else:
        await go_on(ctx, reply, model, taken)


async def accept_part(ctx: UpdateContext, reply: Reply, asking: Asking, asked: Input, value: Any) -> None:
    """Take the value of the open field of a line, or say why the lines are then invalid."""
    filled = order_form_form.with_field(asking.form, asked, value)
    if isinstance(filled, Refused):
        await reply.refuse(views.refusal(asking, filled))
    else:
        await go_on_with_lines(ctx, reply, asking, asked, filled)


async def go_on_with_lines(ctx: UpdateContext, reply: Reply, asking: Asking, asked: Input, form: Form) -> None:
    """Ask for the next field or line; a list that is filled in field by field and full is an answer."""
    is_full = form.field is None and not is_typed(asked) and not order_form_form.can_take_more(form, asked)
    if is_full:
        await accept_gathered(ctx, reply, _at(asking, form), asked)
    else:
        await ask(ctx, reply.show, asking.model, form)


async def accept_gathered(ctx: UpdateContext, reply: Reply, asking: Asking, asked: Input) -> None:
    """Take everything that was gathered as the answer, or say what is missing."""
    answer = order_form_form.answer_of(asking.form, asked)
    if isinstance(answer, Refused):
        await reply.refuse(views.refusal(asking, answer))
    else:
        await accept(ctx, reply, asking, answer)


async def go_on(ctx: UpdateContext, reply: Reply, model: Model, form: Form) -> None:
    """Ask the next question; when nothing is left to ask, show the card. What cannot stay is asked for again before that."""
    following = next_question(model, form)
    if following is not None:
        await ask(ctx, reply.show, model, following)
    else:
        await _ask_or_finish(ctx, reply, model, form)


async def _ask_or_finish(ctx: UpdateContext, reply: Reply, model: Model, form: Form) -> None:
    """Ask again what cannot stay as it is, then whatever is left to ask; when there is nothing, show the card."""
    cannot_stay = await ctx.orders.unfit_inputs(ctx.user_id, model, form.inputs)
    fit = ask_again(model, form, cannot_stay) if cannot_stay else form
    following = next_question(model, fit)
    if following is not None:
        reasons = [refused_in_words(ctx.say, model, each, ctx.language) for each in cannot_stay.values()]
        await ask(ctx, reply.show, model, following, why="\n".join(reasons))
    else:
        await _finish(ctx, reply, model, fit)


async def _finish(ctx: UpdateContext, reply: Reply, model: Model, form: Form) -> None:
    refused = await ctx.orders.objections(ctx.user_id, model, form.inputs)
    if refused:
        asking = Asking(say=ctx.say, language=ctx.language, model=model, form=form)
        await reply.refuse(views.refusal(asking, refused[0]))
        return
    draft = await ctx.orders.save_draft(ctx.buyer, model, form.inputs, origin=ctx.origin, draft_id=form.draft_id)
    ctx.forget_form()
    await show_card(ctx, reply.show, model=model, draft=draft)


async def made_for(
    ctx: UpdateContext, asking: Asking, wanted: Input, *, job_id: JobId | None = None, page: int = 0
) -> list[EarlierResult]:
    """The user's earlier results that answer the question; a track comes from the job that was chosen before."""
    models = [each.id for each in ctx.orders.catalog.sources(asking.model, wanted)]
    if wanted.type == "task":
        return await earlier_tasks(ctx.pool, user_id=ctx.user_id, models=models, job_id=job_id, skip=page * SHOWN)
    chosen = _chosen_job(asking)
    return await earlier_tracks(
        ctx.pool, user_id=ctx.user_id, models=models, job_id=job_id or chosen, skip=page * SHOWN
    )


async def _sources(ctx: UpdateContext, asking: Asking, wanted: Input, page: int) -> Sources:
    makers = [await ctx.orders.model(each.id) for each in ctx.orders.catalog.sources(asking.model, wanted)]
    made = await made_for(ctx, asking, wanted, page=page)
    return Sources(made=made, models=[each for each in makers if each is not None], page=page)


async def _about(ctx: UpdateContext, model: Model) -> About:
    return About(offer=await ctx.orders.offer(model), usual_s=await usual_seconds(ctx.pool, model.id))


def _starts_from(came_from: str | None) -> FileKind | None:
    """The kind of file that the models of this list start from."""
    category = menu_category(ListButton.unpack(came_from).category) if came_from else None
    return category.starts_from if category else None


def _chosen_job(asking: Asking) -> JobId | None:
    tasks = [asking.form.inputs.get(each.name) for each in asking.model.inputs if each.type == "task"]
    found = [ref for ref in map(reference, tasks) if isinstance(ref, JobRef)]
    return JobId(found[0].job_id) if found else None


def _at(asking: Asking, form: Form) -> Asking:
    return Asking(say=asking.say, language=asking.language, model=asking.model, form=form)
