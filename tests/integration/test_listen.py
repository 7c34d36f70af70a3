"""Wake-ups arrive, come together, and survive a lost connection."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from photomat.db.listen import WakeSender, listen
from support.database import connection_of


class Woken:
    """What a listener was woken with, and a way to wait for it."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self._changed = asyncio.Event()

    def __call__(self, word: str) -> None:
        self.words.append(word)
        self._changed.set()

    async def until(self, condition: Callable[[list[str]], bool]) -> None:
        async with asyncio.timeout(120):
            while not condition(self.words):
                self._changed.clear()
                await self._changed.wait()


@asynccontextmanager
async def listening(dsn: str) -> AsyncIterator[tuple[Woken, WakeSender]]:
    woken, notifier = Woken(), WakeSender(dsn)
    async with asyncio.TaskGroup() as group:
        running = [group.create_task(listen(dsn, woken)), group.create_task(notifier.run())]
        await woken.until(lambda words: words == [""])
        yield woken, notifier
        for task in running:
            task.cancel()


async def test_a_hint_of_one_process_wakes_another(database: str) -> None:
    async with listening(database) as (woken, notifier):
        notifier.hint("deliver")
        await woken.until(lambda words: words == ["", "deliver"])


async def test_hints_without_end_travel_in_one_notification_each_20_ms(database: str) -> None:
    payloads: list[str] = []
    async with connection_of(database) as witness, listening(database) as (woken, notifier):
        await witness.add_listener("photomat", lambda *event: payloads.append(event[3]))
        began = asyncio.get_running_loop().time()
        for turn in range(300):
            notifier.hint(("deliver", "look")[turn % 2])
            await asyncio.sleep(0.001)
        notifier.hint("last")
        await woken.until(lambda words: "last" in words)
        took_s = asyncio.get_running_loop().time() - began
    assert set(" ".join(payloads).split()) >= {"deliver", "look"}
    assert len(payloads) <= took_s / 0.02 + 2


async def test_a_hint_does_not_wait_for_anybody_to_be_connected() -> None:
    notifier = WakeSender("postgresql://nobody@/nothing?host=/nowhere")
    for word in range(10_000):
        notifier.hint(str(word))


async def test_a_cut_connection_is_replaced_and_the_listener_told_to_look(database: str) -> None:
    async with connection_of(database) as operator, listening(database) as (woken, notifier):
        notifier.hint("both-are-there")
        await woken.until(lambda words: words == ["", "both-are-there"])
        cut = await operator.fetch(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND application_name IN ('photomat listen', 'photomat notify')"
        )
        assert len(cut) == 2
        await woken.until(lambda words: words == ["", "both-are-there", ""])
        notifier.hint("lost, perhaps")
        while "again" not in woken.words:
            notifier.hint("again")
            await asyncio.sleep(0.05)
