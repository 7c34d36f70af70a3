"""`photomat chaos` and `photomat failpoints`: the crash lab, a program of its own that is run as a process."""

import subprocess
import sys

import typer

from photomat.kernel.failpoint import FAILPOINTS

FORWARDED = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def chaos(context: typer.Context) -> None:
    """Run the crash lab: explore the model, try the mutants, run a storm."""
    done = subprocess.run([sys.executable, "-m", "photomat_chaos", *context.args], check=False)  # noqa: S603  our own program
    raise typer.Exit(done.returncode)


def failpoints() -> None:
    """List the failpoints: the names FAILPOINT accepts."""
    for name in FAILPOINTS:
        typer.echo(name)
