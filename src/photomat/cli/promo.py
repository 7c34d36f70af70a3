"""`photomat promo`: make a code, see who used it, stop it."""

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from photomat.app.settings import load
from photomat.cli.screen import Listing, print_listing
from photomat.cli.session import AsJson, minor_units, operate, operator_name, print_json, query
from photomat.kernel.money import Money
from photomat.operators.actions import ActionResult
from photomat.operators.money import create_promo, promo_in_words, stop_promo
from photomat.rewards.promo import CodeKind, CodeUse, PromoCode, StoredCode, list_codes, normalize_code, show_code

NAME = "photomat promo"
app = typer.Typer(help="Promo codes.", no_args_is_help=True)

Reason = Annotated[str, typer.Option(help="Why, for the journal.")]
Limit = Annotated[int, typer.Option(min=1, max=10_000)]


@app.command("create")
def create(
    code: str,
    *,
    amount: Annotated[str | None, typer.Option("--sum", help="Credits so much at once.")] = None,
    percent: Annotated[int | None, typer.Option(min=1, max=100, help="Adds so much to the next top-up.")] = None,
    free: Annotated[int | None, typer.Option(min=1, max=1000, help="So many free generations.")] = None,
    most: Annotated[
        str | None, typer.Option(help="The largest price of a free generation; the most a percent gives.")
    ] = None,
    uses: Annotated[int | None, typer.Option(min=1, help="How often in all; without it any number of times.")] = None,
    per_user: Annotated[int, typer.Option(min=1, help="How often one user may use it.")] = 1,
    only_new: Annotated[
        bool, typer.Option("--only-new", help="Only for users who have neither ordered nor paid.")
    ] = False,
    until: Annotated[datetime | None, typer.Option(help="Ends then; UTC.")] = None,
    reason: Reason,
    as_json: AsJson = False,
) -> None:
    """Make a code of one kind: --sum, --percent or --free (with --most)."""
    money = amount if amount is not None else most
    promo = PromoCode(
        code=normalize_code(code) or code,
        kind=_kind(amount, percent, free, most),
        currency=load().currency,
        amount=None if money is None else minor_units(money),
        percent=percent,
        generations=free,
        most_uses=uses,
        per_user=per_user,
        only_new=only_new,
        expires_at=None if until is None else until.replace(tzinfo=UTC),
    )

    _print_answer(
        operate(lambda pool: create_promo(pool, promo, operator=operator_name(), reason=reason), name=NAME),
        as_json=as_json,
    )


@app.command("stop")
def stop(code: str, *, reason: Reason, as_json: AsJson = False) -> None:
    """Stop a code: it cannot be used any more."""
    _print_answer(
        operate(lambda pool: stop_promo(pool, code, operator=operator_name(), reason=reason), name=NAME),
        as_json=as_json,
    )


@app.command("list")
def list_command(*, limit: Limit = 50, as_json: AsJson = False) -> None:
    """The newest codes, how often each was used."""
    found = query(lambda pool: list_codes(pool, limit=limit), name=NAME)
    if as_json:
        print_json([_as_json(stored) for stored in found])
        return
    table = Listing("code", "gives", "used", "state")
    for stored in found:
        table.add_row(
            stored.promo.code,
            promo_in_words(stored.promo).plain,
            str(stored.used),
            "over" if stored.is_over else "open",
        )
    print_listing(table if found else "There are no promo codes yet; `photomat promo create` makes one.")


@app.command("show")
def show_promo(code: str, *, limit: Limit = 100, as_json: AsJson = False) -> None:
    """A code, and who used it."""
    found = query(lambda pool: show_code(pool, normalize_code(code), limit=limit), name=NAME)
    if found is None:
        typer.echo(f"There is no code {code}.", err=True)
        raise typer.Exit(1)
    stored, uses = found
    if as_json:
        print_json(_as_json(stored) | {"uses": [asdict(use) for use in uses]})
        return
    over = " It is over." if stored.is_over else ""
    used = f"Used {stored.used} {'time' if stored.used == 1 else 'times'}."
    typer.echo(
        f"{stored.promo.code}: {promo_in_words(stored.promo).plain}. {used}{over} {stored.operator}: {stored.reason}"
    )
    for use in uses:
        typer.echo(f"{use.used_at:%Y-%m-%d %H:%M:%S}  user {use.user_id}  {_outcome(use, stored.promo.currency)}")


def _kind(amount: str | None, percent: int | None, free: int | None, most: str | None) -> CodeKind:
    if sum(each is not None for each in (amount, percent, free)) != 1:
        raise typer.BadParameter("choose one of --sum, --percent and --free")
    if free is not None and most is None:
        raise typer.BadParameter("--free needs --most: the largest price of such a generation")
    if amount is not None and most is not None:
        raise typer.BadParameter("--most belongs to --percent and --free")
    return "sum" if amount is not None else "percent" if percent is not None else "free"


def _outcome(use: CodeUse, currency: str) -> str:
    if use.credited is None:
        return f"{use.generations} generations" if use.generations else "waits"
    back = f", {Money(use.taken_back, currency)} taken back" if use.taken_back else ""
    paid = f" with payment {use.payment_id}" if use.payment_id is not None else ""
    return f"{Money(use.credited, currency)}{paid}{back}"


def _as_json(stored: StoredCode) -> dict[str, Any]:
    facts = asdict(stored)
    promo: dict[str, Any] = facts.pop("promo")
    return promo | facts


def _print_answer(answer: ActionResult, *, as_json: bool) -> None:
    if as_json:
        print_json({"done": answer.done, "sentence": answer.sentence})
    else:
        typer.echo(answer.sentence, err=not answer.done)
    if not answer.done:
        raise typer.Exit(1)
