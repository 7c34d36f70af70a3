"""A whole shop for a smoke test: both simulators and one instance as processes, a database of its own, a customer in a chat.

A customer of the smoke test: says and taps in the simulated Telegram, and looks at the screen.

A port of our own choosing for a process that starts in a moment.

A port that is merely free may be gone by then: another process that asks for any port can be given it. One in
TIME_WAIT is given to nobody who asks for any, while a server that names it may still open it.
"""

import asyncio
import os
import socket
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import aiohttp

from photomat.app.settings import Settings
from photomat.db.pool import Pool, connect_pool
from photomat.db.postgres.privileges import ServerUser, command_line

LOOPBACK: Final = "127.0.0.1"
TOKEN: Final = "424242:smoke-token-of-no-value"  # noqa: S105  opens nothing but the simulator
KIE_KEY: Final = "smoke-key-of-no-value"
WEBHOOK_KEY: Final = "smoke-webhook-key"
WELCOME: Final = 10_000
SECONDS_AT_KIE: Final = 1.0
POLL_FIRST_S: Final = 30.0
"""Later than any callback: the first picture is to be found by its callback."""
PATIENCE_S: Final = 60.0
LOOK_EVERY_S: Final = 0.05
STOP_S: Final = 12.0
LOG_TAIL_CHARS: Final = 2000
TIMEOUT: Final = aiohttp.ClientTimeout(total=10)
T = TypeVar("T")
RING: Final = "✅ Генерация завершена"
NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"


def reserve_port(wanted: int = 0) -> int:
    """Reserve a port of the loopback for about a minute, this one or any; `OSError` when it is taken."""
    with socket.socket() as server, socket.socket() as client:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((LOOPBACK, wanted))
        server.listen(1)
        client.connect(server.getsockname())
        ours, _ = server.accept()
        ours.close()  # the side that closes first keeps the TIME_WAIT, and with it the port
        return int(server.getsockname()[1])


class SmokeFailed(Exception):
    """A phase did not come out as it should; the message says what was seen instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """Everything the phases touch."""

    url: str
    telegram_url: str
    kie_url: str
    dsn: str
    pool: Pool
    client: aiohttp.ClientSession
    log_file: Path

    @property
    def log_end(self) -> str:
        """The last words of the instance."""
        return self.log_file.read_text(encoding="utf-8")[-LOG_TAIL_CHARS:]

    async def ask(self, address: str) -> Any:
        """GET JSON."""
        async with self.client.get(address) as answer:
            return await answer.json()

    async def order(self, address: str, **body: object) -> Any:
        """POST JSON; a refusal is a failure of the test itself."""
        async with self.client.post(address, json=body) as answer:
            if answer.status != 200:  # noqa: PLR2004  the simulators' only good answer
                raise SmokeFailed(f"the simulator refused {address}: {await answer.text()}")
            return await answer.json()

    async def newest_job(self) -> Mapping[str, Any]:
        """The row of the job bought last."""
        row = await self.pool.fetchrow("SELECT * FROM generation_jobs ORDER BY job_id DESC LIMIT 1")
        return {} if row is None else dict(row)

    async def until_job(self, condition: Callable[[Mapping[str, Any]], object], what: str) -> Mapping[str, Any]:
        """Wait until the newest job is as wished."""

        async def wished() -> Mapping[str, Any] | None:
            job = await self.newest_job()
            return job if job and condition(job) else None

        return await self.until(wished, what)

    async def until(self, ask: Callable[[], Awaitable[T | None]], what: str) -> T:
        """Ask until there is something, for a while; then say what was missed, with the end of the log."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while (found := await ask()) is None:  # noqa: ASYNC110  the condition lies in other processes
                    await asyncio.sleep(LOOK_EVERY_S)
                return found
        except TimeoutError:
            raise SmokeFailed(f"{what} did not happen within {PATIENCE_S:g} s. The log ends:\n{self.log_end}") from None


@asynccontextmanager
async def open_shop(dsn: str, folder: Path) -> AsyncIterator[Shop]:
    """Start the simulators, then an instance between them; all of it ends with the block."""
    log_file = folder / "instance.log"
    async with _simulators(folder) as (telegram_url, kie_url):
        port = reserve_port()
        url = f"http://127.0.0.1:{port}"
        environment = {
            "BOT_TOKEN": TOKEN,
            "KIE_API_KEY": KIE_KEY,
            "KIE_WEBHOOK_KEY": WEBHOOK_KEY,
            "DATABASE_URL": dsn,
            "DATA_DIR": str(folder / "data"),
            "HOST": "127.0.0.1",
            "PORT": str(port),
            "PUBLIC_URL": url,
            "TELEGRAM_API_URL": telegram_url,
            "KIE_API_URL": kie_url,
            "KIE_UPLOAD_URL": kie_url,
            "WELCOME_CREDIT": str(WELCOME),
            "POLL_FIRST_S": str(POLL_FIRST_S),
        }
        async with (
            _instance(environment, folder, log_file) as process,
            aiohttp.ClientSession(timeout=TIMEOUT) as client,
        ):
            pool = await connect_pool(dsn, name="photomat smoke", size=2)
            try:
                shop = Shop(
                    url=url,
                    telegram_url=telegram_url,
                    kie_url=kie_url,
                    dsn=dsn,
                    pool=pool,
                    client=client,
                    log_file=log_file,
                )
                await shop.until(lambda: _is_open(shop, process), "The start of the instance")
                yield shop
            finally:
                await pool.close()


@asynccontextmanager
async def _simulators(folder: Path) -> AsyncIterator[tuple[str, str]]:
    """Both in one process, on ports of the system's choice; its standard input is its life line."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "photomat_sandbox.cli", "serve"),
        *("--telegram-port", "0", "--kie-port", "0", "--token", TOKEN, "--kie-key", KIE_KEY),
        *("--webhook-key", WEBHOOK_KEY, "--seconds", str(SECONDS_AT_KIE), "--with-stdin"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=folder,
    )
    try:
        yield await _address(process), await _address(process)
    finally:
        await _stop(process)


async def _address(process: Process) -> str:
    """The address a simulator prints when it listens."""
    if process.stdout is None:
        raise SmokeFailed("the simulators have no voice")
    try:
        async with asyncio.timeout(PATIENCE_S):
            line = (await process.stdout.readline()).decode().strip()
    except TimeoutError:
        raise SmokeFailed("the simulators did not start in time") from None
    if " listening on " not in line:
        raise SmokeFailed(f"the simulators did not start: {line or 'they said nothing'}")
    return line.rpartition(" ")[2]


@asynccontextmanager
async def _instance(environment: Mapping[str, str], folder: Path, log_file: Path) -> AsyncIterator[Process]:
    """`photomat run` with these settings and no others; it stops when we die, however we die."""
    ourselves = ServerUser(uid=os.geteuid(), gid=os.getegid(), change=False)
    command = [sys.executable, "-P", "-m", "photomat", "run"]
    ours = {name.upper() for name in Settings.model_fields}
    inherited = {name: value for name, value in os.environ.items() if name not in ours}
    with log_file.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *command_line(ourselves, command, data=folder),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=inherited | dict(environment),
            cwd=folder,
        )
    try:
        yield process
    finally:
        await _stop(process)


async def _stop(process: Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(STOP_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


async def _is_open(shop: Shop, process: Process) -> bool | None:
    """ACTIVE, and Telegram knows where to bring updates."""
    if process.returncode is not None:
        raise SmokeFailed(f"The instance ended with exit code {process.returncode}. Its log ends:\n{shop.log_end}")
    try:
        health = await shop.ask(f"{shop.url}/health")
    except (aiohttp.ClientError, OSError):
        return None
    opened = "[UPDATES_BY]" in shop.log_file.read_text(encoding="utf-8")
    return True if health["active"] and opened else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """One person with Telegram on their phone."""

    shop: Shop
    user_id: int

    @property
    def chat(self) -> str:
        """Where this person's acts are ordered."""
        return f"{self.shop.telegram_url}/sandbox/chats/{self.user_id}"

    async def says(self, text: str) -> int:
        """Write to the bot; give the message's id."""
        message = await self.shop.order(f"{self.chat}/text", text=text)
        return int(message["message_id"])

    async def screen(self) -> list[Mapping[str, Any]]:
        """What the bot has written, as it looks now."""
        messages = (await self.shop.ask(self.chat))["messages"]
        return [message for message in messages if message["from"] == "bot"]

    async def sees(self, text: str, *, after: int = 0) -> Mapping[str, Any]:
        """Wait for a message that contains the text."""

        async def found() -> Mapping[str, Any] | None:
            return next((one for one in await self.screen() if one["message_id"] > after and text in words(one)), None)

        return await self.shop.until(found, f"A message with «{text}»")

    async def taps(self, label: str, *, after: int) -> int:
        """Wait for a button on a message younger than `after`, press it, give its message."""

        async def found() -> tuple[int, str] | None:
            return next(
                (
                    (message["message_id"], button["callback_data"])
                    for message in await self.screen()
                    if message["message_id"] > after
                    for row in message["inline_keyboard"] or []
                    for button in row
                    if button["text"].startswith(label)
                ),
                None,
            )

        message_id, data = await self.shop.until(found, f"The button [{label}]")
        await self.shop.order(f"{self.chat}/tap", message_id=message_id, data=data)
        return message_id

    async def buys(self) -> int:
        """From /start to the tap on [Create]; give the card's message."""
        start = await self.says("/start")
        await self.taps("🖼 Создать картинку", after=start)
        await self.taps("Z-Image", after=start)
        await self.shop.until(self._is_asked, "The question for a prompt")
        said = await self.says("кот-космонавт")
        await self.taps("1:1", after=said)
        return await self.taps("✅ Создать", after=said)

    async def pictures(self) -> list[Mapping[str, Any]]:
        """The pictures on the screen."""
        return [message for message in await self.screen() if message["kind"] == "photo"]

    async def rings(self) -> int:
        """How often the phone rang."""
        return sum(words(message) == RING for message in await self.screen())

    async def _is_asked(self) -> bool | None:
        asked = await self.shop.pool.fetchval(
            "SELECT true FROM conversations WHERE user_id = $1 AND state IS NOT NULL", self.user_id
        )
        return True if asked else None


async def a_customer(shop: Shop) -> Customer:
    """Somebody new."""
    person = await shop.order(f"{shop.telegram_url}/sandbox/people", first_name="Smoke", language_code="ru")
    return Customer(shop=shop, user_id=person["user_id"])


def words(message: Mapping[str, Any]) -> str:
    """The text or caption, with plain spaces."""
    return str(message["text"] or message["caption"] or "").replace(NO_BREAK_SPACE, " ")
