"""What helps with an open incident, by one button on the page of health: the same acts as the buttons under its alert."""

from collections.abc import Sequence
from typing import Final

from aiohttp import web

from photomat.alerts.buttons import ACTIONS as OF_ALERTS
from photomat.alerts.buttons import PAGES as ABOUT
from photomat.alerts.incident import AlertAction, known_kind
from photomat.console.page import BASE, Action, ActionContext, Page
from photomat.operators.incidents import ACTS

HERE: Final = f"{BASE}/health"


def acts_on(kind: str) -> Sequence[AlertAction]:
    """What can be done about an incident of this kind here; checks answer in the chat, and the pages show the rest."""
    known = known_kind(kind)
    return () if known is None else [each for each in (*OF_ALERTS[known], AlertAction.TAKE) if each in ACTS]


def page_about(kind: str) -> str | None:
    """The page that shows what an incident is about, where that is not this one."""
    known = known_kind(kind)
    page = None if known is None else ABOUT.get(known)
    return None if page is None else f"{BASE}/{page}"


async def act(ctx: ActionContext) -> web.Response:
    """The incident is the reason, which the journal names."""
    asked = ctx.request.match_info["action"]
    action = next((each for each in ACTS if each.value == asked), None)
    if action is None:
        raise web.HTTPNotFound
    result = await ACTS[action](ctx.pool, ctx.id("incident_id"), operator=ctx.operator.name)
    return await ctx.done(result, back=HERE)


PAGES: Final[tuple[Page, ...]] = ()
ACTIONS: Final = (Action("/incidents/{incident_id}/{action}", act, needs_reason=False),)
