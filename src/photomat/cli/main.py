"""The `photomat` command and its subcommands."""

import sys
from collections.abc import Callable

import typer

from photomat.cli import (
    assistant,
    assistant_usage,
    audit,
    backup,
    broadcast,
    catalog,
    catalog_changes,
    check,
    completion,
    console,
    content,
    controls,
    fiscal,
    installation,
    jobs,
    payments,
    promo,
    results,
    run,
    settings,
    templates,
    tickets,
    upgrade,
    users,
    wallet,
)
from photomat.kernel.errors import Startup
from photomat.kernel.failpoint import UnknownFailpoint

app = typer.Typer(
    help="Photomat: put a coin in, get exactly one picture out.", no_args_is_help=True, add_completion=False
)
app.command("run")(run.run)
app.command("sandbox")(run.sandbox)
app.command("migrate")(installation.migrate_command)
app.command("check")(check.check)
app.command("smoke")(check.smoke)
app.command("audit")(audit.audit)
app.command("prune")(installation.prune)
app.command("incidents")(audit.incidents)
app.command("failpoints")(check.failpoints)
app.command("completion")(completion.completion)
app.command("chaos", context_settings=check.FORWARDED)(check.chaos)
app.command("bench", context_settings=check.FORWARDED)(check.bench)
app.add_typer(backup.app, name="backup")
app.add_typer(backup.restore_app, name="restore")
app.command("upgrade")(upgrade.upgrade)
app.add_typer(results.app, name="results")
app.add_typer(installation.app, name="installation")
app.add_typer(console.app, name="console")
app.add_typer(jobs.app, name="jobs")
app.add_typer(wallet.app, name="wallet")
app.add_typer(users.app, name="users")
app.add_typer(payments.receipts_app, name="receipts")
app.add_typer(tickets.app, name="tickets")
app.add_typer(content.app, name="content")
app.add_typer(payments.app, name="payments")
app.add_typer(fiscal.app, name="fiscal")
app.add_typer(audit.app, name="differences")
app.add_typer(catalog.app, name="catalog")
catalog.app.command("canary")(catalog_changes.canary)
catalog.app.command("price")(catalog_changes.price)
catalog.app.command("margins")(catalog_changes.show_margins)
catalog.app.command("hide")(catalog_changes.hide)
catalog.app.command("unhide")(catalog_changes.unhide)
catalog.app.command("feature")(catalog_changes.feature)
catalog.app.command("unfeature")(catalog_changes.unfeature)
catalog.app.command("rename")(catalog_changes.rename)
catalog.app.command("sell")(catalog_changes.sell)
catalog.app.command("unsell")(catalog_changes.unsell)
app.add_typer(settings.app, name="settings")
app.add_typer(promo.app, name="promo")
app.add_typer(broadcast.app, name="broadcast")
app.command("pause")(controls.pause)
app.command("resume")(controls.resume)
app.command("pauses")(controls.pauses)
app.add_typer(controls.app, name="instances")
app.add_typer(assistant.app, name="assistant")
app.add_typer(templates.app, name="templates")
app.add_typer(templates.examples_app, name="examples")
assistant.app.command("usage")(assistant_usage.usage)


def main(commands: Callable[[], object] = app) -> None:
    """Run a command; a `Startup` error is printed as one sentence, with exit code 2."""
    try:
        commands()
    except (Startup, UnknownFailpoint) as error:
        is_restore = sys.argv[1:2] == ["restore"]
        sys.stderr.write(f"\n{error}\n" if is_restore else f"\nPhotomat cannot start. {error}\n")
        sys.exit(2)
