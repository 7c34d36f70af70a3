"""Handle one stored update: run the dispatcher, then commit its writes together with `handled`.

    claim (commit) → load user and conversation → handlers (network, no transaction held) → commit all of it

Lanes are claimed together, and what is known of their senders is read together. Updates that write nothing but where their
conversation stands, and the rows of a new user, are committed together; one with more to write has a transaction of its own, so
that several wallets that others may wait for are not locked at once.

Killed after the claim, or anywhere in the handlers: the lease runs out and the update is handled again; every handler is
idempotent. Killed in the commit: all of it or nothing. A worker that lost its lane fails the fence and writes nothing.

An outside failure (429, Telegram unreachable, a lost database connection) is retried and not counted, until the update is an
hour old and may well be its cause. Any other failure is counted, and the third parks the update. An update that cannot be
read is parked at once, and so is one with which ten claims ended without an answer. A parked update is logged, its user gets
an apology, and the lane goes on. Nothing sleeps here: waits are written to the lane.
"""

import asyncio
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from aiogram import Bot, Dispatcher
from aiogram.dispatcher.middlewares.user_context import UserContextMiddleware
from aiogram.enums import ParseMode
from aiogram.exceptions import ClientDecodeError, TelegramAPIError
from aiogram.types import CallbackQuery, Message, Update
from aiogram.types.update import UpdateTypeLookupError
from pydantic import ValidationError

from photomat.bot.context import (
    ANY_LOOP,
    AskedSender,
    BotConfig,
    HandledUpdate,
    UpdateContext,
    commit_updates,
    find_senders,
    load_context,
)
from photomat.bot.transport import Tap
from photomat.db.pool import is_unavailable, transaction
from photomat.db.rows import Row
from photomat.inbox.lanes import claim_lanes, park, release
from photomat.inbox.update import Claimed, kind_of
from photomat.kernel.clock import backoff_s
from photomat.kernel.crashes import report_crash
from photomat.kernel.error_report import describe
from photomat.kernel.errors import OutcomeUnknown, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import BotId, InstanceId
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.trace import span
from photomat.telegram.errors import translate
from photomat.telegram.port import Unauthorized, Unreachable
from photomat.users.user import DEFAULT_LANGUAGE
from photomat.work.batch_writer import BatchWriter

PATIENCE_S: Final = 3600
MAX_PAUSE_S: Final = 60
OUTSIDE: Final = (Transient, OutcomeUnknown, Unauthorized, OSError)
MAX_ID: Final = 2**63 - 1
SHARE_OF_LEASE: Final = 0.7
"""Handlers are stopped well before the lease runs out, so that two workers do not answer one update."""
APOLOGY_TIMEOUT_S: Final = 10
log = get_logger()


class Unreadable(Exception):
    """The update is not what Telegram documents: Telegram changed, or the secret was stolen. A retry changes nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateRetry:
    """Handle the update again after a wait; `counted` failures park it in the end."""

    wait_s: float
    counted: bool


def translated(trouble: Exception) -> Exception:
    """Translate Telegram's exceptions into our error families."""
    return translate(trouble) if isinstance(trouble, TelegramAPIError | ClientDecodeError) else trouble


def is_unreachable(trouble: Exception) -> bool:
    """Whether the user blocked the bot, or a group removed it: no answer can be delivered."""
    return isinstance(translated(trouble), Unreachable)


def retry_after(trouble: Exception, claimed: Claimed) -> UpdateRetry | None:
    """How an update that failed is retried; None: it is parked."""
    trouble = translated(trouble)
    if (isinstance(trouble, OUTSIDE) or is_unavailable(trouble)) and claimed.age_s < PATIENCE_S:
        asked = trouble.retry_after_s if isinstance(trouble, Transient) else None
        pause = min(MAX_PAUSE_S, max(1.0, claimed.age_s / 4))
        return UpdateRetry(wait_s=pause if asked is None else asked, counted=False)
    if isinstance(trouble, Unreadable) or claimed.is_last_attempt:
        return None
    return UpdateRetry(wait_s=backoff_s(claimed.failures), counted=True)


def read_update(stored: Mapping[str, Any], bot: Bot) -> Update:
    """Raises Unreadable when a field has another type than Telegram documents, or an id is larger than any id."""
    try:
        update = Update.model_validate(stored, context={"bot": bot})
    except (ValidationError, RecursionError) as error:
        raise Unreadable("a field is not of its documented type") from error
    for number in _ids(update):
        if not -MAX_ID <= number <= MAX_ID:
            raise Unreadable("an id is larger than any id")
    return update


def _ids(update: Update) -> Iterator[int]:
    """The numbers that reach a column of ours."""
    for name in update.model_fields_set - {"update_id"}:
        content = getattr(update, name)
        for place in ("from_user", "user", "chat", "sender_chat"):
            owner = getattr(content, place, None)
            if owner is not None:
                yield owner.id
        message = content.message if isinstance(content, CallbackQuery) else content
        if isinstance(message, Message) or isinstance(content, CallbackQuery):
            yield from (message.chat.id, message.message_id) if message is not None else ()


@dataclass(slots=True, kw_only=True)
class UpdateWorker:
    """Handles stored updates, one a call. One with `pre_checkout` serves those queries alone, so they never wait."""

    config: BotConfig
    bot: Bot
    dispatcher: Dispatcher
    instance: InstanceId
    lease_s: float
    pre_checkout: bool = False
    _senders: BatchWriter[AskedSender, Row] = field(init=False)
    _commits: BatchWriter[HandledUpdate, int | None] = field(init=False)

    def __post_init__(self) -> None:
        self._senders = BatchWriter(partial(find_senders, self.config.pool), rests=0)
        self._commits = BatchWriter(self._commit_together)

    async def run_once(self) -> bool:
        """Handle one due update; False when none is due."""
        claimed = await self.claim(1)
        for one in claimed:
            await self.handle(one)
        return bool(claimed)

    async def claim(self, limit: int) -> list[Claimed]:
        """Lease up to `limit` lanes, each with its oldest update."""
        return await claim_lanes(
            self.config.pool,
            bot_id=BotId(self.bot.id),
            instance=self.instance,
            lease_s=self.lease_s,
            pre_checkout=self.pre_checkout,
            limit=limit,
        )

    async def handle(self, claimed: Claimed) -> tuple[str, ...]:
        """Take a claimed update through its handlers; return the loops it may have given work to."""
        with (
            correlated(
                secrets.token_hex(4), received_id=claimed.received_id, update_id=claimed.update_id, lane=claimed.lane
            ) as corr,
            span("update.handle", kind=kind_of(claimed.update)),
        ):
            return await self._process(claimed, corr)

    async def _process(self, claimed: Claimed, corr: str) -> tuple[str, ...]:
        if claimed.tried_too_often:
            await self._park(claimed, error="the process ended in every attempt")
            return ANY_LOOP
        failpoint("update.before_handle")
        try:
            async with asyncio.timeout(self.lease_s * SHARE_OF_LEASE):
                ctx = await self._run_handlers(claimed, corr)
            failpoint("update.after_handle")
            waiting = await self._commit(HandledUpdate(claimed=claimed, ctx=ctx))
        except Exception as trouble:  # noqa: BLE001  the top of a loop: every trouble ends in a retry or a parked row
            await self._retry_or_park(claimed, trouble)
            return ANY_LOOP
        if waiting is None:
            log.warning("UPDATE_LANE_LOST", fence=claimed.fence)
            return ANY_LOOP
        failpoint("update.after_commit")
        log.info("UPDATE_HANDLED", kind=kind_of(claimed.update), corr=corr if ctx is None else ctx.corr)
        return (*(("updates",) if waiting else ()), *(() if ctx is None else ctx.wakes))

    async def _commit(self, handled: HandledUpdate) -> int | None:
        """Commit it, together with others where it is plain; how many more wait in its lane, None when it was lost."""
        if handled.ctx is None or handled.ctx.is_plain:
            return await self._commits.add(handled)
        [waiting] = await commit_updates(self.config.pool, [handled])
        return waiting

    async def _commit_together(self, handled: Sequence[HandledUpdate]) -> list[int | None]:
        return await commit_updates(self.config.pool, handled)

    async def _run_handlers(self, claimed: Claimed, corr: str) -> UpdateContext | None:
        update = read_update(claimed.update, self.bot)
        if not _is_known(update):
            return None
        ctx = await self._load(update, claimed, corr)
        if ctx is None:
            return None
        try:
            await self.dispatcher.propagate_event(
                update.event_type, update.event, bot=self.bot, ctx=ctx, raw_state=ctx.conversation.state
            )
        except Exception as trouble:
            if not is_unreachable(trouble):
                raise
            log.info("UPDATE_UNREACHABLE", kind=kind_of(claimed.update))
        return ctx

    async def _load(self, update: Update, claimed: Claimed, corr: str) -> UpdateContext | None:
        event = UserContextMiddleware.resolve_event_context(update)
        tapped = update.callback_query.message if update.callback_query is not None else None
        ctx = await load_context(
            self.config,
            claimed,
            self._senders.add,
            corr=corr,
            sender=event.user,
            chat=event.chat,
            tapped=None if tapped is None else tapped.message_id,
        )
        if ctx is not None:
            self.config = ctx.config  # most often the next update has the same assortment
        return ctx

    async def _retry_or_park(self, claimed: Claimed, trouble: Exception) -> None:
        error, retry = describe(trouble), retry_after(trouble, claimed)
        if retry is None or retry.counted:
            report_crash(trouble, "UPDATE_PARKED" if retry is None else "UPDATE_RETRY")
        if retry is None:
            await self._park(claimed, error=error)
            return
        async with transaction(self.config.pool) as tx:
            is_ours = await release(tx, claimed, error=error, retry_after_s=retry.wait_s, counted=retry.counted)
        log.warning(
            "UPDATE_RETRY",
            kind=kind_of(claimed.update),
            error=error,
            attempt=claimed.attempts,
            failures=claimed.failures + retry.counted,
            counted=retry.counted,
            wait_s=round(retry.wait_s, 1),
            released=is_ours,
        )

    async def _park(self, claimed: Claimed, *, error: str) -> None:
        async with transaction(self.config.pool) as tx:
            is_ours = await park(tx, claimed, error=error)
        if not is_ours:
            log.warning("UPDATE_LANE_LOST", fence=claimed.fence)
            return
        log.error("UPDATE_PARKED", kind=kind_of(claimed.update), error=error, attempts=claimed.attempts)
        try:
            async with asyncio.timeout(APOLOGY_TIMEOUT_S):
                await self._apologize(claimed)
        except Unreadable:
            return
        except Exception as trouble:  # noqa: BLE001  the update is parked already; an apology is sent at most once
            log.warning("UPDATE_APOLOGY_FAILED", error=describe(trouble))

    async def _apologize(self, claimed: Claimed) -> None:
        update = read_update(claimed.update, self.bot)
        ctx = await self._load(update, claimed, corr="")
        language = ctx.language if ctx else DEFAULT_LANGUAGE
        if update.callback_query is not None:
            await Tap(update.callback_query).answer(self.config.texts.say(language, "tap-failed"), alert=True)
        elif update.message is not None and ctx is not None:
            await update.message.answer(ctx.say("parked"), parse_mode=ParseMode.HTML)


def _is_known(update: Update) -> bool:
    try:
        return bool(update.event_type)
    except UpdateTypeLookupError:
        return False
