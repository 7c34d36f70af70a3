"""Honest people among the hostile ones: users with money, drafts waiting on their cards, and jobs they have bought."""

from dataclasses import dataclass
from typing import Final

from photomat.catalog.pricing import agreed
from photomat.db.pool import Pool, transaction
from photomat.jobs.create import Created, create_job_atomic
from photomat.jobs.draft import Draft, save_draft
from photomat.kernel.ids import BotId, ChatId, DraftId, JobId, MessageId, UserId
from photomat.kernel.logs import ensure_correlation_id
from photomat.kernel.money import Money
from photomat.users.register import register
from photomat.wallet import ledger

PRICE: Final = Money(64, "RUB")
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
            await ledger.open_wallet(tx, user_id=user, currency=PRICE.currency)
            await ledger.credit(
                tx, user_id=user, amount=Money(welcome, PRICE.currency), reference=f"welcome:{user}", reason="welcome"
            )
    return user


async def draft_of(pool: Pool, bot_id: BotId, user: UserId, *, origin: str) -> Draft:
    """A filled-in form of this user with its price."""
    return await save_draft(
        pool,
        origin=origin,
        bot_id=bot_id,
        user_id=user,
        chat_id=ChatId(user),
        model="z-image",
        inputs=INPUTS,
        price=PRICE,
    )


async def buy(pool: Pool, bot_id: BotId, user: UserId, *, origin: str) -> Purchase | None:
    """Buy something; None when this user has as many jobs as one may have at once."""
    draft = await draft_of(pool, bot_id, user, origin=origin)
    card = MessageId(FIRST_CARD + DraftId(draft.draft_id))
    async with transaction(pool) as tx:
        creation = await create_job_atomic(
            tx,
            draft_id=draft.draft_id,
            revision=draft.revision,
            bot_id=bot_id,
            user_id=user,
            chat_id=draft.chat_id,
            message_id=card,
            language="ru",
            kind="image",
            quote=agreed(draft.price),
            corr=ensure_correlation_id(),
        )
    return Purchase(job_id=creation.job_id, user_id=user, card=card) if isinstance(creation, Created) else None
