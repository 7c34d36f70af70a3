"""`photomat check`: is this installation fit for customers? Seven phases on the real configuration; exit 1 on a failure.

`photomat smoke`: a customer's day in nine phases, on simulators and a database of its own. Exit 1 on a failure.
"""

import asyncio
import io
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from photomat.app.settings import Settings, load
from photomat.checks.ground import PHASES, Level, Phase, broken
from photomat.cli.database import reachable_database
from photomat.cli.session import AsJson, print_json
from photomat.db.embedded import Embedded
from photomat.kernel import logs
from photomat.kernel.errors import Startup

if TYPE_CHECKING:
    from photomat.checks.smoke import Passed

SIGNS: Final = {Level.OK: "[green]✓[/]", Level.WARNING: "[yellow]![/]", Level.FAILURE: "[red]✗[/]"}
BY_FIRST_WORD: Final = {name.split()[0]: name for name in PHASES}


def check(
    *,
    only: Annotated[str | None, typer.Option(help=f"One phase alone: {', '.join(BY_FIRST_WORD)}.")] = None,
    as_json: AsJson = False,
) -> None:
    """Check storage, atomic operations, callbacks, delivery, migrations, idempotency and balance, each by doing it."""
    if only not in {None, *BY_FIRST_WORD, *PHASES}:
        raise typer.BadParameter(f"there is no phase {only}; there are {', '.join(BY_FIRST_WORD)}", param_hint="--only")
    named = None if only is None else BY_FIRST_WORD.get(only, only)
    settings = load()
    logs.configure(settings.log_format, io.StringIO())
    try:
        with reachable_database(settings) as dsn:
            phases = asyncio.run(_check(settings, dsn, named, quiet=as_json))
    except Startup as error:
        phases = [_nothing_to_check(error, quiet=as_json)]
    if as_json:
        print_json([_as_json(phase) for phase in phases])
    else:
        _sum_up(phases, only=named)
    if any(phase.level is Level.FAILURE for phase in phases):
        raise typer.Exit(1)


async def _check(settings: Settings, dsn: str, only: str | None, *, quiet: bool) -> list[Phase]:
    from photomat.checks import production  # noqa: PLC0415  it takes aiogram seconds to load; other commands do not need it

    phases = []
    async for phase in production.check(settings, dsn, only=only):
        phases.append(phase)
        if not quiet:
            _print(phase)
    return phases


def _nothing_to_check(error: Startup, *, quiet: bool) -> Phase:
    """Without a database there is one finding, and it is the whole story."""
    phase = Phase(number=1, name=PHASES[0], findings=[broken(str(error), "then check again.")])
    if not quiet:
        _print(phase)
    return phase


def _print(phase: Phase) -> None:
    table = Table.grid(padding=(0, 1))
    for finding in phase.findings:
        table.add_row(" ", SIGNS[finding.level], escape(finding.what))
        if finding.mend is not None and finding.level is not Level.OK:
            table.add_row("", "", f"[bold]→[/] {escape(finding.mend)}")
    console = Console(emoji=False)
    console.print(f"{SIGNS[phase.level]} [bold]{phase.number} {phase.name}[/]")
    console.print(table)


def _sum_up(phases: list[Phase], *, only: str | None) -> None:
    counts = {level: sum(finding.level is level for phase in phases for finding in phase.findings) for level in Level}
    good = "Fit for customers." if only is None else f"Nothing is broken in {only}; the other phases were not asked."
    verdict = "Not fit for customers." if counts[Level.FAILURE] else good
    typer.echo(
        f"\n{verdict} {counts[Level.OK]} fine, {counts[Level.WARNING]} to look at, {counts[Level.FAILURE]} broken."
    )


def _as_json(phase: Phase) -> dict[str, object]:
    return {
        "phase": phase.number,
        "name": phase.name,
        "level": phase.level,
        "findings": [{"level": one.level, "what": one.what, "mend": one.mend} for one in phase.findings],
    }


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
