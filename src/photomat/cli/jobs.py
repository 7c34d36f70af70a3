"""`photomat jobs`: what happened to every job."""

import asyncio
import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from photomat.cli.database import reachable_database
from photomat.db.pool import connect_pool
from photomat.jobs.listing import list_jobs, show_job
from photomat.settings import load

app = typer.Typer(help="What happened to every job.", no_args_is_help=True)
AsJson = Annotated[bool, typer.Option("--json", help="For machines.")]


@app.command("list")
def list_command(
    *,
    undelivered: Annotated[bool, typer.Option(help="Only results nobody has seen yet.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 20,
    as_json: AsJson = False,
) -> None:
    """The newest jobs."""
    rows = _query(lambda pool: list_jobs(pool, limit=limit, undelivered=undelivered))
    if as_json:
        typer.echo(json.dumps(rows, ensure_ascii=False))
        return
    table = Table("job", "corr", "user", "model", "status", "price", "created", "delivered")
    for row in rows:
        table.add_row(
            *(str(row[key] or "") for key in ("job_id", "corr", "user_id", "model", "status", "price")),
            str(row["created_at"])[:19],
            str(row["delivered_at"] or "")[:19],
        )
    Console().print(table)


@app.command("show")
def show_command(job: str, *, as_json: AsJson = False) -> None:
    """Everything known about one job, by its id or by its task's."""
    found = _query(lambda pool: show_job(pool, job))
    if found is None:
        typer.echo(f"No job and no task is called {job}.", err=True)
        raise typer.Exit(1)
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    _print_facts(found)


def _print_facts(found: Mapping[str, Any]) -> None:
    table = Table.grid(padding=(0, 2))
    for name, value in found.items():
        if value is not None:
            table.add_row(name, str(value))
    Console().print(table)


def _query(ask: Any) -> Any:
    async def run(dsn: str) -> Any:
        pool = await connect_pool(dsn, size=1, patience_s=0)
        try:
            return await ask(pool)
        finally:
            await pool.close()

    with reachable_database(load()) as dsn:
        return asyncio.run(run(dsn))
