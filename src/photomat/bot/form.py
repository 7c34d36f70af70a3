"""A model's inputs as questions: one engine for every model of the catalogue. Pure.

A form is the state of one conversation. Its id is the number of the update that opened it, so an update handled again
opens the same form, and a button of an older form is known as stale.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from photomat.catalog.model import Input, Model


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What was filled in so far and which input is being asked for. With a `draft_id` it changes that draft."""

    form_id: int
    model: str
    inputs: Mapping[str, str]
    asking: str
    draft_id: int | None = None

    def as_data(self) -> dict[str, Any]:
        """The form as a conversation keeps it."""
        return {
            "form_id": self.form_id,
            "model": self.model,
            "inputs": dict(self.inputs),
            "asking": self.asking,
            "draft_id": self.draft_id,
        }

    def answered(self, value: str) -> Mapping[str, str]:
        """The inputs with this answer in place."""
        return {**self.inputs, self.asking: value}

    def ask_next(self, model: Model, value: str) -> "Form | None":
        """The form with this answer and the next question open; None when nothing is left to ask."""
        inputs = self.answered(value)
        missing = first_missing(model, inputs)
        return None if missing is None else replace(self, inputs=inputs, asking=missing.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRefused:
    """An answer that does not fit: the key of what the customer reads, and its facts."""

    key: str
    facts: Mapping[str, object]


def form_from_data(data: Mapping[str, Any]) -> Form | None:
    """The form a conversation keeps, if it keeps one that this version can read."""
    try:
        return Form(
            form_id=data["form_id"],
            model=data["model"],
            inputs=data["inputs"],
            asking=data["asking"],
            draft_id=data["draft_id"],
        )
    except KeyError:
        return None


def open_form(model: Model, first: Input, *, form_id: int) -> Form:
    """A new form with its first question open."""
    return Form(form_id=form_id, model=model.id, inputs={}, asking=first.name)


def first_missing(model: Model, inputs: Mapping[str, str]) -> Input | None:
    """The first required input without a value; optional ones keep what Kie does by default."""
    return next((each for each in questions(model) if each.name not in inputs), None)


def questions(model: Model) -> tuple[Input, ...]:
    """The inputs every order is asked for."""
    return tuple(each for each in model.inputs if each.required)


def input_named(model: Model, name: str) -> Input | None:
    """The input of this name; None when the catalogue no longer has it."""
    return next((each for each in model.inputs if each.name == name), None)


def check_answer(asked: Input, text: str | None) -> str | AnswerRefused:
    """The value of a typed answer, or why it does not fit."""
    answer = (text or "").strip()
    if asked.type == "choice":
        return answer if answer in asked.options else _choice_expected(asked)
    if not answer:
        return AnswerRefused(key="form-expects-text", facts={})
    if asked.max_length is not None and len(answer) > asked.max_length:
        over = len(answer) - asked.max_length
        return AnswerRefused(
            key="form-too-long", facts={"limit": asked.max_length, "length": len(answer), "over": over}
        )
    return answer


def _choice_expected(asked: Input) -> AnswerRefused:
    return AnswerRefused(key="form-expects-choice", facts={"options": ", ".join(asked.options)})
