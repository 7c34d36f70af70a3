"""Our books against others': Kie's credits against our jobs, a provider's list against our payments."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal

import pytest

from photomat.db.pool import Pool
from photomat.jobs.kie_balance import read_kie_balance
from photomat.jobs.sweep import READINGS
from photomat.kernel.errors import Transient
from photomat.payments.invoices import InvoicePoller
from photomat.payments.reconcile import reconcile_providers
from photomat.providers.port import ProviderReport
from support.database import pool_of, shift_clock
from support.jobs import a_done_job, a_running_job, a_user
from support.logs import logged
from support.money import rub
from support.payments import (
    ScriptedProvider,
    asks_refund,
    differences_of,
    offer,
    pays,
    people,
    told_refund,
    wallet_of,
)

HOUR = 3600


@dataclass(slots=True)
class Account:
    """Kie's account with so many credits; `asked` counts how often."""

    left: float
    asked: int = 0

    async def credits(self) -> float:
        self.asked += 1
        return self.left


async def reads(pool: Pool, account: Account) -> str | None:
    """An hour later Kie is asked."""
    await shift_clock(pool, HOUR)
    return await read_kie_balance(pool, account)


async def job_took(pool: Pool, credits_: str | None, *, quoted: str = "0.8") -> None:
    """A job ended; Kie says it took so much, or does not say."""
    job_id = await a_done_job(pool, await pool.fetchval("SELECT user_id FROM users"))
    await pool.execute(
        """
        UPDATE generation_jobs SET credits_consumed = $2::numeric, cost = ceil($2::numeric * 40),
               quote = jsonb_build_object('price', price, 'currency', currency, 'usd_rate', '80', 'credits', $3::text)
         WHERE job_id = $1
        """,
        job_id,
        None if credits_ is None else Decimal(credits_),
        quoted,
    )


async def test_a_drop_that_jobs_explain_is_no_difference(database: str) -> None:
    async with pool_of(database) as pool:
        await a_user(pool)
        account = Account(1000)
        assert await reads(pool, account) == "first"
        await job_took(pool, "30")
        await job_took(pool, None, quoted="20")
        account.left = 950
        assert await reads(pool, account) == "explained"
        account.left = 946
        assert await reads(pool, account) == "explained", "Kie rounds"
        assert await differences_of(pool) == []


async def test_a_drop_nobody_explains_is_a_difference_once(database: str) -> None:
    async with pool_of(database) as pool:
        await a_user(pool)
        account = Account(1000)
        await reads(pool, account)
        await job_took(pool, "30")
        account.left = 900
        assert await reads(pool, account) == "unexplained"
        ((kind, reference, expected, found),) = await differences_of(pool)
        assert (kind, reference.startswith("kie:")) == ("kie-credits", True)
        assert expected.startswith("at most 30 credits taken since")
        assert found == "100 credits less"
        assert await reads(pool, account) == "explained"
        assert len(await differences_of(pool)) == 1


async def test_a_slow_leak_is_found_though_each_hour_is_small(database: str) -> None:
    async with pool_of(database) as pool:
        await a_user(pool)
        account = Account(1000)
        verdicts = [await reads(pool, account)]
        for _ in range(3):
            account.left -= 3
            verdicts.append(await reads(pool, account))
        assert verdicts == ["first", "explained", "unexplained", "explained"]


async def test_jobs_under_way_may_have_been_paid_already(database: str) -> None:
    async with pool_of(database) as pool:
        account = Account(1000)
        await reads(pool, account)
        job_id = await a_running_job(pool, await a_user(pool))
        await pool.execute(
            "UPDATE generation_jobs SET quote = jsonb_build_object('price', price, 'currency', currency, 'credits', '50')"
        )
        account.left = 950
        assert await reads(pool, account) == "explained"
        await pool.execute("UPDATE generation_jobs SET quote = NULL WHERE job_id = $1", job_id)
        assert await reads(pool, account) == "unexplained"


async def test_a_top_up_at_kie_is_noted_and_begins_a_new_account(database: str) -> None:
    async with pool_of(database) as pool:
        await a_user(pool)
        account = Account(100)
        await reads(pool, account)
        account.left = 5_000
        assert await reads(pool, account) == "topped up"
        account.left = 4_999
        assert await reads(pool, account) == "explained"
        account.left = 4_900
        assert await reads(pool, account) == "unexplained"
        ((*_, found),) = await differences_of(pool)
        assert found == "100 credits less"


async def test_kie_is_asked_once_an_hour_whoever_is_active_and_old_readings_are_forgotten(database: str) -> None:
    async with pool_of(database) as pool:
        account = Account(100)
        assert await reads(pool, account) == "first"
        assert await read_kie_balance(pool, account) is None
        assert account.asked == 1
        await shift_clock(pool, timedelta(days=90).total_seconds())
        await reads(pool, account)
        assert (await READINGS.delete(pool, timedelta(days=90), 1000)).deleted == 1
        assert await pool.fetchval("SELECT count(*) FROM kie_readings") == 1


async def test_no_answer_of_kies_leaves_nothing(database: str) -> None:
    class Silent:
        async def credits(self) -> float:
            raise Transient("no answer")

    async with pool_of(database) as pool:
        assert await read_kie_balance(pool, Silent()) is None
        assert await pool.fetchval("SELECT count(*) FROM kie_readings") == 0


async def a_paid_bill(pool: Pool, provider: ScriptedProvider) -> InvoicePoller:
    """A bill both sides know, paid a day ago."""
    await people(pool)
    topup = await offer(pool, asked=rub(500), credit=rub(500), method="yookassa")
    at = await pool.fetchval("SELECT photomat_now()") - timedelta(days=1)
    provider.says("bill-1", state="paid", paid=rub(500), token=topup.token, at=at)
    return InvoicePoller(pool=pool, providers={provider.name: provider})


async def test_lists_that_agree_make_no_difference_and_are_compared_once_a_night(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        looker = await a_paid_bill(pool, provider)
        assert await reconcile_providers(looker) == 0
        await pool.execute("UPDATE comparisons SET found = 7")
        await reconcile_providers(looker)
        assert await pool.fetchval("SELECT found FROM comparisons") == 7, "not twice in one night"
        await reconcile_providers(looker, always=True)
        assert await pool.fetchval("SELECT found FROM comparisons") == 0
        assert await differences_of(pool) == []


@pytest.mark.parametrize(
    ("theirs", "expected", "found"),
    [
        (None, f"{rub(500)} paid", "nothing"),
        ({"paid": rub(600)}, f"{rub(500)} paid, {rub(0)} given back", f"{rub(600)} paid, {rub(0)} given back"),
    ],
)
async def test_what_their_list_says_otherwise_has_an_owner_until_it_agrees(
    database: str, theirs: dict[str, object] | None, expected: str, found: str
) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        looker = await a_paid_bill(pool, provider)
        await reconcile_providers(looker)
        honest = provider.reports.pop("bill-1")
        if theirs is not None:
            provider.says("bill-1", state="paid", at=honest.at, **theirs)  # type: ignore[union-attr]  # a report
        for _ in range(2):
            assert await reconcile_providers(looker, always=True) == 1
        assert await differences_of(pool) == [("yookassa-payments", "payment:yookassa:bill-1", expected, found)]
        provider.reports["bill-1"] = honest
        assert await reconcile_providers(looker, always=True) == 0
        assert await differences_of(pool) == []


async def test_a_refund_only_we_know_of_is_a_difference(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        looker = await a_paid_bill(pool, provider)
        await reconcile_providers(looker)
        await told_refund(pool, refunded=rub(200), provider="yookassa", external_id="bill-1")
        assert await reconcile_providers(looker, always=True) == 1
        ((*_, expected, found),) = await differences_of(pool)
        assert (expected, found) == (
            f"{rub(500)} paid, {rub(200)} given back",
            f"{rub(500)} paid, {rub(0)} given back",
        )


async def test_a_difference_stays_when_its_payment_has_left_the_list_and_money_of_nobody_is_told_once(
    database: str,
) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        looker = await a_paid_bill(pool, provider)
        await reconcile_providers(looker)
        bill = provider.reports.pop("bill-1")
        provider.says("bill-2", state="paid", paid=rub(5), at=bill.at)  # type: ignore[union-attr]  # a report
        await reconcile_providers(looker, always=True)
        provider.reports.clear()
        await shift_clock(pool, 5 * 86_400)
        await reconcile_providers(looker, always=True)
        kinds = [kind for kind, *_ in await differences_of(pool)]
        assert kinds == ["payment-of-nobody", "yookassa-payments"]


async def test_what_only_they_know_and_nobody_can_book_is_a_difference(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        looker = await a_paid_bill(pool, provider)
        token = await pool.fetchval("SELECT token::text FROM topups")
        at = await pool.fetchval("SELECT photomat_now()") - timedelta(days=1)
        provider.says("bill-9", state="paid", paid=rub(-5), token=token, at=at)
        assert await reconcile_providers(looker) == 1
        await pays(pool)
        assert [(kind, expected) for kind, _, expected, _ in await differences_of(pool)] == [
            ("yookassa-payments", "nothing")
        ]


async def test_a_provider_that_is_down_leaves_the_others_compared(database: str) -> None:
    class Down(ScriptedProvider):
        async def recent(self, since: datetime) -> Sequence[ProviderReport]:
            raise Transient(f"down since {since}")

    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        looker = await a_paid_bill(pool, provider)
        both = replace(looker, providers={"cryptopay": Down(name="cryptopay"), **looker.providers})
        with logged() as lines:
            assert await reconcile_providers(both) == 0
        assert await wallet_of(pool) == (500, 0, 0)
        assert [row["name"] for row in await pool.fetch("SELECT name FROM comparisons")] == ["yookassa-payments"]
        (failed,) = [line for line in lines if line["event"] == "PAYMENTS_NOT_COMPARED"]
        assert failed["provider"] == "cryptopay"


async def test_what_was_given_back_by_hand_differs_from_no_list_that_cannot_tell(database: str) -> None:
    provider = ScriptedProvider(lists_refunds=False)
    async with pool_of(database) as pool:
        looker = await a_paid_bill(pool, provider)
        await reconcile_providers(looker)
        payment_id = await pool.fetchval("SELECT payment_id FROM payments")
        await asks_refund(pool, payment_id, by_hand=True)
        assert await reconcile_providers(looker, always=True) == 0
        assert await differences_of(pool) == []
