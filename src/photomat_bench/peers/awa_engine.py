"""awa: https://pypi.org/project/awa-pg. A queue whose claims and completions run in Rust threads of the same process."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from awa import AsyncClient


@dataclass
class Stage:
    """The arguments of a job, by its fields."""

    stage: str
    chat: int
    card: int = 0
    query: str = ""
    task: str = ""


@dataclass
class PeerEngine:
    _client: Any = field(default=None)

    async def start(self, dsn: str, perform: Callable[[dict[str, Any]], Awaitable[None]], concurrency: int) -> None:
        self._client = AsyncClient(dsn.replace("@/", "@localhost/"), max_connections=20)
        await self._client.migrate()

        @self._client.task(Stage, queue="stages")
        async def run(job: Any) -> None:
            await perform(asdict(job.args))

        await self._client.start([("stages", concurrency)])

    async def enqueue(self, stage: dict[str, Any]) -> None:
        await self._client.insert(Stage(**stage), queue="stages")
