"""`photomat failpoints`: the names FAILPOINT takes, one a line."""

import typer

from photomat.kernel.failpoint import FAILPOINTS


def failpoints() -> None:
    """List the places where a test can kill the process."""
    for name in FAILPOINTS:
        typer.echo(name)
