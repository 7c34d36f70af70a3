"""Fiscal receipts: one for each payment and one annulment for each refund, whatever the tax service answers or does not."""

from datetime import datetime
from typing import Any

import pytest

from photomat.db.pool import Pool, transaction
from photomat.fiscal.receipt import want_annulment
from photomat.fiscal.restored import look_first
from photomat.kernel.errors import Transient
from photomat.kernel.money import Money
from photomat.operators.fiscal import drop_fiscal
from photomat.providers.fiscal_port import RegisteredReceipt
from support.database import pool_of, shift_clock
from support.money import rub
from support.my_tax import RunningTax, fiscal_rows, issue_all, issue_due, issuer_of, running_tax, tax_client
from support.patience import until
from support.payments import asks_refund, last_news, pays, people, stars, told, told_refund

LOST: list[dict[str, Any]] = [
    {"action": "drop_after"},
    {"action": "drop_before"},
    {"action": "error", "status": 503, "html": True},
    {"action": "error", "status": 408},
    {"action": "error", "status": 200, "html": True},
    {"action": "never"},
]


async def test_a_payment_gets_one_receipt_and_the_customer_a_button_to_it(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        await pays(pool)
        await issue_all(issuer_of(pool, tax.client))
        (income,) = tax.incomes
        assert (income.amount, "PM-" in income.name) == ("200.00", True)
        row = await pool.fetchrow("SELECT state, issuer, external_id, url FROM fiscal_receipts")
        assert row is not None
        assert (row["state"], row["issuer"], row["external_id"]) == ("issued", "my_tax", income.uuid)
        assert row["url"] == f"{tax.url}/api/v1/receipt/770000000000/{income.uuid}/print"
        assert await last_news(pool) == "🧾 Чек на 200 ₽ готов: платёж зарегистрирован в налоговой."
        buttons = await pool.fetchval("SELECT buttons FROM notices ORDER BY notice_id DESC LIMIT 1")
        assert buttons[0][0]["url"] == row["url"]


@pytest.mark.parametrize("fault", LOST, ids=lambda fault: "-".join(map(str, fault.values())))
async def test_an_answer_that_never_came_is_looked_up_before_anything_is_sent_again(
    database: str, fault: dict[str, Any]
) -> None:
    async with pool_of(database) as pool, running_tax(timeout_s=0.5) as tax:
        await people(pool)
        await pays(pool)
        tax.faults.arm(world="my_tax", method="income", **fault)
        issuer = issuer_of(pool, tax.client)
        await issue_due(issuer)
        assert [state for _, _, state, _ in await fiscal_rows(pool)] == ["unknown"]
        await issue_all(issuer)
        assert [one.amount for one in tax.incomes] == ["200.00"]
        assert [state for _, _, state, _ in await fiscal_rows(pool)] == ["issued"]
        assert (await told(pool)).count("fiscal-notice-issued") == 1


async def test_nothing_is_sent_again_while_a_late_request_may_still_arrive(database: str) -> None:
    async with pool_of(database) as pool, running_tax(timeout_s=0.2) as tax:
        await people(pool)
        await pays(pool)
        tax.faults.arm(world="my_tax", method="income", action="delay", delay_s=1.0)
        issuer = issuer_of(pool, tax.client)
        await issue_due(issuer)
        await shift_clock(pool, 20)
        await issue_due(issuer)
        assert tax.incomes == []
        assert [state for _, _, state, _ in await fiscal_rows(pool)] == ["unknown"]
        await landed(tax)
        await issue_all(issuer)
        assert list(tax.per_reference().values()) == [1]


async def landed(tax: RunningTax) -> None:
    await until(lambda: len(tax.incomes) == 1, within_s=10)


async def test_an_incomplete_list_proves_nothing(database: str) -> None:
    """Sixty incomes are two pages; the second one repeats the first, so the lost one might be on it."""
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        for number in range(60):
            await pays(pool, external_id=f"ch-{number}", paid=rub(100), worth=rub(100), provider="cryptopay")
        issuer = issuer_of(pool, tax.client)
        await issue_due(issuer)
        await issue_due(issuer)
        await pays(pool, external_id="lost")
        tax.faults.arm(world="my_tax", method="income", action="drop_before")
        await issue_due(issuer)
        await shift_clock(pool, 100)
        tax.faults.arm(world="my_tax", method="incomes.repeat", action="reorder", skip=1)
        await issue_due(issuer)
        assert len(tax.incomes) == 60
        assert (await fiscal_rows(pool))[-1][2] == "unknown"
        await issue_all(issuer)
        assert set(tax.per_reference().values()) == {1}
        assert len(tax.incomes) == 61


async def test_a_refund_annuls_and_a_partial_one_leaves_a_receipt_for_the_rest(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        await pays(pool)
        issuer = issuer_of(pool, tax.client)
        await issue_all(issuer)
        await told_refund(pool, refunded=stars(100))
        tax.faults.arm(world="my_tax", method="cancel", action="drop_after")
        await issue_all(issuer)
        assert [(one.amount, one.cancelled_at is None) for one in tax.incomes] == [("200.00", False), ("120.00", True)]
        await told_refund(pool)
        await issue_all(issuer)
        assert [(one.cancelled_at is None, one.cancels) for one in tax.incomes] == [(False, 1), (False, 1)]
        assert (await told(pool))[-2:] == ["payment-refunded", "fiscal-notice-annulled"]
        assert "fiscal-notice-annulled-part" in await told(pool)


async def test_a_payment_refunded_before_its_receipt_needs_neither(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        received = await pays(pool)
        await asks_refund(pool, received.payment_id, by_hand=True)
        await issue_all(issuer_of(pool, tax.client))
        assert tax.incomes == []
        assert [row[2] for row in await fiscal_rows(pool)] == ["unneeded", "unneeded"]


async def test_a_refund_after_a_restore_leaves_a_receipt_that_may_exist_to_the_operator(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        received = await pays(pool)
        async with transaction(pool) as tx:
            assert await look_first(tx) == 1
        await asks_refund(pool, received.payment_id, by_hand=True)
        await issue_all(issuer_of(pool, tax.client))
        assert tax.incomes == []
        assert [(row[0], row[2]) for row in await fiscal_rows(pool)] == [
            ("income", "blocked"),
            ("annulment", "blocked"),
        ]


async def forget_the_partial_refund(pool: Pool, payment_id: int, *, refunded: Money) -> None:
    """As if a backup from before it was restored, and the refund found again, or another one made."""
    await pool.execute("DELETE FROM fiscal_receipts WHERE kind = 'annulment' OR round > 0")
    await pool.execute("DELETE FROM fiscal_documents")
    await pool.execute("UPDATE fiscal_receipts SET state = 'issued'")
    async with transaction(pool) as tx:
        assert await want_annulment(tx, payment_id=payment_id, refund_id=1, amount=refunded)


async def test_a_partial_refund_that_a_restore_forgot_leaves_one_receipt_for_the_rest(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        received = await pays(pool)
        issuer = issuer_of(pool, tax.client)
        await issue_all(issuer)
        await told_refund(pool, refunded=stars(100))
        await issue_all(issuer)
        await forget_the_partial_refund(pool, received.payment_id, refunded=rub(80_00))
        await issue_all(issuer)
        assert [(one.amount, one.cancelled_at is None) for one in tax.incomes] == [("200.00", False), ("120.00", True)]
        assert [row[2] for row in await fiscal_rows(pool)] == ["annulled", "issued", "issued"]


@pytest.mark.breaks_invariants
async def test_the_rest_of_another_refund_than_before_the_restore_is_left_to_the_operator(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        received = await pays(pool)
        issuer = issuer_of(pool, tax.client)
        await issue_all(issuer)
        await told_refund(pool, refunded=stars(100))
        await issue_all(issuer)
        await forget_the_partial_refund(pool, received.payment_id, refunded=rub(50_00))
        await issue_all(issuer)
        assert len(tax.incomes) == 2
        assert (await fiscal_rows(pool))[-1] == ("income", 1, "blocked", 150_00)


async def test_refunds_of_a_payment_whose_receipt_was_called_off_end(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        await pays(pool)
        number = await pool.fetchval("SELECT fiscal_id FROM fiscal_receipts")
        assert (await drop_fiscal(pool, number, operator="test", reason="issued elsewhere")).done
        await told_refund(pool, refunded=stars(100))
        await issue_all(issuer_of(pool, tax.client))
        await told_refund(pool)
        await issue_all(issuer_of(pool, tax.client))
        assert tax.incomes == []
        assert [row[2] for row in await fiscal_rows(pool)] == ["unneeded"] * 3


async def test_without_a_tax_service_the_payment_is_listed_as_without_receipt(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await pays(pool)
        await pays(pool, external_id="in-dollars", worth=rub(100), paid=stars(10))
        await issue_all(issuer_of(pool, None))
        assert [row[2] for row in await fiscal_rows(pool)] == ["without", "without"]


async def test_two_instances_send_once_and_the_slower_one_writes_nothing(database: str) -> None:
    """The first is held up after its intent for longer than its claim lasts; the second looks, waits, and sends."""
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        await pays(pool)
        first, second = issuer_of(pool, tax.client), issuer_of(pool, tax.client)
        (held,) = await first.claim(1)
        await shift_clock(pool, 11)
        (taken,) = await second.claim(1)
        await second.issue(taken)
        await first.issue(held)
        assert len(tax.incomes) == 1
        assert [row[2] for row in await fiscal_rows(pool)] == ["issued"]


async def test_an_expired_token_is_refreshed_once_and_a_wrong_password_is_not_hammered(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        issuer = issuer_of(pool, tax.client)
        for number in range(3):
            await pays(pool, external_id=f"ch-{number}")
            await issue_due(issuer)
            tax.world.expire_tokens(refresh=number == 1)
        assert (len(tax.incomes), tax.world.sign_ins) == (3, 2)
        wrong = tax_client(tax.url, password="wrong")
        await pays(pool, external_id="ch-9")
        for _ in range(3):
            await shift_clock(pool, 700)
            await issue_due(issuer_of(pool, wrong))
        await wrong.close()
        row = await pool.fetchrow("SELECT state, error FROM fiscal_receipts ORDER BY fiscal_id DESC LIMIT 1")
        assert row is not None
        assert (row["state"], row["error"]) == ("wanted", "password")


async def test_at_the_yearly_limit_receipts_wait(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        tax.world.changed({"yearly_limit": 100})
        await pays(pool)
        issuer = issuer_of(pool, tax.client)
        await issue_due(issuer)
        assert await pool.fetchval("SELECT state || ' ' || error FROM fiscal_receipts") == "wanted limit"
        tax.world.changed({"yearly_limit": 1000})
        await shift_clock(pool, 3700)
        await issue_due(issuer)
        assert len(tax.incomes) == 1


class Shop:
    """A provider that registers receipts by itself."""

    def __init__(self) -> None:
        self.receipts: list[RegisteredReceipt] = []

    def has(self, **facts: Any) -> None:
        plain: dict[str, Any] = {"registered_at": None, "url": None, "state": "succeeded"}
        self.receipts.append(RegisteredReceipt(**{**plain, **facts}))

    async def receipts_of(self, external_payment_id: str) -> list[RegisteredReceipt]:
        if external_payment_id != "bill-1":
            raise Transient("another shop's")
        return self.receipts

    async def incomes_since(self, since: datetime) -> dict[str, list[RegisteredReceipt]]:  # noqa: ARG002  all are new
        return {"bill-1": self.receipts}


async def test_a_receipt_that_the_provider_registers_is_only_read(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        shop = Shop()
        issuer = issuer_of(pool, tax.client, reader=shop)
        paid = await pays(pool, provider="yookassa", external_id="bill-1", paid=rub(10_000), worth=rub(10_000))
        await issue_due(issuer)
        assert [row[2] for row in await fiscal_rows(pool)] == ["wanted"]
        shop.has(external_id="r-1", kind="income", amount=rub(10_000))
        await told_refund(pool, refunded=rub(4_000), provider="yookassa", external_id="bill-1")
        await told_refund(pool, refunded=rub(8_000), provider="yookassa", external_id="bill-1")
        for number in (1, 2):
            shop.has(external_id=f"back-{number}", kind="annulment", amount=rub(4_000))
        await issue_all(issuer)
        assert await fiscal_rows(pool) == [
            ("income", 0, "issued", 10_000),
            ("annulment", 0, "issued", 4_000),
            ("annulment", 1, "issued", 4_000),
        ]
        assert tax.incomes == []
        assert paid.is_new
