"""The last round, when the storm is over and nothing strikes any more: what every storm of money must have had, however short.

A payment and a refund of which Telegram never tells, a payment told ten times more, a bill given back without a
notice, and a gift that two people open at once.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from photomat_chaos.lab.phone import NothingComes
from photomat_chaos.money import paying, spending
from photomat_chaos.money.payer import Payer
from photomat_chaos.money.plan import Act
from photomat_chaos.money.square import Square
from photomat_sandbox.telegram.payments import repeat_payment, show_refund
from photomat_sandbox.telegram.person_acts import ImpossibleError

REPEATS: Final = 10
PATIENCE_S: Final = 20.0
PAYS: Final = Act(after_s=0.0, kind="last round", pick=0.5, how=0.21)
"""By the command, the middle package or the smallest sum, all of it."""

SMALLEST_IS_THERE: Final = "Зачислено 50\u00a0₽"


async def last_round(square: Square, payers: Sequence[Payer]) -> None:
    """One after the other; what the bot does not answer is left, and counted."""
    for name, scene in SCENES.items():
        try:
            async with asyncio.timeout(PATIENCE_S):
                await scene(square, payers)
            square.done[f"last round: {name}"] += 1
        except (NothingComes, TimeoutError, ImpossibleError):
            square.done["last round: not answered"] += 1
    square.shop.arena.faults.clear()


async def _untold_payment(square: Square, payers: Sequence[Payer]) -> None:
    stars, before = square.shop.arena.telegram.stars, len(square.shop.arena.telegram.stars.charges)
    square.shop.arena.faults.arm(world="telegram", method="update.successful_payment", action="never")
    await paying.by_stars(payers[0], PAYS)
    while len(stars.charges) == before:  # noqa: ASYNC110  a world of its own
        await asyncio.sleep(0.1)


async def _untold_refund(square: Square, _payers: Sequence[Payer]) -> None:
    telegram = square.shop.arena.telegram
    square.shop.arena.faults.arm(world="telegram", method="update.refunded_payment", action="never")
    chosen = next((charge for charge in reversed(telegram.stars.charges) if charge.refunded_at is None), None)
    if chosen is not None:
        show_refund(telegram, telegram.stars.refund(chosen.charge_id, user_id=chosen.user_id, now=telegram.now()))


async def _told_again(square: Square, payers: Sequence[Payer]) -> None:
    await paying.by_stars(payers[-1], PAYS)
    telegram = square.shop.arena.telegram
    told = [
        message
        for chat in telegram.chats.values()
        for message in chat.values()
        if "successful_payment" in message.extra
    ]
    if told:
        repeat_payment(telegram, max(told, key=lambda message: message.message_id), count=REPEATS)


async def _unnoticed_bill(square: Square, payers: Sequence[Payer]) -> None:
    payer, before = payers[1], set(square.bills)
    since = next(reversed(payer.phone.world.chats[payer.user_id]), 0)
    await paying.by_yookassa(payer, PAYS)
    await payer.phone.reads(SMALLEST_IS_THERE, since)
    square.shop.arena.faults.arm(world="yookassa", method="notice", action="never")
    for vendor, bill_id in set(square.bills) - before:
        square.shop.till(vendor).refund(bill_id)


async def _gift_for_two(square: Square, payers: Sequence[Payer]) -> None:
    """Whoever has just paid gives."""
    before = set(square.gifts)
    await spending.give(payers[-1], PAYS)
    for code in set(square.gifts) - before:
        for friend in payers[:2]:
            friend.phone.write(f"/start gift_{code}")


SCENES: Final[dict[str, Callable[[Square, Sequence[Payer]], Awaitable[None]]]] = {
    "a payment told ten times more": _told_again,
    "a gift opened by two at once": _gift_for_two,
    "a refund nobody told of": _untold_refund,
    "a payment nobody told of": _untold_payment,
    "a bill given back without a notice": _unnoticed_bill,
}
