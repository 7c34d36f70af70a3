"""One job: why its result is where it is, every step from tap to ring, its money, its card, and what an operator may do.

Files of results are served from our own copies with the session, never by a public URL.
"""

import html
import re
from typing import Final

from aiohttp import web
from markupsafe import Markup, escape

from photomat.console.page import BASE, Action, ActionContext, Page, PageContext
from photomat.console.pages.jobs import TONES, surroundings
from photomat.delivery.download import copy_response
from photomat.delivery.next_steps import NextSteps
from photomat.delivery.outputs import Output
from photomat.delivery.render import CardView, render
from photomat.jobs.actions import next_step
from photomat.jobs.job import JobStatus
from photomat.kernel.ids import JobId
from photomat.operators import actions, money
from photomat.operators.actions import ActionResult
from photomat.reports.job import JobStory, find_output, read_job_story
from photomat.storage.errors import CopyLost, StoreUnavailable
from photomat.texts.sentence import Sentence

MARKUP: Final = re.compile(r"(</?(?:b|i|u|s|code|pre|blockquote)(?: expandable)?>)")
"""The marks of a card's text that mean the same in HTML; everything else is shown as text."""
ANY_TAG: Final = re.compile(r"<[^>]*>")
SHOWN_INLINE: Final = {
    "image/jpeg": "image",
    "image/png": "image",
    "image/webp": "image",
    "image/gif": "image",
    "video/mp4": "video",
    "video/webm": "video",
    "audio/mpeg": "audio",
    "audio/mp4": "audio",
    "audio/ogg": "audio",
    "audio/wav": "audio",
    "audio/x-wav": "audio",
    "audio/flac": "audio",
}
"""Types that a browser shows and that cannot hold a script."""


async def show_job(ctx: PageContext) -> web.Response:
    story = await read_job_story(ctx.pool, JobId(ctx.id("job_id")), await surroundings(ctx))
    if story is None:
        raise web.HTTPNotFound
    view = await _card(ctx, story)
    return ctx.render(
        "job.html",
        story=story,
        row=story.row,
        tone=_tone(story),
        tones=TONES,
        view=view,
        card_text=as_page(view.text),
        files=[(output, await _kind(ctx, output)) for output in story.outputs],
        titles=await ctx.config.orders.titles(ctx.language),
        may_retry=next_step(JobStatus(story.row["status"]), story.row["external_task_id"]).makes_due,
        open_holds=[hold for hold in story.report.holds if hold.closed_as is None],
    )


async def _card(ctx: PageContext, story: JobStory) -> CardView:
    """The card as the customer sees it, in their language."""
    orders = ctx.config.orders
    return render(
        story.card,
        story.outputs,
        model=orders.catalog.models.get(story.card.model),
        texts=ctx.config.texts,
        next_steps=NextSteps(storefront=await orders.storefront()),
    )


def as_page(text: str) -> Markup:
    """The text of a card for a page: bold and quotes as they are, other marks left out, everything else escaped."""
    return Markup("").join(_part(part) for part in MARKUP.split(text))


def _part(part: str) -> Markup:
    if MARKUP.fullmatch(part):
        return Markup(part.replace(" expandable", ""))  # noqa: S704  a mark of the list above
    return escape(html.unescape(ANY_TAG.sub("", part)))


def _tone(story: JobStory) -> str:
    """How bad it is: `good` once the customer has what was bought."""
    row = story.row
    if row["stopped_at"] is not None and row["settled_at"] is None:
        return "bad"
    if row["card_shown"] < row["card_wanted"] and (row["parked_at"] or row["undeliverable_at"]):
        return "bad"
    if row["status"] == "failed":
        return "bad"
    return "good" if row["delivered_at"] is not None else "plain" if row["status"] == "canceled" else "warn"


async def _kind(ctx: PageContext, output: Output) -> str:
    """How the page shows an output: by its type, or `file`; `gone` without a copy that this machine reaches."""
    if await ctx.config.archive.try_find(output) is None:
        return "gone"
    return SHOWN_INLINE.get(output.mime or "", "file")


async def show_output(ctx: PageContext) -> web.StreamResponse:
    """Our copy of one output: shown where that is safe, else a download."""
    output = await find_output(ctx.pool, JobId(ctx.id("job_id")), ctx.id("position"))
    archive = ctx.config.archive
    copy = None if output is None else await archive.try_find(output)
    if output is None or copy is None:
        raise web.HTTPNotFound
    is_shown = output.mime in SHOWN_INLINE
    name = f"{output.job_id}-{output.position}{copy.suffix}"
    headers = {
        "Content-Type": output.mime or "" if is_shown else "application/octet-stream",
        "Content-Disposition": f'{"inline" if is_shown else "attachment"}; filename="{name}"',
        "Cache-Control": "private, max-age=600",
    }
    try:
        async with archive.noticing_damage(output):
            return await copy_response(ctx.request, copy, headers=headers)
    except (CopyLost, StoreUnavailable):
        raise web.HTTPNotFound from None


async def retry(ctx: ActionContext) -> web.Response:
    job_id = _job(ctx)
    return await _done(ctx, await actions.retry(ctx.pool, job_id, operator=ctx.operator.name, reason=ctx.reason))


async def redeliver(ctx: ActionContext) -> web.Response:
    job_id = _job(ctx)
    return await _done(ctx, await actions.redeliver(ctx.pool, job_id, operator=ctx.operator.name, reason=ctx.reason))


async def cancel(ctx: ActionContext) -> web.Response:
    job_id = _job(ctx)
    return await _done(ctx, await actions.cancel(ctx.pool, job_id, operator=ctx.operator.name, reason=ctx.reason))


async def refund(ctx: ActionContext) -> web.Response:
    """All that is left of the charge, or the sum of the form."""
    minor = ctx.minor("amount")
    if ctx.form.get("amount", "").strip() and minor is None:
        return await _done(ctx, ActionResult(done=False, says=Sentence("action-bad-sum")))
    return await _done(
        ctx,
        await money.refund_job(
            ctx.pool, _job(ctx), minor, reference=ctx.reference, operator=ctx.operator.name, reason=ctx.reason
        ),
    )


async def release(ctx: ActionContext) -> web.Response:
    reference = ctx.form.get("reference", "")[:200]
    return await _done(
        ctx, await actions.release_hold(ctx.pool, reference, operator=ctx.operator.name, reason=ctx.reason)
    )


def _job(ctx: ActionContext) -> JobId:
    return JobId(ctx.id("job_id"))


async def _done(ctx: ActionContext, result: ActionResult) -> web.Response:
    return await ctx.done(result, back=f"{BASE}/jobs/{_job(ctx)}")


PAGES: Final = (Page("/jobs/{job_id}", show_job), Page("/jobs/{job_id}/outputs/{position}", show_output))
ACTIONS: Final = (
    Action("/jobs/{job_id}/retry", retry),
    Action("/jobs/{job_id}/redeliver", redeliver),
    Action("/jobs/{job_id}/cancel", cancel),
    Action("/jobs/{job_id}/refund", refund),
    Action("/jobs/{job_id}/release", release),
)
