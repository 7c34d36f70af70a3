"""The production check: seven phases on the real configuration. Each does the thing, rolled back or in a schema of its own."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Final

import asyncpg

from photomat.app.clients import reach_outside
from photomat.app.settings import Settings
from photomat.checks.callback import callback_handler
from photomat.checks.delivery import delivery
from photomat.checks.ground import PHASES, SESSION, Finding, Ground, Phase, broken
from photomat.checks.migrations import migrations
from photomat.checks.money import atomic_operations, balance, idempotency
from photomat.checks.storage import storage
from photomat.db.pool import UNMIGRATED, connect_pool
from photomat.kernel.errors import PhotomatError, Startup

DOING: Final[Mapping[str, Callable[[Ground], Awaitable[list[Finding]]]]] = dict(
    zip(
        PHASES,
        (storage, atomic_operations, callback_handler, delivery, migrations, idempotency, balance),
        strict=True,
    )
)
POOL_SIZE: Final = 2


async def check(settings: Settings, dsn: str, *, only: str | None = None) -> AsyncIterator[Phase]:
    """Go through the phases, or the one that is named, and tell each as it ends."""
    async with AsyncExitStack() as stack:
        pooled = settings.direct_database_url not in {None, dsn}
        pool = await connect_pool(dsn, name=SESSION, size=POOL_SIZE, through_pooler=pooled, patience_s=0)
        stack.push_async_callback(pool.close)
        bot, account = (None, None) if settings.sandboxed else reach_outside(stack, settings, pool)
        ground = Ground(settings=settings, dsn=dsn, pool=pool, bot=bot, account=account)
        for number, (name, phase) in enumerate(DOING.items(), start=1):
            if only in {None, name}:
                yield Phase(number=number, name=name, findings=await _run(phase, ground))


async def _run(phase: Callable[[Ground], Awaitable[list[Finding]]], ground: Ground) -> list[Finding]:
    try:
        return await phase(ground)
    except UNMIGRATED as error:
        return [broken(f"The database lacks something: {error}.", "run `photomat migrate`.")]
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError, Startup, PhotomatError) as error:
        return [broken(f"{type(error).__name__}: {error}", "look at the database and its log, then check again.")]
