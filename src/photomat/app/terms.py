"""The settings as the values that slices take: prices, limits, times, content rules, payment options. Imports no aiogram."""

from datetime import timedelta
from decimal import Decimal

from photomat.app.settings import Settings
from photomat.assistant.calls import CallLimits
from photomat.catalog.pricing import USD_PER_CREDIT, Rates
from photomat.db.pool import Pool
from photomat.fiscal.issuer import FiscalTimes
from photomat.jobs.job import Times
from photomat.kernel.errors import Startup
from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.moderation.checker import ContentChecker
from photomat.moderation.refusal import StrikePolicy
from photomat.moderation.rulebook import RuleBook
from photomat.moderation.rules import BadRules
from photomat.orders.content import ContentGate
from photomat.orders.limits import Limits
from photomat.payments.fiscal_terms import FiscalOptions
from photomat.payments.options import PaymentOptions, plan_of, read_packages, read_sums
from photomat.rewards.payouts import ReferralTerms
from photomat.telegram.limits import CLOUD, LOCAL, BotApiLimits
from photomat.texts.load import LANGUAGES, Texts, load_texts
from photomat.users.consent import ConsentDocument


def rates_of(settings: Settings) -> Rates:
    return Rates(
        usd_rate=settings.usd_rate, markup=settings.markup, currency=settings.currency, step=settings.price_step
    )


def limits_of(settings: Settings) -> Limits:
    return Limits(
        running=settings.most_running,
        a_minute=settings.orders_per_minute,
        pause=timedelta(seconds=settings.cooldown_s),
        free_a_day=settings.free_per_day,
        free_a_friend=settings.referral_free,
    )


def strikes_of(settings: Settings) -> StrikePolicy:
    said = {"strikes": settings.strikes_ban, "days": settings.strike_days}
    return StrikePolicy(
        limit=settings.strikes_ban,
        within=timedelta(days=settings.strike_days),
        ban=timedelta(days=settings.strike_ban_days),
        counts_provider=settings.provider_strikes,
        ban_reason={language: load_texts().say(language, "content-ban-reason", **said) for language in LANGUAGES},
    )


def content_checker_of(settings: Settings) -> ContentChecker | None:
    """The operator's own checker; None without one."""
    if settings.content_check_url is None:
        return None
    return ContentChecker(
        url=settings.content_check_url,
        token=settings.content_check_token,
        deadline_s=settings.content_check_deadline_ms / 1000,
        allows_without=settings.content_check_fail == "allow",
    )


def rule_book(settings: Settings, pool: Pool) -> RuleBook:
    book = RuleBook(pool=pool, file=settings.content_rules)
    try:
        book.read_file()
    except BadRules as error:
        raise Startup(f"CONTENT_RULES cannot be used: {error}.") from None
    return book


def content_gate(settings: Settings, rulebook: RuleBook) -> ContentGate:
    return ContentGate(
        rulebook=rulebook,
        policy=strikes_of(settings),
        checker=content_checker_of(settings),
        provider_checker=settings.provider_checker,
    )


def call_limits_of(settings: Settings) -> CallLimits:
    return CallLimits(
        calls_per_user=settings.assistant_calls_per_user_day,
        credits=Decimal(settings.assistant_credits_a_day),
        minor_per_credit=USD_PER_CREDIT * settings.usd_rate * MINOR_PER_MAJOR,
    )


def consent_of(settings: Settings, texts: Texts) -> ConsentDocument | None:
    """What users must agree to; None where the shop asks for nothing."""
    if not settings.consent_required:
        return None
    own = {language: texts.say(language, "consent-document") for language in LANGUAGES}
    return ConsentDocument(version=settings.consent_version, url=settings.consent_url, texts=own)


def times_of(settings: Settings) -> Times:
    overdue = settings.job_overdue_s
    return Times(
        lease=timedelta(seconds=settings.lease_s),
        poll_first=timedelta(seconds=settings.poll_first_s),
        empty_result_grace=timedelta(seconds=settings.empty_result_grace_s),
        overdue=None if overdue is None else timedelta(seconds=overdue),
        timeout=timedelta(seconds=settings.job_timeout_s),
    )


def payment_options_of(settings: Settings) -> PaymentOptions:
    worth, currency = settings.star_usd * settings.usd_rate * MINOR_PER_MAJOR, settings.currency
    plan = None
    if settings.subscription_stars:
        plan = plan_of(
            settings.subscription_stars,
            star_worth=worth,
            currency=currency,
            percent=settings.subscription_bonus,
            credit=Money(settings.subscription_credit, currency) if settings.subscription_credit else None,
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


def fiscal_options_of(settings: Settings, texts: Texts) -> FiscalOptions | None:
    """What YooKassa's fiscal receipts say; None where it is sent none. They are documents of Russian law: in Russian."""
    if not settings.yookassa_receipts:
        return None
    return FiscalOptions(
        form=settings.yookassa_receipts,
        item=settings.yookassa_receipt_item or texts.say("ru", "fiscal-receipt-item"),
        vat_code=settings.yookassa_vat_code,
        tax_system=settings.yookassa_tax_system,
        payment_subject=settings.yookassa_payment_subject,
        payment_mode=settings.yookassa_payment_mode,
        measure=settings.yookassa_measure or None,
        email_only=settings.yookassa_email_only,
    )


def referral_terms_of(settings: Settings) -> ReferralTerms:
    return ReferralTerms(
        inviter=Money(settings.referral_reward, settings.currency),
        friend=Money(settings.referral_friend_reward, settings.currency),
        percent=settings.referral_percent,
    )


def welcome_credit_of(settings: Settings) -> Money:
    return Money(settings.welcome, settings.currency)


def bot_api_limits_of(settings: Settings) -> BotApiLimits:
    return CLOUD if settings.telegram_local_dir is None else LOCAL


def fiscal_times_of(settings: Settings) -> FiscalTimes:
    """How long requests to the tax service last; the delay is never shorter than a claim."""
    request = timedelta(seconds=settings.my_tax_timeout_s)
    return FiscalTimes(request=request, unknown_delay=max(timedelta(seconds=settings.my_tax_unknown_s), request * 5))


def taxed_providers_of(settings: Settings) -> frozenset[str]:
    return frozenset(filter(None, map(str.strip, settings.my_tax_providers.split(","))))
