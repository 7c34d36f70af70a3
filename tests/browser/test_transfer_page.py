"""A transfer by hand in the browser: the customer sends a receipt in their chat, the operator approves it in theirs."""

from pathlib import Path

from playwright.async_api import FilePayload, Locator, Page, expect

from support.browser import chromium, page_at
from support.sandbox import running_sandbox
from support.transfers import PDF

CUSTOMER_ID, OPERATOR_ID = 5_000_001, 4_900_001


async def test_a_receipt_approved_in_the_operators_chat_raises_the_balance(tmp_path: Path) -> None:
    async with running_sandbox(tmp_path) as address, chromium() as browser:
        async with page_at(browser, address) as page:
            await expect(page.locator(f'[data-person="{OPERATOR_ID}"]')).to_have_count(0)
            await says(page.locator("[data-person]"), "/start")
            await page.get_by_text("Здравствуйте").first.wait_for()
        async with page_at(browser, f"{address}?people={CUSTOMER_ID},{OPERATOR_ID}") as page:
            anna, operator = chat_of(page, CUSTOMER_ID), chat_of(page, OPERATOR_ID)
            await says(anna, "/topup")
            await anna.get_by_role("button", name="🏦 Перевод").last.click()
            await anna.get_by_text("На какую сумму").wait_for()
            await says(anna, "500")
            await anna.get_by_text("Пришлите сюда чек").wait_for()
            await anna.locator('[data-role="file-input"]').set_input_files(
                FilePayload(name="чек.pdf", mimeType="application/pdf", buffer=PDF)
            )
            await anna.locator('[data-role="send"]').click()
            await anna.get_by_text("на проверке").first.wait_for()
            await says(anna, "/balance")
            await expect(anna.locator('[data-from="bot"]', has_text="Доступно: 1 000 ₽")).to_have_count(1)
            card = operator.locator('[data-from="bot"][data-kind="document"]')
            await expect(card).to_contain_text("Чек № 1 на 500 ₽")
            await operator.get_by_role("button", name="✅ Зачислить 500 ₽").click()
            await expect(card).to_contain_text("зачислено 500 ₽")
            await expect(operator.get_by_role("button", name="✅ Зачислить")).to_have_count(0)
            await anna.get_by_text("Доступно: 1 500 ₽").first.wait_for()


def chat_of(page: Page, user_id: int) -> Locator:
    return page.locator(f'[data-person="{user_id}"]')


async def says(column: Locator, text: str) -> None:
    composer = column.locator('[data-role="composer"]')
    await composer.fill(text)
    await composer.press("Enter")
