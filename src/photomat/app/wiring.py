"""One running instance: every part built from the settings, its steps, its doors, its duties.

How results reach people, put together: the copies we keep, the cards, what is sent once more, the door to large files.

What can be paid here, how each way gives money back, and what an invitation brings.

Telegram Stars put together: who reads Telegram's list, and who sees that nobody who pays is left hanging.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from aiogram import Bot
from aiohttp import web

from photomat import __version__
from photomat.alerts.checker import RuleChecker
from photomat.alerts.incident import ProbeContext
from photomat.alerts.sender import AlertSender
from photomat.app.clients import payment_providers, reach_outside
from photomat.app.files import file_sources, input_uploader, result_files
from photomat.app.flow import DUE, alert_steps, job_steps, money_steps, update_steps
from photomat.app.settings import Settings
from photomat.bot.app import build_dispatcher
from photomat.bot.checkout_guard import CheckoutGuard
from photomat.bot.context import BotConfig, Support
from photomat.bot.worker import UpdateWorker
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Catalog
from photomat.catalog.pricing import Rates
from photomat.cluster.instances import Heartbeat, new_instance_id
from photomat.cluster.leader import ActiveState
from photomat.db.pool import BoundedPool, Pool, connect_pool
from photomat.db.schema_check import require_schema
from photomat.delivery.archive import ResultArchive
from photomat.delivery.completion import CompletionNotifier
from photomat.delivery.coordinator import Coordinator
from photomat.delivery.resend import Resender
from photomat.delivery.result_link import ResultLinks
from photomat.delivery.sender import Sender
from photomat.files.sources import FileSources
from photomat.inbox.receive import is_handled, queue_depth, receive
from photomat.jobs.callback import CallbackInbox
from photomat.jobs.claims import Claims, Departures, creates_budget, queries_budget
from photomat.jobs.inputs import Inputs
from photomat.jobs.job import Times
from photomat.jobs.poll import TaskPoller
from photomat.jobs.submit import Submitter
from photomat.kernel.ids import BotId, InstanceId, JobId, UserId
from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.kie.client import KieClient
from photomat.kie.signature import sign_job
from photomat.messages.notices import NoticeSender
from photomat.orders.limits import Limits
from photomat.orders.service import OrderService
from photomat.payments.invoices import InvoicePoller, look_at
from photomat.payments.options import PaymentOptions, Plan, read_packages, read_sums, stars_worth
from photomat.payments.receipt_reminder import ReceiptReminder
from photomat.payments.refunder import ClaimedRefund, RefundCall, Refunder
from photomat.payments.stars_reader import StarsReader
from photomat.providers.port import PaymentProvider
from photomat.rewards.book import ReferralTerms, RewardBooker
from photomat.telegram.client import StarsClient, TelegramMessenger
from photomat.telegram.port import Messenger, StarsLedger
from photomat.texts.load import Texts, load_texts
from photomat.web.app import build_app
from photomat.web.health import Health
from photomat.web.kie_callback import KieCallbacks
from photomat.web.payments import PaymentNotices
from photomat.web.result_file import ResultDownload
from photomat.web.telegram_webhook import TelegramWebhook
from photomat.work.disk import MIB, Disk
from photomat.work.due_poller import Wakes
from photomat.work.loop import LoopStep

POOL_SIZE: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Makes the parts that show results."""

    settings: Settings
    pool: Pool
    texts: Texts
    catalog: Catalog

    @property
    def archive(self) -> ResultArchive:
        """What copies results to our disk."""
        return ResultArchive(pool=self.pool, files=result_files(self.settings))

    @property
    def links(self) -> ResultLinks:
        """Lasting addresses of our copies, if the outside can reach us."""
        return ResultLinks(base_url=self.settings.base_url, secrets=self.settings.callback_secrets)

    @property
    def door(self) -> ResultDownload:
        """Where those addresses lead."""
        return ResultDownload(pool=self.pool, archive=self.archive, secrets=self.settings.callback_secrets)

    def coordinator(self, messenger: Messenger, wake: Callable[[str], None]) -> Coordinator:
        """What brings cards up to date."""
        sender = Sender(
            pool=self.pool,
            messenger=messenger,
            archive=self.archive,
            texts=self.texts,
            links=self.links,
            rich=self.settings.rich_results,
        )
        return Coordinator(
            pool=self.pool,
            messenger=messenger,
            sender=sender,
            texts=self.texts,
            model_of=self.catalog.models.get,
            wake=wake,
            lease=timedelta(seconds=self.settings.delivery_lease_s),
        )

    def resender(self, messenger: Messenger) -> Resender:
        """What sends a result once more."""
        return Resender(
            pool=self.pool,
            messenger=messenger,
            archive=self.archive,
            texts=self.texts,
            model_of=self.catalog.models.get,
            links=self.links,
        )


def offers_of(settings: Settings) -> PaymentOptions:
    """The settings about paying, as offers."""
    worth, currency = settings.star_usd * settings.usd_rate * MINOR_PER_MAJOR, settings.currency
    plan = None
    if settings.subscription_stars:
        credit = Money(settings.subscription_credit, currency)
        plan = Plan(
            stars=settings.subscription_stars,
            credit=credit if credit.minor else stars_worth(settings.subscription_stars, worth, currency),
        )
    return PaymentOptions(
        currency=currency,
        star_worth=worth,
        packages=read_packages(settings.stars_packages, star_worth=worth, currency=currency),
        plan=plan,
        sums=read_sums(settings.topup_sums, currency=currency),
        least=Money(settings.topup_least, currency),
        most=Money(settings.topup_most, currency),
        a_day=settings.topups_per_day,
        transfer_details=settings.transfer_details,
    )


def terms_of(settings: Settings) -> ReferralTerms:
    """The settings about invitations."""
    return ReferralTerms(
        inviter=Money(settings.referral_reward, settings.currency),
        friend=Money(settings.referral_friend_reward, settings.currency),
        percent=settings.referral_percent,
    )


def support_of(settings: Settings) -> Support:
    """The settings about questions and terms."""
    return Support(contact=settings.support_contact, terms_url=settings.terms_url)


def give_back_ways(bot: Bot, providers: Mapping[str, PaymentProvider]) -> dict[str, RefundCall]:
    """How each provider is asked to give money back."""
    return {"stars": _by_telegram(StarsClient(bot)), **{name: _by_provider(one) for name, one in providers.items()}}


def _by_telegram(stars: StarsLedger) -> RefundCall:
    async def give_back(refund: ClaimedRefund) -> None:
        await stars.refund(refund.payment.user_id, refund.payment.external_id)

    return give_back


def _by_provider(provider: PaymentProvider) -> RefundCall:
    async def give_back(refund: ClaimedRefund) -> None:
        await provider.refund(refund.payment.external_id, refund.paid, key=refund.key)

    return give_back


def checkout_guard(pool: Pool, bot: Bot, texts: Texts) -> CheckoutGuard:
    """The guard of pre-checkout queries this process takes in."""

    async def answered(update_id: int) -> bool:
        return await is_handled(pool, bot_id=BotId(bot.id), update_id=update_id)

    return CheckoutGuard(bot=bot, texts=texts, is_handled=answered)


def stars_reader(pool: Pool, bot: Bot, settings: Settings) -> StarsReader:
    """What holds Telegram's list against our payments."""
    return StarsReader(
        pool=pool,
        ledger=StarsClient(bot),
        offers=offers_of(settings),
        welcome=Money(settings.welcome, settings.currency),
        bot_id=BotId(bot.id),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Everything a running instance is made of."""

    settings: Settings
    pool: BoundedPool
    heartbeat_pool: BoundedPool
    bot: Bot
    kie: KieClient
    providers: Mapping[str, PaymentProvider]
    texts: Texts
    catalog: Catalog
    wakes: Wakes
    state: ActiveState
    instance: InstanceId
    doors_open: asyncio.Event
    guard: CheckoutGuard
    file_sources: FileSources
    stop: asyncio.Event
    disk: Disk

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
            free_a_friend=settings.referral_free,
        )

    def callback_url(self, job_id: JobId) -> str | None:
        """The signed address Kie calls back at, if the outside can reach us."""
        if self.settings.base_url is None:
            return None
        return f"{self.settings.base_url}/kie/callback/{sign_job(job_id, self.settings.callback_secrets)}"

    @property
    def claims(self) -> Claims:
        """How jobs are claimed within the limits of Kie."""
        return Claims(
            pool=self.pool,
            instance=self.instance,
            lease=self.times.lease,
            timeout=self.times.timeout,
            creates=creates_budget(self.settings.kie_creates_per_10s),
            queries=queries_budget(self.settings.kie_queries_per_s),
        )

    @property
    def results(self) -> Results:
        """What brings results to people."""
        return Results(settings=self.settings, pool=self.pool, texts=self.texts, catalog=self.catalog)

    def update_steps(self) -> list[LoopStep[Any]]:
        """The conversation."""
        workers = [self._update_worker(pre_checkout=pre_checkout) for pre_checkout in (False, True)]
        return update_steps(*workers, wake=self.wakes.here)

    def _update_worker(self, *, pre_checkout: bool) -> UpdateWorker:
        return UpdateWorker(
            config=self._bot_config(),
            bot=self.bot,
            dispatcher=build_dispatcher(),
            instance=self.instance,
            lease_s=self.settings.lease_s,
            pre_checkout=pre_checkout,
        )

    @property
    def orders(self) -> OrderService:
        """The one way to buy."""
        return OrderService(
            pool=self.pool,
            catalog=self.catalog,
            rates=self.rates,
            limits=self.limits,
            reachable=self.settings.base_url is not None,
        )

    def _bot_config(self) -> BotConfig:
        settings = self.settings
        return BotConfig(
            pool=self.pool,
            orders=self.orders,
            texts=self.texts,
            times=self.times,
            welcome_credit=Money(settings.welcome, settings.currency),
            terms=terms_of(settings),
            offers=offers_of(settings),
            providers=self.providers,
            operators=frozenset(UserId(admin) for admin in settings.admins),
            support=support_of(settings),
            files=self.file_sources,
        )

    @property
    def probe_context(self) -> ProbeContext:
        """What the alert rules can see."""
        return ProbeContext(
            pool=self.pool,
            account=self.kie,
            disk=self.disk,
            disk_alert_bytes=self.settings.disk_alert_mb * MIB,
            database_alert_bytes=self.settings.database_alert_mb * MIB,
        )

    def job_steps(self) -> list[LoopStep[Any]]:
        """From the paid draft to the ring, and what wakes the operator: the steps every instance takes."""
        messenger = TelegramMessenger(self.bot)
        wake = self.wakes.here
        alerts = alert_steps(
            RuleChecker(context=self.probe_context, admins=self.settings.admins),
            AlertSender(pool=self.pool, messenger=messenger, texts=self.texts),
        )
        steps = job_steps(
            self.pool,
            claims=self.claims,
            submitter=Submitter(
                pool=self.pool,
                provider=self.kie,
                times=self.times,
                callback_url=self.callback_url,
                wake=wake,
                inputs=Inputs(
                    pool=self.pool, uploader=input_uploader(self.settings, self.file_sources), catalog=self.catalog
                ),
                stopping=self.stop.is_set,
                departures=Departures(apart_s=self.claims.creates.apart_s),
            ),
            looker=TaskPoller(pool=self.pool, provider=self.kie, times=self.times, wake=wake),
            coordinator=self.results.coordinator(messenger, wake),
            completions=CompletionNotifier(pool=self.pool, messenger=messenger, texts=self.texts),
            resender=self.results.resender(messenger),
            archive=self.results.archive,
            instance=self.instance,
            lease=self.times.lease,
            delivery_lease=timedelta(seconds=self.settings.delivery_lease_s),
        )
        return [*steps, *self._money_steps(messenger), *alerts]

    def _money_steps(self, messenger: TelegramMessenger) -> list[LoopStep[Any]]:
        return money_steps(
            invoices=self.invoice_poller,
            refunder=Refunder(pool=self.pool, ways=give_back_ways(self.bot, self.providers)),
            rewards=RewardBooker(pool=self.pool, terms=terms_of(self.settings)),
            reminder=ReceiptReminder(
                pool=self.pool, messenger=messenger, texts=self.texts, operators=self.settings.admins
            ),
            notices=NoticeSender(pool=self.pool, messenger=messenger, texts=self.texts),
        )

    @property
    def invoice_poller(self) -> InvoicePoller:
        """The one reader of what was paid at a provider."""
        return InvoicePoller(pool=self.pool, providers=self.providers)

    def web_app(self) -> web.Application:
        """The doors for callers from outside."""

        async def take(updates: Any) -> object:
            return await self.guard.taking_in(updates, lambda: receive(self.pool, bot_id=self.bot_id, updates=updates))

        return build_app(
            health=Health(
                state=self.state,
                version=__version__,
                queue_depth=lambda: queue_depth(self.pool),
                is_disk_full=lambda: self.disk.is_full,
            ),
            callbacks=KieCallbacks(
                inbox=CallbackInbox(self.pool, self.wakes.everywhere),
                secrets=self.settings.callback_secrets,
                webhook_key=self.settings.kie_webhook_key,
            ),
            notices=PaymentNotices(providers=self.providers, look_at=self._look_at_bill),
            webhook=TelegramWebhook(secret=self.settings.webhook_secret, receive=take, wake=self.wakes.everywhere),
            results=self.results.door,
        )

    async def _look_at_bill(self, provider: str, external_id: str) -> None:
        await look_at(self.pool, provider, external_id)
        self.wakes.everywhere("invoices")


async def build(stack: AsyncExitStack, settings: Settings, dsn: str, *, stop: asyncio.Event) -> Program:
    """Open what an instance needs on this database; `stack` closes it again, `stop` is set when the instance is to stop."""
    instance = new_instance_id()
    pooled = settings.direct_database_url not in {None, dsn}
    bot_id = settings.bot_id
    pool = await connect_pool(dsn, name=instance, size=POOL_SIZE, through_pooler=pooled, bot_id=bot_id)
    stack.push_async_callback(_close_pool, pool)
    async with pool.acquire() as connection:
        await require_schema(connection)
    heartbeat_pool = await connect_pool(dsn, name=instance, size=1, through_pooler=pooled, bot_id=bot_id)
    stack.push_async_callback(_close_pool, heartbeat_pool)
    bot, kie = reach_outside(stack, settings, pool)
    texts = load_texts()
    return Program(
        settings=settings,
        pool=pool,
        heartbeat_pool=heartbeat_pool,
        bot=bot,
        kie=kie,
        providers=payment_providers(stack, settings),
        texts=texts,
        catalog=load_catalog(),
        wakes=Wakes(DUE),
        state=ActiveState(),
        instance=instance,
        doors_open=asyncio.Event(),
        guard=checkout_guard(pool, bot, texts),
        file_sources=file_sources(settings, pool=pool, bot=bot),
        stop=stop,
        disk=Disk(Path(settings.data_dir)),
    )


async def _close_pool(pool: BoundedPool) -> None:
    try:
        async with asyncio.timeout(1):
            await pool.close()
    except TimeoutError:
        pool.terminate()
