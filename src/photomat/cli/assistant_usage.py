"""`photomat assistant usage`: what the chat model was asked, and what it cost."""

from dataclasses import asdict
from decimal import Decimal
from typing import Annotated, Final

import typer

from photomat.app.live_settings import effective
from photomat.app.settings import Settings, load
from photomat.assistant.calls import Usage, usage_by_kind, usage_by_user
from photomat.catalog.formula import plain
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, print_json, query
from photomat.db.pool import Pool
from photomat.kernel.money import Money

NAME: Final = "photomat assistant"


def usage(
    *, days: Annotated[int, typer.Option(min=1, max=3650, help="How many days back.")] = 1, as_json: AsJson = False
) -> None:
    """Calls to the chat model: how many, how they ended, what they cost, and for whom most."""

    async def read(pool: Pool) -> tuple[list[Usage], list[Usage], Settings]:
        kinds, users = await usage_by_kind(pool, days=days), await usage_by_user(pool, days=days)
        return kinds, users, await effective(pool, load())

    kinds, users, settings = query(read, name=NAME)
    if as_json:
        print_json({"calls": [asdict(each) for each in kinds], "users": [asdict(each) for each in users]})
        return
    if not kinds:
        off = "" if settings.has_assistant else " ASSISTANT_MODEL is not set: rules alone make the cards."
        print_listing(f"No call to a chat model within {days} d.{off}")
        return
    print_listing(_listing("calls", kinds, settings.currency))
    print_listing(_listing("user", users, settings.currency))
    total = sum((each.credits for each in kinds), Decimal(0))
    typer.echo(f"{plain(total)} credits within {days} d; the limit of 24 hours is {settings.assistant_credits_a_day}.")


def _listing(heading: str, found: list[Usage], currency: str) -> Listing:
    table = Listing(heading, "count", "credits", "cost")
    for each in found:
        table.add_row(each.name, str(each.calls), plain(each.credits), str(Money(round(each.cost), currency)))
    return table
