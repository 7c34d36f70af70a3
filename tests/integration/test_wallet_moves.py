"""What each verb of the ledger does, alone: once, never below zero, and refusing what would be a mistake of ours."""

import pytest

from photomat.db.pool import Pool, Transaction, transaction
from photomat.kernel.errors import Corrupt, NotEnough
from photomat.kernel.ids import JobId, UserId
from photomat.kernel.money import Money
from photomat.payments.statement import statement
from photomat.wallet import ledger, refunds
from support.database import pool_of
from support.money import accept_offer, buy, give_back, make_job, make_user, mark, rub, sell

ANNA = UserId(42)


async def sums(pool: Pool, user: UserId = ANNA) -> tuple[int, int, int]:
    async with transaction(pool) as tx:
        wallet = await ledger.balance(tx, user_id=user)
    return wallet.posted.minor, wallet.held.minor, wallet.available.minor


async def test_a_picture_is_held_then_charged(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            job = await buy(tx, ANNA, price=64)
        assert await sums(pool) == (100, 64, 36)
        async with transaction(pool) as tx:
            assert await sell(tx, job) is True
        assert await sums(pool) == (36, 0, 36)


async def test_a_user_whose_id_is_zero_has_books_the_audit_accepts(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, UserId(0), balance=100)
        assert await sums(pool, UserId(0)) == (100, 0, 100)


async def test_a_failed_picture_gives_the_money_back(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            job = await buy(tx, ANNA, price=64)
            assert await give_back(tx, job) is True
        assert await sums(pool) == (100, 0, 100)


async def test_every_move_repeated_changes_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=200)
            sold, failed = await buy(tx, ANNA, price=64), await buy(tx, ANNA, price=64)
            await ledger.hold(tx, user_id=ANNA, amount=rub(64), reference=f"job:{sold}", job_id=sold)
        assert await sums(pool) == (200, 128, 72)
        async with transaction(pool) as tx:
            assert await sell(tx, sold) is True
            assert await give_back(tx, failed) is True
        for _ in range(2):
            async with transaction(pool) as tx:
                again = "welcome:42"
                assert not await ledger.credit(tx, user_id=ANNA, amount=rub(200), reference=again, reason="welcome")
                await ledger.hold(tx, user_id=ANNA, amount=rub(64), reference=f"job:{sold}", job_id=sold)
                assert await ledger.charge(tx, reference=f"job:{sold}") is False
                assert await ledger.release(tx, reference=f"job:{failed}") is False
            assert await sums(pool) == (136, 0, 136)


async def test_the_last_kopeck_can_be_held_and_not_one_more(database: str) -> None:
    async with pool_of(database) as pool, transaction(pool) as tx:
        await make_user(tx, ANNA, balance=64)
        job = await make_job(tx, ANNA, price=65)
        with pytest.raises(NotEnough) as refusal:
            await ledger.hold(tx, user_id=ANNA, amount=rub(65), reference=f"job:{job}", job_id=job)
        assert refusal.value.text_key == "not-enough"
        assert refusal.value.facts == {"price": rub(65), "available": rub(64)}
        await mark(tx, job, "failed")
        await tx.execute("UPDATE generation_jobs SET price = 0 WHERE job_id = $1", job)
        await buy(tx, ANNA, price=64)


async def test_a_refused_hold_writes_nothing_even_if_the_transaction_commits(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=10)
        async with transaction(pool) as tx:
            with pytest.raises(NotEnough):
                await ledger.hold(tx, user_id=ANNA, amount=rub(64), reference="job:1", job_id=JobId(1))
        assert await sums(pool) == (10, 0, 10)
        async with transaction(pool) as tx:
            assert await tx.fetchval("SELECT count(*) FROM holds") == 0


async def test_who_owes_cannot_hold_until_the_debt_is_gone(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            await owe(tx, paid_back=100, owed=70)
        async with transaction(pool) as tx:
            with pytest.raises(NotEnough) as refusal:
                await ledger.hold(tx, user_id=ANNA, amount=rub(1), reference="job:1", job_id=JobId(1))
        assert refusal.value.facts == {"price": rub(1), "available": rub(0)}
        assert await sums(pool) == (0, 0, 0)


async def owe(tx: Transaction, *, paid_back: int, owed: int) -> None:
    """A payment taken back by the bank: part of it was still in the wallet, the rest is debt."""
    taken = await refunds.take_back(tx, user_id=ANNA, amount=rub(paid_back + owed), reference="bank:1")
    assert (taken.from_wallet, taken.as_debt) == (rub(paid_back), rub(owed))


@pytest.mark.parametrize(
    ("amount", "reason", "complaint"),
    [
        (Money(101, "RUB"), "welcome", "other parameters"),
        (Money(100, "RUB"), "topup", "other parameters"),
        (Money(100, "USD"), "welcome", "does not fit the RUB wallet"),
        (Money(0, "RUB"), "welcome", "not an amount"),
        (Money(-100, "RUB"), "welcome", "not an amount"),
    ],
)
async def test_a_reference_cannot_mean_another_credit(
    database: str, amount: Money, reason: str, complaint: str
) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
        with pytest.raises(Corrupt, match=complaint):
            async with transaction(pool) as tx:
                await ledger.credit(
                    tx,
                    user_id=ANNA,
                    amount=amount,
                    reference="welcome:42",
                    reason=reason,  # type: ignore[arg-type]  # the wrong ones are the point
                )
        assert await sums(pool) == (100, 0, 100)


async def test_a_reference_cannot_mean_another_hold(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            await make_user(tx, 43, balance=100)
            job = await buy(tx, ANNA, price=10)
        for user, amount, other_job in ((ANNA, 11, job), (UserId(43), 10, job), (ANNA, 10, JobId(job + 1))):
            with pytest.raises(Corrupt, match="already"):
                async with transaction(pool) as tx:
                    await ledger.hold(tx, user_id=user, amount=rub(amount), reference=f"job:{job}", job_id=other_job)
        assert await sums(pool) == (100, 10, 90)


async def test_a_closed_hold_cannot_end_the_other_way(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=200)
            sold, failed = await buy(tx, ANNA, price=64), await buy(tx, ANNA, price=64)
            await sell(tx, sold)
            await give_back(tx, failed)
        with pytest.raises(Corrupt, match="cannot end as release: it ended as charge"):
            async with transaction(pool) as tx:
                await ledger.release(tx, reference=f"job:{sold}")
        with pytest.raises(Corrupt, match="cannot end as charge: it ended as release"):
            async with transaction(pool) as tx:
                await ledger.charge(tx, reference=f"job:{failed}")
        assert await sums(pool) == (136, 0, 136)


async def test_there_is_nothing_to_charge_without_a_hold_and_nothing_to_move_without_a_wallet(database: str) -> None:
    async with pool_of(database) as pool, transaction(pool) as tx:
        with pytest.raises(Corrupt, match="no hold job:1"):
            await ledger.charge(tx, reference="job:1")
        with pytest.raises(Corrupt, match="no hold job:1"):
            await ledger.release(tx, reference="job:1")
        with pytest.raises(Corrupt, match="user 42 has no wallet"):
            await ledger.credit(tx, user_id=ANNA, amount=rub(1), reference="r", reason="operator")
        with pytest.raises(Corrupt, match="user 42 has no wallet"):
            await ledger.balance(tx, user_id=ANNA)


async def test_an_accepted_offer_is_paid_with_a_hold_of_its_own(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            job = await buy(tx, ANNA, price=64)
            await give_back(tx, job, "canceled")
        async with transaction(pool) as tx:
            assert await accept_offer(tx, ANNA, job, price=64) is True
        assert await sums(pool) == (36, 0, 36)


async def test_the_statement_tells_the_last_moves_newest_first_with_the_balance_after_each(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            await make_user(tx, 43, balance=999)
            job = await buy(tx, ANNA, price=64)
            await sell(tx, job)
            await ledger.credit(tx, user_id=ANNA, amount=rub(500), reference="stars:1", reason="operator")
        async with transaction(pool) as tx:
            moves = await statement(tx, user_id=ANNA)
            assert await statement(tx, user_id=ANNA, limit=1) == moves[:1]
    assert [(move.reason, move.amount.minor, move.balance_after.minor, move.job_id) for move in moves] == [
        ("operator", 500, 536, None),
        ("charge", -64, 36, job),
        ("welcome", 100, 100, None),
    ]
