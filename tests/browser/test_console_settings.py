"""The settings page in a browser, on a desktop and on a phone: a price is changed with a confirmation, people come and go."""

from pathlib import Path

from playwright.async_api import Locator, Page, expect

from photomat.operators.access import Role
from photomat.operators.settings import read_values
from support.browser import chromium, page_at
from support.console import RunningConsole, running_console


async def sign_in(page: Page, console: RunningConsole, role: Role = Role.OWNER) -> None:
    """By a link, as an operator does: the token stands in the fragment, a button posts it."""
    await page.goto(f"{console.url}/console/sign-in#{await console.link(role)}")
    await page.locator('[data-role="link-form"] button').click()
    await page.wait_for_url("**/console/today")


async def fill(form: Locator, **fields: str) -> None:
    for name, value in fields.items():
        await form.locator(f'[name="{name}"]').fill(value)


async def fits(page: Page) -> None:
    assert (
        await page.evaluate("document.documentElement.scrollWidth") <= (page.viewport_size or {"width": 0})["width"]
    ), page.url


async def change_markup(page: Page, value: str, *, confirmed: bool) -> None:
    row = page.locator("#MARKUP")
    await row.get_by_text("Change", exact=True).click()
    form = row.locator("details[open] form")
    await fill(form, value=value, reason="a dearer month")
    if confirmed:
        await form.locator('[name="confirmed"]').check()
    await form.get_by_role("button", name="Save").click()


async def test_a_price_is_changed_with_a_confirmation(database: str, tmp_path: Path) -> None:
    async with (
        running_console(database, folder=tmp_path) as console,
        chromium() as browser,
        page_at(browser, "about:blank", is_phone=True, locale="en-US") as page,
    ):
        await sign_in(page, console)
        await page.goto(f"{console.url}/console/settings")
        await change_markup(page, "30", confirmed=False)
        await expect(page.locator(".notice.bad")).to_contain_text("MARKUP would go from 2 to 30")
        await change_markup(page, "30", confirmed=True)
        await expect(page.locator(".notice.good")).to_contain_text("MARKUP: was 2, is 30 now")
        row = page.locator("#MARKUP")
        await expect(row.locator(".value")).to_contain_text("30")
        await expect(row.locator(".value")).to_contain_text("default: 2")
        assert await read_values(console.pool) == {"MARKUP": "30"}
        for tab in ("values", "start", "people"):
            await page.goto(f"{console.url}/console/settings?tab={tab}")
            await fits(page)


async def test_an_owner_adds_an_operator_who_sees_values_and_no_forms(database: str, tmp_path: Path) -> None:
    async with running_console(database, folder=tmp_path) as console, chromium() as browser:
        async with page_at(browser, "about:blank", locale="en-US") as page:
            await sign_in(page, console)
            await page.goto(f"{console.url}/console/settings?tab=people")
            await page.get_by_text("Add an operator", exact=True).first.click()
            form = page.locator("details[open] form")
            await fill(form, telegram_id="81", name="Vera", reason="helps on Sundays")
            await form.locator('[name="role"]').select_option("viewer")
            await form.get_by_role("button").click()
            await expect(page.locator("li", has_text="Vera")).to_contain_text("Viewer")
            await expect(page.locator("section", has_text="Open sessions").locator("li")).to_have_count(1)
        async with page_at(browser, "about:blank", locale="en-US") as page:
            await sign_in(page, console, Role.OPERATOR)
            await page.goto(f"{console.url}/console/settings")
            await expect(page.locator("#MARKUP")).to_contain_text("MARKUP")
            await expect(page.locator("#content form")).to_have_count(0)
