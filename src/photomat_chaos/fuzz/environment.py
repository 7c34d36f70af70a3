"""The environment of the fuzz: one PostgreSQL with two databases, a lying Kie, a simulated Telegram, real processes, victims.

Two `photomat run` serve the first database, one with Kie's webhook key and one without. On the second the product's own steps
run in this process, so that each lying answer can be traced to the job it was given for. Budgets are lifted. The victims are
honest users with money, drafts and jobs.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit, urlunsplit

from photomat.app.settings import Settings
from photomat.app.wiring import Program, build
from photomat.catalog.load import load_catalog
from photomat.catalog.pricing import Rates
from photomat.db.embedded import Embedded
from photomat.db.installation import stamp
from photomat.db.migrate import migrate
from photomat.db.pool import Pool, connect, connect_pool, transaction
from photomat.kernel.ids import BotId, ChatId, JobId, MessageId, UserId
from photomat.kernel.logs import ensure_correlation_id
from photomat.kernel.money import Money
from photomat.orders.draft import Buyer, Draft
from photomat.orders.outcome import Created
from photomat.orders.service import OrderService
from photomat.orders.writer import OrderWriter
from photomat.rewards.welcome import ensure_users
from photomat.users.user import Registration
from photomat_chaos.fuzz.kie import HostileKie, Trap, hostile_kie, set_trap
from photomat_chaos.lab import processes
from photomat_chaos.lab.arena import FAST_AND_FORGETFUL, READY_LIMIT_S, until
from photomat_chaos.lab.load_balancer import serving
from photomat_chaos.lab.processes import Instance
from photomat_sandbox.faults import Faults
from photomat_sandbox.telegram.app import build_app
from photomat_sandbox.telegram.errors import bad_request
from photomat_sandbox.telegram.urls import FAILED, Fetched, UrlFetcher
from photomat_sandbox.telegram.world import TelegramWorld
from photomat_sandbox.transcript import Transcript

TOKEN: Final = "900900:fuzz-token"  # noqa: S105  opens nothing but the simulator
WEBHOOK_KEY: Final = "fuzz-webhook-key"
WELCOME: Final = 1_000_000
SETTINGS: Final = {
    "BOT_TOKEN": TOKEN,
    "KIE_API_KEY": "fuzz-key",
    "CALLBACK_SECRET": "fuzz-callback-secret",
    "PUBLIC_URL": "http://127.0.0.1:9",
    "WELCOME_CREDIT": str(WELCOME),
    "UPDATE_WORKERS": "all",
    "POLL_FIRST_S": "0.5",
}
NO_BUDGETS: Final = """
    CREATE FUNCTION lab_forget_calls() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN NEW.taken := '{}'; NEW.blocked_until := NULL; RETURN NEW; END $$;
    CREATE TRIGGER lab_forget_calls BEFORE INSERT OR UPDATE ON budgets FOR EACH ROW EXECUTE FUNCTION lab_forget_calls()"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzEnvironment:
    """`open_pool` is the database of the processes, `program` the product inside this process."""

    settings: Settings
    telegram: TelegramWorld
    process_kie: HostileKie
    kie: HostileKie
    trap: Trap
    instances: tuple[Instance, Instance]
    open_pool: Pool
    program: Program


class _NoWayIn(UrlFetcher):
    """Telegram's servers cannot reach this machine, so the product fetches every result itself."""

    async def fetch(self, url: str, *, kind: str) -> Fetched:  # noqa: ARG002  whatever it is
        raise bad_request(FAILED)


@asynccontextmanager
async def open_environment(folder: Path) -> AsyncIterator[FuzzEnvironment]:
    server = await asyncio.to_thread(Embedded.start, folder / "postgres", settings=FAST_AND_FORGETFUL)
    try:
        async with AsyncExitStack() as stack:
            yield await _build(stack, folder, server.dsn)
    finally:
        await asyncio.to_thread(server.stop)


async def _build(stack: AsyncExitStack, folder: Path, dsn: str) -> FuzzEnvironment:
    telegram = TelegramWorld(token=TOKEN)
    telegram.fetcher = _NoWayIn(clock=telegram.clock)
    telegram_url = await stack.enter_async_context(serving(build_app(telegram, Transcript(), Faults())))
    process_kie = await stack.enter_async_context(hostile_kie())
    kie = await stack.enter_async_context(hostile_kie())
    trap = await stack.enter_async_context(set_trap())
    open_dsn, own_dsn = [await _database(dsn, name) for name in ("open", "own")]
    settings = SETTINGS | {"TELEGRAM_API_URL": telegram_url}
    instances = await _start(stack, folder, settings | {"DATABASE_URL": open_dsn, **_kie(process_kie.url)})
    own = _settings(settings | _kie(kie.url) | {"DATA_DIR": str(folder / "own")})
    open_pool = await connect_pool(open_dsn, name="fuzz observer", size=4)
    stack.push_async_callback(open_pool.close)
    return FuzzEnvironment(
        settings=own,
        telegram=telegram,
        process_kie=process_kie,
        kie=kie,
        trap=trap,
        instances=instances,
        open_pool=open_pool,
        program=await build(stack, own, own_dsn, stop=asyncio.Event()),
    )


async def _start(stack: AsyncExitStack, folder: Path, settings: dict[str, str]) -> tuple[Instance, Instance]:
    started = []
    for name, more in (("plain", {}), ("keyed", {"KIE_WEBHOOK_KEY": WEBHOOK_KEY})):
        environment = settings | more | {"DATA_DIR": str(folder / name)}
        instance = processes.start(environment, folder=folder, name=name)
        stack.push_async_callback(asyncio.to_thread, instance.end)
        await until(partial(_ready_or_dead, instance), within_s=READY_LIMIT_S, what="a start")
        if not instance.alive:
            raise RuntimeError(f"an instance did not start:\n{instance.log[-2000:]}")
        started.append(instance)
    return started[0], started[1]


def _ready_or_dead(instance: Instance) -> bool:
    return instance.ready or not instance.alive


async def _database(dsn: str, name: str) -> str:
    connection = await connect(dsn, name="fuzz")
    try:
        await connection.execute(f'CREATE DATABASE "{name}"')
    finally:
        await connection.close(timeout=5)
    found = urlunsplit(urlsplit(dsn)._replace(path=f"/{name}"))
    await migrate(found)
    await stamp(found, bot_id=BotId(int(TOKEN.partition(":")[0])), currency="RUB")
    connection = await connect(found, name="fuzz")
    try:
        await connection.execute(NO_BUDGETS)
    finally:
        await connection.close(timeout=5)
    return found


def _kie(url: str) -> dict[str, str]:
    """One host for Kie's API and its uploads."""
    return {"KIE_API_URL": url, "KIE_UPLOAD_URL": url}


def _settings(values: dict[str, str]) -> Settings:
    return Settings.model_validate({name.lower(): value for name, value in values.items()})


RATES: Final = Rates(usd_rate=Decimal(80), markup=Decimal(2), currency="RUB")
INPUTS: Final = {"prompt": "кот-космонавт", "aspect_ratio": "1:1"}
FIRST_CARD: Final = 20_000_000
"""Message ids of victims' cards; far from those of the simulated Telegram."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VictimJob:
    job_id: JobId
    user_id: UserId
    card: MessageId


async def join(pool: Pool, user_id: int, welcome: int) -> UserId:
    """Create a user with a wallet, as a first message does."""
    user = UserId(user_id)
    async with transaction(pool) as tx:
        await ensure_users(tx, [Registration(user, "Анна", None, "ru")], welcome=Money(welcome, RATES.currency))
    return user


async def draft_of(pool: Pool, bot_id: BotId, user: UserId, *, origin: str) -> Draft:
    """Save a filled-in form of this user with its price."""
    orders = _orders(pool)
    return await orders.save_draft(_buyer(bot_id, user), orders.catalog.get("z-image"), INPUTS, origin=origin)


async def buy(pool: Pool, bot_id: BotId, user: UserId, *, origin: str) -> VictimJob | None:
    """Buy a picture; None at the limit of jobs a user may have at once."""
    draft = await draft_of(pool, bot_id, user, origin=origin)
    card = MessageId(FIRST_CARD + draft.draft_id)
    outcome = await _orders(pool).buy(
        _buyer(bot_id, user),
        draft_id=draft.draft_id,
        revision=draft.revision,
        message_id=card,
        corr=ensure_correlation_id(),
    )
    return VictimJob(job_id=outcome.job_id, user_id=user, card=card) if isinstance(outcome, Created) else None


def _orders(pool: Pool) -> OrderService:
    return OrderService(pool=pool, writer=OrderWriter(pool), catalog=load_catalog(), rates=RATES)


def _buyer(bot_id: BotId, user: UserId) -> Buyer:
    return Buyer(user_id=user, language="ru", bot_id=bot_id, chat_id=ChatId(user))
