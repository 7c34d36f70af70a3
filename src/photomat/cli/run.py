"""`photomat run`: everything in one process, migrations first. Without BOT_TOKEN and KIE_API_KEY: the sandbox."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from typing import NoReturn

import uvloop

from photomat.app.settings import Settings, load
from photomat.cli.database import Database, owned_database
from photomat.cli.sandbox import run_sandbox
from photomat.cli.screen import show_box
from photomat.kernel import failpoint, logs


def run() -> None:
    """Start the bot (or, without keys, the sandbox) and run until stopped."""
    settings = load()
    if settings.sandboxed:
        run_sandbox(settings)
    else:
        prepare(settings)
        with owned_database(settings) as database:
            serve(settings, database, lambda: show_box(_urls(settings), settings=settings))
    _leave()


def _leave() -> NoReturn:
    """Exit without interpreter shutdown, which costs a second of CPU time: everything is closed already."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def prepare(settings: Settings) -> None:
    """Configure logs and failpoints of a long-running command."""
    logs.configure(settings.log_format, sys.stdout)
    failpoint.arm(settings.failpoint)


def serve(settings: Settings, database: Database, ready: Callable[[], None]) -> None:
    """Run the program on this database until SIGINT or SIGTERM."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(settings, database, ready))


async def _serve(settings: Settings, database: Database, ready: Callable[[], None]) -> None:
    from photomat.app import instance  # noqa: PLC0415  it takes aiogram seconds to load; other commands do not need it

    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    await instance.run(settings, dsn=database.dsn, tend=database.tend, stop=stop, ready=ready)


def _urls(settings: Settings) -> dict[str, str]:
    local = f"http://{'127.0.0.1' if settings.host in {'0.0.0.0', '::'} else settings.host}:{settings.port}"  # noqa: S104  compared, not bound
    updates = f"webhook at {settings.base_url}" if settings.base_url else "long polling (set PUBLIC_URL for webhooks)"
    return {
        "Bot": f"id {(settings.bot_token or '').partition(':')[0]}",
        "Updates": updates,
        "Health": f"{local}/health",
        "Metrics": f"{local}/metrics",
    }
