"""`photomat templates list|show|hide|unhide|add` and `photomat examples list|make|forget`: ideas, and what shows them."""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import typer

from photomat.app.settings import Settings, load
from photomat.catalog.load import load_catalog
from photomat.catalog.overrides import settings_of_models
from photomat.catalog.pricing import USD_PER_CREDIT
from photomat.catalog.storefront import Storefront, storefront_of
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, operate, operator_name, print_json, print_outcome, query
from photomat.db.pool import Pool
from photomat.kernel.errors import Startup
from photomat.kernel.http import Fetcher
from photomat.operators import templates as operators
from photomat.operators.actions import ActionResult
from photomat.templates.examples import Example, Examples, of_template
from photomat.templates.load import read_templates, shipped_templates
from photomat.templates.make import ExampleMaker, Outcome, WantedExample, wanted_examples, wanted_voices
from photomat.templates.stored import KnownTemplate, Templates
from photomat.templates.template import Slot

NAME: Final = "photomat templates"
CALLBACK: Final = "https://photomat.example/kie/callback"
Reason = Annotated[str, typer.Option(help="Why, for the journal.")]
app = typer.Typer(help="Ideas customers complete by answering a few questions.", no_args_is_help=True)
examples_app = typer.Typer(help="Pictures, clips and sounds that show templates and voices.", no_args_is_help=True)


def _templates(pool: Pool) -> Templates:
    catalog = load_catalog()
    return Templates(pool=pool, catalog=catalog, shipped=shipped_templates(catalog))


@app.command("list")
def list_templates(*, as_json: AsJson = False) -> None:
    """Every template: its group, its models, whether customers see it."""
    found = query(lambda pool: _templates(pool).known(), name=NAME)
    if as_json:
        print_json([_as_json(each) for each in found.values()])
        return
    table = Listing("template", "title", "group", "models", "state")
    for each in found.values():
        template = each.template
        table.add_row(template.id, template.title.en, template.group, ", ".join(template.models), _state(each))
    print_listing(table)


@app.command("show")
def show_template(template: str, *, as_json: AsJson = False) -> None:
    """One template: its questions, and the prompt they make."""
    found = query(lambda pool: _templates(pool).known(), name=NAME).get(template)
    if found is None:
        typer.echo(operators.NO_SUCH_TEMPLATE, err=True)
        raise typer.Exit(1)
    if as_json:
        print_json(_as_json(found))
        return
    shown = found.template
    typer.echo(f"{shown.id}: {shown.title.ru} / {shown.title.en}, {shown.group}, {_state(found)}")
    typer.echo(f"models: {', '.join(shown.models)}")
    if shown.prompt is not None:
        typer.echo(f"ru: {shown.prompt.ru}\nen: {shown.prompt.en}")
    for slot in shown.slots:
        typer.echo(f"{slot.name} ({slot.kind}): {slot.ask.ru} / {slot.ask.en}")


@app.command("hide")
def hide(template: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Hide a template from customers, from now on."""
    _switch(template, reason, hidden=True, as_json=as_json)


@app.command("unhide")
def unhide(template: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Show a hidden template again."""
    _switch(template, reason, hidden=False, as_json=as_json)


@app.command("add")
def add(
    file: Annotated[Path, typer.Argument(help="A TOML file with tables [[template]], as the shipped ones are.")],
    *,
    reason: Reason,
    as_json: AsJson = False,
) -> None:
    """Add the templates of a file, or replace those with the same ids; all are checked first."""
    try:
        text = file.read_text(encoding="utf-8")
        checked = read_templates(text, load_catalog(), name=file.name)
    except (OSError, UnicodeDecodeError, Startup) as error:
        raise typer.BadParameter(str(error)) from error
    tables: Mapping[str, Mapping[str, Any]] = {each["id"]: each for each in tomllib.loads(text)["template"]}

    async def act(pool: Pool) -> list[ActionResult]:
        return [
            await operators.add_template(
                _templates(pool), each.id, tables[each.id], operator=operator_name(), reason=reason
            )
            for each in checked
        ]

    answers = operate(act, name=NAME)
    sentence = " ".join(f"{each.id}: {answer.sentence}" for each, answer in zip(checked, answers, strict=True))
    facts = {"templates": [each.id for each in checked], "sentence": sentence} if as_json else None
    print_outcome(sentence, done=True, facts=facts)


@examples_app.command("list")
def list_examples(*, as_json: AsJson = False) -> None:
    """Every example that was asked for, and what became of it."""
    found = list(query(_read_examples, name=NAME).values())
    if as_json:
        print_json([asdict(each) for each in found])
        return
    table = Listing("example", "state", "model", "task", "file")
    for each in found:
        table.add_row(each.subject, _example_state(each), each.model, each.task_id or "", each.file or "")
    print_listing(table if found else "There are no examples yet; `photomat examples make` makes them.")


@examples_app.command("make")
def make(
    *,
    only: Annotated[list[str] | None, typer.Option("--only", help="The template of an example; repeat.")] = None,
    voices: Annotated[bool, typer.Option("--voices", help="Samples of the voices instead.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask: it costs what is printed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make the examples that are missing, for Kie credits; says how many and what they cost, then asks."""
    settings = load()
    if not settings.kie_api_key:
        raise typer.BadParameter("KIE_API_KEY is missing: examples are made from your own key")
    known, wanted = operate(lambda pool: _plan(pool, settings, only=only or [], voices=voices), name=NAME)
    missing = [each for each in wanted if _is_missing(known.get(each.subject))]
    cost = sum((each.credits for each in missing), Decimal(0))
    typer.echo(_bill(missing, known, cost), err=as_json)
    going_on = [each for each in wanted if _is_running(known.get(each.subject))]
    if not missing and not going_on:
        _print_made({}, as_json=as_json)
        return
    if not yes:
        typer.confirm("Make them?", abort=True, err=as_json)
    made = operate(lambda pool: _make(pool, settings, [*missing, *going_on]), name=NAME)
    _print_made(made, as_json=as_json)


@examples_app.command("forget")
def forget(
    example: Annotated[str, typer.Argument(help="As `examples list` names it: template:portrait.")],
    *,
    reason: Reason,
    as_json: AsJson = False,
) -> None:
    """Delete an example, so that the next `make` makes it and pays for it again."""
    answer = operate(
        lambda pool: operators.forget_example(pool, example, operator=operator_name(), reason=reason), name=NAME
    )
    facts = {"example": example, "sentence": answer.sentence} if as_json else None
    print_outcome(f"{example}: {answer.sentence}", done=answer.done, facts=facts)


def _switch(template: str, reason: str, *, hidden: bool, as_json: bool) -> None:
    answer = operate(
        lambda pool: operators.hide_template(
            _templates(pool), template, hidden=hidden, operator=operator_name(), reason=reason
        ),
        name=NAME,
    )
    facts = {"template": template, "sentence": answer.sentence} if as_json else None
    print_outcome(f"{template}: {answer.sentence}", done=answer.done, facts=facts)


async def _read_examples(pool: Pool) -> dict[str, Example]:
    return await Examples(pool=pool, folder=load().examples_folder).all()


async def _plan(
    pool: Pool, settings: Settings, *, only: Sequence[str], voices: bool
) -> tuple[dict[str, Example], list[WantedExample]]:
    """What is known of examples, and everything there could be: of the templates customers see, or of the voices."""
    storefront = await _storefront(pool, settings)
    shown = await _templates(pool).shown(storefront)
    unknown = set(only) - {each.id for each in shown}
    if unknown:
        raise typer.BadParameter(f"customers see no template {', '.join(sorted(unknown))}")
    wanted = wanted_voices(storefront) if voices else wanted_examples(shown, storefront, only=only)
    return await Examples(pool=pool, folder=settings.examples_folder).all(), wanted


async def _storefront(pool: Pool, settings: Settings) -> Storefront:
    return storefront_of(
        load_catalog(), await settings_of_models(pool), accepts_callbacks=settings.base_url is not None
    )


async def _make(pool: Pool, settings: Settings, wanted: Sequence[WantedExample]) -> dict[str, Outcome]:
    from photomat.app.clients import connect_kie, kie_uploads  # noqa: PLC0415  aiogram takes seconds to load

    async with AsyncExitStack() as stack:
        fetcher = Fetcher(trusted_host=urlsplit(settings.kie_api_url).hostname or "")
        stack.push_async_callback(fetcher.close)
        maker = ExampleMaker(
            pool=pool,
            provider=connect_kie(stack, settings),
            uploads=kie_uploads(settings),
            fetcher=fetcher,
            folder=settings.examples_folder,
            callback_url=CALLBACK,
        )
        made = await maker.make(wanted)
    await operators.note_examples(pool, _in_words(made), operator=operator_name())
    return made


def _is_missing(known: Example | None) -> bool:
    return known is None or known.state == "failed"


def _is_running(known: Example | None) -> bool:
    return known is not None and known.state == "running"


def _bill(missing: Sequence[WantedExample], known: Mapping[str, Example], cost: Decimal) -> str:
    running = sum(each.state == "running" for each in known.values())
    unknown = sorted(each.subject for each in known.values() if each.state == "asked")
    lines = [f"{len(missing)} examples to make, for about {cost:f} Kie credits (${cost * USD_PER_CREDIT:.2f})."]
    lines += [f"{running} are being made already; they are fetched."] if running else []
    if unknown:
        lines.append(f"Not asked for again, because the outcome is unknown: {', '.join(unknown)}.")
    return "\n".join(lines)


def _print_made(made: Mapping[str, Outcome], *, as_json: bool) -> None:
    if as_json:
        print_json([{"example": subject, "outcome": outcome} for subject, outcome in made.items()])
        return
    for subject, outcome in made.items():
        typer.echo(f"{'✓' if outcome == 'made' else '✗'} {subject}: {outcome}")
    typer.echo(_in_words(made))


def _in_words(made: Mapping[str, Outcome]) -> str:
    counted = Counter(made.values())
    return ", ".join(f"{count} {outcome}" for outcome, count in sorted(counted.items())) or "Nothing was made."


def _state(known: KnownTemplate) -> str:
    return f"{'hidden' if known.hidden else 'shown'}{', added' if known.added else ''}"


def _example_state(example: Example) -> str:
    if example.state == "asked":
        return "unknown: the request left and got no answer"
    return f"failed: {example.problem}" if example.state == "failed" else "drawn" if example.drawn else example.state


def _as_json(known: KnownTemplate) -> dict[str, Any]:
    template = known.template
    return {
        "id": template.id,
        "group": template.group,
        "title": asdict(template.title),
        "models": template.models,
        "prompt": asdict(template.prompt) if template.prompt else None,
        "inputs": dict(template.inputs),
        "slots": [_slot(each) for each in template.slots],
        "example": of_template(template.id),
        "hidden": known.hidden,
        "added": known.added,
    }


def _slot(slot: Slot) -> dict[str, Any]:
    return {
        "name": slot.name,
        "kind": slot.kind,
        "ask": asdict(slot.ask),
        "examples": dict(slot.examples),
        "max_length": slot.max_length,
    }
