"""`photomat incidents`: what is wrong now, and what was lately."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from photomat.alerts.store import list_incidents
from photomat.cli.screen import folding, print_found
from photomat.cli.session import AsJson, ask, print_json

COLUMNS: Final = ("no", "kind", "state", "opened (UTC)", "lasted", "figures", "operators told")


def incidents(*, limit: Annotated[int, typer.Option(min=1, max=1000)] = 20, as_json: AsJson = False) -> None:
    """Incidents, the open ones first: what was seen, how long, who was told."""
    rows = ask(lambda pool: list_incidents(pool, limit=limit), name="photomat incidents")
    if as_json:
        print_json(rows)
    else:
        _print(rows)


def _print(rows: Sequence[Mapping[str, Any]]) -> None:
    table = folding(*COLUMNS)
    for row in rows:
        told = f"{row['told']}" + (f", {row['not_told']} could not be" if row["not_told"] else "")
        table.add_row(
            str(row["incident_id"]),
            row["kind"],
            "OPEN" if row["open"] else "over",
            f"{row['opened_at']:%m-%d %H:%M}",
            f"{round(row['lasted_s'] / 60)} min",
            " ".join(f"{name}={value}" for name, value in row["figures"].items()),
            told,
        )
    print_found(table if rows else "There are no incidents, now or lately.")
