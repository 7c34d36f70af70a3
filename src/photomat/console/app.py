"""The console as an application below /console/: routes, navigation, error pages, templates, static files."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import cache
from importlib import import_module, resources
from pkgutil import iter_modules
from typing import Any, Final

import jinja2
from aiohttp import web
from aiohttp.typedefs import Handler

from photomat.console import access, live, pages
from photomat.console.config import ConsoleConfig
from photomat.console.page import BASE, CONFIG, FIRST_PAGE, TEMPLATES, Action, Page, PageContext, config_of
from photomat.kernel.crashes import report_crash
from photomat.kernel.error_report import describe
from photomat.kernel.logs import get_logger
from photomat.operators.access import SignedIn
from photomat.operators.controls import pause_in_words
from photomat.reports.health import active_pauses

MAX_FORM_BYTES: Final = 12 * 1024 * 1024
STATIC: Final = {"console.css": "text/css", "console.js": "text/javascript"}
MODULES: Final = [import_module(f"{pages.__name__}.{module.name}") for module in iter_modules(pages.__path__)]
"""Every module of `console/pages`: a page is added by writing it."""
PAGES: Final[Sequence[Page]] = [page for module in MODULES for page in module.PAGES]
ACTIONS: Final[Sequence[Action]] = [action for module in MODULES for action in module.ACTIONS]
ORDER: Final = (
    "today",
    "tickets",
    "moderation",
    "jobs",
    "users",
    "money",
    "catalogue",
    "orphans",
    "broadcasts",
    "reports",
    "health",
    "journal",
    "settings",
)
NAVIGATION: Final = [name for name in ORDER if f"/{name}" in {page.path for page in PAGES}]
"""The pages of the menu."""
log = get_logger()


def build_console(config: Callable[[], ConsoleConfig]) -> web.Application:
    """`config` is asked with every request: it follows the settings."""
    app = web.Application(middlewares=[_show_errors], client_max_size=MAX_FORM_BYTES)
    app[CONFIG], app[TEMPLATES], app[live.STREAMS] = config, _templates(), []
    app.on_response_prepare.append(access.add_headers)
    app.cleanup_ctx.append(_compile_templates)
    app.router.add_get("/", access.guarded_page(Page("/", _to_today), _shell))
    app.router.add_get("/sign-in", access.show_sign_in)
    app.router.add_post("/sign-in", access.sign_in)
    app.router.add_post("/sign-out", access.leave)
    app.router.add_post("/language", access.choose_language)
    app.router.add_get("/static/{name}", _static)
    for page in PAGES:
        app.router.add_get(page.path, live.with_stream(access.guarded_page(page, _shell)))
    for action in ACTIONS:
        app.router.add_post(action.path, access.guarded_action(action, _shell))
    return app


async def _shell(request: web.Request, _operator: SignedIn) -> Mapping[str, Any]:
    """What the layout shows on every page."""
    here = request.path.removeprefix(f"{BASE}/").partition("/")[0]
    return {
        "navigation": NAVIGATION,
        "here": here,
        "language": access.language_of(request),
        "pauses": await _pauses(request),
    }


async def _pauses(request: web.Request) -> list[str]:
    """What is paused, a sentence each."""
    config = config_of(request)
    say = config.texts.speaker(access.language_of(request))
    return [pause_in_words(say, one, zone=config.zone) for one in await active_pauses(config.pool)]


async def _to_today(_ctx: PageContext) -> web.StreamResponse:
    raise web.HTTPSeeOther(FIRST_PAGE)


async def _static(request: web.Request) -> web.Response:
    name = request.match_info["name"]
    if name not in STATIC:
        raise web.HTTPNotFound
    body = resources.files("photomat.console").joinpath("static", name).read_bytes()
    return web.Response(
        body=body, content_type=STATIC[name], charset="utf-8", headers={"Cache-Control": "private, max-age=300"}
    )


@web.middleware
async def _show_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """A refusal or a bug as a page in words; a redirect passes."""
    if "\0" in request.path:  # no name holds it, and PostgreSQL refuses it
        return _error_page(request, 404)
    try:
        return await handler(request)
    except web.HTTPException as error:
        if error.status < 400 or error.status == 401:  # noqa: PLR2004  redirects; a stream without a session
            raise
        return _error_page(request, error.status)
    except (ConnectionResetError, TimeoutError):
        raise
    except Exception as error:  # noqa: BLE001  the page says so, the log says what
        resource = request.match_info.route.resource
        log.error("CONSOLE_ERROR", page=resource.canonical if resource else "", error=describe(error))
        report_crash(error, "CONSOLE_ERROR")
        return _error_page(request, 500)


def _error_page(request: web.Request, status: int) -> web.Response:
    say = config_of(request).texts.speaker(access.language_of(request))
    known = status if status in {400, 403, 404, 405, 413, 503} else 500
    page = request.app[TEMPLATES].get_template("error.html")
    html = page.render(t=say, language=access.language_of(request), text=say(f"console-error-{known}"))
    return web.Response(text=html, content_type="text/html", status=status)


async def _compile_templates(_app: web.Application) -> AsyncIterator[None]:
    """Beside the start, so that the first visitor does not wait for it."""
    compiling = asyncio.get_running_loop().run_in_executor(None, load_templates)
    yield
    await compiling


def load_templates() -> None:
    """Compile all pages, once for the process."""
    templates = _templates()
    for name in templates.list_templates():
        templates.get_template(name)


@cache
def _templates() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("photomat.console"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.globals["new_form_id"] = lambda: secrets.token_urlsafe(12)
    return environment
