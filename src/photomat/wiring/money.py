"""What can be paid here, how each way gives money back, and what an invitation brings."""

from collections.abc import Mapping

from aiogram import Bot

from photomat.bot.shop import Support
from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.payments.offers import Offers, Plan, read_packages, read_sums, stars_worth
from photomat.payments.refunder import GiveBack, Refund
from photomat.providers.port import PaymentProvider
from photomat.rewards.book import Terms
from photomat.settings import Settings
from photomat.telegram.stars import StarsLedger
from photomat.telegram.stars_client import StarsClient


def offers_of(settings: Settings) -> Offers:
    """The settings about paying, as offers."""
    worth, currency = settings.star_usd * settings.usd_rate * MINOR_PER_MAJOR, settings.currency
    plan = None
    if settings.subscription_stars:
        credit = Money(settings.subscription_credit, currency)
        plan = Plan(
            stars=settings.subscription_stars,
            credit=credit if credit.minor else stars_worth(settings.subscription_stars, worth, currency),
        )
    return Offers(
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


def terms_of(settings: Settings) -> Terms:
    """The settings about invitations."""
    return Terms(
        inviter=Money(settings.referral_reward, settings.currency),
        friend=Money(settings.referral_friend_reward, settings.currency),
        percent=settings.referral_percent,
    )


def support_of(settings: Settings) -> Support:
    """The settings about questions and terms."""
    return Support(contact=settings.support_contact, terms_url=settings.terms_url)


def give_back_ways(bot: Bot, providers: Mapping[str, PaymentProvider]) -> dict[str, GiveBack]:
    """How each provider is asked to give money back."""
    return {"stars": _by_telegram(StarsClient(bot)), **{name: _by_provider(one) for name, one in providers.items()}}


def _by_telegram(stars: StarsLedger) -> GiveBack:
    async def give_back(refund: Refund) -> None:
        await stars.give_back(refund.payment.user_id, refund.payment.external_id)

    return give_back


def _by_provider(provider: PaymentProvider) -> GiveBack:
    async def give_back(refund: Refund) -> None:
        await provider.refund(refund.payment.external_id, refund.paid, key=refund.key)

    return give_back
