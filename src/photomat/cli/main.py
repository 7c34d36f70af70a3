"""`photomat`: what an operator can do from a terminal. One file a command."""

import sys

import typer

from photomat.cli import (
    audit,
    catalog,
    catalog_canary,
    catalog_price,
    catalog_settings,
    chaos,
    check,
    differences,
    failpoints,
    incidents,
    installation,
    jobs,
    migrate,
    payments,
    promo,
    prune,
    receipts,
    run,
    sandbox,
    smoke,
    wallet,
)
from photomat.kernel.errors import Startup
from photomat.kernel.failpoint import UnknownFailpoint

app = typer.Typer(
    help="Photomat: put a coin in, get exactly one picture out.", no_args_is_help=True, add_completion=False
)
app.command("run")(run.run)
app.command("sandbox")(sandbox.sandbox)
app.command("migrate")(migrate.migrate)
app.command("check")(check.check)
app.command("smoke")(smoke.smoke)
app.command("audit")(audit.audit)
app.command("prune")(prune.prune)
app.command("incidents")(incidents.incidents)
app.command("failpoints")(failpoints.failpoints)
app.command("chaos", context_settings=chaos.FORWARDED)(chaos.chaos)
app.add_typer(installation.app, name="installation")
app.add_typer(jobs.app, name="jobs")
app.add_typer(wallet.app, name="wallet")
app.add_typer(receipts.app, name="receipts")
app.add_typer(payments.app, name="payments")
app.add_typer(differences.app, name="differences")
app.add_typer(catalog.app, name="catalog")
catalog.app.command("canary")(catalog_canary.canary)
catalog.app.command("price")(catalog_price.price)
catalog.app.command("margins")(catalog_price.show_margins)
catalog.app.command("hide")(catalog_settings.hide)
catalog.app.command("unhide")(catalog_settings.unhide)
catalog.app.command("feature")(catalog_settings.feature)
catalog.app.command("unfeature")(catalog_settings.unfeature)
catalog.app.command("rename")(catalog_settings.rename)
catalog.app.command("sell")(catalog_settings.sell)
catalog.app.command("unsell")(catalog_settings.unsell)
app.add_typer(promo.app, name="promo")


def main() -> None:
    """Run a command; what prevents a start is one sentence and exit code 2."""
    try:
        app()
    except (Startup, UnknownFailpoint) as error:
        sys.stderr.write(f"\nPhotomat cannot start. {error}\n")
        sys.exit(2)
