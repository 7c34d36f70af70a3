"""Every page of the console in a real browser, with the data of a busy day: it fits, it works, its links lead somewhere."""

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, StorageState, expect

from photomat.console.app import NAVIGATION, PAGES
from photomat.operators.access import Role
from support.browser import chromium, page_at
from support.busy_day import BusyDay, fill_busy_day
from support.console import PASSWORD, RunningConsole, running_console
from support.database import connection_of
from support.source import ROOT

JOBS = 5000 if os.environ.get("SCREENSHOTS") else 400
IMAGES = ROOT / "docs" / "images"
README_SHOTS = {("/today", False): "console-today.png", ("/jobs/{job_id}", True): "console-job-phone.png"}
DECIDED = """
    UPDATE receipts SET state = 'declined', decided_at = now(), decided_by = 'x', reason = 'y' WHERE state = 'waiting'
"""
FILES = {"/jobs/{job_id}/outputs/{position}", "/money/receipts/{receipt_id}/file"}
"""Answers that are no pages: pictures, shown by pages."""


@asynccontextmanager
async def busy_console(database: str, tmp_path: Path) -> AsyncIterator[tuple[RunningConsole, BusyDay]]:
    async with connection_of(database) as connection:
        day = await fill_busy_day(connection, jobs=JOBS)
    async with running_console(database, folder=tmp_path) as console:
        yield console, day


async def session(console: RunningConsole, role: Role = Role.OWNER) -> StorageState:
    """Sign in by a link, as a person does: the token in the fragment, one tap."""
    async with (
        chromium() as browser,
        page_at(browser, f"{console.url}/console/sign-in#{await console.link(role)}") as page,
    ):
        await page.locator('[data-role="link-form"] button').click()
        await page.wait_for_url("**/console/today")
        assert "#" not in page.url
        return await page.context.storage_state()


def paths(day: BusyDay) -> dict[str, str]:
    """Every page with something to show."""
    samples = {
        "job_id": day.by_story["done"],
        "user_id": day.a_user,
        "payment_id": day.a_payment,
        "fiscal_id": day.a_fiscal_receipt,
        "model_id": day.a_model,
    }
    return {
        page.path: re.sub(r"{(\w+)[^}]*}", lambda part: str(samples[part[1]]), page.path)
        for page in PAGES
        if page.path not in FILES and all(f"{{{name}}}" not in page.path for name in MADE_ELSEWHERE)
    }


MADE_ELSEWHERE = ("ticket_id", "broadcast_id", "message_id", "position", "receipt_id")
"""Pages of things that their own tests make."""


async def is_sound(page: Page, path: str) -> None:
    assert await page.locator("h1").count() == 1, path
    screen = page.viewport_size or {"width": 0}
    too_wide = await page.evaluate("document.documentElement.scrollWidth") - screen["width"]
    assert too_wide <= 0, f"{path} is {too_wide} px too wide"
    bare = await page.get_by_text("console-").count()
    assert bare == 0, f"{path} shows the key of a text"


@pytest.mark.parametrize("is_phone", [False, True], ids=["desktop", "phone"])
async def test_every_page_fits_and_works(database: str, tmp_path: Path, is_phone: bool) -> None:  # noqa: FBT001
    async with busy_console(database, tmp_path) as (console, day), chromium() as browser:
        state = await session(console)
        async with page_at(browser, f"{console.url}/console/today", is_phone=is_phone, storage_state=state) as page:
            for route, path in paths(day).items():
                await page.goto(f"{console.url}/console{path}")
                await is_sound(page, path)
                if os.environ.get("SCREENSHOTS") and (route, is_phone) in README_SHOTS:
                    await page.screenshot(path=IMAGES / README_SHOTS[route, is_phone])


async def test_the_menu_leads_to_every_page_on_a_phone_too(database: str, tmp_path: Path) -> None:
    async with busy_console(database, tmp_path) as (console, _), chromium() as browser:
        state = await session(console)
        async with page_at(browser, f"{console.url}/console/today", is_phone=True, storage_state=state) as page:
            for name in NAVIGATION:
                await page.locator("details.menu > summary").click()
                await page.locator(f'details.menu a[href="/console/{name}"]').click()
                await page.wait_for_url(f"**/console/{name}")
                await is_sound(page, name)


async def test_links_of_the_first_page_lead_somewhere(database: str, tmp_path: Path) -> None:
    async with busy_console(database, tmp_path) as (console, _), console.signed_in() as owner, chromium() as browser:
        state = await session(console)
        async with page_at(browser, f"{console.url}/console/today", storage_state=state) as page:
            links = await page.locator("main a").evaluate_all(
                "links => [...new Set(links.map(each => each.getAttribute('href')))]"
            )
        for link in links:
            assert (await owner.get(link)).status == 200, link


async def test_a_live_page_moves_by_itself_and_stops_when_asked(database: str, tmp_path: Path) -> None:
    async with busy_console(database, tmp_path) as (console, _), chromium() as browser:
        state = await session(console)
        async with page_at(browser, f"{console.url}/console/today", storage_state=state) as page:
            shown = page.locator("#today")
            before = await shown.inner_text()
            await console.pool.execute(DECIDED)
            await expect(shown).not_to_have_text(before, use_inner_text=True)
            await page.locator('[data-role="live-toggle"]').click()
            await expect(page.locator('[data-role="live-toggle"]')).to_have_class("quiet off")


async def test_the_password_opens_the_console_in_a_browser(database: str, tmp_path: Path) -> None:
    async with (
        busy_console(database, tmp_path) as (console, _),
        chromium() as browser,
        page_at(browser, f"{console.url}/console/jobs?state=done") as page,
    ):
        await page.locator('input[name="password"]').fill(PASSWORD)
        await page.locator('[data-role="password-form"] button').click()
        await page.wait_for_url("**/console/jobs?state=done")


async def test_a_sign_in_link_outlives_a_reload_and_another_language(database: str, tmp_path: Path) -> None:
    async with running_console(database, folder=tmp_path) as console, chromium() as browser:
        link = f"{console.url}/console/sign-in#{await console.link(Role.OWNER)}"
        async with page_at(browser, link) as page:
            await page.reload()
            await page.get_by_role("button", name="English").click()
            await page.get_by_role("button", name="Русский").wait_for()
            await page.locator('[data-role="link-form"] button').click()
            await page.wait_for_url("**/console/today")
            assert await page.evaluate("sessionStorage.getItem('link')") is None


async def test_english_is_a_tap_away(database: str, tmp_path: Path) -> None:
    async with busy_console(database, tmp_path) as (console, day), chromium() as browser:
        state = await session(console)
        async with page_at(browser, f"{console.url}/console/today", storage_state=state) as page:
            await page.locator("details.who > summary").click()
            await page.get_by_role("button", name="English").click()
            await expect(page.locator("html")).to_have_attribute("lang", "en")
            for path in paths(day).values():
                await page.goto(f"{console.url}/console{path}")
                await is_sound(page, path)


async def test_a_viewer_sees_no_form_that_would_be_refused(database: str, tmp_path: Path) -> None:
    async with busy_console(database, tmp_path) as (console, day), chromium() as browser:
        state = await session(console, Role.VIEWER)
        allowed = {page.path for page in PAGES if page.role is Role.VIEWER}
        async with page_at(browser, f"{console.url}/console/today", storage_state=state) as page:
            for route, path in paths(day).items():
                if route in allowed:
                    await page.goto(f"{console.url}/console{path}")
                    forms = await page.locator('main form[method="post"]').count()
                    assert forms == 0, f"{path} offers a viewer {forms} forms"
