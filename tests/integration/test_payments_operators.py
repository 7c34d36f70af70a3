"""Payments from the terminal and by the operators' verbs: what they do, what they refuse, and what the journal keeps."""

from pathlib import Path

import pytest

from photomat.kernel.errors import Rejected
from photomat.operators import money
from photomat.operators.actions import journal_of_user
from photomat.operators.money import refund_payment
from support.command import answer, photomat
from support.database import pool_of
from support.jobs import PRICE, a_done_job
from support.money import rub
from support.payments import (
    ANNA,
    Answers,
    asks_refund,
    pays,
    people,
    refund_all,
    refunds_of,
    spends,
    told,
    wallet_of,
)

NBSP = "\N{NO-BREAK SPACE}"
BY = {"operator": "olga", "reason": "ticket 7"}


async def test_a_refund_is_wanted_once_and_in_the_journal_twice(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        payment = await pays(pool)
        first = await refund_payment(pool, payment.payment_id, owing=False, by_hand=False, **BY)
        again = await refund_payment(pool, payment.payment_id, owing=False, by_hand=False, **BY)
        assert (first.done, again.done) == (True, True)
        assert "stars is asked to give it back" in first.sentence
        assert "went back before" in again.sentence
        assert len(await refunds_of(pool)) == 1
        acts = await journal_of_user(pool, ANNA)
        assert [(act.action, act.operator, act.reason, act.reference, act.done) for act in acts] == [
            ("refund payment", "olga", "ticket 7", "payment:stars:ch-1", True)
        ] * 2


async def test_spent_money_is_refused_in_words_unless_it_may_be_owed(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        payment = await pays(pool)
        await spends(pool, 5_000)
        refused = await refund_payment(pool, payment.payment_id, owing=False, by_hand=False, **BY)
        assert not refused.done
        assert f"Only {rub(15_000)} of {rub(20_000)} is left" in refused.sentence
        assert await wallet_of(pool) == (15_000, 0, 0)
        (act,) = await journal_of_user(pool, ANNA)
        assert not act.done
        owed = await refund_payment(pool, payment.payment_id, owing=True, by_hand=False, **BY)
        assert f"{rub(5_000)} is owed now" in owed.sentence
        assert await wallet_of(pool) == (0, 0, 5_000)


@pytest.mark.parametrize("provider", ["transfer", "cryptopay"])
async def test_what_only_a_person_can_give_back_is_said_first(database: str, provider: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        number = 0
        if provider == "transfer":
            number = await pool.fetchval(
                """
                WITH offered AS (
                    INSERT INTO topups (origin, bot_id, user_id, way, asked_amount, asked_currency, credit, currency, state,
                                        closed_at, expires_at)
                    VALUES ('o', 1, $1, 'transfer', 500, 'RUB', 500, 'RUB', 'open', NULL, photomat_now())
                    RETURNING topup_id)
                INSERT INTO receipts (origin, topup_id, user_id, bot_id, amount, currency, file_kind, file_id,
                                      file_unique_id, state, decided_at, decided_by, credited)
                SELECT 'r', topup_id, $1, 1, 500, 'RUB', 'photo', 'f', 'u', 'approved', photomat_now(), 'olga', 500
                  FROM offered
                RETURNING topup_id
                """,
                ANNA,
            )
        facts = {"provider": provider, "external_id": "receipt:1", "paid": rub(500), "worth": rub(500)}
        payment = await pays(pool, topup_id=number or None, **facts)
        refused = await refund_payment(pool, payment.payment_id, owing=False, by_hand=False, **BY)
        assert not refused.done
        assert "--by-hand" in refused.sentence
        assert await wallet_of(pool) == (500, 0, 0)
        done = await refund_payment(pool, payment.payment_id, owing=False, by_hand=True, **BY)
        assert done.done
        assert [state for *_, state in await refunds_of(pool)] == ["done"]


async def test_an_unknown_payment_is_refused_in_words(database: str) -> None:
    async with pool_of(database) as pool:
        refused = await refund_payment(pool, 9, owing=False, by_hand=False, **BY)
        assert (refused.done, "no such payment" in refused.sentence) == (False, True)


async def test_a_payment_its_refund_and_what_was_put_back_are_not_turned_round(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        payment = await pays(pool)
        await asks_refund(pool, payment.payment_id)
        await refund_all(pool, Answers(troubles=[Rejected("no")]).give_back)
        for reference in ("payment:stars:ch-1", "refund:stars:ch-1:0", "refund:stars:ch-1:0:refused"):
            refused = await money.correct_move(pool, reference, **BY)
            assert (refused.done, "payments refund" in refused.sentence) == (False, True)


async def test_a_refunded_job_is_told_to_its_customer_once_without_the_operators_reason(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool, balance=1_000)
        job_id = await a_done_job(pool, ANNA)
        for _ in range(2):
            assert (await money.refund_job(pool, job_id, None, reference=f"refund:{job_id}", **BY)).done
        assert await wallet_of(pool) == (1_000, 0, 0)
        assert await told(pool) == ["job-refunded"]
        facts = await pool.fetchval("SELECT facts FROM notices")
        assert facts == {"amount": {"minor": PRICE, "currency": "RUB"}}
        tags = await pool.fetch("SELECT detail FROM job_events WHERE job_id = $1 AND tag = 'refunded'", job_id)
        assert [row["detail"] for row in tags] == [{"by": "olga", "amount": PRICE}]


async def test_the_terminal_lists_shows_and_refunds_payments(database: str, tmp_path: Path) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        first = (await pays(pool)).payment_id
        await pays(pool, external_id="ch-2")
        await pays(pool, external_id="bill-1", provider="yookassa", paid=rub(300), worth=rub(300))

    def listed(*options: str) -> list[str]:
        found = answer("payments", "list", *options, folder=tmp_path, database=database)
        return [one["external_id"] for one in found]

    assert listed() == ["bill-1", "ch-2", "ch-1"]
    assert listed("--provider", "stars", "--user", str(ANNA), "--since", "1", "--limit", "1") == ["ch-2"]
    assert listed("--user", "43") == []
    refund = ("payments", "refund", str(first), "--reason", "ticket 7", "--operator", "olga")
    assert answer(*refund, folder=tmp_path, database=database)["done"]
    shown = photomat("payments", "show", str(first), folder=tmp_path, DATABASE_URL=database).stdout
    assert "asked for by olga, is on its way after 0 tries" in shown
    assert answer("payments", "show", str(first), folder=tmp_path, database=database)["refunds"][0]["state"] == "wanted"
    assert f"paid 250{NBSP}⭐ by stars" in shown
    moves = photomat("wallet", "show", str(ANNA), folder=tmp_path, DATABASE_URL=database, COLUMNS="240").stdout
    assert "payment:stars:ch-1" in moves
    wallet = answer("wallet", "show", str(ANNA), folder=tmp_path, database=database)
    assert len(wallet["payments"]) == 3
    missing = photomat("payments", "refund", "99", "--reason", "x", folder=tmp_path, DATABASE_URL=database)
    assert (missing.returncode, "no such payment" in missing.stdout) == (1, True)
