"""`photomat installation`: whose database this is, and how a shop is given to another bot."""

from typing import Annotated, Any

import typer

from photomat.cli.ask import AsJson, ask, operator_name, print_json, tell
from photomat.db.installation import SANDBOX_BOT, identity_of, name_of, read_owner, refusal
from photomat.db.pool import ACQUIRE_TIMEOUT_S, Pool
from photomat.kernel.errors import Startup
from photomat.operators import installation
from photomat.operators.actions import Answer
from photomat.settings import Settings, load

app = typer.Typer(help="Whose database this is.", no_args_is_help=True)
NAME = "photomat installation"


@app.command("show")
def show(*, as_json: AsJson = False) -> None:
    """Whose database this is, whose token is set, and what is under way."""
    facts = ask(lambda pool: _facts(pool, load()), name=NAME)
    if as_json:
        print_json(facts)
        return
    how = "as its row says" if facts["stamped"] else "as its other rows say; the next start writes it down"
    typer.echo(f"This database belongs to {facts['owner']} ({how}).")
    typer.echo(f"This program is {name_of(facts['bot_id'])}." if facts["bot_id"] else "BOT_TOKEN is not set.")
    typer.echo(f"Its currency is {facts['currency'] or 'not decided yet'}.")
    typer.echo("Under way: " + ", ".join(f"{what}: {count}" for what, count in facts["open"].items()) + ".")
    if facts["refusal"]:
        typer.echo(facts["refusal"])


@app.command("adopt")
def adopt(*, reason: Annotated[str, typer.Option(help="Why, for the journal.")], as_json: AsJson = False) -> None:
    """Give this database to the bot of BOT_TOKEN; refused while another bot has jobs, holds, receipts or refunds open."""
    settings = load()
    bot_id = settings.bot_id
    if bot_id is None:
        raise Startup("Set BOT_TOKEN and KIE_API_KEY of the bot that is to own this database: the sandbox adopts none.")

    async def act(pool: Pool) -> Answer:
        return await installation.adopt(
            pool, bot_id=bot_id, currency=settings.currency, operator=operator_name(), reason=reason
        )

    answer = ask(act, name=NAME)
    facts = {"identity": identity_of(bot_id), "sentence": answer.sentence} if as_json else None
    tell(answer.sentence, done=answer.done, facts=facts)


async def _facts(pool: Pool, settings: Settings) -> dict[str, Any]:
    async with pool.acquire(timeout=ACQUIRE_TIMEOUT_S) as connection:
        owner = await read_owner(connection)
    bot_id = settings.bot_id or (SANDBOX_BOT if settings.database_url is None else None)
    return {
        "identity": identity_of(owner.bots[0]) if len(owner.bots) == 1 else None,
        "stamped": owner.stamped,
        "owner": owner.name,
        "bots": [identity_of(bot) for bot in owner.bots],
        "currency": owner.currency,
        "bot_id": bot_id,
        "refusal": None if bot_id is None else refusal(owner, bot_id),
        "open": await installation.open_of_others(pool, None),
    }
