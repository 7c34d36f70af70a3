"""Many stories told at once, each in a world and a database of its own, each audited at its end."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, TypeAlias

from photomat.audit.run import violations
from photomat_chaos.lab.fork_server import fork_server
from support.database import SharedPostgres, connection_of, create_database, drop_database
from support.system import System, running_system

AT_ONCE: Final = 5
STORY_LIMIT_S: Final = 600.0

Tell: TypeAlias = Callable[[System, str], Awaitable[None]]


async def tell_all(
    titles: Iterable[str], tell: Tell, *, postgres: SharedPostgres, folder: Path, settings: Mapping[str, str]
) -> dict[str, Exception | None]:
    """Tell every story; give the trouble of each, or None where it ended well."""
    troubles: dict[str, Exception | None] = {}
    places = asyncio.Semaphore(AT_ONCE)

    async def tell_one(title: str) -> None:
        try:
            async with places, asyncio.timeout(STORY_LIMIT_S), _world(title, postgres, folder, settings) as system:
                await tell(system, title)
        except (Exception, ExceptionGroup) as trouble:  # noqa: BLE001  handed to the test of this title
            troubles[title] = trouble
        else:
            troubles[title] = None

    await asyncio.to_thread(fork_server)  # it takes seconds to open, in which no story could go on
    async with asyncio.TaskGroup() as group:
        for title in titles:
            group.create_task(tell_one(title))
    return troubles


@asynccontextmanager
async def _world(
    title: str, postgres: SharedPostgres, folder: Path, settings: Mapping[str, str]
) -> AsyncIterator[System]:
    own_folder = folder / title.replace(":", "-").replace(" ", "-")
    own_folder.mkdir()
    database = await create_database(postgres.dsn, template=postgres.template)
    try:
        async with running_system(database, own_folder, **settings) as system:
            yield system
        async with connection_of(database) as connection:
            found = await violations(connection)
        assert not found, f"the audit found: {found}"
    finally:
        await drop_database(postgres.dsn, database)
