"""Declines pre-checkout queries that were not answered in time, without a database.

Telegram waits ten seconds for the answer to a pre-checkout query. Where the update cannot be stored it is declined at once;
where it was stored, or is still being stored, it is declined after a few seconds unless it is known as handled by then. A
second answer is harmless: Telegram takes the first. What was declined was not paid; the user reads why and tries again.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from aiogram import Bot

from photomat.inbox.update import PRE_CHECKOUT
from photomat.kernel.clock import monotonic
from photomat.kernel.error_report import describe
from photomat.kernel.logs import get_logger
from photomat.texts.load import Texts
from photomat.users.user import starting_language

PATIENCE_S: Final = 6.5
ASK_WITHIN_S: Final = 1.0
ANSWER_WITHIN_S: Final = 2
MAX_WATCHED: Final = 1000
Update = Mapping[str, Any]
T = TypeVar("T")
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingQuery:
    """A query that must be answered, and when it is declined."""

    update_id: int
    query_id: str
    language: str
    declined_at: float


@dataclass(slots=True, kw_only=True)
class CheckoutGuard:
    """Watches the queries this process takes in; `is_handled(update_id)` asks the inbox."""

    bot: Bot
    texts: Texts
    is_handled: Callable[[int], Awaitable[bool]]
    patience_s: float = PATIENCE_S
    _watched: asyncio.Queue[PendingQuery] = field(default_factory=lambda: asyncio.Queue(MAX_WATCHED))

    async def store_guarded(self, updates: Sequence[Update], store: Callable[[], Awaitable[T]]) -> T:
        """Store updates under watch; when that fails, decline their queries at once and raise."""
        queries = [query for update in updates if (query := self._read(update)) is not None]
        for query in queries:
            self._watch(query)
        try:
            return await store()
        except Exception:
            for query in queries:
                await self._decline(query, why="not stored")
            raise

    async def run(self, stop: asyncio.Event) -> None:
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(self._serve())
            await stop.wait()
            serving.cancel()

    async def _serve(self) -> None:
        async with asyncio.TaskGroup() as guards:
            while True:
                guards.create_task(self.decline_when_due(await self._watched.get()))

    async def decline_when_due(self, one: PendingQuery) -> None:
        """Decline a query when it is due, unless it was handled; without waiting for a slow database."""
        await asyncio.sleep(max(0.0, one.declined_at - monotonic()))
        async with asyncio.TaskGroup() as group:
            asking = group.create_task(self._was_handled(one))
            answered, _ = await asyncio.wait({asking}, timeout=ASK_WITHIN_S)
            if not answered or not asking.result():
                await self._decline(one, why="not answered in time")
            asking.cancel()

    def _read(self, update: Update) -> PendingQuery | None:
        query = update.get(PRE_CHECKOUT)
        if not isinstance(query, Mapping) or not isinstance(query.get("id"), str):
            return None
        sender = query.get("from")
        code = sender.get("language_code") if isinstance(sender, Mapping) else None
        return PendingQuery(
            update_id=int(update["update_id"]),
            query_id=query["id"],
            language=starting_language(code if isinstance(code, str) else None),
            declined_at=monotonic() + self.patience_s,
        )

    def _watch(self, one: PendingQuery) -> None:
        try:
            self._watched.put_nowait(one)
        except asyncio.QueueFull:
            log.error("CHECKOUT_UNWATCHED", update_id=one.update_id)

    async def _was_handled(self, one: PendingQuery) -> bool:
        try:
            return await self.is_handled(one.update_id)
        except Exception as trouble:  # noqa: BLE001  an unknown outcome counts as not handled
            log.warning("CHECKOUT_UNKNOWN", update_id=one.update_id, error=describe(trouble))
            return False

    async def _decline(self, one: PendingQuery, *, why: str) -> None:
        try:
            await self.bot.answer_pre_checkout_query(
                one.query_id,
                ok=False,
                error_message=self.texts.say(one.language, "checkout-trouble"),
                request_timeout=ANSWER_WITHIN_S,
            )
        except Exception as error:  # noqa: BLE001  answered already, too late, or no network: nothing is left to do
            log.info("CHECKOUT_LATE", update_id=one.update_id, why=why, error=describe(error))
        else:
            log.warning("CHECKOUT_DECLINED", update_id=one.update_id, why=why)
