"""`photomat assistant evaluate`: how well plain words are understood, measured on the shipped requests."""

import asyncio
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from photomat.app.terms import call_limits_of
from photomat.assistant.calls import UNREPORTED_CREDITS
from photomat.assistant.evaluate import Planner, Report, Score, evaluate, labelled_requests
from photomat.assistant.live import LivePlanner
from photomat.assistant.plan import Plan, Request
from photomat.assistant.rules import plan
from photomat.catalog.formula import plain
from photomat.catalog.load import load_catalog
from photomat.catalog.storefront import Storefront, storefront_of
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, current_settings, print_json
from photomat.kernel.money import Money

app = typer.Typer(no_args_is_help=True)
HEADINGS: Final = ("requests", "right wish", "inputs filled", "most questions")


class RequestSet(StrEnum):
    DEV = "dev"
    HELD_OUT = "held-out"
    ALL = "all"


@app.callback()
def group() -> None:
    """Plain words that become orders."""


@app.command("evaluate")
def evaluate_command(
    *,
    half: Annotated[
        RequestSet, typer.Option(help="Rules are written on `dev`, and judged by `held-out`.")
    ] = RequestSet.HELD_OUT,
    live: Annotated[bool, typer.Option("--live", help="Ask ASSISTANT_MODEL too; every request costs credits.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Spend them.")] = False,
    as_json: AsJson = False,
) -> None:
    """Score the rules on the shipped requests: the right wish, inputs filled, and questions left to ask."""
    storefront = storefront_of(load_catalog(), {}, accepts_callbacks=True)
    requests = [each for each in labelled_requests() if half in {RequestSet.ALL, each.half}]
    planner = by_chat_model(storefront, len(requests), agreed=yes) if live else by_rules(storefront)
    report = asyncio.run(evaluate(planner, requests, storefront))
    if isinstance(planner, LivePlanner):
        spent = planner.spent
        typer.echo(f"{spent.calls} calls, {spent.failed} failed, {plain(spent.credits)} credits.", err=True)
    if as_json:
        print_json(in_json(report))
    else:
        print_report(report)


def by_rules(storefront: Storefront) -> Planner:
    async def planner(request: Request) -> Plan | None:
        return plan(request, storefront)

    return planner


def by_chat_model(storefront: Storefront, requests: int, *, agreed: bool) -> LivePlanner:
    """The rules and the live chat model; says what it will cost, and stops there unless that is agreed."""
    from photomat.app.clients import chat_model  # noqa: PLC0415  other commands start faster without aiogram

    settings = current_settings(name="photomat assistant")
    chat = chat_model(settings)
    if chat is None:
        raise typer.BadParameter("--live needs KIE_API_KEY and ASSISTANT_MODEL")
    most = UNREPORTED_CREDITS * requests
    cost = Money(round(most * call_limits_of(settings).minor_per_credit), settings.currency)
    typer.echo(
        f"{requests} calls to {settings.assistant_model}, at most about {plain(most)} credits ({cost}).", err=True
    )
    if not agreed:
        typer.echo("Nothing was asked. Run it again with --yes to spend them.", err=True)
        raise typer.Exit(1)
    return LivePlanner(chat=chat, storefront=storefront)


def in_json(report: Report) -> dict[str, Any]:
    parts = {"half": report.by_half, "language": report.by_language, "wish": report.by_wish}
    return {
        "overall": _scores(report.overall),
        **{f"by_{name}": {key: _scores(each) for key, each in scores.items()} for name, scores in parts.items()},
    }


def _scores(score: Score) -> dict[str, Any]:
    return {
        "requests": score.requests,
        "right": score.right,
        "filled": score.filled,
        "right_share": round(score.right_share, 4),
        "filled_share": round(score.filled_share, 4),
        "most_questions": score.most_questions,
        "asked": score.asked,
    }


def print_report(report: Report) -> None:
    parts = ({"all": report.overall}, report.by_half, report.by_language, report.by_wish)
    table = Listing("of", *HEADINGS)
    for scores in parts:
        for name, score in scores.items():
            shares = (f"{score.right_share:.0%}", f"{score.filled_share:.0%}")
            table.add_row(name, str(score.requests), *shares, str(score.most_questions))
    print_listing(table)
