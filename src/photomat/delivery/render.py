"""What a job's card shows: card = render(row). Pure; the same row always renders the same card.

Every view of a bought card is here: accepted, progress, overdue, canceled, offered, failed, and the result.
"""

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from photomat.catalog.model import USUAL_S, Model
from photomat.db.rows import Row, row_as
from photomat.delivery.caption import (
    MAX_CAPTION_LENGTH,
    ROOM_FOR_A_REASON,
    CardOrder,
    ai_mark,
    captioned,
    part_in_words,
    readable,
    unmarked,
)
from photomat.delivery.next_steps import NOTHING_SOLD, NextSteps, favourite_button, start_of, step_rows
from photomat.delivery.outputs import Output
from photomat.jobs.job import JobStatus
from photomat.jobs.strikes import is_about_content
from photomat.kernel.errors import Transient
from photomat.kernel.ids import BotId, ChatId, Fence, JobId, MessageId, UserId
from photomat.kernel.money import Money
from photomat.kernel.text import cut, truncate, utf16_length
from photomat.storage.places import StoredFile
from photomat.telegram import callback_data
from photomat.telegram.port import Button, Keyboard
from photomat.texts.load import Say, Texts
from photomat.texts.pauses import pause_words
from photomat.work.controls import Pause

MAX_READ_LENGTH: Final = 2900
MAX_PLAIN_LENGTH: Final = MAX_CAPTION_LENGTH - ROOM_FOR_A_REASON
"""A message holds 4096 characters: a caption, so much of a text, and where the rest is. A plain view fits into a caption."""
KNOWN_FAILURES: Final = frozenset({"timeout", "empty"})
BAR_CELLS: Final = 10
MINUTE_S: Final = 60
LONGEST_IN_SECONDS_S: Final = 90
SECONDS_STEP_S: Final = 5
PAUSED: Final = 0
MAX_PLACES: Final = 50
"""Places in the queue that are counted: about half a minute of Kie's usual limit."""
FAR: Final = MAX_PLACES + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """How long a result may take, as known when its card was locked (`waiting.py`).

    `place` is its place in the queue while Kie's limit is the reason that it waits: `PAUSED` while Kie takes no orders from us,
    `FAR` beyond the places that are counted. `starts_s` is about when its turn comes. `pause` is an operator's.
    """

    usual_s: int | None = None
    place: int | None = None
    starts_s: int = 0
    pause: Pause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedCard:
    """A job's card, locked by us until the lease expires: everything needed to render it, and the fence."""

    job_id: JobId
    corr: str
    bot_id: BotId
    user_id: UserId
    chat_id: ChatId
    message_id: MessageId
    model: str
    title: str | None
    inputs: Mapping[str, Any]
    language: str
    price: Money
    status: JobStatus
    fail_code: str | None
    gift: bool
    offered: bool
    overdue: bool
    slow: bool
    stopped: bool
    progress: int
    page: int
    result_object: Mapping[str, Any] | None
    wanted: int
    slot_for: int | None
    fence: Fence
    attempts: int
    failing_for: timedelta
    found_via: str | None
    doubtful: bool
    is_favourite: bool = False
    delivered: bool
    created_at: datetime
    locked_at: datetime
    wait: Wait = Wait()
    others_wait: bool = False
    """Whether cards of a chat were left out of this claim because so many of the chat are locked."""

    @property
    def shows_result(self) -> bool:
        return self.status is JobStatus.DONE

    @property
    def is_private(self) -> bool:
        return int(self.chat_id) == int(self.user_id)

    @property
    def first_result(self) -> bool:
        """Whether this shows the result for the first time, as far as recorded."""
        return self.shows_result and not self.delivered


def locked_card(row: Row) -> LockedCard:
    return row_as(
        LockedCard,
        row,
        message_id=row["card_message_id"],
        price=Money(row["price"], row["currency"]),
        status=JobStatus(row["status"]),
        offered=row["offered_at"] is not None,
        overdue=row["overdue_at"] is not None,
        slow=row["slow_at"] is not None,
        stopped=row["stopped_at"] is not None,
        page=row["card_page"],
        wanted=row["card_wanted"],
        slot_for=row["card_slot_for"],
        fence=row["delivery_fence"],
        attempts=row["delivery_attempts"],
        failing_for=row["locked_at"] - (row["delivery_failing_since"] or row["locked_at"]),
        doubtful=row["card_doubtful"],
        delivered=row["delivered_at"] is not None,
        wait=Wait(),
        others_wait=bool(row.get("others_wait")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Album:
    """All outputs at once, each with its title, and the buttons without pages."""

    text: str
    outputs: tuple[Output, ...]
    parts: tuple[str | None, ...]
    keyboard: Keyboard


@dataclass(frozen=True, slots=True, kw_only=True)
class CardView:
    """A text (a caption where there is media), buttons, the output shown, and the ring that follows.

    `model` and `part` are performer and title of an audio output. `copy` is our copy of the output, `missing` why there is
    none.
    """

    text: str
    keyboard: Keyboard
    output: Output | None = None
    ring_kind: str | None = None
    model: str = ""
    part: str | None = None
    album: Album | None = None
    copy: StoredFile | None = None
    missing: Transient | None = None


def render(
    card: LockedCard,
    outputs: Sequence[Output],
    *,
    model: Model | None,
    texts: Texts,
    next_steps: NextSteps = NOTHING_SOLD,
    mark: str = "",
) -> CardView:
    """The view of a job's row; `model` is what was bought, if the catalogue still has it, `next_steps` what is sold now.

    `mark` is the setting that marks results as made by AI.
    """
    say = texts.speaker(card.language)
    writer = _Writer(card, order_on_card(card, model), say, next_steps, ai_mark(mark, say))
    match card.status:
        case JobStatus.DONE:
            return writer.result(outputs)
        case JobStatus.FAILED:
            return writer.failed()
        case JobStatus.CANCELED:
            return writer.offered() if card.offered else writer.canceled()
        case _:
            return writer.progress()


def order_on_card(card: LockedCard, model: Model | None) -> CardOrder:
    return CardOrder(
        title=card.title,
        model_id=card.model,
        inputs=card.inputs,
        result_object=card.result_object,
        model=model,
    )


@dataclass(frozen=True, slots=True)
class _Writer:
    card: LockedCard
    bought: CardOrder
    say: Say
    next_steps: NextSteps
    mark: str

    def result(self, outputs: Sequence[Output]) -> CardView:
        key = "card-gift" if self.card.gift else "card-done"
        if not outputs:
            return self._text_result(key)
        page = min(self.card.page, len(outputs) - 1)
        parts = tuple(part_in_words(output.title, self.say) for output in outputs)
        count = len(outputs)
        tools = self._tools(self._files(count))
        album = None
        if count > 1 and page == 0:  # a turned page is shown as a page
            steps = self._steps(None)
            album = Album(text=self._result(key), outputs=tuple(outputs), parts=parts, keyboard=(*steps, tools))
        pages: Keyboard = (self._pages(page, count),) if count > 1 else ()
        return CardView(
            text=self._result(key, part=parts[page]),
            keyboard=(*self._steps(outputs[page]), *pages, tools),
            output=outputs[page],
            ring_kind="done",
            model=self.bought.name(self.card.language),
            part=parts[page],
            album=album,
        )

    def _text_result(self, key: str) -> CardView:
        """A text result; one too long for a message is available as a file."""
        whole = readable(self.card.result_object or {}, self.say) or self.say("card-text-empty")
        is_long = utf16_length(whole) > MAX_READ_LENGTH
        shown = html.escape(truncate(whole, MAX_READ_LENGTH)) + (self.say("card-text-cut") if is_long else "")
        as_file = self._button("card-button-file", "files")
        text = f"{self._result(key)}\n\n{shown}"
        return CardView(text=text, keyboard=(self._tools(as_file),), ring_kind="done")

    def _steps(self, output: Output | None) -> Keyboard:
        """What can be done next with the shown output; with all of them at once only the order can be varied."""
        ordered = self.bought.model.kind if self.bought.model else None
        start = start_of(output, ordered=ordered) if output is not None else None
        return step_rows(
            self.say,
            job_id=self.card.job_id,
            position=output.position if output is not None else 0,
            wishes=self.next_steps.wishes_for(start),
            may_vary=self.next_steps.may_vary(self.card.model),
        )

    def _tools(self, files: Button) -> tuple[Button, ...]:
        liked = favourite_button(self.say, job_id=self.card.job_id, is_favourite=self.card.is_favourite)
        return (liked, files, self._button("card-button-details", "info"), self._support())

    def _support(self) -> Button:
        """Under every card, in its last row: asking about this order."""
        return self._button("card-button-support", "sos")

    def _files(self, count: int) -> Button:
        key = "card-button-originals" if count > 1 else "card-button-original"
        return self._button(key, "files", count=count)

    def failed(self) -> CardView:
        reason = self.say(f"fail-{failure_word(self.card.fail_code)}")
        text = self._say("card-failed" if self.card.price.minor else "card-failed-free", reason=reason)
        return CardView(text=text, keyboard=(self._retry_row(),), ring_kind="failed")

    def canceled(self) -> CardView:
        text = self._say("card-canceled" if self.card.price.minor else "card-canceled-free")
        return CardView(text=text, keyboard=(self._retry_row(),))

    def _retry_row(self) -> tuple[Button, ...]:
        return (self._button("card-button-retry", "again"), self._support())

    def offered(self) -> CardView:
        take = self._button("card-button-accept", "accept", price=self.card.price)
        return CardView(text=self._say("card-offered"), keyboard=((take,), (self._support(),)), ring_kind="offer")

    def progress(self) -> CardView:
        if self.card.stopped:
            return CardView(text=self._say("card-stopped"), keyboard=((self._support(),),), ring_kind="failed")
        cancel: Keyboard = ((self._button("card-button-cancel", "cancel"), self._support()),)
        if self.card.overdue:
            return CardView(text=self._say("card-overdue"), keyboard=cancel)
        if self.card.status is JobStatus.PENDING:
            return CardView(text=self._say("card-accepted", wait=self._before_start()), keyboard=cancel)
        kind = self.bought.model.kind if self.bought.model else "image"
        return CardView(
            text=self._say("card-running", kind=kind, wait=self._until_result()), keyboard=((self._support(),),)
        )

    def _before_start(self) -> str:
        """Why it has not started: its place in the queue, where Kie's limit is the reason."""
        wait = self.card.wait
        if wait.place is None:
            return self.say("wait-sending", usual=self._usual())
        if wait.pause is not None:
            return self.say("controls-waiting", why=html.escape(pause_words(self.say, wait.pause), quote=False))
        if wait.place == PAUSED:
            return self.say("wait-paused")
        starts = self._span(wait.starts_s)
        if wait.place >= FAR:
            return self.say("wait-far", most=MAX_PLACES, starts=starts)
        return self.say("wait-place", place=wait.place, starts=starts)

    def _until_result(self) -> str:
        """The usual time, the percentage if Kie reports one; that it takes longer, once it does."""
        if self.card.slow:
            passed_s = int((self.card.locked_at - self.card.created_at).total_seconds())
            return self.say("wait-slow", usual=self._usual(), passed=self._span(passed_s, is_least=True))
        running = self.say("wait-running", usual=self._usual())
        return f"{running}\n{progress_bar(self.card.progress)}" if self.card.progress else running

    def _usual(self) -> str:
        """From our own results, else from the model's pace."""
        pace_s = USUAL_S[self.bought.model.pace if self.bought.model else "steady"]
        return self._span(self.card.wait.usual_s or pace_s)

    def _span(self, seconds: int, *, is_least: bool = False) -> str:
        """`40 с`, `3 мин`: seconds in steps of five, from a minute and a half on minutes; rounded down if `is_least`."""
        if seconds <= LONGEST_IN_SECONDS_S:
            step = SECONDS_STEP_S if seconds > SECONDS_STEP_S else 1
            return self.say(
                "wait-seconds", seconds=max(1, step * (seconds // step if is_least else round(seconds / step)))
            )
        minutes = seconds // MINUTE_S if is_least else round(seconds / MINUTE_S)
        return self.say("wait-minutes", minutes=minutes)

    def _result(self, key: str, *, part: str | None = None) -> str:
        return self._say(key, part=part, mark=self.mark)

    def _say(self, key: str, *, part: str | None = None, mark: str = "", **facts: object) -> str:
        model = html.escape(self.bought.name(self.card.language))

        def sentence(inputs: str) -> str:
            return self.say(key, model=model, inputs=inputs, price=self.card.price, **facts)

        return captioned(sentence, self.bought, part=part, language=self.card.language, say=self.say, mark=mark)

    def _button(self, key: str, act: callback_data.ActOnJob, **facts: object) -> Button:
        return Button(text=self.say(key, **facts), data=callback_data.act_on_job(self.card.job_id, act))

    def _pages(self, page: int, count: int) -> tuple[Button, ...]:
        back, on = (page - 1) % count, (page + 1) % count
        job = self.card.job_id
        return (
            Button(text="◀", data=callback_data.turn_to_page(job, back)),
            Button(text=f"{page + 1}/{count}", data=callback_data.act_on_job(job, "noop")),
            Button(text="▶", data=callback_data.turn_to_page(job, on)),
        )


def progress_bar(percent: int) -> str:
    """`▓▓▓░░░░░░░ 30 %`."""
    full = round(percent * BAR_CELLS / 100)
    return f"{'▓' * full}{'░' * (BAR_CELLS - full)} {percent} %"


def plain(view: CardView) -> CardView:
    """The same view, short and without markup, for when Telegram refuses its text."""
    return replace(view, text=html.escape(cut(unmarked(view.text), MAX_PLAIN_LENGTH)) or "…")


def failure_word(code: str | None) -> str:
    """Which text explains a failure to the customer: never the provider's own."""
    if code in KNOWN_FAILURES:
        return code
    if code is not None and code.startswith("input-"):
        return "input"
    return "content" if is_about_content(code) else "provider"
