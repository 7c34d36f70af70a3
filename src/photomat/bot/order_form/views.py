"""Views of a form: the open question (the first is the model's page) with its buttons, counted files, earlier results. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil
from typing import Any, Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import (
    LeaveButton,
    ModelButton,
    OptionButton,
    OptionPageButton,
    PickButton,
    ResultsPageButton,
    Step,
    StepButton,
)
from photomat.bot.menu import views as menu_views
from photomat.bot.order_form import form as forms
from photomat.bot.order_form.form import VARIANT, Form, can_finish, can_skip, is_typed
from photomat.bot.order_form.voices import VoicePage, voice_lines, voice_rows
from photomat.bot.order_form.wording import asked_in_words, refused_in_words, title_of, variant_in_words
from photomat.bot.view import Rows, View, button, in_rows, page_turns
from photomat.catalog.answers import Refused
from photomat.catalog.formula import as_number, is_given
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.options import values
from photomat.catalog.order_words import value_in_words
from photomat.catalog.storefront import Offer
from photomat.delivery.caption import part_in_words
from photomat.jobs.history import SHOWN, EarlierResult
from photomat.kernel.text import cut
from photomat.telegram.limits import CLOUD, BotApiLimits
from photomat.texts.load import Say

ON_ONE_PAGE: Final = 16
ON_A_PAGE: Final = 12
MAX_LABEL_LENGTH: Final = 60
LEADING_SYMBOLS: Final = re.compile(r"^\W+")
MAX_EXAMPLE_LENGTH: Final = 300
SHOWN_LINES: Final = 20
MAX_MAKERS: Final = 3
TYPED: Final = frozenset({"text", "link"})
"""What is answered by writing; everything else has buttons, or is sent."""
WIDTHS: Final = ((2, 4), (8, 3), (18, 2))
"""How many buttons stand side by side where the longest label has at most so many characters."""
MAX_WORDS_LENGTH, MAX_NUMBERED_LENGTH = 34, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    """An open question, and the language it is asked in."""

    say: Say
    language: str
    model: Model
    form: Form
    server: BotApiLimits = CLOUD

    @property
    def input(self) -> Input | None:
        """The input that is asked for; None while a variant of the order is being chosen."""
        return self.model.input(self.form.asking)

    @property
    def offered(self) -> frozenset[Step]:
        """What can be done with it besides answering it."""
        return frozenset(offered_steps(self.say, self.model, self.form, self.input))

    @property
    def current(self) -> Input | None:
        """The input, or the field of the line that is asked for now."""
        return forms.current_input(self.form, self.input) if self.input else None


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a model's page says besides: the least it costs, and how long it usually takes."""

    offer: Offer
    usual_s: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a question for an earlier result offers; `models` make what it takes."""

    made: Sequence[EarlierResult]
    models: Sequence[Model]
    page: int = 0


def question_view(
    question: OpenQuestion,
    *,
    page: int = 0,
    about: About | None = None,
    sources: Sources | None = None,
    voices: VoicePage | None = None,
) -> View:
    """The open question of a form; `about` makes it the model's page."""
    say, form, model = question.say, question.form, question.model
    if voices is not None:
        ask = "\n".join([*_question_lines(question), *voice_lines(say, voices)])
        answers = voice_rows(say, form, voices)
    elif sources is None:
        ask, answers = _question_text(question, page), _answers(question, page)
    else:
        ask, answers = _asked_of_sources(question, sources), _source_rows(question, sources)
    before = menu_views.to_models(say, model, form.came_from) if about is not None else None
    rows = [
        *answers,
        *steps(say, model, form, question.input),
        *([[menu_views.to_prices(say, model)]] if about is not None else []),
        *ways_out(say, form, before),
    ]
    text, in_group = _headed(question, ask, about), _in_group(question)
    return View(text=text, rows=rows, expects_text=_is_typed_in(question), in_group=in_group)


def counter(question: OpenQuestion) -> View:
    say, form, asked, current = question.say, question.form, question.input, question.current
    if asked is None or current is None:
        return question_view(question)
    count = len(forms.files_so_far(form, asked))
    title, least = title_of(current, question.language), current.min_items or 1
    text = say("form-counter", title=title, count=count, limit=current.items_limit)
    text += "\n" + (say("form-counter-more") if count >= least else say("form-counter-need", count=least - count))
    rows = [*steps(say, question.model, form, asked), *ways_out(say, form, None)]
    return View(text=text, rows=rows)


def results(question: OpenQuestion, made: Sequence[EarlierResult], *, page: int = 0) -> View:
    say, current = question.say, question.current
    if not made or current is None:
        return View(text=say("form-results-none"), rows=[[to_question(say, question.form)]])
    text = say("form-results", ask=asked_in_words(say, current, question.language, server=question.server))
    return View(text=text, rows=[*picks(say, question.form, made, page=page), [to_question(say, question.form)]])


def refusal(question: OpenQuestion, refused: Refused) -> View:
    text = refused_in_words(question.say, question.model, refused, question.language)
    return View(text=text, rows=[], expects_text=_is_typed_in(question))


def _in_group(question: OpenQuestion) -> str:
    """How to answer in a group, where a bot reads only replies to it, and a question that is typed in has no buttons."""
    words = typed_steps(question.say, question.model, question.form, question.input)
    if _is_typed_in(question) and words:
        return question.say("form-reply-or", words=", ".join(words))
    return question.say("form-reply")


def _headed(question: OpenQuestion, ask: str, about: About | None) -> str:
    say, model, form = question.say, escape(question.model.title_in(question.language)), question.form
    if form.is_change:
        return say("question-change", model=model, ask=ask)
    step, of_all = forms.steps(question.model, form)
    if about is None:
        return say("question", model=model, ask=ask, step=step, steps=of_all)
    return say("form-page", model=model, ask=ask, step=step, steps=of_all, about=_about(question, about))


def _about(question: OpenQuestion, about: About) -> str:
    say, model, language = question.say, question.model, question.language
    lines = [escape(model.purpose.of(language))] if model.purpose else []
    if model.example_prompt is not None:
        example = model.example_prompt.of(language)
        lines.append(say("form-example", prompt=escape(cut(example, MAX_EXAMPLE_LENGTH))))
    offer = about.offer
    return "\n".join([*lines, f"{menu_views.usual_time(say, model, about.usual_s)} · {_price(say, offer)}"])


def _price(say: Say, offer: Offer) -> str:
    """The least it costs, and what it usually does where that is more."""
    if offer.is_free:
        return say("form-free")
    if offer.is_least and offer.usual is not None and offer.usual != offer.price:
        return say("form-price-usual", price=offer.price, usual=offer.usual)
    return say("form-price-from" if offer.is_least else "form-price", price=offer.price)


def _question_text(question: OpenQuestion, page: int) -> str:
    say, form, asked, current = question.say, question.form, question.input, question.current
    if asked is None or current is None:
        return say("form-way")
    if asked.type == "list" and form.field is None and form.gathered:
        return _lines_so_far(question, asked)
    parts = _question_lines(question)
    if pages_of(current) > 1:
        parts.append(say("form-options-page", page=page + 1, pages=pages_of(current)))
    return "\n".join(parts)


def _question_lines(question: OpenQuestion) -> list[str]:
    """What is asked and what it is now."""
    say, asked, current = question.say, question.input, question.current
    if asked is None or current is None:
        return []
    parts = [_which_line(question, asked)] if question.form.field is not None else []
    return [
        *parts,
        asked_in_words(say, current, question.language, server=question.server),
        *_present_value(question, current),
    ]


def _present_value(question: OpenQuestion, current: Input) -> list[str]:
    """What it is now, or what it is without an answer."""
    form = question.form
    present = (form.inputs if form.field is None else forms.open_line(form)).get(current.name)
    if is_given(present):
        return [question.say("form-now", value=_value(question, current, present))]
    if current.default is not None:
        return [question.say("form-default", value=_value(question, current, current.default))]
    return []


def _value(question: OpenQuestion, current: Input, value: Any) -> str:
    return escape(value_in_words(current, value, language=question.language, say=question.say))


def _which_line(question: OpenQuestion, asked: Input) -> str:
    form = question.form
    heading = question.say("form-line", title=title_of(asked, question.language), number=form.at + 1)
    main = forms.open_line(form).get(asked.main) if asked.main else None
    return f"{heading}\n<i>{escape(cut(str(main), MAX_EXAMPLE_LENGTH))}</i>" if main else heading


def _lines_so_far(question: OpenQuestion, asked: Input) -> str:
    say, form = question.say, question.form
    shown = form.gathered[:SHOWN_LINES]
    lines = [
        say("form-lines-line", number=number, text=escape(_line_in_words(question, asked, line)))
        for number, line in enumerate(shown, start=1)
    ]
    lines += ["…"] if len(form.gathered) > SHOWN_LINES else []
    title = title_of(asked, question.language)
    so_far = say("form-lines-so-far", title=title, count=len(form.gathered), lines="\n".join(lines))
    if not forms.can_take_more(form, asked):
        return f"{so_far}\n\n{say('form-lines-full')}"
    return f"{so_far}\n\n{say('form-lines-more' if is_typed(asked) else 'form-lines-next')}"


def _line_in_words(question: OpenQuestion, asked: Input, line: Any) -> str:
    """One line with all its fields, defaults included."""
    if not isinstance(line, dict):
        return str(line)
    return " · ".join(
        value_in_words(each, value, language=question.language, say=question.say)
        for each in sorted(asked.fields, key=lambda each: each.name != asked.main)
        if is_given(value := line.get(each.name, each.default))
    )


def _asked_of_sources(question: OpenQuestion, sources: Sources) -> str:
    say, current = question.say, question.current
    ask = asked_in_words(say, current, question.language, server=question.server) if current else ""
    if sources.made:
        return f"{ask}\n{say('form-sources')}"
    if not sources.models:
        return f"{ask}\n\n{say('form-sources-empty')}"
    named = ", ".join(escape(each.title_in(question.language)) for each in sources.models[:MAX_MAKERS])
    return f"{ask}\n\n{say('form-sources-none', models=named)}"


def _source_rows(question: OpenQuestion, sources: Sources) -> Rows:
    if sources.made:
        return picks(question.say, question.form, sources.made, page=sources.page)
    makers = sources.models[:MAX_MAKERS]
    return [[button(each.title_in(question.language), ModelButton(model=each.id))] for each in makers]


def _answers(question: OpenQuestion, page: int) -> Rows:
    form, current = question.form, question.current
    if form.asking == VARIANT or current is None:
        return variants(question.model, form, question.language)
    return options(question.say, form, current, question.language, page=page)


def _is_typed_in(question: OpenQuestion) -> bool:
    form, asked, current = question.form, question.input, question.current
    if asked is None or current is None:
        return False
    if asked.type == "list" and form.field is None:
        return is_typed(asked) and not form.gathered
    return current.type in TYPED


def labels(say: Say, asked: Input, language: str) -> list[str]:
    """The labels of an input's buttons, one for each of its `values`."""
    if asked.type == "switch":
        return [say("form-yes"), say("form-no")]
    return [asked.label(each, language) for each in values(asked)]


def variants(model: Model, form: Form, language: str) -> Rows:
    named = [variant_in_words(model, names, language) for names in model.one_of]
    return [[_option(form, number, label)] for number, label in enumerate(named)]


def options(say: Say, form: Form, asked: Input, language: str, *, page: int) -> Rows:
    """The options of a question, as many side by side as are readable; many of them in pages."""
    named = list(enumerate(labels(say, asked, language)))
    if asked.type == "number":
        named.sort(key=lambda each: as_number(values(asked)[each[0]]) or 0)
    shown = named if pages_of(asked) == 1 else named[page * ON_A_PAGE : (page + 1) * ON_A_PAGE]
    longest = max((len(label) for _, label in named), default=0)
    width = next((width for most, width in WIDTHS if longest <= most), 1)
    turns = page_turns(
        (say("form-previous"), say("form-next")),
        lambda number: OptionPageButton(form_id=form.form_id, turn=form.turn, page=number),
        page=page,
        has_more=page + 1 < pages_of(asked),
    )
    return [*in_rows([_option(form, number, label) for number, label in shown], width), *turns]


def pages_of(asked: Input) -> int:
    count = len(values(asked))
    return 1 if count <= ON_ONE_PAGE else ceil(count / ON_A_PAGE)


def picks(say: Say, form: Form, made: Sequence[EarlierResult], *, page: int = 0) -> Rows:
    """Earlier results, newest first; each button answers the question. One result more than is shown means another page."""
    rows = [[_pick(say, form, each)] for each in made[:SHOWN]]
    turns = page_turns(
        (say("form-previous"), say("form-next")),
        lambda number: ResultsPageButton(form_id=form.form_id, turn=form.turn, page=number),
        page=page,
        has_more=len(made) > SHOWN,
    )
    return [*rows, *turns]


def steps(say: Say, model: Model, form: Form, asked: Input | None) -> Rows:
    """Buttons that do something else with the question than answer it."""
    if form.asking == VARIANT or asked is None:
        return []
    if form.field is not None:
        return _field_steps(say, form, asked)
    if form.gathered:
        return _gathered_steps(say, form, asked)
    row = [_step(say("form-take-example"), form, Step.EXAMPLE)] if has_example(model, form, asked) else []
    if form.is_change and is_given(form.inputs.get(asked.name)) and not (asked.required and asked.default is None):
        row.append(_step(say("form-remove"), form, Step.REMOVE))
    if can_skip(model, form):
        row.append(_step(say("form-skip"), form, Step.SKIP))
    if can_finish(model, form):
        row.append(_step(say("form-finish"), form, Step.FINISH))
    return [*([row] if row else []), *_results(say, form, asked)]


def has_example(model: Model, form: Form, asked: Input) -> bool:
    """Whether the model's example answers the question."""
    return asked.role == "prompt" and model.example_prompt is not None and not form.is_change


def ways_out(say: Say, form: Form, before: InlineKeyboardButton | None) -> Rows:
    """One step back, and out of the form; `before` stands where there is no earlier question.

    Out of a change is back to its card, which is kept as it was: there is nothing to cancel.
    """
    has_earlier = bool(form.trail) or form.is_half_answered
    back = _step(say("form-back"), form, Step.BACK) if has_earlier else before
    leave = button(say("card-back" if form.is_change else "button-leave"), LeaveButton(form_id=form.form_id))
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
    return {
        LEADING_SYMBOLS.sub("", text).casefold(): step for step, text in offered.items() if step is not Step.RESULTS
    }


def to_question(say: Say, form: Form) -> InlineKeyboardButton:
    return _step(say("form-to-question"), form, Step.QUESTION)


def done(say: Say, form: Form) -> InlineKeyboardButton:
    return _step(say("form-done"), form, Step.DONE)


def _field_steps(say: Say, form: Form, asked: Input) -> Rows:
    field = forms.current_input(form, asked)
    row = []
    if field.type == "files" and forms.has_enough_files(form, asked):
        row.append(done(say, form))
    elif not field.required or field.default is not None:
        row.append(_step(say("form-skip"), form, Step.SKIP))
        if forms.can_be_done(form, asked):
            row.append(done(say, form))
    return [*([row] if row else []), *_results(say, form, field)]


def _gathered_steps(say: Say, form: Form, asked: Input) -> Rows:
    """Files or lines are there: enough of them, more of them, or one fewer."""
    if asked.type == "files":
        enough = [[done(say, form)]] if forms.has_enough_files(form, asked) else []
        return [*enough, *_results(say, form, asked)]
    row = [done(say, form)]
    if not is_typed(asked) and forms.can_take_more(form, asked):
        row.append(_step(say("form-more"), form, Step.MORE))
    besides = [_step(say("form-drop"), form, Step.DROP)]
    if forms.has_more_fields(asked):
        return [row, [_step(say("form-walk"), form, Step.WALK)], besides]
    return [row, besides]


def _results(say: Say, form: Form, asked: Input) -> Rows:
    is_made_here = asked.takes_files and asked.files is not None and asked.files.kind != "document"
    return [[_step(say("form-from-results"), form, Step.RESULTS)]] if is_made_here else []


def _made_in_words(say: Say, made: EarlierResult) -> str:
    words = " ".join((part_in_words(made.words, say) or "").split())
    what = cut(words, MAX_NUMBERED_LENGTH if made.outputs > 1 else MAX_WORDS_LENGTH) or made.model
    if made.seconds is not None:
        what = f"{what} ({int(made.seconds) // 60}:{int(made.seconds) % 60:02d})"
    when = f"{made.made_at:%d.%m}"
    if made.position is None or made.outputs == 1:
        return say("form-source", when=when, what=what)
    facts = {"when": when, "what": what, "number": made.position + 1}
    return say("form-source-track" if made.is_track else "form-source-output", **facts)


def _option(form: Form, number: int, label: str) -> InlineKeyboardButton:
    return button(label[:MAX_LABEL_LENGTH], OptionButton(form_id=form.form_id, turn=form.turn, option=number))


def _pick(say: Say, form: Form, made: EarlierResult) -> InlineKeyboardButton:
    data = PickButton(form_id=form.form_id, turn=form.turn, job_id=made.job_id, output=made.position or 0)
    return button(_made_in_words(say, made), data)


def _step(text: str, form: Form, step: Step) -> InlineKeyboardButton:
    return button(text, StepButton(form_id=form.form_id, turn=form.turn, step=step))
