"""Broadcasts: the list, one with its progress, and the form that writes one, with the message beside it as a chat shows it."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from aiohttp import web
from markupsafe import Markup

from photomat.broadcasts.broadcast import (
    Broadcast,
    BroadcastCounts,
    BroadcastState,
    counts_of,
    find_broadcast,
    list_broadcasts,
    list_sends,
)
from photomat.broadcasts.content import BroadcastButton, BroadcastContent, BroadcastMedia, MediaKind
from photomat.broadcasts.markup import as_page
from photomat.broadcasts.segment import Segment, count_reach
from photomat.catalog.model import Kind
from photomat.console.lists import CSV_ROWS, PAGE_SIZE, csv_response
from photomat.console.page import BASE, Action, ActionContext, Page, PageContext
from photomat.kernel.errors import Rejected
from photomat.kernel.ids import ChatId
from photomat.kernel.money import MINOR_PER_MAJOR
from photomat.operators import broadcasts as operators
from photomat.operators.access import Role, list_operators
from photomat.texts.sentence import Sentence

HERE: Final = f"{BASE}/broadcasts"
OUTCOMES: Final = ("unknown", "refused", "blocked")
KINDS: Final[Sequence[Kind]] = ("image", "video", "audio", "text")
MEDIA_KINDS: Final[Mapping[str, MediaKind]] = {"photo": "photo", "video": "video", "animation": "animation"}
BADGES: Final = {"draft": "plain", "ready": "info", "sending": "warn", "stopped": "bad", "done": "good"}
SHARES: Final = (("sent", 2), ("blocked", 6), ("unknown", 3), ("refused", 4))
"""The colours of a progress bar."""
BLANK: Final[Mapping[str, str]] = {}
MAX_DIGITS: Final = 9


async def show_list(ctx: PageContext) -> web.Response:
    state = ctx.query.choice("state", [each.value for each in BroadcastState])
    limit = CSV_ROWS if ctx.wants_csv else PAGE_SIZE
    found = await list_broadcasts(
        ctx.pool,
        limit=limit + 1,
        before=ctx.query.number("before"),
        state=None if state is None else BroadcastState(state),
    )
    shown = [(each, await counts_of(ctx.pool, each)) for each in found[:limit]]
    if ctx.wants_csv:
        return _list_as_csv(shown)
    return ctx.render(
        "broadcasts.html",
        state=state or "",
        states=[each.value for each in BroadcastState],
        shown=shown,
        bar=_bar,
        badges=BADGES,
        next_before=shown[-1][0].broadcast_id if len(found) > limit else None,
    )


async def show_one(ctx: PageContext) -> web.Response:
    one = await _find(ctx)
    counts = await counts_of(ctx.pool, one)
    listed = ctx.query.choice("outcome", OUTCOMES) or _first_listed(counts)
    limit = CSV_ROWS if ctx.wants_csv else PAGE_SIZE
    sends = await list_sends(
        ctx.pool, one.broadcast_id, outcome=listed, limit=limit + 1, after=ctx.query.number("before") or 0
    )
    if ctx.wants_csv:
        header = ("user_id", "name", "username", "outcome", "left_at", "attempts", "error")
        rows = [(s.user_id, s.first_name, s.username, s.outcome, s.left_at, s.attempts, s.error) for s in sends[:limit]]
        return csv_response(f"broadcast-{one.broadcast_id}-{listed}.csv", header, rows)
    return ctx.render(
        "broadcast.html",
        one=one,
        counts=counts,
        reach=await count_reach(ctx.pool, one.segment) if one.is_open else None,
        bar=_bar(counts),
        left=_time_left(ctx, one, counts),
        conditions=_conditions(ctx, one.segment),
        bubbles=_bubbles(one.content),
        chats=await _chats(ctx),
        badges=BADGES,
        listed=listed,
        outcomes=[(each, getattr(counts, each)) for each in OUTCOMES],
        sends=sends[:limit],
        next_before=sends[limit - 1].user_id if len(sends) > limit else None,
    )


async def show_new(ctx: PageContext) -> web.Response:
    return await _form_page(ctx, BLANK, one=None)


async def show_edit(ctx: PageContext) -> web.Response:
    one = await _find(ctx)
    if not one.is_open:
        raise web.HTTPSeeOther(_url(one.broadcast_id))
    return await _form_page(ctx, _fields_of(one), one=one)


async def check(ctx: ActionContext) -> web.Response:
    """The form again with the message as a chat shows it and the reach, or with what is wrong; nothing is stored."""
    written = ctx.form.get("broadcast_id", "")
    one = await find_broadcast(ctx.pool, int(written)) if written.isdecimal() and len(written) < 17 else None  # noqa: PLR2004  fits a bigint
    return await _form_page(ctx, ctx.form, one=one)


async def create(ctx: ActionContext) -> web.Response:
    content, segment, problem = await _read(ctx, one=None)
    if problem is not None or not ctx.reason:
        return await _form_page(ctx, ctx.form, one=None, status=422)
    made = await operators.create_broadcast(ctx.pool, content, segment, operator=ctx.operator.name, reason=ctx.reason)
    back = f"{HERE}/new" if made.broadcast_id is None else _url(made.broadcast_id)
    return await ctx.done(made.answer, back=back)


async def change(ctx: ActionContext) -> web.Response:
    one = await _find(ctx)
    content, segment, problem = await _read(ctx, one=one)
    if problem is not None or not ctx.reason:
        return await _form_page(ctx, ctx.form, one=one, status=422)
    result = await operators.change_broadcast(
        ctx.pool, one.broadcast_id, content, segment, operator=ctx.operator.name, reason=ctx.reason
    )
    return await ctx.done(result, back=_url(one.broadcast_id))


async def preview(ctx: ActionContext) -> web.Response:
    known = {str(chat_id): chat_id for chat_id, _ in await _chats(ctx)}
    chat_id, broadcast_id = known.get(ctx.form.get("chat", "")), ctx.id("broadcast_id")
    if chat_id is None:
        return await ctx.tell(ctx.say("console-broadcast-no-chat"), is_good=False, back=_url(broadcast_id))
    result = await operators.preview_broadcast(
        ctx.pool, broadcast_id, chat_id=ChatId(chat_id), operator=ctx.operator.name, reason=ctx.reason or None
    )
    return await ctx.done(result, back=_url(broadcast_id))


async def start(ctx: ActionContext) -> web.Response:
    written, broadcast_id = ctx.form.get("reach", ""), ctx.id("broadcast_id")
    reach = int(written) if written.isdecimal() and len(written) < 10 else 0  # noqa: PLR2004  fits an integer
    result = await operators.start_broadcast(
        ctx.pool, broadcast_id, reach=reach, operator=ctx.operator.name, reason=ctx.reason
    )
    return await ctx.done(result, back=_url(broadcast_id))


async def stop(ctx: ActionContext) -> web.Response:
    broadcast_id = ctx.id("broadcast_id")
    result = await operators.stop_broadcast(ctx.pool, broadcast_id, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=_url(broadcast_id))


async def resume(ctx: ActionContext) -> web.Response:
    broadcast_id = ctx.id("broadcast_id")
    result = await operators.resume_broadcast(ctx.pool, broadcast_id, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=_url(broadcast_id))


async def delete(ctx: ActionContext) -> web.Response:
    broadcast_id = ctx.id("broadcast_id")
    result = await operators.delete_broadcast(ctx.pool, broadcast_id, operator=ctx.operator.name, reason=ctx.reason)
    return await ctx.done(result, back=HERE if result.done else _url(broadcast_id))


async def _form_page(
    ctx: PageContext, fields: Mapping[str, str], *, one: Broadcast | None, status: int = 200
) -> web.Response:
    content, segment, problem = await _read(ctx, one=one, fields=fields)
    is_blank = not fields
    if problem is None and status != web.HTTPOk.status_code:
        problem = Sentence("console-reason-missing")
    storefront = await ctx.config.orders.storefront()
    page = ctx.render(
        "broadcast_form.html",
        one=one,
        fields=fields,
        problem=None if is_blank or problem is None else problem.in_(ctx.say),
        bubbles=_bubbles(content) if content.text_ru else [],
        conditions=_conditions(ctx, segment),
        reach=await count_reach(ctx.pool, segment) if problem is None or is_blank else None,
        kinds=KINDS,
        media_kinds=tuple(MEDIA_KINDS),
        models=[(each.model.id, each.model.title_in(ctx.language)) for each in storefront.listed],
        templates=[
            (each.id, getattr(each.title, ctx.language)) for each in await ctx.config.templates.shown(storefront)
        ],
    )
    page.set_status(status)
    return page


async def _read(
    ctx: PageContext, *, one: Broadcast | None, fields: Mapping[str, str] | None = None
) -> tuple[BroadcastContent, Segment, Sentence | None]:
    """What a form says, and what is wrong with it."""
    form = fields if fields is not None else ctx.form if isinstance(ctx, ActionContext) else BLANK
    content = BroadcastContent(
        text_ru=_text(form, "text_ru") or "",
        text_en=_text(form, "text_en"),
        media=_media(ctx, form, one),
        button=_button(form),
    )
    try:
        segment = _segment(form)
    except ValueError:
        return content, Segment(), Sentence("console-broadcast-number")
    return content, segment, operators.problem_of(content, segment)


def _text(form: Mapping[str, str], name: str) -> str | None:
    return form.get(name, "").replace("\r\n", "\n").strip() or None


def _media(ctx: PageContext, form: Mapping[str, str], one: Broadcast | None) -> BroadcastMedia | None:
    file = ctx.files.get("file") if isinstance(ctx, ActionContext) else None
    if file is not None and file.filename:
        return BroadcastMedia(kind=_kind_of(file.content_type), upload=file.file.read())
    kind, file_id = MEDIA_KINDS.get(form.get("media_kind", ""), "photo"), _text(form, "file_id")
    if file_id is not None:
        return BroadcastMedia(kind=kind, file_id=file_id)
    kept = one.content.media if one is not None and form.get("no_media") != "yes" else None
    return None if kept is None else BroadcastMedia(kind=kept.kind, is_kept=True)


def _kind_of(content_type: str) -> MediaKind:
    if content_type == "image/gif":
        return "animation"
    return "video" if content_type.startswith("video/") else "photo"


def _button(form: Mapping[str, str]) -> BroadcastButton | None:
    title, target = _text(form, "button_ru"), _text(form, "button_target")
    if title is None and target is None:
        return None
    is_ours = target is not None and target.partition(":")[0] in {"topup", "model", "template"}
    return BroadcastButton(
        title_ru=title or "",
        title_en=_text(form, "button_en"),
        url=None if is_ours else target,
        opens=target if is_ours else None,
    )


def _segment(form: Mapping[str, str]) -> Segment:
    paid, balance, ids = form.get("paid"), _number(form, "balance_from"), _text(form, "user_ids")
    return Segment(
        language=_text(form, "language"),
        paid={"yes": True, "no": False}.get(paid or ""),
        ordered_within_days=_number(form, "ordered_within_days"),
        not_ordered_for_days=_number(form, "not_ordered_for_days"),
        balance_from=None if balance is None else balance * MINOR_PER_MAJOR,
        never_ordered=form.get("never_ordered") == "yes",
        kind=_text(form, "kind"),
        model=_text(form, "model"),
        user_ids=None if ids is None else sorted({int(each) for each in ids.replace(",", " ").split()}),
    )


def _number(form: Mapping[str, str], name: str) -> int | None:
    """A number of the form; ValueError for one that is no number, or that no segment could mean."""
    written = _text(form, name)
    if written is not None and len(written) > MAX_DIGITS:
        raise ValueError(name)
    return None if written is None else int(written)


def _fields_of(one: Broadcast) -> dict[str, str]:
    """A stored broadcast as the fields of the form."""
    content, segment = one.content, one.segment
    button = content.button
    written = {
        "text_ru": content.text_ru,
        "text_en": content.text_en,
        "button_ru": button and button.title_ru,
        "button_en": button and button.title_en,
        "button_target": button and (button.url or button.opens),
        "paid": {True: "yes", False: "no", None: None}[segment.paid],
        "balance_from": None if segment.balance_from is None else segment.balance_from // MINOR_PER_MAJOR,
        "never_ordered": "yes" if segment.never_ordered else None,
        "user_ids": None if segment.user_ids is None else ", ".join(map(str, segment.user_ids)),
        **{
            name: getattr(segment, name)
            for name in ("language", "ordered_within_days", "not_ordered_for_days", "kind", "model")
        },
    }
    return {name: str(value) for name, value in written.items() if value is not None}


async def _find(ctx: PageContext) -> Broadcast:
    one = await find_broadcast(ctx.pool, ctx.id("broadcast_id"))
    if one is None:
        raise web.HTTPNotFound
    return one


async def _chats(ctx: PageContext) -> list[tuple[int, str]]:
    """Whose chats a preview may go to: the reader's own first, then every owner's and operator's."""
    named: dict[int, str] = {each.telegram_id: each.name for each in await list_operators(ctx.pool)}
    known = [*ctx.config.owners.telegram_ids, *named]
    own = ctx.operator.telegram_id
    ordered = [*([own] if own is not None else []), *(each for each in known if each != own and each > 0)]
    return [(each, named.get(each, str(each))) for each in dict.fromkeys(ordered)]


def _conditions(ctx: PageContext, segment: Segment) -> list[str]:
    currency = ctx.config.orders.rates.currency
    return [each.in_(ctx.say) for each in operators.conditions_of(segment, currency=currency)]


def _bubbles(content: BroadcastContent) -> list[dict[str, Any]]:
    """The message as a chat shows it, in each of its languages."""
    languages = ["ru", *(["en"] if content.text_en else [])]
    return [
        {
            "language": language,
            "html": Markup(as_page(content.text_in(language))),  # noqa: S704  as_page escapes what is not Telegram's markup
            "media": content.media.kind if content.media else None,
            "button": content.button.title_in(language) if content.button else None,
        }
        for language in languages
        if _is_readable(content.text_in(language))
    ]


def _is_readable(text: str) -> bool:
    try:
        as_page(text)
    except Rejected:
        return False
    return True


def _bar(counts: BroadcastCounts) -> Markup:
    """What became of the recipients as one bar."""
    total, at, parts = max(counts.recipients, 1), 0.0, []
    for name, series in SHARES:
        width = 100 * getattr(counts, name) / total
        parts.append(
            Markup('<rect class="bar s{}" x="{:.2f}" y="0" width="{:.2f}" height="4"/>').format(series, at, width)
        )
        at += width
    return Markup(
        '<svg class="meter" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label="{:.0f} %">'
        '<rect class="rail" width="100" height="4"/>{}</svg>'
    ).format(100 * counts.ended / total, Markup("").join(parts))


def _time_left(ctx: PageContext, one: Broadcast, counts: BroadcastCounts) -> timedelta | None:
    """How long the rest takes at the pace so far."""
    if one.state is not BroadcastState.SENDING or one.filled_at is None or not counts.ended:
        return None
    pace = (ctx.operator.now - one.filled_at) / counts.ended
    return pace * (counts.waiting + counts.flying)


def _first_listed(counts: BroadcastCounts) -> str:
    return next((each for each in OUTCOMES if getattr(counts, each)), OUTCOMES[0])


def _list_as_csv(shown: Sequence[tuple[Broadcast, BroadcastCounts]]) -> web.Response:
    header = ("broadcast_id", "state", "created_at", "created_by", "started_at", "ended_at", "reach", "recipients")
    counted = ("sent", "unknown", "blocked", "refused", "waiting", "tapped")
    rows = [
        (
            *(getattr(each, name) for name in header),
            *(getattr(counts, name) for name in counted),
            each.known_blocked,
            each.content.text_ru,
        )
        for each, counts in shown
    ]
    return csv_response("broadcasts.csv", (*header, *counted, "known_blocked", "text"), rows)


def _url(broadcast_id: int) -> str:
    return f"{HERE}/{broadcast_id}"


PAGES = [
    Page("/broadcasts", show_list),
    Page("/broadcasts/new", show_new, role=Role.OPERATOR),
    Page("/broadcasts/{broadcast_id}", show_one),
    Page("/broadcasts/{broadcast_id}/edit", show_edit, role=Role.OPERATOR),
]
ACTIONS = [
    Action("/broadcasts/check", check, needs_reason=False),
    Action("/broadcasts", create, needs_reason=False),
    Action("/broadcasts/{broadcast_id}", change, needs_reason=False),
    Action("/broadcasts/{broadcast_id}/preview", preview, needs_reason=False),
    Action("/broadcasts/{broadcast_id}/start", start),
    Action("/broadcasts/{broadcast_id}/stop", stop),
    Action("/broadcasts/{broadcast_id}/resume", resume),
    Action("/broadcasts/{broadcast_id}/delete", delete),
]
