"""A model's inputs as questions."""

import pytest

from photomat.bot.form import AnswerRefused, Form, check_answer, first_missing, form_from_data, open_form, questions
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Input

MODEL = load_catalog().get("z-image")
PROMPT, RATIO = MODEL.inputs


def opened() -> Form:
    return open_form(MODEL, PROMPT, form_id=5)


def test_required_inputs_are_asked_in_the_order_of_the_catalogue() -> None:
    assert questions(MODEL) == (PROMPT, RATIO)
    assert first_missing(MODEL, {}) == PROMPT
    assert first_missing(MODEL, {"prompt": "кот"}) == RATIO
    assert first_missing(MODEL, {"prompt": "кот", "aspect_ratio": "1:1"}) is None


def test_an_answer_opens_the_next_question_and_the_last_one_none() -> None:
    second = opened().ask_next(MODEL, "кот")
    assert second is not None
    assert (second.asking, second.inputs, second.form_id) == ("aspect_ratio", {"prompt": "кот"}, 5)
    assert second.ask_next(MODEL, "1:1") is None
    assert second.answered("1:1") == {"prompt": "кот", "aspect_ratio": "1:1"}


def test_a_form_survives_being_stored() -> None:
    assert form_from_data(opened().as_data()) == opened()
    assert form_from_data({}) is None
    assert form_from_data({"form_id": 1}) is None, "what another version kept is no form"


@pytest.mark.parametrize("text", [None, "", "  \n "])
def test_words_are_expected(text: str | None) -> None:
    assert check_answer(PROMPT, text) == AnswerRefused(key="form-expects-text", facts={})


def test_a_text_is_trimmed_and_may_be_as_long_as_the_limit() -> None:
    assert check_answer(PROMPT, " кот ") == "кот"
    assert check_answer(PROMPT, "я" * 1000) == "я" * 1000
    assert check_answer(PROMPT, "я" * 1001) == AnswerRefused(
        key="form-too-long", facts={"limit": 1000, "length": 1001, "over": 1}
    )


def test_a_text_without_a_limit_may_be_any_length() -> None:
    free = Input(name="prompt", type="text", required=True)
    assert check_answer(free, "я" * 4096) == "я" * 4096


def test_a_choice_may_be_typed_but_not_made_up() -> None:
    assert check_answer(RATIO, "16:9") == "16:9"
    refused = check_answer(RATIO, "2:1")
    assert isinstance(refused, AnswerRefused)
    assert "16:9" in str(refused.facts["options"])
    assert isinstance(check_answer(RATIO, None), AnswerRefused)
