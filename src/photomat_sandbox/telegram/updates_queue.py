"""The updates that wait for the bot: ids rise by one, each lives only so long, one reader at a time.

Polling confirms by offset; the webhook (`webhook.py`) confirms one by one. Both read this one queue.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from photomat_sandbox.telegram.errors import ApiError, JsonObject, conflict

MESSAGE_LIFE_S: Final = 86400.0
QUERY_LIFE_S: Final = 150.0
LIVES_S: Final = {"callback_query": QUERY_LIFE_S, "pre_checkout_query": QUERY_LIFE_S}
# These kinds come only to bots that name them in allowed_updates.
ON_REQUEST: Final = {"chat_member", "message_reaction", "message_reaction_count"}
FIRST_UPDATE_ID: Final = 700_000_001
OTHER_POLL: Final = conflict("terminated by other getUpdates request; make sure that only one bot instance is running")
Fate = Literal["arrives", "lost", "twice", "late"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """One event for the bot; updates of one lane go to the webhook one after the other."""

    update_id: int
    kind: str
    lane: str
    body: JsonObject
    expires_at: float

    def as_json(self) -> JsonObject:
        """Give the Update object."""
        return {"update_id": self.update_id, self.kind: self.body}


class UpdateQueue:
    """Pending updates in the order of their ids."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.pending: dict[int, Update] = {}
        self.next_id = FIRST_UPDATE_ID
        self.allowed: list[str] = []
        self.fate_of: Callable[[str, JsonObject], Fate] = lambda _kind, _body: "arrives"
        self._late: list[tuple[str, JsonObject, str]] = []
        self._grown = asyncio.Event()
        self.open_polls = 0
        self._poll = 0
        self._ended_by: ApiError = OTHER_POLL

    def push(self, kind: str, body: JsonObject, *, lane: str) -> Update | None:
        """Queue an update; None when the bot did not ask for this kind, or a misfortune took it."""
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
        """Give the pending updates, after forgetting the expired."""
        self.forget_expired()
        return list(self.pending.values())

    def forget_expired(self) -> None:
        """Drop what the bot did not fetch in time."""
        now = self._clock()
        for update in [update for update in self.pending.values() if update.expires_at <= now]:
            del self.pending[update.update_id]

    def confirm(self, update_id: int) -> None:
        """Forget one update."""
        self.pending.pop(update_id, None)

    def confirm_below(self, offset: int) -> None:
        """Forget everything below the offset; a negative offset keeps only that many of the newest."""
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
        """End an open poll with this refusal."""
        self._poll += 1
        self._ended_by = refusal
        self.wake()

    def wake(self) -> None:
        """Let every waiter look again."""
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()

    async def wait_for_change(self, timeout_s: float) -> None:
        """Return at the next change, or after the time."""
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
