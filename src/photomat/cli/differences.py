"""`photomat differences`: where our books and somebody else's do not agree, who looks after it, and how it ended."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from photomat.audit.differences import Difference, list_differences
from photomat.cli.ask import AsJson, ask, operate, operator_name, print_json, tell
from photomat.cli.screen import folding, print_found
from photomat.db.pool import Pool
from photomat.operators import money
from photomat.operators.actions import Answer

app = typer.Typer(help="Where our books and others' do not agree.", no_args_is_help=True)
NAME = "photomat differences"


@app.command("list")
def list_all(*, limit: Annotated[int, typer.Option(min=1, max=1000)] = 50, as_json: AsJson = False) -> None:
    """The differences, open ones first."""
    found = ask(lambda pool: list_differences(pool, limit=limit), name=NAME)
    if as_json:
        print_json([asdict(one) for one in found])
    else:
        _print(found)


@app.command("own")
def own(difference_id: int, owner: str, *, reason: Annotated[str | None, typer.Option()] = None) -> None:
    """Say who looks after a difference."""

    async def act(pool: Pool) -> Answer:
        return await money.own_difference(pool, difference_id, owner=owner, operator=operator_name(), reason=reason)

    _do(act)


@app.command("resolve")
def resolve(difference_id: int, *, reason: Annotated[str, typer.Option(help="How it was resolved.")]) -> None:
    """Say how a difference was resolved."""

    async def act(pool: Pool) -> Answer:
        return await money.resolve_difference(pool, difference_id, operator=operator_name(), reason=reason)

    _do(act)


def _do(act: Callable[[Pool], Awaitable[Answer]]) -> None:
    answer = operate(act, name=NAME)
    tell(answer.sentence, done=answer.done)


def _print(found: Sequence[Difference]) -> None:
    table = folding("number", "kind", "reference", "expected", "found", "opened (UTC)", "owner", "ended")
    for one in found:
        ended = f"{one.resolved_at:%Y-%m-%d}: {one.resolution}" if one.resolved_at else "OPEN"
        opened = f"{one.opened_at:%Y-%m-%d %H:%M}"
        table.add_row(
            str(one.difference_id), one.kind, one.reference, one.expected, one.found, opened, one.owner, ended
        )
    print_found(table if found else "There are no differences, now or lately.")
