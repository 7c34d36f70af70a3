"""Callbacks of the same few milliseconds share one commit, and only after it is any of them answered.

A batch that fails is stored one by one, so one bad body poisons nobody. Without a database the caller hears it (503), and
Kie repeats.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from photomat.db.installation import require_still_ours
from photomat.db.pool import Pool, transaction
from photomat.jobs.callback import Callback, Effect, update_from_callback
from photomat.kernel.errors import OutcomeUnknown
from photomat.kernel.failpoint import failpoint
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.trouble import describe
from photomat.kie.state_parser import parse_kie_state

MOST_TOGETHER: Final = 500
log = get_logger()


@dataclass(slots=True)
class CallbackInbox:
    """Collects callbacks and stores them together. `store` returns when the callback is committed."""

    pool: Pool
    wake: Callable[[str], None]
    _waiting: list[tuple[Callback, asyncio.Future[None]]] = field(default_factory=list)
    _in_hand: list[tuple[Callback, asyncio.Future[None]]] = field(default_factory=list)
    _flushing: bool = False

    async def store(self, callback: Callback) -> None:
        """Store it, together with whatever else arrived meanwhile; raises when the database is not there."""
        stored: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((callback, stored))
        if not self._flushing:
            try:
                await self._flush_all()
            except asyncio.CancelledError:
                stored.cancel()
                self._give_up()
                raise
        await stored

    async def _flush_all(self) -> None:
        """The first to come stores for those who come while it does."""
        self._flushing = True
        try:
            while self._waiting:
                self._in_hand, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
                await self._flush(self._in_hand)
        finally:
            self._flushing = False

    def _give_up(self) -> None:
        """Who stored for the others was stopped: nobody waits for ever, Kie repeats what was not answered."""
        for _, stored in (*self._in_hand, *self._waiting):
            _finish(stored, OutcomeUnknown("storing was stopped"))
        self._waiting.clear()

    async def _flush(self, batch: list[tuple[Callback, asyncio.Future[None]]]) -> None:
        try:
            effects = await self._commit([callback for callback, _ in batch])
        except Exception as error:  # noqa: BLE001  answered to each caller by itself
            if len(batch) == 1:
                log.error("CALLBACK_ERROR", task_id=batch[0][0].task_id, error=describe(error))
                _finish(batch[0][1], error)
                return
            for single in batch:
                await self._flush([single])
            return
        for _, stored in batch:
            _finish(stored, None)
        for effect in effects:
            _tell(effect)
        self.wake("looks")

    async def _commit(self, callbacks: Sequence[Callback]) -> list[Effect]:
        failpoint("callback.before_store")
        async with transaction(self.pool) as tx:
            await require_still_ours(tx, self.pool.bot_id)
            effects = await update_from_callback(tx, callbacks)
            failpoint("callback.before_commit")
        failpoint("callback.after_store")
        return effects


def _finish(stored: asyncio.Future[None], error: Exception | None) -> None:
    if stored.done():
        return
    if error is None:
        stored.set_result(None)
    else:
        stored.set_exception(error)


def _tell(effect: Effect) -> None:
    callback = effect.callback
    with correlated(effect.corr, job_id=callback.job_id, task_id=callback.task_id):
        log.info("CALLBACK_RECEIVED")
        reading = parse_kie_state(callback.payload)
        log.info("CALLBACK_PARSED", state=reading.state, urls=len(reading.urls), error=reading.fail_code or "none")
        if effect.orphan is not None:
            log.warning("ORPHAN_CALLBACK", reason=effect.orphan)
        if not effect.is_new:
            log.info("CALLBACK_DUPLICATE")
        if effect.shown_or_showing:
            log.info("DELIVER_LOCK_SKIP", reason="already delivered or delivering", via="callback")
