"""A shop as handlers see it: the orders of the real catalogue at plain rates, and whatever a test sets besides."""

from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from aiogram import Dispatcher

from photomat.app.personal_data import personal_data
from photomat.app.settings import Settings
from photomat.app.terms import strikes_of
from photomat.bot.app import build_dispatcher
from photomat.bot.context import BotConfig, PrivacyOptions
from photomat.catalog.load import load_catalog
from photomat.catalog.pricing import Rates
from photomat.catalog.storefront import Cheapest
from photomat.db.pool import Pool
from photomat.jobs.history import UsualTimes
from photomat.jobs.job import Times
from photomat.kernel.money import Money
from photomat.moderation.refusal import StrikePolicy
from photomat.moderation.rulebook import RuleBook
from photomat.orders.content import ContentGate
from photomat.orders.limits import USUAL, Limits
from photomat.orders.service import OrderService
from photomat.orders.writer import OrderWriter
from photomat.payments.fiscal_terms import FiscalOptions
from photomat.payments.options import PaymentOptions
from photomat.payments.service import TopupService
from photomat.providers.port import PaymentProvider
from photomat.rewards.welcome import Newcomers
from photomat.storage.places import one_folder
from photomat.templates.examples import Examples
from photomat.templates.load import shipped_templates
from photomat.templates.stored import Templates
from photomat.templates.template import Template
from photomat.texts.load import load_texts
from photomat.users.consent import ConsentDocument

RATES = Rates(usd_rate=Decimal(80), markup=Decimal(2), currency="RUB")
TIMES = Times(
    lease=timedelta(seconds=30),
    poll_first=timedelta(seconds=2),
    empty_result_grace=timedelta(minutes=2),
    overdue=None,
    timeout=timedelta(days=1),
)
CHEAPEST = Cheapest()
"""Reckoned once for all tests: the catalogue is the same."""
NOTHING_TO_PAY = PaymentOptions(
    currency=RATES.currency,
    star_worth=Decimal(104),
    packages=(),
    plan=None,
    sums=(),
    least=Money(1, RATES.currency),
    most=Money(1, RATES.currency),
    a_day=0,
    transfer_details="",
)


@cache
def dispatcher() -> Dispatcher:
    """The bot's dispatcher; it keeps nothing of an update, so all tests of a process share one."""
    return build_dispatcher()


@cache
def our_templates() -> Mapping[str, Template]:
    """The templates of the real file, read once for all tests."""
    return shipped_templates(load_catalog())


def content_of(pool: Pool, policy: StrikePolicy | None = None, **changes: Any) -> ContentGate:
    """The shipped rules and the operators' rows, as an instance has them."""
    return ContentGate(rulebook=RuleBook(pool=pool), policy=policy or usual_policy(), **changes)


@cache
def usual_policy() -> StrikePolicy:
    """What the settings say by themselves."""
    return strikes_of(Settings(_env_file=None))


def orders_of(
    pool: Pool,
    *,
    limits: Limits = USUAL,
    rates: Rates = RATES,
    accepts_callbacks: bool = False,
    consent: ConsentDocument | None = None,
    content: ContentGate | None = None,
) -> OrderService:
    """The one way to buy."""
    return OrderService(
        pool=pool,
        writer=OrderWriter(pool),
        catalog=load_catalog(),
        rates=rates,
        limits=limits,
        accepts_callbacks=accepts_callbacks,
        content=content,
        cheapest=CHEAPEST,
        consent=consent,
    )


def bot_config(
    pool: Pool,
    *,
    welcome: int = 0,
    limits: Limits = USUAL,
    options: PaymentOptions = NOTHING_TO_PAY,
    providers: Mapping[str, PaymentProvider] | None = None,
    examples: Path | None = None,
    fiscal: FiscalOptions | None = None,
    consent: ConsentDocument | None = None,
    results: Path | None = None,
    content: ContentGate | None = None,
    **changes: Any,
) -> BotConfig:
    """What the handlers of every update share."""
    return BotConfig(
        pool=pool,
        orders=orders_of(pool, limits=limits, consent=consent, content=content or content_of(pool)),
        topups=TopupService(pool=pool, options=options, providers=providers or {}, fiscal=fiscal),
        texts=load_texts(),
        times=TIMES,
        newcomers=Newcomers(pool, welcome=Money(welcome, RATES.currency)),
        usual_times=UsualTimes(pool),
        templates=Templates(pool=pool, catalog=load_catalog(), shipped=our_templates()),
        examples=Examples(pool=pool, folder=examples or Path()).ready,
        privacy=privacy_options(results or Path()),
        **changes,
    )


def privacy_options(results: Path) -> PrivacyOptions:
    """Everything is kept as long as the settings say by default."""
    kept = {name: field.default for name, field in Settings.model_fields.items() if name.startswith("keep_")}
    days = {name.removeprefix("keep_").removesuffix("_days"): default for name, default in kept.items()}
    return PrivacyOptions(personal=personal_data(places=one_folder(results)), url=None, kept_days=days)
