"""The page of a job on the phone: its state in words, its money, when it reached each step, what can be done."""

from datetime import datetime
from html import escape
from typing import Final
from zoneinfo import ZoneInfo

from photomat.bot.admin.buttons import AdminUserButton, Verb
from photomat.bot.admin.views import begin, named, to_menu
from photomat.bot.view import Rows, View, button, in_rows
from photomat.jobs.actions import next_step
from photomat.jobs.job import TERMINAL, JobStatus
from photomat.jobs.listing import JobReport
from photomat.reports.brief import JobBalance, UserBrief
from photomat.texts.load import Say

STEPS: Final = ("created_at", "intent_at", "submitted_at", "overdue_at", "settled_at", "delivered_at", "rung_at")


def job(say: Say, report: JobReport, *, money: JobBalance, user: UserBrief | None, title: str, zone: ZoneInfo) -> View:
    row = report.row
    user_id = row["user_id"]
    status = JobStatus(row["status"])
    parts = [
        say(
            "admin-job",
            job=str(row["job_id"]),
            model=escape(title),
            status=say(f"admin-status-{status}"),
            user=named(user.first_name, user.username, user_id) if user else str(user_id),
            corr=row["corr"],
        ),
        escape(report.why.in_(say)),
        _money(say, money, is_gift=row["gift"]),
        "\n".join(_steps(say, report, zone)),
    ]
    rows: Rows = in_rows([begin(say, verb, row["job_id"]) for verb in _verbs(report, money)], 2)
    rows.append([button(say("admin-to-user"), AdminUserButton(user_id=user_id))])
    return View(text="\n\n".join(parts), rows=[*rows, to_menu(say)])


def _money(say: Say, money: JobBalance, *, is_gift: bool) -> str:
    if not money.price.minor:
        return say("admin-job-free")
    if money.held.minor:
        return say("admin-job-held", price=money.price, held=money.held)
    if money.left.minor:
        return say("admin-job-charged", price=money.price, left=money.left)
    return say("admin-job-gift", price=money.price) if is_gift else say("admin-job-not-charged", price=money.price)


def _steps(say: Say, report: JobReport, zone: ZoneInfo) -> list[str]:
    """Each step with its time; the day is said when it begins."""
    lines, day = [], None
    for name in STEPS:
        if report.row[name] is None:
            continue
        at = datetime.fromisoformat(report.row[name]).astimezone(zone)
        shown = f"{at:%H:%M:%S}" if at.date() == day else f"{at:%d.%m %H:%M:%S}"
        lines.append(say(f"admin-step-{name.removesuffix('_at')}", at=shown))
        day = at.date()
    return lines


def _verbs(report: JobReport, money: JobBalance) -> list[Verb]:
    """What can help in this state; `operators` still decides."""
    status = JobStatus(report.row["status"])
    verbs = [Verb.RETRY] if next_step(status, report.row["external_task_id"]).makes_due else []
    verbs.append(Verb.REDELIVER)
    if status not in TERMINAL:
        verbs.append(Verb.CANCEL)
    if money.left.minor > 0:
        verbs.append(Verb.REFUND)
    return verbs
