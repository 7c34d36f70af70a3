"""`photomat receipts`: transfers by hand that wait for a decision, and the decision. The chat's buttons do the same."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any

import typer

from photomat.cli.ask import AsJson, ask, minor_units, operate, operator_name, print_json, tell
from photomat.cli.screen import folding, print_found
from photomat.db.pool import Pool
from photomat.kernel.money import Money
from photomat.operators.receipts import Ruled, approve_receipt, decline_receipt
from photomat.payments import receipts
from photomat.payments.receipt import Receipt, Twin
from photomat.payments.receipt_news import REASONS
from photomat.settings import load

NAME = "photomat receipts"
Operator = Annotated[str | None, typer.Option(help="Who decides, for the journal; without, who sits at this terminal.")]
app = typer.Typer(help="Transfers by hand: what waits, and the decision.", no_args_is_help=True)


@app.command("list")
def list_command(
    *,
    everything: Annotated[bool, typer.Option("--all", help="Decided ones too, the newest first.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 20,
    as_json: AsJson = False,
) -> None:
    """The receipts that wait, the oldest first."""
    found = ask(lambda pool: receipts.list_receipts(pool, waiting=not everything, limit=limit), name=NAME)
    if as_json:
        print_json([_as_json(one) for one in found])
    else:
        _print(found)


@app.command("show")
def show_command(receipt_id: int, *, as_json: AsJson = False) -> None:
    """One receipt, and every receipt with the same file or the same transfer number."""

    async def read(pool: Pool) -> tuple[Receipt, list[Twin]] | None:
        receipt = await receipts.find_receipt(pool, receipt_id)
        return None if receipt is None else (receipt, await receipts.twins_of(pool, receipt))

    found = ask(read, name=NAME)
    if found is None:
        typer.echo(f"There is no receipt {receipt_id}; `receipts list` shows them.", err=True)
        raise typer.Exit(1)
    receipt, twins = found
    if as_json:
        print_json(_as_json(receipt) | {"alike": [_twin_as_json(twin) for twin in twins]})
        return
    _print([receipt])
    typer.echo(f"note: {receipt.note or '—'}")
    for twin in twins:
        typer.echo(_twin_in_words(twin))


@app.command("approve")
def approve_command(
    receipt_id: int,
    *,
    amount: Annotated[str | None, typer.Option(help="What really arrived; without, the sum the user named.")] = None,
    reason: Annotated[str | None, typer.Option(help="A note for the journal.")] = None,
    anyway: Annotated[bool, typer.Option(help="Though a receipt like it was credited.")] = False,
    operator: Operator = None,
    as_json: AsJson = False,
) -> None:
    """Credit a receipt, once."""
    minor, settings = None if amount is None else minor_units(amount), load()

    async def act(pool: Pool) -> Ruled:
        return await approve_receipt(
            pool,
            receipt_id,
            operator=operator or operator_name(),
            most=Money(settings.topup_most, settings.currency),
            minor=minor,
            reason=reason,
            anyway=anyway,
        )

    _do(receipt_id, act, as_json=as_json)


@app.command("decline")
def decline_command(
    receipt_id: int,
    *,
    reason: Annotated[str, typer.Option(help=f"Why; the user reads it. Usual ones by name: {', '.join(REASONS)}.")],
    operator: Operator = None,
    as_json: AsJson = False,
) -> None:
    """Credit nothing, and tell the user why."""

    async def act(pool: Pool) -> Ruled:
        return await decline_receipt(pool, receipt_id, operator=operator or operator_name(), reason=reason)

    _do(receipt_id, act, as_json=as_json)


def _do(receipt_id: int, act: Callable[[Pool], Awaitable[Ruled]], *, as_json: bool) -> None:
    ruled = operate(act, name=NAME)
    facts = {"receipt_id": receipt_id, "ruling": ruled.ruling, "sentence": ruled.sentence} if as_json else None
    tell(f"Receipt {receipt_id}: {ruled.sentence}", done=ruled.done, facts=facts)


def _print(found: Sequence[Receipt]) -> None:
    table = folding("receipt", "sent (UTC)", "user", "sum", "code", "state", "decided by", "repeats")
    for one in found:
        repeats = sorted({number for number in (one.same_file_as, one.same_note_as) if number is not None})
        table.add_row(
            str(one.receipt_id),
            f"{one.created_at:%m-%d %H:%M}",
            f"{one.user_id} {one.first_name}",
            str(one.amount) if one.credited in {None, one.amount} else f"{one.amount} → {one.credited}",
            one.code,
            f"{one.state}{f' ({one.reason})' if one.reason else ''}",
            one.decided_by or "",
            ", ".join(str(number) for number in repeats),
        )
    print_found(table if found else "No receipt waits for a decision; `--all` lists the decided ones.")


def _twin_in_words(twin: Twin) -> str:
    same = " and ".join(word for word, is_so in (("file", twin.same_file), ("number", twin.same_note)) if is_so)
    sent = f"{twin.created_at:%Y-%m-%d %H:%M}"
    return f"⚠ the same {same} as receipt {twin.receipt_id} of user {twin.user_id}, {twin.state}, sent {sent} UTC"


def _twin_as_json(twin: Twin) -> dict[str, Any]:
    return {
        "receipt_id": twin.receipt_id,
        "user_id": twin.user_id,
        "state": twin.state,
        "created_at": twin.created_at,
        "same_file": twin.same_file,
        "same_note": twin.same_note,
    }


def _as_json(receipt: Receipt) -> dict[str, Any]:
    return {
        "receipt_id": receipt.receipt_id,
        "topup_id": receipt.topup_id,
        "code": receipt.code,
        "user_id": receipt.user_id,
        "amount": receipt.amount.minor,
        "currency": receipt.amount.currency,
        "note": receipt.note,
        "file_kind": receipt.file.kind,
        "sha256": receipt.file.sha256,
        "same_file_as": receipt.same_file_as,
        "same_note_as": receipt.same_note_as,
        "state": receipt.state,
        "created_at": receipt.created_at,
        "decided_at": receipt.decided_at,
        "decided_by": receipt.decided_by,
        "reason": receipt.reason,
        "credited": receipt.credited.minor if receipt.credited else None,
    }
