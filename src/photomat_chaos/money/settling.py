"""The end of a storm of money: a last round of scenes that every storm must have had, then rest.

Without faults a payment and a refund stay unreported by Telegram, a payment is reported ten times more, a bill is refunded
without a notice, and two people open one gift at once. Then the clock is moved on until nothing waits, the providers' lists
are read to their end and compared with our payments.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Final

from photomat.db.pool import Connection, Pool
from photomat.payments.invoices import InvoicePoller
from photomat.payments.reconcile import reconcile_providers
from photomat.providers.crypto_pay import CryptoPay
from photomat.providers.yookassa import YooKassa
from photomat_chaos.lab import rest
from photomat_chaos.lab.arena import Arena, until_true
from photomat_chaos.lab.callbacks import CallbackInjector
from photomat_chaos.lab.customers import NoAnswer
from photomat_chaos.money.payers import Payer, by_stars, by_yookassa, give
from photomat_chaos.money.schedule import PlannedAct
from photomat_chaos.money.shop import SECRET, SHOP_ID, TOKEN, MoneyTestBed, SharedKnowledge
from photomat_sandbox.telegram.payments import repeat_payment, show_refund
from photomat_sandbox.telegram.person_acts import ImpossibleError

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


async def bring_to_rest(shop: MoneyTestBed, callbacks: CallbackInjector, pool: Pool) -> int:
    """Bring jobs to rest as after every storm, then payments; return how often the clock was moved."""
    arena = shop.arena
    moved = await rest.come_to_rest(arena, step_s=STEP_S)
    moved += await rest.hours_later(arena, callbacks)
    async with arena.sql() as connection:
        await rest.move_clock(connection, PAST_EVERY_LOOK_S)
        await _read_lists(connection)
        moved += 1 + await _settle(arena, connection)
        await _compare_lists(shop, pool)
        return moved + await _settle(arena, connection)


async def _settle(arena: Arena, connection: Connection) -> int:
    """Wait until no payment waits, moving the clock on while one does."""
    moved = await rest.come_to_rest(arena, step_s=STEP_S)
    deadline = asyncio.get_running_loop().time() + LIMIT_S

    async def rests() -> bool:
        return not await connection.fetchval(WAITS) and not arena.telegram.updates.pending

    while not await until_true(rests, within_s=STEP_S) and asyncio.get_running_loop().time() < deadline:
        await rest.move_clock(connection, PAST_EVERY_LOOK_S)
        moved += 1
    return moved + await rest.come_to_rest(arena, step_s=STEP_S)


async def _read_lists(connection: Connection) -> None:
    """Wait until the providers' lists were read twice more: the first reading may have begun before."""
    for _ in range(2):
        before: datetime | None = await connection.fetchval(LISTS_READ)

        async def was_read(before: datetime | None = before) -> bool:
            return bool(await connection.fetchval(LISTS_READ) != before)

        await until_true(was_read, within_s=LIMIT_S / 2)


async def _compare_lists(shop: MoneyTestBed, pool: Pool) -> None:
    """Compare the providers' lists with our payments, as `photomat payments reconcile` does."""
    yookassa = YooKassa(
        base_url=f"{shop.pay_url}/yookassa", shop_id=SHOP_ID, secret_key=SECRET, sources="127.0.0.1", timeout_s=LIMIT_S
    )
    crypto = CryptoPay(base_url=f"{shop.pay_url}/cryptopay", token=TOKEN, timeout_s=LIMIT_S)
    try:
        looker = InvoicePoller(pool=pool, providers={yookassa.name: yookassa, crypto.name: crypto})
        await reconcile_providers(looker, always=True)
    finally:
        await yookassa.close()
        await crypto.close()


REPEATS: Final = 10
PATIENCE_S: Final = 20.0
PAYS: Final = PlannedAct(after_s=0.0, kind="last round", pick=0.5, how=0.21)
"""By the command, the middle package or the smallest sum, all of it."""

SMALLEST_IS_THERE: Final = "Зачислено 50\u00a0₽"


async def last_round(shared: SharedKnowledge, payers: Sequence[Payer]) -> None:
    """Play all scenes; count those the bot does not answer."""
    for name, scene in SCENES.items():
        try:
            async with asyncio.timeout(PATIENCE_S):
                await scene(shared, payers)
            shared.done[f"last round: {name}"] += 1
        except (NoAnswer, TimeoutError, ImpossibleError):
            shared.done["last round: not answered"] += 1
    shared.shop.arena.faults.clear()


async def _unreported_payment(shared: SharedKnowledge, payers: Sequence[Payer]) -> None:
    stars, before = shared.shop.arena.telegram.stars, len(shared.shop.arena.telegram.stars.charges)
    shared.shop.arena.faults.arm(world="telegram", method="update.successful_payment", action="never")
    await by_stars(payers[0], PAYS)
    while len(stars.charges) == before:  # noqa: ASYNC110  a world of its own
        await asyncio.sleep(0.1)


async def _unreported_refund(shared: SharedKnowledge, _payers: Sequence[Payer]) -> None:
    telegram = shared.shop.arena.telegram
    shared.shop.arena.faults.arm(world="telegram", method="update.refunded_payment", action="never")
    chosen = next((charge for charge in reversed(telegram.stars.charges) if charge.refunded_at is None), None)
    if chosen is not None:
        show_refund(telegram, telegram.stars.refund(chosen.charge_id, user_id=chosen.user_id, now=telegram.now()))


async def _reported_again(shared: SharedKnowledge, payers: Sequence[Payer]) -> None:
    await by_stars(payers[-1], PAYS)
    telegram = shared.shop.arena.telegram
    reported = [
        message
        for chat in telegram.chats.values()
        for message in chat.values()
        if "successful_payment" in message.extra
    ]
    if reported:
        repeat_payment(telegram, max(reported, key=lambda message: message.message_id), count=REPEATS)


async def _unnoticed_bill(shared: SharedKnowledge, payers: Sequence[Payer]) -> None:
    payer, before = payers[1], set(shared.bills)
    since = next(reversed(payer.phone.world.chats[payer.user_id]), 0)
    await by_yookassa(payer, PAYS)
    await payer.phone.reads(SMALLEST_IS_THERE, since)
    shared.shop.arena.faults.arm(world="yookassa", method="notice", action="never")
    for vendor, bill_id in set(shared.bills) - before:
        shared.shop.till(vendor).refund(bill_id)


async def _gift_for_two(shared: SharedKnowledge, payers: Sequence[Payer]) -> None:
    """The one who has just paid gives."""
    before = set(shared.gifts)
    await give(payers[-1], PAYS)
    for code in set(shared.gifts) - before:
        for friend in payers[:2]:
            friend.phone.write(f"/start gift_{code}")


SCENES: Final[dict[str, Callable[[SharedKnowledge, Sequence[Payer]], Awaitable[None]]]] = {
    "a payment told ten times more": _reported_again,
    "a gift opened by two at once": _gift_for_two,
    "a refund nobody told of": _unreported_refund,
    "a payment nobody told of": _unreported_payment,
    "a bill given back without a notice": _unnoticed_bill,
}
