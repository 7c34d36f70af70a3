"""Fiscal receipts while instances are killed and the tax service loses answers: one receipt a payment, one annulment a refund.

The simulated service has no idempotency key and accepts the same income twice, so a careless client shows at once.
"""

import asyncio
import contextlib
import sys
import time
from collections import Counter
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Final

import pytest

from photomat.db.pool import Pool, transaction
from photomat.kernel.failpoint import FAILPOINTS
from photomat.kernel.ids import UserId
from support.audit import wrongs
from support.database import pool_of
from support.money import make_user, rub
from support.my_tax import INN, PASSWORD, RunningTax, issue_all, issuer_of, running_tax
from support.patience import until_found
from support.payments import pays, stars, told_refund
from support.system import System, running_system

USERS: Final = 10
WORST: Final = ("fiscal.after_intent", "fiscal.after_send")
POINTS: Final = (*WORST, *(name for name in FAILPOINTS if name.startswith("fiscal.") and name not in WORST))
QUICK: Final = {"MY_TAX_TIMEOUT_S": "1", "MY_TAX_UNKNOWN_S": "6"}
SHORT: Final = 24
"""So many payments are the sample: what waits for its next try at the end is issued with the clock ahead."""
LOST: Final[list[dict[str, Any]]] = [
    {"method": "income", "action": "drop_after"},
    {"method": "income", "action": "error", "status": 503, "html": True},
    {"method": "cancel", "action": "drop_after"},
    {"method": "income", "action": "error", "status": 200, "html": True},
    {"method": "cancel", "action": "error", "status": 503, "html": True},
    {"method": "income", "action": "drop_before"},
    {"method": "incomes", "action": "error", "status": 502, "html": True},
    {"method": "incomes.repeat", "action": "reorder"},
]
SLOW: Final[list[dict[str, Any]]] = [
    {"method": "income", "action": "never"},
    {"method": "income", "action": "error", "status": 408},
    {"method": "income", "action": "delay", "delay_s": 2.5},
    {"method": "auth/lkfl", "action": "error", "status": 404},
    {"method": "income", "action": "too_many"},
]
"""These hold a receipt up for half a minute, so they are for the long form."""
LIMIT_S: Final = 1800.0


LIVES_S: Final = 12.0
"""An instance that does not pass its failpoint in time is killed wherever it is."""
OPEN: Final = "SELECT count(*) FROM fiscal_receipts WHERE due_at IS NOT NULL"


@dataclass(slots=True, kw_only=True)
class Trouble:
    """What strikes while receipts are issued."""

    system: System
    tax: RunningTax
    faults: list[dict[str, Any]]
    every_s: float
    most: int
    kills: int
    lost: int = 0
    dead: int = 0

    async def lose_answers(self) -> None:
        for number, fault in enumerate(islice(cycle(self.faults), self.most)):
            self.tax.faults.arm(world="my_tax", **fault)
            self.lost += 1
            if number % 7 == 6:
                self.tax.world.expire_tokens(refresh=number % 2 == 0)
            await asyncio.sleep(self.every_s)

    async def kill(self) -> None:
        """Two instances at a time, each to die at a failpoint or after a while, until so many have; then one that lives."""
        points = list(POINTS)
        async with asyncio.TaskGroup() as group:
            for nth in range(2):
                group.create_task(self._live_and_die(points, nth))
        await self.system.start()

    async def _live_and_die(self, points: list[str], nth: int) -> None:
        for number in range(nth, self.kills, 2):
            point = points[number % len(points)]
            instance = await self.system.start(wait=False, FAILPOINT=f"{point}:{1 + number % 9}")
            with contextlib.suppress(AssertionError):
                await instance.ends(LIVES_S)
            await instance.kill()
            self.dead += 1


@pytest.mark.parametrize(
    ("payments", "refunds", "kills"), [(SHORT, 6, 2), pytest.param(1000, 200, 40, marks=pytest.mark.prove)]
)
@pytest.mark.time_limit(LIMIT_S)
async def test_killed_again_and_again_every_payment_gets_one_receipt(
    database: str, tmp_path: Path, payments: int, refunds: int, kills: int
) -> None:
    is_long = payments > SHORT
    settings = {**QUICK, "MY_TAX_INN": INN, "MY_TAX_PASSWORD": PASSWORD}
    async with (
        running_system(database, tmp_path, **settings) as system,
        pool_of(database, size=3) as pool,
        running_tax() as tax,
    ):
        system.settings["MY_TAX_API_URL"] = tax.url + "/api/v1"
        trouble = Trouble(
            system=system,
            tax=tax,
            faults=LOST + SLOW * is_long,
            every_s=0.3 if is_long else 0.1,
            most=1000 if is_long else 2 * len(LOST),
            kills=kills,
        )
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            losing = group.create_task(trouble.lose_answers())
            killing = group.create_task(trouble.kill())
            await pay_and_refund(pool, payments=payments, refunds=refunds, over_s=1.5 * kills if is_long else 1.0)
            await killing
            losing.cancel()
        struck = trouble.lost - len(tax.faults.pending())
        tax.faults.clear()
        if not is_long:
            await system.instance.stop()
            await issue_all(issuer_of(pool, tax.client))
        await until_issued(system, pool)
        took_s = time.monotonic() - began
        await check(pool, tax, payments=payments, refunds=refunds)
    sys.stdout.write(
        f"{payments} payments, {refunds} refunds, {trouble.dead} killed, "
        f"{struck} of {trouble.lost} faults struck, {took_s:.0f} s\n"
    )


async def pay_and_refund(pool: Pool, *, payments: int, refunds: int, over_s: float) -> None:
    """Payments come evenly; what has its receipt is refunded, until enough were."""
    users = [UserId(5_000 + number) for number in range(USERS)]
    async with transaction(pool) as tx:
        for user in users:
            await make_user(tx, user)
    now = await pool.fetchval("SELECT photomat_now()")
    refunded = 0
    for number in range(payments):
        user = users[number % USERS]
        await pays(pool, external_id=f"ch-{number}", user_id=user, worth=rub(100 + number), paid=stars(10), paid_at=now)
        if refunded < refunds and number % 4 == 0:
            refunded += await refund_one(pool)
        await asyncio.sleep(over_s / payments)
    while refunded < refunds:
        refunded += await refund_one(pool)
        await asyncio.sleep(0.02)


async def refund_one(pool: Pool) -> int:
    """Refund a payment that has its receipt; 0 if there is none."""
    external_id = await pool.fetchval(
        """
        SELECT payment_external_id FROM fiscal_receipts AS income
         WHERE state = 'issued' AND kind = 'income'
           AND NOT EXISTS (SELECT FROM fiscal_receipts AS later
                            WHERE later.payment_id = income.payment_id AND later.kind = 'annulment') LIMIT 1
        """
    )
    if external_id is None:
        return 0
    await told_refund(pool, external_id=external_id)
    return 1


async def until_issued(system: System, pool: Pool) -> None:
    async def is_over() -> bool | None:
        return None if await pool.fetchval(OPEN) else True

    await until_found(is_over, within_s=LIMIT_S, about=lambda: system.story[-6000:])


async def check(pool: Pool, tax: RunningTax, *, payments: int, refunds: int) -> None:
    per_reference = tax.per_reference()
    assert len(per_reference) == payments
    assert set(per_reference.values()) == {1}, "a payment has two receipts"
    annulled = [one for one in tax.incomes if one.cancelled_at is not None]
    assert len(annulled) == refunds
    assert {one.cancels for one in annulled} == {1}, "a receipt was annulled twice"
    states = Counter((row["kind"], row["state"]) for row in await pool.fetch("SELECT kind, state FROM fiscal_receipts"))
    assert states == {
        ("income", "issued"): payments - refunds,
        ("income", "annulled"): refunds,
        ("annulment", "issued"): refunds,
    }
    async with pool.acquire() as connection:
        assert await wrongs(connection) == []
