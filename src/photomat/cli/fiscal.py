"""`photomat fiscal`: receipts for the tax service, what is missing, and what an operator decides about them."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import typer

from photomat.app.live_settings import effective
from photomat.app.settings import load
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, operate, operator_name, print_json, print_outcome, query
from photomat.db.pool import Pool
from photomat.db.rows import require_row
from photomat.fiscal.compare import compare
from photomat.fiscal.receipt import FiscalReceipt, find_fiscal
from photomat.operators.actions import ActionResult
from photomat.operators.fiscal import drop_fiscal, issue_fiscal, retry_fiscal, settle_fiscal
from photomat.reports.fiscal import FiscalFilter, list_fiscal

app = typer.Typer(help="Receipts for the tax service.", no_args_is_help=True)
NAME = "photomat fiscal"
Reason = Annotated[str, typer.Option(help="Why, for the journal.")]
Operator = Annotated[str | None, typer.Option(help="Who does it; without, the user of this terminal.")]
STATES_HELP = "wanted, sending, unknown, without, blocked, issued, annulled or unneeded."


@app.command("list")
def list_all(
    *,
    state: Annotated[str | None, typer.Option(help=STATES_HELP)] = None,
    issuer: Annotated[str | None, typer.Option(help="my_tax, yookassa or hand.")] = None,
    kind: Annotated[str | None, typer.Option(help="income or annulment.")] = None,
    user: Annotated[int | None, typer.Option(help="Of this user alone.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    as_json: AsJson = False,
) -> None:
    """The receipts, newest first; --state without shows the payments that have none."""
    only = FiscalFilter(state=state, issuer=issuer, kind=kind, user_id=user)
    found = query(lambda pool: list_fiscal(pool, only, limit=limit), name=NAME)
    if as_json:
        print_json([_as_json(one) for one in found])
    else:
        _print(found)


@app.command("show")
def show(fiscal_id: int, *, as_json: AsJson = False) -> None:
    """One receipt, and the others of its payment."""

    async def read(pool: Pool) -> list[FiscalReceipt]:
        one = await find_fiscal(pool, fiscal_id)
        return [] if one is None else await list_fiscal(pool, FiscalFilter(payment_id=one.payment_id), limit=100)

    found = query(read, name=NAME)
    one = next((each for each in found if each.fiscal_id == fiscal_id), None)
    if one is None:
        typer.echo(f"There is no receipt {fiscal_id}; `photomat fiscal list` shows their numbers.", err=True)
        raise typer.Exit(1)
    if as_json:
        print_json({**_as_json(one), "of_the_payment": [_as_json(each) for each in found]})
        return
    for line in in_words(one):
        typer.echo(line)
    _print(found)


@app.command("retry")
def retry(fiscal_id: int, *, reason: Reason, operator: Operator = None, as_json: AsJson = False) -> None:
    """Try an open receipt now: what is wanted is sent, what is unknown is looked up first."""
    _act(lambda pool, who: retry_fiscal(pool, fiscal_id, operator=who, reason=reason), operator, fiscal_id, as_json)


@app.command("issue")
def issue(fiscal_id: int, *, reason: Reason, operator: Operator = None, as_json: AsJson = False) -> None:
    """Issue one that was left without a receipt, or was blocked."""
    _act(lambda pool, who: issue_fiscal(pool, fiscal_id, operator=who, reason=reason), operator, fiscal_id, as_json)


@app.command("settle")
def settle(
    fiscal_id: int,
    *,
    reason: Reason,
    number: Annotated[str | None, typer.Option(help="The number of the receipt; an annulment needs none.")] = None,
    url: Annotated[str | None, typer.Option(help="Where the customer sees it.")] = None,
    operator: Operator = None,
    as_json: AsJson = False,
) -> None:
    """Say that you issued or annulled it by hand."""
    _act(
        lambda pool, who: settle_fiscal(pool, fiscal_id, number=number, url=url, operator=who, reason=reason),
        operator,
        fiscal_id,
        as_json,
    )


@app.command("drop")
def drop(fiscal_id: int, *, reason: Reason, operator: Operator = None, as_json: AsJson = False) -> None:
    """Say that no receipt is needed; refused once one may exist."""
    _act(lambda pool, who: drop_fiscal(pool, fiscal_id, operator=who, reason=reason), operator, fiscal_id, as_json)


@app.command("compare")
def compare_now(*, as_json: AsJson = False) -> None:
    """Compare our receipts with the list of «Мой налог»; see `differences list` afterwards."""
    from photomat.app.clients import tax_service  # noqa: PLC0415  aiogram takes seconds to load

    async def run(pool: Pool) -> bool | None:
        settings = await effective(pool, load())
        async with AsyncExitStack() as stack:
            tax = tax_service(stack, settings)
            now = (await require_row(pool, "SELECT photomat_now() AS now"))["now"]
            return None if tax is None else await compare(pool, tax, now=now)

    complete = operate(run, name=NAME)
    if as_json:
        print_json({"compared": complete is not None, "complete": bool(complete)})
    elif complete is None and load().sandboxed:
        typer.echo(
            "This is the sandbox: the running bot compares with its simulated tax service by itself, once a day."
        )
    elif complete is None:
        typer.echo("«Мой налог» is not configured (MY_TAX_INN, MY_TAX_PASSWORD), so nothing was compared.")
    else:
        typer.echo("Compared." if complete else "The list changed while it was read: only what was seen is recorded.")


def _act(
    act: Callable[[Pool, str], Awaitable[ActionResult]],
    operator: str | None,
    fiscal_id: int,
    as_json: bool,  # noqa: FBT001  the commands' own option
) -> None:
    answer = operate(lambda pool: act(pool, operator or operator_name()), name=NAME)
    facts = {"fiscal_id": fiscal_id, "sentence": answer.sentence} if as_json else None
    print_outcome(answer.sentence, done=answer.done, facts=facts)


def in_words(one: FiscalReceipt) -> list[str]:
    what = "Receipt" if one.kind == "income" else "Annulment"
    of = f"payment {one.payment_id} ({one.provider}) of user {one.user_id}"
    lines = [
        f"{what} {one.fiscal_id} ({one.reference}) for {one.amount}, {of}.",
        f"State: {one.state}{f', by {one.issuer}' if one.issuer else ''}; wanted {_when(one.created_at)}.",
    ]
    if one.sent_at is not None:
        lines.append(f"Sent {one.sends} times, last {_when(one.sent_at)}.")
    if one.external_id is not None:
        lines.append(f"Its number there: {one.external_id}. {one.url or ''}".rstrip())
    if one.error is not None:
        lines.append(f"The last answer: {one.error}.")
    if one.due_at is not None:
        lines.append(f"The next try: {_when(one.due_at)}.")
    return lines


def _when(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def _print(found: Sequence[FiscalReceipt]) -> None:
    table = Listing("number", "when (UTC)", "kind", "payment", "user", "way", "sum", "state", "issuer", "note")
    for one in found:
        table.add_row(
            str(one.fiscal_id),
            f"{one.created_at:%Y-%m-%d %H:%M}",
            one.kind if not one.round else f"{one.kind} {one.round + 1}",
            str(one.payment_id),
            str(one.user_id),
            one.provider,
            str(one.amount),
            one.state,
            one.issuer or "",
            one.external_id or one.error or "",
        )
    print_listing(table if found else "There are no such receipts.")


def _as_json(one: FiscalReceipt) -> dict[str, object]:
    return {**asdict(one), "amount": one.amount.minor, "currency": one.amount.currency}
