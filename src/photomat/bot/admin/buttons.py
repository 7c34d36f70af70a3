"""What the buttons of `/admin` and of alerts carry.

They say nothing about who may tap them: every handler asks for the role of the user who did.
"""

from enum import StrEnum

from aiogram.filters.callback_data import CallbackData

from photomat.alerts.incident import AlertAction
from photomat.bot.buttons import Id, OpensPage, Small


class AdminPage(StrEnum):
    MENU = "menu"
    TODAY = "today"
    NEEDS = "needs"
    FIND = "find"
    RECEIPTS = "bills"
    TICKETS = "tickets"
    INCIDENTS = "incidents"
    PAUSES = "pause"
    BROADCASTS = "cast"
    MODELS = "models"
    STATE = "state"
    CONSOLE = "web"


class JobList(StrEnum):
    STUCK = "stuck"
    UNDELIVERED = "unseen"


class Verb(StrEnum):
    """What an operator does to a job or a user."""

    RETRY = "retry"
    REDELIVER = "show"
    CANCEL = "cancel"
    REFUND = "refund"
    CREDIT = "credit"
    DEBIT = "debit"
    BAN = "ban"
    UNBAN = "unban"
    MESSAGE = "text"
    RECONCILE = "match"
    PAUSE = "pause"
    RESUME = "resume"

    @property
    def is_about_job(self) -> bool:
        return self in {Verb.RETRY, Verb.REDELIVER, Verb.CANCEL, Verb.REFUND}

    @property
    def is_about_user(self) -> bool:
        return self in {Verb.CREDIT, Verb.DEBIT, Verb.BAN, Verb.UNBAN, Verb.MESSAGE}

    @property
    def asks_sum(self) -> bool:
        return self in {Verb.REFUND, Verb.CREDIT, Verb.DEBIT}


class AdminButton(CallbackData, OpensPage, prefix="a"):
    page: AdminPage


class AdminJobsButton(CallbackData, OpensPage, prefix="al"):
    only: JobList


class AdminJobButton(CallbackData, OpensPage, prefix="aj"):
    job_id: Id


class AdminUserButton(CallbackData, OpensPage, prefix="au"):
    user_id: Id


class IncidentButton(CallbackData, OpensPage, prefix="an"):
    """Shows the alert of an incident."""

    incident_id: Id


class BeginButton(CallbackData, OpensPage, prefix="ax"):
    """Begins an action on a job or a user; nothing happens before it is confirmed."""

    verb: Verb
    target: Id


class PauseButton(CallbackData, OpensPage, prefix="ap"):
    """Begins to pause the bot, Kie or a model, or to resume it."""

    model: str
    stop: bool


class SumButton(CallbackData, prefix="as"):
    """Answers which sum; 0 is all that is left. `token` names the action that was begun."""

    token: Id
    minor: Id


class AdminReasonButton(CallbackData, prefix="ar"):
    """Answers why, by the number of a usual reason."""

    token: Id
    reason: Small


class ConfirmButton(CallbackData, prefix="ay"):
    """Does what was begun, or forgets it."""

    token: Id
    yes: bool


class BanButton(CallbackData, prefix="ad"):
    """Confirms a ban of so many days; a ban for good is confirmed as any other action."""

    token: Id
    days: Small


class BroadcastAction(StrEnum):
    OPEN = "open"
    PREVIEW = "look"
    NEXT = "next"
    START = "start"
    STOP = "stop"
    RESUME = "resume"
    DELETE = "delete"


class BroadcastSegment(StrEnum):
    """The segments a tap chooses; the console has all of them."""

    EVERYONE = "all"
    PAYERS = "paid"
    UNPAID = "unpaid"
    ACTIVE = "active"
    SLEEPING = "sleep"
    NEWCOMERS = "new"


class AdminBroadcastButton(CallbackData, OpensPage, prefix="ab"):
    """Acts on a broadcast; `reach` is how many recipients the operator saw."""

    action: BroadcastAction
    broadcast_id: Id
    reach: Small = 0


class NewBroadcastButton(CallbackData, OpensPage, prefix="ac"):
    """Asks for the message of a new broadcast."""


class SegmentButton(CallbackData, OpensPage, prefix="ag"):
    broadcast_id: Id
    segment: BroadcastSegment


class BroadcastReasonButton(CallbackData, OpensPage, prefix="aw"):
    """Says why a broadcast is started, resumed or deleted, by the number of a usual reason, and does it."""

    action: BroadcastAction
    broadcast_id: Id
    reach: Small
    reason: Small


class AlertButton(CallbackData, prefix="i"):
    """Acts on an incident: `i:<action>:<incident_id>`."""

    action: AlertAction
    incident_id: Id
