"""The made-up Kie.ai is killed and started again on its file: tasks, files, money and owed callbacks are there."""

import asyncio
import base64
import json
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from photomat_sandbox.kie.store import KieStore
from photomat_sandbox.kie.world import KieWorld
from support.kie_sim import HandClock, callback_receiver, running_kie, until

CAT = base64.b64encode(b"\x89PNG a cat").decode()


async def test_a_task_ends_after_the_restart_and_calls_back_once(tmp_path: Path) -> None:
    clock = HandClock()
    async with callback_receiver() as bot:
        async with running_kie(store=KieStore(tmp_path / "kie.db"), clock=clock, seconds_to_success=60.0) as kie:
            task_id = await kie.task("кот", bot.url)
            balance = kie.world.credits
        async with running_kie(store=KieStore(tmp_path / "kie.db"), clock=clock, public_url="http://kie") as again:
            assert (await again.record(task_id))["state"] == "waiting"
            assert again.world.credits == balance
            clock.now += 61
            record = await again.ended(task_id)
            assert len(json.loads(record["resultJson"])["resultUrls"]) == 1
            await bot.got(1)
            await until(lambda: again.world.tasks[task_id].callback_over)
        async with running_kie(store=KieStore(tmp_path / "kie.db"), clock=clock) as third:
            name = json.loads((await third.record(task_id))["resultJson"])["resultUrls"][0].rpartition("/")[2]
            async with third.client.get(f"{third.url}/results/{name}") as response:
                assert (response.status, response.content_type) == (200, "image/png")
            assert third.world.outbox.empty()
        assert len(bot.calls) == 1


async def test_a_callback_that_was_owed_is_sent_after_the_restart(tmp_path: Path) -> None:
    async with callback_receiver() as bot:
        bot.answers = [500] * 4
        async with running_kie(store=KieStore(tmp_path / "kie.db"), callback_retry_after_s=60.0) as kie:
            task_id = await kie.task("кот", bot.url)
            await bot.got(1)
        bot.answers = []
        async with running_kie(store=KieStore(tmp_path / "kie.db")):
            _, second = await bot.got(2)
            assert second.body["data"]["taskId"] == task_id


async def test_uploads_survive_until_they_expire(tmp_path: Path) -> None:
    clock, upload = HandClock(), {"base64Data": CAT, "uploadPath": "in", "fileName": "cat.png"}
    async with running_kie(store=KieStore(tmp_path / "kie.db"), clock=clock) as kie:
        path = (await kie.post("/api/file-base64-upload", upload))["data"]["filePath"]
    async with running_kie(store=KieStore(tmp_path / "kie.db"), clock=clock) as kie:
        response = await kie.client.get(f"{kie.url}/files/{path}")
        assert await response.read() == b"\x89PNG a cat"
    clock.now += 4 * 86_400
    assert KieWorld(store=KieStore(tmp_path / "kie.db"), clock=clock).uploads == {}
    assert KieStore(tmp_path / "kie.db").uploads() == []


def test_a_file_of_another_version_is_emptied(tmp_path: Path) -> None:
    store = KieStore(tmp_path / "kie.db")
    store.save_credits(1.0)
    store.close()
    with closing(sqlite3.connect(tmp_path / "kie.db")) as file:
        file.execute("PRAGMA user_version = 99")
    assert KieStore(tmp_path / "kie.db").credits() is None


@asynccontextmanager
async def kie_process(file: Path) -> AsyncIterator[tuple[asyncio.subprocess.Process, str]]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "photomat_sandbox.cli", "kie", "--port", "0", "--kie-state", str(file)),
        *("--seconds", "0.05"),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        yield process, (await process.stdout.readline()).decode().split()[-1]
    finally:
        if process.returncode is None:
            os.kill(process.pid, signal.SIGKILL)
        await process.wait()


@pytest.mark.parametrize("pause_s", [0.0, 0.013, 0.03])
async def test_a_kill_at_any_moment_forgets_nothing_that_was_answered(tmp_path: Path, pause_s: float) -> None:
    known: list[str] = []
    async with (
        kie_process(tmp_path / "kie.db") as (process, url),
        aiohttp.ClientSession() as client,
        asyncio.TaskGroup() as group,
    ):
        orders = group.create_task(_order_until_it_dies(client, url, known))
        await until(lambda: len(known) >= 5)
        await asyncio.sleep(pause_s)
        process.kill()
        await orders
    world = KieWorld(store=KieStore(tmp_path / "kie.db"))
    assert set(known) <= world.tasks.keys()
    spent = sum(task.credits_consumed for task in world.tasks.values())
    assert world.credits == pytest.approx(5000.0 - spent), "the balance and the tasks are of the same moment"


async def _order_until_it_dies(client: aiohttp.ClientSession, url: str, known: list[str]) -> None:
    order: dict[str, Any] = {"model": "z-image", "input": {"prompt": "кот", "aspect_ratio": "1:1"}}
    headers = {"Authorization": "Bearer any"}
    await client.post(f"{url}/sandbox/settings", json={"creates_per_10_s": 0})
    while True:
        try:
            async with client.post(f"{url}/api/v1/jobs/createTask", json=order, headers=headers) as response:
                known.append((await response.json())["data"]["taskId"])
        except (aiohttp.ClientError, OSError):
            return
