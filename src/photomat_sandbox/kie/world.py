"""The state of the simulated Kie.ai: settings, tasks, credits, result files and rate limits, as plain data in memory.

With a store, tasks, uploads and the balance are on disk too, and a new world begins with them. The world knows no HTTP and
starts nothing. Tasks are advanced by `task_runner.py`, due callbacks wait in `outbox` for
`callbacks.py`, and the bytes of a result are rendered by `files.py`.
"""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from photomat_sandbox.kie.models import KieRefusal
from photomat_sandbox.kie.results import ResultFile, files_of, side_files_of, track_id
from photomat_sandbox.kie.store import KieStore, StoredUpload
from photomat_sandbox.kie.tasks import State, Task

DAY_S: Final = 86_400.0
TYPES_OF: Final[Mapping[str, tuple[type, ...]]] = {"float": (int, float), "int": (int,), "bool": (bool,), "str": (str,)}
KEPT_TASKS: Final = 20_000
KEPT_RESULTS: Final = 4 * KEPT_TASKS
KEPT_CALLBACKS: Final = 4 * KEPT_TASKS
KEPT_UPLOAD_BYTES: Final = 512 * 2**20
WITH_RESULTS: Final = frozenset({"text", "first", "success"})
TOO_FREQUENT: Final = "Your call frequency is too high. Please try again later."


@dataclass(frozen=True, slots=True, kw_only=True)
class KieSettings:
    """How this Kie.ai behaves. A limit of 0 means no limit; an empty string means "none"."""

    webhook_key: str = ""
    """Signs callbacks; empty: they go out unsigned, as for an account without a webhook key."""
    public_url: str = ""
    """Base of result and upload URLs; empty: the Host of the request that made them."""
    seconds_to_success: float = 4.0
    """How long a picture takes; sound takes half as long again, video twice as long."""
    skip_states: bool = False
    """Go from waiting to the end at once, without generating in between."""
    null_grace_s: float = 0.0
    """For so long after creation recordInfo says "recordInfo is null"."""
    refuse_stock_agents: bool = False
    """Answer 403 to result downloads with the user agent of a stock Python client."""
    added_defaults: bool = False
    """Show the model's defaults in `param` beside what was sent."""
    lagging_flag: bool = False
    """Old families: completeTime and results are there, successFlag is still 0 for two seconds."""
    maintenance: bool = False
    """Refuse every create with 455."""
    chat_formats: str = "text,json_object,json_schema"
    """The response formats chat models accept, with commas between."""
    creates_per_10_s: int = 20
    queries_per_s: int = 10
    running_limit: int = 100
    callback_timeout_s: float = 15.0
    callback_retries: int = 3
    callback_retry_after_s: float = 5.0
    result_ttl_s: float = DAY_S
    """Results answer 404 afterwards: 24 hours as one page of the docs says, 14 days as another."""
    upload_ttl_s: float = 3 * DAY_S
    picture_side_px: int = 1024
    """The long side of a drawn picture; smaller draws faster."""


def with_changes(settings: KieSettings, changes: Mapping[str, Any]) -> KieSettings:
    """Return the settings with changes applied; a ValueError explains what is wrong."""
    known = {field.name: str(getattr(field.type, "__name__", field.type)) for field in fields(KieSettings)}
    for name, value in changes.items():
        if name not in known:
            raise ValueError(f"{name} is not a setting; the settings are {', '.join(known)}")
        if type(value) not in TYPES_OF[known[name]]:
            raise ValueError(f"{name} must be of type {known[name]}")
        if isinstance(value, int | float) and not 0 <= value < float("inf"):
            raise ValueError(f"{name} must not be negative or endless")
    return replace(settings, **changes)


class SlidingWindow:
    """Admits a limited number of calls in any period of `span_s` seconds; refused calls do not count."""

    def __init__(self, span_s: float) -> None:
        self._span_s = span_s
        self._admitted: deque[float] = deque()

    def admits(self, now: float, limit: int) -> bool:
        """Count this call and admit it, or refuse; a limit of 0 admits everything."""
        while self._admitted and self._admitted[0] <= now - self._span_s:
            self._admitted.popleft()
        if limit and len(self._admitted) >= limit:
            return False
        self._admitted.append(now)
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class DueCallback:
    """A callback that is due, and the state of the task it reports."""

    task: Task
    state: State


class KieWorld:
    """One account at Kie.ai. Further keyword arguments are the fields of `KieSettings`."""

    def __init__(
        self,
        *,
        key: str = "",
        credits: float = 5000.0,  # noqa: A002 - the vendor's word
        clock: Callable[[], float] = time.time,
        store: KieStore | None = None,
        **settings: Any,
    ) -> None:
        self.key = key
        self.credits = credits
        self.clock = clock
        self.settings = with_changes(KieSettings(), settings)
        self.tasks: dict[str, Task] = {}
        self.open_tasks: dict[str, Task] = {}
        self.results: dict[str, ResultFile] = {}
        self.tracks: dict[str, str] = {}
        """The task of every track of music, by the track's name."""
        self.uploads: dict[str, StoredUpload] = {}
        self.outbox: asyncio.Queue[DueCallback] = asyncio.Queue(KEPT_CALLBACKS)
        self.woken = asyncio.Event()
        self._creates = SlidingWindow(10.0)
        self._queries = SlidingWindow(1.0)
        self._store = store
        if store is not None:
            self._restore(store)

    def change(self, wanted: Mapping[str, Any]) -> None:
        """Change settings while running; `credits` sets the balance. A ValueError explains what is wrong."""
        fields = dict(wanted)
        balance = fields.pop("credits", self.credits)
        if isinstance(balance, bool) or not isinstance(balance, int | float) or balance < 0:
            raise ValueError("credits must be a number that is not negative")
        self.settings = with_changes(self.settings, fields)
        self.credits = float(balance)
        if self._store is not None:
            self._store.save_credits(self.credits)
        self.wake()

    def wake(self) -> None:
        """Make the task runner look at once, for example after an injected clock has moved."""
        self.woken.set()

    def check_create_limit(self) -> None:
        """Count one create, or refuse it: 455 in maintenance, 429 over the rate or with too many running."""
        if self.settings.maintenance:
            raise KieRefusal(455, "The service is under maintenance. Please try again later.")
        limit = self.settings.running_limit
        if limit and len(self.open_tasks) >= limit:
            raise KieRefusal(429, TOO_FREQUENT)
        if not self._creates.admits(self.clock(), self.settings.creates_per_10_s):
            raise KieRefusal(429, TOO_FREQUENT)

    def check_query_limit(self) -> None:
        """Count one query, or refuse it with 429."""
        if not self._queries.admits(self.clock(), self.settings.queries_per_s):
            raise KieRefusal(429, TOO_FREQUENT)

    def take_credits(self, credits: float) -> None:  # noqa: A002 - the vendor's word
        """Take the price of a task, or refuse with 402."""
        if credits > self.credits:
            raise KieRefusal(402, "Your current balance is not enough to run this request. Please top up.")
        self.credits = round(self.credits - credits, 4)

    def return_credits(self, credits: float) -> None:  # noqa: A002 - the vendor's word
        """Return the price of a failed task."""
        self.credits = round(self.credits + credits, 4)

    def keep_task(self, task: Task) -> None:
        """Store a task; the oldest is dropped when there are too many."""
        self.tasks[task.task_id] = self.open_tasks[task.task_id] = task
        if len(self.tasks) > KEPT_TASKS:
            oldest = next(iter(self.tasks))
            del self.tasks[oldest]
            self.open_tasks.pop(oldest, None)
            if self._store is not None:
                self._store.drop_task(oldest)
        self.save(task)

    def save(self, task: Task) -> None:
        """Put a changed task on disk, with the balance that the change left."""
        if self._store is not None:
            self._store.save_task(task, self.credits)

    def keep_results(self, task: Task, *, made_at: float) -> list[ResultFile]:
        """Store the files of a task and what goes with them; return the files."""
        made = files_of(task, made_at=made_at)
        for file in [*made, *side_files_of(task, made_at=made_at)]:
            self.keep_result(file)
        if task.has_tracks:
            self.keep_tracks(task.task_id, [track_id(task, file.index) for file in made])
        return made

    def keep_result(self, file: ResultFile) -> None:
        """Store a result file; the oldest is dropped when there are too many."""
        self.results[file.name] = file
        if len(self.results) > KEPT_RESULTS:
            del self.results[next(iter(self.results))]

    def keep_tracks(self, task_id: str, names: Sequence[str]) -> None:
        """Store the task of each track; the oldest are dropped when there are too many."""
        self.tracks |= dict.fromkeys(names, task_id)
        while len(self.tracks) > KEPT_RESULTS:
            del self.tracks[next(iter(self.tracks))]

    def keep_upload(self, upload: StoredUpload) -> None:
        """Store a file under its path, replacing an older one; the oldest files are dropped when there is too much."""
        self.uploads.pop(upload.path, None)
        self.uploads[upload.path] = upload
        if self._store is not None:
            self._store.save_upload(upload)
        while sum(len(kept.content) for kept in self.uploads.values()) > KEPT_UPLOAD_BYTES and len(self.uploads) > 1:
            self._drop_upload(next(iter(self.uploads)))

    def uploaded(self, sources: Sequence[str]) -> list[bytes]:
        """Return the contents of those sources that are uploads and still there."""
        found = [self.live_upload(name.removeprefix("files/")) for name in sources if name.startswith("files/")]
        return [upload.content for upload in found if upload is not None]

    def _drop_upload(self, path: str) -> None:
        del self.uploads[path]
        if self._store is not None:
            self._store.drop_upload(path)

    def _restore(self, store: KieStore) -> None:
        """Continue where the last simulator ended, with the callbacks that it still owed."""
        balance = store.credits()
        self.credits = self.credits if balance is None else balance
        self.uploads = {upload.path: upload for upload in store.uploads()}
        for path in [path for path in self.uploads if self.live_upload(path) is None]:
            self._drop_upload(path)
        for task in store.tasks():
            self.tasks[task.task_id] = task
            if task.state in WITH_RESULTS:
                self.keep_results(task, made_at=task.completed_at or task.created_at)
            if not task.is_over:
                self.open_tasks[task.task_id] = task
            elif task.order.callback_url and not task.callback_over:
                self.outbox.put_nowait(DueCallback(task=task, state=task.state))

    def live_result(self, name: str) -> ResultFile | None:
        found = self.results.get(name)
        return found if found and self.clock() < found.made_at + self.settings.result_ttl_s else None

    def live_upload(self, path: str) -> StoredUpload | None:
        found = self.uploads.get(path)
        return found if found and self.clock() < found.uploaded_at + self.settings.upload_ttl_s else None
