"""YooKassa's fiscal receipts: frozen with their top-up or refund, so that a repeated request is the same; read until issued."""

from dataclasses import replace
from decimal import Decimal
from time import time

import pytest

from photomat.audit.run import violations
from photomat.db.pool import Pool, transaction
from photomat.fiscal.compare_shop import compare_shops_if_due
from photomat.fiscal.contacts import Contact, forget_contact, save_contact
from photomat.kernel.ids import BotId
from photomat.operators.money import refund_payment
from photomat.payments.fiscal_terms import FiscalOptions
from photomat.payments.forget import forget_contacts
from photomat.payments.invoices import InvoicePoller
from photomat.payments.service import TopupRequest, TopupService
from photomat.providers.port import Invoice
from support.database import pool_of, shift_clock
from support.fiscal_shop import reads, refunds_at
from support.money import rub
from support.pay_sim import RunningPay, running_pay
from support.paying import shop_options
from support.payments import ANNA, asks_refund, people, refund_all, refunds_of, wallet_of
from support.updates import BOT_ID

FISCAL = FiscalOptions(form="54fz", item="Пополнение баланса", vat_code=4)
ADDRESS, NUMBER = Contact(kind="email", value="anna@example.org"), Contact(kind="phone", value="79001234567")


def service(pool: Pool, pay: RunningPay, fiscal: FiscalOptions | None = FISCAL) -> TopupService:
    pay.shop.switches["receipts_required"] = True
    return TopupService(pool=pool, options=shop_options(), providers={"yookassa": pay.yookassa}, fiscal=fiscal)


async def names(pool: Pool, contact: Contact) -> None:
    async with transaction(pool) as tx:
        await save_contact(tx, user_id=ANNA, contact=contact)


async def tops_up(topups: TopupService, *, words: str = "300", origin: str = "update:1") -> Invoice | str:
    request = TopupRequest(origin=origin, bot_id=BotId(BOT_ID), user_id=ANNA, draft_id=None)
    topup = await topups.start(request, "yookassa", rub(30_000))
    return await topups.create_invoice(topup, description=words, return_url=None)


async def a_payment(pool: Pool, pay: RunningPay) -> int:
    """300 roubles that have arrived, with a receipt."""
    await people(pool)
    await names(pool, ADDRESS)
    made = await tops_up(service(pool, pay))
    assert isinstance(made, Invoice)
    pay.shop.pay(made.external_id)
    await looks(pool, pay)
    return int(await pool.fetchval("SELECT payment_id FROM payments"))


async def looks(pool: Pool, pay: RunningPay) -> None:
    poller = InvoicePoller(pool=pool, providers={"yookassa": pay.yookassa})
    await shift_clock(pool, 3600)
    for invoice in await poller.claim(9):
        await poller.poll(invoice)


async def test_a_lost_answer_is_asked_for_again_with_the_same_receipt(database: str) -> None:
    async with pool_of(database) as pool, running_pay() as pay:
        await people(pool)
        await names(pool, ADDRESS)
        pay.faults.arm(world="yookassa", method="createPayment", action="drop_after")
        assert await tops_up(service(pool, pay)) == "no-answer"
        await names(pool, NUMBER)
        later = service(pool, pay, replace(FISCAL, vat_code=1, item="Другое", tax_system=2))
        assert isinstance(await tops_up(later, words="other words"), Invoice)
        (payment,) = pay.shop.payments.values()
        assert (payment.order.receipt or {})["customer"] == {"email": "anna@example.org"}
        assert isinstance(await tops_up(later, origin="update:2"), Invoice)
        _, second = pay.shop.payments.values()
        receipt = second.order.receipt or {}
        assert (receipt["customer"], receipt["items"][0]["vat_code"]) == ({"phone": "79001234567"}, 1)


async def test_a_refund_without_an_answer_is_one_refund_with_one_receipt(database: str) -> None:
    async with pool_of(database) as pool, running_pay() as pay:
        payment_id = await a_payment(pool, pay)
        await names(pool, NUMBER)
        await asks_refund(pool, payment_id)
        pay.faults.arm(world="yookassa", method="createRefund", action="drop_after")
        pay.faults.arm(world="yookassa", method="createRefund", action="error", status=503)
        pay.faults.arm(world="yookassa", method="createRefund", action="error", status=502, html=True)
        for _ in range(4):
            await refund_all(pool, refunds_at(pay), provider="yookassa")
            await shift_clock(pool, 600)
        assert [state for *_, state in await refunds_of(pool)] == ["done"]
        assert await wallet_of(pool) == (0, 0, 0)
        (refund,) = pay.shop.refunds.values()
        assert await pool.fetchval("SELECT external_id FROM payment_refunds") == refund.refund_id
        income, annulment = pay.shop.receipts.receipts.values()
        assert annulment.content["customer"] == income.content["customer"] == {"email": "anna@example.org"}
        assert [one.kind for one in await pay.yookassa.receipts_of(refund.payment_id)] == ["income", "annulment"]


async def test_the_rest_of_a_payment_goes_back_with_a_receipt_for_the_rest(database: str) -> None:
    """A part was refunded in the shop's back office before."""
    async with pool_of(database) as pool, running_pay() as pay:
        payment_id = await a_payment(pool, pay)
        (payment,) = pay.shop.payments.values()
        pay.shop.refund(payment.payment_id, Decimal(100))
        await pool.execute("UPDATE provider_invoices SET look_at = photomat_now()")
        await looks(pool, pay)
        assert await wallet_of(pool) == (20_000, 0, 0)
        await asks_refund(pool, payment_id)
        await refund_all(pool, refunds_at(pay), provider="yookassa")
        assert [state for *_, state in await refunds_of(pool)] == ["done", "done"]
        newest = list(pay.shop.receipts.receipts.values())[-1]
        assert newest.content["items"][0]["amount"]["value"] == "200.00"


async def test_who_had_their_contact_deleted_gets_their_money_all_the_same(database: str) -> None:
    """Of a whole payment YooKassa makes the receipt from the one it has; nothing of ours holds the address any more."""
    async with pool_of(database) as pool, running_pay() as pay:
        payment_id = await a_payment(pool, pay)
        async with transaction(pool) as tx:
            assert await forget_contact(tx, ANNA) == 1
        kept = await pool.fetchval("SELECT string_agg(invoice::text, ' ') FROM topups")
        assert ADDRESS.value not in kept
        await asks_refund(pool, payment_id)
        await refund_all(pool, refunds_at(pay), provider="yookassa")
        assert [state for *_, state in await refunds_of(pool)] == ["done"]
        assert [one.kind for one in pay.shop.receipts.receipts.values()] == ["payment", "refund"]


async def test_the_rest_of_a_payment_without_a_contact_is_left_to_the_operator(database: str) -> None:
    """YooKassa wants a receipt for a part: nothing is asked, no money moves, and the operator reads why."""
    async with pool_of(database) as pool, running_pay() as pay:
        payment_id = await a_payment(pool, pay)
        (payment,) = pay.shop.payments.values()
        pay.shop.refund(payment.payment_id, Decimal(100))
        await pool.execute("UPDATE provider_invoices SET look_at = photomat_now()")
        await looks(pool, pay)
        async with transaction(pool) as tx:
            assert await forget_contact(tx, ANNA) == 1
        asked = await refund_payment(pool, payment_id, operator="test", reason="x", owing=False, by_hand=False)
        assert (asked.done, asked.says.key) == (False, "payment-without-contact")
        assert await wallet_of(pool) == (20_000, 0, 0)
        pay.shop.refund(payment.payment_id, Decimal(200))
        await pool.execute("UPDATE provider_invoices SET look_at = photomat_now()")
        await looks(pool, pay)
        assert await wallet_of(pool) == (0, 0, 0)


async def test_a_contact_stays_while_a_refund_needs_it(database: str) -> None:
    """Repeated without it, the request would be another one than before, which YooKassa refuses."""
    async with pool_of(database) as pool, running_pay() as pay:
        payment_id = await a_payment(pool, pay)
        await asks_refund(pool, payment_id)
        pay.faults.arm(world="yookassa", method="createRefund", action="drop_after")
        await refund_all(pool, refunds_at(pay), provider="yookassa")
        assert not await service(pool, pay).delete_contact(ANNA)
        async with transaction(pool) as tx:
            assert await forget_contacts(tx, ANNA, 9) == 0
        await shift_clock(pool, 600)
        await refund_all(pool, refunds_at(pay), provider="yookassa")
        assert [state for *_, state in await refunds_of(pool)] == ["done"]
        async with transaction(pool) as tx:
            assert await forget_contacts(tx, ANNA, 9) == 1


async def test_a_payment_from_before_is_refunded_without_a_receipt(database: str) -> None:
    async with pool_of(database) as pool, running_pay() as pay:
        await people(pool)
        plain = service(pool, pay, None)
        pay.shop.switches["receipts_required"] = False
        made = await tops_up(plain)
        assert isinstance(made, Invoice)
        pay.shop.pay(made.external_id)
        await looks(pool, pay)
        await names(pool, ADDRESS)
        await asks_refund(pool, int(await pool.fetchval("SELECT payment_id FROM payments")))
        await refund_all(pool, refunds_at(pay), provider="yookassa")
        assert [state for *_, state in await refunds_of(pool)] == ["done"]
        assert not pay.shop.receipts.receipts


async def test_receipts_are_issued_when_yookassa_has_registered_them(database: str) -> None:
    async with pool_of(database) as pool, running_pay() as pay:
        pay.shop.switches["receipts_pending"] = True
        payment_id = await a_payment(pool, pay)
        assert await reads(pool, pay) == [("income", "wanted")]
        pay.shop.receipts.settle("succeeded")
        assert await reads(pool, pay) == [("income", "issued")]
        await asks_refund(pool, payment_id)
        await refund_all(pool, refunds_at(pay), provider="yookassa")
        assert await reads(pool, pay) == [("income", "issued"), ("annulment", "wanted")]
        pay.shop.receipts.settle("succeeded")
        assert await reads(pool, pay) == [("income", "issued"), ("annulment", "issued")]


async def test_a_receipt_yookassa_could_not_register_waits_for_the_operator(database: str) -> None:
    async with pool_of(database) as pool, running_pay() as pay:
        pay.shop.switches["receipts_pending"] = True
        await a_payment(pool, pay)
        pay.shop.receipts.settle("canceled")
        assert await reads(pool, pay) == [("income", "blocked")]


async def test_a_receipt_that_is_not_registered_for_days_waits_for_the_operator(database: str) -> None:
    async with pool_of(database) as pool, running_pay() as pay:
        pay.shop.switches["receipts_pending"] = True
        await a_payment(pool, pay)
        assert await reads(pool, pay, after_s=86_400) == [("income", "wanted")]
        assert await reads(pool, pay, after_s=2 * 86_400 + 7200) == [("income", "blocked")]
        assert "three days" in await pool.fetchval("SELECT error FROM fiscal_receipts")


async def test_a_payment_made_without_a_receipt_is_listed_as_such(database: str) -> None:
    async with pool_of(database) as pool, running_pay() as pay:
        await people(pool)
        plain = service(pool, pay, None)
        pay.shop.switches["receipts_required"] = False
        made = await tops_up(plain)
        assert isinstance(made, Invoice)
        pay.shop.pay(made.external_id)
        await looks(pool, pay)
        assert await reads(pool, pay) == [("income", "without")]
        await asks_refund(pool, int(await pool.fetchval("SELECT payment_id FROM payments")))
        await refund_all(pool, refunds_at(pay), provider="yookassa")
        assert await reads(pool, pay) == [("income", "unneeded"), ("annulment", "unneeded")]


@pytest.mark.breaks_invariants
async def test_a_second_receipt_of_one_payment_turns_the_audit_red(database: str) -> None:
    async with pool_of(database) as pool, running_pay() as pay:
        await a_payment(pool, pay)
        (first,) = pay.shop.receipts.receipts.values()
        pay.shop.receipts.register(first.content, payment_id=first.payment_id, refund_id=None, at=0, pending=False)
        await reads(pool, pay)
        assert "one-live-fiscal-receipt" in await broken(pool)


@pytest.mark.breaks_invariants
async def test_a_second_receipt_after_the_first_is_issued_is_found_within_a_day(database: str) -> None:
    async with pool_of(database) as pool, running_pay() as pay:
        await a_payment(pool, pay)
        readers = {"yookassa": pay.yookassa}
        assert await reads(pool, pay) == [("income", "issued")]
        assert await compare_shops_if_due(pool, readers)
        (first,) = pay.shop.receipts.receipts.values()
        pay.shop.receipts.register(first.content, payment_id=first.payment_id, refund_id=None, at=time(), pending=False)
        assert not await compare_shops_if_due(pool, readers)
        assert await broken(pool) == set()
        await shift_clock(pool, 86_400)
        assert await compare_shops_if_due(pool, readers)
        assert await broken(pool) == {"one-live-fiscal-receipt"}
        assert await pool.fetchval("SELECT kind FROM differences WHERE resolved_at IS NULL") == "fiscal-document-double"


async def broken(pool: Pool) -> set[str]:
    async with pool.acquire() as connection:
        return {one.name for one in await violations(connection)}
