"""Paying in the browser: no money, then Stars, a card or crypto, and the order that waited runs by one press."""

from pathlib import Path

from playwright.async_api import BrowserContext, Page, expect

from support.browser import chromium, page_at
from support.sandbox import running_sandbox, say

NBSP = "\N{NO-BREAK SPACE}"


async def press(page: Page, name: str) -> None:
    await page.get_by_role("button", name=name).last.click()


async def says_the_bot(page: Page, text: str) -> None:
    await page.locator('[data-from="bot"]', has_text=text).last.wait_for()


async def order_without_money(page: Page) -> None:
    """From /start to a card that costs too much."""
    await say(page, "/start")
    await press(page, "🖼 Создать картинку")
    await press(page, "Z-Image")
    await page.get_by_text("Опишите").last.wait_for()
    await say(page, "кот-космонавт")
    await page.get_by_role("button", name="1:1", exact=True).last.click()
    await says_the_bot(page, "Не хватает 0,64 ₽")


async def pay_at_the_provider(page: Page, context: BrowserContext, button: str) -> None:
    """Open the bill in a tab of its own and pay it there."""
    async with context.expect_page() as opened:
        await page.get_by_role("link", name=button).or_(page.get_by_role("button", name=button)).last.click()
    shop = await opened.value
    await shop.get_by_role("button", name="Оплатить").first.click()
    await shop.get_by_text("Оплачено").first.wait_for()  # a tab closed on its way to the next page can hang the browser
    await shop.close()


async def test_from_start_without_money_to_the_picture_by_stars(tmp_path: Path) -> None:
    async with (
        running_sandbox(tmp_path, WELCOME_CREDIT="0") as address,
        chromium() as browser,
        page_at(browser, address) as page,
    ):
        await order_without_money(page)
        await press(page, "💳 Пополнить")
        await press(page, "⭐ Telegram Stars")
        await press(page, "⭐ 50 →")
        await (
            page.get_by_role("link", name="⭐ Оплатить 50")
            .or_(page.get_by_role("button", name="⭐ Оплатить 50"))
            .last.click()
        )
        bill = page.locator('[data-role="bill"]')
        await expect(bill.locator('[data-role="price"]')).to_have_text("⭐ 50")
        await bill.locator('[data-role="pay"]').click()
        await says_the_bot(page, "Зачислено 52 ₽")
        await page.locator('[data-from="bot"]', has_text="Зачислено").get_by_role("button", name="✅ Создать").click()
        photos = page.locator('[data-from="bot"][data-kind="photo"]', has_text="кот-космонавт")
        await photos.first.wait_for()
        await page.locator('[data-from="bot"]', has_text="✅ Генерация завершена").first.wait_for()
        await expect(photos).to_have_count(1)
        await say(page, "/balance")
        await says_the_bot(page, "51,36")


async def test_a_card_and_crypto_pay_as_well(tmp_path: Path) -> None:
    async with (
        running_sandbox(tmp_path, WELCOME_CREDIT="0") as address,
        chromium() as browser,
        page_at(browser, address) as page,
    ):
        await say(page, "/topup")
        await press(page, "💳 Карта или СБП")
        await press(page, f"500{NBSP}₽")
        await says_the_bot(page, f"счёт на 500{NBSP}₽")
        await pay_at_the_provider(page, page.context, f"Оплатить 500{NBSP}₽")
        await says_the_bot(page, f"Зачислено 500{NBSP}₽")
        await say(page, "/topup")
        await press(page, "🪙 Криптовалюта")
        await press(page, "✍️ Своя сумма")
        await says_the_bot(page, "Напишите сумму")
        await say(page, "750")
        await says_the_bot(page, f"счёт на 750{NBSP}₽")
        await pay_at_the_provider(page, page.context, f"Оплатить 750{NBSP}₽")
        await says_the_bot(page, f"Зачислено 750{NBSP}₽")
        await say(page, "/paysupport")
        await says_the_bot(page, "№ 2")
