"""Tells operators: claim → send → mark, each operator apart, so that one who cannot be reached holds up nobody.

In ordinary life a notice is sent once. Surely not sent: tried again, later each time. Outcome unknown: taken as sent. Killed
between send and mark: the lease runs out and it is sent again, for an alarm twice is better than an alarm that never came.

What an operator reads: what happened, what it means for customers, what to do now. Pure: a notice in, a text out.
"""

from dataclasses import dataclass
from datetime import timedelta
from html import escape
from typing import Final

from photomat.alerts import store
from photomat.alerts.incident import About, Notice, Outcome
from photomat.db.pool import Pool, transaction
from photomat.kernel.clock import backoff_s
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import get_logger
from photomat.telegram.port import Messenger, Unauthorized, Unreachable
from photomat.texts.load import Say, Texts

HOUR_MINUTES: Final = 60
LEASE: Final = timedelta(seconds=90)
"""Longer than a call to Telegram may take."""
MOST_REFUSALS: Final = 5
NOTICES_DUE: Final = "SELECT 1 FROM incident_notices WHERE due_at <= photomat_now()"
log = get_logger()


def message_of(texts: Texts, notice: Notice) -> str:
    """The message of a notice, in the operator's language."""
    say = texts.speaker(notice.language)
    title = say(f"alert-{notice.kind}")
    if notice.about is About.OVER:
        lasted = _span(say, notice.lasted or timedelta(0))
        return say("alert-over", title=title, lasted=lasted, number=notice.incident_id)
    figures = {name: escape(fact) if isinstance(fact, str) else fact for name, fact in notice.figures.items()}
    return say(
        "alert-open",
        title=title,
        body=say(f"alert-{notice.kind}-now", **figures),
        number=notice.incident_id,
        since=f"{notice.opened_at:%H:%M}",
    )


def _span(say: Say, span: timedelta) -> str:
    minutes = round(span.total_seconds() / 60)
    if minutes < 1:
        return say("alert-span-moment")
    if minutes < HOUR_MINUTES:
        return say("alert-span-minutes", minutes=minutes)
    return say("alert-span-hours", hours=minutes // HOUR_MINUTES, minutes=minutes % HOUR_MINUTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Teller:
    """Sends claimed notices."""

    pool: Pool
    messenger: Messenger
    texts: Texts

    async def claim(self, limit: int) -> list[Notice]:
        """Take the notices that are due."""
        return await store.claim_notices(self.pool, limit=limit, lease=LEASE)

    async def tell(self, notice: Notice) -> None:
        """Send one notice and record what came of it."""
        failpoint("alert.after_claim")
        text = message_of(self.texts, notice)
        try:
            await self.messenger.send_text(notice.admin_id, text, reply_to=None)
        except (Transient, Unauthorized) as error:
            await self._later(notice, error)
        except OutcomeUnknown:
            await self._end(notice, Outcome.UNKNOWN)
        except Unreachable:
            await self._end(notice, Outcome.UNREACHABLE)
        except PhotomatError as error:
            if notice.attempts < MOST_REFUSALS:
                await self._later(notice, error)
            else:
                await self._end(notice, Outcome.REFUSED)
        else:
            failpoint("alert.after_send")
            await self._end(notice, Outcome.SENT)

    async def _later(self, notice: Notice, error: PhotomatError) -> None:
        asked = error.retry_after_s if isinstance(error, Transient) else None
        wait_s = asked or backoff_s(notice.attempts)
        await store.put_off(self.pool, notice, after=timedelta(seconds=wait_s))
        log.warning("ALERT_RETRY", **_named(notice), wait_s=round(wait_s, 1), error=str(error))

    async def _end(self, notice: Notice, outcome: Outcome) -> None:
        told = outcome in {Outcome.SENT, Outcome.UNKNOWN}
        async with transaction(self.pool) as tx:
            ours = await store.end_notice(tx, notice, outcome)
            if ours and not told:
                await store.drop_ending(tx, notice)
        if not ours:
            log.warning("ALERT_LEASE_LOST", **_named(notice), outcome=outcome)
        elif told:
            log.info("ALERT_SENT", **_named(notice), outcome=outcome)
        else:
            log.error("ALERT_FAILED", **_named(notice), outcome=outcome)


def _named(notice: Notice) -> dict[str, object]:
    return {"incident": notice.incident_id, "kind": notice.kind, "about": notice.about, "admin_id": notice.admin_id}
