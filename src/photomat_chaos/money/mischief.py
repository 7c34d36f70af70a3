"""What the world outside does by itself: tells of a payment a hundred times, gives money back, renews, sends false notices."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import aiohttp

from photomat_chaos.money.plan import Act, mischiefs, one_of
from photomat_chaos.money.square import Square
from photomat_sandbox.pay.yookassa_world import notice_about
from photomat_sandbox.telegram import payments
from photomat_sandbox.telegram.payments import repeat_payment, show_refund
from photomat_sandbox.telegram.person_acts import ImpossibleError
from photomat_sandbox.telegram.stars import StarSubscription
from photomat_sandbox.telegram.world import TelegramWorld

LATEST: Final = 30
MOST_REPEATS: Final = 100
PART: Final = Decimal("0.3")
HALF: Final = 0.5
CHANGES: Final[Mapping[str, Callable[[TelegramWorld, StarSubscription], object]]] = {
    "renew": payments.renew,
    "fail": payments.fail_renewal,
    "leave": payments.cancel,
    "resume": payments.resume,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """Everything outside that acts."""

    square: Square

    async def turn_until_over(self, seed: int) -> None:
        """One mischief after the other."""
        for act in mischiefs(seed):
            if self.square.over.is_set():
                return
            await asyncio.sleep(act.after_s)
            try:
                if await self._do(act):
                    self.square.done[f"outside: {act.kind}"] += 1
            except (ImpossibleError, ValueError, aiohttp.ClientError, TimeoutError):
                continue

    async def _do(self, act: Act) -> bool:
        match act.kind:
            case "repeat payment":
                return self._repeat(act)
            case "stars back":
                return self._stars_back(act)
            case "yookassa back":
                return self._yookassa_back(act)
            case "renew" | "fail" | "leave" | "resume":
                return self._change(act)
            case "repeat notice":
                return await self._notice(act, times=1 + int(act.how * MOST_REPEATS / 2), forged=False)
            case _:
                return await (self._lie(act) if act.how < HALF else self._notice(act, times=3, forged=True))

    @property
    def _telegram(self) -> TelegramWorld:
        return self.square.shop.arena.telegram

    def _repeat(self, act: Act) -> bool:
        """Telegram tells of a payment again, up to a hundred times, each time in a new update."""
        told = [
            message
            for chat in self._telegram.chats.values()
            for message in chat.values()
            if "successful_payment" in message.extra
        ]
        if not told:
            return False
        repeat_payment(self._telegram, one_of(told[-LATEST:], act.pick), count=1 + int(act.how**3 * MOST_REPEATS))
        return True

    def _stars_back(self, act: Act) -> bool:
        """Telegram gives Stars back without being asked."""
        charges = [charge for charge in self._telegram.stars.charges if charge.refunded_at is None]
        if not charges:
            return False
        chosen = one_of(charges[-LATEST:], act.pick)
        show_refund(
            self._telegram,
            self._telegram.stars.refund(chosen.charge_id, user_id=chosen.user_id, now=self._telegram.now()),
        )
        return True

    def _yookassa_back(self, act: Act) -> bool:
        """The shop's owner gives money back in the provider's cabinet, all or a part."""
        till = self.square.shop.yookassa
        bills = [bill for bill in till.bills() if bill.state == "paid" and bill.refunded < bill.amount]
        if not bills:
            return False
        bill = one_of(bills[-LATEST:], act.pick)
        rest = bill.amount - bill.refunded
        till.refund(bill.bill_id, min(rest, (bill.amount * PART).quantize(Decimal("0.01"))) if act.how < HALF else None)
        return True

    def _change(self, act: Act) -> bool:
        known = list(self._telegram.stars.subscriptions.values())
        if not known:
            return False
        CHANGES[act.kind](self._telegram, one_of(known, act.pick))
        return True

    async def _notice(self, act: Act, *, times: int, forged: bool) -> bool:
        """A notice of a paid bill once more, or the same from somebody else."""
        shop = self.square.shop
        paid = [(till.vendor, bill.bill_id) for till in shop.tills for bill in till.bills() if bill.state == "paid"]
        if not paid:
            return False
        vendor, bill_id = one_of(paid[-LATEST:], act.pick)
        address = f"{shop.pay_url}/{vendor}/sandbox/bills/{bill_id}/notice"
        async with shop.session.post(address, json={"times": times, "forged": forged}) as answer:
            return answer.status == 200  # noqa: PLR2004  taken

    async def _lie(self, act: Act) -> bool:
        """A notice from the right place that calls an open bill paid: what counts is what the provider says."""
        till = self.square.shop.yookassa
        bills = [payment for payment in till.payments.values() if payment.status in {"pending", "canceled"}]
        if not bills:
            return False
        payment = one_of(bills[-LATEST:], act.pick)
        body: dict[str, Any] = {**payment.as_json(shop_id=till.shop_id), "status": "succeeded", "paid": True}
        letter = notice_about(payment.payment_id, "payment.succeeded", body)
        address = till.notices.notice_url
        async with self.square.shop.session.post(address, data=letter.body, headers=dict(letter.headers)) as answer:
            return answer.status == 200  # noqa: PLR2004  taken
