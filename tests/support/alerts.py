"""Watches kept by hand: a round of turns whenever a test lets time pass, an account and a messenger that answer as told."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from photomat.alerts.checker import RuleChecker
from photomat.alerts.incident import IncidentKind, IncidentNotice, ProbeContext, RuleCheck
from photomat.alerts.rules import RULES
from photomat.alerts.sender import AlertSender
from photomat.cluster.instances import Heartbeat
from photomat.cluster.leader import ActiveState
from photomat.db.pool import Pool
from photomat.kernel.ids import ChatId, InstanceId, MessageId
from photomat.telegram.port import Keyboard
from photomat.texts.load import load_texts
from support.database import pool_of, shift_clock

ANNA, BORIS = ChatId(901), ChatId(902)
INCIDENTS = "SELECT *, quiet_since - opened_at AS lasted FROM incidents ORDER BY incident_id"


@dataclass(slots=True, kw_only=True)
class ToldAccount:
    """The account at Kie: so many credits, or what it raises."""

    answer: float | Exception = 5000.0

    async def credits(self) -> float:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@dataclass(slots=True, kw_only=True)
class ToldMessenger:
    """Remembers what was sent to whom, by the one call alerts need; `troubles` are raised first, each to whom it is for."""

    sent: list[tuple[ChatId, str]] = field(default_factory=list)
    keyboards: list[Keyboard] = field(default_factory=list)
    troubles: dict[ChatId, list[BaseException]] = field(default_factory=dict)
    after_sending: list[BaseException] = field(default_factory=list)
    """What happens right after a message has left."""

    async def send_text(
        self, chat_id: ChatId, text: str, *, reply_to: MessageId | None, keyboard: Keyboard = ()
    ) -> MessageId:
        assert reply_to is None
        self.keyboards.append(keyboard)
        if self.troubles.get(chat_id):
            raise self.troubles[chat_id].pop(0)
        self.sent.append((chat_id, text))
        if self.after_sending:
            raise self.after_sending.pop(0)
        return MessageId(len(self.sent))


@dataclass(slots=True, kw_only=True)
class Tower:
    """One instance's part in the watch; several on one database are several instances."""

    pool: Pool
    watcher: RuleChecker
    sender: AlertSender
    account: ToldAccount
    messenger: ToldMessenger

    async def turns(self, after_s: float = 0) -> list[RuleCheck]:
        """Let time pass and claim what is due."""
        await shift_clock(self.pool, after_s)
        return await self.watcher.claim(100)

    async def goes_round(self, after_s: float = 0) -> int:
        """Let time pass and take every turn that is due; say how many there were."""
        turns = await self.turns(after_s)
        await self.watcher.check_together(turns)
        return len(turns)

    async def notices(self, after_s: float = 0) -> list[IncidentNotice]:
        """Let time pass and claim the messages that are due."""
        await shift_clock(self.pool, after_s)
        return await self.sender.claim(100)

    async def tells(self, after_s: float = 0) -> int:
        """Let time pass and send every message that is due; say how many there were."""
        notices = await self.notices(after_s)
        for notice in notices:
            await self.sender.deliver(notice)
        return len(notices)

    async def incidents(self) -> list[dict[str, Any]]:
        """Every incident there was, oldest first."""
        return [dict(row) for row in await self.pool.fetch(INCIDENTS)]

    def told(self, admin: ChatId) -> list[str]:
        """The first line of every message to an operator."""
        return [text.splitlines()[0] for chat_id, text in self.messenger.sent if chat_id == admin]


def tower_on(pool: Pool, *kinds: IncidentKind, admins: Sequence[ChatId] = (ANNA,)) -> Tower:
    """An instance that keeps these watches, all of them when none is named."""
    account, messenger = ToldAccount(), ToldMessenger()
    watches = tuple(watch for watch in RULES if not kinds or watch.kind in kinds)
    return Tower(
        pool=pool,
        watcher=RuleChecker(context=ProbeContext(pool=pool, account=account), admins=admins, rules=watches),
        sender=AlertSender(pool=pool, messenger=cast("Any", messenger), texts=load_texts()),
        account=account,
        messenger=messenger,
    )


@asynccontextmanager
async def a_tower(database: str, *kinds: IncidentKind, admins: Sequence[ChatId] = (ANNA,)) -> AsyncIterator[Tower]:
    """A tower on a pool of its own, its watches on the rota."""
    async with pool_of(database) as pool:
        tower = tower_on(pool, *kinds, admins=admins)
        assert await tower.turns() == []
        yield tower


def heartbeat_of(pool: Pool, name: str, *, active: bool) -> Heartbeat:
    """An instance as its heartbeat tells of it."""
    state = ActiveState()
    state.set(active=active, reason="test")
    return Heartbeat(pool, InstanceId(name), state, version="test")
