"""Users with wallets and jobs in every state, made the way the product makes them: the money moves through the ledger."""

import secrets
from decimal import Decimal
from typing import Literal

from photomat.catalog.pricing import Quote
from photomat.db.pool import Transaction
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.wallet import ledger

CURRENCY = "RUB"


def rub(minor: int) -> Money:
    """So many kopecks."""
    return Money(minor, CURRENCY)


def agreed(price: Money) -> Quote:
    """A quote of a given price without parts."""
    one = Decimal(1)
    return Quote(price=price, cost=Money(0, price.currency), parts=(), rule="fixed", usd_rate=one, markup=one)


async def make_user(tx: Transaction, user_id: int, *, balance: int = 0) -> UserId:
    """A user with an open wallet and so much money in it."""
    user = UserId(user_id)
    await tx.execute("INSERT INTO users (user_id) VALUES ($1)", user)
    await tx.execute("INSERT INTO wallets (user_id, currency) VALUES ($1, $2)", user, CURRENCY)
    if balance:
        reference = f"welcome:{user_id}"
        await ledger.credit(tx, user_id=user, amount=rub(balance), reference=reference, reason="welcome")
    return user


async def make_job(tx: Transaction, user: UserId, *, price: int) -> JobId:
    """A pending job, its price not held yet."""
    job_id: int = await tx.fetchval(
        """
        INSERT INTO generation_jobs (corr, idempotency_key, bot_id, user_id, chat_id, card_message_id, model, kind, inputs,
                                     language, price, currency)
        SELECT $1, $1 || ':' || made, (SELECT bot_id FROM installation), $2, $2, made, 'z-image', 'image', '{}', 'ru', $3, $4
          FROM (SELECT count(*) + 1 FROM generation_jobs) AS jobs (made)
        RETURNING job_id
        """,
        secrets.token_hex(4),
        user,
        price,
        CURRENCY,
    )
    return JobId(job_id)


async def buy(tx: Transaction, user: UserId, *, price: int) -> JobId:
    """A pending job with its price held, as after a tap on Create."""
    job_id = await make_job(tx, user, price=price)
    await ledger.hold(tx, user_id=user, amount=rub(price), reference=f"job:{job_id}", job_id=job_id)
    return job_id


async def mark(
    tx: Transaction, job_id: JobId, status: Literal["done", "failed", "canceled"], *, gift: bool = False
) -> None:
    """Settle the row of a job; a done one gets an output. Money is left to the caller."""
    await tx.execute(
        "UPDATE generation_jobs SET status = $2, gift = $3, settled_at = photomat_now() WHERE job_id = $1",
        job_id,
        status,
        gift,
    )
    if status == "done":
        await tx.execute(
            "INSERT INTO job_outputs (job_id, position, url) VALUES ($1, 0, 'https://x') ON CONFLICT DO NOTHING", job_id
        )


async def sell(tx: Transaction, job_id: JobId) -> bool:
    """The job is done and charged."""
    await mark(tx, job_id, "done")
    return await ledger.charge(tx, reference=f"job:{job_id}")


async def give_back(tx: Transaction, job_id: JobId, status: Literal["failed", "canceled"] = "failed") -> bool:
    """The job came to nothing and its money is released."""
    await mark(tx, job_id, status)
    return await ledger.release(tx, reference=f"job:{job_id}")


async def accept_offer(tx: Transaction, user: UserId, job_id: JobId, *, price: int) -> bool:
    """The user takes the result of a job they had canceled, for its price."""
    reference = f"offer:{job_id}"
    await ledger.hold(tx, user_id=user, amount=rub(price), reference=reference, job_id=job_id)
    await mark(tx, job_id, "done")
    return await ledger.charge(tx, reference=reference)


async def move_between(tx: Transaction, *, giver: UserId, taker: UserId, amount: Money, reference: str) -> bool:
    """Take money from one user and give it to another, both wallets locked in order, as rewards do."""
    await ledger.lock_wallets(tx, giver, taker)
    is_new = await ledger.debit(tx, user_id=giver, amount=amount, reference=f"{reference}:out", reason="operator")
    await ledger.credit(tx, user_id=taker, amount=amount, reference=f"{reference}:in", reason="operator")
    return is_new
