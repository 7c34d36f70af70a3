"""A page of the history: one order with its result, what became of it, and what can be done with it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from photomat.bot.buttons import GalleryButton, GalleryStep, PickButton, ResultsPageButton
from photomat.bot.results.views import local_time
from photomat.catalog.model import Model
from photomat.delivery.caption import CardOrder, part_in_words, readable
from photomat.delivery.next_steps import NextSteps, start_of, step_rows
from photomat.delivery.outputs import Output
from photomat.delivery.render import CardView, failure_word
from photomat.jobs.gallery import GalleryFilter, PastJob, PlaceInGallery
from photomat.jobs.history import EarlierResult
from photomat.jobs.job import TERMINAL, JobStatus
from photomat.kernel.text import cut
from photomat.telegram import callback_data
from photomat.telegram.port import Button, Keyboard
from photomat.texts.load import Say

MAX_PROMPT_LENGTH: Final = 300
MAX_READ_LENGTH: Final = 1500


@dataclass(frozen=True, slots=True, kw_only=True)
class GalleryPage:
    """An order, its outputs, the one that is shown, and where it stands among those that fit `only`."""

    job: PastJob
    outputs: Sequence[Output]
    position: int
    place: PlaceInGallery
    only: GalleryFilter
    model: Model | None
    title: str
    next_steps: NextSteps
    asks_to_hide: bool = False

    @property
    def output(self) -> Output | None:
        """The output that is shown; a result that has not reached its card yet is not shown here first."""
        if not self.outputs or self.job.status is not JobStatus.DONE or not self.job.delivered:
            return None
        return self.outputs[min(self.position, len(self.outputs) - 1)]


def gallery_page(say: Say, page: GalleryPage, *, language: str) -> CardView:
    output = page.output
    part = part_in_words(output.title, say) if output is not None else None
    keyboard = _confirm(say, page) if page.asks_to_hide else _keyboard(say, page)
    return CardView(
        text=_text(say, page, part, language),
        keyboard=keyboard,
        output=output,
        model=_order(page).name(language),
        part=part,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PickPage:
    """An earlier result that a question may be answered with; `number` counts from 0."""

    made: EarlierResult
    output: Output | None
    number: int
    has_more: bool
    pick: PickButton
    back: str


def pick_page(say: Say, page: PickPage) -> CardView:
    """A result to choose, with the way to the ones beside it and back to the question."""
    words = cut(" ".join(page.made.words.split()), MAX_PROMPT_LENGTH)
    lines = (say("gallery-pick-ask"), f"<i>{escape(words)}</i>" if words else "", local_time(page.made.made_at))

    def turn(text: str, number: int) -> Button:
        return Button(
            text=text, data=ResultsPageButton(form_id=page.pick.form_id, turn=page.pick.turn, page=number).pack()
        )

    turns = [turn(str(page.number + 1), page.number)]
    if page.number:
        turns.insert(0, turn("◀", page.number - 1))
    if page.has_more:
        turns.append(turn("▶", page.number + 1))
    pick = Button(text=say("gallery-pick"), data=page.pick.pack())
    back = Button(text=say("form-to-question"), data=page.back)
    return CardView(text="\n".join(filter(None, lines)), keyboard=((pick,), tuple(turns), (back,)), output=page.output)


def nothing_found(say: Say, only: GalleryFilter, *, words: str) -> str:
    if only is GalleryFilter.WORDS:
        return say("gallery-nothing-found", words=escape(cut(words, MAX_PROMPT_LENGTH)))
    return say("gallery-nothing-here")


def _order(page: GalleryPage) -> CardOrder:
    job = page.job
    title = job.title or page.title
    return CardOrder(
        title=title, model_id=job.model, inputs=job.inputs, result_object=job.result_object, model=page.model
    )


def _text(say: Say, page: GalleryPage, part: str | None, language: str) -> str:
    job = page.job
    head = say(
        "gallery-head",
        model=escape(_order(page).name(language)),
        state=_state(say, job),
        when=local_time(job.created_at),
    )
    prompt = cut(" ".join(job.prompt.split()), MAX_PROMPT_LENGTH)
    lines = [head, f"<b>{escape(part)}</b>" if part else "", f"<i>{escape(prompt)}</i>" if prompt else ""]
    question = say("gallery-asks-to-hide") if page.asks_to_hide else ""
    is_read = job.status is JobStatus.DONE and job.delivered and not page.outputs
    read = escape(cut(readable(job.result_object or {}, say), MAX_READ_LENGTH)) if is_read else ""
    return "\n\n".join(each for each in ("\n".join(filter(None, lines)), read, question) if each)


def _state(say: Say, job: PastJob) -> str:
    match job.status:
        case JobStatus.DONE if not job.delivered:
            return say("history-not-shown")
        case JobStatus.DONE:
            return say("gallery-gift") if job.gift else say("gallery-price", price=job.price)
        case JobStatus.FAILED:
            reason = say(f"history-fail-{failure_word(job.fail_code)}")
            return say("history-failed" if job.price.minor else "history-failed-free", reason=reason, price=job.price)
        case JobStatus.CANCELED if job.offered:
            return say("history-offered", price=job.price)
        case JobStatus.CANCELED:
            return say("history-canceled" if job.price.minor else "history-canceled-free", price=job.price)
        case _:
            return say("history-running", price=job.price)


def _keyboard(say: Say, page: GalleryPage) -> Keyboard:
    return (*_steps(say, page), *_outputs_row(page), _tools(page), _turns(page), _filters(say, page))


def _steps(say: Say, page: GalleryPage) -> Keyboard:
    output = page.output
    if output is None:
        return ()
    start = start_of(output, ordered=page.model.kind if page.model else None)
    return step_rows(
        say,
        job_id=page.job.job_id,
        position=output.position,
        wishes=page.next_steps.wishes_for(start),
        may_vary=page.next_steps.may_vary(page.job.model),
    )


def _outputs_row(page: GalleryPage) -> Keyboard:
    """The outputs of one order, turned in a circle."""
    count = len(page.outputs) if page.output is not None else 0
    if count < 2:  # noqa: PLR2004  one output has no pages
        return ()
    at = min(page.position, count - 1)
    turns = (("‹", (at - 1) % count), (f"{at + 1}/{count}", at), ("›", (at + 1) % count))
    return (tuple(_button(text, page, GalleryStep.AT, position=position) for text, position in turns),)


def _tools(page: GalleryPage) -> tuple[Button, ...]:
    job, found = page.job, list[Button]()
    if job.status is JobStatus.DONE:
        heart, step = ("❤️", GalleryStep.UNLIKE) if job.is_favourite else ("🤍", GalleryStep.LIKE)
        found.append(_button(heart, page, step, position=page.position))
        if job.delivered:
            found.append(Button(text="📎", data=callback_data.act_on_job(job.job_id, "files")))
    found.append(Button(text="🔁", data=callback_data.act_on_job(job.job_id, "again")))
    if job.status in TERMINAL:
        found.append(_button("🗑", page, GalleryStep.ASK_HIDE, position=page.position))
    found.append(Button(text="ℹ️", data=callback_data.act_on_job(job.job_id, "info")))
    found.append(Button(text="🆘", data=callback_data.act_on_job(job.job_id, "sos")))
    return tuple(found)


def _turns(page: GalleryPage) -> tuple[Button, ...]:
    """◀ leads to what is newer, ▶ to what is older, as far as it is known that there is something."""
    number, place = page.place.number, page.place
    count = f"{place.count}" if place.is_all else f"{place.count}+"
    row = [_button(f"{number or '…'}/{count}", page, GalleryStep.AT, position=page.position)]
    if number != 1:
        row.insert(0, _button("◀", page, GalleryStep.NEWER))
    if number != place.count or not place.is_all:
        row.append(_button("▶", page, GalleryStep.OLDER))
    return tuple(row)


def _filters(say: Say, page: GalleryPage) -> tuple[Button, ...]:
    """One button a filter, the one in force marked; words are asked for first."""

    def shown(only: GalleryFilter) -> Button:
        label = say(f"gallery-filter-{only}")
        step = GalleryStep.ASK_WORDS if only is GalleryFilter.WORDS else GalleryStep.TOP
        text = say("gallery-filter-on", only=label) if only is page.only else label
        return Button(text=text, data=GalleryButton(only=only, job_id=0, step=step).pack())

    return tuple(map(shown, GalleryFilter))


def _confirm(say: Say, page: GalleryPage) -> Keyboard:
    hide = _button(say("gallery-hide"), page, GalleryStep.HIDE)
    return ((hide, _button(say("gallery-keep"), page, GalleryStep.AT, position=page.position)),)


def _button(text: str, page: GalleryPage, step: GalleryStep, *, position: int = 0) -> Button:
    data = GalleryButton(only=page.only, job_id=page.job.job_id, step=step, position=position)
    return Button(text=text, data=data.pack())
