"""The questions of an action from the chat, its confirmation and its result."""

from collections.abc import Mapping
from html import escape
from typing import Final

from aiogram.types import InlineKeyboardButton

from photomat.bot.admin.buttons import (
    AdminJobButton,
    AdminReasonButton,
    AdminUserButton,
    BanButton,
    ConfirmButton,
    SumButton,
    Verb,
)
from photomat.bot.admin.views import to_menu
from photomat.bot.view import Rows, View, button, in_rows
from photomat.kernel.money import Money
from photomat.kernel.text import cut
from photomat.operators.actions import ActionResult
from photomat.texts.load import Say

REASONS: Final[Mapping[Verb, tuple[str, ...]]] = {
    Verb.RETRY: ("stuck", "asked"),
    Verb.REDELIVER: ("not-seen", "asked"),
    Verb.CANCEL: ("asked", "stuck"),
    Verb.REFUND: ("bad-result", "not-delivered", "goodwill"),
    Verb.CREDIT: ("compensation", "paid-outside", "goodwill"),
    Verb.DEBIT: ("mistake", "paid-back"),
    Verb.BAN: ("spam", "fraud", "rules"),
    Verb.UNBAN: ("mistake", "settled"),
    Verb.MESSAGE: ("question", "trouble"),
    Verb.RECONCILE: ("stuck",),
    Verb.PAUSE: ("outage", "bad-result", "upkeep"),
    Verb.RESUME: ("settled",),
}
"""The usual reasons of each action; any other is typed."""
USUAL_SUMS: Final = (5_000, 10_000, 30_000, 50_000)
BAN_DAYS: Final = (1, 7)
"""How long a ban may last, besides for good."""
SHOWN_TEXT: Final = 500


def ask_sum(say: Say, verb: Verb, token: int, *, most: Money | None) -> View:
    """Which sum? All that is left of a charge, or one of the usual sums that are not too much."""
    if verb is Verb.REFUND and most is not None:
        sums = [button(say("admin-sum-all", amount=most), SumButton(token=token, minor=0))]
    else:
        usual = [minor for minor in USUAL_SUMS if most is None or minor <= most.minor]
        sums = [button(f"{minor // 100}", SumButton(token=token, minor=minor)) for minor in usual]
    return View(text=say(f"admin-ask-{verb}"), rows=[*in_rows(sums, 4), _forget(say, token)], expects_text=True)


def ask_text(say: Say, token: int) -> View:
    return View(text=say("admin-ask-text"), rows=[_forget(say, token)], expects_text=True)


def ask_reason(say: Say, verb: Verb, token: int) -> View:
    """Why? The usual reasons by a tap, any other by typing."""
    rows: Rows = [
        [button(reason, AdminReasonButton(token=token, reason=number))]
        for number, reason in enumerate(reasons_of(say, verb))
    ]
    return View(text=say("admin-ask-reason"), rows=[*rows, _forget(say, token)], expects_text=True)


def reasons_of(say: Say, verb: Verb) -> list[str]:
    return [say(f"admin-reason-{reason}") for reason in REASONS[verb]]


def confirmation(
    say: Say, verb: Verb, token: int, *, target: str, amount: Money | None, text: str | None, reason: str
) -> View:
    """What will happen, to whom and why."""
    parts = [say(f"admin-confirm-{verb}", target=target, amount=amount or "")]
    if text is not None:
        parts.append(f"<blockquote>{escape(cut(text, SHOWN_TEXT))}</blockquote>")
    parts.append(say("admin-confirm-reason", reason=escape(reason)))
    yes = button(say(f"admin-yes-{verb}"), ConfirmButton(token=token, yes=True))
    terms = [button(say("admin-yes-ban-days", days=days), BanButton(token=token, days=days)) for days in BAN_DAYS]
    rows = [terms, [yes]] if verb is Verb.BAN else [[yes]]
    return View(text="\n\n".join(parts), rows=[*rows, _forget(say, token)])


def done(say: Say, verb: Verb, target: int, result: ActionResult) -> View:
    """The result as a sentence, with the way back to what it was about."""
    sign = "✅" if result.done else "⚠️"
    return View(text=f"{sign} {escape(result.says.in_(say))}", rows=[*_back(say, verb, target), to_menu(say)])


def left(say: Say, verb: Verb, target: int) -> View:
    return View(text=say("admin-forgotten"), rows=[*_back(say, verb, target), to_menu(say)])


def bad_sum(say: Say) -> View:
    return View(text=say("admin-bad-sum"), rows=[], expects_text=True)


def bad_text(say: Say, *, longest: int) -> View:
    return View(text=say("admin-bad-text", longest=longest), rows=[], expects_text=True)


def _forget(say: Say, token: int) -> list[InlineKeyboardButton]:
    return [button(say("admin-forget"), ConfirmButton(token=token, yes=False))]


def _back(say: Say, verb: Verb, target: int) -> Rows:
    if verb.is_about_job:
        return [[button(say("admin-to-job"), AdminJobButton(job_id=target))]]
    return [[button(say("admin-to-user"), AdminUserButton(user_id=target))]] if verb.is_about_user else []
