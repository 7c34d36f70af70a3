"""What the pages of `/admin` show. Pure: facts → text and keyboard."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Final
from zoneinfo import ZoneInfo

from aiogram.types import InlineKeyboardButton

from photomat.bot.admin.buttons import (
    AdminButton,
    AdminJobButton,
    AdminPage,
    AdminUserButton,
    BeginButton,
    Verb,
)
from photomat.bot.view import Rows, View, button, in_rows
from photomat.kernel.text import cut
from photomat.reports.brief import BriefJob, OldSession, State, UserBrief
from photomat.reports.find import SearchHits
from photomat.texts.load import Say
from photomat.users.standing import Ban

MIB: Final = 1024 * 1024
SHOWN_WORDS: Final = 60
MENU: Final = (
    AdminPage.TODAY,
    AdminPage.NEEDS,
    AdminPage.FIND,
    AdminPage.RECEIPTS,
    AdminPage.TICKETS,
    AdminPage.BROADCASTS,
    AdminPage.PAUSES,
    AdminPage.STATE,
    AdminPage.CONSOLE,
)


def menu(say: Say, *, needs: int, is_paused: bool) -> View:
    """The menu says at once whether anything needs a person."""
    text = say("admin-menu", needs=needs, paused="yes" if is_paused else "no")
    return View(text=text, rows=in_rows([to_page(say, page) for page in MENU], 2))


def to_page(say: Say, page: AdminPage) -> InlineKeyboardButton:
    return button(say(f"admin-page-{page}"), AdminButton(page=page))


def to_menu(say: Say) -> list[InlineKeyboardButton]:
    return [to_page(say, AdminPage.MENU)]


def ask_whom(say: Say) -> View:
    return View(text=say("admin-ask-whom"), rows=[to_menu(say)])


def nothing(say: Say) -> View:
    return View(text=say("admin-nothing"), rows=[to_menu(say)])


def with_note(note: str, view: View) -> View:
    return replace(view, text=f"{note}\n\n{view.text}")


def found(say: Say, found: SearchHits, *, searched: str) -> View:
    """What a search found, a button each."""
    words = escape(cut(searched, SHOWN_WORDS))
    if found.is_empty:
        return View(text=say("admin-found-none", words=words), rows=[to_menu(say)])
    rows: Rows = [
        [button(say("admin-hit-job", job=str(each.job_id), model=each.model), AdminJobButton(job_id=each.job_id))]
        for each in found.jobs
    ]
    rows += [
        [button(_called(each.first_name, each.username, each.user_id), AdminUserButton(user_id=each.user_id))]
        for each in found.users
    ]
    text = say("admin-found-many" if found.has_more else "admin-found", words=words)
    return View(text=text, rows=[*rows, to_menu(say)])


def jobs(say: Say, found: Sequence[BriefJob], *, titles: Mapping[str, str], zone: ZoneInfo) -> View:
    if not found:
        return View(text=say("admin-jobs-none"), rows=[to_menu(say)])
    lines = [_job_line(say, each, titles, zone) for each in found]
    numbers = [button(f"№ {each.job_id}", AdminJobButton(job_id=each.job_id)) for each in found]
    return View(text="\n".join([say("admin-jobs"), "", *lines]), rows=[*in_rows(numbers, 4), to_menu(say)])


def user(say: Say, found: UserBrief, *, titles: Mapping[str, str], zone: ZoneInfo) -> View:
    """Wallet, newest jobs and what can be done; what cannot is not offered."""
    parts = [
        say(
            "admin-user",
            name=_linked(found),
            number=str(found.user_id),
            since=f"{found.since.astimezone(zone):%d.%m.%Y}",
            speaks=found.language,
            done=found.done,
        ),
        _wallet(say, found),
    ]
    if found.ban is not None:
        parts.append(_ban(say, found.ban, zone))
    if found.has_blocked:
        parts.append(say("admin-user-blocked"))
    parts.append("\n".join(_job_line(say, each, titles, zone) for each in found.jobs) or say("admin-user-no-jobs"))
    verbs = [Verb.CREDIT, Verb.DEBIT] if found.wallet else []
    ban = Verb.BAN if found.ban is None else Verb.UNBAN
    buttons = [begin(say, verb, found.user_id) for verb in (*verbs, Verb.MESSAGE, ban)]
    numbers = [button(f"№ {each.job_id}", AdminJobButton(job_id=each.job_id)) for each in found.jobs]
    return View(text="\n\n".join(parts), rows=[*in_rows(numbers, 5), *in_rows(buttons, 2), to_menu(say)])


def _wallet(say: Say, found: UserBrief) -> str:
    wallet = found.wallet
    if wallet is None or found.paid is None:
        return say("admin-user-no-wallet")
    owed = say("admin-user-owes", owed=wallet.owed) if wallet.owed.minor else ""
    return say("admin-user-wallet", available=wallet.available, held=wallet.held, paid=found.paid) + owed


def _ban(say: Say, ban: Ban, zone: ZoneInfo) -> str:
    until = "forever" if ban.until is None else f"{ban.until.astimezone(zone):%d.%m.%Y %H:%M}"
    return say("admin-user-banned", until=until, reason=escape(ban.reason))


def _job_line(say: Say, job: BriefJob, titles: Mapping[str, str], zone: ZoneInfo) -> str:
    return say(
        "admin-user-job",
        job=str(job.job_id),
        model=escape(titles.get(job.model, job.model)),
        status=say(f"admin-status-{job.status}"),
        price=job.price,
        at=f"{job.created_at.astimezone(zone):%d.%m %H:%M}",
    )


def begin(say: Say, verb: Verb, target: int) -> InlineKeyboardButton:
    return button(say(f"admin-verb-{verb}"), BeginButton(verb=verb, target=target))


def state(say: Say, state: State) -> View:
    lines = [
        say(
            "admin-instance",
            name=escape(each.instance_id),
            version=escape(each.version),
            role="active" if each.is_active else "passive",
            seen=each.seen_s,
        )
        for each in state.instances
    ]
    text = say(
        "admin-state",
        instances="\n".join(lines) or say("admin-no-instances"),
        updates=state.updates,
        size=state.database_bytes // MIB,
    )
    return View(text=text, rows=[to_menu(say)])


def sessions(say: Say, sessions: Sequence[OldSession]) -> View:
    lines = [
        say(
            "admin-session",
            pid=str(each.pid),
            name=escape(each.name) or "–",
            state=escape(each.state),
            minutes=each.minutes,
        )
        for each in sessions
    ]
    return View(text="\n".join([say("admin-sessions"), *lines]) if lines else say("admin-no-sessions"), rows=[])


def console_link(say: Say, url: str) -> View:
    """The token stands in the fragment, which no server and no preview sees."""
    return View(text=say("admin-console-link"), rows=[[InlineKeyboardButton(text=say("admin-console-open"), url=url)]])


def no_link(say: Say) -> View:
    return View(text=say("admin-console-no-url"), rows=[to_menu(say)])


def named(first_name: str, username: str | None, user_id: int) -> str:
    """A user in a sentence, for HTML."""
    return escape(_called(first_name, username, user_id))


def _called(first_name: str, username: str | None, user_id: int) -> str:
    known = f" @{username}" if username else ""
    return f"{cut(first_name, SHOWN_WORDS) or '–'}{known} ({user_id})"


def _linked(found: UserBrief) -> str:
    """The name opens the chat with the user."""
    known = f" @{escape(found.username)}" if found.username else ""
    return f'<a href="tg://user?id={found.user_id}">{escape(cut(found.first_name, SHOWN_WORDS)) or "–"}</a>{known}'
