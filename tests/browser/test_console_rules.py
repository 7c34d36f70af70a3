"""Refused orders, content rules and fiscal receipts of the console in a browser, on a desktop and on a phone."""

import os
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from photomat.db.pool import Pool, transaction
from photomat.kernel.ids import ChatId
from photomat.moderation.appeal import appeal_to_operators
from photomat.moderation.refusal import NO_STRIKES, NewRefusal, RefusalSource, record
from photomat.moderation.rules import RuleAction
from photomat.operators.access import Role
from support.browser import chromium, page_at
from support.console import running_console
from support.jobs import a_draft, a_user
from support.payments import pays, people

LONG = "очень длинное описание без единого пробела " + "ы" * 120


async def an_appeal(pool: Pool) -> None:
    user = await a_user(pool)
    new = NewRefusal(
        user_id=user,
        chat_id=ChatId(user),
        draft_id=(await a_draft(pool, user)).draft_id,
        source=RefusalSource.RULES,
        rule_id="minors-sexual",
        action=RuleAction.STRIKE,
        model="z-image",
        text_hash=b"hash",
        text=LONG,
    )
    async with transaction(pool) as tx:
        refusal, _ = await record(tx, new)
        await appeal_to_operators(tx, refusal.refusal_id, user_id=user, operators=[], policy=NO_STRIKES)


async def fits(page: Page, name: str) -> None:
    width = (page.viewport_size or {"width": 0})["width"]
    assert await page.evaluate("document.documentElement.scrollWidth") <= width, page.url
    assert await page.get_by_text("console-").count() == 0, page.url
    if folder := os.environ.get("SCREENSHOTS_IN"):
        await page.screenshot(path=Path(folder) / f"{name}-{width}.png", full_page=True)


@pytest.mark.parametrize("is_phone", [False, True], ids=["desktop", "phone"])
async def test_an_appeal_is_answered_a_rule_is_tried_and_a_receipt_is_settled_by_hand(
    database: str, tmp_path: Path, *, is_phone: bool
) -> None:
    async with (
        running_console(database, folder=tmp_path) as console,
        chromium() as browser,
        page_at(browser, f"{console.url}/console/sign-in#{await console.link(Role.OWNER)}", is_phone=is_phone) as page,
    ):
        await an_appeal(console.pool)
        await people(console.pool)
        await pays(console.pool)
        await console.pool.execute(
            "UPDATE fiscal_receipts SET state = 'blocked', due_at = NULL, error = 'x ' || $1", LONG
        )
        await page.locator('[data-role="link-form"] button').click()
        await page.wait_for_url("**/console/today")
        await page.goto(f"{console.url}/console/moderation")
        await expect(page.locator("blockquote.refused")).to_contain_text("очень длинное")
        await fits(page, "moderation")
        await page.get_by_role("button", name="Разрешить этот текст").click()
        await expect(page.locator(".notice.good")).to_be_visible()
        assert await console.pool.fetchval("SELECT is_accepted FROM content_refusals")
        await page.goto(f"{console.url}/console/moderation/rules")
        await fits(page, "rules")
        await page.goto(f"{console.url}/console/money/fiscal?only=blocked")
        await fits(page, "fiscal")
        fiscal_id = await console.pool.fetchval("SELECT fiscal_id FROM fiscal_receipts")
        await page.goto(f"{console.url}/console/money/fiscal/{fiscal_id}")
        form = page.locator(f'form[action$="/{fiscal_id}/settle"]')
        await page.locator("details.action", has=form).locator("summary").click()
        await fits(page, "fiscal-one")
        await form.locator('[name="number"]').fill("77")
        await form.locator('[name="reason"]').fill("выдан вручную")
        await form.get_by_role("button").click()
        await expect(page.locator(".notice.good")).to_be_visible()
        await fits(page, "fiscal-settled")
        assert await console.pool.fetchval("SELECT state || ' ' || external_id FROM fiscal_receipts") == "issued 77"
