"""After a storm of money: fresh instances bring everything to rest, bills are looked at, lists are read to their end.

What waits only for time gets it, as after every storm: the database's clock is moved on.
"""

import asyncio
from datetime import datetime
from typing import Final

from photomat.db.pool import Connection, Pool
from photomat.payments.invoices import InvoiceLooker
from photomat.payments.reconcile import reconcile
from photomat.providers.crypto_pay import CryptoPay
from photomat.providers.yookassa import YooKassa
from photomat_chaos.lab import calm
from photomat_chaos.lab.arena import Arena, until_true
from photomat_chaos.money.shop import SECRET, SHOP_ID, TOKEN, Shop
from photomat_chaos.storm.post import Post

LIMIT_S: Final = 60.0
STEP_S: Final = 2.0
PAST_EVERY_LOOK_S: Final = 700.0
"""More than the longest pause between two looks at a bill."""

WAITS: Final = """
    SELECT EXISTS (SELECT FROM payment_refunds WHERE due_at IS NOT NULL)
        OR EXISTS (SELECT FROM notices WHERE due_at IS NOT NULL)
        OR EXISTS (SELECT FROM referrals WHERE due_at IS NOT NULL)
        OR EXISTS (SELECT FROM referral_shares WHERE due_at IS NOT NULL)
        OR EXISTS (SELECT FROM receipts WHERE state <> 'waiting' AND due_at IS NOT NULL)
        OR EXISTS (SELECT FROM provider_invoices WHERE look_at <= photomat_now())"""
LISTS_READ: Final = "SELECT ended_at FROM stars_readings"


async def bring_to_rest(shop: Shop, post: Post, pool: Pool) -> int:
    """Calm as after every storm, then money's own; say how often the clock was moved."""
    arena = shop.arena
    moved = await calm.come_to_rest(arena, step_s=STEP_S)
    moved += await calm.hours_later(arena, post)
    async with arena.sql() as connection:
        await calm.move_clock(connection, PAST_EVERY_LOOK_S)
        await _read_lists(connection)
        moved += 1 + await _settle(arena, connection)
        await _compare_lists(shop, pool)
        return moved + await _settle(arena, connection)


async def _settle(arena: Arena, connection: Connection) -> int:
    """Wait until no money waits, moving the clock on after each step in which some did."""
    moved = await calm.come_to_rest(arena, step_s=STEP_S)
    deadline = asyncio.get_running_loop().time() + LIMIT_S

    async def rests() -> bool:
        return not await connection.fetchval(WAITS) and not arena.telegram.updates.pending

    while not await until_true(rests, within_s=STEP_S) and asyncio.get_running_loop().time() < deadline:
        await calm.move_clock(connection, PAST_EVERY_LOOK_S)
        moved += 1
    return moved + await calm.come_to_rest(arena, step_s=STEP_S)


async def _read_lists(connection: Connection) -> None:
    """Wait until the providers' lists were read again from now on, twice: the first may have begun before."""
    for _ in range(2):
        before: datetime | None = await connection.fetchval(LISTS_READ)

        async def was_read(before: datetime | None = before) -> bool:
            return bool(await connection.fetchval(LISTS_READ) != before)

        await until_true(was_read, within_s=LIMIT_S / 2)


async def _compare_lists(shop: Shop, pool: Pool) -> None:
    """Hold the providers' lists against our payments, as `photomat payments reconcile` does."""
    yookassa = YooKassa(
        base_url=f"{shop.pay_url}/yookassa", shop_id=SHOP_ID, secret_key=SECRET, sources="127.0.0.1", timeout_s=LIMIT_S
    )
    crypto = CryptoPay(base_url=f"{shop.pay_url}/cryptopay", token=TOKEN, timeout_s=LIMIT_S)
    try:
        looker = InvoiceLooker(pool=pool, providers={yookassa.name: yookassa, crypto.name: crypto})
        await reconcile(looker, always=True)
    finally:
        await yookassa.close()
        await crypto.close()
