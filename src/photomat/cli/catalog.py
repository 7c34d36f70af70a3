"""`photomat catalog`: what is for sale, and for how much."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model
from photomat.catalog.pricing import Rates, price
from photomat.settings import load

app = typer.Typer(help="What is for sale.", no_args_is_help=True)


@app.command("list")
def list_command(*, as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False) -> None:
    """Every model with its price at default inputs."""
    settings = load()
    rates = Rates(usd_rate=settings.usd_rate, markup=settings.markup, currency=settings.currency)
    models = load_catalog().models.values()
    if as_json:
        typer.echo(json.dumps([_as_json(model, rates) for model in models], ensure_ascii=False))
        return
    table = Table("model", "title", "kind", "price")
    for model in models:
        table.add_row(model.id, model.title, model.kind, str(price(model, _defaults(model), rates)))
    Console().print(table)


def _defaults(model: Model) -> dict[str, str]:
    return {one.name: one.default for one in model.inputs if one.default is not None}


def _as_json(model: Model, rates: Rates) -> dict[str, object]:
    cost = price(model, _defaults(model), rates)
    return {"model": model.id, "title": model.title, "kind": model.kind, "price": cost.minor, "currency": cost.currency}
