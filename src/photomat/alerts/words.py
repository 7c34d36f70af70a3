"""What an operator reads: what happened, what it means for customers, what to do now. Pure: a notice in, a text out."""

from datetime import timedelta
from html import escape
from typing import Final

from photomat.alerts.incident import About, Notice
from photomat.texts.load import Say, Texts

HOUR_MINUTES: Final = 60


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
