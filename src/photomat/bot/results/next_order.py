"""A new order that begins with a result: what is wished with exactly this output, or the same order again.

The new card is a new message: the tapped one belongs to `delivery`, or is a page of the gallery. What a model needs beside the
output is the wish's own prompt; where there is none, it is asked for. Nothing is bought here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape, unescape
from typing import Any

from aiogram import F, Router
from aiogram.types import CallbackQuery

from photomat.bot.buttons import JobAction, JobButton, JobNextButton
from photomat.bot.context import UpdateContext
from photomat.bot.menu.handlers import find_model
from photomat.bot.order_form.flow import open_model, reorder
from photomat.bot.order_form.message_answers import accept_own_result
from photomat.bot.order_form.wording import refused_in_words
from photomat.bot.transport import Tap
from photomat.bot.view import Show, View
from photomat.catalog.answers import Refused
from photomat.catalog.model import Model
from photomat.catalog.reference import JobRef
from photomat.catalog.wishes import Start, Wish, source_input, wishes, with_file, with_track, with_words
from photomat.delivery.next_steps import NextSteps, start_of
from photomat.delivery.outputs import Output, outputs_of
from photomat.jobs.history import OwnJob, own_job
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import JobId, MessageId


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """An output, what it is to begin with, the wish for it, and the model that serves it."""

    output: Output
    start: Start
    wish: Wish
    model: Model


def router() -> Router:
    routes = Router(name="next order")
    routes.callback_query.register(go_on_from_output, JobNextButton.filter(F.action == "next"))
    routes.callback_query.register(order_again, JobButton.filter(F.action == JobAction.AGAIN))
    routes.callback_query.register(order_variant, JobButton.filter(F.action == JobAction.VARIANT))
    return routes


async def find_own_job(tap: Tap, ctx: UpdateContext, job_id: JobId) -> OwnJob | None:
    """The job whose button was tapped, with its correlation id taken over; another user's is refused here."""
    bought = await own_job(ctx.pool, job_id=job_id, user_id=ctx.user_id)
    if bought is None:
        await tap.answer(ctx.say("tap-not-yours"), alert=True)
    else:
        ctx.corr = bought.corr
    return bought


async def go_on_from_output(_query: CallbackQuery, callback_data: JobNextButton, tap: Tap, ctx: UpdateContext) -> None:
    """Open a card with the tapped output in it, or ask the one thing that is missing."""
    job_id = JobId(callback_data.job_id)
    bought = await find_own_job(tap, ctx, job_id)
    if bought is None:
        return
    chosen = await _chosen(ctx, bought, callback_data)
    if chosen is None:
        await tap.answer(ctx.say("tap-next-gone"), alert=True)
        return
    model, wish = chosen.model, chosen.wish
    source = await _source(ctx, model, chosen.start, chosen.output)
    if isinstance(source, Refused):
        await tap.answer(unescape(refused_in_words(ctx.say, model, source, ctx.language)), alert=True)
        return
    await tap.answer()
    await open_model(ctx, _asking(tap, ctx, wish, model), model, {**source, **_words(model, wish, ctx.language)})


async def _chosen(ctx: UpdateContext, bought: OwnJob, tapped: JobNextButton) -> Chosen | None:
    """What a button stands for now; None when the output or the wish is gone, or no model for it is sold."""
    found = await outputs_of(ctx.pool, JobId(tapped.job_id)) if bought.status is JobStatus.DONE else []
    output = next((each for each in found if each.position == tapped.position), None)
    wish, ordered = wishes().get(tapped.wish), ctx.orders.catalog.models.get(bought.model)
    start = start_of(output, ordered=ordered.kind if ordered else None) if output is not None else None
    if output is None or wish is None or start is None:
        return None
    model = NextSteps(storefront=await ctx.orders.storefront()).model_for(wish, start)
    return None if model is None else Chosen(output=output, start=start, wish=wish, model=model)


async def _source(ctx: UpdateContext, model: Model, start: Start, output: Output) -> dict[str, Any] | Refused:
    """The inputs that hold the output: as a track Kie knows, else as a file."""
    if start == "track" and model.input_for("source_track") is not None:
        return with_track(model, JobRef(output.job_id, output.position))
    asked = source_input(model, "audio" if start == "track" else start)
    if asked is None:
        return Refused(key="tap-next-gone", facts={})
    file = await accept_own_result(ctx, output.job_id, output.position, asked)
    return file if isinstance(file, Refused) else with_file(asked, file)


def _words(model: Model, wish: Wish, language: str) -> Mapping[str, Any]:
    return with_words(model, wish.prompt.of(language)) if wish.prompt is not None else {}


def _asking(tap: Tap, ctx: UpdateContext, wish: Wish, model: Model) -> Show:
    """Sends what comes next; a question of words asks what is to change."""

    async def show(view: View) -> MessageId | None:
        if view.expects_text and wish.prompt is None:
            view = replace(view, text=ctx.say("next-asks-words", model=escape(model.title_in(ctx.language))))
        return await tap.send(view)

    return show


async def order_again(_query: CallbackQuery, callback_data: JobButton, tap: Tap, ctx: UpdateContext) -> None:
    """Open a new draft with the job's inputs, on a new card."""
    await _reorder(tap, ctx, JobId(callback_data.job_id), keeps_seed=True)


async def order_variant(_query: CallbackQuery, callback_data: JobButton, tap: Tap, ctx: UpdateContext) -> None:
    """The same order with another seed, on a new card."""
    await _reorder(tap, ctx, JobId(callback_data.job_id), keeps_seed=False)


async def _reorder(tap: Tap, ctx: UpdateContext, job_id: JobId, *, keeps_seed: bool) -> None:
    bought = await find_own_job(tap, ctx, job_id)
    model = await find_model(tap, ctx, bought.model) if bought is not None and tap.message is not None else None
    if bought is None or model is None:
        return
    seed = None if keeps_seed else model.input_for("seed")
    inputs = {name: value for name, value in bought.inputs.items() if seed is None or name != seed.name}
    if await ctx.orders.has_recent_duplicate(ctx.user_id, model, inputs, origin=ctx.origin):
        await tap.answer(ctx.say("tap-again-twice"), alert=True)
        return
    await tap.answer()
    await reorder(ctx, tap.send, model, inputs)
