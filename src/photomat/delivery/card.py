"""What a job's card shows: card = render(row). Pure; the same row always renders the same card.

One place for every face of a bought card: accepted, progress, overdue, canceled, offered, failed, and the result.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from photomat.delivery.locked import LockedCard
from photomat.delivery.outputs import Output
from photomat.jobs.job import JobStatus
from photomat.telegram import callbacks
from photomat.telegram.port import Button, Keyboard
from photomat.texts.load import Texts

LONGEST_PROMPT: Final = 600
LONGEST_VALUES: Final = 200
LONGEST_SPOKEN: Final = 3000
LONGEST_PLAIN: Final = 900
"""A caption holds 1024 characters: prompt, values, headings and a reason fit, and so does a plain face."""

TAG: Final = re.compile(r"<[^>]*>")
KNOWN_FAILURES: Final = frozenset({"timeout", "empty"})
BAR_CELLS: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """What is to be seen: a text (a caption where there is media), buttons, the output shown, the ring that goes with it."""

    text: str
    keyboard: Keyboard
    output: Output | None = None
    ring_kind: str | None = None


def render(card: LockedCard, outputs: Sequence[Output], *, title: str, texts: Texts) -> Face:
    """The face of a job's card as its row stands now."""
    writer = _Writer(card, title, texts)
    match card.status:
        case JobStatus.DONE:
            return writer.result(outputs)
        case JobStatus.FAILED:
            return writer.failed()
        case JobStatus.CANCELED:
            return writer.offered() if card.offered else writer.canceled()
        case _:
            return writer.progress()


@dataclass(frozen=True, slots=True)
class _Writer:
    card: LockedCard
    title: str
    texts: Texts

    def result(self, outputs: Sequence[Output]) -> Face:
        page = min(self.card.page, max(0, len(outputs) - 1))
        output = outputs[page] if outputs else None
        key = "card-gift" if self.card.gift else "card-done"
        spoken = (self.card.result_object or {}).get("text")
        text = (
            self._say(key)
            if output or not spoken
            else f"{self._say(key)}\n\n{html.escape(cut(str(spoken), LONGEST_SPOKEN))}"
        )
        keyboard: Keyboard = ()
        if len(outputs) > 1:
            keyboard = (self._pages(page, len(outputs)),)
        keyboard = (*keyboard, (self._button("card-button-again", "again"), *self._why()))
        return Face(text=text, keyboard=keyboard, output=output, ring_kind="done")

    def _why(self) -> tuple[Button, ...]:
        """A price can be asked about where one was paid."""
        return () if self.card.gift else (self._button("card-button-why", "why", price=self.card.price),)

    def failed(self) -> Face:
        reason = self.texts.say(self.card.language, f"fail-{failure_word(self.card.fail_code)}")
        text = self._say("card-failed" if self.card.price.minor else "card-failed-free", reason=reason)
        return Face(text=text, keyboard=((self._button("card-button-retry", "again"),),), ring_kind="failed")

    def canceled(self) -> Face:
        text = self._say("card-canceled" if self.card.price.minor else "card-canceled-free")
        return Face(text=text, keyboard=((self._button("card-button-retry", "again"),),))

    def offered(self) -> Face:
        take = self._button("card-button-accept", "accept", price=self.card.price)
        return Face(text=self._say("card-offered"), keyboard=((take,),), ring_kind="offer")

    def progress(self) -> Face:
        if self.card.stopped:
            return Face(text=self._say("card-stopped"), keyboard=(), ring_kind="failed")
        cancel: Keyboard = ((self._button("card-button-cancel", "cancel"),),)
        if self.card.overdue:
            return Face(text=self._say("card-overdue"), keyboard=cancel)
        if self.card.status is JobStatus.PENDING:
            return Face(text=self._say("card-accepted"), keyboard=cancel)
        return Face(text=self._say("card-running", bar=progress_bar(self.card.progress)), keyboard=())

    def _say(self, key: str, **facts: object) -> str:
        return self.texts.say(
            self.card.language,
            key,
            model=html.escape(self.title),
            inputs=inputs_in_words(self.card.inputs),
            price=self.card.price,
            **facts,
        )

    def _button(self, key: str, act: callbacks.ActOnJob, **facts: object) -> Button:
        text = self.texts.say(self.card.language, key, **facts)
        return Button(text=text, data=callbacks.act_on_job(self.card.job_id, act))

    def _pages(self, page: int, count: int) -> tuple[Button, ...]:
        back, on = (page - 1) % count, (page + 1) % count
        job = self.card.job_id
        return (
            Button(text="◀", data=callbacks.turn_to_page(job, back)),
            Button(text=f"{page + 1}/{count}", data=callbacks.act_on_job(job, "noop")),
            Button(text="▶", data=callbacks.turn_to_page(job, on)),
        )


def progress_bar(percent: int) -> str:
    """`▓▓▓░░░░░░░ 30 %`."""
    full = round(percent * BAR_CELLS / 100)
    return f"{'▓' * full}{'░' * (BAR_CELLS - full)} {percent} %"


def inputs_in_words(inputs: Mapping[str, Any]) -> str:
    """What was ordered: the prompt first, then the short values; either is cut where it is long."""
    prompt = cut(str(inputs.get("prompt", "")), LONGEST_PROMPT)
    values = cut(" · ".join(str(value) for name, value in inputs.items() if name != "prompt"), LONGEST_VALUES)
    return "\n".join(part for part in (f"<i>{html.escape(prompt)}</i>" if prompt else "", html.escape(values)) if part)


def cut(text: str, longest: int) -> str:
    """The text, or as much of it as there is room for."""
    return text if len(text) <= longest else text[:longest] + "…"


def plain(face: Face) -> Face:
    """The same face without markup and short, for when Telegram cannot read or hold its text."""
    return replace(face, text=html.escape(cut(html.unescape(TAG.sub("", face.text)), LONGEST_PLAIN)) or "…")


def failure_word(code: str | None) -> str:
    """Which words explain a failure to its customer: never the provider's own text."""
    if code in KNOWN_FAILURES:
        return code
    number = (code or "").rpartition("-")[2]
    return "content" if number in {"400", "422", "451"} else "provider"
