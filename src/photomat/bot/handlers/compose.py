"""Filling in a form: typed answers, tapped options, and leaving it. The last answer becomes a draft with its card."""

from dataclasses import dataclass

from aiogram import Router
from aiogram.filters import StateFilter
from aiogram.types import CallbackQuery, Message

from photomat.bot import views
from photomat.bot.buttons import LeaveButton, OptionButton
from photomat.bot.filters import SpokenToUs
from photomat.bot.form import AnswerRefused, Form, check_answer, input_named
from photomat.bot.order import Show, draft_on_sale, keep_draft, show_card
from photomat.bot.screen import Tap, send
from photomat.bot.states import Composing
from photomat.bot.views import View
from photomat.bot.visit import Visit
from photomat.catalog.model import Input, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """What the conversation waits for."""

    form: Form
    model: Model
    asked: Input

    def option(self, tapped: OptionButton) -> str | None:
        """The tapped option; None when the button belongs to another form or question."""
        is_ours = tapped.form_id == self.form.form_id and tapped.question == self.model.inputs.index(self.asked)
        return self.asked.options[tapped.option] if is_ours and tapped.option < len(self.asked.options) else None


async def answer_by_text(message: Message, visit: Visit) -> None:
    """Take a typed answer, or say what is expected."""

    async def show(view: View) -> None:
        await send(message, view)

    question = await _open_question(visit)
    if question is None:
        await visit.forget_form()
        await show(views.hint(visit.say, "tap-model-gone"))
        return
    answer = check_answer(question.asked, message.text)
    if isinstance(answer, AnswerRefused):
        await show(views.refusal(visit.say, question.asked, answer))
    else:
        await _proceed(visit, question, answer, chat_id=message.chat.id, show=show)


async def answer_by_tap(_query: CallbackQuery, callback_data: OptionButton, tap: Tap, visit: Visit) -> None:
    """Take a tapped option, if its question is the one that is open."""
    question = await _open_question(visit)
    answer = question.option(callback_data) if question else None
    if question is None or answer is None or tap.message is None:
        await tap.answer(visit.say("tap-question-closed"), alert=True)
        return
    await tap.answer()
    await _proceed(visit, question, answer, chat_id=tap.message.chat.id, show=tap.replace)


async def leave(_query: CallbackQuery, callback_data: LeaveButton, tap: Tap, visit: Visit) -> None:
    """Leave the form; one that changed a draft goes back to its card."""
    form = await visit.form()
    if form is None or form.form_id != callback_data.form_id:
        await tap.answer(visit.say("tap-question-closed"), alert=True)
        return
    await tap.answer()
    await visit.forget_form()
    found = None if form.draft_id is None else await draft_on_sale(visit, form.draft_id)
    if found is None or found[0].expired:
        await tap.replace(views.hint(visit.say, "cancel-done"))
    else:
        await show_card(visit, tap.replace, draft=found[0], model=found[1])


async def _open_question(visit: Visit) -> OpenQuestion | None:
    form = await visit.form()
    model = visit.shop.model(form.model) if form else None
    asked = input_named(model, form.asking) if form and model else None
    return OpenQuestion(form=form, model=model, asked=asked) if form and model and asked else None


async def _proceed(visit: Visit, question: OpenQuestion, answer: str, *, chat_id: int, show: Show) -> None:
    form, model = question.form, question.model
    following = form.ask_next(model, answer)
    asked = input_named(model, following.asking) if following else None
    if following is not None and asked is not None:
        await visit.keep_form(following)
        await show(views.question(visit.say, model, following, asked))
        return
    draft = await keep_draft(visit, chat_id=chat_id, model=model, inputs=form.answered(answer), draft_id=form.draft_id)
    await visit.forget_form()
    await show_card(visit, show, model=model, draft=draft)


def router() -> Router:
    """The ways to get here."""
    routes = Router(name="compose")
    routes.message.register(answer_by_text, StateFilter(Composing.answering), SpokenToUs())
    routes.callback_query.register(answer_by_tap, OptionButton.filter())
    routes.callback_query.register(leave, LeaveButton.filter())
    return routes
