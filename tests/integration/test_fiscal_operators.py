"""What operators and the audit see of fiscal receipts: lists, decisions, the daily comparison, doubles."""

from datetime import datetime
from decimal import Decimal

import pytest

from photomat.audit.run import violations
from photomat.db.pool import Pool, transaction
from photomat.fiscal.compare import compare, compare_if_due
from photomat.operators.fiscal import drop_fiscal, issue_fiscal, retry_fiscal, settle_fiscal
from photomat.payments.fiscal_sweep import want_missing_receipts
from photomat.reports.fiscal import FiscalFilter, count_open_fiscal, list_fiscal
from photomat_sandbox.pay.my_tax_world import IncomeRequest
from support.database import pool_of, shift_clock
from support.my_tax import RunningTax, fiscal_rows, issue_all, issue_due, issuer_of, running_tax
from support.payments import asks_refund, differences_of, pays, people, stars, told, told_refund

WHO = {"operator": "olga", "reason": "because"}


async def red(pool: Pool) -> set[str]:
    async with pool.acquire() as connection:
        return {one.name for one in await violations(connection)}


async def an_issued_receipt(pool: Pool, tax: RunningTax) -> int:
    await people(pool)
    received = await pays(pool, paid_at=await pool.fetchval("SELECT photomat_now()"))
    await issue_all(issuer_of(pool, tax.client))
    return received.payment_id


@pytest.mark.breaks_invariants
async def test_a_double_at_the_tax_service_turns_the_audit_red_until_it_is_annulled(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await an_issued_receipt(pool, tax)
        (first,) = tax.incomes
        double = tax.world.register(
            IncomeRequest(
                name=first.name,
                amount=Decimal(first.amount),
                operation_at=datetime.fromisoformat(first.operation_time),
            )
        )
        now = await pool.fetchval("SELECT photomat_now()")
        assert await compare(pool, tax.client, now=now)
        assert await red(pool) == {"one-live-fiscal-receipt"}
        assert [one[0] for one in await differences_of(pool)] == ["fiscal-document-double"]
        tax.world.cancel(double.uuid, "Чек сформирован ошибочно")
        assert await compare(pool, tax.client, now=now)
        assert await red(pool) == set()
        assert await differences_of(pool) == []


@pytest.mark.breaks_invariants
async def test_two_annulments_and_a_refund_without_one_turn_the_audit_red(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        payment_id = await an_issued_receipt(pool, tax)
        await asks_refund(pool, payment_id, by_hand=True)
        await shift_clock(pool, 3 * 86400)
        assert await red(pool) == {"refund-annuls-its-fiscal-receipt"}
        await issue_all(issuer_of(pool, tax.client))
        assert await red(pool) == set()
        await pool.execute(
            "ALTER TABLE fiscal_receipts DROP CONSTRAINT fiscal_receipts_one_annulment_a_refund,"
            " DROP CONSTRAINT fiscal_receipts_external_once"
        )
        await pool.execute(
            """
            INSERT INTO fiscal_receipts (payment_id, refund_id, kind, round, provider, payment_external_id, user_id, amount,
                                         currency, operation_at, reference, issuer, state, external_id, due_at, closed_at)
            SELECT payment_id, refund_id, kind, 7, provider, payment_external_id, user_id, amount, currency, operation_at,
                   'PM-AGAIN00000', issuer, state, external_id, due_at, closed_at
              FROM fiscal_receipts WHERE kind = 'annulment'
            """
        )
        assert await red(pool) == {"one-fiscal-annulment"}


@pytest.mark.breaks_invariants
async def test_a_payment_of_an_older_program_gets_its_row_from_the_sweep(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        await pays(pool)
        await told_refund(pool, refunded=stars(125))
        await pool.execute("DELETE FROM fiscal_receipts")
        await shift_clock(pool, 7200)
        assert await red(pool) == {"payment-has-its-fiscal-row"}
        assert await want_missing_receipts(pool) == 2
        assert await want_missing_receipts(pool) == 0
        await issue_all(issuer_of(pool, tax.client))
        assert [(one.amount, one.cancelled_at) for one in tax.incomes] == [("100.00", None)]
        await pool.execute("UPDATE fiscal_start SET first_payment = first_payment + 1")
        await pool.execute("DELETE FROM fiscal_receipts")
        assert await red(pool) == set()


async def test_the_comparison_finds_what_was_annulled_by_hand_and_what_is_gone(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await an_issued_receipt(pool, tax)
        (income,) = tax.incomes
        await shift_clock(pool, 3600)
        assert await compare_if_due(pool, tax.client)
        assert not await compare_if_due(pool, tax.client)
        del tax.world.incomes[income.uuid]
        await shift_clock(pool, 90_000)
        assert await compare_if_due(pool, tax.client)
        assert [one[0] for one in await differences_of(pool)] == ["fiscal-document-missing"]
        tax.world.incomes[income.uuid] = income
        tax.world.cancel(income.uuid, "Чек сформирован ошибочно")
        await shift_clock(pool, 90_000)
        assert await compare_if_due(pool, tax.client)
        assert [one[0] for one in await differences_of(pool)] == ["fiscal-document-annulled"]
        assert [row[2] for row in await fiscal_rows(pool)] == ["annulled"]


async def test_an_operator_issues_what_has_none_settles_by_hand_and_calls_off(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        for number in range(3):
            await pays(pool, external_id=f"ch-{number}")
        await issue_all(issuer_of(pool, None))
        assert (await count_open_fiscal(pool))["without"] == 3
        assert len(await list_fiscal(pool, FiscalFilter(state="without", kind="income"), limit=2)) == 2
        first, second, third = [row["fiscal_id"] for row in await pool.fetch("SELECT fiscal_id FROM fiscal_receipts")]
        assert (await issue_fiscal(pool, first, **WHO)).done
        assert not (await issue_fiscal(pool, first, **WHO)).done
        await issue_due(issuer_of(pool, tax.client))
        assert not (await settle_fiscal(pool, second, number=None, url=None, **WHO)).done
        assert not (await settle_fiscal(pool, second, number="77", url="javascript:alert(1)", **WHO)).done
        assert (await settle_fiscal(pool, second, number="77", url="https://tax.example/77", **WHO)).done
        assert not (await settle_fiscal(pool, third, number="77", url=None, **WHO)).done
        assert (await drop_fiscal(pool, third, **WHO)).done
        assert not (await drop_fiscal(pool, first, **WHO)).done
        assert not (await retry_fiscal(pool, third, **WHO)).done
        assert [row[2] for row in await fiscal_rows(pool)] == ["issued", "issued", "unneeded"]
        assert (await told(pool)).count("fiscal-notice-issued") == 2
        done = [row["done"] for row in await pool.fetch("SELECT done FROM operator_journal ORDER BY entry_id")]
        assert done == [True, False, False, False, True, False, True, False, False]


async def test_a_receipt_issued_by_hand_is_annulled_by_hand(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        received = await pays(pool)
        await issue_all(issuer_of(pool, None))
        fiscal_id = await pool.fetchval("SELECT fiscal_id FROM fiscal_receipts")
        await settle_fiscal(pool, fiscal_id, number="77", url="https://tax.example/77", **WHO)
        await told_refund(pool, refunded=stars(125))
        await issue_all(issuer_of(pool, tax.client))
        assert (await fiscal_rows(pool))[-1] == ("annulment", 0, "blocked", 10_000)
        assert (await settle_fiscal(pool, fiscal_id + 1, number=None, url=None, **WHO)).done
        await issue_all(issuer_of(pool, tax.client))
        assert [(row[1], row[2]) for row in await fiscal_rows(pool) if row[0] == "income"] == [
            (0, "annulled"),
            (1, "issued"),
        ]
        assert [one.amount for one in tax.incomes] == ["100.00"]
        assert received.is_new


async def test_a_process_that_lost_its_claim_records_the_document_and_not_the_row(database: str) -> None:
    async with pool_of(database) as pool, running_tax() as tax:
        await people(pool)
        await pays(pool)
        issuer = issuer_of(pool, tax.client)
        (held,) = await issuer.claim(1)
        async with transaction(pool) as tx:
            await tx.execute("UPDATE fiscal_receipts SET fence = fence + 1")
        await issuer.issue(held)
        assert tax.incomes == []
        assert [row[2] for row in await fiscal_rows(pool)] == ["wanted"]
