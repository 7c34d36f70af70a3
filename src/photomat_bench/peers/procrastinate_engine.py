"""Procrastinate: https://procrastinate.readthedocs.io. One task, deferred and run through its psycopg pool."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import procrastinate


class PeerEngine:
    async def start(self, dsn: str, perform: Callable[[dict[str, Any]], Awaitable[None]], concurrency: int) -> None:
        app = procrastinate.App(connector=procrastinate.PsycopgConnector(conninfo=dsn, min_size=4, max_size=20))

        @app.task(name="stage")
        async def run(stage: dict[str, Any]) -> None:
            await perform(stage)

        await app.open_async()
        await app.schema_manager.apply_schema_async()
        self._task = run
        self._worker = asyncio.ensure_future(
            app.run_worker_async(concurrency=concurrency, install_signal_handlers=False, delete_jobs="never")
        )

    async def enqueue(self, stage: dict[str, Any]) -> None:
        await self._task.defer_async(stage=stage)
