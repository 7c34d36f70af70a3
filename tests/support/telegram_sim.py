"""A simulated Telegram over loopback for one test, driven from both sides: as the bot and as a person."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from aiogram import Bot
from aiogram.client.session.middlewares.manager import RequestMiddlewareManager
from aiogram.client.telegram import TelegramAPIServer
from aiohttp import ClientSession, web
from aiohttp.typedefs import Handler, Middleware

from photomat.telegram.local_folder import LocalFolder
from photomat.telegram.session import TelegramSession
from photomat_sandbox.faults import Faults
from photomat_sandbox.telegram import person_acts
from photomat_sandbox.telegram.app import build_app
from photomat_sandbox.telegram.messages import ChatMessage, as_seen
from photomat_sandbox.telegram.methods.registry import NAMES_BY_LOWER
from photomat_sandbox.telegram.people import ChatPerson
from photomat_sandbox.telegram.state_file import load_state
from photomat_sandbox.telegram.world import TelegramWorld
from photomat_sandbox.transcript import Transcript
from support.bot_api_spec import faults_of_result

SHUTDOWN_S = 1.0


class ShiftedClock:
    """A clock that stands still until a test moves it."""

    def __init__(self, at: float = 1_800_000_000.0) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at

    def advance(self, seconds: float) -> None:
        self.at += seconds


class QuickSession(TelegramSession):
    """Closes at once: the quarter of a second aiogram waits is for encrypted connections, and ours are not."""

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()


@cache
def _prototype() -> QuickSession:
    """To read the certificates of the world takes longer than most tests."""
    return QuickSession()


def quick_session(url: str, *, local_folder: LocalFolder | None = None) -> QuickSession:
    """A session of its own for a bot that talks to this address; with a folder, that of a local server."""
    session = copy(_prototype())
    local = {} if local_folder is None else {"is_local": True, "wrap_local_file": local_folder}
    session.api, session.timeout = TelegramAPIServer.from_base(url, **local), 60
    session.middleware = RequestMiddlewareManager()
    return session


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningTelegram:
    """The simulator while it runs."""

    url: str
    world: TelegramWorld
    transcript: Transcript
    faults: Faults

    @asynccontextmanager
    async def bot(self, token: str | None = None) -> AsyncIterator[Bot]:
        """Open an aiogram bot that talks to this Telegram, so that its types check every answer, echoes included."""
        session = self.session()
        session.json_loads = json.loads
        async with Bot(token or self.world.token, session=session) as bot:
            yield bot

    def session(self) -> QuickSession:
        """As the bot is wired to this server: one in local mode has a folder."""
        folder, bot_id = self.world.local_dir, self.world.bot.user_id
        return quick_session(self.url, local_folder=None if folder is None else LocalFolder(folder, bot_id=bot_id))

    def person(self, first_name: str = "Анна", **fields: Any) -> ChatPerson:
        """Let somebody join who has already started the bot."""
        return self.world.add_person(first_name=first_name, started=True, **fields)

    def writes(self, person: ChatPerson, text: str) -> ChatMessage:
        """Let a person write to the bot."""
        return person_acts.write(self.world, person, text)

    def taps(self, person: ChatPerson, message_id: int, data: str) -> str:
        """Let a person press a button; give the query's id."""
        button = {"text": data, "callback_data": data}
        return person_acts.tap(self.world, person, message_id, button)

    def deletes(self, person: ChatPerson, message_id: int, *, for_both: bool) -> None:
        """Let a person delete a message."""
        person_acts.delete(self.world, person, message_id, for_both=for_both)

    def blocks(self, person: ChatPerson, *, blocked: bool = True) -> None:
        """Let a person block the bot, or take it back."""
        person_acts.set_blocked(self.world, person, blocked=blocked)

    def pays(self, person: ChatPerson, message_id: int) -> str:
        """Let a person press Pay on an invoice; give the query's id."""
        return person_acts.pay(self.world, person, message_id)

    def seen(self, person: ChatPerson) -> list[dict[str, Any]]:
        """Give what is on the person's screen."""
        return [as_seen(message) for message in self.world.chat_messages(person.user_id)]

    async def raw(self, method: str, *, token: str | None = None, **body: Any) -> tuple[int, dict[str, Any]]:
        """Call a method with a JSON body; give status and answer."""
        address = f"{self.url}/bot{token or self.world.token}/{method}"
        async with ClientSession() as session, session.post(address, json=body) as answer:
            return answer.status, await answer.json()


@asynccontextmanager
async def running_telegram(
    *, state_file: Path | None = None, faults: Faults | None = None, **world_options: Any
) -> AsyncIterator[RunningTelegram]:
    """Run a simulated Telegram on a free port of loopback; what it answers must conform to the specification."""
    world = TelegramWorld(**world_options)
    if state_file:
        load_state(world, state_file)
    transcript, faults = Transcript(), faults or Faults()
    app = build_app(world, transcript, faults, state_file=state_file)
    found: list[str] = []
    app.middlewares.append(_comparing_with_the_specification(found))
    async with served(app) as url:
        yield RunningTelegram(url=url, world=world, transcript=transcript, faults=faults)
    assert not found, f"answers that the Bot API specification does not allow: {found}"


def _comparing_with_the_specification(found: list[str]) -> Middleware:
    @web.middleware
    async def compare(request: web.Request, handler: Handler) -> web.StreamResponse:
        response = await handler(request)
        name = NAMES_BY_LOWER.get(request.match_info.get("method", "").lower())
        if name and isinstance(response, web.Response) and response.content_type == "application/json":
            body = json.loads(response.text or "{}")
            found.extend(faults_of_result(name, body["result"]) if body.get("ok") else [])
        return response

    return compare


@asynccontextmanager
async def served(app: web.Application) -> AsyncIterator[str]:
    """Serve any application on a free port of loopback; give its address."""
    runner = web.AppRunner(app, shutdown_timeout=SHUTDOWN_S)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


@dataclass(frozen=True, slots=True, kw_only=True)
class Hook:
    """A webhook that answers 200, and what was posted to it."""

    url: str
    bodies: list[str]
    headers: list[Mapping[str, str]]


@asynccontextmanager
async def served_updates() -> AsyncIterator[Hook]:
    """Receive webhook calls on a free port of loopback."""
    bodies: list[str] = []
    headers: list[Mapping[str, str]] = []

    async def receive(request: web.Request) -> web.Response:
        headers.append(request.headers)
        bodies.append(await request.text())
        return web.Response()

    app = web.Application()
    app.router.add_post("/hook", receive)
    async with served(app) as url:
        yield Hook(url=f"{url}/hook", bodies=bodies, headers=headers)


async def until(condition: Callable[[], object], *, within_s: float = 120.0) -> None:
    """Wait until the condition holds, looking often; fail when it does not in time."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - the condition is anything, so nobody can set an event for it
            await asyncio.sleep(0.01)


async def outcome_of(work: Awaitable[object]) -> object:
    """Give what a call returned, or the exception it raised."""
    try:
        return await work
    except Exception as error:  # noqa: BLE001 - the caller asserts which one it is
        return error
