"""What happened outside our books, read from the simulators and from those who were there."""

from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Decimal

from photomat_chaos.lab.facts import Evidence
from photomat_chaos.lab.phone import minor_in
from photomat_chaos.money.console import Console
from photomat_chaos.money.facts import Charge, Outside, PaidBill
from photomat_chaos.money.shop import MONTH, Shop
from photomat_chaos.money.square import Square

ROUNDING = Decimal("0.005")
"""Coins have a rate: what lies so near the sum that was asked is the sum."""


def look_outside(square: Square, console: Console, balances: Mapping[int, int | None], history: Evidence) -> Outside:
    """Everything that is known without our books."""
    return Outside(
        charges=tuple(_charges(square.shop)),
        bills=tuple(_bills(square)),
        verbs=tuple(console.answered),
        promos=dict(console.promos),
        wishes={receipt_id: frozenset(wishes) for receipt_id, wishes in square.wishes.items()},
        came_by=dict(square.came_by),
        gifts={code: (gift.giver_id, gift.minor) for code, gift in square.gifts.items()},
        balances=balances,
        history=history,
        operators=frozenset({square.shop.operator.user_id}),
    )


def _charges(shop: Shop) -> Iterator[Charge]:
    for charge in shop.arena.telegram.stars.charges:
        yield Charge(
            charge_id=charge.charge_id,
            user_id=charge.user_id,
            stars=charge.amount,
            credit=MONTH if charge.subscription_period else minor_in(charge.title) or 0,
            refunded=charge.refunded_at is not None,
        )


def _bills(square: Square) -> Iterator[PaidBill]:
    for till in square.shop.tills:
        for bill in till.bills():
            if bill.state == "paid":
                asked = _minor(bill.amount)
                yield PaidBill(
                    vendor=till.vendor,
                    bill_id=bill.bill_id,
                    user_id=square.bills.get((till.vendor, bill.bill_id)),
                    asked=asked,
                    paid=_arrived(bill.paid, asked),
                    refunded=_minor(bill.refunded),
                )


def _arrived(worth: Decimal, asked: int) -> int:
    near = abs(worth * 100 - asked) <= asked * ROUNDING
    return asked if near else _minor(worth)


def _minor(amount: Decimal) -> int:
    return int((amount * 100).to_integral_value(rounding=ROUND_HALF_EVEN))
