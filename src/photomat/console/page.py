"""A page and an action of the console, and what their handlers are given.

A handler takes a `PageContext` or an `ActionContext`; session, role, CSRF token and reason are checked before it runs
(`console/access.py`). An action answers with `done`: its sentence is shown on the next page, and the browser goes there by
GET, so that reloading repeats nothing.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from functools import cached_property
from typing import Any, Final, TypeAlias

import jinja2
from aiohttp import web
from markupsafe import Markup

from photomat.console.config import ConsoleConfig
from photomat.console.lists import Query
from photomat.db.pool import Pool
from photomat.kernel.errors import Rejected
from photomat.kernel.money import Money, read_minor
from photomat.operators.access import Role, SignedIn, leave_flash
from photomat.operators.actions import ActionResult
from photomat.texts.load import Say

BASE: Final = "/console"
FIRST_PAGE: Final = f"{BASE}/today"
MAX_REASON: Final = 500
MAX_ID: Final = 2**63 - 1
CONFIG: Final[web.AppKey[Callable[[], ConsoleConfig]]] = web.AppKey("console_config")
TEMPLATES: Final = web.AppKey("console_templates", jinja2.Environment)


def config_of(request: web.Request) -> ConsoleConfig:
    """The configuration as the settings are now."""
    return request.app[CONFIG]()


@dataclass(frozen=True)
class PageContext:
    """One request of a signed-in operator."""

    request: web.Request
    config: ConsoleConfig
    operator: SignedIn
    language: str
    csrf: str
    shell: Mapping[str, Any]
    """What the layout shows on every page."""

    @property
    def pool(self) -> Pool:
        return self.config.pool

    @property
    def say(self) -> Say:
        return self.config.texts.speaker(self.language)

    @cached_property
    def query(self) -> Query:
        return Query(self.request.path, dict(self.request.query))

    @property
    def wants_csv(self) -> bool:
        return self.request.query.get("format") == "csv"

    def id(self, name: str) -> int:
        """A number of the path; 404 for anything that cannot be one."""
        written = self.request.match_info[name]
        is_number = written.isascii() and written.isdigit() and len(written) <= len(str(MAX_ID))
        if not is_number or int(written) > MAX_ID:
            raise web.HTTPNotFound
        return int(written)

    def start_of_day(self, name: str, *, days: int = 0) -> datetime | None:
        """Where the day of a filter, or so many days later, begins for the operator."""
        day = self.query.day(name)
        return None if day is None else datetime.combine(day + timedelta(days=days), time(), self.config.zone)

    def may(self, role: str) -> bool:
        return self.operator.role >= Role[role.upper()]

    def render(self, template: str, **facts: Any) -> web.Response:
        page = self.request.app[TEMPLATES].get_template(template)
        html = page.render(
            ctx=self,
            t=self.say,
            operator=self.operator,
            query=self.query,
            csrf=self.csrf,
            write=Writer(self),
            **self.shell,
            **facts,
        )
        return web.Response(text=html, content_type="text/html")


@dataclass(frozen=True)
class ActionContext(PageContext):
    """A form that was sent: its fields, why, and a reference that is unique to this form."""

    form: Mapping[str, str]
    files: Mapping[str, web.FileField]
    reason: str

    @property
    def reference(self) -> str:
        """For postings: sent twice, the form books once."""
        form_id = self.form.get("form_id", "")[:64]
        if not form_id:
            raise web.HTTPBadRequest
        return f"console:{form_id}"

    @property
    def is_confirmed(self) -> bool:
        return self.form.get("confirmed") == "yes"

    def minor(self, name: str) -> int | None:
        """An amount of the form in minor units; None if it is empty or cannot be read."""
        try:
            return read_minor(self.form.get(name, ""))
        except ValueError:
            return None

    async def done(self, result: ActionResult, *, back: str) -> web.Response:
        return await self.tell(result.says.in_(self.say), is_good=result.done, back=back)

    async def tell(self, text: str, *, is_good: bool, back: str) -> web.Response:
        """Show this text on the next page and go there."""
        await leave_flash(self.pool, self.operator.session_id, {"text": text, "good": is_good})
        return web.Response(status=303, headers={"Location": back})

    async def refuse(self, error: Rejected, *, back: str) -> web.Response:
        return await self.tell(str(error), is_good=False, back=back)


PageHandler: TypeAlias = Callable[[PageContext], Awaitable[web.StreamResponse]]
ActionHandler: TypeAlias = Callable[[ActionContext], Awaitable[web.StreamResponse]]


@dataclass(frozen=True)
class Page:
    """A page to look at: GET, for everyone with at least this role."""

    path: str
    handler: PageHandler
    role: Role = Role.VIEWER


@dataclass(frozen=True)
class Action:
    """A form that changes something: POST, for everyone with at least this role, with a reason."""

    path: str
    handler: ActionHandler
    role: Role = Role.OPERATOR
    needs_reason: bool = True


@dataclass(frozen=True)
class Writer:
    """Writes values for the reader of a page: `{{ write.money(price) }}`."""

    ctx: PageContext

    def money(self, amount: Money) -> str:
        return amount.written(self.ctx.language)

    def number(self, value: float) -> str:
        """A number with thousands apart."""
        written = f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
        russian = written.replace(",", "\N{NO-BREAK SPACE}").replace(".", ",")
        return russian if self.ctx.language == "ru" else written

    def percent(self, share: float) -> str:
        return f"{self.number(round(share * 100, 1))}\N{NO-BREAK SPACE}%"

    def time(self, at: datetime | None) -> Markup | str:
        """An instant in the operator's time zone; the whole of it stands in the title."""
        if at is None:
            return "–"
        here = at.astimezone(self.ctx.config.zone)
        today = self.ctx.operator.now.astimezone(self.ctx.config.zone).date()
        shown = f"{here:%H:%M:%S}" if here.date() == today else f"{here:%d.%m.%y %H:%M}"
        return Markup('<time datetime="{}" title="{}">{}</time>').format(
            at.isoformat(), f"{here:%Y-%m-%d %H:%M:%S %Z}", shown
        )

    def clock(self, at: datetime) -> Markup:
        """The time of day, for lists that name the day elsewhere."""
        here = at.astimezone(self.ctx.config.zone)
        return Markup('<time datetime="{}" title="{}">{}</time>').format(
            at.isoformat(), f"{here:%Y-%m-%d %H:%M:%S %Z}", f"{here:%H:%M:%S}"
        )

    def day(self, at: datetime | None) -> str:
        return "–" if at is None else f"{at.astimezone(self.ctx.config.zone):%d.%m.%Y}"

    def span(self, lasted: timedelta | float | None) -> str:
        """How long something took or is old, in one or two units."""
        if lasted is None:
            return "–"
        seconds = lasted.total_seconds() if isinstance(lasted, timedelta) else float(lasted)
        say = self.ctx.say
        if seconds < 60:  # noqa: PLR2004  a minute
            return say("console-seconds", count=self.number(round(seconds, 1) if seconds < 10 else int(seconds)))  # noqa: PLR2004
        if seconds < 3600:  # noqa: PLR2004  an hour
            return say("console-minutes", count=int(seconds // 60), rest=int(seconds % 60))
        if seconds < 2 * 86400:
            return say("console-hours", count=int(seconds // 3600), rest=int(seconds % 3600 // 60))
        return say("console-days", count=int(seconds // 86400))

    def size(self, size: int) -> str:
        for unit in ("B", "KB", "MB", "GB"):
            if size < 1024 or unit == "GB":  # noqa: PLR2004
                break
            size //= 1024
        return f"{self.number(int(size))}\N{NO-BREAK SPACE}{unit}"
