"""What a button carries: 64 bytes at most, and enough to know a stale one.

A form's buttons carry the form's id, a draft's its revision. The buttons of a job's card are drawn by `delivery`; here they
are only read.
"""

from enum import StrEnum
from typing import Annotated, Final

from aiogram.filters.callback_data import CallbackData
from pydantic import Field

MAX_BYTES: Final = 64


class Screen(StrEnum):
    """A place of the menu."""

    HOME = "home"
    CREATE = "create"
    BALANCE = "balance"
    HISTORY = "history"
    HELP = "help"
    LANGUAGE = "lang"


class DraftAction(StrEnum):
    """What can be done with a draft from its card."""

    CREATE = "create"
    CHANGE = "change"
    CANCEL = "cancel"
    BACK = "back"
    WHY = "why"


class JobAction(StrEnum):
    """What can be done with a job from its card."""

    CANCEL = "cancel"
    ACCEPT = "accept"
    AGAIN = "again"
    RESEND = "resend"
    WHY = "why"
    NOTHING = "noop"


Id = Annotated[int, Field(ge=0, le=2**63 - 1)]
Small = Annotated[int, Field(ge=0, le=2**31 - 1)]
"""What the columns take; a made-up number beyond them is no button of ours."""


class MenuButton(CallbackData, prefix="m"):
    """Opens a place of the menu."""

    screen: Screen


class ModelButton(CallbackData, prefix="n"):
    """Picks a model."""

    model: str


class OptionButton(CallbackData, prefix="o"):
    """Answers one question of one form with one of its options, by number."""

    form_id: Id
    question: Small
    option: Small


class LeaveButton(CallbackData, prefix="x"):
    """Leaves a form."""

    form_id: Id


class DraftButton(CallbackData, prefix="d"):
    """Acts on a draft as its card showed it."""

    action: DraftAction
    draft_id: Id
    revision: Small


class ChangeButton(CallbackData, prefix="e"):
    """Asks one input of a draft again, by number."""

    draft_id: Id
    question: Small


class LanguageButton(CallbackData, prefix="l"):
    """Chooses a language."""

    language: str


class HistoryButton(CallbackData, prefix="h"):
    """Turns to a page of the history, the newest being 0."""

    page: Small


class JobButton(CallbackData, prefix="j"):
    """Acts on a job: `j:<job_id>:<action>`."""

    job_id: Id
    action: JobAction


class JobPageButton(CallbackData, prefix="j"):
    """Turns to a page of a job's results: `j:<job_id>:page:<n>`."""

    job_id: Id
    action: str
    page: Small
