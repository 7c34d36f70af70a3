"""`photomat catalog canary`: one model run for real, and compared with what the catalogue says of it."""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta
from typing import Annotated, Any

import typer

from photomat.catalog.canary import CanaryRun, run_canary
from photomat.catalog.model import Model
from photomat.catalog.order import HOST, check_order, example_of
from photomat.catalog.pricing import quote
from photomat.cli.ask import AsJson, print_json
from photomat.cli.catalog import CALLBACK, known_model, rates_of
from photomat.kernel.errors import OutcomeUnknown, Rejected, Transient
from photomat.settings import Settings, load


def canary(
    model: str,
    *,
    given: Annotated[
        list[str] | None, typer.Option("--input", help="name=value instead of the example's; repeat.")
    ] = None,
    confirm: Annotated[bool, typer.Option("--confirm", help="Yes, it costs Kie credits.")] = False,
    patience_s: Annotated[int, typer.Option("--patience", min=1, max=7200, help="Seconds to wait for the end.")] = 900,
    as_json: AsJson = False,
) -> None:
    """Run the example of a model at Kie, for real, and compare; exit 1 when something is otherwise."""
    settings, found = load(), known_model(model)
    inputs = _inputs(found, given or [])
    if not confirm:
        cost = quote(found, inputs, rates_of(settings)).cost if found.prices else "an unknown sum"
        raise typer.BadParameter(f"this runs {model} for real and costs about {cost}: say --confirm")
    try:
        flight = asyncio.run(_fly(settings, found, inputs, timedelta(seconds=patience_s)))
    except (Rejected, Transient, OutcomeUnknown) as error:
        raise typer.BadParameter(f"Kie took no task: {getattr(error, 'reason', error)}") from error
    _tell(flight, as_json=as_json)


def _inputs(model: Model, given: list[str]) -> dict[str, Any]:
    """The example with what was given in its place; files must be given, a sample's address leads nowhere."""
    if not model.can_be_ordered:
        raise typer.BadParameter(f"{model.id} cannot be ordered: {model.off}")
    pairs = [each.partition("=") for each in given]
    inputs = {**example_of(model), **{name: value for name, _, value in pairs}}
    samples = [name for name, value in inputs.items() if HOST in str(value)]
    if samples:
        raise typer.BadParameter(f"say with --input which files to use: {', '.join(samples)}")
    refused = check_order(model, inputs)
    if refused:
        raise typer.BadParameter("; ".join(f"{each.key} {dict(each.facts)}" for each in refused))
    return inputs


async def _fly(settings: Settings, model: Model, inputs: dict[str, Any], patience: timedelta) -> CanaryRun:
    from photomat.wiring.outside import reach_kie  # noqa: PLC0415  aiogram takes seconds to load; no other command of these needs it

    async with AsyncExitStack() as stack:
        kie = reach_kie(stack, settings)
        callback_url = CALLBACK if model.needs_callback else None
        return await run_canary(kie, model, inputs, callback_url=callback_url, patience=patience)


def _tell(flight: CanaryRun, *, as_json: bool) -> None:
    reading = flight.reading
    if as_json:
        print_json(
            {
                "model": flight.model.id,
                "task_id": flight.task_id,
                "state": reading.state if reading else None,
                "outputs": len(reading.urls) if reading else 0,
                "counted": flight.counted,
                "taken": reading.credits if reading else None,
                "took": reading.took if reading else None,
                "complaints": flight.complaints,
            }
        )
    else:
        for complaint in flight.complaints:
            typer.echo(f"✗ {flight.model.id}: {complaint}")
        if not flight.complaints:
            typer.echo(f"✓ {flight.model.id}: task {flight.task_id} ended as the catalogue says")
    if flight.complaints:
        raise typer.Exit(1)
