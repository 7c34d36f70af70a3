"""`photomat payments`: payments, refunds and reconciliation. `photomat receipts`: manual transfers, as in the chat."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Any

import typer

from photomat.app.live_settings import effective
from photomat.app.settings import load
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, minor_units, operate, operator_name, print_json, print_outcome, query
from photomat.db.pool import Pool, transaction
from photomat.kernel.ids import UserId
from photomat.kernel.money import Money
from photomat.operators.actions import ActionResult
from photomat.operators.money import approve_receipt, decline_receipt, refund_payment
from photomat.payments.invoices import InvoicePoller
from photomat.payments.payment import ListedPayment, ListedRefund, list_payments
from photomat.payments.receipt import DuplicateReceipt, Receipt, duplicates_of, find_receipt, list_receipts
from photomat.payments.receipt_notices import REASONS
from photomat.payments.reconcile import reconcile_providers
from photomat.payments.transfers import DecisionResult

app = typer.Typer(help="What arrived, and what went back.", no_args_is_help=True)
NAME = "photomat payments"
RECEIPTS_NAME = "photomat receipts"
Operator = Annotated[str | None, typer.Option(help="Who decides, for the journal; without, the user of this terminal.")]
receipts_app = typer.Typer(help="Transfers by hand: what waits, and the decision.", no_args_is_help=True)


@app.command("list")
def list_all(
    *,
    user: Annotated[int | None, typer.Option(help="Of this user alone.")] = None,
    provider: Annotated[str | None, typer.Option(help="stars, yookassa, cryptopay or transfer.")] = None,
    since: Annotated[int | None, typer.Option(min=1, help="Of so many days.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    as_json: AsJson = False,
) -> None:
    """The payments, newest first."""
    found = query(
        lambda pool: list_payments(
            pool,
            user_id=None if user is None else UserId(user),
            provider=provider,
            since=None if since is None else timedelta(days=since),
            limit=limit,
        ),
        name=NAME,
    )
    if as_json:
        print_json([_as_json(one) for one in found])
    else:
        _print(found)


@app.command("show")
def show(payment_id: int, *, as_json: AsJson = False) -> None:
    """One payment and its refunds."""
    found = query(lambda pool: list_payments(pool, payment_id=payment_id), name=NAME)
    if not found:
        typer.echo(f"There is no payment {payment_id}; `photomat payments list` shows their numbers.", err=True)
        raise typer.Exit(1)
    if as_json:
        print_json(_as_json(found[0]))
    else:
        typer.echo("\n".join(in_words(found[0])))


@app.command("refund")
def refund(
    payment_id: int,
    *,
    reason: Annotated[str, typer.Option(help="Why, for the journal.")],
    owing: Annotated[bool, typer.Option("--owing", help="What is spent becomes a debt.")] = False,
    by_hand: Annotated[bool, typer.Option("--by-hand", help="You have given it back already.")] = False,
    operator: Annotated[str | None, typer.Option(help="Who does it; without, the user of this terminal.")] = None,
    as_json: AsJson = False,
) -> None:
    """Refund what is left of a payment: debit the wallet, then ask its provider until it succeeds."""

    async def act(pool: Pool) -> ActionResult:
        who = operator or operator_name()
        return await refund_payment(pool, payment_id, owing=owing, by_hand=by_hand, operator=who, reason=reason)

    answer = operate(act, name=NAME)
    facts = {"payment_id": payment_id, "sentence": answer.sentence} if as_json else None
    print_outcome(answer.sentence, done=answer.done, facts=facts)


@app.command("reconcile")
def reconcile(*, as_json: AsJson = False) -> None:
    """Compare our payments with the lists of every provider and Telegram; see `differences list` afterwards."""
    from photomat.app.clients import connect_outside, payment_providers  # noqa: PLC0415  aiogram takes seconds to load
    from photomat.app.wiring import stars_reader  # noqa: PLC0415  likewise

    async def compare(pool: Pool) -> dict[str, int]:
        settings = await effective(pool, load())
        async with AsyncExitStack() as stack:
            poller = InvoicePoller(pool=pool, providers=payment_providers(stack, settings))
            found = {"differences": await reconcile_providers(poller, always=True), "providers": len(poller.providers)}
            if settings.bot_token and settings.stars_packages:
                bot, _ = connect_outside(stack, settings, pool)
                found["stars"] = await stars_reader(pool, bot, settings).read_once()
        return found

    found = operate(compare, name=NAME)
    if as_json:
        print_json(found)
        return
    stars = f" {found['stars']} lines of Telegram's list of Stars changed something." if "stars" in found else ""
    typer.echo(_compared(found) + stars)


def _compared(found: Mapping[str, int]) -> str:
    if not found["providers"]:
        return "No provider is configured, so no list was compared (YOOKASSA_SHOP_ID, CRYPTO_PAY_TOKEN)."
    return f"Providers compared: {found['providers']}; payments that differ: {found['differences']}."


def in_words(listed: ListedPayment) -> list[str]:
    payment = listed.payment
    offer = f"for offer {payment.topup_id}" if payment.topup_id is not None else "for no offer of ours"
    paid = f"user {payment.user_id} paid {payment.paid} by {payment.provider} {_when(payment.paid_at)} {offer}"
    return [
        f"Payment {payment.payment_id}: {paid}.",
        f"It is called {payment.external_id} there, and {payment.reference} in the ledger.",
        f"{payment.credit} was credited ({payment.reason}) {_when(payment.received_at)}, reported by: {payment.via}.",
        *(_refund_in_words(one) for one in listed.refunds),
    ]


def _refund_in_words(one: ListedRefund) -> str:
    asked = f"Refund {one.refund_id} of {one.amount} ({one.paid}), asked for by {one.asked_by}"
    match one.state:
        case "done":
            return f"{asked}, went back {_when(one.closed_at)}."
        case "refused":
            return f"{asked}, was refused and is in the wallet again: {one.error}."
        case _:
            answer = f"; the last answer: {one.error}" if one.error else ""
            return f"{asked}, is on its way after {one.attempts} tries{answer}."


def _when(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at else "at an unknown time"


def _print(found: Sequence[ListedPayment]) -> None:
    table = Listing("number", "when (UTC)", "user", "way", "paid", "credited", "gone back", "called there")
    for one in found:
        payment, gone = one.payment, one.refunded("wanted", "done")
        table.add_row(
            str(payment.payment_id),
            f"{payment.received_at:%Y-%m-%d %H:%M}",
            str(payment.user_id),
            payment.provider,
            str(payment.paid),
            str(payment.credit),
            str(gone) if gone.minor else "",
            payment.external_id,
        )
    print_listing(table if found else "There are no such payments.")


def _as_json(listed: ListedPayment) -> dict[str, object]:
    payment = listed.payment
    return {
        "payment_id": payment.payment_id,
        "provider": payment.provider,
        "external_id": payment.external_id,
        "user_id": payment.user_id,
        "paid": payment.paid.minor,
        "paid_currency": payment.paid.currency,
        "credit": payment.credit.minor,
        "currency": payment.credit.currency,
        "reason": payment.reason,
        "reference": payment.reference,
        "via": payment.via,
        "paid_at": payment.paid_at,
        "received_at": payment.received_at,
        "refunds": [
            {"refund_id": one.refund_id, "amount": one.amount.minor, "state": one.state, "error": one.error}
            for one in listed.refunds
        ],
    }


@receipts_app.command("list")
def list_command(
    *,
    everything: Annotated[bool, typer.Option("--all", help="Decided ones too, the newest first.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 20,
    as_json: AsJson = False,
) -> None:
    """The receipts that wait, the oldest first."""
    found = query(lambda pool: list_receipts(pool, waiting=not everything, limit=limit), name=RECEIPTS_NAME)
    if as_json:
        print_json([_receipt_as_json(one) for one in found])
    else:
        _print_receipt(found)


@receipts_app.command("show")
def show_command(receipt_id: int, *, as_json: AsJson = False) -> None:
    """One receipt, and every receipt with the same file or the same transfer number."""

    async def read(pool: Pool) -> tuple[Receipt, list[DuplicateReceipt]] | None:
        receipt = await find_receipt(pool, receipt_id)
        if receipt is None:
            return None
        async with transaction(pool) as tx:
            return receipt, await duplicates_of(tx, receipt)

    found = query(read, name=RECEIPTS_NAME)
    if found is None:
        typer.echo(f"There is no receipt {receipt_id}; `receipts list` shows them.", err=True)
        raise typer.Exit(1)
    receipt, duplicates = found
    if as_json:
        print_json(_receipt_as_json(receipt) | {"alike": [asdict(one) for one in duplicates]})
        return
    _print_receipt([receipt])
    typer.echo(f"note: {receipt.note or '—'}")
    for one in duplicates:
        typer.echo(_duplicate_in_words(one))


@receipts_app.command("approve")
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
    minor = None if amount is None else minor_units(amount)

    async def approve(pool: Pool) -> DecisionResult:
        settings = await effective(pool, load())
        return await approve_receipt(
            pool,
            receipt_id,
            operator=operator or operator_name(),
            most=Money(settings.topup_most, settings.currency),
            minor=minor,
            reason=reason,
            anyway=anyway,
        )

    _do(receipt_id, approve, as_json=as_json)


@receipts_app.command("decline")
def decline_command(
    receipt_id: int,
    *,
    reason: Annotated[str, typer.Option(help=f"Why; the user reads it. Usual ones by name: {', '.join(REASONS)}.")],
    operator: Operator = None,
    as_json: AsJson = False,
) -> None:
    """Credit nothing, and notify the user of the reason."""
    _do(
        receipt_id,
        lambda pool: decline_receipt(pool, receipt_id, operator=operator or operator_name(), reason=reason),
        as_json=as_json,
    )


def _do(receipt_id: int, act: Callable[[Pool], Awaitable[DecisionResult]], *, as_json: bool) -> None:
    ruled = operate(act, name=RECEIPTS_NAME)
    facts = {"receipt_id": receipt_id, "ruling": ruled.decision, "sentence": ruled.sentence} if as_json else None
    print_outcome(f"Receipt {receipt_id}: {ruled.sentence}", done=ruled.done, facts=facts)


def _print_receipt(found: Sequence[Receipt]) -> None:
    table = Listing("receipt", "sent (UTC)", "user", "sum", "code", "state", "decided by", "repeats")
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
    print_listing(table if found else "No receipt waits for a decision; `--all` lists the decided ones.")


def _duplicate_in_words(one: DuplicateReceipt) -> str:
    same = " and ".join(word for word, is_so in (("file", one.same_file), ("number", one.same_note)) if is_so)
    sent = f"{one.created_at:%Y-%m-%d %H:%M}"
    return f"⚠ the same {same} as receipt {one.receipt_id} of user {one.user_id}, {one.state}, sent {sent} UTC"


def _receipt_as_json(receipt: Receipt) -> dict[str, Any]:
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
