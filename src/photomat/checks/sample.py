"""A customer and jobs for the checks, made by the product's functions. Only for sessions that are rolled back or separate."""

from decimal import Decimal
from typing import Final

from photomat.catalog.formula import PriceRow
from photomat.catalog.input import Input
from photomat.catalog.model import Catalog, Model
from photomat.catalog.pricing import USD_PER_CREDIT, Rates
from photomat.db.pool import Pool, transaction
from photomat.jobs.callback import KieCallback, update_from_callback
from photomat.jobs.settle import Outcome, Settled, settle
from photomat.kernel.errors import Corrupt, NotEnough
from photomat.kernel.ids import BotId, ChatId, JobId, MessageId, UserId
from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.orders.draft import Buyer, Draft, OwnedDraft, lock_drafts_to_buy
from photomat.orders.outcome import CreateOutcome, DraftGone
from photomat.orders.purchase import CardTap, WantedJob, create_job_atomic, wanted_job
from photomat.orders.service import OrderService
from photomat.orders.writer import OrderWriter
from photomat.rewards.welcome import ensure_users
from photomat.users.user import Registration
from photomat.wallet import ledger

USER: Final = UserId(-424242)
"""Telegram's users have positive ids."""

FIRST_JOB: Final = 900_000_000_000_000_000
"""Far above the ids of sold jobs: a check must not use up the ids that operators read."""

BALANCE: Final = 1000
PRICE: Final = 64
MODEL: Final = Model(
    id="photomat-check",
    title="photomat check",
    kind="image",
    inputs=(Input(name="prompt", type="text", required=True),),
    prices=(PriceRow(credits=1 / USD_PER_CREDIT),),
)
"""A model that costs one dollar and has no operators' rules, whatever the shop sells and for how much."""

CATALOG: Final = Catalog(models={MODEL.id: MODEL})
CORR: Final = "c4ec4ec4"
RESULT: Final = "https://result.invalid/trial.png"


async def create_customer(pool: Pool, currency: str, *, balance: int = BALANCE) -> None:
    async with transaction(pool) as tx:
        customer = Registration(USER, "photomat check", None, "en")
        await ensure_users(tx, [customer], welcome=Money(balance, currency))


async def create_draft(pool: Pool, currency: str, *, number: int = 1, price: int = PRICE) -> Draft:
    orders = OrderService(pool=pool, writer=OrderWriter(pool), catalog=CATALOG, rates=_rates(Money(price, currency)))
    return await orders.save_draft(_buyer(pool), MODEL, {"prompt": "check"}, origin=f"check:{number}")


async def buy(pool: Pool, draft: Draft, *, message: int | None = None) -> CreateOutcome | NotEnough:
    buyer = _buyer(pool)
    async with transaction(pool) as tx:
        owned = OwnedDraft(draft.draft_id, buyer.user_id)
        locked = (await lock_drafts_to_buy(tx, [owned])).get(owned)
        if locked is None:
            return DraftGone()
        wanted = await wanted_job(
            tx,
            buyer,
            locked,
            MODEL,
            CardTap(revision=draft.revision, message_id=MessageId(message or draft.draft_id), corr=CORR),
            rates=_rates(draft.price),
            job_id=JobId(FIRST_JOB + draft.draft_id),
        )
        if not isinstance(wanted, WantedJob):
            return wanted
        [outcome] = await create_job_atomic(tx, [wanted])
    return outcome


async def receive_callback(pool: Pool, job_id: JobId | None, task_id: str) -> bool:
    """Store a callback about a task; return whether it was new and matched its job."""
    payload = {"data": {"taskId": task_id, "state": "success"}}
    callback = KieCallback(job_id=job_id, task_id=task_id, payload=payload, body=task_id.encode())
    async with transaction(pool) as tx:
        (effect,) = await update_from_callback(tx, [callback])
    return effect.is_new and effect.orphan is None


async def settle_job(pool: Pool, job_id: JobId, outcome: Outcome, *, price: int = PRICE) -> Settled:
    async with transaction(pool) as tx:
        return await settle(tx, job_id, outcome, price=price, via="poll", fence=None)


async def read_money(pool: Pool) -> tuple[int, int]:
    async with transaction(pool) as tx:
        found = await ledger.balance(tx, user_id=USER)
    return found.available.minor, found.held.minor


def _buyer(pool: Pool) -> Buyer:
    """The sample customer, of the bot the check is done for."""
    if pool.bot_id is None:
        raise Corrupt("a check needs a pool that works for a bot")
    return Buyer(user_id=USER, language="en", bot_id=BotId(pool.bot_id), chat_id=ChatId(USER))


def _rates(price: Money) -> Rates:
    """Rates at which the sample model costs so much."""
    return Rates(usd_rate=Decimal(price.minor) / MINOR_PER_MAJOR, markup=Decimal(1), currency=price.currency)
