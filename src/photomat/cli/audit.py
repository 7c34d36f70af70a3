"""`photomat audit` (the invariants, now or from stored proofs), `differences` (from providers' books) and `incidents`."""

import re
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final

import typer

from photomat.alerts.store import list_incidents
from photomat.app.settings import load
from photomat.audit.differences import Difference, list_differences
from photomat.audit.proofs import keep_proof, kept_proofs
from photomat.audit.run import INVARIANTS, Violation, violations
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, operate, operator_name, print_json, print_outcome, query
from photomat.db.pool import ACQUIRE_TIMEOUT_S, Pool
from photomat.kernel import logs
from photomat.kernel.money import Money
from photomat.operators import money
from photomat.operators.actions import ActionResult

SUM_PATTERN: Final = re.compile(r"(?P<what>.*)[:,] (?P<currency>[A-Z]{3})")
app = typer.Typer(help="Differences between our books and the providers'.", no_args_is_help=True)
NAME = "photomat differences"
COLUMNS: Final = ("no", "kind", "state", "opened (UTC)", "lasted", "figures", "operators notified")


def audit(
    *,
    store: Annotated[
        bool, typer.Option("--store", help="Store what was found, with the figures of the moment.")
    ] = False,
    history: Annotated[bool, typer.Option("--history", help="The stored proofs instead.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many of them.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Check the invariants of money and delivery."""
    logs.configure(load().log_format, sys.stderr)
    if history:
        _show_history(limit, as_json=as_json)
        return

    async def check(pool: Pool) -> list[Violation]:
        if store:
            return (await keep_proof(pool)).violations
        async with pool.acquire(timeout=ACQUIRE_TIMEOUT_S) as connection:
            return await violations(connection)

    found = (operate if store else query)(check, name="photomat audit")
    if as_json:
        print_json([asdict(one) for one in found])
    else:
        for one in found:
            typer.echo(f"✗ {one.name}: {one.sentence} Offenders: {', '.join(one.offenders)}")
        if not found:
            typer.echo(f"✓ All {len(INVARIANTS)} invariants hold.")
    if found:
        raise typer.Exit(1)


def _show_history(limit: int, *, as_json: bool) -> None:
    proofs = query(lambda pool: kept_proofs(pool, limit=limit), name="photomat audit")
    if as_json:
        print_json([{name: fact for name, fact in asdict(one).items() if name != "run_id"} for one in proofs])
        return
    table = Listing("at (UTC)", "night", "found", "seconds", "figures")
    for one in proofs:
        wrong = ", ".join(f"{found['name']} ({found['count']})" for found in one.violations)
        table.add_row(
            f"{one.at:%Y-%m-%d %H:%M:%S}",
            str(one.night or "by hand"),
            f"✗ {wrong}" if wrong else f"✓ all {one.invariants} hold",
            f"{one.seconds:.2f}",
            " · ".join(_figure(name, figure) for name, figure in one.figures.items()),
        )
    print_listing(table if proofs else "No proof is stored yet; the ACTIVE instance stores one a night.")


def _figure(name: str, figure: int) -> str:
    """One whose name ends with a currency is an amount."""
    sums = SUM_PATTERN.fullmatch(name)
    return f"{name} {figure}" if sums is None else f"{sums['what']} {Money(figure, sums['currency'])}"


@app.command("list")
def list_all(*, limit: Annotated[int, typer.Option(min=1, max=1000)] = 50, as_json: AsJson = False) -> None:
    """The differences, open ones first."""
    found = query(lambda pool: list_differences(pool, limit=limit), name=NAME)
    if as_json:
        print_json([asdict(one) for one in found])
    else:
        _print(found)


@app.command("own")
def own(difference_id: int, owner: str, *, reason: Annotated[str | None, typer.Option()] = None) -> None:
    """Record who looks after a difference."""
    _do(lambda pool: money.own_difference(pool, difference_id, owner=owner, operator=operator_name(), reason=reason))


@app.command("resolve")
def resolve(difference_id: int, *, reason: Annotated[str, typer.Option(help="How it was resolved.")]) -> None:
    """Record how a difference was resolved."""
    _do(lambda pool: money.resolve_difference(pool, difference_id, operator=operator_name(), reason=reason))


def _do(act: Callable[[Pool], Awaitable[ActionResult]]) -> None:
    answer = operate(act, name=NAME)
    print_outcome(answer.sentence, done=answer.done)


def _print(found: Sequence[Difference]) -> None:
    table = Listing("number", "kind", "reference", "expected", "found", "opened (UTC)", "owner", "ended")
    for one in found:
        ended = f"{one.resolved_at:%Y-%m-%d}: {one.resolution}" if one.resolved_at else "OPEN"
        opened = f"{one.opened_at:%Y-%m-%d %H:%M}"
        table.add_row(
            str(one.difference_id), one.kind, one.reference, one.expected, one.found, opened, one.owner, ended
        )
    print_listing(table if found else "There are no differences, now or lately.")


def incidents(*, limit: Annotated[int, typer.Option(min=1, max=1000)] = 20, as_json: AsJson = False) -> None:
    """Incidents, the open ones first: figures, duration, operators notified."""
    rows = query(lambda pool: list_incidents(pool, limit=limit), name="photomat incidents")
    if as_json:
        print_json(rows)
    else:
        _print_incidents(rows)


def _print_incidents(rows: Sequence[Mapping[str, Any]]) -> None:
    table = Listing(*COLUMNS)
    for row in rows:
        notified = f"{row['told']}" + (f", {row['not_told']} could not be" if row["not_told"] else "")
        table.add_row(
            str(row["incident_id"]),
            row["kind"],
            "OPEN" if row["open"] else "over",
            f"{row['opened_at']:%m-%d %H:%M}",
            f"{round(row['lasted_s'] / 60)} min",
            " ".join(f"{name}={value}" for name, value in row["figures"].items()),
            notified,
        )
    print_listing(table if rows else "There are no incidents, now or lately.")
