"""The history in words: each order with what became of it and of its money, and the way to what did not arrive. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.buttons import HistoryButton, JobAction, JobButton
from photomat.bot.menu.views import hint
from photomat.bot.view import Rows, View, button, page_turns, to_home
from photomat.catalog.model import Model
from photomat.delivery.caption import CardOrder, captioned
from photomat.delivery.render import failure_word
from photomat.jobs.history import OwnJob, PastJob
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import JobId
from photomat.kernel.text import cut
from photomat.texts.load import Say

MAX_PROMPT_LENGTH: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryPage:
    """Some orders, newest first; `number` counts pages from 0."""

    number: int
    first: int
    jobs: Sequence[PastJob]
    has_older: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """A job and the words about it: `price` explains what it cost, where that is known."""

    job_id: JobId
    job: OwnJob
    model: Model | None
    title: str
    price: str | None
    outputs: int


def local_time(at: datetime) -> str:
    """A moment as the reader's own Telegram writes it, in their zone; older ones show the words inside."""
    return f'<tg-time unix="{int(at.timestamp())}" format="dt">{at:%d.%m.%Y %H:%M} UTC</tg-time>'


def details_page(say: Say, details: Details, *, language: str) -> View:
    job = details.job
    order = CardOrder(
        title=job.title or details.title,
        model_id=job.model,
        inputs=job.inputs,
        result_object=None,
        model=details.model,
    )

    def sentence(inputs: str) -> str:
        name, when = escape(order.name(language)), local_time(job.created_at)
        return say("details-page", model=name, job=str(details.job_id), when=when, inputs=inputs)

    about = [captioned(sentence, order, part=None, language=language, say=say).rstrip()]
    about += [say("details-gift")] if job.gift else [details.price] if details.price else []
    return View(text="\n\n".join(about), rows=_details_rows(say, details))


def _details_rows(say: Say, details: Details) -> Rows:
    job_id = details.job_id
    again = button(say("card-button-again"), JobButton(job_id=job_id, action=JobAction.AGAIN))
    if details.job.status is not JobStatus.DONE:
        return [[again]]
    count = details.outputs
    key = "card-button-file" if not count else "card-button-originals" if count > 1 else "card-button-original"
    files = button(say(key, count=count), JobButton(job_id=job_id, action=JobAction.FILES))
    missing = button(say("details-missing"), JobButton(job_id=job_id, action=JobAction.RESEND))
    return [[again, files], [missing]]


def history_page(say: Say, page: HistoryPage, titles: Mapping[str, str]) -> View:
    if not page.jobs:
        return hint(say, "history-empty")
    numbered = list(enumerate(page.jobs, start=page.first))
    lines = "\n\n".join(_line(say, number, job, titles) for number, job in numbered)
    missing = [
        [_job_button(say("history-resend", number=number), JobAction.RESEND, job)]
        for number, job in numbered
        if job.status is JobStatus.DONE
    ]
    again = [_job_button(say("history-again", number=number), JobAction.AGAIN, job) for number, job in numbered]
    turns = page_turns(("◀", "▶"), lambda number: HistoryButton(page=number), page=page.number, has_more=page.has_older)
    return View(text=say("history", lines=lines), rows=[*missing, again, *turns, [to_home(say)]])


def _line(say: Say, number: int, job: PastJob, titles: Mapping[str, str]) -> str:
    return say(
        "history-line" if job.prompt.strip() else "history-line-bare",
        number=number,
        job=str(job.job_id),
        model=escape(job.title or titles.get(job.model, job.model)),
        when=f"{job.created_at:%d.%m %H:%M}",
        prompt=escape(cut(" ".join(job.prompt.split()), MAX_PROMPT_LENGTH)),
        state=_state(say, job),
    )


def _state(say: Say, job: PastJob) -> str:
    match job.status:
        case JobStatus.DONE if not job.delivered:
            return say("history-not-shown")
        case JobStatus.DONE:
            return say("history-gift" if job.gift else "history-done", price=job.price)
        case JobStatus.FAILED:
            reason = say(f"history-fail-{failure_word(job.fail_code)}")
            return say("history-failed" if job.price.minor else "history-failed-free", reason=reason, price=job.price)
        case JobStatus.CANCELED if job.offered:
            return say("history-offered", price=job.price)
        case JobStatus.CANCELED:
            return say("history-canceled" if job.price.minor else "history-canceled-free", price=job.price)
        case _:
            return say("history-running", price=job.price)


def _job_button(text: str, action: JobAction, job: PastJob) -> InlineKeyboardButton:
    return button(text, JobButton(job_id=job.job_id, action=action))
