"""Long polling: nothing is confirmed to Telegram before it is stored, and no trouble ends it."""

import asyncio

from photomat.bot.polling import Poller
from support.conversation import conversation
from support.patience import until, until_found


async def test_what_was_stored_but_not_confirmed_comes_again_and_is_known(database: str) -> None:
    async with conversation(database) as chat:
        chat.telegram.writes(chat.person, "раз")
        assert await Poller(pool=chat.pool, bot=chat.bot, wake=lambda _name: None, wait_s=0).run_once() == 1
        assert await chat.poller.run_once() == 0
        chat.telegram.writes(chat.person, "два")
        assert await chat.poller.run_once() == 1
        assert await chat.pool.fetchval("SELECT count(*) FROM inbox") == 2


async def test_nothing_is_confirmed_when_it_could_not_be_stored(database: str) -> None:
    async with conversation(database) as chat:
        chat.telegram.writes(chat.person, "раз")
        await chat.pool.execute("ALTER TABLE inbox RENAME TO away")
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(chat.poller.run(stop))
            await until(lambda: chat.calls("getUpdates") > 1)
            await chat.pool.execute("ALTER TABLE away RENAME TO inbox")
            await until_found(lambda: chat.pool.fetchval("SELECT received_id FROM inbox LIMIT 1"))
            stop.set()


async def test_a_conflict_and_a_broken_line_do_not_end_the_polling(database: str) -> None:
    async with conversation(database) as chat:
        conflict = "Conflict: terminated by other getUpdates request"
        chat.telegram.faults.arm(
            world="telegram", method="getUpdates", action="error", status=409, code=409, text=conflict
        )
        chat.telegram.faults.arm(world="telegram", method="getUpdates", action="drop_before")
        chat.telegram.writes(chat.person, "раз")
        stop = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(chat.poller.run(stop))
            await until_found(lambda: chat.pool.fetchval("SELECT received_id FROM inbox LIMIT 1"))
            stop.set()
        assert chat.telegram.faults.pending() == []
