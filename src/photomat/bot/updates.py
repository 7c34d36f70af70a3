"""Receive updates by webhook, or by long polling without a public URL. Both are idempotent.

The offset of getUpdates moves on only after the updates are committed: killed before, Telegram sends them again and the inbox
knows them. Any error (another poller, no network) is logged and retried after a pause.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import ceil
from typing import Any, Final

from aiogram import Bot
from aiogram.exceptions import TelegramConflictError
from aiogram.methods import TelegramMethod

from photomat.bot.app import ALLOWED_UPDATES
from photomat.bot.checkout_guard import CheckoutGuard
from photomat.bot.worker import translated
from photomat.db.pool import Pool, Transaction
from photomat.inbox.receive import Flood, UpdateLimit, receive
from photomat.inbox.update import private_chat_of
from photomat.kernel.clock import backoff_s, monotonic, sleep_until_set
from photomat.kernel.error_report import describe
from photomat.kernel.errors import Transient
from photomat.kernel.ids import BotId, ChatId
from photomat.kernel.logs import get_logger
from photomat.messages.notices import notify

ANSWER_WITHIN_S: Final = 10
MAX_PAUSE_S: Final = 30
CONFLICT_PAUSE_S: Final = 3
EMPTY_APART_S: Final = 0.25
"""Polls that bring nothing are so far apart: some servers answer them at once instead of waiting for an update."""
CALL_TIMEOUT_S: Final = 10
MAX_CONNECTIONS: Final = 40
log = get_logger()


class RawUpdates(TelegramMethod[list[dict[str, Any]]]):
    """getUpdates with every update exactly as Telegram sent it."""

    __returning__ = list[dict[str, Any]]
    __api_method__ = "getUpdates"

    offset: int | None = None
    timeout: int
    allowed_updates: list[str]


@dataclass(slots=True, kw_only=True)
class Poller:
    """Asks Telegram for updates; `guard` watches the pre-checkout queries among them, `wait_s` is the long-polling timeout."""

    pool: Pool
    bot: Bot
    wake: Callable[[str], None]
    wait_s: int = 25
    guard: CheckoutGuard | None = None
    limit: Callable[[], UpdateLimit] | None = None
    _offset: int | None = field(default=None, init=False)

    async def run(self, stop: asyncio.Event) -> None:
        failures = 0
        while not stop.is_set():
            asked_at, offset = monotonic(), self._offset
            try:
                await self.run_once()
                failures = 0
                if self._offset == offset and monotonic() - asked_at < EMPTY_APART_S:
                    await sleep_until_set(stop, EMPTY_APART_S)
            except Exception as trouble:  # noqa: BLE001  the top of a loop: polling outlives every trouble
                failures += 1
                wait_s = _pause_s(trouble, failures)
                log.warning("POLLING_TROUBLE", error=describe(trouble), wait_s=round(wait_s, 1))
                await sleep_until_set(stop, wait_s)

    async def run_once(self) -> int:
        """Poll once and store the answer, then move the offset on; return how many updates were new."""
        updates = await self.bot(
            RawUpdates(offset=self._offset, timeout=self.wait_s, allowed_updates=list(ALLOWED_UPDATES)),
            request_timeout=self.wait_s + ANSWER_WITHIN_S,
        )
        if not updates:
            return 0
        limit = self.limit() if self.limit is not None else None
        new = await store_updates(self.pool, BotId(self.bot.id), self.guard, updates, limit=limit)
        self._offset = max(update["update_id"] for update in updates) + 1
        self.wake("updates")
        return len(new)


async def store_updates(
    pool: Pool,
    bot_id: BotId,
    guard: CheckoutGuard | None,
    updates: Sequence[Mapping[str, Any]],
    *,
    limit: UpdateLimit | None = None,
) -> list[int]:
    """Commit updates to the inbox, with the pre-checkout queries among them under watch; return the ids of the new ones."""
    store = partial(receive, pool, bot_id=bot_id, updates=updates, limit=limit)
    return await store() if guard is None else await guard.store_guarded(updates, store)


async def tell_of_flood(tx: Transaction, flood: Flood) -> None:
    """Write to the user's own chat that the rest of the minute is skipped; a group is not bothered with it."""
    chat_id = private_chat_of(flood.update)
    if chat_id is None:
        return
    await notify(
        tx,
        key=f"flood:{flood.key}",
        chat_id=ChatId(chat_id),
        text_key="updates-too-many",
        facts={"limit": flood.limit, "seconds": max(1, ceil(flood.remaining.total_seconds()))},
    )


def _pause_s(trouble: Exception, failures: int) -> float:
    if isinstance(trouble, TelegramConflictError):
        return CONFLICT_PAUSE_S
    known = translated(trouble)
    asked = known.retry_after_s if isinstance(known, Transient) else None
    return asked or backoff_s(failures - 1, most_s=MAX_PAUSE_S)


async def use_webhook(bot: Bot, *, url: str, secret: str) -> None:
    await bot.set_webhook(
        url,
        secret_token=secret,
        allowed_updates=list(ALLOWED_UPDATES),
        max_connections=MAX_CONNECTIONS,
        request_timeout=CALL_TIMEOUT_S,
    )
    log.info("UPDATES_BY", way="webhook")


async def use_polling(bot: Bot) -> None:
    await bot.delete_webhook(drop_pending_updates=False, request_timeout=CALL_TIMEOUT_S)
    log.info("UPDATES_BY", way="polling")
