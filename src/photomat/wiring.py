"""How the parts are put together: Settings in, parts out. The only file that names concrete classes."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from aiogram import Bot
from aiogram.client.session.aiohttp import AiohttpSession
from aiogram.client.telegram import TelegramAPIServer
from aiohttp import web

from photomat import __version__
from photomat.alerts.incident import Eyes
from photomat.alerts.tell import Teller
from photomat.alerts.watch import Watcher, forget_old
from photomat.audit.proofs import prove_the_night
from photomat.bot.app import announce_commands, build_dispatcher
from photomat.bot.dispatch import UpdateWorker
from photomat.bot.polling import Poller
from photomat.bot.presence import use_polling, use_webhook
from photomat.catalog.load import Catalog, load_catalog
from photomat.catalog.pricing import Rates
from photomat.cluster.active_state import ActiveState
from photomat.cluster.instances import Heartbeat, forget_the_dead, new_instance_id
from photomat.db.pool import Pool, connect_pool
from photomat.db.schema_check import require_schema
from photomat.delivery.coordinator import Coordinator
from photomat.delivery.keep import Keeper
from photomat.delivery.lock import free_locks_of_the_dead
from photomat.delivery.media import ResultFiles
from photomat.delivery.resend import Resender
from photomat.delivery.ring import Ringer
from photomat.delivery.sender import Sender
from photomat.delivery.tidy import forget_sent
from photomat.flow import DUE, alert_steps, job_steps, update_steps
from photomat.inbox.lane import free_lanes_of_the_dead
from photomat.inbox.receive import queue_depth, receive
from photomat.inbox.tidy import forget_handled
from photomat.jobs.callback_inbox import CallbackInbox
from photomat.jobs.job import Times
from photomat.jobs.limits import Limits
from photomat.jobs.look import Looker
from photomat.jobs.loose_holds import shout_about_loose_holds
from photomat.jobs.orphans import reconcile_orphans
from photomat.jobs.submit import Submitter
from photomat.jobs.sweep import free_claims_of_the_dead, rearm_the_forgotten
from photomat.kernel.ids import BotId, InstanceId, JobId
from photomat.kernel.money import Money
from photomat.kie.client import KieClient
from photomat.kie.families import JOBS
from photomat.kie.signature import sign_job
from photomat.settings import Settings
from photomat.telegram.messenger import TelegramMessenger
from photomat.telegram.pacing import Pacing
from photomat.texts.load import Texts, load_texts
from photomat.web.app import build_app
from photomat.web.health import Health
from photomat.web.kie_callback import KieCallbacks
from photomat.web.telegram_webhook import TelegramWebhook
from photomat.work.budget import forget_unused
from photomat.work.duties import Duty, every, first_of, until_it_works
from photomat.work.loop import Step
from photomat.work.wakes import Wakes

POOL_SIZE: Final = 12
ORPHANS_EVERY_S: Final = 60.0
SWEEP_EVERY_S: Final = 3.0
FORGOTTEN_EVERY_S: Final = 60.0
TIDY_EVERY_S: Final = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Everything a running instance is made of."""

    settings: Settings
    pool: Pool
    heartbeat_pool: Pool
    bot: Bot
    kie: KieClient
    texts: Texts
    catalog: Catalog
    wakes: Wakes
    state: ActiveState
    instance: InstanceId
    doors_open: asyncio.Event

    @property
    def bot_id(self) -> BotId:
        """The bot's own id, the number before its token's colon."""
        return BotId(self.bot.id)

    @property
    def times(self) -> Times:
        """The settings about time, as spans."""
        overdue = self.settings.job_overdue_s
        return Times(
            lease=timedelta(seconds=self.settings.lease_s),
            poll_first=timedelta(seconds=self.settings.poll_first_s),
            empty_result_grace=timedelta(seconds=self.settings.empty_result_grace_s),
            overdue=None if overdue is None else timedelta(seconds=overdue),
            timeout=timedelta(seconds=self.settings.job_timeout_s),
        )

    def heartbeat(self) -> Heartbeat:
        """What tells the others that this instance is alive."""
        return Heartbeat(self.heartbeat_pool, self.instance, self.state, version=__version__)

    @property
    def rates(self) -> Rates:
        """The settings about prices."""
        settings = self.settings
        return Rates(
            usd_rate=settings.usd_rate, markup=settings.markup, currency=settings.currency, step=settings.price_step
        )

    @property
    def limits(self) -> Limits:
        """The settings about how much one user may buy."""
        settings = self.settings
        return Limits(
            running=settings.most_running,
            a_minute=settings.orders_per_minute,
            pause=timedelta(seconds=settings.cooldown_s),
            free_a_day=settings.free_per_day,
        )

    def callback_url(self, job_id: JobId) -> str | None:
        """The signed address Kie calls back at, if the outside can reach us."""
        if self.settings.address is None:
            return None
        return f"{self.settings.address}/kie/callback/{sign_job(job_id, self.settings.callback_secrets)}"

    def title_of(self, model: str) -> str:
        """What customers call a model; one that left the catalogue keeps its id."""
        found = self.catalog.models.get(model)
        return found.title if found else model

    def protocol_of(self, model: str) -> str:
        """How Kie is spoken to about a model's tasks."""
        found = self.catalog.models.get(model)
        return found.protocol if found else JOBS

    def update_steps(self) -> list[Step[Any]]:
        """The conversation."""
        workers = [self._update_worker(pre_checkout=pre_checkout) for pre_checkout in (False, True)]
        return update_steps(*workers, wake=self.wakes.here)

    def _update_worker(self, *, pre_checkout: bool) -> UpdateWorker:
        settings = self.settings
        dispatcher = build_dispatcher(
            pool=self.pool,
            texts=self.texts,
            catalog=self.catalog,
            rates=self.rates,
            limits=self.limits,
            welcome_credit=Money(settings.welcome, settings.currency),
            times=self.times,
        )
        return UpdateWorker(
            pool=self.pool,
            bot=self.bot,
            dispatcher=dispatcher,
            texts=self.texts,
            instance=self.instance,
            lease_s=settings.lease_s,
            pre_checkout=pre_checkout,
        )

    def job_steps(self) -> list[Step[Any]]:
        """From the paid draft to the ring, and what wakes the operator: the steps every instance takes."""
        messenger = TelegramMessenger(self.bot)
        trusted_host = urlsplit(self.settings.kie_api_url).hostname or ""
        files = ResultFiles(folder=Path(self.settings.data_dir) / "results", trusted_host=trusted_host)
        keeper = Keeper(pool=self.pool, files=files)
        wake = self.wakes.here
        alerts = alert_steps(
            Watcher(eyes=Eyes(pool=self.pool, account=self.kie), admins=self.settings.admins),
            Teller(pool=self.pool, messenger=messenger, texts=self.texts),
        )
        steps = job_steps(
            self.pool,
            submitter=Submitter(
                pool=self.pool,
                provider=self.kie,
                times=self.times,
                callback_url=self.callback_url,
                wake=wake,
                protocol_of=self.protocol_of,
            ),
            looker=Looker(pool=self.pool, provider=self.kie, times=self.times, wake=wake, protocol_of=self.protocol_of),
            coordinator=Coordinator(
                pool=self.pool,
                messenger=messenger,
                sender=Sender(pool=self.pool, messenger=messenger, keeper=keeper, texts=self.texts),
                texts=self.texts,
                title_of=self.title_of,
                wake=wake,
                lease=timedelta(seconds=self.settings.delivery_lease_s),
            ),
            ringer=Ringer(pool=self.pool, messenger=messenger, texts=self.texts),
            resender=Resender(
                pool=self.pool, messenger=messenger, keeper=keeper, texts=self.texts, title_of=self.title_of
            ),
            keeper=keeper,
            instance=self.instance,
            lease=self.times.lease,
            delivery_lease=timedelta(seconds=self.settings.delivery_lease_s),
        )
        return [*steps, *alerts]

    def web_app(self) -> web.Application:
        """The doors for callers from outside."""

        async def take(updates: Any) -> object:
            return await receive(self.pool, bot_id=self.bot_id, updates=updates)

        return build_app(
            health=Health(state=self.state, version=__version__, queue_depth=lambda: queue_depth(self.pool)),
            callbacks=KieCallbacks(
                inbox=CallbackInbox(self.pool, self.wakes.everywhere),
                secrets=self.settings.callback_secrets,
                webhook_key=self.settings.kie_webhook_key,
            ),
            webhook=TelegramWebhook(secret=self.settings.webhook_secret, receive=take, wake=self.wakes.everywhere),
        )

    def duties(self) -> list[Duty]:
        """What the ACTIVE instance does besides."""
        return [
            *self._doors(),
            until_it_works("commands", lambda: announce_commands(self.bot, self.texts)),
            every(SWEEP_EVERY_S, "lanes", lambda: free_lanes_of_the_dead(self.pool)),
            every(SWEEP_EVERY_S, "claims", lambda: free_claims_of_the_dead(self.pool)),
            every(SWEEP_EVERY_S, "delivery locks", lambda: free_locks_of_the_dead(self.pool)),
            every(ORPHANS_EVERY_S, "orphans", lambda: reconcile_orphans(self.pool)),
            every(FORGOTTEN_EVERY_S, "forgotten", lambda: rearm_the_forgotten(self.pool)),
            every(TIDY_EVERY_S, "holds", lambda: shout_about_loose_holds(self.pool)),
            every(TIDY_EVERY_S, "inbox", lambda: forget_handled(self.pool)),
            every(TIDY_EVERY_S, "resends", lambda: forget_sent(self.pool)),
            every(TIDY_EVERY_S, "budgets", lambda: forget_unused(self.pool)),
            every(TIDY_EVERY_S, "instances", lambda: forget_the_dead(self.pool)),
            every(TIDY_EVERY_S, "incidents", lambda: forget_old(self.pool)),
            every(TIDY_EVERY_S, "proof", lambda: prove_the_night(self.pool)),
        ]

    def _doors(self) -> list[Duty]:
        """How updates reach us: by webhook where there is a public address, else by long polling."""
        address = self.settings.address
        if address is not None:
            return [until_it_works("webhook", lambda: self._open_webhook(address))]
        poller = Poller(pool=self.pool, bot=self.bot, wake=self.wakes.here)
        return [
            until_it_works("no webhook", self._open_polling),
            lambda over: first_of(lambda: poller.run(over), over.wait),
        ]

    async def _open_polling(self) -> None:
        await use_polling(self.bot)
        self.doors_open.set()

    async def _open_webhook(self, address: str) -> None:
        await use_webhook(self.bot, url=f"{address}/telegram/webhook", secret=self.settings.webhook_secret)
        self.doors_open.set()


async def build(stack: AsyncExitStack, settings: Settings, dsn: str) -> Program:
    """Open what an instance needs on this database; `stack` closes it again."""
    instance = new_instance_id()
    pooled = settings.direct_database_url not in {None, dsn}
    pool = await connect_pool(dsn, name=instance, size=POOL_SIZE, through_pooler=pooled)
    stack.push_async_callback(_close_pool, pool)
    async with pool.acquire() as connection:
        await require_schema(connection)
    heartbeat_pool = await connect_pool(dsn, name=instance, size=1, through_pooler=pooled)
    stack.push_async_callback(_close_pool, heartbeat_pool)
    bot, kie = reach_outside(stack, settings, pool)
    return Program(
        settings=settings,
        pool=pool,
        heartbeat_pool=heartbeat_pool,
        bot=bot,
        kie=kie,
        texts=load_texts(),
        catalog=load_catalog(),
        wakes=Wakes(DUE),
        state=ActiveState(),
        instance=instance,
        doors_open=asyncio.Event(),
    )


def reach_outside(stack: AsyncExitStack, settings: Settings, pool: Pool) -> tuple[Bot, KieClient]:
    """The clients of Telegram and Kie; calls to Telegram pass the budgets all instances share."""
    session = AiohttpSession(api=TelegramAPIServer.from_base(settings.telegram_api_url))
    session.middleware(Pacing(pool))
    bot = Bot(settings.bot_token or "", session=session)
    stack.push_async_callback(bot.session.close)
    return bot, reach_kie(stack, settings)


def reach_kie(stack: AsyncExitStack, settings: Settings) -> KieClient:
    """The client of Kie alone."""
    kie = KieClient(base_url=settings.kie_api_url, api_key=settings.kie_api_key or "")
    stack.push_async_callback(kie.close)
    return kie


async def _close_pool(pool: Pool) -> None:
    try:
        async with asyncio.timeout(1):
            await pool.close()
    except TimeoutError:
        pool.terminate()
