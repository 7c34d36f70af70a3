"""`photomat catalog`: what is for sale, for how much, how it is ordered, and what a list of Kie says otherwise."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from photomat.catalog.diff import differences
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Catalog, Model
from photomat.catalog.order import example_facts, example_of, request_of
from photomat.catalog.overrides import settings_of_models, standing_rules
from photomat.catalog.price_list import cheapest, least_facts, price_table
from photomat.catalog.pricing import NO_RULES, PriceRules, Quote, Rates, quote
from photomat.catalog.storefront import AS_IN_ITS_FILE, ModelSetting, as_sold, called, payload_of
from photomat.cli.ask import AsJson, ask, print_json
from photomat.cli.catalog_words import in_words
from photomat.cli.embedded import has_database
from photomat.cli.screen import folding, print_found
from photomat.db.pool import Pool
from photomat.settings import Settings, load

SESSION: Final = "photomat catalog"
CALLBACK: Final = "https://photomat.example/kie/callback"
app = typer.Typer(help="What is for sale.", no_args_is_help=True)


@app.command("list")
def list_command(*, as_json: AsJson = False) -> None:
    """Every model we know, whether it is sold, and from which price, as it is asked for now."""
    settings = load()
    rates, said = rates_of(settings), _said_by_operators(settings)
    found = [(model, _least(model, rates, said.standing)) for model in load_catalog().models.values()]
    if as_json:
        print_json([as_listed(model, priced, said.of(model)) for model, priced in found])
        return
    table = folding("model", "title", "category", "output", "status", "from", "by")
    for model, priced in found:
        setting = said.of(model)
        sold = as_sold(model, setting, reachable=True)
        shown = (str(priced.price), made_by(priced)) if priced and sold else ("off", model.off or "")
        by = ", ".join(word for word in (shown[1], *in_operators_words(setting)) if word)
        title = called(model, setting).title
        table.add_row(model.id, title, model.category, model.output, model.status, shown[0], by)
    print_found(table)


@app.command("check")
def check_command(*, as_json: AsJson = False) -> None:
    """Whether the catalogue is whole: everything loads, every combination has its price; what is off, and why."""
    catalog = load_catalog()
    report = _report(catalog)
    if as_json:
        print_json(report)
        return
    statuses = ", ".join(f"{count} {status}" for status, count in report["statuses"].items())
    typer.echo(f"✓ {report['models']} models ({statuses}), {report['sellable']} of them for sale")
    typer.echo(f"✓ {report['prices']} prices computed, none of them missing")
    for title, reasons in (
        ("Off until an operator turns them on", report["off"]),
        ("Sold, with a doubt", report["doubts"]),
    ):
        typer.echo(f"\n{title}: {len(reasons)}")
        for model_id, reason in reasons.items():
            typer.echo(f"  {model_id}: {reason}")


@app.command("show")
def show_command(model: str, *, as_json: AsJson = False) -> None:
    """Everything about one model: what it asks for, within which limits, and what every choice costs."""
    found, settings = known_model(model), load()
    rates, setting = rates_of(settings), _said_by_operators(settings).of(found)
    rows = price_table(found) if found.prices else []
    facts = least_facts(found)
    prices = [(row, quote(found, row.order, rates, measured=facts)) for row in rows]
    if as_json:
        table = [
            {"inputs": row.inputs, "credits": f"{row.credits:f}", "price": priced.price.minor} for row, priced in prices
        ]
        print_json(
            in_words(found)
            | {"facts": facts, "prices": table, "set_by_operators": asdict(setting), "start": payload_of(model)}
        )
        return
    for name, value in in_words(found).items():
        if name != "inputs" and value not in (None, (), {}, ""):
            typer.echo(f"{name}: {value}")
    typer.echo(f"link: https://t.me/<your bot>?start={payload_of(model)}")
    if setting != AS_IN_ITS_FILE:
        typer.echo(f"set by operators: {', '.join(in_operators_words(setting))}")
    table_of_inputs = folding("input", "type", "required", "limits", "default", "asked")
    for each in in_words(found)["inputs"]:
        table_of_inputs.add_row(*(str(each[key]) for key in ("name", "type", "required", "limits", "default", "place")))
    print_found(table_of_inputs)
    table_of_prices = folding("choice", "credits", "price from")
    for row, priced in prices:
        chosen = ", ".join(f"{name} = {value}" for name, value in row.inputs.items()) or "any"
        table_of_prices.add_row(chosen, f"{row.credits:f}", str(priced.price))
    print_found(table_of_prices)


@app.command("example")
def example_command(model: str, *, as_json: AsJson = False) -> None:
    """What would be sent to Kie for a filled example of a model, and what it would cost."""
    found, rates = known_model(model), rates_of(load())
    if not found.can_be_ordered:
        raise typer.BadParameter(f"{model} cannot be ordered: {found.off}")
    inputs = example_of(found)
    endpoint, body = request_of(found, inputs, callback_url=CALLBACK if found.needs_callback else None)
    priced = quote(found, inputs, rates, measured=example_facts(found, inputs)) if found.prices else None
    answer = {
        "model": found.id,
        "endpoint": endpoint,
        "body": body,
        "input": body.get("input", body),
        "credits": f"{priced.credits:f}" if priced else None,
        "price": priced.price.minor if priced else None,
        "currency": rates.currency,
    }
    if as_json:
        print_json(answer)
        return
    typer.echo(f"POST {endpoint}\n{json.dumps(body, ensure_ascii=False, indent=2)}")
    typer.echo(f"{priced.credits:f} credits, {priced.price}" if priced else f"Its price is not known: {found.off}")


@app.command("diff")
def diff_command(
    listed: Annotated[
        Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="A model list of Kie, as JSON.")
    ],
    *,
    as_json: AsJson = False,
) -> None:
    """What a model list of Kie says otherwise: proposals for a review; exit 1 when there are any."""
    try:
        entries = json.loads(listed.read_text(encoding="utf-8"))
        found = differences(load_catalog(), entries)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise typer.BadParameter(f"{listed} is not a list of models with id, inputs and price: {error!r}") from error
    if as_json:
        print_json([{"model": each.model, "change": each.change} for each in found])
    else:
        for each in found:
            typer.echo(f"{each.model}: {each.change}")
        typer.echo(f"{len(found)} differences" if found else "✓ The catalogue says what the list says.")
    if found:
        raise typer.Exit(1)


def rates_of(settings: Settings) -> Rates:
    """What prices are made with."""
    return Rates(
        usd_rate=settings.usd_rate, markup=settings.markup, currency=settings.currency, step=settings.price_step
    )


def known_model(name: str) -> Model:
    """The model of this id, for sale or not."""
    found = load_catalog().models.get(name)
    if found is None:
        raise typer.BadParameter(f"{name} is not in the catalogue; `photomat catalog list` names what is")
    return found


def as_listed(model: Model, priced: Quote | None, setting: ModelSetting = AS_IN_ITS_FILE) -> dict[str, Any]:
    """A model as machines read it, with what operators set."""
    minor = priced.price.minor if priced else None
    return {
        "id": model.id,
        "model": model.id,
        "title": called(model, setting).title,
        "kind": model.kind,
        "category": model.category,
        "output": model.output,
        "status": model.status,
        "sellable": as_sold(model, setting, reachable=True) is not None,
        "price_from": minor,
        "price": minor,
        "currency": priced.price.currency if priced else None,
        "rule": priced.rule if priced else None,
        "hidden": setting.hidden,
        "featured": setting.featured,
        "sold_though_off": setting.sold,
    }


def made_by(priced: Quote) -> str:
    """Which rule made a price, in words."""
    by = {"formula": "the settings", "fixed": "a fixed price", "markup": "its own markup", "free": "free"}[priced.rule]
    return by if priced.percent is None else f"{by}, less {priced.percent:f} %"


def in_operators_words(setting: ModelSetting) -> list[str]:
    """What operators set of a model, in words."""
    flags = {"hidden": setting.hidden, "featured": setting.featured, "sold though off": setting.sold}
    renamed = setting.title_ru is not None or setting.title_en is not None
    return [word for word, is_so in (*flags.items(), ("renamed", renamed)) if is_so]


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidByOperators:
    """What operators set without a deploy: prices, and how models are sold."""

    standing: Mapping[str, PriceRules]
    models: Mapping[str, ModelSetting]

    def of(self, model: Model) -> ModelSetting:
        """How one model is sold."""
        return self.models.get(model.id, AS_IN_ITS_FILE)


def _said_by_operators(settings: Settings) -> SaidByOperators:
    """What operators set, where there is a database to have it."""

    async def read(pool: Pool) -> SaidByOperators:
        standing = await standing_rules(pool, currency=settings.currency)
        return SaidByOperators(standing=standing, models=await settings_of_models(pool))

    embedded = has_database(settings.data_dir) if settings.sandboxed else (settings.data_dir / "postgres").exists()
    return ask(read, name=SESSION) if settings.database_url or embedded else SaidByOperators(standing={}, models={})


def _least(model: Model, rates: Rates, standing: Mapping[str, PriceRules]) -> Quote | None:
    if not model.prices:
        return None
    inputs = cheapest(model).order
    return quote(model, inputs, rates, standing.get(model.id, NO_RULES), measured=least_facts(model))


def _report(catalog: Catalog) -> dict[str, Any]:
    models = catalog.models.values()
    return {
        "models": len(models),
        "statuses": dict(Counter(model.status for model in models)),
        "sellable": len(catalog.sellable),
        "prices": sum(len(price_table(model)) for model in models if model.prices),
        "off": {model.id: model.off for model in models if not model.is_sellable},
        "doubts": {model.id: model.doubt for model in catalog.sellable if model.doubt},
    }
