"""`photomat audit`: everything that must always be true, asked of the database. Exit 1 with the offenders."""

import asyncio
import json
import sys
from typing import Annotated

import typer

from photomat.audit.invariants import INVARIANTS
from photomat.audit.run import Violation, violations
from photomat.cli.database import reachable_database
from photomat.db.pool import connect
from photomat.kernel import logs
from photomat.settings import load


def audit(*, as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False) -> None:
    """Check the invariants of money and delivery."""
    settings = load()
    logs.configure(settings.log_format, sys.stderr)
    with reachable_database(settings) as dsn:
        found = asyncio.run(_violations(dsn))
    if as_json:
        typer.echo(json.dumps([_as_json(one) for one in found], ensure_ascii=False))
    else:
        for one in found:
            typer.echo(f"✗ {one.name}: {one.sentence} Offenders: {', '.join(one.offenders)}")
        if not found:
            typer.echo(f"✓ All {len(INVARIANTS)} invariants hold.")
    if found:
        raise typer.Exit(1)


async def _violations(dsn: str) -> list[Violation]:
    connection = await connect(dsn, name="photomat audit")
    try:
        return await violations(connection)
    finally:
        await connection.close(timeout=5)


def _as_json(one: Violation) -> dict[str, object]:
    return {"name": one.name, "sentence": one.sentence, "offenders": list(one.offenders)}
