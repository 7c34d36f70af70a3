"""The customers of the console in a browser, on a desktop and on a phone: found, banned, limited, written to, credited."""

from pathlib import Path

import pytest
from playwright.async_api import Locator, Page, expect

from photomat.kernel.ids import UserId
from photomat.operators.access import Role
from support.browser import chromium, page_at
from support.busy_day import fill_busy_day
from support.console import RunningConsole, running_console
from support.database import connection_of
from support.jobs import a_job, a_user, money_of

ANNA = UserId(4_000_001)


async def sign_in(page: Page, console: RunningConsole, role: Role) -> None:
    await page.goto("about:blank")
    await page.goto(f"{console.url}/console/sign-in#{await console.link(role)}")
    await page.locator('[data-role="link-form"] button').click()
    await page.wait_for_url("**/console/today")


async def fits(page: Page) -> None:
    assert (
        await page.evaluate("document.documentElement.scrollWidth") <= (page.viewport_size or {"width": 0})["width"]
    ), page.url


async def opens(page: Page, label: str) -> Locator:
    """Unfold the form with this label, and say why."""
    form = page.locator("details.action").filter(has=page.locator("summary", has_text=label))
    await form.locator("summary").click()
    await form.locator('[name="reason"]').fill(f"because of a test: {label}")
    return form


async def sends(page: Page, form: Locator, said: str) -> None:
    await fits(page)
    await form.get_by_role("button").click()
    await expect(page.locator(".notice[role=status]")).to_contain_text(said)


@pytest.mark.parametrize("is_phone", [False, True], ids=["desktop", "phone"])
async def test_a_customer_is_found_and_everything_is_done_to_them(
    database: str, tmp_path: Path, *, is_phone: bool
) -> None:
    async with connection_of(database) as connection:
        await fill_busy_day(connection, jobs=400)
    async with (
        running_console(database, folder=tmp_path) as console,
        chromium() as browser,
        page_at(browser, f"{console.url}/console/sign-in", is_phone=is_phone, locale="en-US") as page,
    ):
        await a_user(console.pool, user_id=ANNA)
        await console.pool.execute(
            "UPDATE users SET first_name = 'Жанна <b>', username = 'janna' WHERE user_id = $1", ANNA
        )
        await a_job(console.pool, ANNA)
        await sign_in(page, console, Role.OPERATOR)
        await page.goto(f"{console.url}/console/users")
        await fits(page)
        await page.locator("form.filters input[type=search]").fill("жан")
        await page.get_by_role("button", name="Find").click()
        await page.get_by_role("link", name="Жанна <b>").click()
        await page.wait_for_url(f"**/console/users/{ANNA}")
        await fits(page)

        form = await opens(page, "Write a message")
        await form.locator("textarea").fill("Привет & <пока>")
        await sends(page, form, "on its way")
        form = await opens(page, "Credit")
        await form.locator('[name="amount"]').fill("12.50")
        await sends(page, form, "credited")
        form = await opens(page, "Debit")
        await form.locator('[name="amount"]').fill("2.50")
        await sends(page, form, "debited")
        assert await money_of(console.pool, ANNA) == (10_000 - 64 + 1_000, 64)
        form = await opens(page, "Limits")
        await form.locator('[name="running"]').fill("3")
        await sends(page, form, "running at once 3")
        form = await opens(page, "Ban")
        await form.locator("select").select_option("week")
        await sends(page, form, "is banned until")
        assert await money_of(console.pool, ANNA) == (10_000 + 1_000, 0)
        await expect(page.locator("p.notice.bad")).to_contain_text("because of a test: Ban")
        await expect(page.locator("#user-jobs")).to_contain_text("canceled")
        await expect(page.locator("#user-journal .list > li")).to_have_count(5)
        form = await opens(page, "Lift the ban")
        await sends(page, form, "no longer banned")
        notices = await console.pool.fetch(
            "SELECT facts ->> 'text' AS text FROM notices WHERE text_key = 'operator-message'"
        )
        assert [row["text"] for row in notices] == ["Привет &amp; &lt;пока&gt;"]
