"""Filling in a form: messages, tapped options, steps beside an answer, and leaving it. Buttons of other questions are stale."""

from collections.abc import Awaitable, Callable
from html import unescape

from aiogram import Router
from aiogram.enums import ChatType
from aiogram.filters import StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot import views
from photomat.bot.buttons import LeaveButton, OptionButton, OptionPageButton, Step, StepButton
from photomat.bot.filters import SpokenToUs
from photomat.bot.forms import form, gathering, questions, said
from photomat.bot.forms.composing import (
    Reply,
    accept,
    accept_gathered,
    accept_part,
    ask,
    asked_view,
    go_on,
    go_on_with_lines,
    open_asking,
)
from photomat.bot.forms.form import WAY
from photomat.bot.forms.keyboard import pages_of
from photomat.bot.forms.order import draft_on_sale, show_card
from photomat.bot.forms.questions import Asking
from photomat.bot.forms.understand import values
from photomat.bot.screen import Tap, send
from photomat.bot.states import Composing
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.catalog.answers import Refused
from photomat.catalog.input import Input


async def answer_by_message(message: Message, visit: Visit) -> None:
    """Take what a message brings, or say what is expected."""
    asking = await open_asking(visit)
    if asking is None:
        await visit.forget_form()
        await send(message, views.hint(visit.say, "tap-model-gone"))
        return
    step = said.step_in_words(message, asking)
    if step is not None:
        await _do(visit, said.reply_to(message), asking, step)
    else:
        await said.answer(message, visit, asking)


async def answer_by_tap(_query: CallbackQuery, callback_data: OptionButton, tap: Tap, visit: Visit) -> None:
    """Take a tapped option, if its question is the one that is open."""
    asking = await asking_of(visit, callback_data.form_id, callback_data.turn)
    value = _option(asking, callback_data.option) if asking else None
    if asking is None or value is None:
        await tell_closed(tap, visit)
        return
    if asking.form.field is not None and asking.asked is not None:
        await accept_part(visit, reply_to(tap), asking, asking.asked, value)
    else:
        await accept(visit, reply_to(tap), asking, value)


async def turn_page(_query: CallbackQuery, callback_data: OptionPageButton, tap: Tap, visit: Visit) -> None:
    """Show other options of the open question."""
    asking = await asking_of(visit, callback_data.form_id, callback_data.turn)
    wanted = asking.target if asking else None
    if asking is None or wanted is None or callback_data.page >= pages_of(wanted):
        await tell_closed(tap, visit)
        return
    await reply_to(tap).show(await asked_view(visit, asking, page=callback_data.page))


async def do_step(_query: CallbackQuery, callback_data: StepButton, tap: Tap, visit: Visit) -> None:
    """Skip, go back, say that it is enough, and whatever else a question offers besides its answers."""
    asking = await asking_of(visit, callback_data.form_id, callback_data.turn)
    if asking is None or callback_data.step not in {*asking.offered, Step.QUESTION}:
        await tell_closed(tap, visit)
        return
    await _do(visit, reply_to(tap), asking, callback_data.step)


async def leave(_query: CallbackQuery, callback_data: LeaveButton, tap: Tap, visit: Visit) -> None:
    """Leave the form; one that changed a draft goes back to its card."""
    left = await visit.form()
    if left is None or left.form_id != callback_data.form_id:
        await tell_closed(tap, visit)
        return
    await tap.answer()
    await visit.forget_form()
    found = None if left.draft_id is None else await draft_on_sale(visit, left.draft_id)
    if found is None or found[0].expired:
        await tap.replace(views.hint(visit.say, "cancel-done"))
    else:
        await show_card(visit, tap.replace, draft=found[0], model=found[1])


async def asking_of(visit: Visit, form_id: int, turn: int) -> Asking | None:
    """The open question, if a button of this form and turn is its own."""
    asking = await open_asking(visit)
    is_open = asking is not None and (asking.form.form_id, asking.form.turn) == (form_id, turn)
    return asking if is_open else None


async def tell_closed(tap: Tap, visit: Visit) -> None:
    """Say that the question of a button is closed, and where the open one is; in a group it may be somebody else's."""
    is_private = tap.message is not None and tap.message.chat.type == ChatType.PRIVATE
    if not is_private:
        await tap.answer(visit.say("tap-question-foreign"), alert=True)
        return
    is_none_open = await visit.form() is None
    await tap.answer(visit.say("tap-question-closed" if is_none_open else "tap-question-older"), alert=True)


def reply_to(tap: Tap) -> Reply:
    """The tapped message becomes the next view; a refusal pops up."""

    async def show(view: View) -> None:
        await tap.answer()
        await tap.replace(view)

    async def refuse(view: View) -> None:
        await tap.answer(unescape(view.text), alert=True)

    return Reply(show=show, refuse=refuse)


async def _do(visit: Visit, reply: Reply, asking: Asking, step: Step) -> None:
    asked = asking.asked
    if step is Step.BACK:
        await _go_back(visit, reply, asking)
    elif step is Step.QUESTION or asked is None or step not in STEPS:
        await reply.show(await asked_view(visit, asking))
    else:
        await STEPS[step](visit, reply, asking, asked)


def _option(asking: Asking, number: int) -> int | str | None:
    if asking.form.asking == WAY:
        return number if number < len(asking.model.one_of) else None
    offered = values(asking.target) if asking.target else ()
    return offered[number] if number < len(offered) else None


async def _skip(visit: Visit, reply: Reply, asking: Asking, asked: Input) -> None:
    if asking.form.field is not None:
        await go_on_with_lines(visit, reply, asking, asked, gathering.after_field(asking.form, asked))
    else:
        await go_on(visit, reply, asking.model, form.skip(asking.form))


async def _finish(visit: Visit, reply: Reply, asking: Asking, _asked: Input) -> None:
    left = tuple(each.name for each in form.upcoming(asking.model, asking.form))
    await go_on(visit, reply, asking.model, form.leave_out(asking.model, asking.form, left))


async def _done(visit: Visit, reply: Reply, asking: Asking, asked: Input) -> None:
    if asked.type == "files" or gathering.files_so_far(asking.form, asked):
        await said.files_are_enough(visit, reply, asking, asked)
    else:
        await accept_gathered(visit, reply, asking, asked)


async def _another_line(visit: Visit, reply: Reply, asking: Asking, asked: Input) -> None:
    await ask(visit, reply.show, asking.model, gathering.another_line(asking.form, asked))


async def _drop_line(visit: Visit, reply: Reply, asking: Asking, asked: Input) -> None:
    await ask(visit, reply.show, asking.model, gathering.without_last_line(asking.form, asked))


async def _walk_lines(visit: Visit, reply: Reply, asking: Asking, asked: Input) -> None:
    await ask(visit, reply.show, asking.model, gathering.walk_lines(asking.form, asked))


async def _remove(visit: Visit, reply: Reply, asking: Asking, _asked: Input) -> None:
    removed = form.remove(asking.model, asking.form)
    if isinstance(removed, Refused):
        await reply.refuse(questions.refusal(asking, removed))
    else:
        await go_on(visit, reply, asking.model, removed)


async def _go_back(visit: Visit, reply: Reply, asking: Asking) -> None:
    within = gathering.one_step_back(asking.form, asking.asked) if asking.asked else None
    before = within or form.back(asking.model, asking.form)
    await ask(visit, reply.show, asking.model, before or asking.form)


STEPS: dict[Step, Callable[[Visit, Reply, Asking, Input], Awaitable[None]]] = {
    Step.SKIP: _skip,
    Step.FINISH: _finish,
    Step.DONE: _done,
    Step.MORE: _another_line,
    Step.DROP: _drop_line,
    Step.WALK: _walk_lines,
    Step.REMOVE: _remove,
}


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="compose")
    routes.message.register(answer_by_message, StateFilter(Composing.answering), SpokenToUs())
    routes.callback_query.register(answer_by_tap, OptionButton.filter())
    routes.callback_query.register(turn_page, OptionPageButton.filter())
    routes.callback_query.register(do_step, StepButton.filter())
    routes.callback_query.register(leave, LeaveButton.filter())
    return routes
