"""PGQueuer: https://pgqueuer.readthedocs.io. One entry point, enqueued and consumed through one asyncpg pool."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgPoolDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries


class PeerEngine:
    async def start(self, dsn: str, perform: Callable[[dict[str, Any]], Awaitable[None]], concurrency: int) -> None:
        pool = await asyncpg.create_pool(dsn, min_size=4, max_size=20)
        driver = AsyncpgPoolDriver(pool)
        self._queries = Queries(driver)
        await self._queries.install()
        program = PgQueuer(driver)

        @program.entrypoint("stage")
        async def run(job: Job) -> None:
            await perform(json.loads(job.payload or b"{}"))

        self._worker = asyncio.ensure_future(program.run(batch_size=concurrency // 2, max_concurrent_tasks=concurrency))

    async def enqueue(self, stage: dict[str, Any]) -> None:
        await self._queries.enqueue("stage", json.dumps(stage).encode())
