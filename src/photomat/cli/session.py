"""How a command uses the database of the settings: a small pool for its own run, also beside a running bot."""

import asyncio
import getpass
import json
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, TypeVar

import typer

from photomat.app.live_settings import effective
from photomat.app.settings import Settings, load
from photomat.cli.database import has_database, reachable_database
from photomat.db.installation import owner_of, refusal
from photomat.db.pool import Pool, connect_pool
from photomat.jobs.explain import Surroundings
from photomat.jobs.listing import read_surroundings
from photomat.kernel import logs
from photomat.kernel.errors import Startup
from photomat.kernel.money import read_minor

T = TypeVar("T")
AsJson = Annotated[bool, typer.Option("--json", help="For machines.")]


def query(read: Callable[[Pool], Awaitable[T]], *, name: str, unhurried: bool = False) -> T:
    """Read from the database of the settings, which needs no keys; commands that write use `operate`.

    `name` is the application name of the session; `unhurried` is for what reads whole tables. Logs go to standard error:
    standard output is the answer.
    """
    settings = load()
    logs.configure(settings.log_format, sys.stderr)

    async def run(pooled_dsn: str) -> T:
        direct = settings.direct_database_url or pooled_dsn
        dsn = direct if unhurried else pooled_dsn
        pool = await connect_pool(
            dsn, name=name, size=2, through_pooler=dsn != direct, patience_s=0, unhurried=unhurried
        )
        try:
            return await read(pool)
        finally:
            await pool.close()

    with reachable_database(settings) as dsn:
        return asyncio.run(run(dsn))


def operate(act: Callable[[Pool], Awaitable[T]], *, name: str) -> T:
    """Write to the database of the settings; refuse if BOT_TOKEN is not that of the database's owner.

    Without a token the command works as the bot that owns the database.
    """
    settings = load()
    logs.configure(settings.log_format, sys.stderr)

    async def run(pooled_dsn: str) -> T:
        dsn = settings.direct_database_url or pooled_dsn
        owner = await owner_of(dsn)
        if settings.bot_id is not None and settings.bot_id not in owner.bots:
            problem = refusal(owner, settings.bot_id)
            if problem is not None:
                raise Startup(problem)
        bot_id = settings.bot_id or (owner.bots[0] if len(owner.bots) == 1 else None)
        pool = await connect_pool(dsn, name=name, size=2, patience_s=0, bot_id=bot_id)
        try:
            return await act(pool)
        finally:
            await pool.close()

    with reachable_database(settings) as dsn:
        return asyncio.run(run(dsn))


def exists_database(settings: Settings) -> bool:
    """Whether there is a database to read, without starting one that was never used."""
    embedded = has_database(settings.data_dir) if settings.sandboxed else (settings.data_dir / "postgres").exists()
    return settings.database_url is not None or embedded


def current_settings(*, name: str) -> Settings:
    """The settings with the operators' values, if there is a database."""
    settings = load()
    return query(lambda pool: effective(pool, settings), name=name) if exists_database(settings) else settings


async def surroundings(pool: Pool, settings: Settings) -> Surroundings:
    """What the explanation of a job needs beyond its row."""
    return await read_surroundings(
        pool,
        delivery_lease=timedelta(seconds=settings.delivery_lease_s),
        given_up_after=timedelta(seconds=settings.job_timeout_s),
    )


def operator_name() -> str:
    """The user of this terminal, for the journal."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "somebody"
    return f"cli:{user}@{socket.gethostname()}"


def minor_units(amount: str) -> int:
    try:
        return read_minor(amount)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def print_outcome(sentence: str, *, done: bool, facts: Mapping[str, object] | None = None) -> None:
    """Print the outcome of an action, `facts` as JSON; exit with 1 if it was not done."""
    if facts is None:
        typer.echo(f"{'✓' if done else '✗'} {sentence}")
    else:
        print_json({**facts, "done": done})
    if not done:
        raise typer.Exit(1)


def print_json(found: object) -> None:
    typer.echo(json.dumps(found, ensure_ascii=False, default=_as_text))


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
