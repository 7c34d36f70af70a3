"""What becomes of an update whose handler failed. Pure.

Trouble of the outside world (429, Telegram unreachable, a database that went away) is not the update's fault: it is tried
again and not counted, until the update is so old that it may well be its fault. Anything else is a failure and counted, and
the third parks the update; one that cannot be read is parked at once. Nothing sleeps here: the wait is written to the lane.
"""

from dataclasses import dataclass
from typing import Final

from aiogram.exceptions import ClientDecodeError, TelegramAPIError

from photomat.db.away import database_is_away
from photomat.inbox.received import Claimed
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.retry import backoff_s
from photomat.telegram.errors import translate
from photomat.telegram.port import Unauthorized, Unreachable

PATIENCE_S: Final = 3600
LONGEST_PAUSE_S: Final = 60
OUTSIDE: Final = (Transient, OutcomeUnknown, Unauthorized, OSError)


class Unreadable(Exception):
    """The update is not what Telegram's documents say: nobody can act on it, and trying again changes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """Try again after so long."""

    wait_s: float
    counted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp:
    """Park it."""


def in_our_words(trouble: Exception) -> Exception:
    """The trouble in our families, whoever raised it."""
    return translate(trouble) if isinstance(trouble, TelegramAPIError | ClientDecodeError) else trouble


def nobody_is_there(trouble: Exception) -> bool:
    """The person has blocked us, or threw us out of the group: there is nobody left to answer."""
    return isinstance(in_our_words(trouble), Unreachable)


def judge(trouble: Exception, claimed: Claimed) -> Later | GiveUp:
    """Decide what becomes of the update."""
    trouble = in_our_words(trouble)
    if (isinstance(trouble, OUTSIDE) or database_is_away(trouble)) and claimed.age_s < PATIENCE_S:
        asked = trouble.retry_after_s if isinstance(trouble, Transient) else None
        pause = min(LONGEST_PAUSE_S, max(1.0, claimed.age_s / 4))
        return Later(wait_s=pause if asked is None else asked, counted=False)
    if isinstance(trouble, Unreadable) or claimed.is_last_attempt:
        return GiveUp()
    return Later(wait_s=backoff_s(claimed.failures), counted=True)
