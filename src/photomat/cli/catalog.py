"""`photomat catalog list|check|show|example|diff`: models, their inputs and prices, and differences to a list of Kie."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from photomat.app.live_settings import effective
from photomat.app.settings import Settings, load
from photomat.app.terms import rates_of
from photomat.catalog.answers import MEGABYTE
from photomat.catalog.diff import differences
from photomat.catalog.formula import plain
from photomat.catalog.input import Condition, Input
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Catalog, Model
from photomat.catalog.order import example_facts, example_of, request_of
from photomat.catalog.overrides import settings_of_models, standing_rules
from photomat.catalog.price_list import cheapest, least_facts, price_table
from photomat.catalog.pricing import NO_RULES, PriceRules, Quote, Rates, quote
from photomat.catalog.storefront import AS_IN_ITS_FILE, ModelSetting, as_sold, called, payload_of
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, exists_database, print_json, query
from photomat.db.pool import Pool, transaction

SESSION: Final = "photomat catalog"
CALLBACK: Final = "https://photomat.example/kie/callback"
app = typer.Typer(help="What is for sale.", no_args_is_help=True)


def in_words(model: Model) -> dict[str, Any]:
    """Everything about a model except its prices."""
    return {
        "id": model.id,
        "title": _bilingual(model.titles),
        "purpose": _bilingual(model.purpose),
        "category": model.category,
        "also": model.also,
        "output": model.output,
        "protocol": model.protocol,
        "status": model.status,
        "sellable": model.is_sellable,
        "off": model.off,
        "instead": model.instead,
        "doubt": model.doubt,
        "tags": model.tags,
        "good_at": model.good_at,
        "pace": model.pace,
        "one_of": model.one_of,
        "never": tuple(_condition(each) for each in model.never),
        "omits": dict(model.omits),
        "example": dict(model.example),
        "inputs": [_input(each) for each in model.inputs],
    }


def _input(each: Input) -> dict[str, Any]:
    return {
        "name": each.name,
        "type": each.type,
        "required": each.required,
        "limits": ", ".join(_limits(each)),
        "default": each.default or (list(each.default_items) or None),
        "place": each.place,
        "options": each.options,
        "condition": _condition(each.condition),
        "fields": [_input(field) for field in each.fields],
    }


def _limits(each: Input) -> list[str]:
    found = [
        ("", " | ".join(each.options[:12]) + (" | …" if len(each.options) > 12 else "") if each.options else None),  # noqa: PLR2004  as many fit on a line
        ("from ", each.least),
        ("to ", each.most),
        ("step ", each.step),
        ("at least characters ", each.min_length),
        ("characters up to ", each.max_length or each.total_length),
        ("items from ", each.min_items),
        ("items up to ", each.max_items),
        ("of ", ", ".join(each.of) or None),
    ]
    files = each.files
    if files is not None:
        found += [
            ("", f"{files.kind} {'/'.join(files.formats)}".strip()),
            ("MB up to ", None if files.max_bytes is None else files.max_bytes // MEGABYTE),
            ("seconds from ", files.min_seconds),
            ("seconds up to ", files.max_seconds),
            ("seconds in all up to ", files.total_seconds),
            ("sides from ", files.min_side),
            ("sides up to ", files.max_side),
        ]
    phrases = [f"{word}{plain(value)}" for word, value in found if value is not None]
    return [*phrases, *([_condition(each.condition)] if each.condition.names else [])]


def _condition(condition: Condition) -> str:
    parts = [f"{name} = {' or '.join(values)}" for name, values in condition.when]
    parts += [f"with {name}" for name in condition.given]
    parts += [f"without {name}" for name in condition.without]
    return f"only when {', '.join(parts)}" if parts else ""


def _bilingual(text: Any) -> str | None:
    if text is None:
        return None
    return text.ru if text.ru == text.en else f"{text.ru} / {text.en}"


@app.command("list")
def list_command(*, as_json: AsJson = False) -> None:
    """Every model we know, whether it is sold, and from which price, as it is asked for now."""
    changed = _operator_settings(load())
    rates = rates_of(changed.settings)
    found = [(model, _least(model, rates, changed.standing)) for model in load_catalog().models.values()]
    if as_json:
        print_json([as_listed(model, priced, changed.of(model)) for model, priced in found])
        return
    table = Listing("model", "title", "category", "output", "status", "from", "by")
    for model, priced in found:
        setting = changed.of(model)
        sold = as_sold(model, setting, accepts_callbacks=True)
        shown = (str(priced.price), made_by(priced)) if priced and sold else ("off", model.off or "")
        by = ", ".join(word for word in (shown[1], *in_operators_words(setting)) if word)
        title = called(model, setting).title
        table.add_row(model.id, title, model.category, model.output, model.status, shown[0], by)
    print_listing(table)


@app.command("check")
def check_command(*, as_json: AsJson = False) -> None:
    """Whether every model loads and every combination has a price; which models are off, and why."""
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
    found, changed = known_model(model), _operator_settings(load())
    rates, setting = rates_of(changed.settings), changed.of(found)
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
    table_of_inputs = Listing("input", "type", "required", "limits", "default", "asked")
    for each in in_words(found)["inputs"]:
        table_of_inputs.add_row(*(str(each[key]) for key in ("name", "type", "required", "limits", "default", "place")))
    print_listing(table_of_inputs)
    table_of_prices = Listing("choice", "credits", "price from")
    for row, priced in prices:
        chosen = ", ".join(f"{name} = {value}" for name, value in row.inputs.items()) or "any"
        table_of_prices.add_row(chosen, f"{row.credits:f}", str(priced.price))
    print_listing(table_of_prices)


@app.command("example")
def example_command(model: str, *, as_json: AsJson = False) -> None:
    """What would be sent to Kie for a filled example of a model, and what it would cost."""
    found, rates = known_model(model), rates_of(_operator_settings(load()).settings)
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
    """Differences between a model list of Kie and the catalogue, for review; exit 1 if there are any."""
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


def known_model(name: str) -> Model:
    """The model of this id, sold or not; a usage error if there is none."""
    found = load_catalog().models.get(name)
    if found is None:
        raise typer.BadParameter(f"{name} is not in the catalogue; `photomat catalog list` names what is")
    return found


def as_listed(model: Model, priced: Quote | None, setting: ModelSetting = AS_IN_ITS_FILE) -> dict[str, Any]:
    minor = priced.price.minor if priced else None
    return {
        "id": model.id,
        "model": model.id,
        "title": called(model, setting).title,
        "kind": model.kind,
        "category": model.category,
        "output": model.output,
        "status": model.status,
        "sellable": as_sold(model, setting, accepts_callbacks=True) is not None,
        "price_from": minor,
        "price": minor,
        "currency": priced.price.currency if priced else None,
        "rule": priced.rule if priced else None,
        "hidden": setting.hidden,
        "featured": setting.featured,
        "sold_though_off": setting.sold,
    }


def made_by(priced: Quote) -> str:
    by = {"formula": "the settings", "fixed": "a fixed price", "markup": "its own markup", "free": "free"}[priced.rule]
    return by if priced.percent is None else f"{by}, less {priced.percent:f} %"


def in_operators_words(setting: ModelSetting) -> list[str]:
    flags = {"hidden": setting.hidden, "featured": setting.featured, "sold though off": setting.sold}
    renamed = setting.title_ru is not None or setting.title_en is not None
    return [word for word, is_so in (*flags.items(), ("renamed", renamed)) if is_so]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSettings:
    """What operators changed without a deploy: settings, prices and the storefront."""

    settings: Settings
    standing: Mapping[str, PriceRules]
    models: Mapping[str, ModelSetting]

    def of(self, model: Model) -> ModelSetting:
        return self.models.get(model.id, AS_IN_ITS_FILE)


def _operator_settings(settings: Settings) -> OperatorSettings:
    """The operators' settings, if there is a database."""

    async def read(pool: Pool) -> OperatorSettings:
        async with transaction(pool) as tx:
            standing = await standing_rules(tx, currency=settings.currency)
        now = await effective(pool, settings)
        return OperatorSettings(settings=now, standing=standing, models=await settings_of_models(pool))

    if exists_database(settings):
        return query(read, name=SESSION)
    return OperatorSettings(settings=settings, standing={}, models={})


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
