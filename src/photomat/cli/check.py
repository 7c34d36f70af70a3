"""`photomat check` on the real configuration, `smoke` on simulators (both exit 1 on a failure); `chaos`, `bench`, `failpoints`.

The crash lab (`chaos`) and the benchmark (`bench`) are programs of their own, which take the place of this one.
"""

import asyncio
import io
import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from photomat.app.settings import Settings, load
from photomat.checks.findings import PHASES, Level, Phase, failure
from photomat.cli.database import reachable_database
from photomat.cli.session import AsJson, print_json
from photomat.db.embedded import Embedded
from photomat.kernel import logs
from photomat.kernel.errors import Startup
from photomat.kernel.failpoint import FAILPOINTS

if TYPE_CHECKING:
    from photomat.checks.smoke import PhaseResult

SIGNS: Final = {Level.OK: "[green]✓[/]", Level.WARNING: "[yellow]![/]", Level.FAILURE: "[red]✗[/]"}
BY_FIRST_WORD: Final = {name.split()[0]: name for name in PHASES}
FORWARDED = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def check(
    *,
    only: Annotated[str | None, typer.Option(help=f"One phase alone: {', '.join(BY_FIRST_WORD)}.")] = None,
    as_json: AsJson = False,
) -> None:
    """Exercise storage, atomic operations, callbacks, delivery, migrations, idempotency and balance."""
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
    """Report the missing database as the only finding."""
    phase = Phase(number=1, name=PHASES[0], findings=[failure(str(error), "then check again.")])
    if not quiet:
        _print(phase)
    return phase


def _print(phase: Phase) -> None:
    table = Table.grid(padding=(0, 1))
    for finding in phase.findings:
        table.add_row(" ", SIGNS[finding.level], escape(finding.what))
        if finding.fix is not None and finding.level is not Level.OK:
            table.add_row("", "", f"[bold]→[/] {escape(finding.fix)}")
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
        "findings": [{"level": one.level, "what": one.what, "mend": one.fix} for one in phase.findings],
    }


def smoke(*, as_json: AsJson = False) -> None:
    """Run the whole lifecycle end to end on simulators, without touching your installation."""
    logs.configure("text", io.StringIO())
    with tempfile.TemporaryDirectory(prefix="photomat-smoke-") as folder:
        server = Embedded.start(Path(folder) / "database")
        try:
            results = asyncio.run(_smoke(server.dsn, Path(folder), quiet=as_json))
        finally:
            server.stop()
    if as_json:
        print_json([asdict(one) for one in results])
    elif all(one.ok for one in results):
        typer.echo(f"✓ All {len(results)} phases passed in {sum(one.seconds for one in results):.1f} s.")
    if not all(one.ok for one in results):
        raise typer.Exit(1)


async def _smoke(dsn: str, folder: Path, *, quiet: bool) -> "list[PhaseResult]":
    from photomat.checks import smoke as phases  # noqa: PLC0415  other commands do not need what it loads

    results = []
    async for one in phases.smoke(dsn, folder):
        results.append(one)
        if not quiet:
            typer.echo(f"{'✓' if one.ok else '✗'} {one.number} {one.name}: {one.sentence} ({one.seconds:.1f} s)")
    return results


def chaos(context: typer.Context) -> None:
    """Run the crash lab: explore the model, try the mutants, run a storm."""
    _become("photomat_chaos", context.args)


def bench(context: typer.Context) -> None:
    """Measure what a flow costs, beside baselines and other job engines."""
    _become("photomat_bench", context.args)


def _become(program: str, arguments: list[str]) -> NoReturn:
    """Run another program of ours as this very process, so that a signal to it is one to the program."""
    os.execv(sys.executable, [sys.executable, "-m", program, *arguments])  # noqa: S606  there is no shell on the way


def failpoints() -> None:
    """List the failpoints: the names FAILPOINT accepts."""
    for name in FAILPOINTS:
        typer.echo(name)
