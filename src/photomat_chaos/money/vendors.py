"""What vendors do by themselves in a storm of money: repeat payments, refund, renew, send false notices; and their records."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Final

import aiohttp

from photomat_chaos.lab.customers import minor_in
from photomat_chaos.lab.history import Evidence
from photomat_chaos.money.books import ChargedStars, OutsideRecords, PaidBill
from photomat_chaos.money.operators import OperatorConsole
from photomat_chaos.money.schedule import PlannedAct, one_of, vendor_acts
from photomat_chaos.money.shop import MONTH, MoneyTestBed, SharedKnowledge
from photomat_sandbox.pay.yookassa_world import notice_about
from photomat_sandbox.telegram import payments
from photomat_sandbox.telegram.payments import repeat_payment, show_refund
from photomat_sandbox.telegram.person_acts import ImpossibleError
from photomat_sandbox.telegram.stars import StarSubscription
from photomat_sandbox.telegram.world import TelegramWorld

LATEST: Final = 30
MAX_REPEATS: Final = 100
PART: Final = Decimal("0.3")
HALF: Final = 0.5
CHANGES: Final[Mapping[str, Callable[[TelegramWorld, StarSubscription], object]]] = {
    "renew": payments.renew,
    "fail": payments.fail_renewal,
    "leave": payments.cancel,
    "resume": payments.resume,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class VendorActivity:
    shared: SharedKnowledge

    async def act_until_over(self, seed: int) -> None:
        for act in vendor_acts(seed):
            if self.shared.over.is_set():
                return
            await asyncio.sleep(act.after_s)
            try:
                if await self._do(act):
                    self.shared.done[f"outside: {act.kind}"] += 1
            except (ImpossibleError, ValueError, aiohttp.ClientError, TimeoutError):
                continue

    async def _do(self, act: PlannedAct) -> bool:
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
                return await self._notice(act, times=1 + int(act.how * MAX_REPEATS / 2), forged=False)
            case _:
                return await (self._lie(act) if act.how < HALF else self._notice(act, times=3, forged=True))

    @property
    def _telegram(self) -> TelegramWorld:
        return self.shared.shop.arena.telegram

    def _repeat(self, act: PlannedAct) -> bool:
        """Telegram reports a payment again, up to a hundred times, each time in a new update."""
        reported = [
            message
            for chat in self._telegram.chats.values()
            for message in chat.values()
            if "successful_payment" in message.extra
        ]
        if not reported:
            return False
        repeat_payment(self._telegram, one_of(reported[-LATEST:], act.pick), count=1 + int(act.how**3 * MAX_REPEATS))
        return True

    def _stars_back(self, act: PlannedAct) -> bool:
        """Telegram refunds Stars without being asked."""
        charges = [charge for charge in self._telegram.stars.charges if charge.refunded_at is None]
        if not charges:
            return False
        chosen = one_of(charges[-LATEST:], act.pick)
        show_refund(
            self._telegram,
            self._telegram.stars.refund(chosen.charge_id, user_id=chosen.user_id, now=self._telegram.now()),
        )
        return True

    def _yookassa_back(self, act: PlannedAct) -> bool:
        """The shop's owner refunds a bill in the provider's cabinet, all or a part."""
        till = self.shared.shop.yookassa
        bills = [bill for bill in till.bills() if bill.state == "paid" and bill.refunded < bill.amount]
        if not bills:
            return False
        bill = one_of(bills[-LATEST:], act.pick)
        rest = bill.amount - bill.refunded
        till.refund(bill.bill_id, min(rest, (bill.amount * PART).quantize(Decimal("0.01"))) if act.how < HALF else None)
        return True

    def _change(self, act: PlannedAct) -> bool:
        known = list(self._telegram.stars.subscriptions.values())
        if not known:
            return False
        CHANGES[act.kind](self._telegram, one_of(known, act.pick))
        return True

    async def _notice(self, act: PlannedAct, *, times: int, forged: bool) -> bool:
        """Repeat the notice of a paid bill, or forge it."""
        shop = self.shared.shop
        paid = [(till.vendor, bill.bill_id) for till in shop.tills for bill in till.bills() if bill.state == "paid"]
        if not paid:
            return False
        vendor, bill_id = one_of(paid[-LATEST:], act.pick)
        address = f"{shop.pay_url}/{vendor}/sandbox/bills/{bill_id}/notice"
        async with shop.session.post(address, json={"times": times, "forged": forged}) as answer:
            return answer.status == 200  # noqa: PLR2004  taken

    async def _lie(self, act: PlannedAct) -> bool:
        """A notice from the right source that calls an open bill paid: only what the provider answers counts."""
        till = self.shared.shop.yookassa
        bills = [payment for payment in till.payments.values() if payment.status in {"pending", "canceled"}]
        if not bills:
            return False
        payment = one_of(bills[-LATEST:], act.pick)
        body: dict[str, Any] = {**payment.as_json(shop_id=till.shop_id), "status": "succeeded", "paid": True}
        letter = notice_about(payment.payment_id, "payment.succeeded", body)
        address = till.notices.notice_url
        async with self.shared.shop.session.post(address, data=letter.body, headers=dict(letter.headers)) as answer:
            return answer.status == 200  # noqa: PLR2004  taken


ROUNDING = Decimal("0.005")
"""Coins have a rate: what lies so near the sum that was asked is the sum."""


def look_outside(
    shared: SharedKnowledge, console: OperatorConsole, balances: Mapping[int, int | None], history: Evidence
) -> OutsideRecords:
    return OutsideRecords(
        charges=tuple(_charges(shared.shop)),
        bills=tuple(_bills(shared)),
        verbs=tuple(console.answered),
        promos=dict(console.promos),
        decisions={receipt_id: frozenset(decisions) for receipt_id, decisions in shared.decisions.items()},
        came_by=dict(shared.came_by),
        gifts={code: (gift.giver_id, gift.minor) for code, gift in shared.gifts.items()},
        balances=balances,
        history=history,
        operators=frozenset({shared.shop.operator.user_id}),
    )


def _charges(shop: MoneyTestBed) -> Iterator[ChargedStars]:
    for charge in shop.arena.telegram.stars.charges:
        yield ChargedStars(
            charge_id=charge.charge_id,
            user_id=charge.user_id,
            stars=charge.amount,
            credit=MONTH if charge.subscription_period else minor_in(charge.title) or 0,
            refunded=charge.refunded_at is not None,
        )


def _bills(shared: SharedKnowledge) -> Iterator[PaidBill]:
    for till in shared.shop.tills:
        for bill in till.bills():
            if bill.state == "paid":
                asked = _minor(bill.amount)
                yield PaidBill(
                    vendor=till.vendor,
                    bill_id=bill.bill_id,
                    user_id=shared.bills.get((till.vendor, bill.bill_id)),
                    asked=asked,
                    paid=_arrived(bill.paid, asked),
                    refunded=_minor(bill.refunded),
                )


def _arrived(worth: Decimal, asked: int) -> int:
    near = abs(worth * 100 - asked) <= asked * ROUNDING
    return asked if near else _minor(worth)


def _minor(amount: Decimal) -> int:
    return int((amount * 100).to_integral_value(rounding=ROUND_HALF_EVEN))
