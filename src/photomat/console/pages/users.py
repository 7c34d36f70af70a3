"""Users: found by number or name, and one of them with everything that concerns them and everything an operator may do."""

from datetime import timedelta
from typing import Final

from aiohttp import web

from photomat.console.lists import CSV_ROWS, PAGE_SIZE, csv_response
from photomat.console.page import BASE, Action, ActionContext, Page, PageContext
from photomat.files.conversion import temporary_file
from photomat.kernel.ids import UserId
from photomat.operators import money, users
from photomat.operators.access import Role
from photomat.operators.actions import ActionResult
from photomat.operators.privacy import forget_user, note_export
from photomat.payments.payment import find_payment
from photomat.privacy.export import export_name
from photomat.reports.users import COUNTED, UserFilter, UserLine, list_users, read_user
from photomat.texts.sentence import Sentence
from photomat.users.standing import OwnLimits

TERMS: Final = {
    "hour": timedelta(hours=1),
    "day": timedelta(days=1),
    "week": timedelta(days=7),
    "month": timedelta(days=30),
    "good": None,
}
"""How long a ban may last; `good`: for good."""
CHUNK_BYTES: Final = 256 * 1024
TONES: Final = {
    "done": "good",
    "rewarded": "good",
    "failed": "bad",
    "refunded": "bad",
    "refused": "bad",
    "open": "warn",
    "wanted": "warn",
    "running": "info",
    "submitting": "info",
    "due": "info",
}


async def show_users(ctx: PageContext) -> web.Response:
    only = UserFilter(ctx.query.choice("only", list(UserFilter)) or UserFilter.ALL)
    limit = CSV_ROWS if ctx.wants_csv else PAGE_SIZE + 1
    find, before = ctx.query.text("q") or "", ctx.query.text("before")
    try:
        found = await list_users(ctx.pool, find=find, only=only, after=before, limit=limit)
    except ValueError:
        found = await list_users(ctx.pool, find=find, only=only, limit=limit)
    if ctx.wants_csv:
        return _csv(found)
    shown = found[:PAGE_SIZE]
    return ctx.render(
        "users.html",
        found=shown,
        only=only,
        filters=list(UserFilter),
        words=find,
        counted=COUNTED,
        next_before=shown[-1].cursor if len(found) > PAGE_SIZE else None,
    )


def _csv(found: list[UserLine]) -> web.Response:
    header = (
        "user",
        "name",
        "username",
        "language",
        "since",
        "available",
        "held",
        "owed",
        "paid",
        "jobs",
        "last order",
    )
    states = ("banned until", "ban reason", "blocked the bot")
    return csv_response("users.csv", (*header, *states), [_csv_row(one) for one in found])


def _csv_row(one: UserLine) -> tuple[object, ...]:
    wallet, ban = one.wallet, one.ban
    sums = (None, None, None) if wallet is None else (wallet.available, wallet.held, wallet.owed)
    known = (one.user_id, one.first_name, one.username, one.language, one.created_at, *sums, one.paid, one.jobs)
    until = None if ban is None else ban.until or "for good"
    return (*known, one.last_order, until, None if ban is None else ban.reason, one.blocked_at)


async def show_user(ctx: PageContext) -> web.Response:
    report = await read_user(ctx.pool, UserId(ctx.id("user_id")))
    if report is None:
        raise web.HTTPNotFound
    return ctx.render(
        "user.html",
        report=report,
        user=report.line,
        usual=ctx.config.orders.limits,
        titles=await ctx.config.orders.titles(ctx.language),
        terms=list(TERMS),
        tones=TONES,
        most_message=users.MAX_MESSAGE,
        most_limit=users.LARGEST_LIMIT,
        by_hand=money.NO_WAY_BACK,
        counted=COUNTED,
    )


async def ban(ctx: ActionContext) -> web.Response:
    term = ctx.form.get("term", "")
    if term not in TERMS:
        raise web.HTTPNotFound
    user_id = UserId(ctx.id("user_id"))
    result = await users.ban_user(ctx.pool, user_id, lasts=TERMS[term], operator=ctx.operator.name, reason=ctx.reason)
    return await _back(ctx, result)


async def unban(ctx: ActionContext) -> web.Response:
    user_id = UserId(ctx.id("user_id"))
    return await _back(ctx, await users.unban_user(ctx.pool, user_id, operator=ctx.operator.name, reason=ctx.reason))


async def limit(ctx: ActionContext) -> web.Response:
    limits = OwnLimits(
        running=_limit(ctx, "running"), a_minute=_limit(ctx, "a_minute"), free_a_day=_limit(ctx, "free_a_day")
    )
    user_id = UserId(ctx.id("user_id"))
    return await _back(
        ctx, await users.limit_user(ctx.pool, user_id, limits, operator=ctx.operator.name, reason=ctx.reason)
    )


def _limit(ctx: ActionContext, name: str) -> int | None:
    """A limit of the form; one that cannot be read is refused like a number that is too large."""
    written = ctx.form.get(name, "").strip()
    if not written:
        return None
    return int(written) if written.isascii() and written.isdigit() and len(written) <= 9 else -1  # noqa: PLR2004


async def message(ctx: ActionContext) -> web.Response:
    user_id = UserId(ctx.id("user_id"))
    text = ctx.form.get("text", "").replace("\r\n", "\n")
    result = await users.message_user(
        ctx.pool, user_id, text, reference=ctx.reference, operator=ctx.operator.name, reason=ctx.reason
    )
    return await _back(ctx, result)


async def cancel_queued(ctx: ActionContext) -> web.Response:
    user_id = UserId(ctx.id("user_id"))
    return await _back(
        ctx, await users.cancel_queued_jobs(ctx.pool, user_id, operator=ctx.operator.name, reason=ctx.reason)
    )


async def credit(ctx: ActionContext) -> web.Response:
    return await _move(ctx, into=True)


async def debit(ctx: ActionContext) -> web.Response:
    return await _move(ctx, into=False)


async def _move(ctx: ActionContext, *, into: bool) -> web.Response:
    """A sum into or out of the wallet, once per form."""
    minor = ctx.minor("amount")
    if minor is None or not 0 < minor <= money.MAX_MINOR:
        return await _back(ctx, ActionResult(done=False, says=Sentence("console-users-amount-wrong")))
    act = money.credit_user if into else money.debit_user
    user_id = UserId(ctx.id("user_id"))
    return await _back(
        ctx,
        await act(ctx.pool, user_id, minor, reference=ctx.reference, operator=ctx.operator.name, reason=ctx.reason),
    )


async def refund_payment(ctx: ActionContext) -> web.Response:
    """Give back a payment of this very user."""
    payment_id, user_id = ctx.id("payment_id"), UserId(ctx.id("user_id"))
    found = await find_payment(ctx.pool, payment_id)
    if found is None or found.user_id != user_id:
        raise web.HTTPNotFound
    result = await money.refund_payment(
        ctx.pool,
        payment_id,
        owing=ctx.form.get("owing") == "yes",
        by_hand=ctx.form.get("by_hand") == "yes",
        operator=ctx.operator.name,
        reason=ctx.reason,
    )
    return await _back(ctx, result)


async def export(ctx: ActionContext) -> web.StreamResponse:
    """Everything that is held about the user, as a download; nothing of the file stays here."""
    user_id = UserId(ctx.id("user_id"))
    noted = await note_export(ctx.pool, user_id, operator=ctx.operator.name, reason=ctx.reason)
    if not noted.done:
        return await _back(ctx, noted)
    with temporary_file(ctx.config.tmp) as file:
        await ctx.config.exports.build(user_id, file, language=ctx.language)
        size_bytes = file.tell()
        file.seek(0)
        response = web.StreamResponse(headers={"Content-Disposition": f'attachment; filename="{export_name(user_id)}"'})
        response.content_type, response.content_length = "application/zip", size_bytes
        await response.prepare(ctx.request)
        while chunk := file.read(CHUNK_BYTES):
            await response.write(chunk)
        await response.write_eof()
    return response


async def forget(ctx: ActionContext) -> web.Response:
    user_id = UserId(ctx.id("user_id"))
    personal = ctx.config.exports.personal
    result = await forget_user(ctx.pool, personal, user_id, operator=ctx.operator.name, reason=ctx.reason)
    return await _back(ctx, result)


async def _back(ctx: ActionContext, result: ActionResult) -> web.Response:
    return await ctx.done(result, back=f"{BASE}/users/{ctx.id('user_id')}")


PAGES: Final = (Page("/users", show_users), Page("/users/{user_id}", show_user))
ACTIONS: Final = (
    Action("/users/{user_id}/ban", ban),
    Action("/users/{user_id}/unban", unban),
    Action("/users/{user_id}/limits", limit),
    Action("/users/{user_id}/message", message),
    Action("/users/{user_id}/cancel-queued", cancel_queued),
    Action("/users/{user_id}/credit", credit),
    Action("/users/{user_id}/debit", debit),
    Action("/users/{user_id}/payments/{payment_id}/refund", refund_payment),
    Action("/users/{user_id}/export", export, role=Role.OWNER),
    Action("/users/{user_id}/forget", forget, role=Role.OWNER),
)
