"""The landing page: what happened today, and what needs the operator."""

from typing import Final

from aiohttp import web

from photomat.console.page import Action, Page, PageContext


async def show_today(ctx: PageContext) -> web.Response:
    return ctx.render("today.html")


PAGES: Final = (Page("/today", show_today),)
ACTIONS: Final[tuple[Action, ...]] = ()
