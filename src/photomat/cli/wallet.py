"""`photomat wallet`: what happened to every coin of a user, and the money nobody else can give back."""

import asyncio
import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from photomat.cli.ask import AsJson, ask, operator_name, print_json
from photomat.cli.database import reachable_database
from photomat.db.pool import Pool, connect
from photomat.kernel.errors import PhotomatError
from photomat.kernel.ids import UserId
from photomat.operators.actions import Answer, release_hold
from photomat.settings import load
from photomat.wallet.ledger import balance
from photomat.wallet.posting import Balance
from photomat.wallet.statement import Move, statement

app = typer.Typer(help="What happened to every coin.", no_args_is_help=True)


@app.command("show")
def show(user_id: int, *, as_json: AsJson = False) -> None:
    """A user's balance and last moves."""
    with reachable_database(load()) as dsn:
        try:
            found, moves = asyncio.run(_read(dsn, UserId(user_id)))
        except PhotomatError as error:
            typer.echo(str(error), err=True)
            raise typer.Exit(1) from error
    if as_json:
        typer.echo(json.dumps(_as_json(found, moves), ensure_ascii=False))
        return
    typer.echo(f"available {found.available} · held {found.held} · posted {found.posted}")
    table = Table("when", "why", "amount", "balance", "reference")
    for move in moves:
        table.add_row(str(move.booked_at)[:19], move.reason, str(move.amount), str(move.balance_after), move.reference)
    Console().print(table)


@app.command("release")
def release(
    reference: str, *, reason: Annotated[str, typer.Option(help="Why, for the journal.")], as_json: AsJson = False
) -> None:
    """Give back a hold whose job can no longer end it (log tag HOLD_WITHOUT_JOB); never one of a live job."""

    async def act(pool: Pool) -> Answer:
        return await release_hold(pool, reference, operator=operator_name(), reason=reason)

    answer = ask(act, name="photomat wallet")
    if as_json:
        print_json({"reference": reference, "done": answer.done, "sentence": answer.sentence})
    else:
        typer.echo(f"{'✓' if answer.done else '✗'} {answer.sentence}")
    if not answer.done:
        raise typer.Exit(1)


async def _read(dsn: str, user_id: UserId) -> tuple[Balance, list[Move]]:
    connection = await connect(dsn, name="photomat wallet")
    try:
        async with connection.transaction():
            return await balance(connection, user_id=user_id), await statement(connection, user_id=user_id)
    finally:
        await connection.close(timeout=5)


def _as_json(found: Balance, moves: list[Move]) -> dict[str, object]:
    return {
        "available": found.available.minor,
        "held": found.held.minor,
        "posted": found.posted.minor,
        "currency": found.posted.currency,
        "moves": [
            {
                "booked_at": move.booked_at.isoformat(),
                "reason": move.reason,
                "amount": move.amount.minor,
                "balance_after": move.balance_after.minor,
                "reference": move.reference,
                "job_id": move.job_id,
            }
            for move in moves
        ],
    }
