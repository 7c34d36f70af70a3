"""Views of questions: the open one of a form, the first of which is the model's page; and of earlier results. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from photomat.bot.buttons import ModelButton, Step
from photomat.bot.menu import views as menu_views
from photomat.bot.order_form import keyboard, multipart
from photomat.bot.order_form.form import WAY, Form, is_typed, steps
from photomat.bot.order_form.wording import asked_in_words, refused_in_words, title_of
from photomat.bot.view import Rows, View, button
from photomat.catalog.answers import Refused
from photomat.catalog.formula import is_given
from photomat.catalog.input import Input
from photomat.catalog.model import Model
from photomat.catalog.order_words import value_in_words
from photomat.catalog.storefront import Offer
from photomat.jobs.history import EarlierResult
from photomat.kernel.text import cut
from photomat.texts.load import Say

LONGEST_EXAMPLE: Final = 300
SHOWN_LINES: Final = 20
MOST_WAYS: Final = 3
TYPED: Final = frozenset({"text", "link"})
"""What is answered by writing; everything else has buttons, or is sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """An open question, and the language it is asked in."""

    say: Say
    language: str
    model: Model
    form: Form

    @property
    def asked(self) -> Input | None:
        """The input; None while the way to order is being chosen."""
        return self.model.input(self.form.asking)

    @property
    def offered(self) -> frozenset[Step]:
        """What can be done with it besides answering it."""
        return frozenset(keyboard.offered_steps(self.say, self.model, self.form, self.asked))

    @property
    def target(self) -> Input | None:
        """What is asked for right now: the input, or a field of its lines."""
        return multipart.target(self.form, self.asked) if self.asked else None


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


def question(asking: Asking, *, page: int = 0, about: About | None = None, sources: Sources | None = None) -> View:
    """The open question of a form; `about` makes it the model's page."""
    say, form, model = asking.say, asking.form, asking.model
    ask = _asked(asking, page) if sources is None else _asked_of_sources(asking, sources)
    rows = _answers(asking, page) if sources is None else _source_rows(asking, sources)
    before = menu_views.to_models(say, model, form.came_from) if about is not None else None
    rows = [
        *rows,
        *keyboard.steps(say, model, form, asking.asked),
        *([[menu_views.to_prices(say, model)]] if about is not None else []),
        *keyboard.ways_out(say, form, before),
    ]
    return View(
        text=_headed(asking, ask, about), rows=rows, expects_text=_is_typed_in(asking), in_group=_in_group(asking)
    )


def counter(asking: Asking) -> View:
    """How many files there are so far; the message is edited with each."""
    say, form, asked, wanted = asking.say, asking.form, asking.asked, asking.target
    if asked is None or wanted is None:
        return question(asking)
    count = len(multipart.files_so_far(form, asked))
    title, least = title_of(wanted, asking.language), wanted.min_items or 1
    text = say("form-counter", title=title, count=count, limit=wanted.items_limit)
    text += "\n" + (say("form-counter-more") if count >= least else say("form-counter-need", count=least - count))
    rows = [*keyboard.steps(say, asking.model, form, asked), *keyboard.ways_out(say, form, None)]
    return View(text=text, rows=rows)


def results(asking: Asking, made: Sequence[EarlierResult], *, page: int = 0) -> View:
    """The user's own results that a file can be, with the way back to the question."""
    say = asking.say
    wanted = asking.target
    if not made or wanted is None:
        return View(text=say("form-results-none"), rows=[[keyboard.to_question(say, asking.form)]])
    rows = keyboard.picks(say, asking.form, made, page=page)
    text = say("form-results", ask=asked_in_words(say, wanted, asking.language))
    return View(text=text, rows=[*rows, [keyboard.to_question(say, asking.form)]])


def refusal(asking: Asking, refused: Refused) -> View:
    """Why an answer does not fit; the question stays open."""
    text = refused_in_words(asking.say, asking.model, refused, asking.language)
    return View(text=text, rows=[], expects_text=_is_typed_in(asking))


def _in_group(asking: Asking) -> str:
    """How to answer in a group, where a bot reads only replies to it, and a question that is typed in has no buttons."""
    words = keyboard.typed_steps(asking.say, asking.model, asking.form, asking.asked)
    if _is_typed_in(asking) and words:
        return asking.say("form-reply-or", words=", ".join(words))
    return asking.say("form-reply")


def _headed(asking: Asking, ask: str, about: About | None) -> str:
    say, model, form = asking.say, escape(asking.model.title_in(asking.language)), asking.form
    if form.is_change:
        return say("question-change", model=model, ask=ask)
    step, of_all = steps(asking.model, form)
    if about is None:
        return say("question", model=model, ask=ask, step=step, steps=of_all)
    return say("form-page", model=model, ask=ask, step=step, steps=of_all, about=_about(asking, about))


def _about(asking: Asking, about: About) -> str:
    say, model, language = asking.say, asking.model, asking.language
    lines = [escape(model.purpose.of(language))] if model.purpose else []
    if model.example_prompt is not None:
        example = model.example_prompt.of(language)
        lines.append(say("form-example", prompt=escape(cut(example, LONGEST_EXAMPLE))))
    offer = about.offer
    return "\n".join([*lines, f"{menu_views.usual_time(say, model, about.usual_s)} · {_price(say, offer)}"])


def _price(say: Say, offer: Offer) -> str:
    """The least it costs, and what it usually does where that is more."""
    if offer.is_free:
        return say("form-free")
    if offer.is_least and offer.usual is not None and offer.usual != offer.price:
        return say("form-price-usual", price=offer.price, usual=offer.usual)
    return say("form-price-from" if offer.is_least else "form-price", price=offer.price)


def _asked(asking: Asking, page: int) -> str:
    say, form, asked, wanted = asking.say, asking.form, asking.asked, asking.target
    if asked is None or wanted is None:
        return say("form-way")
    if asked.type == "list" and form.field is None and form.gathered:
        return _lines_so_far(asking, asked)
    parts = [_which_line(asking, asked)] if form.field is not None else []
    parts.append(asked_in_words(say, wanted, asking.language))
    parts += _present_value(asking, wanted)
    if keyboard.pages_of(wanted) > 1:
        parts.append(say("form-options-page", page=page + 1, pages=keyboard.pages_of(wanted)))
    return "\n".join(parts)


def _present_value(asking: Asking, wanted: Input) -> list[str]:
    """What it is now, or what it is without an answer."""
    form = asking.form
    line = form.gathered[form.at] if form.field is not None and form.at < len(form.gathered) else {}
    present = form.inputs.get(wanted.name) if form.field is None else dict(line).get(wanted.name)
    if is_given(present):
        return [asking.say("form-now", value=_value(asking, wanted, present))]
    if wanted.default is not None:
        return [asking.say("form-default", value=_value(asking, wanted, wanted.default))]
    return []


def _value(asking: Asking, wanted: Input, value: Any) -> str:
    return escape(value_in_words(wanted, value, language=asking.language, say=asking.say))


def _which_line(asking: Asking, asked: Input) -> str:
    form = asking.form
    said = asking.say("form-line", title=title_of(asked, asking.language), number=form.at + 1)
    line = form.gathered[form.at] if form.at < len(form.gathered) else {}
    main = line.get(asked.main) if asked.main and isinstance(line, dict) else None
    return f"{said}\n<i>{escape(cut(str(main), LONGEST_EXAMPLE))}</i>" if main else said


def _lines_so_far(asking: Asking, asked: Input) -> str:
    say, form = asking.say, asking.form
    shown = form.gathered[:SHOWN_LINES]
    lines = [
        say("form-lines-line", number=number, text=escape(_line_in_words(asking, asked, line)))
        for number, line in enumerate(shown, start=1)
    ]
    lines += ["…"] if len(form.gathered) > SHOWN_LINES else []
    title = title_of(asked, asking.language)
    so_far = say("form-lines-so-far", title=title, count=len(form.gathered), lines="\n".join(lines))
    if not multipart.can_take_more(form, asked):
        return f"{so_far}\n\n{say('form-lines-full')}"
    return f"{so_far}\n\n{say('form-lines-more' if is_typed(asked) else 'form-lines-next')}"


def _line_in_words(asking: Asking, asked: Input, line: Any) -> str:
    """One line with all its fields, defaults included."""
    if not isinstance(line, dict):
        return str(line)
    filled = {each.name: line.get(each.name, each.default) for each in asked.fields}
    given = [(each, filled[each.name]) for each in asked.fields if is_given(filled[each.name])]
    first = [pair for pair in given if pair[0].name == asked.main]
    words = [
        value_in_words(each, value, language=asking.language, say=asking.say)
        for each, value in [*first, *(pair for pair in given if pair not in first)]
    ]
    return " · ".join(words)


def _asked_of_sources(asking: Asking, sources: Sources) -> str:
    say, wanted = asking.say, asking.target
    ask = asked_in_words(say, wanted, asking.language) if wanted else ""
    if sources.made:
        return f"{ask}\n{say('form-sources')}"
    if not sources.models:
        return f"{ask}\n\n{say('form-sources-empty')}"
    named = ", ".join(escape(each.title_in(asking.language)) for each in sources.models[:MOST_WAYS])
    return f"{ask}\n\n{say('form-sources-none', models=named)}"


def _source_rows(asking: Asking, sources: Sources) -> Rows:
    if sources.made:
        return keyboard.picks(asking.say, asking.form, sources.made, page=sources.page)
    makers = sources.models[:MOST_WAYS]
    return [[button(each.title_in(asking.language), ModelButton(model=each.id).pack())] for each in makers]


def _answers(asking: Asking, page: int) -> Rows:
    form, wanted = asking.form, asking.target
    if form.asking == WAY or wanted is None:
        return keyboard.ways(asking.model, form, asking.language)
    return keyboard.options(asking.say, form, wanted, asking.language, page=page)


def _is_typed_in(asking: Asking) -> bool:
    form, asked, wanted = asking.form, asking.asked, asking.target
    if asked is None or wanted is None:
        return False
    if asked.type == "list" and form.field is None:
        return is_typed(asked) and not form.gathered
    return wanted.type in TYPED
