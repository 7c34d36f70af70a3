"""One stored update through the dispatcher, its effects on the database committed together with "handled".

    claim (commit) → load person and conversation → handlers (network, no transaction held) → commit all of it

Killed after the claim, or anywhere in the handlers: the lease runs out and the update is handled again; every handler
bears repeating. Killed in the commit: all of it or nothing. A worker that lost its lane meanwhile fails the fence and
writes nothing. Three failures of ours park the update, one that cannot be read is parked at once, and one with which ten
claims ended without a word is not tried an eleventh time: it is logged, its user is told, the lane goes on. A database that is
away is nobody's failure.
"""

import asyncio
import secrets
from typing import Final

from aiogram import Bot, Dispatcher
from aiogram.dispatcher.middlewares.user_context import UserContextMiddleware
from aiogram.enums import ParseMode
from aiogram.fsm.context import FSMContext
from aiogram.types import Update
from aiogram.types.update import UpdateTypeLookupError

from photomat.bot.reading import read_update
from photomat.bot.screen import Tap
from photomat.bot.storage import Conversation, ConversationStorage, storage_key
from photomat.bot.trouble import GiveUp, Later, Unreadable, judge, nobody_is_there
from photomat.bot.unit import LaneLost, Unit, commit_unit, load_unit
from photomat.db.pool import Pool, transaction
from photomat.inbox.lane import claim_lane, park, release
from photomat.inbox.received import Claimed, kind_of
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import BotId, InstanceId
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.trouble import describe
from photomat.texts.load import Texts
from photomat.users.user import DEFAULT_LANGUAGE

SHARE_OF_LEASE: Final = 0.7
"""Handlers are stopped well before the lease runs out, so that two workers do not answer one update."""

APOLOGY_TIMEOUT_S: Final = 10

log = get_logger()


class UpdateWorker:
    """Handles stored updates, one a call. One with `pre_checkout` serves those queries alone, so they never wait."""

    def __init__(
        self,
        *,
        pool: Pool,
        bot: Bot,
        dispatcher: Dispatcher,
        texts: Texts,
        instance: InstanceId,
        lease_s: float,
        pre_checkout: bool = False,
    ) -> None:
        self._pool = pool
        self._bot = bot
        self._dispatcher = dispatcher
        self._texts = texts
        self._instance = instance
        self._lease_s = lease_s
        self._pre_checkout = pre_checkout

    async def run_once(self) -> bool:
        """Handle one due update; False when none is due."""
        claimed = await self.claim(1)
        for one in claimed:
            await self.handle(one)
        return bool(claimed)

    async def claim(self, limit: int) -> list[Claimed]:
        """Lease up to so many lanes, each with its oldest update."""
        claimed: list[Claimed] = []
        while len(claimed) < limit and (one := await self._claim_one()) is not None:
            claimed.append(one)
        return claimed

    async def handle(self, claimed: Claimed) -> None:
        """Take one claimed update to its end."""
        with correlated(
            secrets.token_hex(4), received_id=claimed.received_id, update_id=claimed.update_id, lane=claimed.lane
        ) as corr:
            await self._work(claimed, corr)

    async def _claim_one(self) -> Claimed | None:
        async with transaction(self._pool) as tx:
            return await claim_lane(
                tx,
                bot_id=BotId(self._bot.id),
                instance=self._instance,
                lease_s=self._lease_s,
                pre_checkout=self._pre_checkout,
            )

    async def _work(self, claimed: Claimed, corr: str) -> None:
        if claimed.tried_too_often:
            await self._park(claimed, error="the process ended in every attempt")
            return
        failpoint("update.before_handle")
        try:
            async with asyncio.timeout(self._lease_s * SHARE_OF_LEASE):
                unit = await self._handle(claimed, corr)
            failpoint("update.after_handle")
            await commit_unit(self._pool, claimed, unit, welcome_credit=self._dispatcher["welcome_credit"])
        except LaneLost:
            log.warning("UPDATE_LANE_LOST", fence=claimed.fence)
        except Exception as trouble:  # noqa: BLE001  the top of a loop: every trouble ends in a retry or a parked row
            await self._after_trouble(claimed, trouble)
        else:
            failpoint("update.after_commit")
            log.info("UPDATE_HANDLED", kind=unit.kind, corr=unit.corr)

    async def _handle(self, claimed: Claimed, corr: str) -> Unit:
        update = read_update(claimed.update, self._bot)
        context = UserContextMiddleware.resolve_event_context(update) if _is_known(update) else None
        unit = await load_unit(
            self._pool,
            claimed,
            corr=corr,
            sender=context.user if context else None,
            chat=context.chat if context else None,
        )
        if unit.conversation is not None:
            await self._feed(update, unit, unit.conversation)
        return unit

    async def _feed(self, update: Update, unit: Unit, conversation: Conversation) -> None:
        state = FSMContext(storage=ConversationStorage(conversation), key=storage_key(conversation))
        try:
            await self._dispatcher.feed_update(self._bot, update, unit=unit, state=state, raw_state=conversation.state)
        except Exception as trouble:
            if not nobody_is_there(trouble):
                raise
            log.info("UPDATE_UNREACHABLE", kind=unit.kind)

    async def _after_trouble(self, claimed: Claimed, trouble: Exception) -> None:
        error = describe(trouble)
        match judge(trouble, claimed):
            case GiveUp():
                await self._park(claimed, error=error)
            case Later(wait_s=wait_s, counted=counted):
                async with transaction(self._pool) as tx:
                    is_ours = await release(tx, claimed, error=error, retry_after_s=wait_s, counted=counted)
                log.warning(
                    "UPDATE_RETRY",
                    kind=kind_of(claimed.update),
                    error=error,
                    attempt=claimed.attempts,
                    failures=claimed.failures + counted,
                    counted=counted,
                    wait_s=round(wait_s, 1),
                    released=is_ours,
                )

    async def _park(self, claimed: Claimed, *, error: str) -> None:
        async with transaction(self._pool) as tx:
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
        update = read_update(claimed.update, self._bot)
        context = UserContextMiddleware.resolve_event_context(update)
        unit = await load_unit(self._pool, claimed, corr="", sender=context.user, chat=context.chat)
        language = unit.person.user.language if unit.person else DEFAULT_LANGUAGE
        if update.callback_query is not None:
            await Tap(update.callback_query).answer(self._texts.say(language, "tap-failed"), alert=True)
        elif update.message is not None and unit.person is not None:
            await update.message.answer(self._texts.say(language, "parked"), parse_mode=ParseMode.HTML)


def _is_known(update: Update) -> bool:
    try:
        return bool(update.event_type)
    except UpdateTypeLookupError:
        return False
