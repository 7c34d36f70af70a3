"""Forget a user: everything they wrote, sent and got is erased; numbers stay.

    asked      one row by number, in the transaction that marks the user as being forgotten; refused while something is open
    erasing    batch by batch, each in a transaction that tests the fence; `step` is the next erasure
    done       the last transaction: names go, the user is notified. Killed before it, the next claim continues at `step`
    swept      again a quarter of an hour later, for what was under way: a late callback, a copy that was being made; and
               again while something is open, which only a restored database knows

Every erasure can be repeated for ever, so a worker that lost its claim does no harm. Files are deleted first and last.
"""

import asyncio
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, Literal, TypeAlias

from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import row_as
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, Fence, UserId
from photomat.kernel.logs import get_logger
from photomat.kernel.private_files import FILE_MODE
from photomat.messages.notices import notify
from photomat.privacy.personal_data import Erasure, PersonalData
from photomat.users.consent import withdraw_consent
from photomat.users.forgetting import begin_forgetting, forget_names, is_forgotten
from photomat.users.user import find_user, lock_user

AskedBy: TypeAlias = Literal["user", "operator", "restore"]
BATCH: Final = 200
LEASE: Final = timedelta(minutes=2)
SWEEP_AFTER: Final = timedelta(minutes=15)
"""Longer than anything that was under way when the user was forgotten: a copy of a result, a double tap."""
FORGETS_DUE: Final = "SELECT 1 FROM forget_requests WHERE due_at <= photomat_now()"
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetAnswer:
    """`refused` are the keys of what stands against it; `is_known` is False when there is no such user."""

    refused: tuple[str, ...] = ()
    is_known: bool = True
    is_new: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest:
    """A claimed request; `is_sweep`: the user was forgotten before."""

    request_id: int
    user_id: UserId
    step: int
    fence: Fence
    is_sweep: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PastForget:
    """A user who was forgotten, by number, as the file beside the database knows it."""

    user_id: UserId
    at: datetime


class ForgetTakenOver(Exception):
    """Another worker took the request over."""


async def what_blocks(tx: Transaction, personal: PersonalData, user_id: UserId) -> tuple[str, ...]:
    """The keys of what has to end first."""
    return tuple([each.text_key for each in personal.blockers if await each.stands(tx, user_id)])


async def ask_to_forget(tx: Transaction, personal: PersonalData, user_id: UserId, *, by: AskedBy) -> ForgetAnswer:
    """Queue the erasing and mark the user, unless something is open; idempotent while it is under way."""
    await lock_user(tx, user_id)
    if await find_user(tx, user_id) is None:
        return ForgetAnswer(is_known=False)
    refused = await what_blocks(tx, personal, user_id)
    if refused:
        return ForgetAnswer(refused=refused)
    await begin_forgetting(tx, user_id)
    request_id = await _insert(tx, user_id, by)
    if request_id is not None:
        await withdraw_consent(tx, user_id, by=f"forget:{request_id}")
    return ForgetAnswer(is_new=request_id is not None)


async def _insert(tx: Transaction, user_id: UserId, by: AskedBy) -> int | None:
    made: int | None = await tx.fetchval(
        """
        INSERT INTO forget_requests (user_id, asked_by) VALUES ($1, $2)
            ON CONFLICT (user_id) WHERE done_at IS NULL DO NOTHING
        RETURNING request_id
        """,
        user_id,
        by,
    )
    return made


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetWorker:
    """Works on requests. `record` is the file that lists who was forgotten, by number, for a restored database."""

    pool: Pool
    personal: PersonalData
    record: Path

    async def claim(self, limit: int) -> list[ForgetRequest]:
        rows = await self.pool.fetch(
            """
            WITH due AS MATERIALIZED (
                SELECT request_id FROM forget_requests
                 WHERE due_at <= photomat_now() AND (SELECT photomat_our_bot($3)) IS NOT NULL
                 ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
            UPDATE forget_requests AS request
               SET due_at = photomat_now() + $2::interval, fence = request.fence + 1, attempts = request.attempts + 1
              FROM due
             WHERE request.request_id = due.request_id
            RETURNING request.request_id, user_id, step, fence, done_at IS NOT NULL AS is_sweep
            """,
            limit,
            LEASE,
            self.pool.bot_id,
        )
        return [row_as(ForgetRequest, row) for row in rows]

    async def forget_all(self) -> int:
        """Do every request that is due, as the loop does; return how many."""
        done = 0
        while requests := await self.claim(1):
            for request in requests:
                await self.forget(request)
                done += 1
        return done

    async def forget(self, request: ForgetRequest) -> None:
        failpoint("forget.after_claim")
        try:
            if request.is_sweep:
                await self._sweep(request)
            else:
                await self._erase(request, self.personal.erasures[request.step :])
                await self._done(request)
        except ForgetTakenOver:
            log.warning("FORGET_TAKEN_OVER", request_id=request.request_id)

    async def _erase(self, request: ForgetRequest, erasures: Sequence[Erasure]) -> None:
        await self._delete_files(request.user_id)
        first = len(self.personal.erasures) - len(erasures)
        for step, erasure in enumerate(erasures, start=first + 1):
            while await self._erase_batch(request, erasure) == BATCH:
                failpoint("forget.after_batch")
            async with transaction(self.pool) as tx:
                await _hold(tx, request, step=step)
            failpoint("forget.after_step")
        await self._delete_files(request.user_id)

    async def _erase_batch(self, request: ForgetRequest, erasure: Erasure) -> int:
        async with transaction(self.pool) as tx:
            await _hold(tx, request)
            erased = await erasure.erase(tx, request.user_id, BATCH)
            failpoint("forget.before_commit")
        return erased

    async def _delete_files(self, user_id: UserId) -> None:
        for delete in self.personal.files:
            await delete(self.pool, user_id)

    async def _done(self, request: ForgetRequest) -> None:
        """The names go last: until then an erasure may still need them to find what names the user."""
        await asyncio.to_thread(self._note, request.user_id, await self.pool.fetchval("SELECT photomat_now()"))
        async with transaction(self.pool) as tx:
            await _finish(tx, request)
            await forget_names(tx, request.user_id)
            await notify(
                tx, key=f"forgotten:{request.request_id}", chat_id=ChatId(request.user_id), text_key="forget-done"
            )
            failpoint("forget.before_done")
        log.info("USER_FORGOTTEN", user_id=request.user_id, request_id=request.request_id)

    async def _sweep(self, request: ForgetRequest) -> None:
        """Erase what came late; a user who is back keeps what they did since.

        After a restore something may still be open, a job for example: its words go in a sweep after its end.
        """
        async with transaction(self.pool) as tx:
            is_away = await is_forgotten(tx, request.user_id)
        if is_away:
            await self._erase(request, self.personal.erasures)
        async with transaction(self.pool) as tx:
            is_open = is_away and bool(await what_blocks(tx, self.personal, request.user_id))
            await (_sweep_later(tx, request) if is_open else _end_sweep(tx, request))

    def _note(self, user_id: UserId, at: datetime) -> None:
        self.record.parent.mkdir(parents=True, exist_ok=True)
        with os.fdopen(os.open(self.record, os.O_WRONLY | os.O_CREAT | os.O_APPEND, FILE_MODE), "a") as file:
            file.write(json.dumps({"user_id": user_id, "at": at.isoformat()}) + "\n")
            file.flush()
            os.fsync(file.fileno())


async def _hold(tx: Transaction, request: ForgetRequest, *, step: int | None = None) -> None:
    """Renew the claim; raise ForgetTakenOver when it is another worker's."""
    held = await tx.fetchval(
        """
        UPDATE forget_requests SET due_at = photomat_now() + $3::interval, step = coalesce($4, step)
         WHERE request_id = $1 AND fence = $2
        RETURNING true
        """,
        request.request_id,
        request.fence,
        LEASE,
        step,
    )
    if not held:
        raise ForgetTakenOver


async def _finish(tx: Transaction, request: ForgetRequest) -> None:
    done = await tx.fetchval(
        """
        UPDATE forget_requests SET done_at = photomat_now(), due_at = photomat_now() + $3::interval
         WHERE request_id = $1 AND fence = $2 AND done_at IS NULL
        RETURNING true
        """,
        request.request_id,
        request.fence,
        SWEEP_AFTER,
    )
    if not done:
        raise ForgetTakenOver


async def _sweep_later(tx: Transaction, request: ForgetRequest) -> None:
    await tx.execute(
        "UPDATE forget_requests SET due_at = photomat_now() + $3::interval WHERE request_id = $1 AND fence = $2",
        request.request_id,
        request.fence,
        SWEEP_AFTER,
    )


async def _end_sweep(tx: Transaction, request: ForgetRequest) -> None:
    await tx.execute(
        "UPDATE forget_requests SET swept_at = photomat_now(), due_at = NULL WHERE request_id = $1 AND fence = $2",
        request.request_id,
        request.fence,
    )


def read_forgotten(record: Path) -> list[PastForget]:
    """Who was forgotten, as the file beside the database knows it; a line that was cut by a crash is left out."""
    found = []
    lines = record.read_text(encoding="utf-8").splitlines() if record.is_file() else []
    for line in lines:
        try:
            known = json.loads(line)
            found.append(PastForget(user_id=UserId(int(known["user_id"])), at=datetime.fromisoformat(known["at"])))
        except (ValueError, KeyError, TypeError):
            log.warning("FORGOTTEN_LINE_UNREADABLE", record=str(record))
    return found


async def repeat_forgets(pool: Pool, past: Sequence[PastForget]) -> list[UserId]:
    """After a restore: forget again whom the restored database does not know as forgotten; return their numbers.

    Queued for the loop of a running instance. A user who came back after being forgotten, and before the backup was made, is
    known by the row of that request.
    """
    again = []
    for each in past:
        async with transaction(pool) as tx:
            if await _must_repeat(tx, each) and await begin_forgetting(tx, each.user_id):
                await _insert(tx, each.user_id, "restore")
                again.append(each.user_id)
    return list(dict.fromkeys(again))


async def _must_repeat(tx: Transaction, past: PastForget) -> bool:
    """Whether no request of the database was done at or after that time, give or take what writing the file took."""
    return not await tx.fetchval(
        "SELECT true FROM forget_requests WHERE user_id = $1 AND done_at >= $2::timestamptz - interval '1 minute' LIMIT 1",
        past.user_id,
        past.at,
    )
