"""Callbacks without a job, and submits without an answer: what is known, and the choices an operator has."""

import json
from typing import Final

from aiohttp import web

from photomat.console.lists import CSV_ROWS, PAGE_SIZE, csv_response
from photomat.console.page import BASE, MAX_ID, Action, ActionContext, Page, PageContext
from photomat.kernel.ids import JobId
from photomat.operators import actions, orphans
from photomat.operators.actions import ActionResult
from photomat.reports.orphans import OrphanLine, OrphanPage, count_waiting, list_orphans, uncertain_submits
from photomat.texts.sentence import Sentence

MAX_UNCERTAIN: Final = 100
MAX_BODY: Final = 4000
HERE: Final = f"{BASE}/orphans"


async def show_orphans(ctx: PageContext) -> web.Response:
    is_waiting = ctx.query.choice("show", ["closed"]) is None
    limit = CSV_ROWS if ctx.wants_csv else PAGE_SIZE
    page = await list_orphans(
        ctx.pool, waiting=is_waiting, task_id=ctx.query.text("task"), before=ctx.query.number("before"), limit=limit
    )
    if ctx.wants_csv:
        return _csv(ctx, page)
    return ctx.render(
        "orphans.html",
        page=page,
        is_waiting=is_waiting,
        waiting=await count_waiting(ctx.pool),
        uncertain=await uncertain_submits(ctx.pool, limit=MAX_UNCERTAIN),
        titles=await ctx.config.orders.titles(ctx.language),
        body_of=body_of,
        given_up_after=ctx.config.given_up_after,
    )


def _csv(ctx: PageContext, page: OrphanPage) -> web.Response:
    return csv_response(
        "orphans.csv",
        ("orphan", "received", "task", "state", "closed", "why"),
        (
            (
                line.orphan_id,
                line.received_at,
                line.task_id,
                line.state,
                line.processed_at,
                line.why.in_(ctx.say) if line.why else "",
            )
            for line in page.lines
        ),
    )


def body_of(line: OrphanLine) -> str:
    """What Kie sent, readable and cut; echoes and signed URLs are gone."""
    written = json.dumps(line.payload, ensure_ascii=False, indent=2)
    return written if len(written) <= MAX_BODY else f"{written[:MAX_BODY]}…"


async def reconcile(ctx: ActionContext) -> web.Response:
    done = await actions.reconcile(ctx.pool, operator=ctx.operator.name)
    return await ctx.tell(done.says.in_(ctx.say), is_good=True, back=HERE)


async def attach(ctx: ActionContext) -> web.Response:
    job_id = _number(ctx, "job")
    if job_id is None:
        return await ctx.done(ActionResult(done=False, says=Sentence("attach-which-job")), back=HERE)
    result = await orphans.attach(
        ctx.pool, ctx.id("orphan_id"), JobId(job_id), operator=ctx.operator.name, reason=ctx.reason
    )
    return await ctx.done(result, back=f"{BASE}/jobs/{job_id}" if result.done else HERE)


async def dismiss(ctx: ActionContext) -> web.Response:
    result = await orphans.dismiss(ctx.pool, ctx.id("orphan_id"), operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=HERE)


async def enter_task(ctx: ActionContext) -> web.Response:
    job_id = JobId(ctx.id("job_id"))
    result = await orphans.enter_task(
        ctx.pool, job_id, ctx.form.get("task", ""), operator=ctx.operator.name, reason=ctx.reason
    )
    return await ctx.done(result, back=f"{BASE}/jobs/{job_id}" if result.done else HERE)


async def give_up(ctx: ActionContext) -> web.Response:
    job_id = JobId(ctx.id("job_id"))
    result = await actions.cancel(ctx.pool, job_id, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=HERE)


def _number(ctx: ActionContext, name: str) -> int | None:
    written = ctx.form.get(name, "").strip().removeprefix("#")
    is_number = written.isascii() and written.isdigit() and len(written) <= len(str(MAX_ID))
    return int(written) if is_number and int(written) <= MAX_ID else None


PAGES: Final = (Page("/orphans", show_orphans),)
ACTIONS: Final = (
    Action("/orphans/reconcile", reconcile, needs_reason=False),
    Action("/orphans/{orphan_id}/attach", attach),
    Action("/orphans/{orphan_id}/dismiss", dismiss),
    Action("/orphans/submits/{job_id}/task", enter_task),
    Action("/orphans/submits/{job_id}/give-up", give_up),
)
