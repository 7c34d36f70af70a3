"""`photomat chaos …`: the crash lab. It is another program that imports this one, so it is started as a process.

`photomat failpoints`: the names FAILPOINT takes, one a line.
"""

import subprocess
import sys

import typer

from photomat.kernel.failpoint import FAILPOINTS

FORWARDED = {"allow_extra_args": True, "ignore_unknown_options": True, "help_option_names": []}


def chaos(context: typer.Context) -> None:
    """Prove the promise: explore the model, try the mutants, ride out a storm."""
    done = subprocess.run([sys.executable, "-m", "photomat_chaos", *context.args], check=False)  # noqa: S603  our own program
    raise typer.Exit(done.returncode)


def failpoints() -> None:
    """List the places where a test can kill the process."""
    for name in FAILPOINTS:
        typer.echo(name)
