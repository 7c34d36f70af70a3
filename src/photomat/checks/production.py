"""The production check: seven phases that exercise the real configuration, rolled back or in a separate schema."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from typing import Final

import asyncpg

from photomat.app.clients import connect_outside
from photomat.app.live_settings import effective
from photomat.app.settings import Settings
from photomat.checks.callback import callback_handler
from photomat.checks.context import SESSION, CheckContext
from photomat.checks.delivery import delivery
from photomat.checks.findings import PHASES, Finding, Phase, failure
from photomat.checks.money import atomic_operations, balance, idempotency
from photomat.checks.storage import migrations, storage
from photomat.db.pool import UNMIGRATED, connect_pool
from photomat.kernel.errors import PhotomatError, Startup

FUNCTIONS: Final[Mapping[str, Callable[[CheckContext], Awaitable[list[Finding]]]]] = dict(
    zip(PHASES, (storage, atomic_operations, callback_handler, delivery, migrations, idempotency, balance), strict=True)
)
POOL_SIZE: Final = 2


async def check(settings: Settings, dsn: str, *, only: str | None = None) -> AsyncIterator[Phase]:
    """Run the phases, or the named one; yield each as it ends."""
    async with AsyncExitStack() as stack:
        pooled = settings.direct_database_url not in {None, dsn}
        pool = await connect_pool(dsn, name=SESSION, size=POOL_SIZE, through_pooler=pooled, patience_s=0)
        stack.push_async_callback(pool.close)
        bot, account = (None, None) if settings.sandboxed else connect_outside(stack, settings, pool)
        context = CheckContext(settings=await effective(pool, settings), dsn=dsn, pool=pool, bot=bot, account=account)
        for number, (name, phase) in enumerate(FUNCTIONS.items(), start=1):
            if only in {None, name}:
                yield Phase(number=number, name=name, findings=await _run(phase, context))


async def _run(phase: Callable[[CheckContext], Awaitable[list[Finding]]], context: CheckContext) -> list[Finding]:
    try:
        return await phase(context)
    except UNMIGRATED as error:
        return [failure(f"The database lacks something: {error}.", "run `photomat migrate`.")]
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError, Startup, PhotomatError) as error:
        return [failure(f"{type(error).__name__}: {error}", "look at the database and its log, then check again.")]
