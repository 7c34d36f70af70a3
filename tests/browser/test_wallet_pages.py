"""The wallet in the browser: a picture is bought, the balance, the statement and the story of its charge are read."""

import os
from pathlib import Path

from playwright.async_api import Page, expect

from support.browser import chromium, page_at
from support.sandbox import buy, running_sandbox, say

PICTURES = os.environ.get("WALLET_PICTURES")
"""A folder for screenshots, for somebody who wants to look."""


async def look(page: Page, name: str) -> None:
    if PICTURES:
        await page.wait_for_timeout(500)
        await page.screenshot(path=Path(PICTURES) / f"{name}.png")


async def read_the_wallet(page: Page, *, name: str) -> None:
    """From /balance to the story of the newest line, and back."""
    newest = page.locator('[data-from="bot"]').last
    await say(page, "/balance")
    await expect(newest).to_contain_text("Доступно: 999,36")
    await look(page, f"{name}-balance")
    await newest.get_by_role("button", name="📄 Выписка").click()
    await expect(newest).to_contain_text("−0,64")
    await expect(newest).to_contain_text("Заказ: Z-Image «кот-космонавт»")
    await expect(newest).to_contain_text("Приветственный бонус")
    await look(page, f"{name}-statement")
    await newest.get_by_role("button", name="1", exact=True).click()
    await expect(newest).to_contain_text("результат готов, 0,64")
    await expect(newest).to_contain_text("Номер для поддержки: job:")
    await look(page, f"{name}-story")
    await newest.get_by_role("button", name="❓ Почему").click()
    await expect(newest).to_contain_text("за одну генерацию")
    back = page.get_by_role("button", name="◀️ К выписке")
    await back.click()
    await expect(back).to_have_count(0)
    await expect(page.locator('[data-from="bot"]', has_text="Нажмите номер строки").last).to_be_visible()


async def test_a_buyer_reads_where_the_money_went(tmp_path: Path) -> None:
    async with running_sandbox(tmp_path) as address, chromium() as browser:
        async with page_at(browser, address) as page:
            await buy(page, "кот-космонавт")
            await page.locator('[data-from="bot"]', has_text="✅ Генерация завершена").first.wait_for()
            await read_the_wallet(page, name="desktop")
        async with page_at(browser, address, is_phone=True, color_scheme="dark") as phone:
            await phone.locator('[data-from="bot"]').first.wait_for()
            await read_the_wallet(phone, name="phone")
