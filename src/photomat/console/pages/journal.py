"""The operators' journal: who did what, when and why, and what came of it; refused acts too."""

from typing import Final

from aiohttp import web

from photomat.console.lists import CSV_ROWS, PAGE_SIZE, csv_response, in_turns
from photomat.console.page import Action, Page, PageContext
from photomat.kernel.ids import JobId, UserId
from photomat.reports.journal import (
    JournalLine,
    JournalPage,
    JournalQuery,
    action_in_words,
    journal_names,
    list_journal,
)

RESULTS: Final = {"done": True, "refused": False}
FILTERS: Final = ("operator", "action", "job", "user", "reference", "result", "from", "to")


async def show_journal(ctx: PageContext) -> web.Response:
    query = _query(ctx)
    if ctx.wants_csv:
        return await _csv(ctx, await list_journal(ctx.pool, query, limit=CSV_ROWS))
    operators, actions = await journal_names(ctx.pool)
    return ctx.render(
        "journal.html",
        page=await list_journal(ctx.pool, query, limit=PAGE_SIZE),
        operators=operators,
        actions=[(action, action_in_words(action)) for action in actions],
        filters={name: ctx.query.text(name) or "" for name in FILTERS},
        is_filtered=any(ctx.query.text(name) for name in FILTERS),
    )


def _query(ctx: PageContext) -> JournalQuery:
    job, user = ctx.query.number("job"), ctx.query.number("user")
    result = ctx.query.choice("result", list(RESULTS))
    return JournalQuery(
        operator=ctx.query.text("operator"),
        action=ctx.query.text("action"),
        job_id=None if job is None else JobId(job),
        user_id=None if user is None else UserId(user),
        reference=ctx.query.text("reference"),
        done=None if result is None else RESULTS[result],
        since=ctx.start_of_day("from"),
        until=ctx.start_of_day("to", days=1),
        before=ctx.query.number("before"),
    )


async def _csv(ctx: PageContext, page: JournalPage) -> web.Response:
    header = ("entry", "at", "operator", "action", "job", "user", "reference", "done", "reason", "outcome")
    return csv_response("journal.csv", header, await in_turns(page.lines, lambda line: _cells(ctx, line)))


def _cells(ctx: PageContext, line: JournalLine) -> tuple[object, ...]:
    return (
        line.entry_id,
        line.at,
        line.operator,
        line.action,
        line.job_id,
        line.user_id,
        line.reference,
        line.done,
        line.reason,
        line.says.in_(ctx.say),
    )


PAGES: Final = (Page("/journal", show_journal),)
ACTIONS: Final[tuple[Action, ...]] = ()
