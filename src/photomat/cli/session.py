"""How a command asks the database: one small pool on the database of the settings, closed again, whatever runs beside it."""

import asyncio
import getpass
import json
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime, timedelta
from typing import Annotated, TypeVar

import typer

from photomat.app.settings import Settings, load
from photomat.cli.database import reachable_database
from photomat.db.installation import owner_of, refusal
from photomat.db.pool import Pool, connect_pool
from photomat.jobs.explain import Surroundings
from photomat.jobs.listing import read_surroundings
from photomat.kernel import logs
from photomat.kernel.errors import Startup
from photomat.kernel.money import read_minor

T = TypeVar("T")
AsJson = Annotated[bool, typer.Option("--json", help="For machines.")]


def ask(question: Callable[[Pool], Awaitable[T]], *, name: str) -> T:
    """Ask the database of the settings, which needs no keys; commands that write use `operate`.

    `name` is what the session is called in timelines and in the server's lists.
    What is logged on the way goes to standard error: standard output is the answer.
    """
    settings = load()
    logs.configure(settings.log_format, sys.stderr)

    async def run(dsn: str) -> T:
        pooled = settings.direct_database_url not in {None, dsn}
        pool = await connect_pool(dsn, name=name, size=2, through_pooler=pooled, patience_s=0)
        try:
            return await question(pool)
        finally:
            await pool.close()

    with reachable_database(settings) as dsn:
        return asyncio.run(run(dsn))


def operate(act: Callable[[Pool], Awaitable[T]], *, name: str) -> T:
    """Let an operator's command write, unless the token of the settings is another bot's than the database's.

    Without a token the command works on the database it was given, as the bot whose database that is.
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


async def surroundings(pool: Pool, settings: Settings) -> Surroundings:
    """What a sentence about a job needs beyond its row."""
    return await read_surroundings(
        pool,
        delivery_lease=timedelta(seconds=settings.delivery_lease_s),
        given_up_after=timedelta(seconds=settings.job_timeout_s),
    )


def operator_name() -> str:
    """Who sits at this terminal, for the journal."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "somebody"
    return f"cli:{user}@{socket.gethostname()}"


def minor_units(amount: str) -> int:
    """An amount as it was typed, in minor units."""
    try:
        return read_minor(amount)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def tell(sentence: str, *, done: bool, facts: Mapping[str, object] | None = None) -> None:
    """Say what came of an act, as `facts` for machines; one that was not done ends the command with an error."""
    if facts is None:
        typer.echo(f"{'✓' if done else '✗'} {sentence}")
    else:
        print_json({**facts, "done": done})
    if not done:
        raise typer.Exit(1)


def print_json(found: object) -> None:
    """Print for machines."""
    typer.echo(json.dumps(found, ensure_ascii=False, default=_as_text))


def _as_text(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
