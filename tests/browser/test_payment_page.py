"""The payment page in a real browser: paying, paying a part, walking away, on a desk and on a phone."""

from playwright.async_api import expect

from support.browser import chromium, page_at
from support.pay_sim import asked, running_pay


async def test_paying_leads_back_to_the_shop_and_the_bill_is_paid() -> None:
    async with running_pay() as pay, chromium() as browser:
        invoice = await pay.yookassa.create(asked(minor=1_234_50, return_url=pay.url + "/back?ok"))
        async with page_at(browser, invoice.pay_url) as page:
            await expect(page.get_by_role("heading", level=1)).to_have_text("1\u00a0234,50\u00a0₽")
            await expect(page.get_by_role("button")).to_have_count(2)
            await page.get_by_role("button", name="Оплатить").click()
            await page.wait_for_url("**/back?ok")
        assert pay.shop.payments[invoice.external_id].status == "succeeded"


async def test_on_a_phone_a_part_is_paid_and_the_page_sends_back_to_the_chat() -> None:
    async with running_pay() as pay, chromium() as browser:
        invoice = await pay.crypto_pay.create(asked(minor=100_00, return_url="https://t.me/photomat_bot"))
        async with page_at(browser, invoice.pay_url, is_phone=True) as page:
            assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            await page.get_by_role("button", name="Оплатить часть").tap()
            await expect(page.get_by_role("status")).to_contain_text("Оплачено")
            await expect(page.get_by_role("status")).to_contain_text("Получено 50\u00a0₽")
            await expect(page.get_by_role("status")).to_contain_text("Вернитесь в чат")
            await expect(page.get_by_role("button")).to_have_count(0)
        report = await pay.crypto_pay.find(invoice.external_id)
        assert report is not None
        assert (report.state, report.paid.minor) == ("paid", 50_00)


async def test_whoever_walks_away_pays_nothing_and_cannot_pay_later() -> None:
    async with running_pay() as pay, chromium() as browser:
        invoice = await pay.yookassa.create(asked(return_url=None, description="<b>Пополнение</b>"))
        async with page_at(browser, invoice.pay_url) as page:
            await expect(page.get_by_text("<b>Пополнение</b>")).to_be_visible()
            await page.get_by_role("button", name="Отказаться").click()
            await expect(page.get_by_role("status")).to_contain_text("Оплата отменена")
            await expect(page.get_by_role("button")).to_have_count(0)
        assert pay.shop.payments[invoice.external_id].status == "canceled"
