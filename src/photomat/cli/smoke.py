"""`photomat smoke`: a customer's day in nine phases, on simulators and a database of its own. Exit 1 on a failure."""

import asyncio
import io
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from photomat.cli.ask import AsJson, print_json
from photomat.db.embedded import Embedded
from photomat.kernel import logs

if TYPE_CHECKING:
    from photomat.checks.smoke import Passed


def smoke(*, as_json: AsJson = False) -> None:
    """Buy, pay, get, lose and find again: the whole lifecycle end to end, without touching your installation."""
    logs.configure("text", io.StringIO())
    with tempfile.TemporaryDirectory(prefix="photomat-smoke-") as folder:
        server = Embedded.start(Path(folder) / "database")
        try:
            passed = asyncio.run(_smoke(server.dsn, Path(folder), quiet=as_json))
        finally:
            server.stop()
    if as_json:
        print_json([asdict(one) for one in passed])
    elif all(one.ok for one in passed):
        typer.echo(f"✓ All {len(passed)} phases passed in {sum(one.seconds for one in passed):.1f} s.")
    if not all(one.ok for one in passed):
        raise typer.Exit(1)


async def _smoke(dsn: str, folder: Path, *, quiet: bool) -> "list[Passed]":
    from photomat.checks import smoke as day  # noqa: PLC0415  other commands do not need what it loads

    passed = []
    async for one in day.smoke(dsn, folder):
        passed.append(one)
        if not quiet:
            typer.echo(f"{'✓' if one.ok else '✗'} {one.number} {one.name}: {one.sentence} ({one.seconds:.1f} s)")
    return passed
