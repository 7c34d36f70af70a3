"""What the smoke test runs on: both simulators and one instance as processes, a temporary database, customers in a chat."""

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
"""Later than any callback: the first result must be found by its callback."""
PATIENCE_S: Final = 60.0
LOOK_EVERY_S: Final = 0.05
STOP_S: Final = 12.0
LOG_TAIL_CHARS: Final = 2000
TIMEOUT: Final = aiohttp.ClientTimeout(total=10)
T = TypeVar("T")
RING: Final = "✅ Генерация завершена"
NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"


def reserve_port(wanted: int = 0) -> int:
    """Reserve a loopback port for about a minute, this one or any; raise OSError if it is taken.

    A port that is merely free may be given to another process that asks for any. One in TIME_WAIT is not, while a server that
    names it can still bind it.
    """
    with socket.socket() as server, socket.socket() as client:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        server.bind((LOOPBACK, wanted))
        server.listen(1)
        client.connect(server.getsockname())
        ours, _ = server.accept()
        ours.close()  # the side that closes first keeps the TIME_WAIT
        return int(server.getsockname()[1])


class SmokeFailed(Exception):
    """A phase failed; the message says what was seen instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SmokeEnvironment:
    url: str
    telegram_url: str
    kie_url: str
    dsn: str
    pool: Pool
    client: aiohttp.ClientSession
    log_file: Path

    @property
    def log_end(self) -> str:
        return self.log_file.read_text(encoding="utf-8")[-LOG_TAIL_CHARS:]

    async def get(self, url: str) -> Any:
        async with self.client.get(url) as answer:
            return await answer.json()

    async def post(self, url: str, **body: object) -> Any:
        """Post JSON to a simulator; raise `SmokeFailed` if it refuses."""
        async with self.client.post(url, json=body) as answer:
            if answer.status != 200:  # noqa: PLR2004  the simulators' only good answer
                raise SmokeFailed(f"the simulator refused {url}: {await answer.text()}")
            return await answer.json()

    async def newest_job(self) -> Mapping[str, Any]:
        row = await self.pool.fetchrow("SELECT * FROM generation_jobs ORDER BY job_id DESC LIMIT 1")
        return {} if row is None else dict(row)

    async def until_job(self, condition: Callable[[Mapping[str, Any]], object], what: str) -> Mapping[str, Any]:
        """Wait until the newest job meets the condition."""

        async def matching_job() -> Mapping[str, Any] | None:
            job = await self.newest_job()
            return job if job and condition(job) else None

        return await self.until(matching_job, what)

    async def until(self, find: Callable[[], Awaitable[T | None]], what: str) -> T:
        """Poll until something is found; after a while raise `SmokeFailed` with the end of the log."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while (found := await find()) is None:  # noqa: ASYNC110  the condition is in other processes
                    await asyncio.sleep(LOOK_EVERY_S)
                return found
        except TimeoutError:
            raise SmokeFailed(f"{what} did not happen within {PATIENCE_S:g} s. The log ends:\n{self.log_end}") from None


@asynccontextmanager
async def open_environment(dsn: str, folder: Path) -> AsyncIterator[SmokeEnvironment]:
    """Start the simulators and an instance; all of them end with the block."""
    log_file = folder / "instance.log"
    async with _simulators(folder) as (telegram_url, kie_url):
        port = reserve_port()
        url = f"http://127.0.0.1:{port}"
        variables = {
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
        async with _instance(variables, folder, log_file) as process, aiohttp.ClientSession(timeout=TIMEOUT) as client:
            pool = await connect_pool(dsn, name="photomat smoke", size=2)
            try:
                environment = SmokeEnvironment(
                    url=url,
                    telegram_url=telegram_url,
                    kie_url=kie_url,
                    dsn=dsn,
                    pool=pool,
                    client=client,
                    log_file=log_file,
                )
                await environment.until(lambda: _is_open(environment, process), "The start of the instance")
                yield environment
            finally:
                await pool.close()


@asynccontextmanager
async def _simulators(folder: Path) -> AsyncIterator[tuple[str, str]]:
    """Run both in one process on free ports; it ends when its standard input is closed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "photomat_sandbox.cli", "serve"),
        *("--telegram-port", "0", "--kie-port", "0", "--token", TOKEN, "--kie-key", KIE_KEY),
        *("--webhook-key", WEBHOOK_KEY, "--seconds", str(SECONDS_AT_KIE), "--with-stdin"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=folder,
    )
    try:
        yield await _url_of(process), await _url_of(process)
    finally:
        await _stop(process)


async def _url_of(process: Process) -> str:
    if process.stdout is None:
        raise SmokeFailed("the simulators have no standard output")
    try:
        async with asyncio.timeout(PATIENCE_S):
            line = (await process.stdout.readline()).decode().strip()
    except TimeoutError:
        raise SmokeFailed("the simulators did not start in time") from None
    if " listening on " not in line:
        raise SmokeFailed(f"the simulators did not start: {line or 'they printed nothing'}")
    return line.rpartition(" ")[2]


@asynccontextmanager
async def _instance(variables: Mapping[str, str], folder: Path, log_file: Path) -> AsyncIterator[Process]:
    """Run `photomat run` with these settings and no others; it stops when we die, however we die."""
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
            env=inherited | dict(variables),
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


async def _is_open(environment: SmokeEnvironment, process: Process) -> bool | None:
    """Whether the instance is ACTIVE and receives updates."""
    if process.returncode is not None:
        raise SmokeFailed(
            f"The instance ended with exit code {process.returncode}. Its log ends:\n{environment.log_end}"
        )
    try:
        health = await environment.get(f"{environment.url}/health")
    except (aiohttp.ClientError, OSError):
        return None
    opened = "[UPDATES_BY]" in environment.log_file.read_text(encoding="utf-8")
    return True if health["active"] and opened else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    env: SmokeEnvironment
    user_id: int

    @property
    def chat(self) -> str:
        return f"{self.env.telegram_url}/sandbox/chats/{self.user_id}"

    async def says(self, text: str) -> int:
        message = await self.env.post(f"{self.chat}/text", text=text)
        return int(message["message_id"])

    async def screen(self) -> list[Mapping[str, Any]]:
        messages = (await self.env.get(self.chat))["messages"]
        return [message for message in messages if message["from"] == "bot"]

    async def sees(self, text: str, *, after: int = 0) -> Mapping[str, Any]:
        """Wait for a message that contains the text."""

        async def found() -> Mapping[str, Any] | None:
            return next(
                (one for one in await self.screen() if one["message_id"] > after and text in text_of(one)), None
            )

        return await self.env.until(found, f"A message with «{text}»")

    async def taps(self, label: str, *, after: int) -> int:
        """Wait for a button on a message newer than `after`, press it, return its message id."""

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

        message_id, data = await self.env.until(found, f"The button [{label}]")
        await self.env.post(f"{self.chat}/tap", message_id=message_id, data=data)
        return message_id

    async def buys(self) -> int:
        """Order from /start to the tap on [Create]; return the card's message id."""
        start = await self.says("/start")
        await self.taps("🖼 Создать картинку", after=start)
        await self.taps("Z-Image", after=start)
        await self.env.until(self._is_asked, "The question for a prompt")
        prompt = await self.says("кот-космонавт")
        await self.taps("1:1", after=prompt)
        return await self.taps("✅ Создать", after=prompt)

    async def pictures(self) -> list[Mapping[str, Any]]:
        return [message for message in await self.screen() if message["kind"] == "photo"]

    async def rings(self) -> int:
        return sum(text_of(message) == RING for message in await self.screen())

    async def _is_asked(self) -> bool | None:
        asked = await self.env.pool.fetchval(
            "SELECT true FROM conversations WHERE user_id = $1 AND state IS NOT NULL", self.user_id
        )
        return True if asked else None


async def new_customer(environment: SmokeEnvironment) -> Customer:
    person = await environment.post(
        f"{environment.telegram_url}/sandbox/people", first_name="Smoke", language_code="ru"
    )
    return Customer(env=environment, user_id=person["user_id"])


def text_of(message: Mapping[str, Any]) -> str:
    """The text or caption, with plain spaces."""
    return str(message["text"] or message["caption"] or "").replace(NO_BREAK_SPACE, " ")
