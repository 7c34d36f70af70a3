"""Lists of templates, the question of a slot, and the caption of an example. Pure: facts → text and keyboard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import ExampleButton, IdeasButton, SlotButton, SlotResultButton, TemplateButton
from photomat.bot.view import Rows, View, button, page_turns, to_home
from photomat.jobs.history import EarlierResult
from photomat.kernel.text import cut
from photomat.templates.template import GROUPS, Slot, Template
from photomat.texts.load import Say

ON_A_PAGE: Final = 8
EVERY_GROUP: Final = "all"
ICONS: Final[Mapping[str, str]] = {"picture": "🖼", "photo": "🎨", "video": "🎬", "music": "🎵", "voice": "🗣"}
SHOWN_RESULTS: Final = 4
MAX_LABEL_LENGTH: Final = 40
MAX_ANSWER_LENGTH: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSlot:
    """The slot that is asked for, and how many come before it."""

    template: Template
    slot: Slot
    form_id: int
    answered: int

    @property
    def number(self) -> int:
        return self.template.slots.index(self.slot)


def ideas_page(say: Say, templates: Sequence[Template], *, group: str, page: int, language: str) -> View:
    """One page of the templates of a group, or of all; a row of groups narrows it."""
    found = [each for each in templates if group in {EVERY_GROUP, each.group}]
    pages = max(1, ceil(len(found) / ON_A_PAGE))
    page = min(page, pages - 1)
    shown = found[page * ON_A_PAGE : (page + 1) * ON_A_PAGE]
    lines = [say("ideas-title"), "", say("ideas-choose" if found else "ideas-none")]
    if pages > 1:
        lines.append(say("list-page", page=page + 1, pages=pages))
    turns = page_turns(
        (say("list-previous"), say("list-next")),
        lambda number: IdeasButton(group=group, page=number),
        page=page,
        has_more=page + 1 < pages,
    )
    rows = [[button(each.title.of(language), TemplateButton(template=each.id))] for each in shown]
    return View(text="\n".join(lines), rows=[*rows, *turns, _groups(say, templates, group), [to_home(say)]])


def slot_question(say: Say, asked: OpenSlot, results: Sequence[EarlierResult], *, language: str) -> View:
    """One question of a template: example answers to tap, or earlier results of the user's own."""
    template, slot = asked.template, asked.slot
    text = say(
        "template-ask",
        title=escape(template.title.of(language)),
        ask=escape(slot.ask.of(language)),
        step=asked.answered + 1,
        steps=len(template.slots),
    )
    back = button(say("template-back"), IdeasButton(group=template.group))
    rows = [*_example_rows(asked, language), *_result_rows(say, asked, results), [back, to_home(say)]]
    return View(text=text, rows=rows, expects_text=slot.kind == "text", in_group=say("form-reply"))


def example_caption(say: Say, template: Template, *, language: str, drawn: bool) -> str:
    """What the example is of, and the first answer it was made from; short, because the menu stands below it."""
    title = say("example-title-drawn" if drawn else "example-title", title=escape(template.title.of(language)))
    answer = next(iter(template.example(language).values()), "")
    return f"{title}\n<i>{escape(cut(answer, MAX_ANSWER_LENGTH))}</i>" if answer else title


def example_rows(say: Say, shown: Template, others: Sequence[Template]) -> Rows:
    """The way to the template, then ◀ ▶; the last leads to the first. `others` are all with an example, this one too."""
    ids = [each.id for each in others]
    at = ids.index(shown.id)
    rows = [[button(say("example-same"), TemplateButton(template=shown.id))]]
    if len(ids) > 1:
        before, after = ExampleButton(template=ids[at - 1]), ExampleButton(template=ids[(at + 1) % len(ids)])
        rows.append([button(say("list-previous"), before), button(say("list-next"), after)])
    return rows


def refused(asked: OpenSlot, why: str) -> View:
    return View(text=why, rows=[], expects_text=asked.slot.kind == "text")


def _groups(say: Say, templates: Sequence[Template], chosen: str) -> list[InlineKeyboardButton]:
    """A button for each group that has templates; the chosen one switches itself off."""
    there = {each.group for each in templates}
    row = []
    for each in GROUPS:
        is_on, icon = each == chosen, ICONS[each]
        target = IdeasButton(group=EVERY_GROUP if is_on else each)
        if each in there:
            row.append(button(say("list-filter-on", label=icon) if is_on else icon, target))
    return row


def _example_rows(asked: OpenSlot, language: str) -> Rows:
    given = asked.slot.examples_in(language)
    data = [SlotButton(form_id=asked.form_id, slot=asked.number, option=number) for number in range(len(given))]
    return [[button(cut(text, MAX_LABEL_LENGTH), each)] for text, each in zip(given, data, strict=True)]


def _result_rows(say: Say, asked: OpenSlot, results: Sequence[EarlierResult]) -> Rows:
    rows = []
    for each in results[:SHOWN_RESULTS]:
        data = SlotResultButton(form_id=asked.form_id, slot=asked.number, job_id=each.job_id, output=each.position or 0)
        label = say("template-result", words=cut(" ".join(each.words.split()), MAX_LABEL_LENGTH))
        rows.append([button(label, data)])
    return rows
