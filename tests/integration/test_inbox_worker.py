"""What becomes of a stored update when its handler works, fails, dies, or meets a Telegram that is in trouble."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiogram import Bot, Dispatcher
from aiogram.exceptions import TelegramForbiddenError, TelegramNetworkError, TelegramRetryAfter
from aiogram.methods import AnswerCallbackQuery, SendMessage
from aiogram.types import Message

from photomat.bot.context import UpdateContext
from photomat.bot.conversation import Typing
from photomat.bot.worker import UpdateWorker
from photomat.db.pool import Connection, Pool, Transaction
from photomat.inbox.receive import receive
from photomat.inbox.update import MAX_SILENT_CLAIMS
from photomat.kernel.ids import BotId, InstanceId
from support.database import connection_of, pool_of, shift_clock
from support.shop import bot_config
from support.updates import BOT_ID, KeepingSession, keeping_bot, tap_update, text_update

LEASE_S = 30.0
METHOD = SendMessage(chat_id=7, text="…")


@dataclass(slots=True, kw_only=True)
class Desk:
    """A worker whose one handler a test writes; `does` is what the handler does to each message."""

    pool: Pool
    clock: Connection
    bot: Bot
    session: KeepingSession
    seen: list[str] = field(default_factory=list)
    does: Callable[[Message, UpdateContext], Awaitable[None]]

    def worker(self, instance: str = "one") -> UpdateWorker:
        dispatcher = Dispatcher(disable_fsm=True)

        async def handle(message: Message, ctx: UpdateContext) -> None:
            self.seen.append(message.text or "")
            ctx.registers_user = True
            await self.does(message, ctx)

        dispatcher.message.register(handle)
        return UpdateWorker(
            config=bot_config(self.pool, welcome=100),
            bot=self.bot,
            dispatcher=dispatcher,
            instance=InstanceId(instance),
            lease_s=LEASE_S,
        )

    async def gets(self, *texts: str) -> None:
        start = await self.pool.fetchval("SELECT count(*) FROM inbox")
        updates = [text_update(start + number, text=text) for number, text in enumerate(texts, start=1)]
        await receive(self.pool, bot_id=BotId(BOT_ID), updates=updates)

    async def works_patiently(self) -> None:
        """Handle everything, letting time pass whenever nothing is due."""
        worker = self.worker()
        for _ in range(20):
            while await worker.run_once():
                pass
            await shift_clock(self.clock, 120)

    async def inbox(self) -> list[tuple[str, str, int]]:
        """Every update in order: its text, what became of it, its attempts."""
        rows = await self.pool.fetch(
            """
            SELECT body #>> '{message,text}' AS text, attempts,
                   CASE WHEN handled_at IS NOT NULL THEN 'handled' WHEN parked_at IS NOT NULL THEN 'parked'
                        ELSE 'waiting' END AS became
              FROM inbox ORDER BY received_id
            """
        )
        return [(row["text"], row["became"], row["attempts"]) for row in rows]


async def nothing(_message: Message, _ctx: UpdateContext) -> None:
    """Be content with having seen it."""


@asynccontextmanager
async def desk(
    database: str, does: Callable[[Message, UpdateContext], Awaitable[None]] = nothing
) -> AsyncIterator[Desk]:
    bot, session = keeping_bot()
    async with pool_of(database) as pool, connection_of(database) as clock:
        yield Desk(pool=pool, clock=clock, bot=bot, session=session, does=does)


async def test_updates_are_handled_once_and_in_order(database: str) -> None:
    async with desk(database) as office:
        await office.gets("раз", "два", "три")
        await office.works_patiently()
        assert office.seen == ["раз", "два", "три"]
        assert {became for _, became, _ in await office.inbox()} == {"handled"}


async def test_poison_is_parked_after_three_tries_its_user_is_told_and_the_lane_goes_on(database: str) -> None:
    async def breaks(message: Message, _ctx: UpdateContext) -> None:
        if message.text == "яд":
            raise ZeroDivisionError

    async with desk(database, breaks) as office:
        await office.gets("яд", "мёд")
        await office.works_patiently()
        assert office.seen == ["яд", "яд", "яд", "мёд"]
        assert await office.inbox() == [("яд", "parked", 3), ("мёд", "handled", 1)]
        told = office.session.sent(SendMessage)
        assert [call.chat_id for call in told] == [7]
        assert "деньги в порядке" in told[0].text
        assert "ZeroDivisionError" in await office.pool.fetchval("SELECT error FROM inbox WHERE parked_at IS NOT NULL")


async def test_a_tap_that_is_parked_is_answered(database: str) -> None:
    async with desk(database) as office:
        await receive(office.pool, bot_id=BotId(BOT_ID), updates=[tap_update(1, "x")])
        await office.pool.execute("UPDATE inbox SET attempts = $1", MAX_SILENT_CLAIMS)
        assert await office.worker().run_once()
        assert [call.callback_query_id for call in office.session.sent(AnswerCallbackQuery)] == ["1"]


async def test_an_update_that_killed_ten_processes_is_parked_unhandled(database: str) -> None:
    async with desk(database) as office:
        await office.gets("убийца")
        await office.pool.execute("UPDATE inbox SET attempts = $1", MAX_SILENT_CLAIMS)
        assert await office.worker().run_once()
        assert office.seen == []
        assert await office.inbox() == [("убийца", "parked", MAX_SILENT_CLAIMS + 1)]


async def test_after_a_few_killed_processes_three_failures_are_allowed_all_the_same(database: str) -> None:
    async def breaks_twice(_message: Message, _ctx: UpdateContext) -> None:
        if len(office.seen) <= 2:
            raise ZeroDivisionError

    async with desk(database, breaks_twice) as office:
        await office.gets("невезучий")
        await office.pool.execute("UPDATE inbox SET attempts = 5")
        await office.works_patiently()
        assert await office.inbox() == [("невезучий", "handled", 8)]


async def test_failures_are_no_silent_claims(database: str) -> None:
    async with desk(database) as office:
        await office.gets("невиновный")
        await office.pool.execute("UPDATE inbox SET attempts = $1, failures = 2", MAX_SILENT_CLAIMS + 1)
        assert await office.worker().run_once()
        assert office.seen == ["невиновный"]


async def test_an_update_that_was_in_the_hands_of_a_few_killed_processes_is_handled_all_the_same(database: str) -> None:
    async with desk(database) as office:
        await office.gets("невиновный")
        await office.pool.execute("UPDATE inbox SET attempts = $1", MAX_SILENT_CLAIMS - 1)
        assert await office.worker().run_once()
        assert office.seen == ["невиновный"]
        assert await office.inbox() == [("невиновный", "handled", MAX_SILENT_CLAIMS)]


async def test_a_429_is_waited_out_as_long_as_asked_and_not_counted(database: str) -> None:
    async def is_refused(_message: Message, _ctx: UpdateContext) -> None:
        if len(office.seen) <= 5:
            raise TelegramRetryAfter(method=METHOD, message="Too Many Requests: retry after 40", retry_after=40)

    async with desk(database, is_refused) as office:
        await office.gets("раз")
        worker = office.worker()
        for _ in range(5):
            assert await worker.run_once()
            await shift_clock(office.clock, 39)
            assert not await worker.run_once()
            await shift_clock(office.clock, 1)
        assert await worker.run_once()
        assert await office.inbox() == [("раз", "handled", 1)]


async def test_an_unreachable_telegram_parks_nothing(database: str) -> None:
    async def is_lost(_message: Message, _ctx: UpdateContext) -> None:
        if len(office.seen) <= 6:
            raise TelegramNetworkError(method=METHOD, message="no route")

    async with desk(database, is_lost) as office:
        await office.gets("раз")
        await office.works_patiently()
        assert await office.inbox() == [("раз", "handled", 1)]


async def test_somebody_who_blocked_us_meanwhile_counts_as_handled(database: str) -> None:
    async def is_blocked(_message: Message, ctx: UpdateContext) -> None:
        ctx.conversation.wait_for(Typing.promo)
        raise TelegramForbiddenError(method=METHOD, message="Forbidden: bot was blocked by the user")

    async with desk(database, is_blocked) as office:
        await office.gets("раз")
        assert await office.worker().run_once()
        assert await office.inbox() == [("раз", "handled", 1)]
        assert await office.pool.fetchval("SELECT state FROM conversations") == Typing.promo.state


async def test_state_user_and_handled_commit_together_or_not_at_all(database: str) -> None:
    async def fails_at_the_end(_message: Message, ctx: UpdateContext) -> None:
        ctx.conversation.wait_for(Typing.gift)

        async def step(_tx: Transaction) -> None:
            if len(office.seen) == 1:
                raise ZeroDivisionError

        ctx.on_commit(step)

    async with desk(database, fails_at_the_end) as office:
        await office.gets("раз")
        worker = office.worker()
        assert await worker.run_once()
        assert await office.inbox() == [("раз", "waiting", 1)]
        assert await office.pool.fetchval("SELECT count(*) FROM conversations") == 0
        assert await office.pool.fetchval("SELECT count(*) FROM users") == 0
        await shift_clock(office.clock, 60)
        assert await worker.run_once()
        assert await office.inbox() == [("раз", "handled", 2)]
        assert await office.pool.fetchval("SELECT state FROM conversations") == Typing.gift.state
        assert await office.pool.fetchval("SELECT count(*) FROM users") == 1


async def test_a_worker_that_lost_its_lane_writes_nothing(database: str) -> None:
    async def is_slow(_message: Message, ctx: UpdateContext) -> None:
        ctx.conversation.store({"worker": len(office.seen)})
        if len(office.seen) == 1:
            await shift_clock(office.clock, LEASE_S + 1)
            assert await office.worker("two").run_once()

    async with desk(database, is_slow) as office:
        await office.gets("раз")
        assert await office.worker("one").run_once()
        assert office.seen == ["раз", "раз"]
        assert await office.inbox() == [("раз", "handled", 2)]
        assert await office.pool.fetchval("SELECT data FROM conversations") == {"worker": 2}
        assert await office.pool.fetchval("SELECT pending FROM lanes") == 0


async def test_users_who_write_at_the_same_time_are_told_apart_and_registered_once_each(database: str) -> None:
    """What is known of them is read together, and the rows of new users are committed together."""
    met: list[tuple[int, str | None, bool, object]] = []

    async def notes(message: Message, ctx: UpdateContext) -> None:
        met.append((ctx.user_id, message.text, ctx.is_new_user, ctx.conversation.data.get("said")))
        ctx.conversation.store({"said": message.text})

    async with desk(database, notes) as office:
        worker, users = office.worker(), (7, 8, 9)
        for round_number in (1, 2):
            said = [
                text_update(round_number * 10 + user, user_id=user, text=f"{user} в раз {round_number}")
                for user in users
            ]
            await receive(office.pool, bot_id=BotId(BOT_ID), updates=said)
            claimed = await worker.claim(len(users))
            await asyncio.gather(*map(worker.handle, claimed))
        first = {(user, f"{user} в раз 1", True, None) for user in users}
        assert set(met) == first | {(user, f"{user} в раз 2", False, f"{user} в раз 1") for user in users}
        wallets = await office.pool.fetch("SELECT user_id, posted FROM wallets ORDER BY user_id")
        assert [tuple(wallet) for wallet in wallets] == [(user, 100) for user in users]
        assert {became for _, became, _ in await office.inbox()} == {"handled"}


async def test_one_who_lost_their_lane_is_not_registered_with_the_others(database: str) -> None:
    async with desk(database) as office:
        worker = office.worker()
        said = [text_update(number, user_id=number, text="привет") for number in (7, 8)]
        await receive(office.pool, bot_id=BotId(BOT_ID), updates=said)
        claimed = await worker.claim(2)
        await office.pool.execute("UPDATE lanes SET fence = fence + 1 WHERE lane = 'u8'")
        await asyncio.gather(*map(worker.handle, claimed))
        assert [row["user_id"] for row in await office.pool.fetch("SELECT user_id FROM users")] == [7]
        assert sorted(became for _, became, _ in await office.inbox()) == ["handled", "waiting"]


async def test_updates_nobody_knows_and_channel_posts_are_handled_quietly(database: str) -> None:
    async with desk(database) as office:
        updates = [
            {"update_id": 1, "telepathy": {"from": {"id": 7}}},
            {"update_id": 2, "channel_post": {"message_id": 1, "date": 1, "chat": {"id": -5, "type": "channel"}}},
            {"update_id": 3, "edited_message": text_update(3)["message"]},
        ]
        await receive(office.pool, bot_id=BotId(BOT_ID), updates=updates)
        await office.works_patiently()
        assert [became for _, became, _ in await office.inbox()] == ["handled"] * 3
        assert office.session.calls == []
        assert await office.pool.fetchval("SELECT count(*) FROM users") == 0


async def test_the_welcome_credit_is_booked_once(database: str) -> None:
    async with desk(database) as office:
        await office.gets("раз", "два")
        await office.works_patiently()
        assert await office.pool.fetchval("SELECT posted FROM wallets WHERE user_id = 7") == 100
