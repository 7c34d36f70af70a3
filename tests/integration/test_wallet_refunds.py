"""Money that goes out, back and across: once per reference, never more than there was, and what is missing is owed."""

import asyncpg
import pytest

from photomat.db.pool import Pool, transaction
from photomat.kernel.errors import Corrupt, NotEnough, Rejected
from photomat.kernel.ids import JobId, UserId
from photomat.rewards import gifts
from photomat.wallet import ledger, refunds
from support.database import pool_of
from support.money import buy, give_back, make_user, rub, sell

ANNA, BORIS = UserId(42), UserId(43)


async def sums(pool: Pool, user: UserId = ANNA) -> tuple[int, int, int]:
    """Posted, held, owed."""
    async with transaction(pool) as tx:
        wallet = await ledger.balance(tx, user_id=user)
    return wallet.posted.minor, wallet.held.minor, wallet.owed.minor


async def lines_of(pool: Pool, reference: str) -> list[tuple[str, int | None, int]]:
    rows = await pool.fetch(
        """
        SELECT account, user_id, amount FROM entries JOIN ledger_transactions USING (transaction_id)
         WHERE reference = $1 ORDER BY line
        """,
        reference,
    )
    return [tuple(row) for row in rows]


async def a_sold_job(pool: Pool, *, price: int = 64, balance: int = 100) -> JobId:
    async with transaction(pool) as tx:
        await make_user(tx, ANNA, balance=balance)
        job = await buy(tx, ANNA, price=price)
        await sell(tx, job)
    return job


async def test_an_operator_debits_the_last_kopeck_and_not_one_more(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            await buy(tx, ANNA, price=30)
        async with transaction(pool) as tx:
            with pytest.raises(NotEnough) as refusal:
                await ledger.debit(tx, user_id=ANNA, amount=rub(71), reference="d", reason="operator")
        assert refusal.value.facts == {"price": rub(71), "available": rub(70)}
        for is_new in (True, False):
            async with transaction(pool) as tx:
                assert await ledger.debit(tx, user_id=ANNA, amount=rub(70), reference="d", reason="operator") is is_new
        assert await sums(pool) == (30, 30, 0)
        assert await lines_of(pool, "d") == [("wallet", ANNA, -70), ("operator", None, 70)]


async def test_a_payment_taken_back_takes_what_is_there_and_the_rest_is_owed(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA)
            await ledger.credit(tx, user_id=ANNA, amount=rub(100), reference="stars:1", reason="operator")
            await sell(tx, await buy(tx, ANNA, price=60))
            await buy(tx, ANNA, price=10)
        for is_new in (True, False):
            async with transaction(pool) as tx:
                taken = await refunds.take_back(
                    tx, user_id=ANNA, amount=rub(100), reference="stars-refund:1", of="stars:1"
                )
            assert (taken.from_wallet, taken.as_debt, taken.is_new) == (rub(30), rub(70), is_new)
        assert await sums(pool) == (10, 10, 70)
        assert await lines_of(pool, "stars-refund:1") == [
            ("wallet", ANNA, -30),
            ("debt", ANNA, -70),
            ("topup", None, 100),
        ]


async def test_a_payment_is_not_taken_back_twice(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA)
            await ledger.credit(tx, user_id=ANNA, amount=rub(100), reference="stars:1", reason="operator")
            await refunds.take_back(tx, user_id=ANNA, amount=rub(70), reference="back:1", of="stars:1")
        async with transaction(pool) as tx:
            with pytest.raises(Rejected) as refusal:
                await refunds.take_back(tx, user_id=ANNA, amount=rub(31), reference="back:2", of="stars:1")
        assert refusal.value.facts["rest"] == rub(30)
        async with transaction(pool) as tx:
            await refunds.take_back(tx, user_id=ANNA, amount=rub(30), reference="back:2", of="stars:1")
        assert await sums(pool) == (0, 0, 0)


@pytest.mark.parametrize("of", ["nothing", "welcome:43", "job:1", "back:1"])
async def test_only_a_credit_of_this_user_can_be_taken_back(database: str, of: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            await make_user(tx, BORIS, balance=100)
            job = await buy(tx, ANNA, price=10)
            await sell(tx, job)
            await refunds.take_back(tx, user_id=ANNA, amount=rub(5), reference="back:1", of="welcome:42")
        named = f"job:{job}" if of == "job:1" else of
        with pytest.raises(Corrupt, match="is not a credit of user 42"):
            async with transaction(pool) as tx:
                await refunds.take_back(tx, user_id=ANNA, amount=rub(1), reference="b", of=named)


async def test_money_that_comes_in_pays_the_debt_first(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA)
            await refunds.take_back(tx, user_id=ANNA, amount=rub(70), reference="bank:1")
            await ledger.credit(tx, user_id=ANNA, amount=rub(50), reference="stars:1", reason="operator")
            assert (await ledger.balance(tx, user_id=ANNA)).available == rub(0)
            await ledger.credit(tx, user_id=ANNA, amount=rub(50), reference="stars:2", reason="operator")
        assert await lines_of(pool, "stars:1") == [("debt", ANNA, 50), ("operator", None, -50)]
        assert await lines_of(pool, "stars:2") == [("wallet", ANNA, 30), ("debt", ANNA, 20), ("operator", None, -50)]
        assert await sums(pool) == (30, 0, 0)
        async with transaction(pool) as tx:
            assert not await ledger.credit(tx, user_id=ANNA, amount=rub(50), reference="stars:2", reason="operator")


async def test_money_of_a_failed_picture_pays_the_debt_of_its_customer(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=100)
            job = await buy(tx, ANNA, price=100)
            await refunds.take_back(tx, user_id=ANNA, amount=rub(70), reference="bank:1")
        assert await sums(pool) == (100, 100, 70)
        async with transaction(pool) as tx:
            await give_back(tx, job)
            assert await ledger.release(tx, reference=f"job:{job}") is False
        assert await sums(pool) == (30, 0, 0)
        assert await lines_of(pool, f"debt:job:{job}") == [("wallet", ANNA, -70), ("debt", ANNA, 70)]


async def test_a_charge_is_refunded_in_parts_and_never_beyond_itself(database: str) -> None:
    async with pool_of(database) as pool:
        job = await a_sold_job(pool)
        async with transaction(pool) as tx:
            await refunds.refund_charge(tx, job_id=job, amount=rub(24), reference="r:1")
            with pytest.raises(Rejected, match="gives-back-too-much"):
                await refunds.refund_charge(tx, job_id=job, amount=rub(41), reference="r:2")
            rest = await refunds.refund_charge(tx, job_id=job, reference="r:2")
            assert (rest.amount, rest.is_new) == (rub(40), True)
            again = await refunds.refund_charge(tx, job_id=job, reference="r:2")
            assert (again.amount, again.is_new) == (rub(40), False)
            with pytest.raises(Rejected, match="gives-back-too-much"):
                await refunds.refund_charge(tx, job_id=job, reference="r:3")
        assert await sums(pool) == (100, 0, 0)
        assert await lines_of(pool, "r:1") == [("wallet", ANNA, 24), ("income", None, -24)]


async def test_a_refund_pays_the_debt_first_and_a_job_never_charged_has_none(database: str) -> None:
    async with pool_of(database) as pool:
        job = await a_sold_job(pool, price=64, balance=64)
        async with transaction(pool) as tx:
            await refunds.take_back(tx, user_id=ANNA, amount=rub(50), reference="bank:1")
            await refunds.refund_charge(tx, job_id=job, reference="r:1", reason="undelivered")
            with pytest.raises(Rejected, match="not-charged"):
                await refunds.refund_charge(tx, job_id=JobId(job + 1), reference="r:2")
        assert await sums(pool) == (14, 0, 0)


async def test_a_reference_cannot_mean_another_refund(database: str) -> None:
    async with pool_of(database) as pool:
        job = await a_sold_job(pool)
        async with transaction(pool) as tx:
            await refunds.refund_charge(tx, job_id=job, amount=rub(24), reference="r:1")
        for amount, reason in ((rub(25), "refund"), (rub(24), "undelivered")):
            with pytest.raises(Corrupt, match="other parameters"):
                async with transaction(pool) as tx:
                    await refunds.refund_charge(
                        tx,
                        job_id=job,
                        amount=amount,
                        reference="r:1",
                        reason=reason,  # type: ignore[arg-type]  # from the list above
                    )


async def test_a_gift_moves_once_and_pays_the_friends_debt(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, ANNA, balance=1000)
            await make_user(tx, BORIS)
            await refunds.take_back(tx, user_id=BORIS, amount=rub(200), reference="bank:1")
        for _ in range(2):
            async with transaction(pool) as tx:
                gift = await gifts.give(tx, giver_id=ANNA, amount=rub(600), origin="first")
                assert (await gifts.take(tx, code=gift.code, taker_id=ANNA)) == gift, "nobody gives to themselves"
        with pytest.raises(NotEnough):
            async with transaction(pool) as tx:
                await gifts.give(tx, giver_id=ANNA, amount=rub(401), origin="second")
        for just_taken in (True, False):
            async with transaction(pool) as tx:
                taken = await gifts.take(tx, code=gift.code, taker_id=BORIS)
                assert taken is not None
                assert taken.just_taken is just_taken
        assert await sums(pool) == (400, 0, 0)
        assert await sums(pool, BORIS) == (400, 0, 0)
        out, into = f"gift-out:{gift.gift_id}", f"gift-in:{gift.gift_id}"
        assert await lines_of(pool, out) == [("wallet", ANNA, -600), ("gift", None, 600)]
        assert await lines_of(pool, into) == [("wallet", BORIS, 400), ("debt", BORIS, 200), ("gift", None, -600)]


async def test_a_corrected_credit_is_owed_by_the_user_who_spent_it(database: str) -> None:
    async with pool_of(database) as pool:
        async with transaction(pool) as tx:
            await make_user(tx, BORIS)
            await ledger.credit(tx, user_id=BORIS, amount=rub(60), reference="credit:1", reason="operator")
            await sell(tx, await buy(tx, BORIS, price=50))
        for is_new in (True, False):
            async with transaction(pool) as tx:
                assert await refunds.correct(tx, of="credit:1", reference="c:1") is is_new
        assert await sums(pool, BORIS) == (0, 0, 50)
        for of, reference in (("credit:1", "c:2"), ("c:1", "c:3"), ("nothing", "c:4")):
            async with transaction(pool) as tx:
                with pytest.raises(Rejected):
                    await refunds.correct(tx, of=of, reference=reference)


async def test_a_charge_is_refunded_and_not_corrected(database: str) -> None:
    async with pool_of(database) as pool:
        job = await a_sold_job(pool)
        async with transaction(pool) as tx:
            with pytest.raises(Rejected, match="cannot-be-corrected"):
                await refunds.correct(tx, of=f"job:{job}", reference="c:1")
            await refunds.take_back(tx, user_id=ANNA, amount=rub(5), reference="b:1", of="welcome:42")
            with pytest.raises(Rejected, match="cannot-be-corrected"):
                await refunds.correct(tx, of="welcome:42", reference="c:2")


@pytest.mark.parametrize(
    ("lines", "column"),
    [
        ("('wallet', 42, 65), ('income', NULL, -65)", "refunds"),
        ("('wallet', 42, -1), ('income', NULL, 1)", "refunds"),
        ("('wallet', 43, 64), ('income', NULL, -64)", "refunds"),
        ("('wallet', 42, 65), ('income', NULL, -65)", "reverses"),
    ],
    ids=["more", "the wrong way", "to another", "a correction of more"],
)
async def test_the_database_itself_refuses_to_give_back_what_was_not_taken(
    database: str, lines: str, column: str
) -> None:
    async with pool_of(database) as pool:
        job = await a_sold_job(pool)
        async with transaction(pool) as tx:
            await make_user(tx, BORIS)
        reason = "refund" if column == "refunds" else "correction"
        with pytest.raises(asyncpg.CheckViolationError) as refusal:
            async with transaction(pool) as tx:
                await tx.execute(
                    f"""
                    WITH booked AS (
                        INSERT INTO ledger_transactions (reference, reason, digest, {column})
                        SELECT 'by hand', '{reason}', sha256(''), transaction_id
                          FROM ledger_transactions WHERE reference = 'job:{job}'
                        RETURNING transaction_id)
                    INSERT INTO entries (transaction_id, line, account, user_id, currency, amount)
                    SELECT transaction_id, row_number() OVER (), account, user_id, 'RUB', amount
                      FROM booked, (VALUES {lines}) AS lines (account, user_id, amount)
                    """  # noqa: S608  from the list above
                )
        assert refusal.value.constraint_name == "ledger_transactions_give_back"
