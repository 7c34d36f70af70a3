"""The pages about money and the catalogue as an operator uses them: forms are sent, rows and journal say what happened."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from photomat.console.app import PAGES
from photomat.db.pool import Pool
from photomat.kernel.ids import UserId
from photomat.operators.access import Role
from photomat.wallet import ledger
from support.busy_day import BusyDay, fill_busy_day
from support.console import RunningConsole, Visitor, running_console
from support.database import connection_of
from support.transfers import receipt_picture

MONEY = "/console/money"
CATALOGUE = "/console/catalogue"
NUMBER = re.compile(r'href="/console/money/payments/(\d+)"')


@asynccontextmanager
async def busy_console(database: str, **others: Any) -> AsyncIterator[tuple[RunningConsole, Visitor, BusyDay]]:
    async with connection_of(database) as connection:
        day = await fill_busy_day(connection, jobs=400)
    async with running_console(database, **others) as console, console.signed_in() as owner:
        yield console, owner, day


async def last_act(pool: Pool) -> tuple[str, str, bool]:
    row = await pool.fetchrow("SELECT action, reason, done FROM operator_journal ORDER BY entry_id DESC LIMIT 1")
    assert row is not None
    return row["action"], row["reason"], row["done"]


async def available(pool: Pool, user_id: int) -> int:
    async with pool.acquire() as connection:
        return (await ledger.balance(connection, user_id=UserId(user_id))).posted.minor


class Files:
    """What Telegram would give out."""

    def __init__(self, body: bytes) -> None:
        self.body = body

    @asynccontextmanager
    async def opened(self, _telegram_id: str) -> AsyncIterator[AsyncIterator[bytes]]:
        async def chunks() -> AsyncIterator[bytes]:
            yield self.body

        yield chunks()


async def test_a_receipt_is_approved_once_with_the_sum_that_arrived(database: str) -> None:
    async with busy_console(database) as (console, owner, day):
        page = await owner.get(f"{MONEY}/receipts")
        assert f"/console/money/receipts/{day.a_receipt}/approve" in page.text
        user_id = await console.pool.fetchval("SELECT user_id FROM receipts WHERE receipt_id = $1", day.a_receipt)
        before = await available(console.pool, user_id)
        url = f"{MONEY}/receipts/{day.a_receipt}/approve"
        refused = await owner.act(url, on=f"{MONEY}/receipts", sum="a lot")
        assert "cannot be read" in (refused.flash or "")
        done = await owner.act(url, on=f"{MONEY}/receipts", sum="300,50", reason="300.50 arrived")
        assert done.path == f"{MONEY}/receipts"
        assert await last_act(console.pool) == ("approve receipt", "300.50 arrived", True)
        assert await available(console.pool, user_id) == before + 30_050
        again = await owner.act(url, on=f"{MONEY}/receipts")
        assert again.flash
        assert await available(console.pool, user_id) == before + 30_050


async def test_a_usual_reason_to_decline_is_stored_by_its_name(database: str) -> None:
    async with busy_console(database) as (console, owner, day):
        url = f"{MONEY}/receipts/{day.a_receipt}/decline"
        await owner.act(url, on=f"{MONEY}/receipts", reason="The transfer did not arrive")
        row = await console.pool.fetchrow("SELECT state, reason FROM receipts WHERE receipt_id = $1", day.a_receipt)
        assert tuple(row or ()) == ("declined", "not-arrived")
        assert "did not arrive" in (await owner.get(f"{MONEY}/receipts?state=declined")).text


async def test_a_receipts_file_is_shown_only_if_it_is_a_picture(database: str) -> None:
    async with busy_console(database, files=Files(receipt_picture())) as (console, owner, day):
        url = f"{console.url}{MONEY}/receipts/{day.a_receipt}/file"
        async with owner.client.get(url) as answer:
            assert (answer.status, answer.content_type) == (200, "image/png")
            assert await answer.read() == receipt_picture()
        async with console.signed_in(Role.VIEWER) as viewer, viewer.client.get(url) as refused:
            assert refused.status == 403
    async with (
        running_console(database, files=Files(b"<html><script>alert(1)</script>")) as other,
        other.signed_in() as owner,
        owner.client.get(f"{other.url}{MONEY}/receipts/{day.a_receipt}/file") as answer,
    ):
        assert answer.content_type == "application/octet-stream"
        assert answer.headers["Content-Disposition"].startswith("attachment")


async def test_a_payment_is_refunded_and_what_is_spent_becomes_debt_only_if_allowed(database: str) -> None:
    async with busy_console(database) as (console, owner, _day):
        payment = await console.pool.fetchval(
            """
            SELECT max(payment_id) FROM payments JOIN wallets USING (user_id)
             WHERE provider = 'yookassa' AND credit > posted - held
               AND payment_id NOT IN (SELECT payment_id FROM payment_refunds)
            """
        )
        page = f"{MONEY}/payments/{payment}"
        refused = await owner.act(f"{page}/refund", on=page)
        assert refused.path == page
        assert (await last_act(console.pool))[2] is False
        assert await console.pool.fetchval("SELECT count(*) FROM payment_refunds WHERE payment_id = $1", payment) == 0
        await owner.act(f"{page}/refund", on=page, owing="yes", reason="a complaint")
        assert await last_act(console.pool) == ("refund payment", "a complaint", True)
        refunds = await owner.get(f"{MONEY}/refunds?state=wanted")
        assert str(payment) in NUMBER.findall(refunds.text)
        await owner.act(f"{page}/refund", on=f"{MONEY}/promo", owing="yes")
        assert await console.pool.fetchval("SELECT count(*) FROM payment_refunds WHERE payment_id = $1", payment) == 1


async def test_differences_are_taken_and_resolved(database: str) -> None:
    async with busy_console(database) as (console, owner, _day):
        page = f"{MONEY}/differences"
        await owner.act(f"{page}/1/own", on=page, reason="mine")
        assert await console.pool.fetchval("SELECT owner FROM differences WHERE difference_id = 1") != "operators"
        await owner.act(f"{page}/1/resolve", on=page, reason="it came the next day")
        resolution = await console.pool.fetchval("SELECT resolution FROM differences WHERE difference_id = 1")
        assert resolution == "it came the next day"
        assert await last_act(console.pool) == ("resolve difference", "it came the next day", True)


async def test_a_promo_code_is_made_and_stopped(database: str) -> None:
    async with busy_console(database) as (console, owner, _day):
        page = f"{MONEY}/promo"
        unclear = await owner.act(page, on=page, code="TENPERCENT", kind="percent", percent="1000")
        assert "needs its sum" in (unclear.flash or "")
        await owner.act(
            page, on=page, code="tenpercent", kind="percent", percent="10", sum="100", uses="5", until="2030-01-31"
        )
        row = await console.pool.fetchrow(
            "SELECT percent, amount, most_uses, expires_at::text FROM promo_codes WHERE code = 'TENPERCENT'"
        )
        assert tuple(row or ()) == (10, 10_000, 5, "2030-01-31 21:00:00+00")
        await owner.act(f"{page}/TENPERCENT/stop", on=page, reason="it leaked")
        assert await last_act(console.pool) == ("stop promo", "it leaked", True)
        assert await console.pool.fetchval("SELECT stopped_at IS NOT NULL FROM promo_codes WHERE code = 'TENPERCENT'")


@pytest.mark.breaks_invariants
async def test_the_audit_run_now_names_what_is_broken(database: str) -> None:
    async with busy_console(database) as (console, owner, _day):
        page = f"{MONEY}/invariants"
        green = await owner.act(f"{MONEY}/audit", on=page)
        assert "all of them hold" in (green.flash or "")
        await console.pool.execute(
            "UPDATE wallets SET posted = posted + 7 WHERE user_id = (SELECT min(user_id) FROM wallets)"
        )
        red = await owner.act(f"{MONEY}/audit", on=page)
        assert "wallet-is-its-entries" in (red.flash or "")
        assert "sum_posted=" in red.text, "the offender is shown"
        assert "/console/money/invariants" in (await owner.get("/console/today")).text


async def test_a_price_is_tried_then_guarded_then_set(database: str) -> None:
    async with busy_console(database) as (console, owner, day):
        page = f"{CATALOGUE}/{day.a_model}"
        tried = await owner.get(f"{page}?kind=fixed&value=0.10")
        assert "₽0.10" in tried.text
        assert "below" in tried.text
        assert 'name="confirmed"' in tried.text
        refused = await owner.act(f"{page}/price", on=page, kind="fixed", value="0.10")
        assert (await last_act(console.pool))[2] is False, refused.flash
        rules = "SELECT kind, amount, confirmed FROM model_prices WHERE model = $1"
        assert await console.pool.fetch(rules, day.a_model) == []
        await owner.act(f"{page}/price", on=page, kind="fixed", value="0.10", confirmed="yes", reason="a week for free")
        assert [tuple(row) for row in await console.pool.fetch(rules, day.a_model)] == [("fixed", 10, True)]
        await owner.act(f"{page}/price", on=page, kind="clear", value="", confirmed="yes", reason="over")
        assert await last_act(console.pool) == ("price", "over", True)


async def test_a_model_is_paused_hidden_renamed_and_a_template_hidden(database: str) -> None:
    async with busy_console(database) as (console, owner, day):
        page = f"{CATALOGUE}/{day.a_model}"
        await owner.act(f"{page}/pause", on=page, minutes="30", notice="back soon")
        assert "Paused by" in (await owner.get(page)).text
        assert day.a_model in (await owner.get(f"{CATALOGUE}?state=paused")).text
        await owner.act(f"{page}/resume", on=page)
        await owner.act(f"{page}/switch", on=page, turn="hide")
        assert day.a_model in (await owner.get(f"{CATALOGUE}?state=hidden")).text
        await owner.act(f"{page}/rename", on=page, en="Quick <b>pictures</b>")
        assert "Quick &lt;b&gt;pictures" in (await owner.get(page)).text
        assert (await owner.act(f"{page}/switch", on=page, turn="explode")).status == 404
        await owner.act(f"{CATALOGUE}/templates/portrait/switch", on=f"{CATALOGUE}/templates", turn="hide")
        assert await console.pool.fetchval("SELECT hidden FROM templates WHERE template_id = 'portrait'")
        assert (await owner.get(f"{CATALOGUE}/no-such-model")).status == 404


async def test_lists_are_exported_with_their_filters(database: str) -> None:
    async with busy_console(database) as (_console, owner, day):
        for path, starts in (
            (f"{MONEY}/ledger?user={day.a_user}", "transaction,time,reason"),
            (f"{MONEY}/payments?provider=stars", "payment,time,provider"),
            (f"{MONEY}/receipts?state=approved", "receipt,time,user"),
            (f"{MONEY}/refunds?", "refund,payment,provider"),
            (f"{MONEY}/promo?", "code,kind,sum"),
            (f"{MONEY}/invariants?", "name,sentence,broken"),
            (f"{CATALOGUE}?q=z-image", "model,title,category"),
            ("/console/reports?days=7", "day,jobs,done"),
            ("/console/reports/models?by=day", "day,model,title"),
            ("/console/reports/cohorts?weeks=8", "monday,people,week"),
            ("/console/reports/funnel?from=2026-01-01&to=2026-02-01", "step,people"),
        ):
            answer = await owner.get(f"{path}&format=csv")
            assert answer.headers["Content-Type"].startswith("text/csv"), path
            assert answer.text.lstrip("\ufeff").startswith(starts), path
        stars = (await owner.get(f"{MONEY}/payments?provider=stars&format=csv")).text.splitlines()[1:]
        assert stars
        assert {line.split(",")[2] for line in stars} == {"stars"}


async def test_filters_that_cannot_be_read_harm_nothing(database: str) -> None:
    async with busy_console(database) as (_console, owner, _day):
        for path in (
            f"{MONEY}/ledger?user=x&reason=nonsense&since=yesterday&before=-1&reference=%00%27",
            f"{MONEY}/payments?before=99999999999999999999",
            "/console/reports?from=9999-12-31&to=0001-01-01",
            "/console/reports?days=100000",
            f"{CATALOGUE}/z-image?kind=markup&value=NaN",
            f"{CATALOGUE}/z-image?kind=discount&value=100&until=9999-99-99",
        ):
            assert (await owner.get(path)).status == 200, path
        assert (await owner.get(f"{MONEY}/payments/99999999999999999999")).status == 404


async def test_a_shop_that_has_just_opened_has_every_page(database: str) -> None:
    async with running_console(database) as console, console.signed_in() as owner:
        for page in PAGES:
            if "{" not in page.path:
                assert (await owner.get(f"/console{page.path}")).status == 200, page.path
        assert "Nothing waits for your decision." in (await owner.get("/console/today")).text
