"""The composition root: `build` opens what an instance needs, `Program` makes its loops and its web server from the settings.

Concrete classes are named here alone. To follow one loop, start at its step in `flow.py` and find its parts in
`Program.job_steps`, `update_steps` or `_money_steps`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from aiogram import Bot, Dispatcher
from aiohttp import web

from photomat import __version__
from photomat.alerts.checker import RuleChecker
from photomat.alerts.incident import ProbeContext
from photomat.alerts.sender import AlertSender
from photomat.app.clients import (
    chat_model,
    connect_outside,
    kie_uploads,
    payment_providers,
    receipt_readers,
    tax_service,
)
from photomat.app.flow import (
    DUE,
    URGENT,
    alert_steps,
    assistant_step,
    broadcast_steps,
    job_steps,
    money_steps,
    privacy_steps,
    update_steps,
)
from photomat.app.live_settings import LiveSettings
from photomat.app.personal_data import export_builder, forget_worker, personal_data
from photomat.app.polled import PolledState
from photomat.app.result_store import result_places
from photomat.app.settings import Settings
from photomat.app.terms import (
    bot_api_limits_of,
    call_limits_of,
    consent_of,
    content_gate,
    fiscal_options_of,
    fiscal_times_of,
    limits_of,
    payment_options_of,
    rates_of,
    referral_terms_of,
    rule_book,
    strikes_of,
    taxed_providers_of,
    times_of,
    welcome_credit_of,
)
from photomat.assistant.service import Assistant
from photomat.bot.app import build_dispatcher
from photomat.bot.assistant.loop import AssistantLoop
from photomat.bot.checkout_guard import CheckoutGuard
from photomat.bot.context import AdminOptions, BotConfig, PrivacyOptions, Support
from photomat.bot.profile import ProfileTexts, WantedProfile
from photomat.bot.updates import tell_of_flood
from photomat.bot.worker import SHARE_OF_LEASE, UpdateWorker
from photomat.broadcasts.recipients import Audiences
from photomat.broadcasts.sender import BroadcastSender, PreviewSender, broadcast_budget
from photomat.catalog.load import load_catalog
from photomat.catalog.model import Catalog
from photomat.catalog.storefront import Cheapest
from photomat.cluster.instances import Heartbeat, new_instance_id
from photomat.cluster.leader import ActiveState
from photomat.console.app import build_console
from photomat.console.config import ConsoleConfig
from photomat.db.pool import BoundedPool, Pool, connect_pool
from photomat.db.schema_check import require_schema
from photomat.delivery.archive import ResultArchive, ResultFiles
from photomat.delivery.completion import CompletionNotifier
from photomat.delivery.coordinator import Coordinator
from photomat.delivery.fallbacks import ResultLinks
from photomat.delivery.pages import ResultPages
from photomat.delivery.resend import Resender
from photomat.delivery.sender import Sender
from photomat.files.sources import FileSources, empty_folder
from photomat.files.uploader import InputUploader
from photomat.fiscal.issuer import FiscalIssuer, FiscalPolicy
from photomat.inbox.receive import UpdateLimit, is_handled, queue_depth, receive
from photomat.jobs.callback import CallbackInbox
from photomat.jobs.claims import Claims, creates_budget, queries_budget
from photomat.jobs.history import UsualTimes
from photomat.jobs.inputs import InputResolver
from photomat.jobs.poll import TaskPoller
from photomat.jobs.submit import SendQueue, Submitter
from photomat.kernel.http import Fetcher
from photomat.kernel.ids import BotId, InstanceId, JobId, UserId
from photomat.kernel.money import Money
from photomat.kernel.private_files import tighten
from photomat.kie.client import KieClient
from photomat.kie.signature import sign_job
from photomat.messages.notices import NoticeSender
from photomat.moderation.rulebook import RuleBook
from photomat.operators.access import Owners
from photomat.orders.service import OrderService
from photomat.orders.writer import OrderWriter
from photomat.payments.invoices import InvoicePoller, make_invoice_due
from photomat.payments.receipt_reminder import ReceiptReminder
from photomat.payments.refunds import ClaimedRefund, RefundCall, Refunder
from photomat.payments.service import TopupService
from photomat.payments.stars_reader import StarsReader
from photomat.privacy.export import ExportBuilder
from photomat.privacy.export_sender import ExportSender
from photomat.privacy.personal_data import PersonalData
from photomat.providers.fiscal_port import TaxService
from photomat.providers.port import PaymentProvider
from photomat.reports.figures import DatabaseFigures
from photomat.rewards.payouts import RewardBooker
from photomat.rewards.welcome import Newcomers
from photomat.telegram.client import StarsClient, TelegramMessenger
from photomat.telegram.files import BotFiles
from photomat.telegram.pacing import bot_budget
from photomat.telegram.port import Messenger
from photomat.templates.examples import Examples
from photomat.templates.load import shipped_templates
from photomat.templates.stored import Templates
from photomat.templates.template import Template
from photomat.texts.load import Texts, load_texts
from photomat.web.app import HealthProbe, build_app
from photomat.web.kie_callback import KieCallbacks
from photomat.web.metrics import MetricsPage
from photomat.web.payments import PaymentNotices
from photomat.web.result_file import ResultDownload
from photomat.web.telegram_webhook import TelegramWebhook
from photomat.work.batch_writer import BatchWriter
from photomat.work.disk import MIB, Disk
from photomat.work.drain import DrainState
from photomat.work.due_poller import Wakes
from photomat.work.loop import LoopStep
from photomat.work.recent import Recent

POOL_SIZE: Final = 12
ACCEPT_WITHIN_S: Final = 15.0
SHARE_OF_HANDLER: Final = 0.7
"""The share of a handler's time that fetching a file may take; the rest is for inspecting it and answering."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    live: LiveSettings
    pool: BoundedPool
    heartbeat_pool: BoundedPool
    bot: Bot
    kie: KieClient
    providers: Mapping[str, PaymentProvider]
    tax: TaxService | None
    texts: Texts
    catalog: Catalog
    templates: Mapping[str, Template]
    cheapest: Cheapest
    rulebook: RuleBook
    wakes: Wakes
    polled: PolledState
    state: ActiveState
    instance: InstanceId
    receiving: asyncio.Event
    guard: CheckoutGuard
    file_sources: FileSources
    stop: asyncio.Event
    disk: Disk
    drain: DrainState

    @property
    def settings(self) -> Settings:
        """The settings as they are now: what is made from a live one is made again when it changes (`live.following`)."""
        return self.live.current

    @property
    def bot_id(self) -> BotId:
        return BotId(self.bot.id)

    @property
    def update_limit(self) -> UpdateLimit:
        return UpdateLimit(a_minute=self.settings.updates_a_minute, tell=tell_of_flood)

    def heartbeat(self) -> Heartbeat:
        return Heartbeat(self.heartbeat_pool, self.instance, self.state, version=__version__, drain=self.drain)

    def callback_url(self, job_id: JobId) -> str | None:
        """The signed URL for callbacks of Kie; None if the outside cannot reach us."""
        if self.settings.base_url is None:
            return None
        return f"{self.settings.base_url}/kie/callback/{sign_job(job_id, self.settings.callback_secrets)}"

    @property
    def claims(self) -> Claims:
        return Claims(
            pool=self.pool,
            instance=self.instance,
            lease=times_of(self.settings).lease,
            timeout=times_of(self.settings).timeout,
            creates=creates_budget(self.settings.kie_creates_per_10s),
            queries=queries_budget(self.settings.kie_queries_per_s),
        )

    def update_steps(self) -> list[LoopStep[Any]]:
        workers = [
            self.live.following(partial(self._update_worker, build_dispatcher(), pre_checkout=pre_checkout))
            for pre_checkout in (False, True)
        ]
        return update_steps(*workers, wake=self.wakes.here)

    def _update_worker(self, dispatcher: Dispatcher, *, pre_checkout: bool) -> UpdateWorker:
        return UpdateWorker(
            config=self._bot_config(),
            bot=self.bot,
            dispatcher=dispatcher,
            instance=self.instance,
            lease_s=self.settings.lease_s,
            pre_checkout=pre_checkout,
        )

    @property
    def orders(self) -> OrderService:
        """The one way to buy."""
        return OrderService(
            pool=self.pool,
            writer=OrderWriter(self.pool),
            catalog=self.catalog,
            rates=rates_of(self.settings),
            limits=limits_of(self.settings),
            accepts_callbacks=self.settings.base_url is not None,
            content=content_gate(self.settings, self.rulebook),
            cheapest=self.cheapest,
            consent=consent_of(self.settings, self.texts),
        )

    @property
    def topups(self) -> TopupService:
        return TopupService(
            pool=self.pool,
            options=payment_options_of(self.settings),
            providers=self.providers,
            fiscal=fiscal_options_of(self.settings, self.texts),
        )

    def _bot_config(self) -> BotConfig:
        settings = self.settings
        return BotConfig(
            pool=self.pool,
            orders=self.orders,
            topups=self.topups,
            texts=self.texts,
            times=times_of(settings),
            newcomers=Newcomers(self.pool, welcome=welcome_credit_of(settings)),
            usual_times=UsualTimes(self.pool),
            templates=Templates(pool=self.pool, catalog=self.catalog, shipped=self.templates),
            examples=Recent(Examples(pool=self.pool, folder=settings.examples_folder).ready).read,
            terms=referral_terms_of(settings),
            operators=frozenset(UserId(admin) for admin in settings.admins),
            support=Support(contact=settings.support_contact, terms_url=settings.terms_url),
            files=self.file_sources,
            pages=ResultPages(
                messenger=TelegramMessenger(self.bot),
                archive=self._archive,
                texts=self.texts,
                links=self._links,
                limits=bot_api_limits_of(self.settings),
                mark=settings.ai_mark,
            ),
            has_assistant=settings.has_assistant,
            admin=AdminOptions(
                public_url=settings.base_url,
                zone=settings.zone,
                delivery_lease=timedelta(seconds=settings.delivery_lease_s),
            ),
            privacy=self._privacy_options,
        )

    @property
    def assistant(self) -> Assistant:
        return Assistant(
            pool=self.pool,
            chat=chat_model(self.settings),
            orders=self.orders,
            files=self.file_sources,
            limits=call_limits_of(self.settings),
        )

    @property
    def probe_context(self) -> ProbeContext:
        return ProbeContext(
            pool=self.pool,
            account=self.kie,
            disk=self.disk,
            disk_alert_bytes=self.settings.disk_alert_mb * MIB,
            database_alert_bytes=self.settings.database_alert_mb * MIB,
            ticket_alert=timedelta(minutes=self.settings.ticket_alert_min),
            backup_every=timedelta(hours=self.settings.backup_every_h if self.settings.backup_dir else 0),
        )

    @property
    def _console_url(self) -> str | None:
        base_url = self.settings.base_url
        return None if base_url is None else f"{base_url}/console"

    def instance_steps(self) -> list[LoopStep[Any]]:
        """The loops of every instance: jobs and delivery, money and notices, alerts."""
        messenger = TelegramMessenger(self.bot)
        completions = CompletionNotifier(pool=self.pool, messenger=messenger, texts=self.texts)
        wake = self.wakes.here
        alerts = alert_steps(
            self.live.following(lambda: RuleChecker(context=self.probe_context, admins=self.settings.admins)),
            AlertSender(pool=self.pool, messenger=messenger, texts=self.texts, console_url=self._console_url),
        )
        steps = job_steps(
            self.pool,
            claims=self.claims,
            submitter=Submitter(
                pool=self.pool,
                provider=self.kie,
                times=times_of(self.settings),
                callback_url=self.callback_url,
                wake=wake,
                resolve=InputResolver(
                    pool=self.pool, uploader=input_uploader(self.settings, self.file_sources), catalog=self.catalog
                ).resolve,
                stopping=lambda: self.stop.is_set() or self.drain.wanted,
                send_queue=SendQueue(apart_s=self.claims.creates.apart_s),
                strikes=self.live.following(lambda: strikes_of(self.settings)),
            ),
            poller=TaskPoller(
                pool=self.pool,
                provider=self.kie,
                times=times_of(self.settings),
                wake=wake,
                strikes=self.live.following(lambda: strikes_of(self.settings)),
            ),
            coordinator=self.live.following(lambda: self._coordinator(messenger, wake)),
            completions=completions,
            resender=self._resender(messenger),
            archive=self._archive,
            instance=self.instance,
            lease=times_of(self.settings).lease,
            delivery_lease=timedelta(seconds=self.settings.delivery_lease_s),
        )
        assistant = self.live.following(
            lambda: AssistantLoop(config=self._bot_config(), bot=self.bot, assistant=self.assistant)
        )
        broadcasts = self._broadcast_steps(messenger)
        privacy = self._privacy_steps(messenger)
        return [*steps, *self._money_steps(messenger), *alerts, *privacy, assistant_step(assistant), *broadcasts]

    @property
    def personal(self) -> PersonalData:
        return personal_data(places=result_places(self.settings))

    @property
    def export_builder(self) -> ExportBuilder:
        return export_builder(self.settings, self.pool)

    def _privacy_steps(self, messenger: Messenger) -> list[LoopStep[Any]]:
        return privacy_steps(
            ExportSender(
                pool=self.pool,
                messenger=messenger,
                builder=self.export_builder,
                tmp=self.settings.tmp_folder,
                limits=bot_api_limits_of(self.settings),
            ),
            forget_worker(self.settings, self.pool),
        )

    @property
    def _privacy_options(self) -> PrivacyOptions:
        settings = self.settings
        names = [name for name in type(settings).model_fields if name.startswith("keep_")]
        return PrivacyOptions(
            personal=self.personal,
            url=settings.privacy_url,
            kept_days={name.removeprefix("keep_").removesuffix("_days"): getattr(settings, name) for name in names},
            payment_providers=tuple(sorted(self.providers)),
        )

    @property
    def _archive(self) -> ResultArchive:
        return ResultArchive(pool=self.pool, files=result_files(self.settings, self.file_sources.results))

    @property
    def _links(self) -> ResultLinks:
        return ResultLinks(base_url=self.settings.base_url, secrets=self.settings.callback_secrets)

    def _coordinator(self, messenger: Messenger, wake: Callable[[str], None]) -> Coordinator:
        sender = Sender(
            pool=self.pool,
            messenger=messenger,
            archive=self._archive,
            texts=self.texts,
            links=self._links,
            rich=self.settings.rich_results,
            limits=bot_api_limits_of(self.settings),
        )
        return Coordinator(
            pool=self.pool,
            messenger=messenger,
            sender=sender,
            texts=self.texts,
            model_of=self.catalog.models.get,
            wake=wake,
            lease=timedelta(seconds=self.settings.delivery_lease_s),
            storefront=Recent(self.orders.storefront).read,
            mark=self.settings.ai_mark,
        )

    def _resender(self, messenger: Messenger) -> Resender:
        return Resender(
            pool=self.pool,
            messenger=messenger,
            archive=self._archive,
            texts=self.texts,
            model_of=self.catalog.models.get,
            links=self._links,
            limits=bot_api_limits_of(self.settings),
            mark=lambda: self.settings.ai_mark,
        )

    def _money_steps(self, messenger: TelegramMessenger) -> list[LoopStep[Any]]:
        return money_steps(
            invoices=self.invoice_poller,
            refunder=Refunder(pool=self.pool, calls=refund_calls(self.bot, self.providers)),
            rewards=self.live.following(lambda: RewardBooker(pool=self.pool, terms=referral_terms_of(self.settings))),
            fiscal=FiscalIssuer(pool=self.pool, policy=self.fiscal_policy, times=fiscal_times_of(self.settings)),
            reminder=ReceiptReminder(
                pool=self.pool, messenger=messenger, texts=self.texts, operators=self.settings.admins
            ),
            notices=NoticeSender(pool=self.pool, messenger=messenger, texts=self.texts),
        )

    @property
    def fiscal_policy(self) -> FiscalPolicy:
        reads = self.settings.yookassa_receipts is not None
        return FiscalPolicy(
            readers=receipt_readers(self.providers) if reads else {},
            tax=self.tax,
            taxed=taxed_providers_of(self.settings),
        )

    def _broadcast_steps(self, messenger: Messenger) -> list[LoopStep[Any]]:
        return broadcast_steps(
            Audiences(pool=self.pool),
            BroadcastSender(
                pool=self.pool,
                messenger=messenger,
                instance=self.instance,
                budget=broadcast_budget(self.settings.telegram_calls_per_s),
                urgent=URGENT,
            ),
            PreviewSender(pool=self.pool, messenger=messenger),
        )

    @property
    def invoice_poller(self) -> InvoicePoller:
        return InvoicePoller(pool=self.pool, providers=self.providers)

    def web_app(self) -> web.Application:
        return build_app(
            health=HealthProbe(
                state=self.state,
                version=__version__,
                queue_depth=lambda: queue_depth(self.pool),
                is_disk_full=lambda: self.disk.is_full,
            ),
            metrics=MetricsPage(
                refresh=DatabaseFigures(self.pool, currency=self.settings.currency).refresh,
                token=self.settings.metrics_token,
                pool=self.pool,
            ),
            callbacks=KieCallbacks(
                inbox=CallbackInbox(self.pool, self.wakes.everywhere),
                secrets=self.settings.callback_secrets,
                webhook_key=self.settings.kie_webhook_key,
            ),
            notices=PaymentNotices(providers=self.providers, look_at=self._make_invoice_due),
            webhook=TelegramWebhook(
                secret=self.settings.webhook_secret,
                receive=partial(self._store_update, BatchWriter(self._receive)),
                wake=self.wakes.everywhere,
            ),
            results=ResultDownload(pool=self.pool, archive=self._archive, secrets=self.settings.callback_secrets),
            console=build_console(self.live.following(self._console_config)),
        )

    def _console_config(self) -> ConsoleConfig:
        settings = self.settings
        return ConsoleConfig(
            pool=self.pool,
            texts=self.texts,
            orders=self.orders,
            templates=Templates(pool=self.pool, catalog=self.catalog, shipped=self.templates),
            archive=self._archive,
            files=BotFiles(self.bot, within_s=ACCEPT_WITHIN_S),
            owners=Owners(telegram_ids=settings.admins, password=settings.console_password),
            zone=settings.zone,
            settings=self.live.rules,
            is_secure=(settings.base_url or "").startswith("https://"),
            delivery_lease=timedelta(seconds=settings.delivery_lease_s),
            given_up_after=timedelta(seconds=settings.job_timeout_s),
            most_credited=Money(settings.topup_most, settings.currency),
            stop=self.stop,
            exports=self.export_builder,
            tmp=settings.tmp_folder,
            disk=self.disk,
            budgets=(self.claims.creates, self.claims.queries, bot_budget(self.bot_id, settings.telegram_calls_per_s)),
        )

    async def _store_update(self, together: BatchWriter[Mapping[str, Any], bool], update: Mapping[str, Any]) -> bool:
        """Store an update with those that arrive at the same time; False if it was stored before."""
        return await self.guard.store_guarded([update], lambda: together.add(update))

    async def _receive(self, updates: Sequence[Mapping[str, Any]]) -> list[bool]:
        new = await receive(self.pool, bot_id=self.bot_id, updates=updates, limit=self.update_limit)
        return [update["update_id"] in new for update in updates]

    async def _make_invoice_due(self, provider: str, external_id: str) -> None:
        await make_invoice_due(self.pool, provider, external_id)
        self.wakes.everywhere("invoices")


async def build(stack: AsyncExitStack, settings: Settings, dsn: str, *, stop: asyncio.Event) -> Program:
    """Open what an instance needs; `stack` closes it, and `stop` is set when the instance is to stop."""
    instance = new_instance_id()
    pooled = settings.direct_database_url not in {None, dsn}
    bot_id = settings.bot_id
    pool = await connect_pool(dsn, name=instance, size=POOL_SIZE, through_pooler=pooled, bot_id=bot_id)
    stack.push_async_callback(_close_pool, pool)
    async with pool.acquire() as connection:
        await require_schema(connection)
    heartbeat_pool = await connect_pool(dsn, name=instance, size=1, through_pooler=pooled, bot_id=bot_id)
    stack.push_async_callback(_close_pool, heartbeat_pool)
    bot, kie = connect_outside(stack, settings, pool)
    sources = file_sources(settings, pool=pool, bot=bot)
    for fetcher in (sources.links, sources.results):
        stack.push_async_callback(fetcher.close)
    texts, catalog = load_texts(), load_catalog()
    live = LiveSettings(settings)
    await live.refresh(pool)
    return Program(
        live=live,
        pool=pool,
        heartbeat_pool=heartbeat_pool,
        bot=bot,
        kie=kie,
        providers=payment_providers(stack, settings),
        tax=tax_service(stack, settings),
        texts=texts,
        catalog=catalog,
        templates=shipped_templates(catalog),
        cheapest=Cheapest(),
        rulebook=rule_book(settings, pool),
        wakes=Wakes(DUE),
        polled=PolledState(),
        state=ActiveState(),
        instance=instance,
        receiving=asyncio.Event(),
        guard=checkout_guard(pool, bot, texts),
        file_sources=sources,
        stop=stop,
        disk=Disk(Path(settings.data_dir)),
        drain=DrainState(),
    )


async def _close_pool(pool: BoundedPool) -> None:
    try:
        async with asyncio.timeout(1):
            await pool.close()
    except TimeoutError:
        pool.terminate()


def result_files(settings: Settings, fetcher: Fetcher) -> ResultFiles:
    places = result_places(settings)
    return ResultFiles(
        folder=places.current.folder or settings.results_folder,
        fetcher=fetcher,
        reserve_bytes=settings.disk_reserve_mb * MIB,
        limits=bot_api_limits_of(settings),
        stores=places,
    )


def file_sources(settings: Settings, *, pool: Pool, bot: Bot) -> FileSources:
    """Where files come from: customers' links from public IP addresses only, results from the host of KIE_API_URL too."""
    tmp, places = settings.tmp_folder, result_places(settings)
    empty_folder(tmp)
    for folder in {tmp, settings.results_folder, places.current.folder or tmp}:
        tighten(folder)
    return FileSources(
        pool=pool,
        telegram=BotFiles(bot),
        limits=bot_api_limits_of(settings),
        links=Fetcher(any_port=False),
        results=Fetcher(trusted_host=_kie_host(settings)),
        places=places,
        tmp=tmp,
        accept_within_s=min(ACCEPT_WITHIN_S, settings.lease_s * SHARE_OF_LEASE * SHARE_OF_HANDLER),
    )


def bot_profile_of(settings: Settings) -> WantedProfile:
    return WantedProfile(
        name=ProfileTexts(ru=settings.bot_name, en=settings.bot_name_en),
        description=ProfileTexts(ru=settings.bot_description, en=settings.bot_description_en),
        about=ProfileTexts(ru=settings.bot_about, en=settings.bot_about_en),
        picture=settings.bot_picture,
    )


def input_uploader(settings: Settings, sources: FileSources) -> InputUploader:
    return InputUploader(sources=sources, uploads=kie_uploads(settings))


def _kie_host(settings: Settings) -> str:
    return urlsplit(settings.kie_api_url).hostname or ""


def checkout_guard(pool: Pool, bot: Bot, texts: Texts) -> CheckoutGuard:
    async def answered(update_id: int) -> bool:
        return await is_handled(pool, bot_id=BotId(bot.id), update_id=update_id)

    return CheckoutGuard(bot=bot, texts=texts, is_handled=answered)


def stars_reader(pool: Pool, bot: Bot, settings: Settings) -> StarsReader:
    return StarsReader(
        pool=pool,
        ledger=StarsClient(bot),
        options=payment_options_of(settings),
        welcome=welcome_credit_of(settings),
        bot_id=BotId(bot.id),
    )


def refund_calls(bot: Bot, providers: Mapping[str, PaymentProvider]) -> dict[str, RefundCall]:
    stars = StarsClient(bot)
    return {
        "stars": lambda refund: stars.refund(refund.payment.user_id, refund.payment.external_id),
        **{name: partial(_refund_at, provider) for name, provider in providers.items()},
    }


async def _refund_at(provider: PaymentProvider, refund: ClaimedRefund) -> str | None:
    return await provider.refund(refund.payment.external_id, refund.paid, key=refund.key, fiscal=refund.fiscal)
