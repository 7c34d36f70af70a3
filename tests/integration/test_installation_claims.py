"""A program of another bot on a shop's database claims nothing and changes nothing, in whatever loop or duty."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from photomat.app.duties import duties_of
from photomat.app.flow import DUE
from photomat.app.settings import Settings
from photomat.app.wiring import Program, build
from photomat.db.installation import SANDBOX_BOT
from photomat.inbox.receive import receive
from photomat.jobs.callback import CallbackInbox, KieCallback
from photomat.kernel.errors import Transient
from photomat.kernel.ids import BotId
from photomat.payments.invoices import make_invoice_due
from support.busy_shop import a_busy_shop, everything_in
from support.database import pool_of
from support.updates import BOT_ID, text_update

NOWHERE = "http://127.0.0.1:9"
ANOTHER = 7_000_000_002


@asynccontextmanager
async def program_of(bot_id: int, database: str, folder: Path) -> AsyncIterator[Program]:
    """Every part of a running instance of this bot, none of it started; the outside cannot be reached."""
    settings = Settings(
        _env_file=None,
        bot_token=f"{bot_id}:token",
        kie_api_key="key",
        data_dir=folder,
        telegram_api_url=NOWHERE,
        kie_api_url=NOWHERE,
        yookassa_shop_id="1",
        yookassa_secret_key="key",
        yookassa_api_url=NOWHERE,
        admin_ids="9001",
    )
    async with AsyncExitStack() as stack:
        yield await build(stack, settings, database, stop=asyncio.Event())


async def claim_all(program: Program) -> dict[str, int]:
    """How much each loop claims."""
    steps = [*program.instance_steps(), *program.update_steps()]
    return {step.name: len(await step.claim(step.width)) for step in steps}


async def do_every_duty(program: Program) -> None:
    """One round of everything an ACTIVE instance does."""
    over = asyncio.Event()
    over.set()
    for duty in duties_of(program):
        await duty(over)


@pytest.mark.parametrize("bot_id", [ANOTHER, SANDBOX_BOT], ids=["another bot", "the sandbox"])
async def test_another_identity_claims_nothing_and_its_own_claims_in_every_loop(
    database: str, tmp_path: Path, bot_id: int
) -> None:
    async with pool_of(database) as pool:
        await a_busy_shop(pool)
        before = await everything_in(pool)
        async with program_of(bot_id, database, tmp_path) as foreign:
            assert await claim_all(foreign) == dict.fromkeys(DUE, 0)
            await do_every_duty(foreign)
        assert await everything_in(pool) == before
        async with program_of(BOT_ID, database, tmp_path) as own:
            claimed = await claim_all(own)
            assert [name for name in DUE if not claimed[name]] == [], "a_busy_shop has nothing due for these loops"
            await do_every_duty(own)
        assert await everything_in(pool) != before


async def test_after_an_adoption_the_program_that_still_runs_claims_nothing(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool, program_of(BOT_ID, database, tmp_path) as earlier:
        await a_busy_shop(pool)
        await pool.execute("UPDATE installation SET bot_id = $1", ANOTHER)
        before = await everything_in(pool)
        assert await claim_all(earlier) == dict.fromkeys(DUE, 0)
        await do_every_duty(earlier)
        assert await everything_in(pool) == before
        await pool.execute("UPDATE installation SET bot_id = $1", BOT_ID)


async def test_what_comes_from_outside_is_not_stored_in_another_bots_database(database: str) -> None:
    async with pool_of(database, bot_id=ANOTHER) as foreign:
        before = await everything_in(foreign)
        with pytest.raises(Transient, match="another bot"):
            await receive(foreign, bot_id=BotId(ANOTHER), updates=[text_update(1)])
        with pytest.raises(Transient, match="another bot"):
            await CallbackInbox(foreign, lambda _loop: None).store(
                KieCallback(job_id=None, task_id="task", payload={"data": {}}, body=b"{}")
            )
        await make_invoice_due(foreign, "yookassa", "bill-7")
        assert await everything_in(foreign) == before
