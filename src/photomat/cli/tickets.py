"""`photomat tickets`: what customers asked, the thread of a ticket, answers; as in the chat and on the console."""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, operate, operator_name, print_json, print_outcome, query
from photomat.db.pool import Pool
from photomat.operators.actions import ActionResult
from photomat.operators.tickets import Actor, answer_ticket, close_ticket
from photomat.support.thread import MessageContent
from photomat.support.ticket import (
    ListedTicket,
    Ticket,
    TicketFilter,
    TicketMessage,
    find_ticket,
    list_tickets,
    messages_of,
)

app = typer.Typer(help="Support: what customers asked, and the answers.", no_args_is_help=True)
NAME = "photomat tickets"
SHOWN = 200
SHOWN_WORDS = 60
Operator = Annotated[str | None, typer.Option(help="Who acts, for the journal; without, the user of this terminal.")]


@app.command("list")
def list_all(
    *,
    only: Annotated[TicketFilter, typer.Option("--only", help="Which tickets.")] = TicketFilter.OPEN,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    as_json: AsJson = False,
) -> None:
    """The open tickets, those that wait for an answer first."""
    found = query(lambda pool: list_tickets(pool, only=only, limit=limit), name=NAME)
    if as_json:
        print_json([_listed_as_json(one) for one in found])
    else:
        _print(found)


@app.command("show")
def show(ticket_id: int, *, as_json: AsJson = False) -> None:
    """One ticket with its thread."""

    async def read(pool: Pool) -> tuple[Ticket | None, list[TicketMessage]]:
        return await find_ticket(pool, ticket_id), await messages_of(pool, ticket_id, limit=SHOWN)

    ticket, messages = query(read, name=NAME)
    if ticket is None:
        typer.echo(f"There is no ticket {ticket_id}; `photomat tickets list` shows their numbers.", err=True)
        raise typer.Exit(1)
    if as_json:
        print_json(asdict(ticket) | {"messages": [asdict(one) for one in messages]})
    else:
        typer.echo("\n".join([_head(ticket), *(_line(one) for one in messages)]))


@app.command("answer")
def answer(
    ticket_id: int,
    text: Annotated[str, typer.Argument(help="What the customer reads.")],
    *,
    operator: Operator = None,
    as_json: AsJson = False,
) -> None:
    """Send an answer to the customer, in the chat with the bot."""
    _do(
        ticket_id,
        lambda pool, actor: answer_ticket(pool, ticket_id, MessageContent(text=text), actor=actor),
        operator,
        as_json=as_json,
    )


@app.command("close")
def close(
    ticket_id: int,
    *,
    reason: Annotated[str, typer.Option(help="Why, for the journal.")],
    operator: Operator = None,
    as_json: AsJson = False,
) -> None:
    """Close a ticket; the customer is informed and can open it again by writing."""
    _do(
        ticket_id,
        lambda pool, actor: close_ticket(pool, ticket_id, actor=actor, reason=reason),
        operator,
        as_json=as_json,
    )


def _do(
    ticket_id: int, act: Callable[[Pool, Actor], Awaitable[ActionResult]], operator: str | None, *, as_json: bool
) -> None:
    actor = Actor(name=operator or operator_name(), origin=f"cli:{secrets.token_hex(8)}")
    result = operate(lambda pool: act(pool, actor), name=NAME)
    facts = {"ticket_id": ticket_id, "sentence": result.sentence} if as_json else None
    print_outcome(result.sentence, done=result.done, facts=facts)


def _print(found: Sequence[ListedTicket]) -> None:
    table = Listing("ticket", "waits", "user", "job", "state", "answers", "last words")
    for one in found:
        ticket = one.ticket
        table.add_row(
            str(ticket.ticket_id),
            str(one.age).partition(".")[0] if ticket.waiting_since else "",
            f"{ticket.user_id} {ticket.first_name}",
            "" if ticket.job_id is None else str(ticket.job_id),
            ticket.state,
            ticket.assigned_to or "",
            f"{one.last_side}: {' '.join(one.last_text.split())[:SHOWN_WORDS] or one.last_file}",
        )
    print_listing(table if found else "No ticket is open; `--only all` lists the closed ones.")


def _head(ticket: Ticket) -> str:
    about = "no job" if ticket.job_id is None else f"job {ticket.job_id}"
    who, opened = f"user {ticket.user_id} {ticket.first_name}", f"{ticket.opened_at:%Y-%m-%d %H:%M} UTC"
    return f"Ticket {ticket.ticket_id} ({ticket.topic}, {ticket.state}) of {who}, about {about}, opened {opened}."


def _line(message: TicketMessage) -> str:
    file = f"[{message.file.kind}] " if message.file else ""
    return f"{message.created_at:%m-%d %H:%M} {message.author}: {file}{message.text}"


def _listed_as_json(one: ListedTicket) -> dict[str, Any]:
    return asdict(one.ticket) | {
        "model": one.model,
        "last_side": one.last_side,
        "last_text": one.last_text,
        "age_s": int(one.age.total_seconds()),
    }
