"""Money and the catalogue in a real browser: a receipt is read and approved, a price is tried and set, a report is narrowed."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Page, expect

from support.browser import chromium, page_at
from support.busy_day import BusyDay, fill_busy_day
from support.console import RunningConsole, running_console
from support.database import connection_of
from support.transfers import receipt_picture

JOBS = 400


class PictureFiles:
    """Telegram's files: every one is the same picture."""

    @asynccontextmanager
    async def opened(self, _telegram_id: str) -> AsyncIterator[AsyncIterator[bytes]]:
        async def chunks() -> AsyncIterator[bytes]:
            yield receipt_picture()

        yield chunks()


@asynccontextmanager
async def signed_in(database: str, *, is_phone: bool) -> AsyncIterator[tuple[RunningConsole, Page, BusyDay]]:
    async with connection_of(database) as connection:
        day = await fill_busy_day(connection, jobs=JOBS)
    async with running_console(database, files=PictureFiles()) as console, chromium() as browser:
        link = f"{console.url}/console/sign-in#{await console.link()}"
        async with page_at(browser, link, is_phone=is_phone) as page:
            await page.locator('[data-role="link-form"] button').click()
            await page.wait_for_url("**/console/today")
            yield console, page, day


@pytest.mark.parametrize("is_phone", [False, True], ids=["desktop", "phone"])
async def test_a_receipt_is_looked_at_and_approved(database: str, is_phone: bool) -> None:  # noqa: FBT001
    async with signed_in(database, is_phone=is_phone) as (console, page, _day):
        await page.get_by_role("link", name="Чеки на проверку").click()
        await page.wait_for_url("**/console/money/receipts")
        shown = page.locator("img.shot").first
        await expect(shown).to_have_js_property("complete", value=True)
        assert await shown.evaluate("image => image.naturalWidth") > 0
        first = page.locator("section.panel", has=page.locator("img.shot")).first
        number = await console.pool.fetchval("SELECT min(receipt_id) FROM receipts WHERE state = 'waiting'")
        await first.get_by_text("Зачислить", exact=True).first.click()
        await first.locator('input[name="sum"]').fill("450")
        await first.get_by_role("button", name="Зачислить").click()
        await expect(page.locator(".notice.good")).to_be_visible()
        row = await console.pool.fetchrow("SELECT state, credited FROM receipts WHERE receipt_id = $1", number)
        assert tuple(row or ()) == ("approved", 45_000)


async def test_a_price_is_tried_before_it_is_set(database: str) -> None:
    async with signed_in(database, is_phone=True) as (console, page, day):
        await page.goto(f"{console.url}/console/catalogue?q=z-image")
        await page.locator(f'a[href="/console/catalogue/{day.a_model}"]').first.click()
        form = page.locator("#price form").first
        await form.locator('select[name="kind"]').select_option("markup")
        await form.locator('input[name="value"]').fill("9")
        await form.get_by_role("button", name="Примерить").click()
        await expect(page.locator("#price .notice.bad")).to_contain_text("скачок")
        setting = page.locator("#price details.action form")
        await setting.locator('input[name="reason"]').fill("проверка спроса")
        await setting.get_by_role("button").click()
        await expect(page.locator(".notice.bad").first).to_be_visible()
        assert await console.pool.fetchval("SELECT count(*) FROM model_prices WHERE model = $1", day.a_model) == 0
        await page.go_back()
        await setting.locator('input[name="confirmed"]').check()
        await setting.locator('input[name="reason"]').fill("проверка спроса")
        await setting.get_by_role("button").click()
        await expect(page.locator(".notice.good")).to_be_visible()
        assert await console.pool.fetchval("SELECT markup FROM model_prices WHERE model = $1", day.a_model) == 9


async def test_a_list_is_filtered_by_one_choice_and_shared_by_its_url(database: str) -> None:
    async with signed_in(database, is_phone=False) as (console, page, _day):
        await page.goto(f"{console.url}/console/money/ledger")
        await page.locator('select[name="reason"]').select_option("topup")
        await page.wait_for_url("**reason=topup**")
        rows = page.locator("tbody tr")
        assert await rows.count() > 0
        assert {text.strip() for text in await rows.locator("td:nth-child(2)").all_inner_texts()} == {"Пополнение"}
        await page.goto(f"{console.url}/console/reports")
        await page.get_by_role("link", name="7 дней").click()
        await page.wait_for_url("**days=7**")
        assert await page.locator("section.panel tbody tr").count() == 7
        assert await page.locator("svg.chart").count() == 3
