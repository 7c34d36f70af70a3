"""What an instance does for its own disk while another one is ACTIVE."""

import asyncio
import gc
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from photomat.app import duties, instance
from photomat.app.settings import Settings
from photomat.cluster.leader import LOCK_KEY
from photomat.storage.store import PARTS
from support.database import connection_of, pool_of
from support.jobs import a_done_job, a_user
from support.patience import until
from support.ports import free_ports_in_a_row
from support.updates import BOT_ID

NOWHERE = "http://127.0.0.1:9"


@asynccontextmanager
async def a_passive_instance(database: str, data: Path, store: Path) -> AsyncIterator[None]:
    """A running instance that never becomes ACTIVE; the outside cannot be reached."""
    settings = Settings(
        _env_file=None,
        bot_token=f"{BOT_ID}:token",
        kie_api_key="key",
        data_dir=data,
        results_store=str(store),
        port=free_ports_in_a_row(1),
        telegram_api_url=NOWHERE,
        kie_api_url=NOWHERE,
    )
    stop = asyncio.Event()
    async with connection_of(database) as active, asyncio.TaskGroup() as group:
        await active.execute("SELECT pg_advisory_lock($1)", LOCK_KEY)
        running = instance.run(settings, dsn=database, tend=lambda: None, stop=stop, ready=lambda: None)
        group.create_task(running)
        try:
            yield
        finally:
            stop.set()


async def test_a_passive_instance_tidies_its_own_folder_of_results(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(duties, "RESULTS_FIRST_S", 0)
    own, shared = tmp_path / "own" / "results", tmp_path / "shared"
    async with pool_of(database) as pool:
        job_id = await a_done_job(pool, await a_user(pool))
        left = [folder / name for folder in (own, shared) for name in (f"{PARTS}/move.0a1b", f"{job_id}/7.png")]
        for path in left:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"left behind")
            os.utime(path, (0, 0))
        try:
            async with a_passive_instance(database, tmp_path / "own", shared):
                await until(lambda: not any(path.exists() for path in left[:2]))
        finally:
            gc.unfreeze()
        assert all(path.exists() for path in left[2:]), "what all share is swept by the ACTIVE one"
