"""`photomat results show|move|sweep`: where the copies of results lie, and bringing them into another store."""

from dataclasses import asdict
from typing import Annotated, Any, Final

import typer

from photomat.app.result_store import result_places
from photomat.app.settings import load
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, operate, operator_name, print_json, query
from photomat.db.pool import Pool
from photomat.delivery.leftovers import CopiesAt, MoveReport, SweepReport, count_elsewhere, list_places, sweep_store
from photomat.kernel import failpoint
from photomat.kernel.errors import Startup
from photomat.operators import results
from photomat.storage.address import parse_address
from photomat.storage.errors import StoreUnavailable
from photomat.storage.places import ResultPlaces
from photomat.storage.store import MIB, FileStore

SESSION: Final = "photomat results"
PROBLEMS_SHOWN: Final = 10
Reason = Annotated[str | None, typer.Option(help="For the journal.")]
app = typer.Typer(help="Where copies of results are kept.", no_args_is_help=True)


@app.command("show")
def show(*, as_json: AsJson = False) -> None:
    """How many copies each place has; reads every result."""
    places = result_places(load())
    found = query(list_places, name=SESSION, unhurried=True)
    if as_json:
        print_json([{**asdict(each), "kept_in": _called(places, each)} for each in found])
        return
    listing = Listing("place", "copies", "MB", "waiting")
    for each in found:
        listing.add_row(_called(places, each), str(each.copies), f"{each.size_bytes / MIB:.1f}", str(each.waiting))
    to = places.current.address
    if not found:
        print_listing(f"There are no copies yet; new ones go to {to}.")
        return
    print_listing(listing)
    typer.echo(f"New copies go to {to}.")


@app.command("move")
def move(
    *,
    to: Annotated[str | None, typer.Option(help="A folder or s3://bucket/prefix; without, RESULTS_STORE.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False,
    reason: Reason = None,
    as_json: AsJson = False,
) -> None:
    """Move every copy there, also while the bot runs; stopped at any moment, run it again. Exit 1 if some are left."""
    settings = load()
    failpoint.arm(settings.failpoint)
    places = result_places(settings)
    store = _store(places, to)
    if dry_run:
        count, size = query(
            lambda pool: count_elsewhere(pool, kept_in=places.called(store)), name=SESSION, unhurried=True
        )
        _print_plan(count, size, store, as_json=as_json)
        return

    def progress(report: MoveReport) -> None:
        typer.echo(f"  {report.moved} moved, {report.moved_bytes / MIB:.1f} MB …", err=True)

    async def act(pool: Pool) -> MoveReport:
        try:
            return await results.move_results(
                pool, places, to=store, operator=operator_name(), reason=reason, progress=progress
            )
        except StoreUnavailable as error:
            raise Startup(f"Nothing was moved to {store.address}: {error}. See `photomat check`.") from None

    _print_moved(operate(act, name=SESSION), store, is_current=store is places.current, as_json=as_json)


@app.command("sweep")
def sweep(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count.")] = False,
    reason: Reason = None,
    as_json: AsJson = False,
) -> None:
    """Delete files older than a day that no result names, in RESULTS_STORE and in DATA_DIR; the bot does it every day."""
    places = result_places(load())

    async def act(pool: Pool) -> dict[str, SweepReport]:
        if dry_run:
            return {str(each.address): await sweep_store(pool, places, each, dry_run=True) for each in places.stores}
        return {
            str(each.address): await results.sweep_results(
                pool, places, store=each, operator=operator_name(), reason=reason
            )
            for each in places.stores
        }

    try:
        swept = query(act, name=SESSION) if dry_run else operate(act, name=SESSION)
    except StoreUnavailable as error:
        raise Startup(f"The sweep stopped: {error}. See `photomat check`.") from None
    _print_swept(swept, dry_run=dry_run, as_json=as_json)


def _store(places: ResultPlaces, to: str | None) -> FileStore:
    try:
        return places.current if to is None else places.at(parse_address(to))
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--to") from None


def _called(places: ResultPlaces, found: CopiesAt) -> str:
    return str(places.named(found.kept_in).address)


def _print_plan(count: int, size: int, store: FileStore, *, as_json: bool) -> None:
    if as_json:
        print_json({"to": str(store.address), "copies": count, "size_bytes": size})
    else:
        typer.echo(f"{count} copies, {size / MIB:.1f} MB, would be moved to {store.address}.")


def _print_moved(report: MoveReport, store: FileStore, *, is_current: bool, as_json: bool) -> None:
    if as_json:
        facts: dict[str, Any] = asdict(report)
        print_json({"to": str(store.address), **facts, "problems": report.problems[:PROBLEMS_SHOWN]})
    else:
        mark = "✓" if report.is_complete else "✗"
        typer.echo(f"{mark} {report.moved} copies, {report.moved_bytes / MIB:.1f} MB, moved to {store.address}.")
        if report.missing:
            typer.echo(f"  {report.missing} are not in reach of this machine: run it where their folder is.")
        if report.damaged:
            typer.echo(f"  {report.damaged} are damaged and were left where they are.")
        if report.failed:
            typer.echo(f"  {report.failed} could not be moved now: run it again.")
        for problem in report.problems[:PROBLEMS_SHOWN]:
            typer.echo(f"    {problem}")
        if not is_current:
            typer.echo(f"  New copies still go elsewhere: set RESULTS_STORE={store.address} and restart.")
    if not report.is_complete:
        raise typer.Exit(1)


def _print_swept(swept: dict[str, SweepReport], *, dry_run: bool, as_json: bool) -> None:
    if as_json:
        print_json([{"store": address, **asdict(report)} for address, report in swept.items()])
        return
    for address, report in swept.items():
        what = "would be deleted" if dry_run else "deleted"
        typer.echo(
            f"{address}: {report.seen} files seen, {report.deleted} {what} ({report.deleted_bytes / MIB:.1f} MB)."
        )
