"""The search field of every page: one hit is opened at once, several are listed."""

from typing import Final

from aiohttp import web

from photomat.console.page import BASE, Action, Page, PageContext
from photomat.reports.find import SearchHits, find


async def show_found(ctx: PageContext) -> web.Response:
    words = ctx.query.text("q") or ""
    found = await find(ctx.pool, words) if words else SearchHits()
    paths = [f"{BASE}/jobs/{job.job_id}" for job in found.jobs] + [
        f"{BASE}/users/{user.user_id}" for user in found.users
    ]
    if len(paths) == 1:
        return web.Response(status=303, headers={"Location": paths[0]})
    return ctx.render("find.html", found=found, words=words)


PAGES: Final = (Page("/find", show_found),)
ACTIONS: Final[tuple[Action, ...]] = ()
