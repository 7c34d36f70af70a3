"""The buttons of a question: its options in pages, earlier results, and the steps beside an answer. Pure."""

import re
from collections.abc import Sequence
from math import ceil
from typing import Final

from aiogram.filters.callback_data import CallbackData
from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import (
    LeaveButton,
    OptionButton,
    OptionPageButton,
    PickButton,
    ResultsPageButton,
    Step,
    StepButton,
)
from photomat.bot.order_form import multipart
from photomat.bot.order_form.form import WAY, Form, can_finish, can_skip, is_typed
from photomat.bot.order_form.parsing import values
from photomat.bot.order_form.wording import way_in_words
from photomat.bot.view import Rows, button
from photomat.catalog.formula import is_given
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.delivery.caption import part_in_words
from photomat.jobs.history import SHOWN, EarlierResult
from photomat.kernel.text import cut
from photomat.texts.load import Say

ON_ONE_PAGE: Final = 16
ON_A_PAGE: Final = 12
SHORT, MIDDLE = 8, 18
LONGEST_WORDS, LONGEST_NUMBERED = 34, 20
LONGEST_LABEL: Final = 60
NO_WORD: Final = re.compile(r"^\W+")


def labels(say: Say, asked: Input, language: str) -> list[str]:
    """What stands on the buttons of an input, one for each of its `values`."""
    if asked.type == "switch":
        return [say("form-yes"), say("form-no")]
    return [asked.label(each, language) for each in values(asked)]


def ways(model: Model, form: Form, language: str) -> Rows:
    named = [way_in_words(model, names, language) for names in model.one_of]
    return [[_option(form, number, label)] for number, label in enumerate(named)]


def options(say: Say, form: Form, asked: Input, language: str, *, page: int) -> Rows:
    """The options of a question, as many side by side as are readable; many of them in pages."""
    named = list(enumerate(labels(say, asked, language)))
    shown = named if pages_of(asked) == 1 else named[page * ON_A_PAGE : (page + 1) * ON_A_PAGE]
    longest = max((len(label) for _, label in named), default=0)
    width = 4 if longest <= 2 else 3 if longest <= SHORT else 2 if longest <= MIDDLE else 1  # noqa: PLR2004  digits
    buttons = [_option(form, number, label) for number, label in shown]
    rows = [buttons[start : start + width] for start in range(0, len(buttons), width)]
    return [*rows, *_turns(say, form, page, pages_of(asked))]


def pages_of(asked: Input) -> int:
    """How many pages the options of an input take."""
    count = len(values(asked))
    return 1 if count <= ON_ONE_PAGE else ceil(count / ON_A_PAGE)


def picks(say: Say, form: Form, made: Sequence[EarlierResult], *, page: int = 0) -> Rows:
    """Earlier results, newest first; each button answers the question. One result more than is shown means another page."""
    rows = [[button(_made_in_words(say, each), _pick(form, each).pack())] for each in made[:SHOWN]]

    def turn(text: str, number: int) -> InlineKeyboardButton:
        return button(text, ResultsPageButton(form_id=form.form_id, turn=form.turn, page=number).pack())

    turns = [turn(say("form-previous"), page - 1)] if page else []
    turns += [turn(say("form-next"), page + 1)] if len(made) > SHOWN else []
    return [*rows, turns] if turns else rows


def steps(say: Say, model: Model, form: Form, asked: Input | None) -> Rows:
    """What can be done with the question besides answering it."""
    if form.asking == WAY or asked is None:
        return []
    if form.field is not None:
        return _field_steps(say, form, asked)
    if form.gathered:
        return _gathered_steps(say, form, asked)
    row = []
    if form.is_change and is_given(form.inputs.get(asked.name)) and not (asked.required and asked.default is None):
        row.append(_step(say("form-remove"), form, Step.REMOVE))
    if can_skip(model, form):
        row.append(_step(say("form-skip"), form, Step.SKIP))
    if can_finish(model, form):
        row.append(_step(say("form-finish"), form, Step.FINISH))
    return [*([row] if row else []), *_results(say, form, asked)]


def ways_out(say: Say, form: Form, before: InlineKeyboardButton | None) -> Rows:
    """Back and cancel; `before` stands where there is no earlier question."""
    has_earlier = bool(form.trail) or form.is_half_answered
    back = _step(say("form-back"), form, Step.BACK) if has_earlier else before
    leave = button(say("button-leave"), LeaveButton(form_id=form.form_id).pack())
    return [[*([back] if back else []), leave]]


def offered_steps(say: Say, model: Model, form: Form, asked: Input | None) -> dict[Step, str]:
    """The steps a question offers, by the words on their buttons: a tap with any other step is refused."""
    rows = [*steps(say, model, form, asked), *ways_out(say, form, None)]
    buttons = [(each.callback_data or "", each.text) for row in rows for each in row]
    is_step = f"{StepButton.__prefix__}:"
    return {StepButton.unpack(data).step: text for data, text in buttons if data.startswith(is_step)}


def typed_steps(say: Say, model: Model, form: Form, asked: Input | None) -> dict[str, Step]:
    """The words of the steps a question offers, for groups, where a question has no buttons."""
    offered = offered_steps(say, model, form, asked)
    return {NO_WORD.sub("", text).casefold(): step for step, text in offered.items() if step is not Step.RESULTS}


def to_question(say: Say, form: Form) -> InlineKeyboardButton:
    return _step(say("form-to-question"), form, Step.QUESTION)


def done(say: Say, form: Form) -> InlineKeyboardButton:
    return _step(say("form-done"), form, Step.DONE)


def _field_steps(say: Say, form: Form, asked: Input) -> Rows:
    field = multipart.target(form, asked)
    row = []
    if field.type == "files" and multipart.has_enough_files(form, asked):
        row.append(done(say, form))
    elif not field.required or field.default is not None:
        row.append(_step(say("form-skip"), form, Step.SKIP))
        if multipart.can_be_done(form, asked):
            row.append(done(say, form))
    return [*([row] if row else []), *_results(say, form, field)]


def _gathered_steps(say: Say, form: Form, asked: Input) -> Rows:
    """Files or lines are there: enough of them, more of them, or one fewer."""
    if asked.type == "files":
        enough = [[done(say, form)]] if multipart.has_enough_files(form, asked) else []
        return [*enough, *_results(say, form, asked)]
    row = [done(say, form)]
    if not is_typed(asked) and multipart.can_take_more(form, asked):
        row.append(_step(say("form-more"), form, Step.MORE))
    besides = [_step(say("form-drop"), form, Step.DROP)]
    if multipart.has_more_fields(asked):
        return [row, [_step(say("form-walk"), form, Step.WALK)], besides]
    return [row, besides]


def _results(say: Say, form: Form, asked: Input) -> Rows:
    is_made_here = asked.takes_files and asked.files is not None and asked.files.kind != "document"
    return [[_step(say("form-from-results"), form, Step.RESULTS)]] if is_made_here else []


def _made_in_words(say: Say, made: EarlierResult) -> str:
    words = " ".join((part_in_words(made.words, say) or "").split())
    what = cut(words, LONGEST_NUMBERED if made.outputs > 1 else LONGEST_WORDS) or made.model
    if made.seconds is not None:
        what = f"{what} ({int(made.seconds) // 60}:{int(made.seconds) % 60:02d})"
    when = f"{made.made_at:%d.%m %H:%M}"
    if made.position is None or made.outputs == 1:
        return say("form-source", when=when, what=what)
    return say(
        "form-source-track" if made.is_track else "form-source-output", when=when, what=what, number=made.position + 1
    )


def _turns(say: Say, form: Form, page: int, pages: int) -> Rows:
    row = [_turn(say("form-previous"), form, page - 1)] if page else []
    row += [_turn(say("form-next"), form, page + 1)] if page + 1 < pages else []
    return [row] if row else []


def _turn(text: str, form: Form, page: int) -> InlineKeyboardButton:
    return button(text, OptionPageButton(form_id=form.form_id, turn=form.turn, page=page).pack())


def _option(form: Form, number: int, label: str) -> InlineKeyboardButton:
    return button(label[:LONGEST_LABEL], OptionButton(form_id=form.form_id, turn=form.turn, option=number).pack())


def _pick(form: Form, made: EarlierResult) -> CallbackData:
    return PickButton(form_id=form.form_id, turn=form.turn, job_id=made.job_id, output=made.position or 0)


def _step(text: str, form: Form, step: Step) -> InlineKeyboardButton:
    return button(text, StepButton(form_id=form.form_id, turn=form.turn, step=step).pack())
