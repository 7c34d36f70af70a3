"""Bills at a provider: one reader of the truth for notices and polling, looked at by one at a time, seldom as they grow old."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

import pytest

from photomat.db.pool import Pool
from photomat.db.rows import require_row
from photomat.kernel.errors import OutcomeUnknown, PhotomatError, Transient
from photomat.kernel.money import Money
from photomat.payments.invoices import GIVE_UP, LEASE, LOOK_BACK, InvoicePoller, create_invoice, make_invoice_due
from photomat.payments.options import PaymentMethod
from photomat.payments.reconcile import reconcile_providers
from photomat.payments.topup import Topup
from support.database import SharedPostgres, create_database, drop_database, pool_of, shift_clock
from support.money import rub
from support.pay_sim import running_pay
from support.payments import (
    ANNA,
    BORIS,
    PAID_AT,
    ScriptedProvider,
    bills,
    differences_of,
    offer,
    people,
    refunds_of,
    spends,
    told,
    wallet_of,
)

PROVIDER: Final = "yookassa"


async def a_bill(pool: Pool, provider: ScriptedProvider, **facts: object) -> Topup:
    """Anna has opened a bill of 500 roubles."""
    await people(pool)
    topup = await offer(pool, asked=rub(50_000), credit=rub(50_000), method=PROVIDER, **facts)  # type: ignore[arg-type]  # as said
    await create_invoice(pool, provider, topup, description="Top-up", return_url=None)
    return topup


async def look_all(pool: Pool, *providers: ScriptedProvider) -> int:
    looker = InvoicePoller(pool=pool, providers={one.name: one for one in providers})
    claimed = await looker.claim(9)
    for invoice in claimed:
        await looker.poll(invoice)
    return len(claimed)


async def wait_of(pool: Pool) -> float | None:
    """In how many seconds the one bill is looked at."""
    ((_, _, wait),) = await bills(pool)
    return None if wait is None else wait.total_seconds()


async def test_a_bill_is_made_once_for_what_is_asked_and_looked_at_until_it_is_paid(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        await people(pool)
        topup = await offer(pool, asked=rub(50_000), credit=rub(55_000), method=PROVIDER)
        first, again = [
            await create_invoice(pool, provider, topup, description="Top-up", return_url="https://t.me/x")
            for _ in range(2)
        ]
        assert first == again
        ((asked),) = provider.asked
        assert (asked.amount, asked.token) == (rub(50_000), topup.token)
        assert await look_all(pool, provider) == 0, "not at once"
        await shift_clock(pool, 6)
        assert await look_all(pool, provider) == 1
        assert (await wallet_of(pool), [state for _, state, _ in await bills(pool)]) == ((0, 0, 0), ["open"])
        provider.says("bill-1", state="paid", paid=rub(50_000), token=topup.token)
        await shift_clock(pool, 6)
        await look_all(pool, provider)
        assert await wallet_of(pool) == (55_000, 0, 0)
        assert await bills(pool) == [("bill-1", "paid", None)]
        row = await require_row(pool, "SELECT external_id, topup_id, via, paid_at FROM payments")
        assert tuple(row) == ("bill-1", topup.topup_id, "poll", PAID_AT)


async def test_a_bill_in_somebodys_hands_is_nobody_elses_until_the_lease_runs_out(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        await a_bill(pool, provider)
        looker = InvoicePoller(pool=pool, providers={PROVIDER: provider})
        await shift_clock(pool, 6)
        assert len(await looker.claim(9)) == 1
        assert await looker.claim(9) == []
        await shift_clock(pool, LEASE.total_seconds() + 1)
        assert len(await looker.claim(9)) == 1


async def test_looks_become_seldom_and_end(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        await a_bill(pool, provider)
        waits = []
        for seconds in (6, 600, 7 * 3600):
            await shift_clock(pool, seconds)
            await look_all(pool, provider)
            waits.append(round(await wait_of(pool) or 0))
        assert waits == [5, 61, 600]
        await shift_clock(pool, GIVE_UP.total_seconds())
        await look_all(pool, provider)
        assert await wait_of(pool) is None
        await make_invoice_due(pool, PROVIDER, "bill-1")
        assert await look_all(pool, provider) == 1, "a notice wakes it still"


@pytest.mark.parametrize("trouble", [Transient("busy"), OutcomeUnknown("lost")])
async def test_a_look_that_failed_is_repeated_however_old_the_bill_is(database: str, trouble: PhotomatError) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        topup = await a_bill(pool, provider)
        await shift_clock(pool, 2 * GIVE_UP.total_seconds())
        provider.reports["bill-1"] = trouble
        await look_all(pool, provider)
        assert await pool.fetchval("SELECT error FROM provider_invoices") == str(trouble)
        assert await wait_of(pool) == pytest.approx(600, abs=1)
        provider.says("bill-1", state="paid", paid=rub(50_000), token=topup.token)
        await shift_clock(pool, 601)
        await look_all(pool, provider)
        assert await wallet_of(pool) == (50_000, 0, 0)
        assert await pool.fetchval("SELECT error FROM provider_invoices") is None


async def test_a_provider_that_is_switched_off_leaves_its_bills_alone(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        await a_bill(pool, provider)
        await shift_clock(pool, 6)
        await look_all(pool)
        assert provider.found == []
        assert await wait_of(pool) == pytest.approx(5, abs=1)


async def test_a_notice_of_a_bill_whose_reply_was_lost_finds_its_offer(database: str) -> None:
    """The process died after the provider had made the bill: its notice is the first we hear of it."""
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        await people(pool)
        topup = await offer(pool, asked=rub(50_000), credit=rub(50_000), method=PROVIDER)
        provider.says("bill-7", state="paid", paid=rub(50_000), token=topup.token)
        for _ in range(3):
            await make_invoice_due(pool, PROVIDER, "bill-7")
        assert await look_all(pool, provider) == 1
        assert await wallet_of(pool) == (50_000, 0, 0)
        await make_invoice_due(pool, PROVIDER, "bill-7")
        await look_all(pool, provider)
        assert await wallet_of(pool) == (50_000, 0, 0)
        assert await told(pool) == ["payment-received"]


async def test_a_forged_notice_of_a_bill_nobody_made_changes_nothing(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        await people(pool)
        await make_invoice_due(pool, PROVIDER, "never-made")
        await look_all(pool, provider)
        assert await bills(pool) == [("never-made", "unknown", None)]
        assert await pool.fetchval("SELECT count(*) FROM payments") == 0


async def test_a_canceled_bill_credits_nothing_and_is_left_alone(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        await a_bill(pool, provider)
        provider.says("bill-1", state="canceled")
        await shift_clock(pool, 6)
        await look_all(pool, provider)
        assert (await wallet_of(pool), await bills(pool)) == ((0, 0, 0), [("bill-1", "canceled", None)])


@pytest.mark.parametrize("of", ["nobody", "another way"])
async def test_money_nobody_asked_for_becomes_a_difference_that_stays_resolved(database: str, of: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        await people(pool)
        strange = await offer(pool, asked=rub(100), credit=rub(100), method="cryptopay")
        token = strange.token if of == "another way" else None
        provider.says("bill-9", state="paid", paid=rub(50_000), token=token)
        await make_invoice_due(pool, PROVIDER, "bill-9")
        looker = InvoicePoller(pool=pool, providers={PROVIDER: provider})
        await look_all(pool, provider)
        await looker.read_recent(provider)
        expected = ("payment-of-nobody", "payment:yookassa:bill-9", "an offer of ours", str(rub(50_000)))
        assert await differences_of(pool) == [expected]
        await pool.execute("UPDATE differences SET resolved_at = photomat_now(), resolution = 'given back'")
        await looker.read_recent(provider)
        assert await differences_of(pool) == []
        assert await wallet_of(pool) == (0, 0, 0)


async def test_what_the_provider_lists_as_paid_arrives_though_every_notice_was_lost(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        topup = await a_bill(pool, provider)
        provider.says("bill-1", state="paid", paid=rub(50_000), token=topup.token)
        provider.says("bill-2", state="paid", paid=rub(10_000), token=topup.token)
        looker = InvoicePoller(pool=pool, providers={PROVIDER: provider})
        assert await looker.read_recent(provider) == 2
        assert await looker.read_recent(provider) == 0
        assert await wallet_of(pool) == (60_000, 0, 0)
        now = await pool.fetchval("SELECT photomat_now()")
        assert provider.since is not None
        assert now - provider.since == pytest.approx(LOOK_BACK, abs=timedelta(minutes=1))
        assert [kind for kind, *_ in await differences_of(pool)] == ["payment-of-another-sum"]


async def test_one_payment_that_cannot_be_booked_does_not_hide_the_others(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        topup = await a_bill(pool, provider)
        provider.says("bill-0", state="paid", paid=rub(-5), token=topup.token)
        provider.says("bill-1", state="paid", paid=rub(50_000), token=topup.token)
        looker = InvoicePoller(pool=pool, providers={PROVIDER: provider})
        await looker.read_recent(provider)
        assert await wallet_of(pool) == (50_000, 0, 0)
        await make_invoice_due(pool, PROVIDER, "bill-0")
        await look_all(pool, provider)
        error = await pool.fetchval("SELECT error FROM provider_invoices WHERE external_id = 'bill-0'")
        assert "-5" in error


async def test_a_bill_paid_in_another_currency_has_an_owner_at_once_and_is_looked_at_no_more(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        topup = await a_bill(pool, provider)
        provider.says("bill-1", state="paid", paid=Money(5, "USD"), refunded=Money(0, "USD"), token=topup.token)
        await make_invoice_due(pool, PROVIDER, "bill-1")
        await look_all(pool, provider)
        assert await bills(pool) == [("bill-1", "paid", None)]
        ((kind, reference, expected, found),) = await differences_of(pool)
        assert (kind, reference) == ("payment-in-another-currency", "payment:yookassa:bill-1")
        assert (expected, found) == (str(rub(50_000)), str(Money(5, "USD")))
        assert await wallet_of(pool) == (0, 0, 0)
        assert await reconcile_providers(InvoicePoller(pool=pool, providers={PROVIDER: provider})) == 0


async def test_a_refund_made_at_the_provider_is_taken_from_the_wallet_and_owed_where_it_is_spent(database: str) -> None:
    provider = ScriptedProvider()
    async with pool_of(database) as pool:
        topup = await a_bill(pool, provider)
        paid = {"state": "paid", "paid": rub(50_000), "token": topup.token}
        provider.says("bill-1", **paid)
        looker = InvoicePoller(pool=pool, providers={PROVIDER: provider})
        await looker.read_recent(provider)
        await spends(pool, 20_000)
        provider.says("bill-1", refunded=rub(10_000), **paid)
        await make_invoice_due(pool, PROVIDER, "bill-1")
        await look_all(pool, provider)
        assert await wallet_of(pool) == (20_000, 0, 0)
        provider.says("bill-1", refunded=rub(50_000), **paid)
        assert await looker.read_recent(provider) == 1
        await looker.read_recent(provider)
        assert await wallet_of(pool) == (0, 0, 20_000)
        assert [(amount, state) for _, amount, _, state in await refunds_of(pool)] == [
            (10_000, "done"),
            (40_000, "done"),
        ]


@pytest.mark.parametrize("then", ["open", "paid"])
async def test_a_notice_that_comes_during_a_look_is_not_lost(database: str, then: str) -> None:
    """The provider was asked a moment too early; whoever asked may not put the bill off, nor call it finished."""
    async with pool_of(database) as pool:
        provider = NoticedWhileAsked()
        topup = await a_bill(pool, provider)
        provider.pool = pool
        if then == "paid":
            provider.says("bill-1", state="paid", paid=rub(50_000), token=topup.token)
        await shift_clock(pool, 6)
        await look_all(pool, provider)
        assert (await wait_of(pool) or 1) <= 0
        provider.pool = None
        provider.says("bill-1", state="paid", paid=rub(50_000), refunded=rub(50_000), token=topup.token)
        assert await look_all(pool, provider) == 1
        assert await wallet_of(pool) == (0, 0, 0)
        assert await pool.fetchval("SELECT sum(amount)::bigint FROM payment_refunds") == 50_000


class NoticedWhileAsked(ScriptedProvider):
    """Somebody pays, or is given back, just after it was asked."""

    pool: Pool | None = None

    async def find(self, external_id: str) -> object:  # type: ignore[override]  # the same, told late
        answer = await super().find(external_id)
        if self.pool is not None:
            await make_invoice_due(self.pool, PROVIDER, external_id)
        return answer


@asynccontextmanager
async def another(postgres: SharedPostgres) -> AsyncIterator[Pool]:
    """A second database, of another install."""
    dsn = await create_database(postgres.dsn, template=postgres.template)
    async with pool_of(dsn) as pool:
        yield pool
    await drop_database(postgres.dsn, dsn)


@pytest.mark.parametrize("method", ["yookassa", "cryptopay"])
async def test_two_installs_with_one_shop_credit_their_own_customers_alone(
    database: str, postgres: SharedPostgres, method: PaymentMethod
) -> None:
    """Both number their offers from one; the other's payment is money of nobody here."""
    async with pool_of(database) as ours, another(postgres) as theirs, running_pay() as pay:
        provider, till = (pay.yookassa, pay.shop) if method == "yookassa" else (pay.crypto_pay, pay.coins)
        for pool, user_id in ((ours, ANNA), (theirs, BORIS)):
            await people(pool)
            topup = await offer(pool, asked=rub(1000), credit=rub(1000), method=method, user_id=user_id)
            invoice = await create_invoice(pool, provider, topup, description="?", return_url=None)
            if pool is ours:
                till.pay(invoice.external_id)
        for pool in (ours, theirs):
            await reconcile_providers(InvoicePoller(pool=pool, providers={method: provider}))
        assert (await wallet_of(ours, ANNA), await wallet_of(theirs, BORIS)) == ((1000, 0, 0), (0, 0, 0))
        assert [kind for kind, *_ in await differences_of(theirs)] == ["payment-of-nobody"]


async def test_a_database_made_anew_makes_a_bill_of_its_own(database: str, postgres: SharedPostgres) -> None:
    """The same update of the same bot has the same number there; its customer may be another."""
    async with pool_of(database) as before, another(postgres) as after, running_pay() as pay:
        made = []
        for pool, user_id in ((before, ANNA), (after, BORIS)):
            await people(pool)
            topup = await offer(pool, asked=rub(1000), credit=rub(1000), method="yookassa", user_id=user_id)
            made.append(await create_invoice(pool, pay.yookassa, topup, description="?", return_url=None))
        pay.shop.pay(made[0].external_id)
        assert made[0].external_id != made[1].external_id
        await reconcile_providers(InvoicePoller(pool=after, providers={"yookassa": pay.yookassa}))
        assert await wallet_of(after, BORIS) == (0, 0, 0)
