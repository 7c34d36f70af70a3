"""What customers read about a pause: the operator's own sentence, if any, and until when it lasts, if that is known."""

from photomat.texts.load import Say
from photomat.work.controls import Pause


def pause_words(say: Say, pause: Pause) -> str:
    """Plain text: escape it for HTML."""
    return " ".join(part for part in (pause.notice, _until(say, pause)) if part)


def _until(say: Say, pause: Pause) -> str:
    if pause.until_at is None:
        return say("controls-until-unknown")
    return say("controls-until", until=f"{pause.until_at:%d.%m %H:%M}")
