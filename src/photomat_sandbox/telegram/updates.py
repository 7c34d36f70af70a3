"""What waits for the bot: updates, and the queries (taps, checkouts) it must answer once and in time.

Update ids rise by one, each update expires, one reader at a time. Polling confirms by offset; the webhook
(`webhook.py`) confirms one by one; both read this queue. A fault is aimed at an update by its kind,
`update.callback_query`, or by what a message brings, such as `update.successful_payment`; patterns do not apply.
`never` (or a drop) loses it for good, `duplicate` queues it twice under two numbers, `reorder` holds it back until
the next update has been queued.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from photomat_sandbox.faults import Faults
from photomat_sandbox.telegram.errors import ApiError, JsonObject, conflict, query_too_old
from photomat_sandbox.telegram.stars import StarBill
from photomat_sandbox.transcript import Transcript

MESSAGE_LIFE_S: Final = 86400.0
QUERY_LIFE_S: Final = 150.0
LIVES_S: Final = {"callback_query": QUERY_LIFE_S, "pre_checkout_query": QUERY_LIFE_S}
# These kinds come only to bots that name them in allowed_updates.
ON_REQUEST: Final = {"chat_member", "message_reaction", "message_reaction_count"}
FIRST_UPDATE_ID: Final = 700_000_001
OTHER_POLL: Final = conflict("terminated by other getUpdates request; make sure that only one bot instance is running")
UpdateFate = Literal["arrives", "lost", "twice", "late"]
TAP_LIFE_S: Final = 150.0
CHECKOUT_LIFE_S: Final = 10.0
FATES: Final[Mapping[str, UpdateFate]] = {
    "never": "lost",
    "drop_before": "lost",
    "drop_after": "lost",
    "duplicate": "twice",
    "reorder": "late",
}
NAMED_CONTENTS: Final = ("successful_payment", "refunded_payment")


@dataclass(slots=True, kw_only=True)
class WebhookSettings:
    """The bot's webhook as setWebhook left it, and its last error; an empty url means that there is none."""

    url: str = ""
    secret_token: str = ""
    max_connections: int = 40
    last_error_at: int = 0
    last_error: str = ""
    set_at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """One event for the bot; updates of one lane go to the webhook one after the other."""

    update_id: int
    kind: str
    lane: str
    body: JsonObject
    expires_at: float

    def as_json(self) -> JsonObject:
        return {"update_id": self.update_id, self.kind: self.body}


class UpdateQueue:
    """Pending updates in the order of their ids."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.pending: dict[int, Update] = {}
        self.next_id = FIRST_UPDATE_ID
        self.allowed: list[str] = []
        self.fate_of: Callable[[str, JsonObject], UpdateFate] = lambda _kind, _body: "arrives"
        self._late: list[tuple[str, JsonObject, str]] = []
        self._grown = asyncio.Event()
        self.open_polls = 0
        self._poll = 0
        self._ended_by: ApiError = OTHER_POLL

    def push(self, kind: str, body: JsonObject, *, lane: str) -> Update | None:
        """Queue an update; None when the bot did not ask for this kind, or a fault took it."""
        if not self._wants(kind):
            return None
        match self.fate_of(kind, body):
            case "lost":
                return None
            case "late":
                self._late.append((kind, body, lane))
                return None
            case "twice":
                self._add(kind, body, lane)
        update = self._add(kind, body, lane)
        late, self._late = self._late, []
        for held in late:
            self._add(*held)
        return update

    def alive(self) -> list[Update]:
        """Return the pending updates that have not expired."""
        self.forget_expired()
        return list(self.pending.values())

    def forget_expired(self) -> None:
        now = self._clock()
        for update in [update for update in self.pending.values() if update.expires_at <= now]:
            del self.pending[update.update_id]

    def confirm(self, update_id: int) -> None:
        self.pending.pop(update_id, None)

    def confirm_below(self, offset: int) -> None:
        """Drop everything below the offset; a negative offset keeps only that many of the newest."""
        updates = self.alive()
        if offset < 0:
            offset = updates[offset].update_id if len(updates) >= -offset else 0
        for update in updates:
            if update.update_id < offset:
                self.confirm(update.update_id)

    async def poll(self, *, offset: int, limit: int, timeout_s: float) -> list[Update]:
        """Wait for updates as getUpdates does; a newer poll ends this one with a conflict."""
        self._poll += 1
        mine = self._poll
        self._ended_by = OTHER_POLL
        self.wake()
        self.confirm_below(offset)
        self.open_polls += 1
        try:
            async with asyncio.timeout(timeout_s):
                while not (waiting := self._from(offset)):
                    await self._grown.wait()
                    self._check_poll(mine)
        except TimeoutError:
            return []
        finally:
            self.open_polls -= 1
        return waiting[:limit]

    def end_polls(self, refusal: ApiError) -> None:
        self._poll += 1
        self._ended_by = refusal
        self.wake()

    def wake(self) -> None:
        """Let every waiter look again."""
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()

    async def wait_for_change(self, timeout_s: float) -> None:
        """Return at the next change, or after the timeout."""
        grown = self._grown
        try:
            async with asyncio.timeout(timeout_s):
                await grown.wait()
        except TimeoutError:
            return

    def _add(self, kind: str, body: JsonObject, lane: str) -> Update:
        update = Update(
            update_id=self.next_id,
            kind=kind,
            lane=lane,
            body=body,
            expires_at=self._clock() + LIVES_S.get(kind, MESSAGE_LIFE_S),
        )
        self.next_id += 1
        self.pending[update.update_id] = update
        self.wake()
        return update

    def _from(self, offset: int) -> list[Update]:
        return [update for update in self.alive() if offset <= 0 or update.update_id >= offset]

    def _check_poll(self, mine: int) -> None:
        if self._poll != mine:
            raise ApiError(self._ended_by.code, self._ended_by.description)

    def _wants(self, kind: str) -> bool:
        return kind in self.allowed if self.allowed else kind not in ON_REQUEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One open query; from `amount` on, the fields belong to checkouts."""

    query_id: str
    kind: str
    user_id: int
    message_id: int
    expires_at: float
    amount: int = 0
    payload: str = ""
    title: str = ""
    link: str = ""
    subscription_period: int = 0


class Queries:
    """The open queries by id; an answer closes its query."""

    def __init__(self, *, clock: Callable[[], float], checkout_life_s: float = CHECKOUT_LIFE_S) -> None:
        self._clock = clock
        self.checkout_life_s = checkout_life_s
        self._open: dict[str, Query] = {}
        # From the clock, so that ids do not come again after a restart.
        self._next = int(clock() * 1_000_000)

    def open_tap(self, *, user_id: int, message_id: int) -> Query:
        return self._add(
            Query(
                query_id=self._new_id(),
                kind="tap",
                user_id=user_id,
                message_id=message_id,
                expires_at=self._clock() + TAP_LIFE_S,
            )
        )

    def open_checkout(self, bill: StarBill, *, user_id: int, message_id: int) -> Query:
        return self._add(
            Query(
                query_id=self._new_id(),
                kind="checkout",
                user_id=user_id,
                message_id=message_id,
                expires_at=self._clock() + self.checkout_life_s,
                amount=bill.amount,
                payload=bill.payload,
                title=bill.title,
                link=bill.link,
                subscription_period=bill.subscription_period,
            )
        )

    def close(self, query_id: str, *, kind: str) -> Query:
        """Remove a query, or refuse: answered already, too old, or unknown."""
        query = self._open.get(query_id)
        if query is None or query.kind != kind:
            raise query_too_old()
        del self._open[query_id]
        if query.expires_at <= self._clock():
            raise query_too_old()
        return query

    def take_expired(self) -> list[Query]:
        """Remove and return the queries that were not answered in time."""
        expired = [query for query in self._open.values() if query.expires_at <= self._clock()]
        for query in expired:
            del self._open[query.query_id]
        return expired

    def _new_id(self) -> str:
        self._next += 1
        return str(self._next)

    def _add(self, query: Query) -> Query:
        self._open[query.query_id] = query
        return query


def apply_update_faults(updates: UpdateQueue, transcript: Transcript, faults: Faults) -> None:
    """Consult the faults before every update of this queue."""

    def fate_of(kind: str, body: JsonObject) -> UpdateFate:
        names = {f"update.{kind}"} | {f"update.{name}" for name in NAMED_CONTENTS if name in body}
        fault = faults.take_exact("telegram", names, actions=FATES.keys())
        if fault is None:
            return "arrives"
        summary = f"{fault.action} strikes an update: {kind}"
        transcript.add(world="telegram", kind="fault", name=fault.method, summary=summary)
        return FATES[fault.action]

    updates.fate_of = fate_of
