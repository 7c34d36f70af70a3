"""A trial customer with trial jobs, made the way the product makes them. Only for sessions that are rolled back or apart."""

from decimal import Decimal
from typing import Final

from photomat.catalog.formula import PriceRow
from photomat.catalog.input import Input
from photomat.catalog.model import Catalog, Model
from photomat.catalog.pricing import USD_PER_CREDIT, Rates
from photomat.db.pool import Pool, transaction
from photomat.jobs.callback import KieCallback, update_from_callback
from photomat.jobs.settle import Outcome, Settled, settle
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import BotId, ChatId, JobId, MessageId, UserId
from photomat.kernel.money import MINOR_PER_MAJOR, Money
from photomat.orders.draft import Buyer, Draft
from photomat.orders.outcome import Creation, OpenOrder
from photomat.orders.purchase import purchase
from photomat.orders.service import OrderService
from photomat.users.user import register
from photomat.wallet import ledger

USER: Final = UserId(-424242)
"""People have positive ids in Telegram: this is nobody."""

FIRST_JOB: Final = 900_000_000_000_000_000
"""Trial jobs have numbers far above those of sold jobs: a check must not use up numbers that an operator reads."""

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


async def a_customer(pool: Pool, currency: str, *, balance: int = BALANCE) -> None:
    """The trial customer with money."""
    async with transaction(pool) as tx:
        await register(tx, user_id=USER, first_name="photomat check", username=None, language_code="en")
        await ledger.open_wallet(tx, user_id=USER, currency=currency)
        if balance:
            money = Money(balance, currency)
            await ledger.credit(tx, user_id=USER, amount=money, reference=f"welcome:{USER}", reason="welcome")


async def a_draft(pool: Pool, currency: str, *, number: int = 1, price: int = PRICE) -> Draft:
    """A filled-in form, at this price."""
    orders = OrderService(pool=pool, catalog=CATALOG, rates=_rates(Money(price, currency)))
    return await orders.save_draft(_buyer(pool), MODEL, {"prompt": "check"}, origin=f"check:{number}")


async def tap(pool: Pool, draft: Draft, *, message: int | None = None) -> Creation:
    """The tap on its card."""
    async with transaction(pool) as tx:
        return await purchase(
            tx,
            _buyer(pool),
            OpenOrder(draft, MODEL),
            revision=draft.revision,
            message_id=MessageId(message or draft.draft_id),
            rates=_rates(draft.price),
            corr=CORR,
            job_id=JobId(FIRST_JOB + draft.draft_id),
        )


async def call_back(pool: Pool, job_id: JobId | None, task_id: str) -> bool:
    """A callback about a task; True when it was new and placed."""
    payload = {"data": {"taskId": task_id, "state": "success"}}
    callback = KieCallback(job_id=job_id, task_id=task_id, payload=payload, body=task_id.encode())
    async with transaction(pool) as tx:
        (effect,) = await update_from_callback(tx, [callback])
    return effect.is_new and effect.orphan is None


async def end(pool: Pool, job_id: JobId, outcome: Outcome, *, price: int = PRICE) -> Settled:
    """Settle the job."""
    async with transaction(pool) as tx:
        return await settle(tx, job_id, outcome, price=price, via="poll", fence=None)


async def money(pool: Pool) -> tuple[int, int]:
    """What the trial customer has available, and what is held."""
    async with transaction(pool) as tx:
        found = await ledger.balance(tx, user_id=USER)
    return found.available.minor, found.held.minor


def _buyer(pool: Pool) -> Buyer:
    """The trial customer, of the bot the trial is done for."""
    if pool.bot_id is None:
        raise Corrupt("a trial needs a pool that works for a bot")
    return Buyer(user_id=USER, language="en", bot_id=BotId(pool.bot_id), chat_id=ChatId(USER))


def _rates(price: Money) -> Rates:
    """Rates at which the trial model costs so much."""
    return Rates(usd_rate=Decimal(price.minor) / MINOR_PER_MAJOR, markup=Decimal(1), currency=price.currency)
