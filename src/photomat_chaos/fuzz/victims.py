"""Honest people among the hostile ones: users with money, drafts waiting on their cards, and jobs they have bought."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from photomat.catalog.load import load_catalog
from photomat.catalog.pricing import Rates
from photomat.db.pool import Pool, transaction
from photomat.kernel.ids import BotId, ChatId, DraftId, JobId, MessageId, UserId
from photomat.kernel.logs import ensure_correlation_id
from photomat.kernel.money import Money
from photomat.orders.draft import Buyer, Draft
from photomat.orders.outcome import Created
from photomat.orders.service import OrderService
from photomat.users.user import register
from photomat.wallet import ledger

RATES: Final = Rates(usd_rate=Decimal(80), markup=Decimal(2), currency="RUB")
INPUTS: Final = {"prompt": "кот-космонавт", "aspect_ratio": "1:1"}
FIRST_CARD: Final = 20_000_000
"""Message ids of victims' cards; far from those of the simulated Telegram."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """A job somebody bought."""

    job_id: JobId
    user_id: UserId
    card: MessageId


async def join(pool: Pool, user_id: int, welcome: int) -> UserId:
    """Make a user with a wallet, as their first message would."""
    user = UserId(user_id)
    async with transaction(pool) as tx:
        found = await register(tx, user_id=user, first_name="Анна", username=None, language_code="ru")
        if found.is_new:
            await ledger.open_wallet(tx, user_id=user, currency=RATES.currency)
            await ledger.credit(
                tx, user_id=user, amount=Money(welcome, RATES.currency), reference=f"welcome:{user}", reason="welcome"
            )
    return user


async def draft_of(pool: Pool, bot_id: BotId, user: UserId, *, origin: str) -> Draft:
    """A filled-in form of this user with its price."""
    orders = _orders(pool)
    return await orders.save_draft(_buyer(bot_id, user), orders.catalog.get("z-image"), INPUTS, origin=origin)


async def buy(pool: Pool, bot_id: BotId, user: UserId, *, origin: str) -> Purchase | None:
    """Buy something; None when this user has as many jobs as one may have at once."""
    draft = await draft_of(pool, bot_id, user, origin=origin)
    card = MessageId(FIRST_CARD + DraftId(draft.draft_id))
    outcome = await _orders(pool).buy(
        _buyer(bot_id, user),
        draft_id=draft.draft_id,
        revision=draft.revision,
        message_id=card,
        corr=ensure_correlation_id(),
    )
    return Purchase(job_id=outcome.job_id, user_id=user, card=card) if isinstance(outcome, Created) else None


def _orders(pool: Pool) -> OrderService:
    return OrderService(pool=pool, catalog=load_catalog(), rates=RATES)


def _buyer(bot_id: BotId, user: UserId) -> Buyer:
    return Buyer(user_id=user, language="ru", bot_id=bot_id, chat_id=ChatId(user))
