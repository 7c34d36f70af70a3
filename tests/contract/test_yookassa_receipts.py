"""Our client sends fiscal receipts the simulated shop accepts, reads their state, and knows which refusals are about them."""

from dataclasses import replace

import pytest

from photomat.kernel.errors import OutcomeUnknown, Rejected
from photomat.kernel.money import Money
from photomat.providers.port import FiscalRefused, FiscalTerms
from support.pay_sim import RunningPay, asked, running_pay

TERMS = FiscalTerms(
    form="54fz",
    item="Пополнение баланса",
    vat_code=4,
    tax_system=2,
    payment_subject="service",
    payment_mode="full_payment",
    measure="piece",
    email="anna@shop.example",
)
SHORT = replace(TERMS, form="self-employed", email=None, phone="79001234567")


async def paid(pay: RunningPay, terms: FiscalTerms | None = TERMS) -> str:
    """A payment that has succeeded."""
    pay.shop.switches["receipts_required"] = True
    payment_id = (await pay.yookassa.create(asked(fiscal=terms))).external_id
    pay.shop.pay(payment_id)
    return payment_id


async def read(pay: RunningPay, payment_id: str) -> list[tuple[str, str, int]]:
    """What our client finds: kind, state and sum."""
    found = await pay.yookassa.receipts_of(payment_id)
    return [(one.kind, one.state, one.amount.minor) for one in found]


async def test_a_receipt_by_54_fz_is_accepted_registered_and_read() -> None:
    async with running_pay() as pay:
        payment_id = await paid(pay)
        (stored,) = pay.shop.receipts.receipts.values()
        assert stored.content == {
            "customer": {"email": "anna@shop.example"},
            "items": [
                {
                    "description": "Пополнение баланса",
                    "quantity": "1.00",
                    "amount": {"value": "100.00", "currency": "RUB"},
                    "vat_code": 4,
                    "payment_subject": "service",
                    "payment_mode": "full_payment",
                    "measure": "piece",
                }
            ],
            "tax_system_code": 2,
        }
        assert await read(pay, payment_id) == [("income", "succeeded", 100_00)]
        refund_id = await pay.yookassa.refund(payment_id, Money(40_00, "RUB"), key="part", fiscal=TERMS)
        assert refund_id in pay.shop.refunds
        assert await read(pay, payment_id) == [("income", "succeeded", 100_00), ("annulment", "succeeded", 40_00)]


async def test_the_self_employed_send_less_and_their_receipts_are_known_by_the_payment_alone() -> None:
    async with running_pay(self_employed=True) as pay:
        payment_id = await paid(pay, SHORT)
        (stored,) = pay.shop.receipts.receipts.values()
        assert stored.content == {
            "customer": {"phone": "79001234567"},
            "items": [
                {
                    "description": "Пополнение баланса",
                    "quantity": 1,
                    "amount": {"value": "100.00", "currency": "RUB"},
                    "vat_code": 1,
                }
            ],
        }
        await pay.yookassa.refund(payment_id, Money(100_00, "RUB"), key="all", fiscal=SHORT)
        assert await read(pay, payment_id) == [("income", "succeeded", 100_00), ("annulment", "succeeded", 100_00)]


async def test_a_receipt_that_waits_is_none_yet_and_one_that_was_refused_is_canceled() -> None:
    async with running_pay() as pay:
        pay.shop.switches["receipts_pending"] = True
        payment_id = await paid(pay)
        assert await read(pay, payment_id) == [("income", "pending", 100_00)]
        pay.shop.receipts.settle("canceled")
        assert await read(pay, payment_id) == [("income", "canceled", 100_00)]
        assert await read(pay, "unknown") == []


async def test_a_second_receipt_of_a_payment_is_read_unless_it_closes_a_prepayment() -> None:
    async with running_pay() as pay:
        payment_id = await paid(pay)
        (first,) = pay.shop.receipts.receipts.values()
        for settlement in ("prepayment", "cashless"):
            content = {"items": first.content["items"], "settlements": [{"type": settlement}]}
            pay.shop.receipts.register(content, payment_id=payment_id, refund_id=None, at=0, pending=False)
        assert await read(pay, payment_id) == [("income", "succeeded", 100_00)] * 2


@pytest.mark.parametrize(
    ("terms", "field"),
    [
        (None, ""),
        (replace(TERMS, email=None, phone="79001234567"), "customer.email"),
        (replace(TERMS, vat_code=99), "items.vat_code"),
        (replace(TERMS, tax_system=9), "tax_system_code"),
        (replace(TERMS, payment_subject="wish"), "items.payment_subject"),
    ],
)
async def test_a_refusal_because_of_the_receipt_names_the_field(terms: FiscalTerms | None, field: str) -> None:
    async with running_pay() as pay:
        pay.shop.switches |= {"receipts_required": True, "email_only": True}
        with pytest.raises(FiscalRefused) as refused:
            await pay.yookassa.create(asked(fiscal=terms))
        assert (refused.value.field, refused.value.reason) == (field, "Receipt is missing or illegal")
        assert not pay.shop.payments


async def test_another_refusal_is_not_about_receipts() -> None:
    async with running_pay() as pay:
        with pytest.raises(Rejected) as refused:
            await pay.yookassa.create(asked(currency="USD"))
        assert not isinstance(refused.value, FiscalRefused)


async def test_a_key_that_was_used_for_another_request_is_an_unknown_outcome() -> None:
    """Nothing may be put back into a wallet because the second request differed: the first one stands."""
    async with running_pay() as pay:
        payment_id = await paid(pay)
        await pay.yookassa.refund(payment_id, Money(40_00, "RUB"), key="part", fiscal=TERMS)
        with pytest.raises(OutcomeUnknown):
            await pay.yookassa.refund(payment_id, Money(40_00, "RUB"), key="part", fiscal=replace(TERMS, vat_code=1))
