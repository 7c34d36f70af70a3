"""`photomat prune`: delete what was kept long enough, as the running bot does every ten minutes."""

from typing import Annotated, Final

import typer

from photomat.cli.ask import AsJson, ask, operate, print_json
from photomat.cli.screen import folding, print_found
from photomat.settings import load
from photomat.wiring.retention import kinds_of
from photomat.work.retention import prune as delete_old
from photomat.work.retention import would_prune

SESSION: Final = "photomat prune"


def prune(
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count what would be deleted.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete what was kept longer than the KEEP_…_DAYS settings say."""
    kinds = kinds_of(load())
    if dry_run:
        counts = ask(lambda pool: would_prune(pool, kinds), name=SESSION)
    else:
        counts = operate(lambda pool: delete_old(pool, kinds), name=SESSION)
    if as_json:
        print_json(
            [
                {
                    "kind": kind.name,
                    "keep_days": None if kind.keep is None else kind.keep.days,
                    "deleted": None if dry_run else counts[kind.name],
                    "would_delete": counts[kind.name] if dry_run else None,
                }
                for kind in kinds
            ]
        )
        return
    table = folding("kind", "kept for", "would be deleted" if dry_run else "deleted")
    for kind in kinds:
        table.add_row(kind.name, "ever" if kind.keep is None else f"{kind.keep.days} days", str(counts[kind.name]))
    print_found(table)
