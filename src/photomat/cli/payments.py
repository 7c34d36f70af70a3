"""`photomat payments`: what arrived and what went back, and the refund of a payment, with a reason."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from typing import Annotated

import typer

from photomat.cli.ask import AsJson, ask, operate, operator_name, print_json, tell
from photomat.cli.screen import folding, print_found
from photomat.db.pool import Pool
from photomat.kernel.ids import UserId
from photomat.operators.actions import Answer
from photomat.operators.payments import refund_payment
from photomat.payments.compare import reconcile as reconcile_providers
from photomat.payments.invoices import InvoiceLooker
from photomat.payments.listing import ListedPayment, ListedRefund, list_payments
from photomat.settings import load

app = typer.Typer(help="What arrived, and what went back.", no_args_is_help=True)
NAME = "photomat payments"


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

    async def read(pool: Pool) -> list[ListedPayment]:
        return await list_payments(
            pool,
            user_id=None if user is None else UserId(user),
            provider=provider,
            since=None if since is None else timedelta(days=since),
            limit=limit,
        )

    found = ask(read, name=NAME)
    if as_json:
        print_json([_as_json(one) for one in found])
    else:
        _print(found)


@app.command("show")
def show(payment_id: int, *, as_json: AsJson = False) -> None:
    """One payment and everything that went back of it."""
    found = ask(lambda pool: list_payments(pool, payment_id=payment_id), name=NAME)
    if not found:
        typer.echo(f"There is no payment {payment_id}; `photomat payments list` tells their numbers.", err=True)
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
    operator: Annotated[str | None, typer.Option(help="Who does it; else whoever sits here.")] = None,
    as_json: AsJson = False,
) -> None:
    """Give back all that is left of a payment: out of the wallet first, then by its provider until that has worked."""

    async def act(pool: Pool) -> Answer:
        who = operator or operator_name()
        return await refund_payment(pool, payment_id, owing=owing, by_hand=by_hand, operator=who, reason=reason)

    answer = operate(act, name=NAME)
    facts = {"payment_id": payment_id, "sentence": answer.sentence} if as_json else None
    tell(answer.sentence, done=answer.done, facts=facts)


@app.command("reconcile")
def reconcile(*, as_json: AsJson = False) -> None:
    """Hold our payments against every provider's list and Telegram's own, now; `differences list` has what differs."""
    from photomat.wiring.outside import payment_providers, reach_outside  # noqa: PLC0415  aiogram takes seconds to load
    from photomat.wiring.stars import stars_reader  # noqa: PLC0415  likewise

    settings = load()

    async def compare(pool: Pool) -> dict[str, int]:
        async with AsyncExitStack() as stack:
            looker = InvoiceLooker(pool=pool, providers=payment_providers(stack, settings))
            found = {"differences": await reconcile_providers(looker, always=True), "providers": len(looker.providers)}
            if settings.bot_token and settings.stars_packages:
                bot, _ = reach_outside(stack, settings, pool)
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
    """A payment in sentences, oldest fact first."""
    payment = listed.payment
    offer = f"for offer {payment.topup_id}" if payment.topup_id is not None else "for no offer of ours"
    paid = f"user {payment.user_id} paid {payment.paid} by {payment.provider} {_when(payment.paid_at)} {offer}"
    return [
        f"Payment {payment.payment_id}: {paid}.",
        f"It is called {payment.external_id} there, and {payment.reference} in the ledger.",
        f"{payment.credit} was credited ({payment.reason}) {_when(payment.received_at)}, told by: {payment.via}.",
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
            said = f"; the last answer: {one.error}" if one.error else ""
            return f"{asked}, is on its way after {one.attempts} tries{said}."


def _when(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S} UTC" if at else "at an unknown time"


def _print(found: Sequence[ListedPayment]) -> None:
    table = folding("number", "when (UTC)", "user", "way", "paid", "credited", "gone back", "called there")
    for one in found:
        payment = one.payment
        table.add_row(
            str(payment.payment_id),
            f"{payment.received_at:%Y-%m-%d %H:%M}",
            str(payment.user_id),
            payment.provider,
            str(payment.paid),
            str(payment.credit),
            str(one.gone) if one.gone.minor else "",
            payment.external_id,
        )
    print_found(table if found else "There are no such payments.")


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
