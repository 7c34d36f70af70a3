"""A payment that came with a bonus goes back with it, once that is sure; the payer reads what went where."""

import pytest

from photomat.db.pool import transaction
from photomat.kernel.errors import NotEnough, Rejected
from support.database import pool_of
from support.money import rub
from support.payments import (
    ANNA,
    Answers,
    asks_refund,
    last_news,
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
from support.rewards import a_code, uses
from support.sessions import as_pool


async def test_a_bonus_comes_with_its_payment_and_goes_back_only_when_the_refund_is_sure(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        async with transaction(pool) as tx:
            await a_code(as_pool(tx), "TENTH", kind="percent", amount=None, percent=10)
        await uses(pool, ANNA, "TENTH")
        payment = await pays(pool)
        assert (payment.bonus, await told(pool)) == (rub(2_000), ["payment-received-bonus"])
        await asks_refund(pool, payment.payment_id)
        assert await wallet_of(pool) == (2_000, 0, 0)
        await refund_all(pool, Answers(troubles=[Rejected("no")]).give_back)
        assert await wallet_of(pool) == (22_000, 0, 0)
        await told_refund(pool, refunded=stars(125))
        assert await wallet_of(pool) == (11_000, 0, 0)
        await spends(pool, 1_000)
        await asks_refund(pool, payment.payment_id, owing=True)
        await refund_all(pool, Answers().give_back)
        assert await wallet_of(pool) == (0, 0, 1_000)


async def test_a_bonus_that_is_spent_counts_too_when_nothing_may_be_owed(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        async with transaction(pool) as tx:
            await a_code(as_pool(tx), "HALF", kind="percent", amount=None, percent=50)
        await uses(pool, ANNA, "HALF")
        payment = await pays(pool)
        await spends(pool, 1)
        with pytest.raises(NotEnough) as refused:
            await asks_refund(pool, payment.payment_id)
        assert refused.value.facts == {"price": rub(30_000), "available": rub(29_999)}
        assert (await wallet_of(pool), await refunds_of(pool)) == ((29_999, 0, 0), [])
        await asks_refund(pool, payment.payment_id, owing=True)
        await refund_all(pool, Answers().give_back)
        assert await wallet_of(pool) == (0, 0, 1)


async def test_a_part_that_went_back_is_called_a_part_and_the_bonus_is_told(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        async with transaction(pool) as tx:
            await a_code(as_pool(tx), "TENTH", kind="percent", amount=None, percent=10)
        await uses(pool, ANNA, "TENTH")
        await pays(pool)
        await told_refund(pool, refunded=stars(125))
        assert "Платёж возвращён частично: <b>100 ₽</b>" in await last_news(pool)
        assert "бонус, который был с платежом, тоже: <b>10 ₽</b>" in await last_news(pool)


async def test_a_whole_payment_without_a_bonus_is_called_neither(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await pays(pool)
        await told_refund(pool)
        assert "Платёж возвращён: <b>200 ₽</b>" in await last_news(pool)
        assert "бонус" not in await last_news(pool)
