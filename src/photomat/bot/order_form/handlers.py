"""Filling in a form: messages, tapped options, skip, back and finish buttons, earlier results, prices, leaving it.

Buttons of other questions are stale. Only the user's own results can be picked. «💰 Цены» leaves the question open.
"""

from collections.abc import Awaitable, Callable
from html import unescape

from aiogram import F, Router
from aiogram.enums import ChatType
from aiogram.filters import StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot import price_views
from photomat.bot.buttons import (
    LeaveButton,
    ListButton,
    OptionButton,
    OptionPageButton,
    PickButton,
    PricesButton,
    QuestionButton,
    ResultsPageButton,
    Step,
    StepButton,
)
from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Composing
from photomat.bot.menu.handlers import NotSold, show_changed_card, sold_model
from photomat.bot.menu.views import hint
from photomat.bot.middlewares import AddressedToBot
from photomat.bot.order_form import form as forms
from photomat.bot.order_form import message_answers, views
from photomat.bot.order_form.flow import (
    Reply,
    accept,
    accept_gathered,
    accept_part,
    ask,
    asked_view,
    go_on,
    go_on_with_lines,
    matching_results,
    open_question,
)
from photomat.bot.order_form.form import VARIANT, Form
from photomat.bot.order_form.message_answers import accept_own_result
from photomat.bot.order_form.parsing import parse_answer
from photomat.bot.order_form.views import OpenQuestion, pages_of
from photomat.bot.results.gallery_views import PickPage, pick_page
from photomat.bot.transport import Tap, send
from photomat.bot.view import View
from photomat.catalog.answers import Refused
from photomat.catalog.input import Input
from photomat.catalog.options import values
from photomat.catalog.reference import JobRef
from photomat.delivery.outputs import outputs_of
from photomat.delivery.pages import ResultPages
from photomat.jobs.history import SHOWN, earlier_files
from photomat.kernel.ids import JobId, MessageId


def router() -> Router:
    routes = Router(name="order form")
    routes.message.register(answer_by_message, StateFilter(Composing.answering), AddressedToBot())
    routes.callback_query.register(answer_by_tap, OptionButton.filter())
    routes.callback_query.register(turn_options_page, OptionPageButton.filter())
    routes.callback_query.register(show_results, StepButton.filter(F.step == Step.RESULTS))
    routes.callback_query.register(do_step, StepButton.filter())
    routes.callback_query.register(show_results, ResultsPageButton.filter())
    routes.callback_query.register(pick_result, PickButton.filter())
    routes.callback_query.register(open_prices, PricesButton.filter())
    routes.callback_query.register(leave_form, LeaveButton.filter())
    return routes


async def answer_by_message(message: Message, ctx: UpdateContext) -> None:
    """Take a message as the answer to the open question, or say what is expected."""
    question = await open_question(ctx)
    if question is None:
        ctx.drop_form()
        await send(message, hint(ctx.say, "tap-model-gone"))
        return
    step = message_answers.step_in_words(message, question)
    if step is not None:
        await _do(ctx, message_answers.reply_to(message), question, step)
    else:
        await message_answers.answer(message, ctx, question)


async def answer_by_tap(_query: CallbackQuery, callback_data: OptionButton, tap: Tap, ctx: UpdateContext) -> None:
    """Take a tapped option, if its question is the one that is open."""
    question = await question_of(ctx, callback_data)
    value = _option(question, callback_data.option) if question else None
    if question is None or value is None:
        await answer_closed_question(tap, ctx)
        return
    if question.form.field is not None and question.input is not None:
        await accept_part(ctx, reply_to(tap), question, question.input, value)
    else:
        await accept(ctx, reply_to(tap), question, value)


async def turn_options_page(
    _query: CallbackQuery, callback_data: OptionPageButton, tap: Tap, ctx: UpdateContext
) -> None:
    question = await question_of(ctx, callback_data)
    current = question.current if question else None
    if question is None or current is None or callback_data.page >= pages_of(current):
        await answer_closed_question(tap, ctx)
        return
    await reply_to(tap).show(await asked_view(ctx, question, page=callback_data.page))


async def do_step(_query: CallbackQuery, callback_data: StepButton, tap: Tap, ctx: UpdateContext) -> None:
    """Skip, go back, finish, or take any other step a question offers."""
    question = await question_of(ctx, callback_data)
    if question is None or callback_data.step not in {*question.offered, Step.QUESTION}:
        await answer_closed_question(tap, ctx)
        return
    await _do(ctx, reply_to(tap), question, callback_data.step)


async def leave_form(_query: CallbackQuery, callback_data: LeaveButton, tap: Tap, ctx: UpdateContext) -> None:
    """Leave the form; one that changed a draft goes back to its card."""
    left = ctx.form
    if left is None or left.form_id != callback_data.form_id:
        await answer_closed_question(tap, ctx)
        return
    await tap.answer()
    ctx.drop_form()
    if not await show_changed_card(ctx, tap.replace, left):
        await tap.replace(hint(ctx.say, "cancel-done"))


async def question_of(ctx: UpdateContext, tapped: QuestionButton) -> OpenQuestion | None:
    """The open question, if the button is its own; None for a button of an older form or question."""
    question = await open_question(ctx)
    if question is None or (question.form.form_id, question.form.turn) != (tapped.form_id, tapped.turn):
        return None
    return question


async def answer_closed_question(tap: Tap, ctx: UpdateContext) -> None:
    """Say that the question of a button is closed, and where the open one is; in a group it may be another user's."""
    if tap.message is None or tap.message.chat.type != ChatType.PRIVATE:
        await tap.answer(ctx.say("tap-question-foreign"), alert=True)
    else:
        await tap.answer(ctx.say("tap-question-closed" if ctx.form is None else "tap-question-older"), alert=True)


def reply_to(tap: Tap) -> Reply:
    """The tapped message becomes the next view; a refusal pops up."""

    async def show(view: View) -> MessageId | None:
        await tap.answer()
        return await tap.replace(view)

    async def alert(view: View) -> None:
        await tap.answer(unescape(view.text), alert=True)

    return Reply(show=show, show_refusal=alert)


async def _do(ctx: UpdateContext, reply: Reply, question: OpenQuestion, step: Step) -> None:
    asked = question.input
    if step is Step.BACK:
        await _go_back(ctx, reply, question)
    elif asked is not None and step in LINE_STEPS:
        await ask(ctx, reply.show, question.model, LINE_STEPS[step](question.form, asked))
    elif asked is not None and step in STEPS:
        await STEPS[step](ctx, reply, question, asked)
    else:
        await reply.show(await asked_view(ctx, question))


def _option(question: OpenQuestion, number: int) -> int | str | None:
    if question.form.asking == VARIANT:
        return number if number < len(question.model.one_of) else None
    offered = values(question.current) if question.current else ()
    return offered[number] if number < len(offered) else None


async def _skip(ctx: UpdateContext, reply: Reply, question: OpenQuestion, asked: Input) -> None:
    if question.form.field is not None:
        await go_on_with_lines(ctx, reply, question, asked, forms.after_field(question.form, asked))
    else:
        await go_on(ctx, reply, question.model, forms.skip(question.form))


async def _take_example(ctx: UpdateContext, reply: Reply, question: OpenQuestion, asked: Input) -> None:
    example = question.model.example_prompt
    value = parse_answer(asked, example.of(question.language) if example else "", question.language)
    if isinstance(value, Refused):
        await reply.refuse(question, value)
    else:
        await accept(ctx, reply, question, value)


async def _finish(ctx: UpdateContext, reply: Reply, question: OpenQuestion, _asked: Input) -> None:
    left = tuple(each.name for each in forms.upcoming(question.model, question.form))
    await go_on(ctx, reply, question.model, forms.leave_out(question.model, question.form, left))


async def _done(ctx: UpdateContext, reply: Reply, question: OpenQuestion, asked: Input) -> None:
    if asked.type == "files" or forms.files_so_far(question.form, asked):
        await message_answers.files_are_enough(ctx, reply, question, asked)
    else:
        await accept_gathered(ctx, reply, question, asked)


async def _remove(ctx: UpdateContext, reply: Reply, question: OpenQuestion, _asked: Input) -> None:
    removed = forms.remove(question.model, question.form)
    if isinstance(removed, Refused):
        await reply.refuse(question, removed)
    else:
        await go_on(ctx, reply, question.model, removed)


async def _go_back(ctx: UpdateContext, reply: Reply, question: OpenQuestion) -> None:
    within = forms.one_step_back(question.form, question.input) if question.input else None
    before = within or forms.back(question.model, question.form)
    await ask(ctx, reply.show, question.model, before or question.form)


STEPS: dict[Step, Callable[[UpdateContext, Reply, OpenQuestion, Input], Awaitable[None]]] = {
    Step.SKIP: _skip,
    Step.FINISH: _finish,
    Step.DONE: _done,
    Step.REMOVE: _remove,
    Step.EXAMPLE: _take_example,
}
LINE_STEPS: dict[Step, Callable[[Form, Input], Form]] = {
    Step.MORE: forms.another_line,
    Step.DROP: forms.without_last_line,
    Step.WALK: forms.walk_lines,
}


async def show_results(
    _query: CallbackQuery, callback_data: StepButton | ResultsPageButton, tap: Tap, ctx: UpdateContext
) -> None:
    """Show the first page of the user's own results that the open question takes, or the one that is turned to."""
    page = callback_data.page if isinstance(callback_data, ResultsPageButton) else 0
    question = await question_of(ctx, callback_data)
    current = question.current if question else None
    if question is not None and current is not None and current.type in {"task", "track"}:
        await reply_to(tap).show(await asked_view(ctx, question, page=page))
    elif question is None or current is None or current.files is None or Step.RESULTS not in question.offered:
        await answer_closed_question(tap, ctx)
    elif ctx.config.pages is None or tap.message is None or tap.message.chat.type != ChatType.PRIVATE:
        made = await earlier_files(ctx.pool, user_id=ctx.user_id, kind=current.files.kind, skip=page * SHOWN)
        await reply_to(tap).show(views.results(question, made, page=page))
    else:
        await _show_result(tap, ctx, question, current, pages=ctx.config.pages, number=page)


async def _show_result(
    tap: Tap, ctx: UpdateContext, question: OpenQuestion, current: Input, *, pages: ResultPages, number: int
) -> None:
    """One earlier result with its picture; the newest is 0."""
    kind = current.files.kind if current.files else ""
    made = await earlier_files(ctx.pool, user_id=ctx.user_id, kind=kind, skip=number, limit=2)
    if not made:
        await reply_to(tap).show(views.results(question, made))
        return
    await tap.answer()
    found = {each.position: each for each in await outputs_of(ctx.pool, made[0].job_id)}
    form, form_id, position = question.form, question.form.form_id, made[0].position or 0
    page = PickPage(
        made=made[0],
        output=found.get(position),
        number=number,
        has_more=len(made) > 1,
        pick=PickButton(form_id=form_id, turn=form.turn, job_id=made[0].job_id, output=position),
        back=StepButton(form_id=form_id, turn=form.turn, step=Step.QUESTION).pack(),
    )
    view = pick_page(ctx.say, page)
    shown_in = await pages.show(ctx.chat_id, view, language=ctx.language, instead_of=tap.message_id)
    await tap.forget_unless(shown_in)


async def pick_result(_query: CallbackQuery, callback_data: PickButton, tap: Tap, ctx: UpdateContext) -> None:
    """Answer the open question with the picked result, if it still exists and is the user's."""
    question = await question_of(ctx, callback_data)
    asked, current = (question.input, question.current) if question else (None, None)
    if question is None or asked is None or current is None:
        await answer_closed_question(tap, ctx)
    elif current.takes_files:
        await _pick_file(callback_data, tap, ctx, question, asked)
    else:
        await _pick_job(callback_data, tap, ctx, question, current)


async def _pick_job(picked: PickButton, tap: Tap, ctx: UpdateContext, question: OpenQuestion, current: Input) -> None:
    job_id = JobId(picked.job_id)
    made = await matching_results(ctx, question, current, job_id=job_id)
    if not any(each.position in {None, picked.output} for each in made):
        await tap.answer(ctx.say("tap-source-gone"), alert=True)
        return
    reference = JobRef(job_id, picked.output if current.type == "track" else None)
    await accept(ctx, reply_to(tap), question, reference.as_json())


async def _pick_file(picked: PickButton, tap: Tap, ctx: UpdateContext, question: OpenQuestion, asked: Input) -> None:
    reply, have = reply_to(tap), forms.files_so_far(question.form, asked)
    current = forms.current_input(question.form, asked)
    found = await accept_own_result(ctx, JobId(picked.job_id), picked.output, current, given=have)
    if isinstance(found, Refused):
        await reply.refuse(question, found)
    else:
        await message_answers.add_file(ctx, reply, question, asked, found)


async def open_prices(_query: CallbackQuery, callback_data: PricesButton, tap: Tap, ctx: UpdateContext) -> None:
    model = await sold_model(ctx, callback_data.model)
    if isinstance(model, NotSold):
        await tap.answer(model.why, alert=True)
        return
    await tap.answer()
    prices = await ctx.orders.prices_of(model)
    form = ctx.form
    way_back = form.came_from if form is not None and form.model == model.id else None
    came_from = ListButton.unpack(way_back) if way_back else None
    await tap.open(price_views.prices_page(ctx.say, model, prices, language=ctx.language, came_from=came_from))
