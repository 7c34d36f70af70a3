"""Money that goes back to a payer: out of the wallet first, once, as debt where it is spent, back again after a no."""

import asyncio

import pytest

from photomat.db.pool import transaction
from photomat.kernel.errors import NotEnough, OutcomeUnknown, Rejected, Transient
from photomat.payments.refunds import LEASE, Refunder, ask_refund
from photomat.wallet import ledger
from support.database import connection_of, pool_of, shift_clock
from support.money import buy, rub
from support.payments import (
    ANNA,
    Answers,
    asks_refund,
    bills,
    offer,
    pays,
    people,
    refund_all,
    refunds_of,
    spends,
    stars,
    told,
    told_refund,
    wallet_of,
)
from support.sessions import until_done_or_blocked

KEY = "refund:stars:ch-1"


async def test_a_payment_goes_back_out_of_the_wallet_first_and_to_the_payer_then(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        payment = await pays(pool)
        refund_id = await asks_refund(pool, payment.payment_id)
        assert await wallet_of(pool) == (0, 0, 0)
        assert await refunds_of(pool) == [(f"{KEY}:0", 20_000, 250, "wanted")]
        assert await told(pool) == ["payment-received"]
        answers = Answers()
        assert await refund_all(pool, answers.give_back) == 1
        ((asked),) = answers.asked
        assert (asked.refund_id, asked.paid, asked.key) == (refund_id, stars(250), f"{KEY}:0")
        assert await refunds_of(pool) == [(f"{KEY}:0", 20_000, 250, "done")]
        assert await told(pool) == ["payment-received", "payment-refunded"]
        await shift_clock(pool, 86_400)
        assert await refund_all(pool, answers.give_back) == 0


async def test_asked_twice_also_at_once_it_goes_back_once(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        payment = await pays(pool)
        await pays(pool, external_id="ch-2")
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(asks_refund(pool, payment.payment_id)) for _ in range(20)]
        assert len({task.result() for task in tasks}) == 1
        await refund_all(pool, Answers().give_back)
        assert await asks_refund(pool, payment.payment_id) == tasks[0].result()
        assert await refunds_of(pool) == [(f"{KEY}:0", 20_000, 250, "done")]
        assert await wallet_of(pool) == (20_000, 0, 0)


async def test_what_is_spent_is_not_given_back_unless_it_may_be_owed(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        payment = await pays(pool)
        await spends(pool, 1)
        with pytest.raises(NotEnough):
            await asks_refund(pool, payment.payment_id)
        assert (await wallet_of(pool), await refunds_of(pool)) == ((19_999, 0, 0), [])
        await asks_refund(pool, payment.payment_id, owing=True)
        assert await wallet_of(pool) == (0, 0, 1)
        await refund_all(pool, Answers().give_back)
        assert await told(pool) == ["payment-received", "payment-refunded-owing"]


async def test_what_is_held_for_a_job_is_not_given_back(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        payment = await pays(pool)
        async with transaction(pool) as tx:
            await buy(tx, ANNA, price=64)
        with pytest.raises(NotEnough):
            await asks_refund(pool, payment.payment_id)
        assert await wallet_of(pool) == (20_000, 64, 0)


async def test_there_is_nothing_to_give_back_of_a_payment_nobody_knows(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        with pytest.raises(Rejected, match="no-such-payment"):
            await asks_refund(pool, 99)
        assert await told_refund(pool, external_id="ch-9") is None


async def test_a_clear_no_puts_the_money_back_and_a_second_try_works(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        payment = await pays(pool)
        first = await asks_refund(pool, payment.payment_id)
        answers = Answers(troubles=[Rejected("too-late")])
        await refund_all(pool, answers.give_back)
        assert await wallet_of(pool) == (20_000, 0, 0)
        assert await told(pool) == ["payment-received", "payment-refund-refused"]
        second = await asks_refund(pool, payment.payment_id)
        assert second != first
        await refund_all(pool, answers.give_back)
        assert await wallet_of(pool) == (0, 0, 0)
        assert await refunds_of(pool) == [(f"{KEY}:0", 20_000, 250, "refused"), (f"{KEY}:1", 20_000, 250, "done")]


async def test_a_clear_no_has_the_bill_looked_at_again(database: str) -> None:
    """Somebody else may have given some of it back meanwhile, and told us when ours was still wanted."""
    async with pool_of(database) as pool:
        await people(pool)
        topup = await offer(pool, asked=rub(500), credit=rub(500), method="yookassa")
        facts = {"provider": "yookassa", "external_id": "bill-1", "paid": rub(500), "worth": rub(500)}
        payment = await pays(pool, topup_id=topup.topup_id, **facts)
        await pool.execute(
            "INSERT INTO provider_invoices (provider, external_id, state, look_at) VALUES ('yookassa', 'bill-1', 'paid', NULL)"
        )
        await asks_refund(pool, payment.payment_id)
        answers = Answers(troubles=[Rejected("too-much")])
        await refund_all(pool, answers.give_back, provider="yookassa")
        ((_, state, wait),) = await bills(pool)
        assert state == "paid"
        assert wait is not None
        assert wait.total_seconds() <= 0


@pytest.mark.parametrize("trouble", [Transient("busy"), OutcomeUnknown("lost")])
async def test_whatever_is_not_a_clear_answer_is_asked_again_with_the_same_key(
    database: str, trouble: Transient | OutcomeUnknown
) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await asks_refund(pool, (await pays(pool)).payment_id)
        answers = Answers(troubles=[trouble])
        await refund_all(pool, answers.give_back)
        assert (await wallet_of(pool), [state for *_, state in await refunds_of(pool)]) == ((0, 0, 0), ["wanted"])
        assert await refund_all(pool, answers.give_back) == 0, "not at once"
        await shift_clock(pool, 10)
        await refund_all(pool, answers.give_back)
        assert [asked.key for asked in answers.asked] == [f"{KEY}:0"] * 2
        assert [state for *_, state in await refunds_of(pool)] == ["done"]


async def test_a_way_that_is_switched_off_waits(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await asks_refund(pool, (await pays(pool)).payment_id)
        await refund_all(pool, Answers().give_back, provider="yookassa")
        assert (
            await pool.fetchval("SELECT error FROM payment_refunds WHERE state = 'wanted'") == "stars is switched off"
        )


async def test_a_refund_in_dead_hands_is_taken_over_and_late_answers_change_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await asks_refund(pool, (await pays(pool)).payment_id)
        dead = Refunder(pool=pool, calls={"stars": Answers(troubles=[Rejected("already-given-back")]).give_back})
        (held,) = await dead.claim(9)
        assert await refund_all(pool, Answers().give_back) == 0
        await shift_clock(pool, LEASE.total_seconds() + 1)
        assert await refund_all(pool, Answers().give_back) == 1
        await dead.refund(held)
        assert (await wallet_of(pool), [state for *_, state in await refunds_of(pool)]) == ((0, 0, 0), ["done"])


async def test_a_refund_told_in_parts_is_taken_as_it_is_told(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await pays(pool)
        assert await told_refund(pool, refunded=stars(100)) is not None
        assert await wallet_of(pool) == (12_000, 0, 0)
        assert await told_refund(pool, refunded=stars(100)) is None
        assert await told_refund(pool, refunded=stars(50)) is None
        assert await told_refund(pool) is not None
        assert await told_refund(pool, refunded=stars(999)) is None
        assert await wallet_of(pool) == (0, 0, 0)
        assert await refunds_of(pool) == [
            (f"{KEY}:told:100", 8_000, 100, "done"),
            (f"{KEY}:told:250", 12_000, 150, "done"),
        ]
        assert await told(pool) == ["payment-received", "payment-refunded", "payment-refunded"]


async def test_a_told_refund_of_spent_money_is_owed_and_blocks_new_orders(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await pays(pool)
        await spends(pool, 15_000)
        await told_refund(pool)
        assert await wallet_of(pool) == (0, 0, 15_000)
        async with pool.acquire() as connection:
            with pytest.raises(NotEnough):
                async with connection.transaction():
                    await buy(connection, ANNA, price=1)
        assert await told(pool) == ["payment-received", "payment-refunded-owing"]


async def test_told_while_ours_is_wanted_the_wish_has_come_true(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await asks_refund(pool, (await pays(pool)).payment_id)
        assert await told_refund(pool) is None
        assert await refunds_of(pool) == [(f"{KEY}:0", 20_000, 250, "done")]
        assert await refund_all(pool, Answers().give_back) == 0
        assert await told(pool) == ["payment-received", "payment-refunded"]


async def test_a_part_told_while_all_is_wanted_is_taken_once_ours_is_refused(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await asks_refund(pool, (await pays(pool)).payment_id)
        assert await told_refund(pool, refunded=stars(100)) is None
        assert [state for *_, state in await refunds_of(pool)] == ["wanted"]
        await refund_all(pool, Answers(troubles=[Rejected("too-much")]).give_back)
        assert await told_refund(pool, refunded=stars(100)) is not None
        assert await wallet_of(pool) == (12_000, 0, 0)
        assert await told_refund(pool) is not None
        assert await wallet_of(pool) == (0, 0, 0)


async def test_what_is_left_after_a_part_was_told_can_be_asked_for(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        payment = await pays(pool)
        await told_refund(pool, refunded=stars(100))
        await asks_refund(pool, payment.payment_id)
        assert (await refunds_of(pool))[1] == (f"{KEY}:0", 12_000, 150, "wanted")
        await refund_all(pool, Answers(troubles=[Rejected("no")]).give_back)
        assert await wallet_of(pool) == (12_000, 0, 0)
        await asks_refund(pool, payment.payment_id)
        await refund_all(pool, Answers().give_back)
        assert await wallet_of(pool) == (0, 0, 0)


async def test_given_back_by_hand_it_is_done_at_once(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        payment = await pays(pool, provider="cryptopay", external_id="9", paid=rub(500), worth=rub(500))
        await asks_refund(pool, payment.payment_id, by_hand=True)
        assert [state for *_, state in await refunds_of(pool)] == ["done"]
        assert await told(pool) == ["payment-received", "payment-refunded"]


async def test_a_refund_that_races_a_spend_finds_the_money_or_not_and_never_makes_a_debt(database: str) -> None:
    """It waits for the order that has the wallet, and then looks at what is left."""
    async with pool_of(database) as pool, connection_of(database) as spender, connection_of(database) as refunder:
        await people(pool)
        payment = await pays(pool)
        spending = spender.transaction()
        await spending.start()
        await ledger.debit(spender, user_id=ANNA, amount=rub(1), reference="operator:1", reason="operator")

        async def ask() -> int:
            async with refunder.transaction():
                return await ask_refund(
                    refunder, payment_id=payment.payment_id, asked_by="olga", owing=False, by_hand=False
                )

        async with asyncio.TaskGroup() as group:
            asking = group.create_task(caught(ask()))
            await until_done_or_blocked(spender, asking, refunder)
            await spending.commit()
        assert isinstance(asking.result(), NotEnough)
        assert await wallet_of(pool) == (19_999, 0, 0)


async def test_told_refunds_racing_orders_never_leave_less_than_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        for number in range(6):
            await pays(pool, external_id=f"ch-{number}", paid=stars(10), worth=rub(100))

        async with asyncio.TaskGroup() as group:
            for number in range(6):
                group.create_task(caught(spends(pool, 70, reference=f"operator:{number}")))
                group.create_task(told_refund(pool, external_id=f"ch-{number}"))
        spent = await pool.fetchval("SELECT count(*) FROM ledger_transactions WHERE reason = 'operator'")
        assert await wallet_of(pool) == (0, 0, 70 * spent)


async def caught(work: object) -> object:
    """What it gives, or why not."""
    try:
        return await work  # type: ignore[misc]  # a coroutine
    except NotEnough as error:
        return error
