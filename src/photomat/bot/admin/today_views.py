"""Today, what needs a person, and the open incidents, on a phone. Pure: facts → text and keyboard."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final
from zoneinfo import ZoneInfo

from aiogram.filters.callback_data import CallbackData
from aiogram.types import InlineKeyboardButton

from photomat.alerts.incident import known_kind
from photomat.bot.admin.buttons import (
    AdminButton,
    AdminJobsButton,
    AdminPage,
    BeginButton,
    IncidentButton,
    JobList,
    Verb,
)
from photomat.bot.admin.views import to_menu, to_page
from photomat.bot.view import View, button, in_rows
from photomat.reports.today import NeedKind, OpenIncident, StuckKind, Today, Waiting
from photomat.texts.load import Say

STUCK_JOBS: Final = AdminJobsButton(only=JobList.STUCK)
OPENS: Final[Mapping[NeedKind | StuckKind, tuple[str, CallbackData]]] = {
    NeedKind.RECEIPTS: ("admin-page-bills", AdminButton(page=AdminPage.RECEIPTS)),
    NeedKind.TICKETS: ("admin-page-tickets", AdminButton(page=AdminPage.TICKETS)),
    NeedKind.STOPPED: ("admin-open-stuck", STUCK_JOBS),
    NeedKind.UNCERTAIN: ("admin-open-stuck", STUCK_JOBS),
    NeedKind.PARKED: ("admin-open-stuck", STUCK_JOBS),
    NeedKind.ORPHANS: ("admin-verb-match", BeginButton(verb=Verb.RECONCILE, target=0)),
    NeedKind.INCIDENTS: ("admin-page-incidents", AdminButton(page=AdminPage.INCIDENTS)),
    StuckKind.OVERDUE: ("admin-open-stuck", STUCK_JOBS),
    StuckKind.WAITING: ("admin-open-stuck", STUCK_JOBS),
    StuckKind.UNDELIVERED: ("admin-open-unseen", AdminJobsButton(only=JobList.UNDELIVERED)),
    StuckKind.UPDATES: ("admin-page-state", AdminButton(page=AdminPage.STATE)),
}
"""What opens each kind of thing that waits: the text of the button, and the page; the others are for the console."""


def today(say: Say, found: Today, *, is_paused: bool) -> View:
    """Sales beside yesterday's at this hour, the way to a margin, jobs on their way, money in."""
    now, before = found.today, found.before
    parts = [
        say(
            "admin-today",
            revenue=now.sales.revenue,
            before=before.sales.revenue,
            bought=now.bought,
            done=now.sales.done,
            failed=now.sales.failed,
            cost=now.sales.cost,
            refunds=now.sales.refunds,
            margin=now.sales.margin,
            percent="none" if now.sales.margin_percent is None else now.sales.margin_percent,
        ),
        say(
            "admin-today-money",
            paid=now.paid_in,
            payments=now.payments,
            before=before.paid_in,
            people=now.new_users,
            payers=now.paid,
        ),
        say(
            "admin-today-jobs",
            pending=found.jobs.pending,
            running=found.jobs.submitting + found.jobs.running,
            delivering=found.jobs.delivering,
        ),
    ]
    if found.credits is not None:
        parts.append(say("admin-today-credits", credits=int(found.credits.balance), days=_days(found)))
    waits = [*found.needs, *found.stuck]
    parts.append("\n".join(_lines(say, waits)) if waits else _nothing_waits(say, is_paused=is_paused))
    rows = [[to_page(say, AdminPage.NEEDS)]] if waits else []
    return View(text="\n\n".join(parts), rows=[*rows, to_menu(say)])


def _days(found: Today) -> int:
    """For how many days the credits last; -1 is unknown."""
    days = found.credits.days if found.credits else None
    return -1 if days is None else days


def needs(say: Say, waits: Sequence[Waiting], *, is_paused: bool) -> View:
    """Each thing that waits for a person or is stuck, with the buttons that open it."""
    if not waits:
        return View(text=_nothing_waits(say, is_paused=is_paused), rows=[to_menu(say)])
    opens = {data.pack(): say(key) for key, data in (OPENS[each.kind] for each in waits if each.kind in OPENS)}
    buttons = [button(text, data) for data, text in opens.items()]
    return View(
        text="\n".join([say("admin-needs"), "", *_lines(say, waits)]), rows=[*in_rows(buttons, 2), to_menu(say)]
    )


def _nothing_waits(say: Say, *, is_paused: bool) -> str:
    return say("admin-needs-none", paused="yes" if is_paused else "no")


def _lines(say: Say, waits: Sequence[Waiting]) -> list[str]:
    return [f"• {escape(say(f'console-today-{each.kind}'))}: <b>{each.count}</b>" for each in waits]


def incidents(say: Say, found: Sequence[OpenIncident], *, zone: ZoneInfo) -> View:
    """The open incidents; a button each shows the alert again, with what helps."""
    if not found:
        return View(text=say("admin-incidents-none"), rows=[to_menu(say)])
    rows = [[_incident(say, each, zone)] for each in found]
    return View(text=say("admin-incidents"), rows=[*rows, to_menu(say)])


def _incident(say: Say, incident: OpenIncident, zone: ZoneInfo) -> InlineKeyboardButton:
    title = incident.kind if known_kind(incident.kind) is None else say(f"alert-{incident.kind}")
    label = f"{incident.opened_at.astimezone(zone):%d.%m %H:%M} · {title}"
    return button(label, IncidentButton(incident_id=incident.incident_id))
