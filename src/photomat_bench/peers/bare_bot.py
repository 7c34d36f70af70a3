"""The sends of a flow and nothing else: no ledger, no lanes, no fences, no texts. `--engine none` is the floor.

With an engine each of the three stages of a flow (message, tap, callback) is a durable job of that engine, stored before the
HTTP request is answered 200 and run by its worker in the same process. Run as a script:

    DATABASE_URL=postgresql://… python bare_bot.py --engine procrastinate --port 8085 --vendors http://127.0.0.1:8081
"""

import argparse
import asyncio
import importlib
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol

import aiohttp
import uvloop
from aiohttp import web

RUNNING = "Photomat is running"
"""The line of the product for which the benchmark waits."""
TOKEN = "700700:bench-token"  # noqa: S105  opens nothing but the benchmark's vendors
CONCURRENCY = 64
Perform = Callable[[dict[str, Any]], Awaitable[None]]


class Engine(Protocol):
    """A job engine: `start` begins its worker, `enqueue` returns when the job is durable."""

    async def start(self, dsn: str, perform: Perform, concurrency: int) -> None: ...

    async def enqueue(self, stage: dict[str, Any]) -> None: ...


class NoEngine:
    """Perform at once, in memory."""

    async def start(self, _dsn: str, perform: Perform, _concurrency: int) -> None:
        self._perform = perform
        self._running: set[asyncio.Task[None]] = set()

    async def enqueue(self, stage: dict[str, Any]) -> None:
        task = asyncio.ensure_future(self._perform(stage))
        self._running.add(task)
        task.add_done_callback(self._running.discard)


class BareBot:
    """The three stages of a flow as calls to Telegram and Kie."""

    def __init__(self, *, vendors: str, own_url: str, engine: Engine) -> None:
        self._telegram = f"{vendors}/bot{TOKEN}"
        self._kie = vendors
        self._own_url = own_url
        self._engine = engine
        self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))

    async def handle(self, request: web.BaseRequest) -> web.Response:
        body = json.loads(await request.read())
        if request.path == "/telegram/webhook":
            await self._engine.enqueue(stage_of_update(body))
        else:
            chat, card = request.path.rpartition("/")[2].split("-")
            task = body["data"]["taskId"]
            await self._engine.enqueue({"stage": "callback", "chat": int(chat), "card": int(card), "task": task})
        return web.json_response({"ok": True})

    async def perform(self, stage: dict[str, Any]) -> None:
        await {"message": self._show_card, "tap": self._create, "callback": self._deliver}[stage["stage"]](stage)

    async def _show_card(self, stage: dict[str, Any]) -> None:
        buttons = {"inline_keyboard": [[{"text": "✅ Создать", "callback_data": "create"}]]}
        await self._call("sendMessage", chat_id=stage["chat"], text="card", reply_markup=buttons)

    async def _create(self, stage: dict[str, Any]) -> None:
        chat, card = stage["chat"], stage["card"]
        await self._call("answerCallbackQuery", callback_query_id=stage["query"])
        await self._call("editMessageText", chat_id=chat, message_id=card, text="running")
        order = {
            "model": "z-image",
            "input": {"prompt": f"bench {chat}"},
            "callBackUrl": f"{self._own_url}/kie/callback/{chat}-{card}",
        }
        async with self._session.post(f"{self._kie}/api/v1/jobs/createTask", json=order) as answer:
            await answer.read()

    async def _deliver(self, stage: dict[str, Any]) -> None:
        chat, card = stage["chat"], stage["card"]
        query = {"taskId": stage["task"]}
        async with self._session.get(f"{self._kie}/api/v1/jobs/recordInfo", params=query) as answer:
            record = await answer.json(content_type=None)
        url = json.loads(record["data"]["resultJson"])["resultUrls"][0]
        async with self._session.get(url) as answer:
            await answer.read()
        media = {"type": "photo", "media": url}
        await self._call("editMessageMedia", chat_id=chat, message_id=card, media=media)
        await self._call("sendMessage", chat_id=chat, text="done")

    async def _call(self, method: str, **fields: object) -> None:
        async with self._session.post(f"{self._telegram}/{method}", json=fields) as answer:
            await answer.read()


def stage_of_update(update: dict[str, Any]) -> dict[str, Any]:
    if "message" in update:
        return {"stage": "message", "chat": update["message"]["chat"]["id"]}
    query = update["callback_query"]
    card = query["message"]["message_id"]
    return {"stage": "tap", "chat": query["from"]["id"], "card": card, "query": query["id"]}


async def main(arguments: argparse.Namespace) -> None:
    engine: Engine = NoEngine()
    if arguments.engine != "none":
        sys.path.insert(0, str(Path(__file__).parent))
        engine = importlib.import_module(f"{arguments.engine}_engine").PeerEngine()
    bot = BareBot(vendors=arguments.vendors, own_url=f"http://127.0.0.1:{arguments.port}", engine=engine)
    await engine.start(os.environ.get("DATABASE_URL", ""), bot.perform, CONCURRENCY)
    runner = web.ServerRunner(web.Server(bot.handle, access_log=None))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", arguments.port, backlog=1024).start()
    sys.stdout.write(f"{RUNNING}\n")
    sys.stdout.flush()
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    await stop.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", default="none")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--vendors", required=True)
    uvloop.install()
    asyncio.run(main(parser.parse_args()))
