"""Two decide at once: one decision, one credit, and everybody learns which. By the verbs themselves and by the terminal."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from photomat.db.pool import Pool, transaction
from photomat.kernel.ids import BotId, ChatId, UserId
from photomat.operators.money import approve_receipt, decline_receipt, refund_payment
from photomat.payments.receipt import Receipt, ReceiptFile
from photomat.payments.topup import open_topup
from photomat.payments.transfers import Decision, DecisionResult, submit_receipt
from support.books import names
from support.command import photomat
from support.database import pool_of
from support.money import make_user, rub
from support.updates import BOT_ID

ANNA, BORIS = UserId(101), UserId(102)
MOST = rub(1_000_000)
AT_ONCE = 8
ATTEMPTS = 5


@asynccontextmanager
async def customers(database: str) -> AsyncIterator[Pool]:
    async with pool_of(database, size=AT_ONCE) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA)
            await make_user(tx, BORIS)
        yield pool


async def sent(
    pool: Pool, number: int, *, user_id: UserId = ANNA, unique_id: str = "", amount: int = 50_000
) -> Receipt:
    topup = await open_topup(
        pool,
        origin=f"test:{number}",
        bot_id=BotId(BOT_ID),
        user_id=user_id,
        method="transfer",
        asked=rub(amount),
        credit=rub(amount),
    )
    file = ReceiptFile(kind="photo", file_id=f"file-{number}", unique_id=unique_id or f"u{number}", sha256=None)
    async with transaction(pool) as tx:
        receipt = await submit_receipt(
            tx,
            origin=f"test:{number}",
            topup=topup,
            bot_id=BotId(BOT_ID),
            file=file,
            note="",
            details="",
            operators=[ChatId(9001)],
        )
    assert receipt is not None
    return receipt


async def approve(pool: Pool, receipt: Receipt, operator: str, *, minor: int | None = None) -> DecisionResult:
    return await approve_receipt(pool, receipt.receipt_id, operator=operator, most=MOST, minor=minor)


async def rulings(*attempts: Awaitable[DecisionResult]) -> list[str]:
    return sorted(ruled.decision for ruled in await asyncio.gather(*attempts))


async def credited(pool: Pool, user_id: UserId = ANNA) -> int:
    return int(await pool.fetchval("SELECT posted FROM wallets WHERE user_id = $1", user_id))


async def test_many_operators_approve_at_once_and_one_credit_is_made(database: str) -> None:
    async with customers(database) as pool:
        for attempt in range(1, ATTEMPTS + 1):
            receipt = await sent(pool, attempt)
            found = await rulings(*(approve(pool, receipt, f"operator {one}") for one in range(AT_ONCE)))
            assert found == [Decision.APPROVED] + [Decision.DECIDED_BEFORE] * (AT_ONCE - 1)
            assert await credited(pool) == 50_000 * attempt
        assert await pool.fetchval("SELECT count(*) FROM operator_journal WHERE done") == ATTEMPTS
        assert await pool.fetchval("SELECT count(*) FROM operator_journal") == ATTEMPTS * AT_ONCE
        assert await pool.fetchval("SELECT count(*) FROM differences") == 0


async def test_with_different_sums_at_once_one_of_them_is_credited(database: str) -> None:
    async with customers(database) as pool:
        receipt = await sent(pool, 1)
        sums = range(10_000, 10_000 + AT_ONCE)
        found = await rulings(*(approve(pool, receipt, "operator", minor=minor) for minor in sums))
        assert found.count(Decision.APPROVED) == 1
        assert await credited(pool) == await pool.fetchval("SELECT credited FROM receipts")


async def test_approving_and_declining_at_once_ends_in_one_of_them(database: str) -> None:
    async with customers(database) as pool:
        for attempt in range(1, ATTEMPTS + 1):
            receipt, before = await sent(pool, attempt), await credited(pool)
            found = await rulings(
                approve(pool, receipt, "one"),
                decline_receipt(pool, receipt.receipt_id, operator="two", reason="not-arrived"),
            )
            state = await pool.fetchval("SELECT state FROM receipts WHERE receipt_id = $1", receipt.receipt_id)
            assert found == sorted([state, Decision.DECIDED_BEFORE])
            assert await credited(pool) - before == (50_000 if state == "approved" else 0)


async def test_of_two_receipts_with_one_file_approved_at_once_one_is_credited(database: str) -> None:
    async with customers(database) as pool:
        for attempt in range(1, ATTEMPTS + 1):
            first = await sent(pool, attempt * 10, unique_id=f"same{attempt}")
            second = await sent(pool, attempt * 10 + 1, user_id=BORIS, unique_id=f"same{attempt}")
            assert second.same_file_as == first.receipt_id
            found = await rulings(approve(pool, first, "one"), approve(pool, second, "two"))
            assert found == [Decision.APPROVED, Decision.DUPLICATE_CREDITED]
            waiting: int = await pool.fetchval("SELECT receipt_id FROM receipts WHERE state = 'waiting'")
            await decline_receipt(pool, waiting, operator="one", reason="repeated")


async def test_the_same_file_sent_by_two_at_once_is_flagged_on_one_of_them(database: str) -> None:
    async with customers(database) as pool:
        both = await asyncio.gather(sent(pool, 1, unique_id="same"), sent(pool, 2, user_id=BORIS, unique_id="same"))
        first, second = sorted(both, key=lambda receipt: receipt.receipt_id)
        assert (first.same_file_as, second.same_file_as) == (None, first.receipt_id)


async def test_what_was_declined_stays_declined_and_the_refusal_is_in_the_journal(database: str) -> None:
    async with customers(database) as pool:
        receipt = await sent(pool, 1)
        assert (
            await decline_receipt(pool, receipt.receipt_id, operator="one", reason=" ")
        ).decision is Decision.BAD_REASON
        assert (await decline_receipt(pool, receipt.receipt_id, operator="one", reason="other-sum")).done
        assert (await approve(pool, receipt, "two")).decision is Decision.DECIDED_BEFORE
        assert (await approve_receipt(pool, 999, operator="two", most=MOST)).decision is Decision.NO_SUCH
        assert await credited(pool) == 0
        done = await pool.fetch("SELECT done FROM operator_journal ORDER BY entry_id")
        assert [row["done"] for row in done] == [False, True, False, False]


@pytest.mark.breaks_invariants
async def test_a_sum_changed_by_hand_is_found_by_the_audit(database: str) -> None:
    async with customers(database) as pool, pool.acquire() as connection:
        await sent(pool, 1)
        await approve(pool, await sent(pool, 2), "one")
        assert await names(connection) == set()
        await connection.execute("UPDATE receipts SET amount = amount + 1 WHERE receipt_id = 1")
        assert await names(connection) == {"receipt-is-of-its-offer"}
        await connection.execute("UPDATE receipts SET amount = amount - 1 WHERE receipt_id = 1")
        await connection.execute("UPDATE receipts SET credited = credited + 1 WHERE receipt_id = 2")
        assert await names(connection) == {"approved-receipt-is-paid"}


async def test_the_terminal_decides_by_the_same_verbs(database: str, tmp_path: Path) -> None:
    async with customers(database) as pool:
        await sent(pool, 1)
        await sent(pool, 2, unique_id="u1")

    def run(*arguments: str) -> tuple[int, Any]:
        ended = photomat("receipts", *arguments, "--json", folder=tmp_path, DATABASE_URL=database)
        return ended.returncode, json.loads(ended.stdout)

    code, listed = run("list")
    assert code == 0
    assert [(one["receipt_id"], one["code"], one["same_file_as"]) for one in listed] == [
        (1, "P-1", None),
        (2, "P-2", 1),
    ]
    assert [one["receipt_id"] for one in run("show", "2")[1]["alike"]] == [1]
    assert run("approve", "1", "--amount", "450", "--operator", "Пётр")[0] == 0
    code, refused = run("approve", "2")
    assert (code, refused["ruling"]) == (1, "twin-credited")
    assert run("decline", "2", "--reason", "repeated")[0] == 0
    async with pool_of(database) as pool:
        assert await credited(pool) == 45_000
        decided = await pool.fetch("SELECT state, decided_by = 'Пётр' AS by_peter FROM receipts ORDER BY receipt_id")
        assert [tuple(row) for row in decided] == [("approved", True), ("declined", False)]


async def test_a_mistaken_approval_is_taken_back_as_a_refund_by_hand(database: str) -> None:
    async with customers(database) as pool:
        await approve(pool, await sent(pool, 1), "one")
        payment_id: int = await pool.fetchval("SELECT payment_id FROM payments")
        taken = await refund_payment(pool, payment_id, owing=True, by_hand=True, operator="one", reason="a mistake")
        assert taken.done, taken.sentence
        assert await credited(pool) == 0


async def test_the_receipt_of_a_transfer_is_found_by_an_index(database: str) -> None:
    async with customers(database) as pool, transaction(pool) as tx:
        await tx.execute("SET LOCAL enable_seqscan = off")
        plan = await tx.fetch("EXPLAIN SELECT 1 FROM receipts WHERE topup_id = 1 AND state <> 'declined'")
    assert "Index Cond: (topup_id = 1)" in "\n".join(row[0] for row in plan)
