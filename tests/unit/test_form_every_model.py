"""Every model that is sold can be asked for: to the end, in every way, changed on the card, refused in words."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from photomat.bot.buttons import MAX_BYTES
from photomat.bot.order_card.views import change_menu, draft_card, further_settings
from photomat.bot.order_form import form as order_form_form
from photomat.bot.order_form import views as order_form_views
from photomat.bot.order_form.form import (
    Form,
    can_skip,
    change_form,
    is_typed,
    new_form,
    next_question,
    opened,
    remove,
    skip,
    take,
)
from photomat.bot.order_form.parsing import parse_answer, parse_lines
from photomat.bot.order_form.views import About, OpenQuestion, Sources
from photomat.bot.view import View
from photomat.catalog.answers import FileFacts, Refused, check_answer, check_file, check_files
from photomat.catalog.input import Input
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Category, Model
from photomat.catalog.options import values
from photomat.catalog.order import SAMPLE_FILES, check_order, relevant
from photomat.catalog.storefront import Offer
from photomat.jobs.history import EarlierResult
from photomat.kernel.ids import BotId, ChatId, DraftId, JobId, UserId
from photomat.kernel.money import Money
from photomat.orders.draft import Draft
from photomat.texts.load import LANGUAGES, load_texts
from support.answers import fitting, too_much

SELLABLE = load_catalog().sellable
SOLD = sorted({model.category for model in SELLABLE})
TEXTS = load_texts()
LARGEST, MAX_TURN = 2**63 - 1, 2**31 - 1
MAX_TEXT_LENGTH, MAX_LABEL_LENGTH, MAX_ALERT_LENGTH = 4096, 64, 200
MAX_QUESTIONS = 40
MADE = [
    EarlierResult(
        job_id=JobId(LARGEST),
        model="m",
        made_at=datetime(2026, 1, 2, tzinfo=UTC),
        words="кот " * 99,
        position=11,
        outputs=12,
    )
]


def each(category: Category, check: Callable[..., None], *facts: str) -> None:
    """Check every model of a category; a failure names the model."""
    for model in SELLABLE:
        if model.category == category:
            try:
                check(model, *facts)
            except AssertionError as wrong:
                raise AssertionError(f"{model.id}: {wrong}") from wrong


def walk(model: Model, *, way: int = 0, skipping: bool = False) -> Iterator[Form]:
    """Every question on the way to an order, and the answered form last."""
    form = next_question(model, new_form(model, form_id=LARGEST))
    for _ in range(MAX_QUESTIONS):
        assert form is not None, "a model without a question"
        yield form
        asked = model.input(form.asking)
        if skipping and can_skip(model, form):
            taken: Form | Refused = skip(form)
        else:
            taken = take(model, form, fitting(asked, model) if asked else way)
        assert isinstance(taken, Form), f"{model.id}: {taken}"
        form = next_question(model, taken)
        if form is None:
            yield taken
            return
    raise AssertionError(f"{model.id}: the questions do not come to an end")


def ordered(model: Model, *, way: int = 0, skipping: bool = False) -> Form:
    return list(walk(model, way=way, skipping=skipping))[-1]


def ways(model: Model) -> range:
    return range(max(1, len(model.one_of)))


@pytest.mark.parametrize("category", SOLD)
def test_the_questions_lead_to_an_order_that_can_be_bought(category: Category) -> None:
    each(category, lead_to_an_order)


def lead_to_an_order(model: Model) -> None:
    for way in ways(model):
        for skipping in (False, True):
            assert check_order(model, ordered(model, way=way, skipping=skipping).inputs) == ()


@pytest.mark.parametrize("category", SOLD)
def test_a_question_that_needs_no_answer_can_be_skipped_and_no_other(category: Category) -> None:
    each(category, can_be_skipped)


def can_be_skipped(model: Model) -> None:
    for form in list(walk(model))[:-1]:
        asked = model.input(form.asking)
        if asked is not None:
            left_out = {name: value for name, value in ordered(model).inputs.items() if name != asked.name}
            is_missed = any(each.key in {"form-missing", "form-one-of"} for each in check_order(model, left_out))
            assert can_skip(model, form) != is_missed or (model.one_of and not can_skip(model, form))


@pytest.mark.parametrize("category", SOLD)
def test_every_input_on_the_card_can_be_changed_and_an_optional_one_removed(category: Category) -> None:
    each(category, can_be_changed)


def can_be_changed(model: Model) -> None:
    order = ordered(model, skipping=True).inputs
    for asked in relevant(model, order):
        form = change_form(model, asked, form_id=1, draft_id=2, inputs=order)
        candidates = values(asked) or (fitting(asked, model),)
        taken = next((found for value in candidates if isinstance(found := take(model, form, value), Form)), None)
        assert taken is not None, f"{model.id}: no value of {asked.name} goes with a plain order"
        while (more := next_question(model, taken)) is not None:
            needed = model.input(more.asking)
            assert needed is not None
            again = take(model, more, fitting(needed, model))
            assert isinstance(again, Form), f"{model.id}: {needed.name} after {asked.name}: {again}"
            taken = again
        assert check_order(model, taken.inputs) == ()
        if not asked.required and asked.name not in order:
            emptied = remove(model, change_form(model, asked, form_id=1, draft_id=2, inputs=taken.inputs))
            assert isinstance(emptied, Form), f"{model.id}: {asked.name} stays: {emptied}"
            assert asked.name not in emptied.inputs


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("category", SOLD)
def test_every_question_fits_a_message_and_its_buttons(category: Category, language: str) -> None:
    each(category, questions_fit, language)


def questions_fit(model: Model, language: str) -> None:
    say = TEXTS.speaker(language)
    about = About(offer=Offer(model=model, price=Money(10**9, "RUB"), is_least=True, is_free=False), usual_s=None)
    for form in every_form(model):
        large = Form(
            **{
                **form.as_data(),
                "form_id": LARGEST,
                "turn": MAX_TURN,
                "trail": (),
                "skipped": (),
                "gathered": form.gathered,
            }
        )
        question = OpenQuestion(say=say, language=language, model=model, form=large)
        shown = [
            order_form_views.question_view(question, about=None if form.is_change else about),
            order_form_views.results(question, MADE),
        ]
        if question.current is not None and question.current.type in {"task", "track"}:
            shown = [
                order_form_views.question_view(question, sources=Sources(made=made, models=[model]))
                for made in (MADE, [])
            ]
        if question.current is not None and question.current.takes_files:
            shown.append(order_form_views.counter(question))
        for view in shown:
            fits(view)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("category", SOLD)
def test_every_documented_limit_is_refused_in_words(category: Category, language: str) -> None:
    each(category, limits_are_refused, language)


def limits_are_refused(model: Model, language: str) -> None:
    for asked in every_input(model):
        refusals = [parse_answer(asked, typed, language) for typed in too_much(asked)]
        refusals += refused_files(asked)
        refusals += refused_counts(asked)
        for refused in refusals:
            assert isinstance(refused, Refused), f"{model.id}: {asked.name} takes {refused!r}"
            form = Form(form_id=1, model=model.id, inputs={}, asking=asked.name)
            view = order_form_views.refusal(
                OpenQuestion(say=TEXTS.speaker(language), language=language, model=model, form=form), refused
            )
            assert 0 < len(view.text) <= MAX_TEXT_LENGTH
            assert "()" not in view.text
            assert "_" not in view.text or asked.type == "choice", f"a raw name is shown: {view.text}"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("category", SOLD)
def test_the_card_and_its_changes_fit_a_message(category: Category, language: str) -> None:
    each(category, card_fits, language)


def card_fits(model: Model, language: str) -> None:
    say, evil = TEXTS.speaker(language), "<b>&" * 250
    inputs = {each.name: evil if each.type == "text" else fitting(each) for each in model.inputs}
    draft = Draft(
        draft_id=DraftId(LARGEST),
        bot_id=BotId(1),
        user_id=UserId(LARGEST),
        chat_id=ChatId(LARGEST),
        model=model.id,
        inputs=inputs,
        price=Money(10**9, "RUB"),
        revision=MAX_TURN,
        is_closed=False,
    )
    card = draft_card(say, model, draft, language=language, balance=Money(0, "RUB"))
    fits(card)
    assert "<b>&<b>" not in card.text
    menus = [show(say, model, draft, language=language) for show in (change_menu, further_settings)]
    changed = {
        data for menu in menus for row in menu.rows for each in row if (data := each.callback_data or "")[:2] == "e:"
    }
    shown = [each for each in relevant(model, inputs) if each.place != "hidden"]
    assert len(changed) == len(shown), "whatever makes sense can be changed"
    for menu in menus:
        fits(menu)


def every_form(model: Model) -> Iterator[Form]:
    """A form for every question a model can ask: in turn, on the card, and each field of its lists."""
    yield from list(walk(model))[:-1]
    order = ordered(model).inputs
    for asked in model.inputs:
        form = change_form(model, asked, form_id=1, draft_id=2, inputs=order)
        yield form
        if asked.type == "list" and asked.fields:
            lines = order_form_form.walk_lines(opened(form, asked), asked)
            for each in asked.fields:
                line = {field.name: fitting(field) for field in asked.fields}
                yield Form(**{**lines.as_data(), "gathered": (line,), "field": each.name, "trail": (), "skipped": ()})
            yield Form(**{**lines.as_data(), "gathered": (line,) * 3, "field": None, "trail": (), "skipped": ()})


def every_input(model: Model) -> Iterator[Input]:
    for asked in model.inputs:
        yield asked
        yield from asked.fields


def refused_files(asked: Input) -> list[Refused | None]:
    """What a file that breaks one limit gets."""
    if asked.files is None or not asked.takes_files:
        return []
    limits, good = asked.files, good_file(asked)
    other = SAMPLE_FILES["audio" if limits.kind != "audio" else "image"]
    bad = [other]
    bad += [changed(good, format="xyz")] if limits.formats else []
    bad += [changed(good, size_bytes=limits.max_bytes + 1)] if limits.max_bytes else []
    bad += [changed(good, seconds=limits.max_seconds + 1)] if limits.max_seconds else []
    bad += [changed(good, seconds=limits.min_seconds - Decimal("0.5"))] if limits.min_seconds else []
    bad += [changed(good, width=limits.max_side + 1, height=1000)] if limits.max_side else []
    bad += [changed(good, width=limits.min_side - 1, height=1000)] if limits.min_side else []
    found: list[Refused | None] = [check_file(asked, file) for file in bad]
    if limits.total_seconds is not None:
        found.append(check_files(asked, [changed(good, seconds=limits.total_seconds / 2 + 1)] * 2))
    return found


def refused_counts(asked: Input) -> list[object]:
    found: list[object] = []
    if asked.type in {"files", "list"} and asked.max_items is not None:
        one = fitting(asked)[0]
        found.append(check_answer(asked, [one] * (asked.max_items + 1)))
    if asked.type in {"files", "list"} and (asked.min_items or 0) > 1:
        found.append(check_answer(asked, fitting(asked)[:-1]))
    if asked.type == "list" and asked.total_length is not None:
        found.append(check_answer(asked, [{asked.main: "я" * (asked.total_length // 2 + 1)}] * 2))
    if asked.type == "list" and is_typed(asked):
        found.append(parse_lines(asked, "  ", "ru") if asked.fields else check_answer(asked, []))
    return found


def good_file(asked: Input) -> FileFacts:
    assert asked.files is not None
    sample = SAMPLE_FILES[asked.files.kind]
    return changed(sample, format=asked.files.formats[0] if asked.files.formats else sample.format)


def changed(file: FileFacts, **facts: Any) -> FileFacts:
    return replace(file, **facts)


def fits(view: View) -> None:
    assert 0 < len(view.text) <= MAX_TEXT_LENGTH
    for button in (button for row in view.rows for button in row):
        assert 1 <= len((button.callback_data or "").encode()) <= MAX_BYTES
        assert 0 < len(button.text) <= MAX_LABEL_LENGTH
    data = [button.callback_data for row in view.rows for button in row]
    assert len(data) == len(set(data)), "two buttons do the same"
