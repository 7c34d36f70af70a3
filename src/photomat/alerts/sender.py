"""Sends operators what an incident means and what to do: at least once, separately to each operator.

Claimed with a lease and a fence: after a crash between send and record an alert is sent again, because an alert twice is
better than one that never came. One operator who cannot be reached holds up no other.
"""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from html import escape
from typing import ClassVar, Final

from photomat.alerts.buttons import keyboard_of
from photomat.alerts.incident import IncidentNotice, IncidentPhase
from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row
from photomat.kernel.clock import backoff_s
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, Fence, MessageId
from photomat.kernel.logs import get_logger
from photomat.messages.outbox import Ending, MessageKind, Outcome, PutBack, RetryPolicy
from photomat.telegram.port import Messenger
from photomat.texts.load import Say, Texts
from photomat.users.user import DEFAULT_LANGUAGE

HOUR_MINUTES: Final = 60
LEASE: Final = timedelta(seconds=90)
"""Longer than a call to Telegram may take."""
FIRST_RETRY_S: Final = 2.0
MAX_REFUSALS: Final = 5
log = get_logger()


def message_of(texts: Texts, notice: IncidentNotice) -> str:
    """The message of a notice, in the operator's language."""
    say = texts.speaker(notice.language)
    title = say(f"alert-{notice.kind}")
    if notice.about is IncidentPhase.OVER:
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
class AlertSender(MessageKind[IncidentNotice]):
    """Sends incident notices to operators; the end of an incident only after its opening."""

    pool: Pool
    messenger: Messenger
    texts: Texts
    console_url: str | None = None

    DUE: ClassVar = "SELECT 1 FROM incident_notices WHERE due_at <= photomat_now()"
    CLAIM: ClassVar = """
        WITH due AS MATERIALIZED (
            SELECT incident_id, admin_id, about FROM incident_notices AS notice
             WHERE due_at <= photomat_now() AND (SELECT photomat_our_bot($2)) IS NOT NULL
               AND (about = 'open' OR NOT EXISTS (
                    SELECT FROM incident_notices AS opening
                     WHERE opening.incident_id = notice.incident_id AND opening.admin_id = notice.admin_id
                       AND opening.about = 'open' AND opening.due_at IS NOT NULL))
             ORDER BY due_at LIMIT $1 FOR UPDATE OF notice SKIP LOCKED),
        claimed AS (
            UPDATE incident_notices AS notice
               SET due_at = photomat_now() + $3::interval, fence = notice.fence + 1, attempts = notice.attempts + 1
              FROM due
             WHERE notice.incident_id = due.incident_id AND notice.admin_id = due.admin_id AND notice.about = due.about
            RETURNING notice.incident_id, notice.admin_id, notice.about, notice.fence, notice.attempts)
        SELECT claimed.*, kind, figures, opened_at, quiet_since - opened_at AS lasted, language
          FROM claimed JOIN incidents USING (incident_id) LEFT JOIN users ON user_id = admin_id
        """
    RETRIES: ClassVar = RetryPolicy(
        pause_s=partial(backoff_s, first_s=FIRST_RETRY_S), waits_for_token=True, most_refused=MAX_REFUSALS
    )

    @property
    def claim_arguments(self) -> tuple[object, ...]:
        return (LEASE,)

    def read(self, row: Row) -> IncidentNotice:
        columns = dict(row) | {"about": IncidentPhase(row["about"]), "language": row["language"] or DEFAULT_LANGUAGE}
        return IncidentNotice(**columns)

    async def send(self, message: IncidentNotice) -> MessageId:
        failpoint("alert.after_claim")
        text = message_of(self.texts, message)
        keyboard = keyboard_of(self.texts.speaker(message.language), message, console_url=self.console_url)
        message_id = await self.messenger.send_text(message.admin_id, text, reply_to=None, keyboard=keyboard)
        failpoint("alert.after_send")
        return message_id

    async def put_back(self, message: IncidentNotice, again: PutBack) -> None:
        await self.pool.execute(
            """
            UPDATE incident_notices SET due_at = photomat_now() + $5::interval
             WHERE incident_id = $1 AND admin_id = $2 AND about = $3 AND fence = $4 AND due_at IS NOT NULL
            """,
            *_claim_of(message),
            again.after,
        )
        log.warning("ALERT_RETRY", **_named(message), wait_s=round(again.after_s, 1), error=str(again.error))

    async def record(self, message: IncidentNotice, ending: Ending) -> None:
        """Write down the outcome; an operator who is not notified of the opening is not notified of the end."""
        is_sent = ending.outcome in {Outcome.SENT, Outcome.UNKNOWN}
        async with transaction(self.pool) as tx:
            is_ours = await _end(tx, message, ending.outcome)
            if is_ours and not is_sent:
                await tx.execute(
                    """
                    DELETE FROM incident_notices
                     WHERE incident_id = $1 AND admin_id = $2 AND about = 'over' AND due_at IS NOT NULL
                    """,
                    message.incident_id,
                    message.admin_id,
                )
        if not is_ours:
            log.warning("ALERT_LEASE_LOST", **_named(message), outcome=ending.outcome)
        elif is_sent:
            log.info("ALERT_SENT", **_named(message), outcome=ending.outcome)
        else:
            log.error("ALERT_FAILED", **_named(message), outcome=ending.outcome)


async def _end(tx: Transaction, notice: IncidentNotice, outcome: Outcome) -> bool:
    is_ours = await tx.fetchval(
        """
        UPDATE incident_notices
           SET due_at = NULL, outcome = $5,
               sent_at = CASE WHEN $5 IN ('sent', 'unknown') THEN photomat_now() END
         WHERE incident_id = $1 AND admin_id = $2 AND about = $3 AND fence = $4 AND due_at IS NOT NULL
        RETURNING true
        """,
        *_claim_of(notice),
        outcome,
    )
    return bool(is_ours)


def _claim_of(notice: IncidentNotice) -> tuple[int, ChatId, IncidentPhase, Fence]:
    return notice.incident_id, notice.admin_id, notice.about, notice.fence


def _named(notice: IncidentNotice) -> dict[str, object]:
    return {"incident": notice.incident_id, "kind": notice.kind, "about": notice.about, "admin_id": notice.admin_id}
