"""A broadcast in a browser, on a desktop and on a phone: written with the message beside it, looked at, started, stopped."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from photomat.operators.access import Role
from support.broadcasts import BroadcastDesk, add_users
from support.browser import chromium, page_at
from support.console import PEOPLE, RunningConsole, running_console
from support.database import shift_clock
from support.telegram_media import picture
from support.telegram_sim import running_telegram


@asynccontextmanager
async def opened(database: str, tmp_path: Path, *, is_phone: bool) -> AsyncIterator[tuple[RunningConsole, Page]]:
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
        await page.locator('[data-role="link-form"] button').click()
        await page.wait_for_url("**/console/today")
        yield console, page


async def fits(page: Page) -> None:
    assert (
        await page.evaluate("document.documentElement.scrollWidth") <= (page.viewport_size or {"width": 0})["width"]
    ), page.url


async def acts(page: Page, label: str) -> None:
    """Unfold a form, say why, send it."""
    form = page.locator("details.action", has_text=label)
    await form.locator("summary").click()
    await form.locator('[name="reason"]').fill("autumn sale")
    await fits(page)
    await form.get_by_role("button").click()


async def writes(page: Page) -> None:
    """A text with mistakes, then without: the message beside the form says so at once."""
    await page.locator('[name="text_ru"]').fill("Only <b>today")
    await expect(page.locator("#looks .notice.bad")).to_contain_text("<b> is opened but not closed")
    await page.locator('[name="text_ru"]').fill("Only <b>today</b>: <script>")
    await expect(page.locator("#looks .notice.bad")).to_contain_text("does not know the markup")
    await page.locator('[name="text_ru"]').fill("Only <b>today</b>")
    await page.locator('[name="button_ru"]').fill("Top up")
    await page.locator('[name="button_target"]').fill("topup")
    await expect(page.locator("#looks .cast-text b")).to_have_text("today")
    await expect(page.locator("#looks .cast-button")).to_have_text("Top up")
    await expect(page.locator("#looks .big")).to_have_text("11")


@pytest.mark.parametrize("is_phone", [False, True], ids=["desktop", "phone"])
async def test_a_broadcast_from_the_first_word_to_its_end(database: str, tmp_path: Path, *, is_phone: bool) -> None:
    async with (
        opened(database, tmp_path, is_phone=is_phone) as (console, page),
        running_telegram() as telegram,
        telegram.bot() as bot,
    ):
        desk = BroadcastDesk(pool=console.pool, telegram=telegram, bot=bot)
        people = [telegram.person(f"User {number}") for number in range(12)]
        telegram.person("The operator", user_id=PEOPLE[Role.OPERATOR])
        await add_users(console.pool, people)
        await console.pool.execute("UPDATE users SET blocked_at = photomat_now() WHERE user_id = $1", people[0].user_id)
        telegram.blocks(people[1])

        await page.goto(f"{console.url}/console/broadcasts")
        await expect(page.locator(".empty")).to_contain_text("no broadcasts yet")
        await page.get_by_role("link", name="New broadcast").click()
        await writes(page)
        photo = {"name": "cat.png", "mimeType": "image/png", "buffer": picture()}
        await page.locator('[name="file"]').set_input_files(photo)  # type: ignore[arg-type]  # a FilePayload
        await page.locator('[name="reason"]').fill("autumn sale")
        await fits(page)
        await page.get_by_role("button", name="Save").click()

        await expect(page.locator(".notice.good")).to_contain_text("is saved")
        await expect(page.locator(".cast-steps")).to_contain_text("Possible once you have looked at it")
        await page.get_by_role("button", name="Send it to me").click()
        await desk.preview()
        await expect(page.locator(".cast-steps .cast-good")).to_contain_text("It arrived")
        await fits(page)
        await acts(page, "Start for 11 recipients")
        await expect(page.locator(".notice.good")).to_contain_text("on its way to 11 recipients")

        await desk.look_after()
        await desk.send_some(5)
        await expect(page.locator("#progress .big")).to_have_text("5 / 11")
        await acts(page, "Stop")
        assert await desk.send_some() == 0
        await acts(page, "Resume")
        await expect(page.locator(".notice.good")).to_contain_text("Resumed")
        await desk.send_some()
        await shift_clock(console.pool, 3)
        await desk.look_after()
        await expect(page.locator("#headline .badge")).to_have_text("Done")
        await expect(page.locator(".figure.good strong")).to_have_text("10")
        await page.locator(".tabs a", has_text="Blocked the bot").click()
        await expect(page.locator("#sends tbody tr")).to_have_count(1)
        await fits(page)
        await page.goto(f"{console.url}/console/broadcasts")
        await fits(page)
        assert [len(telegram.seen(each)) for each in people] == [0, 0, *([1] * 10)]
