"""`photomat installation`: whose database this is, and how a shop is given to another bot."""

import asyncio
import sys
from typing import Annotated, Any

import typer

from photomat.cli.ask import AsJson, ask, operator_name, print_json, tell
from photomat.cli.database import reachable_database
from photomat.db.installation import ADOPT, SANDBOX_BOT, Owner, identity_of, name_of, owner_of, read_owner, refusal
from photomat.db.migrate import migrate
from photomat.db.pool import ACQUIRE_TIMEOUT_S, Pool, connect_pool
from photomat.kernel import logs
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
    typer.echo(facts["sentence"])
    typer.echo(f"This program is {name_of(facts['bot_id'])}." if facts["bot_id"] else "BOT_TOKEN is not set.")
    typer.echo(f"Its currency is {facts['currency'] or 'not decided yet'}.")
    typer.echo("Under way: " + ", ".join(f"{what}: {count}" for what, count in facts["open"].items()) + ".")
    if facts["refusal"]:
        typer.echo(facts["refusal"])


@app.command("adopt")
def adopt(
    *,
    reason: Annotated[str, typer.Option(help="Why, for the journal.")],
    abandon: Annotated[
        bool,
        typer.Option(
            "--abandon", help="Leave what a bot that cannot be started any more has not shown; results are refunded."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Give this database to the bot of BOT_TOKEN, migrated first; refused while another bot has anything under way."""
    settings = load()
    logs.configure(settings.log_format, sys.stderr)
    bot_id = settings.bot_id
    if bot_id is None:
        raise Startup("Set BOT_TOKEN and KIE_API_KEY of the bot that is to own this database: the sandbox adopts none.")

    async def act(dsn: str) -> Answer:
        problem = installation.never(await owner_of(dsn), bot_id)
        if problem is not None:
            return Answer(done=False, sentence=problem)
        await migrate(dsn)
        pool = await connect_pool(dsn, name=NAME, size=2, patience_s=0)
        try:
            return await installation.adopt(
                pool,
                bot_id=bot_id,
                currency=settings.currency,
                operator=operator_name(),
                reason=reason,
                abandon=abandon,
            )
        finally:
            await pool.close()

    with reachable_database(settings) as dsn:
        answer = asyncio.run(act(settings.direct_database_url or dsn))
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
        "sentence": _in_words(owner),
        "bots": [identity_of(bot) for bot in owner.bots],
        "currency": owner.currency,
        "bot_id": bot_id,
        "refusal": None if bot_id is None else refusal(owner, bot_id),
        "open": await installation.open_of_others(pool, None),
    }


def _in_words(owner: Owner) -> str:
    if owner.stamped:
        return f"This database belongs to {owner.name} (as its row says)."
    if owner.is_nobody:
        return "This database belongs to nobody (it is empty; the bot that starts on it first becomes its owner)."
    if len(owner.bots) == 1:
        return (
            f"This database belongs to {owner.name} (as its other rows say; the next start of that bot writes it down)."
        )
    found = f"rows of {owner.name}" if owner.bots else owner.name
    return f"This database holds {found}: no bot starts on it until the right one has adopted it with {ADOPT}."
