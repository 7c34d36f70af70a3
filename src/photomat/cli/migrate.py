"""`photomat migrate`: bring the database up to this version, then compare it with what the program needs."""

import asyncio
import sys

import typer

from photomat.cli.database import reachable_database
from photomat.db.installation import require_ours
from photomat.db.migrate import migrate as apply
from photomat.db.pool import connect
from photomat.db.schema_check import require_schema
from photomat.kernel import logs
from photomat.kernel.ids import BotId
from photomat.settings import load


def migrate() -> None:
    """Apply the migrations that are not applied yet."""
    settings = load()
    logs.configure(settings.log_format, sys.stderr)
    with reachable_database(settings) as dsn:
        applied = asyncio.run(_migrate(settings.direct_database_url or dsn, settings.bot_id))
    typer.echo(f"Applied: {', '.join(applied)}." if applied else "The database is up to date.")


async def _migrate(dsn: str, bot_id: BotId | None) -> list[str]:
    """Migrate, unless the token is another bot's than the database's; whose it is is not written here."""
    if bot_id is not None:
        await require_ours(dsn, bot_id)
    applied = await apply(dsn)
    connection = await connect(dsn, name="photomat migrate")
    try:
        await require_schema(connection)
    finally:
        await connection.close(timeout=5)
    return applied
