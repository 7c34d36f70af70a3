"""`photomat console link`: a URL that signs in to the console once."""

import typer

from photomat.app.settings import load
from photomat.cli.session import operate, operator_name
from photomat.operators.access import new_link

app = typer.Typer(help="The operators' web console.", no_args_is_help=True)


@app.callback()
def console() -> None:
    """The operators' web console."""


@app.command("link")
def link() -> None:
    """Print a link that signs in as the owner: it works once, for five minutes."""
    settings = load()
    base = settings.base_url or f"http://127.0.0.1:{settings.port}"
    token = operate(lambda pool: new_link(pool, operator=operator_name(), telegram_id=None), name="photomat-console")
    typer.echo(f"{base}/console/sign-in#{token}")
