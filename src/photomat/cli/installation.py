"""`photomat installation`, `migrate` and `prune`: who owns the database, its schema, and the deletion of old rows."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final

import typer

from photomat.app.live_settings import effective
from photomat.app.retention import kinds_of
from photomat.app.settings import Settings, load
from photomat.cli.database import reachable_database
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, operate, operator_name, print_json, print_outcome, query
from photomat.db.installation import (
    ADOPT,
    SANDBOX_BOT,
    Owner,
    identity_of,
    name_of,
    owner_of,
    read_owner,
    refusal,
    require_ours,
)
from photomat.db.migrate import migrate
from photomat.db.pool import ACQUIRE_TIMEOUT_S, Pool, connect, connect_pool
from photomat.db.schema_check import require_schema
from photomat.kernel import logs
from photomat.kernel.errors import Startup
from photomat.kernel.ids import BotId
from photomat.operators import installation
from photomat.operators.actions import ActionResult
from photomat.texts.sentence import Sentence
from photomat.work.retention import Forecast, forecast
from photomat.work.retention import prune as delete_old

app = typer.Typer(help="Whose database this is.", no_args_is_help=True)
NAME = "photomat installation"
PRUNE_NAME: Final = "photomat prune"


@app.command("show")
def show(*, as_json: AsJson = False) -> None:
    """Which bot owns the database, whose token is set, and what is in progress."""
    facts = query(lambda pool: _facts(pool, load()), name=NAME)
    if as_json:
        print_json(facts)
        return
    typer.echo(facts["sentence"])
    typer.echo(f"This program is {name_of(facts['bot_id'])}." if facts["bot_id"] else "BOT_TOKEN is not set.")
    typer.echo(f"Its currency is {facts['currency'] or 'not decided yet'}.")
    typer.echo("Under way: " + ", ".join(f"{what}: {count}" for what, count in facts["open"].items()) + ".")
    if facts["refusal"]:
        typer.echo(facts["refusal"])


@app.command("adopt")
def adopt(
    *,
    reason: Annotated[str, typer.Option(help="Why, for the journal.")],
    abandon: Annotated[
        bool,
        typer.Option(
            "--abandon", help="Leave what a bot that cannot be started any more has not shown; results are refunded."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Give this database to the bot of BOT_TOKEN, migrated first; refused while another bot has anything under way."""
    settings = load()
    logs.configure(settings.log_format, sys.stderr)
    bot_id = settings.bot_id
    if bot_id is None:
        raise Startup("Set BOT_TOKEN and KIE_API_KEY of the bot that is to own this database: the sandbox adopts none.")

    async def act(dsn: str) -> ActionResult:
        problem = installation.never(await owner_of(dsn), bot_id)
        if problem is not None:
            return ActionResult(done=False, says=Sentence("action-plain", words=problem))
        await migrate(dsn)
        pool = await connect_pool(dsn, name=NAME, size=2, patience_s=0)
        try:
            return await installation.adopt(
                pool,
                bot_id=bot_id,
                currency=settings.currency,
                operator=operator_name(),
                reason=reason,
                abandon=abandon,
            )
        finally:
            await pool.close()

    with reachable_database(settings) as dsn:
        answer = asyncio.run(act(settings.direct_database_url or dsn))
    facts = {"identity": identity_of(bot_id), "sentence": answer.sentence} if as_json else None
    print_outcome(answer.sentence, done=answer.done, facts=facts)


async def _facts(pool: Pool, settings: Settings) -> dict[str, Any]:
    async with pool.acquire(timeout=ACQUIRE_TIMEOUT_S) as connection:
        owner = await read_owner(connection)
        under_way = await installation.open_of_others(connection, None)
    bot_id = settings.bot_id or (SANDBOX_BOT if settings.database_url is None else None)
    return {
        "identity": identity_of(owner.bots[0]) if len(owner.bots) == 1 else None,
        "stamped": owner.stamped,
        "owner": owner.name,
        "sentence": _in_words(owner),
        "bots": [identity_of(bot) for bot in owner.bots],
        "currency": owner.currency,
        "bot_id": bot_id,
        "refusal": None if bot_id is None else refusal(owner, bot_id),
        "open": under_way,
    }


def _in_words(owner: Owner) -> str:
    if owner.stamped:
        return f"This database belongs to {owner.name} (as its row says)."
    if owner.is_unowned:
        return "This database belongs to nobody (it is empty; the bot that starts on it first becomes its owner)."
    if len(owner.bots) == 1:
        return (
            f"This database belongs to {owner.name} (as its other rows say; the next start of that bot writes it down)."
        )
    found = f"rows of {owner.name}" if owner.bots else owner.name
    return f"This database holds {found}: no bot starts on it until the right one has adopted it with {ADOPT}."


def migrate_command() -> None:
    """Apply the migrations that are not applied yet."""
    settings = load()
    logs.configure(settings.log_format, sys.stderr)
    with reachable_database(settings) as dsn:
        applied = asyncio.run(_migrate(settings.direct_database_url or dsn, settings.bot_id))
    typer.echo(f"Applied: {', '.join(applied)}." if applied else "The database is up to date.")


async def _migrate(dsn: str, bot_id: BotId | None) -> list[str]:
    """Migrate, unless BOT_TOKEN is not that of the owner; the owner is not written here."""
    if bot_id is not None:
        await require_ours(dsn, bot_id)
    applied = await migrate(dsn)
    connection = await connect(dsn, name="photomat migrate")
    try:
        await require_schema(connection)
    finally:
        await connection.close(timeout=5)
    return applied


def prune(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would be deleted.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete what is older than the KEEP_…_DAYS settings allow."""
    found = query(_forecast, name=PRUNE_NAME, unhurried=True) if dry_run else operate(_delete_old, name=PRUNE_NAME)
    if as_json:
        print_json([_as_json(one, dry_run=dry_run) for one in found])
    else:
        _print_pruned(found, dry_run=dry_run)


async def _forecast(pool: Pool) -> list[Forecast]:
    return await forecast(pool, kinds_of(await effective(pool, load())))


async def _delete_old(pool: Pool) -> list[Forecast]:
    """Delete without counting first, which takes long where there is much to delete."""
    kinds = kinds_of(await effective(pool, load()))
    now = await pool.fetchval("SELECT photomat_now()")
    deleted = await delete_old(pool, kinds)
    return [
        Forecast(
            kind=kind,
            before=None if kind.keep is None else now - kind.keep,
            rows=deleted[kind.name],
            size_bytes=0,
            partitions=(),
        )
        for kind in kinds
    ]


def _as_json(one: Forecast, *, dry_run: bool) -> dict[str, object]:
    return {
        "kind": one.kind.name,
        "table": one.kind.table,
        "keep_days": None if one.kind.keep is None else one.kind.keep.days,
        "setting": one.kind.setting,
        "before": one.before,
        "deleted": None if dry_run else one.rows,
        "would_delete": one.rows if dry_run else None,
        "bytes": one.size_bytes if dry_run else None,
        "partitions": [asdict(part) for part in one.partitions],
    }


def _print_pruned(found: Sequence[Forecast], *, dry_run: bool) -> None:
    """A row for each kind, and one for each whole partition that goes with it; sizes are known before they go only."""
    headings = ("would be deleted", "estimated size") if dry_run else ("deleted",)
    table = Listing("kind", "table", "older than (UTC)", "because of", *headings)
    for one in found:
        kept = "kept for ever" if one.before is None else f"{one.before:%Y-%m-%d}"
        days = "" if one.kind.keep is None or not one.kind.setting.isupper() else f"={one.kind.keep.days}"
        size = (_megabytes(one.size_bytes),) if dry_run else ()
        table.add_row(one.kind.name, one.kind.table, kept, f"{one.kind.setting}{days}", str(one.rows), *size)
        for part in one.partitions:
            newest = "empty" if part.newest is None else f"newest {part.newest:%Y-%m-%d}"
            table.add_row("", part.name, newest, "whole partition", f"~{part.rows}", _megabytes(part.size_bytes))
    print_listing(table)


def _megabytes(size: int) -> str:
    return f"{size / 1_000_000:.1f} MB" if size else "–"
