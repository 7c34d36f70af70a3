"""What the pages of a broadcast in `/admin` show. Pure: facts → text and keyboard."""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from typing import Final

from photomat.bot.admin.buttons import (
    AdminBroadcastButton,
    AdminPage,
    BroadcastAction,
    BroadcastReasonButton,
    BroadcastSegment,
    NewBroadcastButton,
    SegmentButton,
)
from photomat.bot.admin.views import to_menu, to_page
from photomat.bot.view import Rows, View, button, in_rows
from photomat.broadcasts.broadcast import Broadcast, BroadcastCounts, BroadcastState
from photomat.broadcasts.markup import visible_text
from photomat.broadcasts.segment import Reach
from photomat.kernel.text import cut
from photomat.texts.load import Say

SHOWN_WORDS: Final = 40
BAR: Final = 12


def broadcasts_page(say: Say, found: Sequence[Broadcast], *, may_act: bool) -> View:
    rows: Rows = [
        [button(f"{each.broadcast_id} · {_state(say, each)} · {_words(each)}", _act(BroadcastAction.OPEN, each))]
        for each in found
    ]
    new = [[button(say("admin-cast-new"), NewBroadcastButton())]] if may_act else []
    return View(text=say("admin-cast-list" if found else "admin-cast-none"), rows=[*rows, *new, to_menu(say)])


def ask_message(say: Say) -> View:
    return View(text=say("admin-cast-ask-message"), rows=[[to_page(say, AdminPage.BROADCASTS)]], expects_text=True)


def refused(say: Say, why: str) -> View:
    return View(text=say("admin-cast-refused", why=why), rows=[[to_page(say, AdminPage.BROADCASTS)]], expects_text=True)


def broadcast_page(
    say: Say, one: Broadcast, *, counts: BroadcastCounts, reach: Reach | None, conditions: str, may_act: bool
) -> View:
    """A draft with its segments and next steps, or the progress of one that was started."""
    head = say("admin-cast-head", id=str(one.broadcast_id), state=_state(say, one))
    parts = [head, escape(_words(one)), say("admin-cast-to", conditions=conditions)]
    if reach is not None:
        parts.append(say("admin-cast-reach", reach=reach.reach, blocked=reach.blocked))
        parts.append(say(f"admin-cast-step-{'ready' if one.state is BroadcastState.READY else 'draft'}"))
        rows = _draft_rows(say, one, reach) if may_act else []
    else:
        parts.append(_progress(say, one, counts))
        rows = _started_rows(say, one, counts) if may_act else []
    again = button(say("admin-cast-refresh"), _act(BroadcastAction.OPEN, one))
    return View(text="\n\n".join(parts), rows=[*rows, [again], [to_page(say, AdminPage.BROADCASTS)]])


def looking(say: Say, broadcast_id: int) -> View:
    """While the preview is on its way."""
    go_on = AdminBroadcastButton(action=BroadcastAction.NEXT, broadcast_id=broadcast_id)
    return View(text=say("admin-cast-looking"), rows=[[button(say("admin-cast-next"), go_on)]])


def with_result(view: View, says: str) -> View:
    return replace(view, text=f"{says}\n\n{view.text}")


def ask_reason(say: Say, action: BroadcastAction, broadcast_id: int, reach: int) -> View:
    rows: Rows = [
        [button(reason, BroadcastReasonButton(action=action, broadcast_id=broadcast_id, reach=reach, reason=number))]
        for number, reason in enumerate(reasons_of(say))
    ]
    back = AdminBroadcastButton(action=BroadcastAction.OPEN, broadcast_id=broadcast_id)
    text = say(f"admin-cast-ask-{action}", id=str(broadcast_id), reach=reach)
    return View(text=text, rows=[*rows, [button(say("admin-forget"), back)]], expects_text=True)


def reasons_of(say: Say) -> tuple[str, ...]:
    return (say("admin-cast-reason-offer"), say("admin-cast-reason-news"), say("admin-cast-reason-fix"))


def _draft_rows(say: Say, one: Broadcast, reach: Reach) -> Rows:
    segments = [
        button(say(f"admin-cast-segment-{each}"), SegmentButton(broadcast_id=one.broadcast_id, segment=each))
        for each in BroadcastSegment
    ]
    look = button(say("admin-cast-look"), _act(BroadcastAction.PREVIEW, one))
    delete = button(say("admin-cast-delete"), _act(BroadcastAction.DELETE, one))
    start = button(say("admin-cast-start", reach=reach.reach), _act(BroadcastAction.START, one, reach=reach.reach))
    can_start = one.state is BroadcastState.READY and reach.reach > 0
    return [*in_rows(segments, 2), [look, delete], *([[start]] if can_start else [])]


def _started_rows(say: Say, one: Broadcast, counts: BroadcastCounts) -> Rows:
    if one.state is BroadcastState.SENDING:
        return [[button(say("admin-cast-stop"), _act(BroadcastAction.STOP, one))]]
    if one.state is BroadcastState.STOPPED and (counts.waiting or one.filled_at is None):
        return [[button(say("admin-cast-resume"), _act(BroadcastAction.RESUME, one))]]
    return []


def _progress(say: Say, one: Broadcast, counts: BroadcastCounts) -> str:
    done = round(BAR * counts.ended / max(counts.recipients, 1))
    return say(
        "admin-cast-progress",
        bar="▓" * done + "░" * (BAR - done),
        ended=counts.ended,
        recipients=one.recipients,
        sent=counts.sent,
        unknown=counts.unknown,
        blocked=counts.blocked,
        refused=counts.refused,
        waiting=counts.waiting + counts.flying,
        known=one.known_blocked,
    )


def _act(action: BroadcastAction, one: Broadcast, *, reach: int = 0) -> AdminBroadcastButton:
    return AdminBroadcastButton(action=action, broadcast_id=one.broadcast_id, reach=reach)


def _state(say: Say, one: Broadcast) -> str:
    return say(f"console-broadcast-state-{one.state}")


def _words(one: Broadcast) -> str:
    return cut(" ".join(visible_text(one.content.text_ru).split()), SHOWN_WORDS)
