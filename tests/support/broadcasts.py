"""Broadcasts for tests: people of a simulated Telegram who are users, drafts that were looked at, the loops by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from aiogram import Bot

from photomat.broadcasts import broadcast as broadcasts
from photomat.broadcasts.broadcast import Broadcast, BroadcastCounts
from photomat.broadcasts.content import BroadcastContent
from photomat.broadcasts.recipients import Audiences
from photomat.broadcasts.segment import Segment, count_reach
from photomat.broadcasts.sender import BroadcastSender, PreviewSender, broadcast_budget
from photomat.db.pool import Pool, transaction
from photomat.kernel.ids import ChatId, InstanceId
from photomat.telegram.client import TelegramMessenger
from photomat.work.budget import NoRoom
from photomat_sandbox.telegram.people import ChatPerson
from support.telegram_sim import RunningTelegram

HELLO: Final = BroadcastContent(text_ru="Скидка <b>сегодня</b>", text_en="A discount <b>today</b>")
INSTANCE: Final = InstanceId("sender")


async def add_users(pool: Pool, people: Sequence[ChatPerson], *, language: str = "ru") -> None:
    """Make these people users of the shop."""
    await pool.execute(
        "INSERT INTO users (user_id, first_name, language) SELECT id, 'User', $2 FROM unnest($1::bigint[]) AS id",
        [person.user_id for person in people],
        language,
    )


async def a_ready_broadcast(pool: Pool, content: BroadcastContent = HELLO, segment: Segment = Segment()) -> int:  # noqa: B008  a frozen value
    """A broadcast whose preview was shown."""
    async with transaction(pool) as tx:
        made = await broadcasts.add_draft(tx, content, segment, operator="olga")
    await pool.execute("UPDATE broadcasts SET state = 'ready' WHERE broadcast_id = $1", made)
    return made


async def a_started_broadcast(pool: Pool, content: BroadcastContent = HELLO, segment: Segment = Segment()) -> int:  # noqa: B008  a frozen value
    made = await a_ready_broadcast(pool, content, segment)
    reach = await count_reach(pool, segment)
    async with transaction(pool) as tx:
        assert await broadcasts.start(tx, made, reach=reach.reach)
    return made


async def found(pool: Pool, broadcast_id: int) -> Broadcast:
    one = await broadcasts.find_broadcast(pool, broadcast_id)
    assert one is not None
    return one


@dataclass(frozen=True, slots=True, kw_only=True)
class BroadcastDesk:
    """The loops of broadcasts, run by hand."""

    pool: Pool
    telegram: RunningTelegram
    bot: Bot
    calls_per_s: int = 3000
    urgent: tuple[str, ...] = ()

    @property
    def sender(self) -> BroadcastSender:
        return BroadcastSender(
            pool=self.pool,
            messenger=TelegramMessenger(self.bot),
            instance=INSTANCE,
            budget=broadcast_budget(self.calls_per_s),
            urgent=self.urgent,
        )

    async def look_after(self, *, batch: int = 2000) -> None:
        audiences = Audiences(pool=self.pool, batch=batch)
        for broadcast_id in await audiences.claim(9):
            await audiences.look_after(broadcast_id)

    async def send_some(self, limit: int = 1000) -> int:
        """Send what may be sent now; give how many messages were claimed."""
        try:
            claimed = await self.sender.claim(limit)
        except NoRoom:
            return 0
        for message in claimed:
            await self.sender.deliver(message)
        return len(claimed)

    async def preview(self) -> None:
        sender = PreviewSender(pool=self.pool, messenger=TelegramMessenger(self.bot))
        for message in await sender.claim(9):
            await sender.deliver(message)

    async def ask_preview(self, broadcast_id: int, chat_id: int) -> None:
        async with transaction(self.pool) as tx:
            assert await broadcasts.ask_preview(tx, broadcast_id, chat_id=ChatId(chat_id))
        await self.preview()

    async def counts(self, broadcast_id: int) -> BroadcastCounts:
        return await broadcasts.counts_of(self.pool, await found(self.pool, broadcast_id))

    def got(self, person: ChatPerson) -> list[dict[str, Any]]:
        return self.telegram.seen(person)
