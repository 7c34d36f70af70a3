"""`photomat catalog price|margins|hide|feature|rename|sell|canary`: changes without a deploy, margins, a real test run."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

import typer

from photomat.app.live_settings import effective
from photomat.app.settings import Settings, load
from photomat.app.terms import rates_of
from photomat.catalog.model import Model
from photomat.catalog.order import HOST, check_order, example_of
from photomat.catalog.overrides import StoredOverride, rules_of, setting_of, stored_rules
from photomat.catalog.pricing import Override, Quote, quote
from photomat.catalog.storefront import ModelSetting
from photomat.cli.catalog import CALLBACK, SESSION, as_listed, known_model, made_by
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, current_settings, operate, operator_name, print_json, print_outcome, query
from photomat.db.pool import Pool, transaction
from photomat.jobs.listing import Margin, margins
from photomat.kernel.errors import OutcomeUnknown, Rejected, Transient
from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.operators.actions import ActionResult
from photomat.operators.catalog import (
    CanaryRun,
    ModelSwitch,
    NewTitle,
    PriceChange,
    change_price,
    rename_model,
    run_canary,
    switch_model,
)

Reason = Annotated[str, typer.Option(help="Why, for the journal.")]


def price(
    model: str,
    *,
    fixed: Annotated[str | None, typer.Option("--set", help="One price, in the currency, whatever is chosen.")] = None,
    markup: Annotated[str | None, typer.Option(help="Another markup than MARKUP.")] = None,
    free: Annotated[bool, typer.Option("--free", help="Free of charge.")] = False,
    discount: Annotated[str | None, typer.Option(help="Percent off, above 0 and below 100.")] = None,
    clear: Annotated[bool, typer.Option("--clear", help="Back to the settings: ends every rule of the model.")] = False,
    begin: Annotated[datetime | None, typer.Option("--from", help="Begins then; UTC.")] = None,
    until: Annotated[datetime | None, typer.Option("--until", help="Ends then; UTC.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why, for the journal; needed for a change.")] = None,
    confirm: Annotated[bool, typer.Option("--confirm", help="Also below cost, or a jump of more than ×3.")] = False,
    as_json: AsJson = False,
) -> None:
    """The price of a model and its rules; with an option, change it for all running instances at once."""
    found = known_model(model)
    if not found.prices:
        raise typer.BadParameter(f"{model} has no known price: {found.off}")
    wanted = _override(fixed=fixed, markup=markup, free=free, discount=discount, until=_utc(until))
    if wanted is None and not clear:
        _show(found, as_json=as_json)
        return
    if wanted is not None and clear:
        raise typer.BadParameter("choose one of --set, --markup, --free, --discount and --clear")
    if not reason:
        raise typer.BadParameter("--reason is needed: it goes to the journal")
    change = PriceChange(
        model=found,
        override=wanted,
        operator=operator_name(),
        reason=reason,
        from_at=_utc(begin),
        confirmed=confirm,
    )

    async def act(pool: Pool) -> ActionResult:
        return await change_price(pool, change, rates=rates_of(await effective(pool, load())))

    _print_answer(found, operate(act, name=SESSION), as_json=as_json)


def show_margins(*, days: Annotated[int, typer.Option(min=1, max=3660)] = 30, as_json: AsJson = False) -> None:
    """Income, cost at Kie and margin of each model in the last days."""
    found = query(lambda pool: margins(pool, since=timedelta(days=days)), name=SESSION)
    if as_json:
        print_json([asdict(each) for each in found])
        return
    table = Listing("model", "jobs", "done", "income", "cost", "margin", "cost unknown")
    for each in found:
        table.add_row(each.model, str(each.jobs), str(each.done), *_sums(each), str(each.unknown))
    print_listing(table if found else f"Nothing was settled in the last {days} days.")


def _override(
    *, fixed: str | None, markup: str | None, free: bool, discount: str | None, until: datetime | None
) -> Override | None:
    if sum((fixed is not None, markup is not None, free, discount is not None)) > 1:
        raise typer.BadParameter("choose one of --set, --markup, --free, --discount and --clear")
    if fixed is not None:
        minor = _number(fixed, "--set") * MINOR_PER_MAJOR
        if minor != minor.to_integral_value():
            raise typer.BadParameter("--set takes whole minor units: at most two digits behind the point")
        return Override(kind="fixed", value=minor, until=until)
    if markup is not None:
        return Override(kind="markup", value=_number(markup, "--markup"), until=until)
    if discount is not None:
        return Override(kind="discount", value=_number(discount, "--discount", below=Decimal(100)), until=until)
    return Override(kind="free", until=until) if free else None


def _number(written: str, option: str, *, below: Decimal = Decimal(1_000_000)) -> Decimal:
    try:
        number = Decimal(written.replace(",", "."))
    except InvalidOperation:
        raise typer.BadParameter(f"{option} takes a number, not {written}") from None
    if not number.is_finite() or not 0 < number < below:
        raise typer.BadParameter(f"{option} takes a number above 0 and below {below}")
    return number


def _utc(instant: datetime | None) -> datetime | None:
    return instant.replace(tzinfo=UTC) if instant is not None and instant.tzinfo is None else instant


def _show(model: Model, *, as_json: bool) -> None:
    async def read(pool: Pool) -> tuple[Quote, list[StoredOverride], ModelSetting]:
        rates = rates_of(await effective(pool, load()))
        async with transaction(pool) as tx:
            standing = await rules_of(tx, model.id, currency=rates.currency)
        priced = quote(model, model.defaults, rates, standing)
        return priced, await stored_rules(pool, model.id), await setting_of(pool, model.id)

    priced, rules, setting = query(read, name=SESSION)
    if as_json:
        print_json(
            as_listed(model, priced, setting) | {"quote": priced.as_json(), "rules": [asdict(rule) for rule in rules]}
        )
        return
    currency = priced.price.currency
    margin = Money(priced.price.minor - priced.cost.minor, currency)
    typer.echo(
        f"{model.id}: {priced.price} by {made_by(priced)}; cost {priced.cost}, margin {margin}, at default inputs"
    )
    table = Listing("rule", "value", "from", "until", "cleared", "by", "why")
    for rule in rules:
        instants = (rule.from_at, rule.override.until, rule.cleared_at)
        table.add_row(
            rule.override.kind,
            _value(rule.override, rule.currency or currency),
            *(str(instant or "")[:16] for instant in instants),
            rule.operator,
            rule.reason,
        )
    if rules:
        print_listing(table)


def _value(override: Override, currency: str) -> str:
    match override.kind:
        case "fixed":
            return str(Money(int(override.value), currency))
        case "discount":
            return f"{override.value:f} %"
        case "free":
            return ""
        case _:
            return f"×{override.value:f}"


def _print_answer(model: Model, answer: ActionResult, *, as_json: bool) -> None:
    facts = {"model": model.id, "sentence": answer.sentence} if as_json else None
    print_outcome(f"{model.id}: {answer.sentence}", done=answer.done, facts=facts)


def _sums(each: Margin) -> list[str]:
    return [str(Money(minor, each.currency)) for minor in (each.income, each.cost, each.margin)]


def hide(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Neither list nor sell a model, from now on; existing jobs continue."""
    _turn(model, "hide", reason, as_json=as_json)


def unhide(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Show a hidden model again."""
    _turn(model, "unhide", reason, as_json=as_json)


def feature(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Show a model first in its lists, and among the best."""
    _turn(model, "feature", reason, as_json=as_json)


def unfeature(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Give a model its usual place again."""
    _turn(model, "unfeature", reason, as_json=as_json)


def sell(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Sell a model although the catalogue has it off; its price must be known."""
    _turn(model, "sell", reason, as_json=as_json)


def unsell(model: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Let the catalogue decide again whether a model is sold."""
    _turn(model, "unsell", reason, as_json=as_json)


def rename(
    model: str,
    *,
    ru: Annotated[str | None, typer.Option(help="What it is called in Russian.")] = None,
    en: Annotated[str | None, typer.Option(help="What it is called in English.")] = None,
    back: Annotated[bool, typer.Option("--back", help="Back to the names of the catalogue.")] = False,
    reason: Reason,
    as_json: AsJson = False,
) -> None:
    """Rename a model in one language or both; existing jobs keep their name."""
    if back == (ru is not None or en is not None):
        raise typer.BadParameter("choose --ru, --en or both; or --back alone")
    found, new = known_model(model), NewTitle(ru=ru, en=en, back=back)
    answer = operate(
        lambda pool: rename_model(pool, found, new, operator=operator_name(), reason=reason),
        name=SESSION,
    )
    _print_answer(found, answer, as_json=as_json)


def _turn(model: str, turn: ModelSwitch, reason: str, *, as_json: bool) -> None:
    found = known_model(model)
    answer = operate(
        lambda pool: switch_model(pool, found, turn, operator=operator_name(), reason=reason),
        name=SESSION,
    )
    _print_answer(found, answer, as_json=as_json)


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
    """Run the example of a model at Kie, for real, and compare with the catalogue; exit 1 on a difference."""
    settings, found = current_settings(name=SESSION), known_model(model)
    inputs = _inputs(found, given or [])
    if not confirm:
        cost = quote(found, inputs, rates_of(settings)).cost if found.prices else "an unknown sum"
        raise typer.BadParameter(f"this runs {model} for real and costs about {cost}: say --confirm")
    try:
        run = asyncio.run(_run_at_kie(settings, found, inputs, timedelta(seconds=patience_s)))
    except (Rejected, Transient, OutcomeUnknown) as error:
        raise typer.BadParameter(f"Kie took no task: {getattr(error, 'reason', error)}") from error
    _print_canary(run, as_json=as_json)


def _inputs(model: Model, given: list[str]) -> dict[str, Any]:
    """The example with the given inputs; files must be given, because the example's URLs lead nowhere."""
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


async def _run_at_kie(settings: Settings, model: Model, inputs: dict[str, Any], patience: timedelta) -> CanaryRun:
    from photomat.app.clients import connect_kie  # noqa: PLC0415  aiogram takes seconds to load; no other command of these needs it

    async with AsyncExitStack() as stack:
        kie = connect_kie(stack, settings)
        callback_url = CALLBACK if model.needs_callback else None
        return await run_canary(kie, model, inputs, callback_url=callback_url, patience=patience)


def _print_canary(run: CanaryRun, *, as_json: bool) -> None:
    reading = run.reading
    if as_json:
        print_json(
            {
                "model": run.model.id,
                "task_id": run.task_id,
                "state": reading.state if reading else None,
                "outputs": len(reading.urls) if reading else 0,
                "counted": run.counted,
                "taken": reading.credits if reading else None,
                "took": reading.took if reading else None,
                "complaints": run.complaints,
            }
        )
    else:
        for complaint in run.complaints:
            typer.echo(f"✗ {run.model.id}: {complaint}")
        if not run.complaints:
            typer.echo(f"✓ {run.model.id}: task {run.task_id} ended as the catalogue says")
    if run.complaints:
        raise typer.Exit(1)
