"""`photomat incidents`: what is wrong now, and what was recently."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from photomat.alerts.store import list_incidents
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, print_json, query

COLUMNS: Final = ("no", "kind", "state", "opened (UTC)", "lasted", "figures", "operators told")


def incidents(*, limit: Annotated[int, typer.Option(min=1, max=1000)] = 20, as_json: AsJson = False) -> None:
    """Incidents, the open ones first: figures, duration, operators notified."""
    rows = query(lambda pool: list_incidents(pool, limit=limit), name="photomat incidents")
    if as_json:
        print_json(rows)
    else:
        _print(rows)


def _print(rows: Sequence[Mapping[str, Any]]) -> None:
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
