"""The details of an order: what was ordered, what it cost and why, and the way to what did not arrive. Pure."""

from dataclasses import dataclass
from datetime import datetime
from html import escape
from typing import Final

from photomat.bot.buttons import JobAction, JobButton
from photomat.bot.view import Rows, View, button
from photomat.catalog.model import Model
from photomat.delivery.caption import CardOrder, captioned
from photomat.jobs.history import OwnJob
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import JobId
from photomat.texts.load import Say

MAX_PROMPT_LENGTH: Final = 60


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
    support = button(say("support-open"), JobButton(job_id=job_id, action=JobAction.SUPPORT))
    if details.job.status is not JobStatus.DONE:
        return [[again, support]]
    count = details.outputs
    key = "card-button-file" if not count else "card-button-originals" if count > 1 else "card-button-original"
    files = button(say(key, count=count), JobButton(job_id=job_id, action=JobAction.FILES))
    missing = button(say("details-missing"), JobButton(job_id=job_id, action=JobAction.RESEND))
    return [[again, files], [missing], [support]]
