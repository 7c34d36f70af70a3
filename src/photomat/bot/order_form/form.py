"""A model's inputs as questions: one engine for every model of the catalogue. Pure.

A form is the state of one conversation. Its id is the number of the update that opened it, so an update handled again
opens the same form; `turn` counts its questions, so a button of an older form or question is recognised as stale. Asked in
turn are the inputs an order needs and those the catalogue says to ask for; the rest is changed on the card.

Several files, and lists of lines with fields of their own, are answered bit by bit. A list whose lines are typed gets them
first, and then, if wanted, the other fields line by line. Any other list is filled in field by field, line after line.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from decimal import Decimal
from typing import Any, Final

from photomat.catalog.answers import Refused, check_answer, check_length
from photomat.catalog.formula import is_given
from photomat.catalog.input import FileKind, Input
from photomat.catalog.model import Model
from photomat.catalog.order import check_order, relevant, settled

VARIANT: Final = ""
"""What is asked where a model can be ordered in several variants: which one."""
INCOMPLETE: Final = frozenset({"form-missing", "form-one-of"})
"""Objections that hold only until everything was asked."""
UNSHOWN: Final[Mapping[str, Any]] = {"counter": None, "asked_in": None, "heard": ()}
"""The messages of a question that was not asked yet."""
NEEDED: Final = ("form_id", "model", "inputs", "asking", "draft_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """What was filled in so far and which input is being asked for. With a `draft_id` it changes that draft.

    `trail` are the answered questions, `way` the number of the chosen variant. `gathered` are the files or lines of a
    question that is answered bit by bit; `field` of line `at` is asked now. `asked_in` is the message that asks the open
    question, `heard` those that let a voice be heard, `counter` the one that counts files, `album` the album of the last
    file, `album_left` one whose rest the user knows is not taken. `came_from` leads back to the list the model was picked
    from; `begins_with` is the file that list is about: it is asked for first, even where the model does not need it. `again`
    are inputs whose answers no longer fit: they are asked for again.
    """

    form_id: int
    model: str
    inputs: Mapping[str, Any]
    asking: str
    draft_id: int | None = None
    turn: int = 0
    way: int | None = None
    skipped: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    trail: tuple[str, ...] = ()
    gathered: tuple[Any, ...] = ()
    at: int = 0
    field: str | None = None
    counter: int | None = None
    asked_in: int | None = None
    heard: tuple[int, ...] = ()
    album: str | None = None
    album_left: str | None = None
    came_from: str | None = None
    begins_with: str | None = None

    @property
    def is_change(self) -> bool:
        return self.draft_id is not None

    @property
    def is_first(self) -> bool:
        """Whether nothing was answered yet: its question is the model's page."""
        return not self.trail and not self.is_change and not self.is_half_answered

    @property
    def is_half_answered(self) -> bool:
        """Whether the open question has files or lines already."""
        return bool(self.gathered) and self.gathered != ({},)

    def as_data(self) -> dict[str, Any]:
        """The form as a conversation stores it."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}


KNOWN: Final = frozenset(each.name for each in fields(Form))


def form_from_data(data: Mapping[str, Any]) -> Form | None:
    """The form a conversation stores, if there is one that this version can read."""
    if any(name not in data for name in NEEDED):
        return None
    stored: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in data.items() if name in KNOWN
    }
    return Form(**{"turn": _turn_without_one(data), **stored})


def _turn_without_one(data: Mapping[str, Any]) -> int:
    """The turn of a form that an older version stored: its buttons carry the number of the question, asked in order."""
    asked = list(data["inputs"])
    return asked.index(data["asking"]) if data["asking"] in asked else len(asked)


def new_form(
    model: Model, *, form_id: int, inputs: Mapping[str, Any] | None = None, starts_from: FileKind | None = None
) -> Form:
    form = Form(form_id=form_id, model=model.id, inputs=inputs or {}, asking=VARIANT, turn=-1)
    return replace(form, begins_with=_begins_with(model, form, starts_from))


def change_form(model: Model, asked: Input, *, form_id: int, draft_id: int, inputs: Mapping[str, Any]) -> Form:
    form = Form(form_id=form_id, model=model.id, inputs=inputs, asking=asked.name, draft_id=draft_id, turn=-1)
    return opened(form, asked)


def next_question(model: Model, form: Form) -> Form | None:
    """The form with its next question open; None when nothing is left to ask."""
    if _must_choose_variant(model, form):
        return _turned(form, VARIANT)
    left = upcoming(model, form)
    return opened(form, left[0]) if left else None


def opened(form: Form, asked: Input) -> Form:
    """The form with this question open; a list that is filled in field by field begins with its first line."""
    turned = _turned(form, asked.name)
    by_fields = asked.type == "list" and not is_typed(asked)
    return replace(turned, gathered=({},), field=asked.fields[0].name) if by_fields else turned


def upcoming(model: Model, form: Form) -> tuple[Input, ...]:
    """What is still to be asked, as far as that is known now: what is asked again and the chosen variant come first."""
    chosen = _variant_inputs(model, form)
    others = {name for names in model.one_of for name in names} - chosen
    asked = (
        each
        for each in relevant(model, form.inputs)
        if not is_given(form.inputs.get(each.name))
        and each.name not in form.skipped
        and (
            is_needed(each, chosen)
            or each.name == form.begins_with
            or each.name in form.again
            or (not form.is_change and each.place == "ask" and (each.name not in others or each.type == "text"))
        )
    )
    first = {form.begins_with, *form.again}
    return tuple(sorted(asked, key=lambda each: (each.name not in first, each.name not in chosen)))


def is_needed(asked: Input, chosen: frozenset[str] = frozenset()) -> bool:
    """Whether an order is impossible without an answer to it."""
    return (asked.required or asked.name in chosen) and asked.default is None and not asked.default_items


def is_typed(asked: Input) -> bool:
    """Whether a list is typed in line by line: it has a main field, no fields at all, or only words and numbers."""
    return asked.main is not None or all(each.required and each.type in {"text", "number"} for each in asked.fields)


def take(model: Model, form: Form, value: Any, *, measured: Mapping[str, Decimal] | None = None) -> Form | Refused:
    """The form with this answer to its open question, or why the order is then invalid."""
    if form.asking == VARIANT:
        return replace(form, way=value, trail=(*form.trail, VARIANT))
    taken = put(model, form, form.asking, value, measured=measured)
    return taken if isinstance(taken, Refused) else replace(taken, trail=(*form.trail, form.asking))


def put(
    model: Model, form: Form, name: str, value: Any, *, measured: Mapping[str, Decimal] | None = None
) -> Form | Refused:
    """The form with a value of any of its inputs, or why the order is then invalid; inputs that no longer apply are dropped."""
    inputs = settled(model, {**form.inputs, name: value})
    return _new_objection(model, form.inputs, inputs, measured) or replace(form, inputs=inputs)


def ask_again(model: Model, form: Form, names: Collection[str]) -> Form:
    left = {name: value for name, value in form.inputs.items() if name not in names}
    return replace(form, inputs=settled(model, left), again=tuple(names))


def skip(form: Form) -> Form:
    return replace(form, skipped=(*form.skipped, form.asking), trail=(*form.trail, form.asking))


def leave_out(model: Model, form: Form, names: tuple[str, ...]) -> Form:
    """The form without answers to these questions, as far as the order allows."""
    chosen = _variant_inputs(model, form)
    optional = (name for name in names if (asked := model.input(name)) and not is_needed(asked, chosen))
    return replace(form, skipped=(*form.skipped, *optional))


def remove(model: Model, form: Form) -> Form | Refused:
    """The form with the value of its open question taken out, or why the order needs it."""
    inputs = settled(model, {name: value for name, value in form.inputs.items() if name != form.asking})
    refused = next((each for each in check_order(model, inputs) if each.key != "form-missing"), None)
    return refused or replace(form, inputs=inputs, trail=(*form.trail, form.asking))


def back(model: Model, form: Form) -> Form | None:
    """The question before this one, its answer dropped; one that is half answered begins again. None: there is none."""
    asked = model.input(form.asking)
    if asked is not None and form.is_half_answered:
        return opened(form, asked)
    if not form.trail:
        return None
    name, before = form.trail[-1], form.trail[:-1]
    kept = replace(
        form,
        inputs={each: value for each, value in form.inputs.items() if each != name},
        skipped=tuple(each for each in form.skipped if each != name),
        trail=before,
        way=None if name == VARIANT else form.way,
    )
    earlier = model.input(name)
    return opened(kept, earlier) if earlier is not None else _turned(kept, VARIANT)


def can_skip(model: Model, form: Form) -> bool:
    """Whether the open question may be left out; a change is made or left, but for what is asked again."""
    asked = model.input(form.asking)
    may = not form.is_change or form.asking in form.again
    return may and asked is not None and not is_needed(asked, _variant_inputs(model, form))


def can_finish(model: Model, form: Form) -> bool:
    """Whether there is an order already, with more than the open question still to come."""
    is_enough = not any(each.key in INCOMPLETE for each in check_order(model, form.inputs))
    return is_enough and not form.is_change and len(upcoming(model, form)) > 1


def steps(model: Model, form: Form) -> tuple[int, int]:
    """Which question this is, and of how many, as far as that is known now."""
    to_come = [each.name for each in upcoming(model, form)]
    open_too = 0 if form.asking in to_come else 1
    return len(form.trail) + 1, len(form.trail) + len(to_come) + open_too


def _turned(form: Form, asking: str) -> Form:
    return replace(form, asking=asking, turn=form.turn + 1, gathered=(), at=0, field=None, **UNSHOWN)


def _variant_inputs(model: Model, form: Form) -> frozenset[str]:
    is_known = form.way is not None and form.way < len(model.one_of)
    return frozenset(model.one_of[form.way or 0]) if is_known else frozenset()


def _begins_with(model: Model, form: Form, kind: FileKind | None) -> str | None:
    """The first file of this kind the model takes, where it could be ordered without any."""
    known = [each for each in relevant(model, form.inputs) if each.takes_files and each.place != "hidden"]
    takes = [each for each in known if each.files is not None and each.files.kind == kind]
    is_asked_anyway = bool(model.one_of) or any(is_needed(each) for each in takes)
    return takes[0].name if takes and not is_asked_anyway else None


def _must_choose_variant(model: Model, form: Form) -> bool:
    filled = model.filled(form.inputs)
    is_settled = any(all(is_given(filled.get(name)) for name in names) for names in model.one_of)
    return bool(model.one_of) and not is_settled and not _variant_inputs(model, form)


def _new_objection(
    model: Model, before: Mapping[str, Any], after: Mapping[str, Any], measured: Mapping[str, Decimal] | None
) -> Refused | None:
    """The first objection that is new with this answer; missing inputs do not count."""
    known = [each for each in check_order(model, before) if each.key not in INCOMPLETE]
    found = [each for each in check_order(model, after, measured) if each.key not in INCOMPLETE]
    return next((each for each in found if each not in known), None)


def current_input(form: Form, asked: Input) -> Input:
    """The input, or the field of the line that is asked for now."""
    return field_named(asked, form.field) or asked


def field_named(asked: Input, name: str | None) -> Input | None:
    return next((each for each in asked.fields if each.name == name), None)


def files_so_far(form: Form, asked: Input) -> tuple[Any, ...]:
    """The files the open question has, where it takes several."""
    if current_input(form, asked).type != "files":
        return ()
    return form.gathered if form.field is None else tuple(open_line(form).get(form.field, ()))


def with_file(form: Form, asked: Input, reference: Any) -> Form | Refused:
    """The form with a file added to those the open question has, or why it is one too many."""
    current = current_input(form, asked)
    files = [*files_so_far(form, asked), reference]
    if len(files) > current.items_limit:
        return Refused(key="form-too-many", facts={"limit": current.items_limit, "count": len(files)})
    if form.field is None:
        return replace(form, gathered=tuple(files))
    return _with_line(form, {**open_line(form), form.field: files})


def has_enough_files(form: Form, asked: Input) -> bool:
    """Whether the open question has as many files as it needs."""
    return len(files_so_far(form, asked)) >= (current_input(form, asked).min_items or 1)


def has_all_files(form: Form, asked: Input) -> bool:
    return len(files_so_far(form, asked)) >= current_input(form, asked).items_limit


def with_field(form: Form, asked: Input, value: Any) -> Form | Refused:
    """The form with this value of the open field, and the next field open; or why all lines together are too long."""
    filled = _with_line(form, {**open_line(form), form.field or "": value})
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
    if open_line(form):
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
    return len(form.gathered) < asked.items_limit


def can_be_done(form: Form, asked: Input) -> bool:
    """Whether what is there can be an answer: nothing that the open line needs is missing."""
    return bool(form.gathered) and not any(_lacks(asked, line) for line in form.gathered)


def answer_of(form: Form, asked: Input) -> Any | Refused:
    """All files or lines so far as one answer, or why they are none."""
    gathered = [dict(line) if isinstance(line, dict) else line for line in form.gathered]
    return check_answer(asked, gathered)


def _walked(asked: Input) -> list[str]:
    return [each.name for each in asked.fields if each.name != asked.main]


def _lacks(asked: Input, line: Any) -> bool:
    return isinstance(line, dict) and any(
        each.required and each.default is None and not is_given(line.get(each.name)) for each in asked.fields
    )


def open_line(form: Form) -> dict[str, Any]:
    return dict(form.gathered[form.at]) if form.at < len(form.gathered) else {}


def _with_line(form: Form, line: dict[str, Any]) -> Form:
    return replace(form, gathered=(*form.gathered[: form.at], line, *form.gathered[form.at + 1 :]))


def _at(form: Form, at: int, field: str | None) -> Form:
    return replace(form, at=at, field=field, turn=form.turn + 1, **UNSHOWN)
