"""Money that arrives: one payment and one credit by the provider's own id, however often and however oddly it is told."""

import asyncio
import random

import asyncpg
import pytest

from photomat.db.pool import transaction
from photomat.db.rows import require_row
from photomat.kernel.errors import Corrupt
from photomat.kernel.ids import BotId, ChatId, UserId
from photomat.kernel.money import Money
from photomat.orders.draft import Buyer, NewDraft, insert_drafts
from photomat.payments.options import PaymentMethod
from photomat.payments.receive import receive_payment
from photomat.payments.topup import close_topup, find_topup
from photomat.wallet import refunds
from support.database import pool_of, shift_clock
from support.jobs import a_draft
from support.money import rub
from support.payments import (
    ANNA,
    BORIS,
    arrived,
    differences_of,
    last_news,
    offer,
    pays,
    people,
    receive,
    spends,
    stars,
    told,
    told_refund,
    wallet_of,
)
from support.rewards import a_code, uses
from support.sessions import as_pool
from support.updates import BOT_ID

NBSP = "\N{NO-BREAK SPACE}"


async def test_a_payment_is_credited_with_what_was_offered_for_it(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        topup = await offer(pool, asked=stars(500), credit=rub(52_500))
        received = await pays(pool, topup_id=topup.topup_id, paid=stars(500))
        assert (received.credit, received.bonus, received.is_new) == (rub(52_500), rub(0), True)
        assert await wallet_of(pool) == (52_500, 0, 0)
        async with transaction(pool) as tx:
            found = await find_topup(tx, topup.topup_id)
        assert found is not None
        assert found.state == "paid"
        row = await require_row(pool, "SELECT * FROM payments")
        assert (row["paid_amount"], row["paid_currency"], row["credit"]) == (500, "XTR", 52_500)
        assert (row["reference"], row["via"]) == ("payment:stars:ch-1", "update")
        facts = await pool.fetchval("SELECT facts FROM ledger_transactions WHERE reference = 'payment:stars:ch-1'")
        assert facts == {"way": "stars", "paid": 500, "paid_currency": "XTR"}
        assert await told(pool) == ["payment-received"]
        assert await differences_of(pool) == []


async def test_the_same_charge_told_a_hundred_times_at_once_is_one_payment(database: str) -> None:
    """Two charges, fifty times each, out of order, told by everybody who can tell."""
    async with pool_of(database) as pool:
        await people(pool)
        tellings = [
            arrived(external_id=f"ch-{number % 2}", via=via) for number in range(50) for via in ("update", "reconcile")
        ]
        random.Random(7).shuffle(tellings)  # noqa: S311  the same disorder every time
        async with asyncio.TaskGroup() as group:
            told_tasks = [group.create_task(receive(pool, one)) for one in tellings]
        received = [task.result() for task in told_tasks]
        assert sum(one.is_new for one in received) == 2
        assert len({one.payment_id for one in received}) == 2
        assert {one.credit for one in received} == {rub(20_000)}
        assert await wallet_of(pool) == (40_000, 0, 0)
        assert await told(pool) == ["payment-received"] * 2
        assert await differences_of(pool) == []


@pytest.mark.parametrize(
    ("again", "words"),
    [
        ({"paid": stars(251)}, f"251{NBSP}⭐ of user 42"),
        ({"user_id": BORIS}, f"250{NBSP}⭐ of user 43"),
        ({"paid": rub(250)}, f"2.50{NBSP}₽ of user 42"),
    ],
)
async def test_a_charge_told_again_otherwise_moves_nothing_and_becomes_a_difference(
    database: str, again: dict[str, object], words: str
) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await pays(pool)
        received = await pays(pool, **again)
        assert (received.credit, received.is_new) == (rub(20_000), False)
        assert (await wallet_of(pool), await wallet_of(pool, BORIS)) == ((20_000, 0, 0), (0, 0, 0))
        expected = [("payment-told-otherwise", "payment:stars:ch-1", f"250{NBSP}⭐ of user 42", words)]
        assert await differences_of(pool) == expected
        await pool.execute("UPDATE differences SET resolved_at = photomat_now(), resolution = 'asked Telegram'")
        await pays(pool, **again)
        assert await differences_of(pool) == [], "what somebody has resolved stays resolved"


async def test_whoever_paid_a_part_of_a_bill_reads_how_much_of_it_came(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        bill = await offer(pool, asked=rub(30_000), credit=rub(30_000), method="yookassa")
        await pays(pool, topup_id=bill.topup_id, paid=rub(15_000), worth=rub(15_000))
        assert "Зачислено <b>150 ₽</b>: пришло 150 ₽ из 300 ₽" in await last_news(pool)


@pytest.mark.parametrize("method", ["stars", "yookassa", "cryptopay"])
async def test_whatever_it_was_paid_by_the_news_offers_to_go_on(database: str, method: PaymentMethod) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        asked = stars(250) if method == "stars" else rub(20_000)
        for charge, onward in (("ch-1", "m:create"), ("ch-2", "d:create:1:1")):
            bill = await offer(pool, asked=asked, credit=rub(20_000), method=method, origin=charge)
            await pays(pool, provider=method, topup_id=bill.topup_id, paid=asked, external_id=charge)
            buttons = await pool.fetchval("SELECT buttons FROM notices ORDER BY notice_id DESC LIMIT 1")
            assert [[one["data"] for one in row] for row in buttons] == [[onward], ["m:balance"]]
            await a_draft(pool, ANNA)


async def test_who_still_owes_is_offered_to_top_up_not_to_order(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        await pays(pool)
        await spends(pool, 20_000)
        await told_refund(pool)
        await pays(pool, external_id="ch-2", paid=stars(1), worth=rub(80))
        assert "осталось вернуть" in await last_news(pool)
        buttons = await pool.fetchval("SELECT buttons FROM notices ORDER BY notice_id DESC LIMIT 1")
        assert buttons[0][0]["data"] == "m:topup"


@pytest.mark.parametrize(("paid", "credit"), [(100, 10_500), (1, 105), (1000, 105_000)])
async def test_a_part_of_the_sum_is_credited_as_that_part_and_more_as_more(
    database: str, paid: int, credit: int
) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        topup = await offer(pool, asked=stars(500), credit=rub(52_500))
        assert (await pays(pool, topup_id=topup.topup_id, paid=stars(paid))).credit == rub(credit)
        expected = [("payment-of-another-sum", "payment:stars:ch-1", str(stars(500)), str(stars(paid)))]
        assert await differences_of(pool) == expected


@pytest.mark.parametrize("topup_id", [None, 99])
async def test_money_no_offer_explains_is_credited_as_what_it_is_worth(database: str, topup_id: int | None) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        assert (await pays(pool, topup_id=topup_id)).credit == rub(20_000)
        assert await pool.fetchval("SELECT topup_id FROM payments") is None


async def test_an_offer_in_another_currency_does_not_say_what_is_credited(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        topup = await offer(pool, asked=rub(500), credit=rub(500), method="yookassa")
        assert (await pays(pool, topup_id=topup.topup_id)).credit == rub(20_000)
        assert [kind for kind, *_ in await differences_of(pool)] == ["payment-of-another-sum"]


async def test_an_offer_paid_twice_is_two_payments_and_a_closed_or_old_one_is_still_credited(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        topup = await offer(pool, asked=stars(250), credit=rub(20_000))
        async with transaction(pool) as tx:
            assert not await close_topup(tx, topup_id=topup.topup_id, user_id=BORIS)
            assert await close_topup(tx, topup_id=topup.topup_id, user_id=ANNA)
            assert not await close_topup(tx, topup_id=topup.topup_id, user_id=ANNA)
        await shift_clock(pool, 3 * 86_400)
        for charge in ("ch-1", "ch-2"):
            await pays(pool, topup_id=topup.topup_id, external_id=charge)
        assert await wallet_of(pool) == (40_000, 0, 0)
        async with transaction(pool) as tx:
            found = await find_topup(tx, topup.topup_id)
        assert found is not None
        assert (found.state, found.expired) == ("paid", True)


async def test_an_offer_made_twice_by_one_update_is_one_offer(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        first, again = [await offer(pool, asked=stars(50), credit=rub(4_000 + n)) for n in range(2)]
        other = await offer(pool, asked=stars(50), credit=rub(4_000), origin="1:2")
        assert first == again
        assert other.topup_id != first.topup_id


async def test_whoever_pays_somebody_elses_offer_is_credited_themselves(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        topup = await offer(pool, asked=stars(250), credit=rub(21_000))
        await pays(pool, topup_id=topup.topup_id, user_id=BORIS)
        assert (await wallet_of(pool), await wallet_of(pool, BORIS)) == ((0, 0, 0), (21_000, 0, 0))


async def test_a_payment_pays_a_debt_first_and_says_what_is_left_of_it(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        async with transaction(pool) as tx:
            await refunds.take_back(tx, user_id=ANNA, amount=rub(30_000), reference="test:debt", reason="promo")
        await pays(pool)
        assert await wallet_of(pool) == (0, 0, 10_000)
        assert await told(pool) == ["payment-received-owing"]
        facts = await pool.fetchval("SELECT facts FROM notices")
        assert facts["owed"] == {"minor": 10_000, "currency": "RUB"}


async def test_the_order_that_waited_is_offered_once_the_money_covers_it(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        buyer = Buyer(user_id=ANNA, language="ru", bot_id=BotId(BOT_ID), chat_id=ChatId(ANNA))
        drafts = await insert_drafts(
            pool,
            [
                NewDraft(buyer=buyer, origin=f"draft:{price}", model="z-image", inputs={}, price=rub(price))
                for price in (15_000, 16_000, 90_000)
            ],
        )
        topup = await offer(pool, asked=stars(250), credit=rub(20_000), draft_id=drafts[0].draft_id)
        await pays(pool, topup_id=topup.topup_id)
        await pays(pool, external_id="ch-2")
        rows = await pool.fetch("SELECT buttons FROM notices ORDER BY notice_id")
        offered = [row["buttons"][0][0]["data"] for row in rows]
        assert offered == [f"d:create:{draft.draft_id}:1" for draft in drafts[:2]]


@pytest.mark.parametrize("minor", [0, -5])
async def test_nothing_cannot_arrive(database: str, minor: int) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        with pytest.raises(Corrupt):
            await pays(pool, paid=stars(minor))


async def test_a_payment_that_cannot_be_credited_is_not_there(database: str) -> None:
    """Of another currency than the wallet, or of somebody without one: all of it is undone, and comes again."""
    async with pool_of(database) as pool:
        await people(pool)
        with pytest.raises(Corrupt):
            await pays(pool, worth=Money(5, "USD"))
        with pytest.raises(asyncpg.ForeignKeyViolationError):
            await pays(pool, user_id=UserId(99))
        assert await pool.fetchval("SELECT count(*) FROM payments") == 0
        assert await told(pool) == []
        assert (await pays(pool)).is_new


async def test_a_payment_is_received_in_its_callers_transaction_or_not_at_all(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        async with pool.acquire() as connection:
            begun = connection.transaction()
            await begun.start()
            assert (await receive_payment(connection, arrived())).is_new
            assert await wallet_of(connection) == (20_000, 0, 0)
            await begun.rollback()
        assert await wallet_of(pool) == (0, 0, 0)
        assert await pool.fetchval("SELECT count(*) FROM payments") == 0
        assert await told(pool) == []


async def test_a_subscriptions_month_leaves_a_percent_code_for_the_next_top_up(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        async with transaction(pool) as tx:
            await a_code(as_pool(tx), "TENTH", kind="percent", amount=None, percent=10)
        await uses(pool, ANNA, "TENTH")
        assert (await pays(pool, reason="subscription", external_id="month")).bonus == rub(0)
        assert (await pays(pool)).bonus == rub(2_000)
        assert await wallet_of(pool) == (42_000, 0, 0)
