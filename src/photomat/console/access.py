"""The doors of the console: sign-in, sessions, roles, CSRF tokens, security headers.

A cookie holds a random session; the database has its hash. A form carries a token derived from the cookie, so a page of
another site cannot send one, and the sign-in form has a cookie of its own for the same reason. The token of a link stands in
the fragment of its URL, which browsers do not send; a button posts it. Beyond five tries of the password a minute a client
waits.
"""

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

from aiohttp import web

from photomat.console.page import (
    BASE,
    FIRST_PAGE,
    MAX_REASON,
    TEMPLATES,
    Action,
    ActionContext,
    Page,
    PageContext,
    config_of,
)
from photomat.kernel.text import storable
from photomat.operators.access import (
    SESSION_LASTS,
    SignedIn,
    find_session,
    may_try,
    sign_in_by_link,
    sign_in_by_password,
    sign_out,
)
from photomat.users.user import RUSSIAN_SPEAKING

SESSION_COOKIE: Final = "photomat_console"
FORM_COOKIE: Final = "photomat_sign_in"
LANGUAGE_COOKIE: Final = "photomat_language"
SIGN_IN: Final = f"{BASE}/sign-in"
MAX_PASSWORD: Final = 1000
MAX_FIELD: Final = 20_000
MAX_FIELDS: Final = 1000
FORM_LASTS_S: Final = 3600
YEAR_S: Final = 31_536_000
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex",
}
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Shell = Callable[[web.Request, SignedIn], Awaitable[Mapping[str, Any]]]
"""What the layout of every page shows beside the page itself."""


async def add_headers(_request: web.Request, response: web.StreamResponse) -> None:
    """For every answer of the console, also refusals and files."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)


def guarded_page(page: Page, shell: Shell) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        operator = await _signed_in(request, takes_flash="text/event-stream" not in request.headers.get("Accept", ""))
        if operator.role < page.role:
            raise web.HTTPForbidden
        return await page.handler(await _context(request, operator, shell))

    return handle


def guarded_action(action: Action, shell: Shell) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        operator = await _signed_in(request, takes_flash=False)
        fields, files = await _form(request)
        if operator.role < action.role or not _has_csrf(fields, _cookie(request)):
            raise web.HTTPForbidden
        seen = await _context(request, operator, shell)
        reason = " ".join(fields.get("reason", "").split())[:MAX_REASON]
        ctx = ActionContext(
            request=request,
            config=seen.config,
            operator=operator,
            language=seen.language,
            csrf=seen.csrf,
            shell=seen.shell,
            form=fields,
            files=files,
            reason=reason,
        )
        if action.needs_reason and not reason:
            return await ctx.tell(ctx.say("console-reason-missing"), is_good=False, back=_back(request))
        return await action.handler(ctx)

    return handle


async def show_sign_in(request: web.Request) -> web.Response:
    return _sign_in_page(request, wanted=request.query.get("next", ""), problem=None)


async def sign_in(request: web.Request) -> web.StreamResponse:
    """Open a session by the password or by the token of a link."""
    config, (fields, _) = config_of(request), await _form(request)
    wanted = fields.get("next", "")
    if not _is_own_form(request, fields):
        return _sign_in_page(request, wanted=wanted, problem="console-sign-in-expired", status=403)
    device = str(storable(request.headers.get("User-Agent", "")))
    token = fields.get("token", "")
    if token:
        cookie = await sign_in_by_link(config.pool, token, owners=config.owners, device=device)
        problem, status = "console-link-invalid", 401
    elif not await may_try(config.pool, client_of(request)):
        return _sign_in_page(request, wanted=wanted, problem="console-too-many-tries", status=429)
    else:
        given = fields.get("password", "")[:MAX_PASSWORD]
        cookie = await sign_in_by_password(config.pool, given, owners=config.owners, device=device)
        problem, status = "console-password-wrong", 401
    if cookie is None:
        return _sign_in_page(request, wanted=wanted, problem=problem, status=status)
    response = _redirect(_own_path(wanted))
    _set_cookie(request, response, SESSION_COOKIE, cookie, max_age_s=int(SESSION_LASTS.total_seconds()))
    response.del_cookie(FORM_COOKIE, path=BASE)
    return response


async def leave(request: web.Request) -> web.StreamResponse:
    """End the session of this browser."""
    fields, _ = await _form(request)
    if not _has_csrf(fields, _cookie(request)):
        raise web.HTTPForbidden
    await sign_out(config_of(request).pool, _cookie(request))
    response = _redirect(SIGN_IN)
    response.del_cookie(SESSION_COOKIE, path=BASE)
    return response


async def choose_language(request: web.Request) -> web.StreamResponse:
    """Needs no session: the sign-in page has it too, and a language is no secret."""
    fields, _ = await _form(request)
    response = _redirect(_back(request))
    if fields.get("language") in {"ru", "en"}:
        _set_cookie(request, response, LANGUAGE_COOKIE, fields["language"], max_age_s=YEAR_S)
    return response


def language_of(request: web.Request) -> str:
    """The chosen language, else the browser's; Russian where it names none."""
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    if chosen in {"ru", "en"}:
        return chosen
    first = request.headers.get("Accept-Language", "ru").split(",")[0].split("-")[0].strip().lower()
    return "ru" if first in RUSSIAN_SPEAKING or first in {"", "*"} else "en"


def client_of(request: web.Request) -> str:
    """The address a request came from; behind a proxy on a private network, the one the proxy names.

    There is a proxy where browsers come by https, which we do not speak. Elsewhere the header is the client's own word.
    """
    peer = request.remote or "unknown"
    forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
    try:
        is_proxy = config_of(request).is_secure and ipaddress.ip_address(peer).is_private
        return str(ipaddress.ip_address(forwarded)) if is_proxy and forwarded else peer
    except ValueError:
        return peer


async def _signed_in(request: web.Request, *, takes_flash: bool) -> SignedIn:
    config, cookie = config_of(request), _cookie(request)
    found = await find_session(config.pool, cookie, owners=config.owners, takes_flash=takes_flash) if cookie else None
    if found is not None:
        return found
    if "text/event-stream" in request.headers.get("Accept", ""):
        raise web.HTTPUnauthorized
    is_chosen = request.method == "GET" and request.path_qs not in {f"{BASE}/", FIRST_PAGE}
    wanted = f"?next={quote(request.path_qs)}" if is_chosen else ""
    raise web.HTTPSeeOther(SIGN_IN + wanted)


async def _context(request: web.Request, operator: SignedIn, shell: Shell) -> PageContext:
    return PageContext(
        request=request,
        config=config_of(request),
        operator=operator,
        language=language_of(request),
        csrf=_csrf(_cookie(request)),
        shell=await shell(request, operator),
    )


async def _form(request: web.Request) -> tuple[dict[str, str], dict[str, web.FileField]]:
    """The fields of a form, bounded; a field given several times is joined by commas."""
    try:
        sent = await request.post()
    except (ValueError, LookupError):  # not a form, or an unknown charset
        raise web.HTTPBadRequest from None
    if len(sent) > MAX_FIELDS:
        raise web.HTTPBadRequest
    fields: dict[str, str] = {}
    for name, value in sent.items():
        if isinstance(value, str):
            text = str(storable(value))[:MAX_FIELD]
            fields[name] = f"{fields[name]},{text}" if name in fields else text
    return fields, {name: value for name, value in sent.items() if isinstance(value, web.FileField)}


def _sign_in_page(request: web.Request, *, wanted: str, problem: str | None, status: int = 200) -> web.Response:
    say = config_of(request).texts.speaker(language_of(request))
    token = secrets.token_urlsafe(24)
    html = (
        request.app[TEMPLATES]
        .get_template("sign_in.html")
        .render(
            t=say,
            language=language_of(request),
            csrf=_csrf(token),
            problem=None if problem is None else say(problem),
            next=_own_path(wanted),
            has_password=bool(config_of(request).owners.password),
        )
    )
    response = web.Response(text=html, content_type="text/html", status=status)
    _set_cookie(request, response, FORM_COOKIE, token, max_age_s=FORM_LASTS_S)
    return response


def _redirect(path: str) -> web.Response:
    return web.Response(status=303, headers={"Location": path})


def _is_own_form(request: web.Request, fields: Mapping[str, str]) -> bool:
    cookie = str(storable(request.cookies.get(FORM_COOKIE, "")))
    return bool(cookie) and _has_csrf(fields, cookie)


def _set_cookie(request: web.Request, response: web.StreamResponse, name: str, value: str, *, max_age_s: int) -> None:
    response.set_cookie(
        name,
        value,
        max_age=max_age_s,
        path=BASE,
        httponly=True,
        samesite="Lax",
        secure=config_of(request).is_secure,
    )


def _cookie(request: web.Request) -> str:
    return str(storable(request.cookies.get(SESSION_COOKIE, "")))


def _csrf(cookie: str) -> str:
    """The token of a browser's forms; it follows from the cookie and does not reveal it."""
    return hmac.new(cookie.encode(), b"form", hashlib.sha256).hexdigest()


def _has_csrf(fields: Mapping[str, str], cookie: str) -> bool:
    """Whether a form carries the token of this cookie, compared in constant time."""
    return hmac.compare_digest(_csrf(cookie).encode(), fields.get("csrf", "").encode())


def _own_path(wanted: str) -> str:
    """Where to go after the sign-in: a page of the console, never another site."""
    is_ours = wanted.startswith(f"{BASE}/") and not wanted.startswith(SIGN_IN)
    return wanted if is_ours and not {"\\", "\r", "\n"} & set(wanted) else FIRST_PAGE


def _back(request: web.Request) -> str:
    """The page a form was sent from, as far as it is ours."""
    referrer = request.headers.get("Referer", "")
    path = "/" + referrer.split("/", 3)[3] if referrer.count("/") > 2 else ""  # noqa: PLR2004  scheme://host/path
    return _own_path(path) if not path.startswith(SIGN_IN) else SIGN_IN
