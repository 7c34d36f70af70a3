"""Questions that are answered bit by bit: several files, and lists of lines with fields of their own. Pure.

A list whose lines are typed gets them first, and then, if wanted, the other fields line by line. Any other list is filled in
field by field, one line after the other, until the user says that it is done.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from photomat.bot.order_form.form import Form, is_typed
from photomat.catalog.answers import Refused, check_answer, check_length
from photomat.catalog.formula import is_given
from photomat.catalog.input import Input


def target(form: Form, asked: Input) -> Input:
    """The input that is asked for right now: the open field of a list, or the question itself."""
    return field_named(asked, form.field) or asked


def field_named(asked: Input, name: str | None) -> Input | None:
    return next((each for each in asked.fields if each.name == name), None)


def files_so_far(form: Form, asked: Input) -> tuple[Any, ...]:
    """The files the open question has, where it takes several."""
    if target(form, asked).type != "files":
        return ()
    return form.gathered if form.field is None else tuple(_line(form).get(form.field, ()))


def with_files(form: Form, asked: Input, refs: Sequence[Any]) -> Form | Refused:
    """The form with these files added to those the open question has, or why they are too many."""
    wanted = target(form, asked)
    files = [*files_so_far(form, asked), *refs]
    if len(files) > wanted.items_limit:
        return Refused(key="form-too-many", facts={"limit": wanted.items_limit, "count": len(files)})
    if form.field is None:
        return replace(form, gathered=tuple(files))
    return _with_line(form, {**_line(form), form.field: files})


def has_enough_files(form: Form, asked: Input) -> bool:
    """Whether the open question has as many files as it needs."""
    return len(files_so_far(form, asked)) >= (target(form, asked).min_items or 1)


def has_all_files(form: Form, asked: Input) -> bool:
    """Whether it takes no more."""
    return len(files_so_far(form, asked)) >= target(form, asked).items_limit


def with_field(form: Form, asked: Input, value: Any) -> Form | Refused:
    """The form with this value of the open field, and the next field open; or why all lines together are too long."""
    filled = _with_line(form, {**_line(form), form.field or "": value})
    return check_length(asked, filled.gathered) or after_field(filled, asked)


def after_field(form: Form, asked: Input) -> Form:
    """The form with the next field open; no field is open when the line, or every line that was typed, is through."""
    names = _walked(asked)
    here = names.index(form.field) if form.field in names else -1
    if here + 1 < len(names):
        return _at(form, form.at, names[here + 1])
    is_last = not is_typed(asked) or form.at + 1 >= len(form.gathered)
    return _at(form, form.at, None) if is_last else _at(form, form.at + 1, names[0])


def with_lines(form: Form, asked: Input, lines: Sequence[Any]) -> Form | Refused:
    """The form with typed lines added, or why they do not fit. That something is still missing does not count."""
    gathered = (*form.gathered, *lines)
    checked = check_answer(replace(asked, min_items=None), list(gathered))
    if isinstance(checked, Refused) and checked.key != "form-missing":
        return checked
    return check_length(asked, gathered) or _at(replace(form, gathered=gathered), 0, None)


def another_line(form: Form, asked: Input) -> Form:
    """The form with a new line begun."""
    return _at(replace(form, gathered=(*form.gathered, {})), len(form.gathered), asked.fields[0].name)


def without_last_line(form: Form, asked: Input) -> Form:
    """The form without its last line; a list that is filled in field by field never has none."""
    left = replace(form, gathered=form.gathered[:-1])
    return _at(left, 0, None) if left.gathered or is_typed(asked) else another_line(left, asked)


def one_step_back(form: Form, asked: Input) -> Form | None:
    """Back within a list: to the lines that are there, or to the beginning of this one. None: out of the list."""
    if asked.type != "list" or form.field is None:
        return None
    if is_typed(asked):
        return _at(form, 0, None)
    if _line(form):
        return _at(_with_line(form, {}), form.at, asked.fields[0].name)
    return without_last_line(form, asked) if form.at else None


def walk_lines(form: Form, asked: Input) -> Form:
    """The form with the first field of the first line open, beside the one that was typed."""
    names = _walked(asked)
    return _at(form, 0, names[0] if names else None)


def has_more_fields(asked: Input) -> bool:
    """Whether a typed line has fields that can be set besides."""
    return asked.main is not None and bool(_walked(asked))


def can_take_more(form: Form, asked: Input) -> bool:
    """Whether another line fits."""
    return len(form.gathered) < asked.items_limit


def can_be_done(form: Form, asked: Input) -> bool:
    """Whether what is there can be an answer: nothing that the open line needs is missing."""
    return bool(form.gathered) and not any(_lacks(asked, line) for line in form.gathered)


def answer_of(form: Form, asked: Input) -> Any | Refused:
    """Everything that was gathered as one answer, or why it is none."""
    gathered = [dict(line) if isinstance(line, dict) else line for line in form.gathered]
    return check_answer(asked, gathered)


def _walked(asked: Input) -> list[str]:
    return [each.name for each in asked.fields if each.name != asked.main]


def _lacks(asked: Input, line: Any) -> bool:
    return isinstance(line, dict) and any(
        each.required and each.default is None and not is_given(line.get(each.name)) for each in asked.fields
    )


def _line(form: Form) -> dict[str, Any]:
    return dict(form.gathered[form.at]) if form.at < len(form.gathered) else {}


def _with_line(form: Form, line: dict[str, Any]) -> Form:
    return replace(form, gathered=(*form.gathered[: form.at], line, *form.gathered[form.at + 1 :]))


def _at(form: Form, at: int, field: str | None) -> Form:
    return replace(form, at=at, field=field, turn=form.turn + 1, counter=None)
