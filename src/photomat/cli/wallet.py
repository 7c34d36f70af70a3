"""`photomat wallet`: statements, and the bookings an operator may make, each with a reason for the journal."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, Final

import typer

from photomat.cli.payments import in_words
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, minor_units, operate, operator_name, print_json, print_outcome, query
from photomat.db.pool import Pool, transaction
from photomat.jobs.listing import price_breakdown
from photomat.kernel.errors import PhotomatError
from photomat.kernel.ids import JobId, UserId
from photomat.operators import money
from photomat.operators.actions import ActionResult, JournalEntry, journal_of_user, release_hold
from photomat.operators.explain import explain_job, explain_move
from photomat.payments.payment import ListedPayment, list_payments
from photomat.payments.statement import StatementLine, statement
from photomat.texts.sentence import Sentence
from photomat.wallet.ledger import balance
from photomat.wallet.postings import Balance

app = typer.Typer(help="Statements and bookings of users' wallets.", no_args_is_help=True)

Reason = Annotated[str, typer.Option(help="Why, for the journal.")]
Reference = Annotated[
    str | None, typer.Option(help="A name of your own for this move: the same again changes nothing.")
]
NAME = "photomat wallet"
MAX_NUMBER_LENGTH: Final = 18
"""Digits of a job id, at most."""


@app.command("show")
def show(
    user_id: int,
    *,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 20,
    before: Annotated[int | None, typer.Option(help="Older than the move with this number.")] = None,
    as_json: AsJson = False,
) -> None:
    """A user's balance, last moves and payments, and what operators did with the money."""

    async def read(pool: Pool) -> tuple[Balance, list[StatementLine], list[JournalEntry], list[ListedPayment]]:
        async with transaction(pool) as tx:
            found = await balance(tx, user_id=UserId(user_id))
            moves = await statement(tx, user_id=UserId(user_id), limit=limit, before=before)
        payments = await list_payments(pool, user_id=UserId(user_id), limit=limit)
        return found, moves, await journal_of_user(pool, UserId(user_id)), payments

    try:
        found, moves, acts, payments = query(read, name=NAME)
    except PhotomatError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from error
    if as_json:
        numbers = [one.payment.payment_id for one in payments]
        print_json(_as_json(found, moves) | {"operators": [asdict(act) for act in acts], "payments": numbers})
    else:
        _print(found, moves)
        for one in payments:
            typer.echo(in_words(one)[0])
        for act in acts:
            typer.echo(f"{act.at:%Y-%m-%d %H:%M:%S}  {act.operator}  {act.action}: {act.outcome} ({act.reason})")


@app.command("credit")
def credit(user_id: int, amount: str, *, reason: Reason, reference: Reference = None, as_json: AsJson = False) -> None:
    """Put money into a wallet (an amount such as 100 or 99.50); a debt is paid first."""
    minor, name = minor_units(amount), _reference(reference)
    _do(
        lambda pool: money.credit_user(
            pool, UserId(user_id), minor, reference=name, operator=operator_name(), reason=reason
        ),
        name,
        as_json=as_json,
    )


@app.command("debit")
def debit(user_id: int, amount: str, *, reason: Reason, reference: Reference = None, as_json: AsJson = False) -> None:
    """Take money out of a wallet, never more than is available."""
    minor, name = minor_units(amount), _reference(reference)
    _do(
        lambda pool: money.debit_user(
            pool, UserId(user_id), minor, reference=name, operator=operator_name(), reason=reason
        ),
        name,
        as_json=as_json,
    )


@app.command("refund")
def refund(
    job_id: int,
    *,
    amount: Annotated[str | None, typer.Option(help="A part of it; without, all that is left.")] = None,
    reason: Reason,
    reference: Reference = None,
    as_json: AsJson = False,
) -> None:
    """Give a customer back what a job was charged."""
    minor = None if amount is None else minor_units(amount)
    name = reference or (f"refund:{job_id}" if minor is None else f"refund:{job_id}:{minor}")
    _do(
        lambda pool: money.refund_job(
            pool, JobId(job_id), minor, reference=name, operator=operator_name(), reason=reason
        ),
        name,
        as_json=as_json,
    )


@app.command("correct")
def correct(of: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Reverse a whole move, by its reference; a charge is refunded instead."""
    _do(lambda pool: money.correct_move(pool, of, operator=operator_name(), reason=reason), of, as_json=as_json)


@app.command("release")
def release(reference: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Give back a hold whose job can no longer end it (log tag HOLD_WITHOUT_JOB); never one of a live job."""
    _do(lambda pool: release_hold(pool, reference, operator=operator_name(), reason=reason), reference, as_json=as_json)


@app.command("explain")
def explain(what: str, *, as_json: AsJson = False) -> None:
    """One move by its reference, or all the money of a job by its number, in words."""

    async def read(pool: Pool) -> list[str] | None:
        async with transaction(pool) as tx:
            is_job = what.isdecimal() and len(what) <= MAX_NUMBER_LENGTH
            found = await (explain_job(tx, JobId(int(what))) if is_job else explain_move(tx, what))
        if found is None:
            return None
        return [each.plain for each in (*found.sentences, *await _quoted(pool, found.job_id))]

    sentences = query(read, name=NAME)
    if sentences is None:
        typer.echo(f"There is no move and no job {what}; `wallet show` lists their references.", err=True)
        raise typer.Exit(1)
    if as_json:
        print_json(sentences)
    else:
        typer.echo("\n".join(sentences))


async def _quoted(pool: Pool, job_id: JobId | None) -> list[Sentence]:
    job = await pool.fetchrow(
        """
        SELECT price, currency, quote, credits_consumed, cost, status, gift, settled_at
          FROM generation_jobs WHERE job_id = $1
        """,
        job_id,
    )
    return [] if job is None else price_breakdown(dict(job))


def _do(act: Callable[[Pool], Awaitable[ActionResult]], reference: str, *, as_json: bool) -> None:
    answer = operate(act, name=NAME)
    facts = {"reference": reference, "sentence": answer.sentence} if as_json else None
    print_outcome(f"{answer.sentence} [{reference}]", done=answer.done, facts=facts)


def _reference(given: str | None) -> str:
    return f"operator:{given or secrets.token_hex(6)}"


def _print(found: Balance, moves: list[StatementLine]) -> None:
    owed = f" · owed {found.owed}" if found.owed.minor else ""
    typer.echo(f"available {found.available} · held {found.held} · posted {found.posted}{owed}")
    table = Listing("move", "when", "why", "amount", "balance", "about", "reference")
    for move in moves:
        table.add_row(
            str(move.move_id),
            str(move.booked_at)[:19],
            move.reason,
            str(move.amount),
            str(move.balance_after),
            about(move),
            move.reference,
        )
    print_listing(table if moves else "There are no such moves.")


def about(move: StatementLine) -> str:
    words = [
        f"job {move.job_id} {move.model or ''}".strip() if move.job_id is not None else "",
        f"“{move.prompt}”" if move.prompt else "",
        f"{'to' if move.amount.minor < 0 else 'from'} user {move.other_user}" if move.other_user is not None else "",
        f"of {move.gives_back}" if move.gives_back else "",
        f"debt {'+' if move.debt.minor > 0 else ''}{move.debt}" if move.debt.minor else "",
        *(f"{name} {value}" for name, value in move.facts.items()),
    ]
    return ", ".join(word for word in words if word)


def _as_json(found: Balance, moves: list[StatementLine]) -> dict[str, object]:
    return {
        "available": found.available.minor,
        "held": found.held.minor,
        "posted": found.posted.minor,
        "owed": found.owed.minor,
        "currency": found.posted.currency,
        "moves": [
            {
                "move_id": move.move_id,
                "booked_at": move.booked_at.isoformat(),
                "reason": move.reason,
                "amount": move.amount.minor,
                "debt": move.debt.minor,
                "balance_after": move.balance_after.minor,
                "reference": move.reference,
                "job_id": move.job_id,
                "about": about(move),
            }
            for move in moves
        ],
    }
