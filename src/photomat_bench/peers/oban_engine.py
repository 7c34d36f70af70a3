"""Oban for Python: https://pypi.org/project/oban (Python 3.12 or newer). One worker on one queue, a psycopg pool."""

from collections.abc import Awaitable, Callable
from typing import Any

from oban import Oban, worker
from oban.schema import install


class PeerEngine:
    async def start(self, dsn: str, perform: Callable[[dict[str, Any]], Awaitable[None]], concurrency: int) -> None:
        pool = await Oban.create_pool(dsn=dsn, min_size=4, max_size=20)
        await install(pool)

        @worker(queue="stages")
        class StageWorker:
            async def process(self, job: Any) -> None:
                await perform(job.args)

        self._worker: Any = StageWorker
        self._oban = Oban(pool=pool, queues={"stages": concurrency})
        await self._oban.start()

    async def enqueue(self, stage: dict[str, Any]) -> None:
        await self._oban.enqueue(self._worker.new(stage))
