"""The tickets of the console in a browser, on a desktop and on a phone: what comes in appears by itself, a tap answers it."""

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from photomat.operators.access import Role
from support.browser import chromium, page_at
from support.console import running_console
from support.jobs import money_of
from support.tickets import ANNA, a_busy_inbox, asks


async def sign_in(page: Page) -> None:
    await page.locator('[data-role="link-form"] button').click()
    await page.wait_for_url("**/console/today")


async def fits(page: Page) -> None:
    assert (
        await page.evaluate("document.documentElement.scrollWidth") <= (page.viewport_size or {"width": 0})["width"]
    ), page.url


@pytest.mark.parametrize("is_phone", [False, True], ids=["desktop", "phone"])
async def test_a_question_is_read_answered_and_refunded(database: str, tmp_path: Path, *, is_phone: bool) -> None:
    async with (
        running_console(database, folder=tmp_path) as console,
        chromium() as browser,
        page_at(
            browser,
            f"{console.url}/console/sign-in#{await console.link(Role.OPERATOR)}",
            is_phone=is_phone,
            locale="en-US",
        ) as page,
    ):
        job_id = await a_busy_inbox(console.pool)
        await sign_in(page)
        await page.goto(f"{console.url}/console/tickets")
        await expect(page.locator(".mail.waits")).to_have_count(2)
        await fits(page)
        await page.locator(".mail", has_text="кот").click()
        await expect(page.locator(".bubble.customer")).to_contain_text("<b>кот</b> без усов")
        await asks(console.pool, ANNA, "и без хвоста", job_id=job_id)
        await expect(page.locator("#thread")).to_contain_text("и без хвоста")
        await page.get_by_role("link", name="Sorry").click()
        await expect(page.locator("textarea")).to_have_value("Простите, это наша ошибка. Мы всё исправим.")
        await page.get_by_role("button", name="Send").click()
        await expect(page.locator(".bubble.operator")).to_contain_text("Простите")
        before = await money_of(console.pool, ANNA)
        form = page.locator("details.action", has_text="Refund")
        await form.locator("summary").click()
        await form.locator('[name="reason"]').fill("not what was ordered")
        await fits(page)
        await form.get_by_role("button").click()
        await expect(page.locator(".notice.good")).to_contain_text("was given back")
        await expect(page.locator(".event")).to_contain_text("was given back")
        assert (await money_of(console.pool, ANNA))[0] - before[0] == 64
        await expect(page.locator("details.action", has_text="Refund")).to_have_count(0)
