"""Many payments and refunds at a YooKassa that loses answers, while contacts and settings change: one receipt each."""

import random
from collections import Counter
from dataclasses import replace

import pytest

from photomat.db.pool import Pool, transaction
from photomat.fiscal.contacts import Contact, save_contact
from photomat.kernel.ids import BotId, UserId
from photomat.payments.fiscal_terms import FiscalOptions
from photomat.payments.invoices import InvoicePoller
from photomat.payments.service import TopupRequest, TopupService
from photomat.providers.port import Invoice
from support.database import pool_of, shift_clock
from support.fiscal_shop import reads, refunds_at
from support.money import make_user, rub
from support.pay_sim import RunningPay, running_pay
from support.paying import shop_options
from support.payments import asks_refund, refund_all
from support.updates import BOT_ID

FISCAL = FiscalOptions(form="54fz", item="Пополнение баланса")
TROUBLES = ("drop_before", "drop_after", "error", "html", "too_many", None, None)
TRIES = 12


def trouble(pay: RunningPay, method: str, dice: random.Random) -> None:
    """Something may go wrong with the next call."""
    match dice.choice(TROUBLES):
        case "error":
            pay.faults.arm(world="yookassa", method=method, action="error", status=503)
        case "html":
            pay.faults.arm(world="yookassa", method=method, action="error", status=502, html=True)
        case "drop_before" | "drop_after" | "too_many" as action:
            pay.faults.arm(world="yookassa", method=method, action=action)


async def tops_up(pool: Pool, pay: RunningPay, number: int, dice: random.Random) -> None:
    """One customer, asked again until there is an invoice; what a receipt says changes at every try."""
    user_id = UserId(9000 + number)
    async with transaction(pool) as tx:
        await make_user(tx, user_id)
    for attempt in range(TRIES):
        async with transaction(pool) as tx:
            contact = Contact(kind="email", value=f"c{number}t{attempt}@example.org")
            await save_contact(tx, user_id=user_id, contact=contact)
        fiscal = replace(FISCAL, vat_code=1 + dice.randrange(6))
        topups = TopupService(pool=pool, options=shop_options(), providers={"yookassa": pay.yookassa}, fiscal=fiscal)
        request = TopupRequest(origin=f"update:{number}", bot_id=BotId(BOT_ID), user_id=user_id, draft_id=None)
        topup = await topups.start(request, "yookassa", rub(10_000 + number))
        trouble(pay, "createPayment", dice)
        if isinstance(await topups.create_invoice(topup, description=str(attempt), return_url=None), Invoice):
            break


@pytest.mark.parametrize(
    ("payments", "refunds"), [(12, 4), pytest.param(400, 100, marks=pytest.mark.prove)], ids=["sample", "all"]
)
async def test_every_payment_and_every_refund_has_one_receipt(database: str, payments: int, refunds: int) -> None:
    dice = random.Random(14)  # noqa: S311  repeatable troubles
    async with pool_of(database) as pool, running_pay() as pay:
        pay.shop.switches["receipts_required"] = True
        for number in range(payments):
            await tops_up(pool, pay, number, dice)
        assert len(pay.shop.payments) == payments
        for payment in pay.shop.payments.values():
            pay.shop.pay(payment.payment_id)
        await read_all(pool, pay)
        ids = [row["payment_id"] for row in await pool.fetch("SELECT payment_id FROM payments ORDER BY payment_id")]
        assert len(ids) == payments
        for payment_id in dice.sample(ids, refunds):
            await asks_refund(pool, payment_id)
        while await pool.fetchval("SELECT count(*) FROM payment_refunds WHERE state = 'wanted'"):
            trouble(pay, "createRefund", dice)
            await refund_all(pool, refunds_at(pay), provider="yookassa")
            await shift_clock(pool, 600)
        made = Counter(one.kind for one in pay.shop.receipts.receipts.values())
        assert (made["payment"], made["refund"], len(pay.shop.refunds)) == (payments, refunds, refunds)
        while await pool.fetchval("SELECT count(*) FROM fiscal_receipts WHERE due_at IS NOT NULL"):
            rows = await reads(pool, pay)
        assert Counter(rows) == {("income", "issued"): payments, ("annulment", "issued"): refunds}


async def read_all(pool: Pool, pay: RunningPay) -> None:
    poller = InvoicePoller(pool=pool, providers={"yookassa": pay.yookassa})
    await shift_clock(pool, 3600)
    while invoices := await poller.claim(9):
        for invoice in invoices:
            await poller.poll(invoice)
